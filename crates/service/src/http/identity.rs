//! Identifies the caller from the `Authorization` header.

use std::num::NonZeroU32;

use axum::http::header::{AUTHORIZATION, HeaderMap};
use ordersync_api::Scope;
use secrecy::ExposeSecret;
use subtle::ConstantTimeEq;

use super::Problem;
use crate::app::App;
use crate::ids::is_token;
use crate::keys::token_digest;
use crate::known_clients::LOCAL;
use crate::store::accounts::oauth::access::{Bearer, ClientCaller, Known};
use crate::store::accounts::users::Caller;
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

/// No failure that a sandbox was asked for waits for anybody's request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoFailures;

/// The caller, and what their requests count as.
pub(super) struct Authenticated {
    pub(super) identity: Identity,
    /// Whether the client has its own secret.
    pub(super) has_secret: bool,
    /// How many requests the client may make in a minute, if the operator said so.
    pub(super) requests_per_minute: Option<NonZeroU32>,
    /// Whether failures that a sandbox was asked for wait, if that is known.
    pub(super) failures_wait: Option<bool>,
}

impl Authenticated {
    const fn with(identity: Identity, has_secret: bool) -> Self {
        Self { identity, has_secret, requests_per_minute: None, failures_wait: None }
    }
}

/// Identifies the caller.
pub(super) async fn authenticate(app: &App, headers: &HeaderMap) -> Result<Authenticated, Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        let is_given = headers.contains_key(AUTHORIZATION);
        let identity = if is_given { Identity::BadToken } else { Identity::Nobody };
        return Ok(Authenticated::with(identity, false));
    };
    let Some(token) = value.to_str().ok().and_then(bearer) else {
        return Ok(Authenticated::with(Identity::BadToken, false));
    };
    let now = app.clock.now();
    if let Some(local) = &app.local_token
        && bool::from(local.expose_secret().as_bytes().ct_eq(token.as_bytes()))
    {
        let now = app.store.now_for(LOCAL, now).await?;
        let scopes = Scope::ALL.to_vec();
        let (user_id, client_id) = (LOCAL.into(), LOCAL.into());
        let caller = Caller { user_id, client_id, scopes, now, widget: false };
        return Ok(Authenticated::with(Identity::Caller(caller), true));
    }
    // A sandbox's token is malformed on a live service, and a live token in a sandbox.
    if !is_token(Prefix::ACCESS.of(app.environment), token) {
        return Ok(Authenticated::with(Identity::BadToken, false));
    }
    let Some(Known { bearer, requests_per_minute, failures_wait }) =
        app.store.bearer(&token_digest(token), now).await?
    else {
        return Ok(Authenticated::with(Identity::BadToken, false));
    };
    let (identity, has_secret) = match bearer {
        Bearer::User { caller, has_secret } => (Identity::Caller(caller), has_secret),
        Bearer::Client(caller) => (Identity::Client(caller), true),
    };
    Ok(Authenticated { identity, has_secret, requests_per_minute, failures_wait: Some(failures_wait) })
}

/// The token of an `Authorization` header (RFC 6750 §2.1); the scheme's case does not matter (RFC 9110 §11.1).
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
