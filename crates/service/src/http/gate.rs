//! The gate in front of every route: assigns the request id, continues or begins the trace, identifies the caller, counts the
//! request against the rate limit, bounds its duration, and writes the access log.

use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Extensions, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ordersync_api::ErrorCode;

use super::address::network;
use super::basic::confidential;
use super::identity::{Authenticated, Identity, NoFailures, authenticate};
use super::limit::{UNLIMITED, headers as limit_headers};
use super::problem::{Cause, RefusalCode};
use super::route::{RouteTable, Traits};
use super::{Problem, host, query};
use crate::app::{App, Shared};
use crate::config::RateLimit;
use crate::ids::new_id;
use crate::keys::token_digest;
use crate::known_clients::LOCAL;
use crate::limits::{Budget, CallerKey, RateLimiter, Refusal, whole_seconds};
use crate::store::StoreTrouble;
use crate::store::accounts::clients::Client;
use crate::store::accounts::oauth::access::ClientCaller;
use crate::store::accounts::users::Caller;
use crate::traces::{self, Span};

/// How long a request may take.
const REQUEST_TIME: Duration = Duration::from_secs(30);
/// Carries the request's id on every response.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Announces on every response that requests with an `Idempotency-Key` may be repeated: a client cannot know otherwise.
const IDEMPOTENCY_KEY_SUPPORTED: HeaderName = HeaderName::from_static("idempotency-key-supported");

/// The gate's dependencies.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) app: Shared,
    pub(crate) routes: RouteTable,
}

pub(crate) async fn gate(State(Gate { app, routes }): State<Gate>, mut request: Request, next: Next) -> Response {
    let started = app.clock.elapsed();
    let method = request.method().clone();
    let request_id = new_id("req").unwrap_or_default();
    let (trace, span) = traces::of_request(request.headers());
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let traits = routes.traits(path.as_deref());
    let (mut client, mut budget) = (None, None);
    let admitted = admit(&app, (&routes, traits), &mut request, &mut client, &mut budget).await;
    request.extensions_mut().insert(routes);
    let mut response = match admitted {
        Err(problem) => problem.into_response(),
        Ok(()) => {
            let answered = tokio::time::timeout(REQUEST_TIME, traces::within(trace, next.run(request))).await;
            answered.unwrap_or_else(|_elapsed| {
                Problem::new(ErrorCode::Timeout, "The service took too long. Try again.").into_response()
            })
        }
    };
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::try_from(&request_id) {
        headers.insert(X_REQUEST_ID, value);
    }
    headers.insert(IDEMPOTENCY_KEY_SUPPORTED, HeaderValue::from_static("true"));
    match (&app.limiter, budget) {
        (_, Some((limit, budget))) => headers.extend(limit_headers(limit, budget)),
        (None, None) => headers.extend([UNLIMITED]),
        (Some(_), None) => {}
    }
    // Nothing is cached unless the response says otherwise, as the pages' static files do.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if app.is_https() {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=63072000"));
    }
    let took = app.clock.elapsed() - started;
    app.metrics.count_request(path.as_deref(), response.status().as_u16(), took);
    let trace_id = trace.map(|trace| trace.trace());
    tracing::info!(
        request_id,
        trace_id,
        method = method.as_str(),
        // The route, not the path: identifiers stay out of the log.
        route = path.as_deref().unwrap_or("none"),
        status = response.status().as_u16(),
        code = response.extensions().get::<RefusalCode>().map(|refused| refused.0),
        client,
        ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "request"
    );
    if let Some(span) = span {
        record(span, &request_id, &method, path.as_deref(), &response);
    }
    if let Some(Cause(cause)) = response.extensions().get() {
        tracing::error!(request_id, trace_id, cause, "the service failed");
    }
    response
}

/// Records the span of a request. Its method is one of those that exist: a client could send any text.
fn record(span: Span, request_id: &str, method: &Method, route: Option<&str>, response: &Response) {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
    let method = if known.contains(method) { method.as_str() } else { "_OTHER" };
    let status = response.status();
    let mut attributes = vec![
        ("http.request.method", method.to_owned().into()),
        ("http.response.status_code", i64::from(status.as_u16()).into()),
        ("ordersync.request_id", request_id.to_owned().into()),
    ];
    attributes.extend(route.map(|route| ("http.route", route.to_owned().into())));
    let code = response.extensions().get::<RefusalCode>().map(|refused| refused.0);
    attributes.extend(code.map(|code| ("error.type", code.into())));
    let failed = status.is_server_error().then(|| code.unwrap_or("INTERNAL").to_owned());
    span.end(format!("{method} {}", route.unwrap_or("none")), attributes, failed);
}

/// The caller, and the key under which the request counts against a budget.
struct Found {
    identity: Identity,
    client: Option<String>,
    counts_as: CallerKey,
    /// The limit that the operator gave the client.
    own_limit: Option<RateLimit>,
    failures_wait: Option<bool>,
}

/// Identifies the caller, and checks that one more request is within the limit.
async fn admit(
    app: &App,
    (routes, traits): (&RouteTable, Traits),
    request: &mut Request,
    client: &mut Option<String>,
    budget: &mut Option<(RateLimit, Budget)>,
) -> Result<(), Problem> {
    host::check(app.own_hosts.as_ref(), request)?;
    // What it reads of the store may mean something else by now.
    if app.store.is_outgrown() && !traits.is_unlimited {
        return Err(Problem::unavailable(StoreTrouble::Newer));
    }
    let limiter = app.limiter.as_ref().filter(|_| !traits.is_unlimited);
    let presented = limiter.and_then(|_| presented(app, request));
    // A flood over the limit is refused before the store is asked whose it is.
    if let (Some(limiter), Some(presented)) = (limiter, &presented)
        && let now = app.clock.elapsed()
        && let Some(refusal) = limiter.refused_before(presented, now).filter(|refusal| refusal.is_recent(now))
    {
        let seconds = whole_seconds(refusal.until - now);
        *client = refusal.client;
        *budget = Some((refusal.limit, Budget { remaining: 0, seconds }));
        return Err(Problem::too_many_requests(refusal.limit, seconds));
    }
    let found = find(app, traits, request.headers(), request.extensions()).await?;
    *client = found.client;
    if let Some(limiter) = limiter {
        let limit = found.own_limit.unwrap_or(limiter.limit());
        let counted = counted(app, limiter, limit, found.counts_as).await?;
        *budget = Some((limit, counted.unwrap_or_else(|seconds| Budget { remaining: 0, seconds })));
        if let (Err(seconds), Some(presented)) = (counted, &presented) {
            let now = app.clock.elapsed();
            let refusal = Refusal { at: now, until: now + Duration::from_secs(seconds), limit, client: client.clone() };
            limiter.remember_refusal(presented, refusal, now);
        }
        counted.map_err(|seconds| Problem::too_many_requests(limit, seconds))?;
    }
    if app.local_token.is_some() && traits.is_control && !is_local_user(&found.identity) {
        return Err(Problem::unauthorized(
            "Bearer realm=\"ordersync\"",
            "Inside a command, the controls of the sandbox need the token of that command.",
        ));
    }
    // Without a valid token the answer is 401, which the route itself gives.
    if traits.is_public || !matches!(found.identity, Identity::Nobody | Identity::BadToken) {
        let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        query::check(routes, path, request.method(), request.uri())?;
    }
    request.extensions_mut().insert(found.identity);
    if found.failures_wait == Some(false) {
        request.extensions_mut().insert(NoFailures);
    }
    Ok(())
}

/// What tells requests apart before anybody is asked whose they are: the credentials that they present, and where they come from.
fn presented(app: &App, request: &Request) -> Option<String> {
    let credentials = token_digest(request.headers().get(AUTHORIZATION)?.to_str().ok()?);
    Some(format!("{credentials:x?} {:?}", network(app, request.headers(), request.extensions())))
}

/// Counts a request. Clients and users are counted by all nodes together, addresses by each for itself.
async fn counted(
    app: &App,
    limiter: &RateLimiter,
    limit: RateLimit,
    counts_as: CallerKey,
) -> Result<Result<Budget, u64>, Problem> {
    let now = app.clock.elapsed();
    let CallerKey::Known(caller) = &counts_as else { return Ok(limiter.count_within(limit, counts_as, now)) };
    if !app.store.is_shared() {
        return Ok(limiter.count_within(limit, counts_as, now));
    }
    if let Some(seconds) = limiter.refused_elsewhere(limit, caller, now) {
        return Ok(Err(seconds));
    }
    let counted = app.store.count_request(caller, limit).await?;
    Ok(if counted.is_accepted {
        Ok(Budget { remaining: counted.remaining, seconds: whole_seconds(counted.wait) })
    } else {
        limiter.remember_refusal(caller, Refusal { at: now, until: now + counted.wait, limit, client: None }, now);
        Err(whole_seconds(counted.wait))
    })
}

fn is_local_user(identity: &Identity) -> bool {
    matches!(identity, Identity::Caller(caller) if caller.client_id == LOCAL && caller.user_id == LOCAL)
}

async fn find(app: &App, traits: Traits, headers: &HeaderMap, extensions: &Extensions) -> Result<Found, Problem> {
    let Authenticated { identity, has_secret, requests_per_minute, failures_wait } = authenticate(app, headers).await?;
    let mut own_limit = requests_per_minute;
    let (client, counts_as) = match &identity {
        // A user's requests in the widget do not use up the budget of the client's own back end.
        Identity::Caller(caller) if caller.widget => {
            own_limit = None;
            (Some(caller.client_id.clone()), CallerKey::Known(format!("widget {}", caller.user_id)))
        }
        // All users of a program share a client without a secret: one of them must not use up the others' budget.
        Identity::Caller(caller) if !has_secret => {
            let key = format!("client {} user {}", caller.client_id, caller.user_id);
            (Some(caller.client_id.clone()), CallerKey::Known(key))
        }
        Identity::Caller(Caller { client_id, .. }) | Identity::Client(ClientCaller { client_id, .. }) => {
            (Some(client_id.clone()), CallerKey::Known(format!("client {client_id}")))
        }
        Identity::Nobody | Identity::BadToken => match proven_client(app, traits, headers).await? {
            Some(Client { id, requests_per_minute, .. }) => {
                own_limit = requests_per_minute;
                (Some(id.clone()), CallerKey::Known(format!("client {id}")))
            }
            None => (None, CallerKey::Address(network(app, headers, extensions))),
        },
    };
    Ok(Found { identity, client, counts_as, own_limit: own_limit.map(RateLimit::from), failures_wait })
}

/// The client that presents its secret to the authorization server. Its requests count for the client: a back end
/// refreshes the tokens of many users from one address.
async fn proven_client(app: &App, traits: Traits, headers: &HeaderMap) -> Result<Option<Client>, Problem> {
    if traits.takes_secrets { Ok(confidential(app, headers).await?) } else { Ok(None) }
}
