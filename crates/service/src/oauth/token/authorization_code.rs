//! Exchanges an authorization code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.6).

use super::answer::TokenAnswer;
use crate::app::App;
use crate::authorization::error::{Answered, Kind, OAuthError};
use crate::authorization::form::Form;
use crate::authorization::pkce;
use crate::store::accounts::clients::Client;
use crate::store::accounts::oauth::codes::CodeAttempt;
use crate::token::{Pair, Prefix};

pub(super) async fn exchange(app: &App, client: &Client, form: &Form) -> Answered<TokenAnswer> {
    let code = form.required("code", "The parameter code is missing.")?;
    let redirect_uri = form.required("redirect_uri", "The parameter redirect_uri is missing.")?;
    let verifier = form.required("code_verifier", "The parameter code_verifier is missing.")?;
    let code_challenge = pkce::challenge_of(verifier).ok_or(OAuthError::invalid_request(
        "The code_verifier is not 43 to 128 letters, digits, hyphens, dots, underscores and tildes.",
    ))?;
    let digest = Prefix::CODE.digest(app.environment, code).ok_or_else(refused)?;
    let attempt = CodeAttempt { digest, client_id: &client.id, redirect_uri, code_challenge: &code_challenge };
    let pair = Pair::new(app.environment)?;
    let scopes = app.store.exchange_code(&attempt, &pair.stored(), app.clock.now()).await?;
    Ok(TokenAnswer::of(pair, &scopes.ok_or_else(refused)?))
}

/// Never says which check failed: a party that has got hold of a code learns nothing from it.
const fn refused() -> OAuthError {
    OAuthError::new(
        Kind::InvalidGrant,
        "The code is unknown, expired or used, or was made for another client, redirect_uri or code_verifier.",
    )
}
