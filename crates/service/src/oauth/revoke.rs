//! Revocation (RFC 7009): a refresh token ends together with all tokens of its grant, an access token ends alone.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use super::client_auth::ClientForm;
use crate::app::App;
use crate::authorization::error::{Answered, Kind, OAuthError};
use crate::store::accounts::oauth::access::Revoked;
use crate::token::Prefix;

pub(super) const PATH: &str = "/oauth/revoke";

/// POST /oauth/revoke
///
/// A token's own prefix shows its kind: `token_type_hint` is not needed. A token that does not exist counts as revoked
/// (§2.2).
pub(super) async fn revoke(
    State(app): State<Arc<App>>,
    ClientForm { client, form }: ClientForm,
) -> Answered<StatusCode> {
    let token = form.required("token", "The parameter token is missing.")?;
    let revoked = if let Some(digest) = Prefix::REFRESH.digest(app.environment, token) {
        app.store.revoke_refresh_token(&digest, &client.id, app.clock.now()).await?
    } else if let Some(digest) = Prefix::ACCESS.digest(app.environment, token) {
        app.store.revoke_access_token(&digest, &client.id).await?
    } else {
        Revoked::Nothing
    };
    match revoked {
        Revoked::Yes | Revoked::Nothing => Ok(StatusCode::OK),
        Revoked::AnotherClients => Err(OAuthError::new(Kind::InvalidGrant, "The token was given to another client.")),
    }
}
