//! Extractors: who may call a route, and what a request brings. A handler that does not name one has no caller at all,
//! so that a missing check cannot be forgotten without the code failing to compile.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use ordersync_api::{ErrorCode, Scope};

use super::fields::{Fields, Params};
use super::gate::Caught;
use super::idempotency;
use super::problem::Answered;
use super::{App, Problem};
use crate::store::idempotency::IdempotencyKey;
use crate::store::users::Caller;

/// The largest body that a request may have.
const BODY_LIMIT: usize = 64 * 1024;

/// A scope as a type, for [`Authorized`] and [`Mutation`].
pub(super) trait Requires: Send + Sync + 'static {
    const SCOPE: Scope;
}

/// Requires `accounts:read`.
pub(super) struct AccountsRead;
/// Requires `accounts:connect`.
pub(super) struct AccountsConnect;
/// Requires `accounts:sync`.
pub(super) struct AccountsSync;
/// Requires `orders:read`.
pub(super) struct OrdersRead;

impl Requires for AccountsRead {
    const SCOPE: Scope = Scope::AccountsRead;
}
impl Requires for AccountsConnect {
    const SCOPE: Scope = Scope::AccountsConnect;
}
impl Requires for AccountsSync {
    const SCOPE: Scope = Scope::AccountsSync;
}
impl Requires for OrdersRead {
    const SCOPE: Scope = Scope::OrdersRead;
}

/// A caller whose token has the scope.
pub(super) struct Authorized<S> {
    pub(super) caller: Caller,
    scope: PhantomData<S>,
}

impl<S: Requires> FromRequestParts<Arc<App>> for Authorized<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Answered<Self> {
        let caller = signed_in(parts)?;
        if !caller.scopes.contains(&S::SCOPE) {
            return Err(Problem::insufficient_scope(S::SCOPE));
        }
        Ok(Self { caller, scope: PhantomData })
    }
}

/// A caller, whatever its scopes: for the sandbox's controls.
pub(super) struct SignedIn(pub(super) Caller);

impl FromRequestParts<Arc<App>> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Answered<Self> {
        signed_in(parts).map(SignedIn)
    }
}

fn signed_in(parts: &Parts) -> Answered<Caller> {
    match parts.extensions.get::<Caught>() {
        Some(Caught::Caller(caller)) => Ok(caller.clone()),
        Some(Caught::BadToken) => Err(Problem::unauthorized(
            "Bearer realm=\"ordersync\", error=\"invalid_token\"",
            "The access token is unknown, expired or revoked. Sign in again.",
        )),
        Some(Caught::Nobody) | None => Err(Problem::unauthorized(
            "Bearer realm=\"ordersync\"",
            "This needs an access token: send it as Authorization: Bearer <token>.",
        )),
    }
}

/// The one segment of the path that varies.
pub(super) struct Segment(pub(super) String);

impl FromRequestParts<Arc<App>> for Segment {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Answered<Self> {
        let Path(segment) = Path::<String>::from_request_parts(parts, app)
            .await
            .map_err(|_| Problem::new(ErrorCode::NotFound, "The path holds an identifier that is not text."))?;
        Ok(Self(segment))
    }
}

impl FromRequestParts<Arc<App>> for Params {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Answered<Self> {
        Ok(Self::of(&parts.uri))
    }
}

/// A request's JSON object, outside the interface that takes an `Idempotency-Key`.
impl FromRequest<Arc<App>> for Fields {
    type Rejection = Problem;

    async fn from_request(request: Request, _app: &Arc<App>) -> Answered<Self> {
        let (parts, body) = request.into_parts();
        let body = read_body(body).await?;
        json_fields(&parts, &body)
    }
}

/// A request that changes something: its caller has the scope, its body is read, and if it carries an
/// `Idempotency-Key`, it is the first with that key (a repetition is answered before the handler is reached).
pub(super) struct Mutation<S> {
    pub(super) caller: Caller,
    pub(super) key: Option<IdempotencyKey>,
    parts: Parts,
    body: Bytes,
    scope: PhantomData<S>,
}

impl<S: Requires> FromRequest<Arc<App>> for Mutation<S> {
    type Rejection = Response;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let Authorized::<S> { caller, .. } =
            Authorized::from_request_parts(&mut parts, app).await.map_err(IntoResponse::into_response)?;
        let body = read_body(body).await.map_err(IntoResponse::into_response)?;
        let key = idempotency::key_of(&parts, &body, &caller).map_err(IntoResponse::into_response)?;
        if let Some(key) = &key {
            idempotency::answered_before(app, key, &caller).await?;
            idempotency::offer(&parts, key, caller.now);
        }
        Ok(Self { caller, key, parts, body, scope: PhantomData })
    }
}

impl<S> Mutation<S> {
    /// The JSON object of the body.
    pub(super) fn fields(&self) -> Answered<Fields> {
        json_fields(&self.parts, &self.body)
    }

    /// The query.
    pub(super) fn params(&self) -> Params {
        Params::of(&self.parts.uri)
    }
}

async fn read_body(body: axum::body::Body) -> Answered<Bytes> {
    axum::body::to_bytes(body, BODY_LIMIT).await.map_err(|error| {
        // The limit is the only failure with a cause of its own type; any other is a connection that broke.
        let too_large = std::error::Error::source(&error).is_some_and(|cause| cause.to_string().contains("limit"));
        if too_large {
            Problem::new(ErrorCode::PayloadTooLarge, format!("The body is larger than {} KiB.", BODY_LIMIT / 1024))
        } else {
            Problem::invalid("body", "The body did not arrive whole.")
        }
    })
}

fn json_fields(parts: &Parts, body: &[u8]) -> Answered<Fields> {
    let media_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence != "application/json" {
        let message = "The body has to be JSON, with Content-Type: application/json.";
        return Err(Problem::new(ErrorCode::UnsupportedMediaType, message));
    }
    Fields::parse(body)
}
