//! Extractors: who may call a route, and what a request brings. A handler that does not name one has no caller at all,
//! so that a missing check cannot be forgotten without the code failing to compile.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use ordersync_api::{ErrorCode, Scope};

use super::fields::{Fields, Params};
use super::gate::{Caught, client_address};
use super::idempotency;
use super::problem::Answered;
use super::{App, Problem};
use crate::store::idempotency::IdempotencyKey;
use crate::store::users::Caller;

/// The largest body that a request may have.
const BODY_LIMIT: usize = 64 * 1024;

/// A scope as a type, for [`Authorized`] and [`Mutation`].
pub(crate) trait Requires: Send + Sync + 'static {
    const SCOPE: Scope;
}

/// Requires `accounts:read`.
pub(crate) struct AccountsRead;
/// Requires `accounts:connect`.
pub(crate) struct AccountsConnect;
/// Requires `accounts:sync`.
pub(crate) struct AccountsSync;
/// Requires `orders:read`.
pub(crate) struct OrdersRead;

/// Requires `profile:read`.
pub(crate) struct ProfileRead;

impl Requires for ProfileRead {
    const SCOPE: Scope = Scope::ProfileRead;
}
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
pub(crate) struct Authorized<S> {
    pub(crate) caller: Caller,
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

/// A client's back end: its token has the scope `users:share`, and it shows the client's secret (`X-Client-Secret`).
pub(crate) struct Backend {
    pub(crate) client_id: String,
}

const X_CLIENT_SECRET: &str = "x-client-secret";

impl FromRequestParts<Arc<App>> for Backend {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Answered<Self> {
        let client_id = client_with(parts, Scope::UsersShare)?;
        let Some(secret) = parts.headers.get(X_CLIENT_SECRET) else {
            let message =
                "This needs the header X-Client-Secret: the secret of the client that the token was given to.";
            return Err(Problem::new(ErrorCode::ClientSecretRequired, message));
        };
        let client = app.store.client(&client_id).await?;
        let right = secret.to_str().is_ok_and(|secret| client.is_some_and(|client| client.has_secret(secret)));
        if !right {
            let message = "This is not the secret of the client that the token was given to.";
            return Err(Problem::new(ErrorCode::ClientSecretInvalid, message));
        }
        Ok(Self { client_id })
    }
}

/// A caller, whatever its scopes: for the sandbox's controls.
pub(crate) struct SignedIn(pub(crate) Caller);

impl FromRequestParts<Arc<App>> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Answered<Self> {
        signed_in(parts).map(SignedIn)
    }
}

fn signed_in(parts: &Parts) -> Answered<Caller> {
    match parts.extensions.get::<Caught>() {
        Some(Caught::Caller(caller)) => Ok(caller.clone()),
        Some(Caught::Client(_)) => Err(Problem::needs_user()),
        nobody => Err(unauthorized(nobody)),
    }
}

/// The client whose token has the scope, whether it acts for a user or for itself.
fn client_with(parts: &Parts, scope: Scope) -> Answered<String> {
    let (client_id, scopes) = match parts.extensions.get::<Caught>() {
        Some(Caught::Caller(caller)) => (&caller.client_id, &caller.scopes),
        Some(Caught::Client(caller)) => (&caller.client_id, &caller.scopes),
        nobody => return Err(unauthorized(nobody)),
    };
    if scopes.contains(&scope) { Ok(client_id.clone()) } else { Err(Problem::insufficient_scope(scope)) }
}

fn unauthorized(caught: Option<&Caught>) -> Problem {
    match caught {
        Some(Caught::BadToken) => Problem::unauthorized(
            "Bearer realm=\"ordersync\", error=\"invalid_token\"",
            "The access token is unknown, expired or revoked. Sign in again.",
        ),
        _ => Problem::unauthorized(
            "Bearer realm=\"ordersync\"",
            "This needs an access token: send it as Authorization: Bearer <token>.",
        ),
    }
}

/// The address that a request comes from; behind a declared proxy, the one that the proxy names.
pub(crate) struct ClientAddress(pub(crate) String);

impl FromRequestParts<Arc<App>> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        Ok(Self(client_address(app, &parts.headers, &parts.extensions)))
    }
}

/// The one segment of the path that varies.
pub(crate) struct Segment(pub(crate) String);

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
pub(crate) struct Mutation<S> {
    pub(crate) caller: Caller,
    pub(crate) key: Option<IdempotencyKey>,
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
    pub(crate) fn fields(&self) -> Answered<Fields> {
        json_fields(&self.parts, &self.body)
    }

    /// The query.
    pub(crate) fn params(&self) -> Params {
        Params::of(&self.parts.uri)
    }
}

pub(crate) async fn read_body(body: axum::body::Body) -> Answered<Bytes> {
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
