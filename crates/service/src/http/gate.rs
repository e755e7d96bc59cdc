//! The gate in front of every route: gives the request its id, finds out who calls, counts it against the rate limit,
//! bounds the time it may take, and writes the access log.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::Extensions;
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ordersync_api::{ErrorCode, Scope};
use secrecy::ExposeSecret;
use subtle::ConstantTimeEq;

use super::place::Place;
use super::problem::{Cause, Refused};
use super::rate_limit::{Budget, CallerKey, UNLIMITED};
use super::{App, LOCAL, Problem, host};
use crate::ids::{is_token, new_id};
use crate::keys::token_digest;
use crate::oauth::{client_auth, tokens};
use crate::store::oauth::access::{Bearer, ClientCaller};
use crate::store::users::Caller;

/// How long a request may take.
const REQUEST_TIME: Duration = Duration::from_secs(30);
/// Carries the request's id on every response.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Says on every response that requests with an `Idempotency-Key` may be repeated: a client cannot know otherwise.
const IDEMPOTENCY_KEY_SUPPORTED: HeaderName = HeaderName::from_static("idempotency-key-supported");

/// Who calls, as far as the request's headers tell.
#[derive(Debug, Clone)]
pub(crate) enum Caught {
    /// No bearer token.
    Nobody,
    /// A bearer token that is unknown, expired or malformed.
    BadToken,
    /// A client, acting for a user.
    Caller(Caller),
    /// A client, acting for itself.
    Client(ClientCaller),
}

pub(crate) async fn gate(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let started = app.clock.elapsed();
    let method = request.method().clone();
    let request_id = new_id("req").unwrap_or_default();
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let (mut client, mut budget) = (None, None);
    let admitted = admit(&app, path.as_deref(), &mut request, &mut client, &mut budget).await;
    let mut response = match admitted {
        Err(problem) => problem.into_response(),
        Ok(()) => tokio::time::timeout(REQUEST_TIME, next.run(request)).await.unwrap_or_else(|_elapsed| {
            Problem::new(ErrorCode::Timeout, "The service took too long. Try again.").into_response()
        }),
    };
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::try_from(&request_id) {
        headers.insert(X_REQUEST_ID, value);
    }
    headers.insert(IDEMPOTENCY_KEY_SUPPORTED, HeaderValue::from_static("true"));
    match (&app.limiter, budget) {
        (Some(limiter), Some(budget)) => headers.extend(limiter.headers(budget)),
        (None, _) => headers.extend([UNLIMITED]),
        (Some(_), None) => {}
    }
    // Nothing is kept by anybody, but what says otherwise of itself: the pages' static files.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if app.issuer.starts_with("https:") {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=63072000"));
    }
    app.metrics.count(path.as_deref(), response.status());
    tracing::info!(
        request_id,
        method = method.as_str(),
        // The route, not the path: identifiers stay out of the log.
        route = path.as_deref().unwrap_or("none"),
        status = response.status().as_u16(),
        code = response.extensions().get::<Refused>().map(|refused| refused.0),
        client,
        ms = u64::try_from((app.clock.elapsed() - started).as_millis()).unwrap_or(u64::MAX),
        "request"
    );
    if let Some(Cause(cause)) = response.extensions().get() {
        tracing::error!(request_id, cause, "the service failed");
    }
    response
}

/// Who calls, and whose budget a request counts against.
struct Found {
    caught: Caught,
    client: Option<String>,
    counts_as: CallerKey,
}

/// Finds out who calls, and whether one more request is within the limit.
async fn admit(
    app: &App,
    path: Option<&str>,
    request: &mut Request,
    client: &mut Option<String>,
    budget: &mut Option<Budget>,
) -> Result<(), Problem> {
    host::check(app.own_hosts.as_ref(), request)?;
    let found = find(app, path, request.headers(), request.extensions()).await?;
    *client = found.client;
    let limiter = app.limiter.as_ref().filter(|_| !path.is_some_and(is_unlimited));
    if let Some(limiter) = limiter {
        let counted = limiter.count(found.counts_as, app.clock.elapsed());
        *budget = Some(counted.unwrap_or_else(|seconds| Budget { remaining: 0, seconds }));
        counted.map_err(|seconds| Problem::too_many_requests(limiter.limit(), seconds))?;
    }
    if app.local_token.is_some() && path.is_some_and(is_control) && !is_local_user(&found.caught) {
        return Err(Problem::unauthorized(
            "Bearer realm=\"ordersync\"",
            "Inside a command, the controls of the sandbox need the token of that command.",
        ));
    }
    request.extensions_mut().insert(found.caught);
    Ok(())
}

/// Health, the sandbox's controls and the pages' static files are outside the interface that the limit applies to.
fn is_unlimited(path: &str) -> bool {
    ["/healthz", "/readyz", "/metrics"].contains(&path) || is_control(path) || path.starts_with("/assets/")
}

fn is_control(path: &str) -> bool {
    path.starts_with("/sandbox/")
}

fn is_local_user(caught: &Caught) -> bool {
    matches!(caught, Caught::Caller(caller) if caller.client_id == LOCAL && caller.user_id == LOCAL)
}

async fn find(app: &App, path: Option<&str>, headers: &HeaderMap, extensions: &Extensions) -> Result<Found, Problem> {
    let (caught, has_secret) = authenticate(app, headers).await?;
    let (client, counts_as) = match &caught {
        // What a user does in the widget does not use up what the client's own back end may do.
        Caught::Caller(caller) if caller.widget => {
            (Some(caller.client_id.clone()), CallerKey::Known(format!("widget {}", caller.user_id)))
        }
        // All users of a program share a client that has no secret: one of them must not use up the others' budget.
        Caught::Caller(caller) if !has_secret => {
            let key = format!("client {} user {}", caller.client_id, caller.user_id);
            (Some(caller.client_id.clone()), CallerKey::Known(key))
        }
        Caught::Caller(Caller { client_id, .. }) | Caught::Client(ClientCaller { client_id, .. }) => {
            (Some(client_id.clone()), CallerKey::Known(format!("client {client_id}")))
        }
        Caught::Nobody | Caught::BadToken => match proven_client(app, path, headers).await? {
            Some(client_id) => (Some(client_id.clone()), CallerKey::Known(format!("client {client_id}"))),
            None => (None, CallerKey::Address(place(app, headers, extensions))),
        },
    };
    Ok(Found { caught, client, counts_as })
}

/// The client that shows its secret to the authorization server. Its requests count for the client: a back end refreshes
/// the tokens of many users from one address.
async fn proven_client(app: &App, path: Option<&str>, headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let takes_secrets = ["/oauth/token", "/oauth/revoke", "/oauth/device_authorization"];
    match path {
        Some(path) if takes_secrets.contains(&path) => Ok(client_auth::confidential(app, headers).await?),
        _ => Ok(None),
    }
}

/// The address that a request comes from. A proxy adds it at the end of `X-Forwarded-For`; the addresses before it are
/// whatever the client wrote, and without a declared proxy nobody vouches for the header.
fn ip(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Option<IpAddr> {
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
    let last = forwarded
        .filter(|_| app.behind_proxy)
        .and_then(|value| value.to_str().ok()?.rsplit(',').next()?.trim().parse::<IpAddr>().ok());
    last.or_else(|| extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip()))
}

fn place(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Place {
    Place::of(ip(app, headers, extensions).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
}

pub(crate) fn client_address(app: &App, headers: &HeaderMap, extensions: &Extensions) -> String {
    ip(app, headers, extensions).map_or_else(String::new, |address| address.to_string())
}

/// Who calls, and whether the client has a secret of its own.
async fn authenticate(app: &App, headers: &HeaderMap) -> Result<(Caught, bool), Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Ok((if headers.contains_key(AUTHORIZATION) { Caught::BadToken } else { Caught::Nobody }, false));
    };
    let Some(token) = value.to_str().ok().and_then(bearer) else { return Ok((Caught::BadToken, false)) };
    let now = app.clock.now();
    if let Some(local) = &app.local_token
        && bool::from(local.expose_secret().as_bytes().ct_eq(token.as_bytes()))
    {
        let now = app.store.now_for(LOCAL, now).await?;
        let scopes = Scope::ALL.to_vec();
        let (user_id, client_id) = (LOCAL.into(), LOCAL.into());
        return Ok((Caught::Caller(Caller { user_id, client_id, scopes, now, widget: false }), true));
    }
    // A sandbox's token is malformed elsewhere, and the other way round.
    if !is_token(tokens::Prefix::ACCESS.of(app), token) {
        return Ok((Caught::BadToken, false));
    }
    Ok(match app.store.bearer(&token_digest(token), now).await? {
        None => (Caught::BadToken, false),
        Some(Bearer::User { caller, has_secret }) => (Caught::Caller(caller), has_secret),
        Some(Bearer::Client(caller)) => (Caught::Client(caller), true),
    })
}

/// The token of an `Authorization` header (RFC 6750 §2.1); the scheme's case does not matter (RFC 9110 §11.1).
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
