//! Identifies the caller from the `Authorization` header.

use axum::http::header::{AUTHORIZATION, HeaderMap};
use ordersync_api::Scope;
use secrecy::ExposeSecret;
use subtle::ConstantTimeEq;

use super::Problem;
use crate::app::App;
use crate::ids::is_token;
use crate::keys::token_digest;
use crate::known_clients::LOCAL;
use crate::store::oauth::access::{Bearer, ClientCaller};
use crate::store::users::Caller;
use crate::token::Prefix;

/// The caller, as far as the request's headers identify it.
#[derive(Debug, Clone)]
pub(crate) enum Identity {
    /// No bearer token.
    Nobody,
    /// A bearer token that is unknown, expired or malformed.
    BadToken,
    /// A client, acting for a user.
    Caller(Caller),
    /// A client, acting for itself.
    Client(ClientCaller),
}

/// The caller, and whether the client has its own secret.
pub(super) async fn authenticate(app: &App, headers: &HeaderMap) -> Result<(Identity, bool), Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Ok((if headers.contains_key(AUTHORIZATION) { Identity::BadToken } else { Identity::Nobody }, false));
    };
    let Some(token) = value.to_str().ok().and_then(bearer) else { return Ok((Identity::BadToken, false)) };
    let now = app.clock.now();
    if let Some(local) = &app.local_token
        && bool::from(local.expose_secret().as_bytes().ct_eq(token.as_bytes()))
    {
        let now = app.store.now_for(LOCAL, now).await?;
        let scopes = Scope::ALL.to_vec();
        let (user_id, client_id) = (LOCAL.into(), LOCAL.into());
        return Ok((Identity::Caller(Caller { user_id, client_id, scopes, now, widget: false }), true));
    }
    // A sandbox's token is malformed on a live service, and a live token in a sandbox.
    if !is_token(Prefix::ACCESS.of(app.environment), token) {
        return Ok((Identity::BadToken, false));
    }
    Ok(match app.store.bearer(&token_digest(token), now).await? {
        None => (Identity::BadToken, false),
        Some(Bearer::User { caller, has_secret }) => (Identity::Caller(caller), has_secret),
        Some(Bearer::Client(caller)) => (Identity::Client(caller), true),
    })
}

/// The token of an `Authorization` header (RFC 6750 §2.1); the scheme's case does not matter (RFC 9110 §11.1).
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
