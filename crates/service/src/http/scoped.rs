//! Extractors that decide who may call a route: each names what the caller's token has to allow.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::HeaderName;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use ordersync_api::{ErrorCode, Scope};
use serde::de::DeserializeOwned;

use super::body::{BODY_LIMIT, json, json_fields, read_body};
use super::fields::{Fields, Params};
use super::host::only;
use super::identity::Identity;
use super::problem::Answered;
use super::{Problem, idempotency};
use crate::app::App;
use crate::store::accounts::clients::Client;
use crate::store::accounts::idempotency::IdempotencyKey;
use crate::store::accounts::users::Caller;

/// A scope as a type, for [`Authorized`] and [`Mutation`].
pub(crate) trait Requires: Send + Sync + 'static {
    const SCOPE: Scope;
    /// The largest body of a request.
    const BODY_LIMIT: usize = BODY_LIMIT;
}

/// Declares types that require a scope, with the largest body if it is another than usual.
macro_rules! requires {
    ($($(#[$doc:meta])* $name:ident: $scope:ident $(, $limit:expr)?;)+) => { $(
        $(#[$doc])*
        pub(crate) struct $name;

        impl Requires for $name {
            const SCOPE: Scope = Scope::$scope;
            $(const BODY_LIMIT: usize = $limit;)?
        }
    )+ };
}

requires! {
    AccountsRead: AccountsRead;
    AccountsConnect: AccountsConnect;
    AccountsSync: AccountsSync;
    /// For a body with many orders.
    Imports: AccountsConnect, 4 * 1024 * 1024;
    /// For a body with documents in base64.
    Documents: AccountsConnect, 16 * 1024 * 1024;
    OrdersRead: OrdersRead;
    ProfileRead: ProfileRead;
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

/// A client's back end: its token has the scope `users:share`, and it presents the client's secret (`X-Client-Secret`).
pub(crate) struct Backend {
    pub(crate) client: Client,
}

/// Carries the secret of the client that the token was given to.
pub(super) const X_CLIENT_SECRET: HeaderName = HeaderName::from_static("x-client-secret");

impl FromRequestParts<Arc<App>> for Backend {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Answered<Self> {
        let client_id = client_with(parts, Scope::UsersShare)?;
        let Some(secret) = only(&parts.headers, &X_CLIENT_SECRET).transpose() else {
            let message =
                "This needs the header X-Client-Secret: the secret of the client that the token was given to.";
            return Err(Problem::new(ErrorCode::ClientSecretRequired, message));
        };
        let client = app.store.client(&client_id).await?;
        let client = client.filter(|client| secret.is_ok_and(|secret| client.has_secret(secret)));
        client.map(|client| Self { client }).ok_or_else(|| {
            let message = "This is not the secret of the client that the token was given to.";
            Problem::new(ErrorCode::ClientSecretInvalid, message)
        })
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
    match parts.extensions.get::<Identity>() {
        Some(Identity::Caller(caller)) => Ok(caller.clone()),
        Some(Identity::Client(_)) => Err(Problem::needs_user()),
        nobody => Err(unauthorized(nobody)),
    }
}

/// The client whose token has the scope, acting for a user or for itself.
fn client_with(parts: &Parts, scope: Scope) -> Answered<String> {
    let (client_id, scopes) = match parts.extensions.get::<Identity>() {
        Some(Identity::Caller(caller)) => (&caller.client_id, &caller.scopes),
        Some(Identity::Client(caller)) => (&caller.client_id, &caller.scopes),
        nobody => return Err(unauthorized(nobody)),
    };
    if scopes.contains(&scope) { Ok(client_id.clone()) } else { Err(Problem::insufficient_scope(scope)) }
}

fn unauthorized(identity: Option<&Identity>) -> Problem {
    match identity {
        Some(Identity::BadToken) => Problem::unauthorized(
            "Bearer realm=\"ordersync\", error=\"invalid_token\"",
            "The access token is unknown, expired or revoked. Sign in again.",
        ),
        _ => Problem::unauthorized(
            "Bearer realm=\"ordersync\"",
            "This needs an access token: send it as Authorization: Bearer <token>.",
        ),
    }
}

/// A request that changes something: its caller has the scope, its body is read, and if it carries an
/// `Idempotency-Key`, it is the first with that key (a repetition is answered before it reaches the handler).
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
        let body = read_body(body, S::BODY_LIMIT).await.map_err(IntoResponse::into_response)?;
        let key = idempotency::key_of(&parts, &body, &caller).map_err(IntoResponse::into_response)?;
        if let Some(key) = &key {
            idempotency::answered_before(app, key, &caller).await?;
        }
        Ok(Self { caller, key, parts, body, scope: PhantomData })
    }
}

impl<S> Mutation<S> {
    /// The JSON object of the body.
    pub(crate) fn fields(&self) -> Answered<Fields> {
        json_fields(&self.parts, &self.body)
    }

    /// The JSON object of the body, as a `T`.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Answered<T> {
        json(&self.parts, &self.body)
    }

    /// The query.
    pub(crate) fn params(&self) -> Params {
        Params::of(&self.parts.uri)
    }
}
