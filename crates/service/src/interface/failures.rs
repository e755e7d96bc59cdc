//! Failures that are forced on requests in a sandbox: errors, slow responses, and connections that break.
//!
//! They are forced inside the gate, so that they count, are logged and carry a request id like any other response.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::{Extension, MatchedPath, Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::Frame;
use ordersync_api::ErrorCode;
use ordersync_api::order::DEFAULT_LIMIT;
use ordersync_api::sandbox::FailRequest;
use serde_json::json;
use tokio::time::Sleep;

use crate::app::App;
use crate::http::Problem;
use crate::http::basic_credentials;
use crate::http::fields::{Fields, LARGEST, Params};
use crate::http::identity::{Identity, NoFailures};
use crate::http::lost::Dropped;
use crate::http::problem::Answered;
use crate::http::route::RouteTable;
use crate::http::scoped::SignedIn;
use crate::store::sandbox::failures::Failing;

/// The most requests that one call can make fail.
const REQUESTS: u64 = 1_000;
/// The longest wait before a response, in milliseconds: less than a request may take.
const LATENCY: u64 = 25_000;
/// The longest `Retry-After`, in seconds.
const RETRY: u64 = 3_600;
/// More of a form is not read to find the client in it.
const FORM_BYTES: usize = 64 * 1024;
/// How long to let written data leave before the connection is closed.
const LEAVING: Duration = Duration::from_millis(100);

/// POST /sandbox/fail
pub(crate) async fn fail(
    State(app): State<Arc<App>>,
    SignedIn(caller): SignedIn,
    Extension(routes): Extension<RouteTable>,
    fields: Fields,
) -> Answered<Json<FailRequest>> {
    fields.only(&FailRequest::FIELDS)?;
    let failure = read(&fields)?;
    check(&failure, &routes)?;
    let text = serde_json::to_string(&failure).map_err(|error| Problem::internal(error.to_string()))?;
    let of = failing(&app, failure.client_id.as_deref(), &caller.user_id).await?;
    if !app.store.add_failure(of, failure.count, &text).await? {
        let message = "Too many failures are waiting. Clear them first with DELETE /sandbox/fail.";
        return Err(Problem::invalid("count", message));
    }
    Ok(Json(failure))
}

/// DELETE /sandbox/fail
pub(crate) async fn clear(
    State(app): State<Arc<App>>,
    SignedIn(caller): SignedIn,
    params: Params,
) -> Answered<StatusCode> {
    let of = failing(&app, params.text("client_id")?, &caller.user_id).await?;
    app.store.clear_failures(of).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Those of the named client, else of the user. A misspelt client would never fail.
async fn failing<'a>(app: &App, client_id: Option<&'a str>, user_id: &'a str) -> Answered<Failing<'a>> {
    let Some(client_id) = client_id else { return Ok(Failing::User(user_id)) };
    if app.store.client(client_id).await?.is_none() {
        let message =
            "There is no such client_id in this sandbox. POST /sandbox/token creates the client that it names.";
        return Err(Problem::new(ErrorCode::NotFound, message));
    }
    Ok(Failing::Client(client_id))
}

fn read(fields: &Fields) -> Answered<FailRequest> {
    let status = within(fields, "status", 400, 599)?;
    let count = within(fields, "count", 1, REQUESTS)?.unwrap_or(1);
    let code = fields.optional_text("code")?.map(|_| fields.word("code")).transpose()?;
    Ok(FailRequest {
        status: status.and_then(|status| u16::try_from(status).ok()),
        code,
        drop: fields.optional_flag("drop")?.unwrap_or(false),
        count: u32::try_from(count).unwrap_or(1),
        client_id: fields.optional_text("client_id")?.map(ToOwned::to_owned),
        method: fields.optional_text("method")?.map(ToOwned::to_owned),
        path: fields.optional_text("path")?.map(ToOwned::to_owned),
        retry_after: within(fields, "retryAfter", 1, RETRY)?,
        latency_ms: within(fields, "latencyMs", 1, LATENCY)?,
        after_page: within(fields, "afterPage", 1, LARGEST.unsigned_abs())?,
        after_bytes: within(fields, "afterBytes", 0, LARGEST.unsigned_abs())?,
    })
}

fn within(fields: &Fields, name: &str, least: u64, most: u64) -> Answered<Option<u64>> {
    let Some(number) = fields.optional_integer(name)? else { return Ok(None) };
    let number = u64::try_from(number).ok().filter(|number| (least..=most).contains(number));
    number.map(Some).ok_or_else(|| Problem::invalid(name, format!("{name} has to be from {least} to {most}.")))
}

/// Whether the fields are consistent and name an existing route: a misspelt failure would never happen.
fn check(failure: &FailRequest, routes: &RouteTable) -> Answered<()> {
    let kinds = [failure.status.is_some(), failure.code.is_some(), failure.drop];
    let is_error = failure.status.is_some() || failure.code.is_some();
    match kinds.iter().filter(|given| **given).count() {
        0 if failure.latency_ms.is_none() => {
            return Err(Problem::invalid("status", "Give one of status, code and drop, or latencyMs."));
        }
        0 | 1 => {}
        _ => return Err(Problem::invalid("status", "Give only one of status, code and drop.")),
    }
    if let Some(status @ (403 | 409)) = failure.status {
        let message = format!("Several error codes have the status {status}: give code instead.");
        return Err(Problem::invalid("status", message));
    }
    if failure.retry_after.is_some() && !is_error {
        return Err(Problem::invalid("retryAfter", "retryAfter goes with status or code."));
    }
    if failure.after_bytes.is_some() && !failure.drop {
        return Err(Problem::invalid("afterBytes", "afterBytes goes with drop."));
    }
    if let Some(method) = &failure.method
        && !routes.has_method(method)
    {
        return Err(Problem::invalid("method", "method has to be one of GET, POST, PUT and DELETE."));
    }
    if let Some(path) = &failure.path
        && !routes.leads_to(path)
    {
        let message = "path has to be a path of the interface, such as /sync/orders or /sync/orders/{id}.";
        return Err(Problem::invalid("path", message));
    }
    if let Some(path) = &failure.path
        && failure.client_id.is_none()
        && routes.traits(Some(path)).takes_secrets
    {
        let message =
            format!("A request to {path} has no token of a user: give client_id, whose requests are to fail.");
        return Err(Problem::invalid("client_id", message));
    }
    Ok(())
}

/// Makes a request fail if that was asked for its user or its client.
pub(crate) async fn force(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let (asked, request) = match Asked::of(request).await {
        Ok(asked) => asked,
        Err(problem) => return problem.into_response(),
    };
    let Some(asked) = asked else { return next.run(request).await };
    let failure = match next_failure(&app, &asked).await {
        Ok(Some(failure)) => failure,
        Ok(None) => return next.run(request).await,
        Err(problem) => return problem.into_response(),
    };
    if let Some(latency) = failure.latency_ms {
        tokio::time::sleep(Duration::from_millis(latency)).await;
    }
    match (failure.code, failure.status) {
        (Some(code), _) => asked.refused(code, &failure),
        (None, Some(status)) => match only_code_of(status) {
            Some(code) => asked.refused(code, &failure),
            None => from_a_proxy(status, &failure),
        },
        // The request is carried out: only its response is lost.
        (None, None) if failure.drop => lose(next.run(request).await, failure.after_bytes),
        (None, None) => next.run(request).await,
    }
}

/// The properties of a request that decide whether a failure applies to it.
struct Asked {
    user_id: Option<String>,
    client_id: Option<String>,
    method: Method,
    route: String,
    /// Whether it is a list that is read in pages.
    is_list: bool,
    uri: Uri,
}

impl Asked {
    /// `None` if the request is neither a user's nor a client's, or is one of the controls, or nothing waits. The request is whole
    /// again then.
    async fn of(request: Request) -> Answered<(Option<Self>, Request)> {
        if request.extensions().get::<NoFailures>().is_some() {
            return Ok((None, request));
        }
        let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str).to_owned();
        let traits =
            request.extensions().get::<RouteTable>().map(|table| table.traits(Some(&route))).unwrap_or_default();
        if traits.is_control {
            return Ok((None, request));
        }
        let (user_id, client_id, request) = match request.extensions().get() {
            Some(Identity::Caller(caller)) => (Some(caller.user_id.clone()), Some(caller.client_id.clone()), request),
            Some(Identity::Client(client)) => (None, Some(client.client_id.clone()), request),
            _ if traits.takes_secrets => {
                let (client_id, request) = presented(request).await?;
                (None, client_id, request)
            }
            _ => return Ok((None, request)),
        };
        let (method, uri) = (request.method().clone(), request.uri().clone());
        Ok((Some(Self { user_id, client_id, method, route, is_list: traits.is_list, uri }), request))
    }

    /// The error, in the form that the route has for errors.
    fn refused(&self, code: ErrorCode, failure: &FailRequest) -> Response {
        let status = code.http_status();
        if !self.route.starts_with("/oauth/") || status < 500 {
            return error(code, failure);
        }
        let word = if status == 503 { "temporarily_unavailable" } else { "server_error" };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = json!({ "error": word, "error_description": "The sandbox was asked for this error." });
        with_retry_after((status, Json(body)).into_response(), wait_of(code, failure))
    }

    fn is_hit_by(&self, failure: &FailRequest) -> bool {
        failure.method.as_deref().is_none_or(|method| method == self.method.as_str())
            && failure.path.as_deref().is_none_or(|path| path == self.route || path == self.uri.path())
            && failure.after_page.is_none_or(|page| self.is_list && page_of(&self.uri) >= page)
    }
}

/// The client that presents itself, in the header or in the form; whether with the right secret does not matter here. A body that
/// is too large to be a form, or that does not say how large it is, is left to the route.
async fn presented(request: Request) -> Answered<(Option<String>, Request)> {
    if let Some(shown) = basic_credentials(request.headers()) {
        return Ok((Some(shown.client_id), request));
    }
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_none_or(|length| length > FORM_BYTES) {
        return Ok((None, request));
    }
    let (parts, body) = request.into_parts();
    let broken = |_| Problem::invalid("body", "The body did not arrive whole.");
    let form = to_bytes(body, FORM_BYTES).await.map_err(broken)?;
    let client_id = url::form_urlencoded::parse(&form).find(|(name, _)| name == "client_id");
    Ok((client_id.map(|(_, value)| value.into_owned()), Request::from_parts(parts, Body::from(form))))
}

async fn next_failure(app: &App, asked: &Asked) -> Answered<Option<FailRequest>> {
    for (of, number, failure) in app.store.failures(asked.user_id.as_deref(), asked.client_id.as_deref()).await? {
        let failure: FailRequest =
            serde_json::from_str(&failure).map_err(|error| Problem::internal(error.to_string()))?;
        if asked.is_hit_by(&failure) && app.store.take_failure(of, number).await? {
            return Ok(Some(failure));
        }
    }
    Ok(None)
}

/// The requested page of a list, counted from 0.
fn page_of(uri: &Uri) -> u64 {
    let params = Params::of(uri);
    let number = |name| params.text(name).ok().flatten().and_then(|text| text.parse::<u64>().ok());
    let limit = number("limit").unwrap_or_else(|| DEFAULT_LIMIT.into());
    number("offset").unwrap_or(0).checked_div(limit).unwrap_or(0)
}

fn error(code: ErrorCode, failure: &FailRequest) -> Response {
    let message = "The sandbox was asked for this error (POST /sandbox/fail).";
    let problem = match code {
        ErrorCode::Unauthorized => {
            Problem::unauthorized("Bearer realm=\"ordersync\", error=\"invalid_token\"", message)
        }
        _ => Problem::new(code, message),
    };
    with_retry_after(problem.into_response(), wait_of(code, failure))
}

/// A 429 and a 503 always say when to retry.
fn wait_of(code: ErrorCode, failure: &FailRequest) -> Option<u64> {
    failure.retry_after.or_else(|| [429, 503].contains(&code.http_status()).then_some(1))
}

/// The error code for a status: the general one for 400, 401 and 404, otherwise the first with that status. [`check`]
/// refuses 403 and 409, which several codes share and which have no general one.
fn only_code_of(status: u16) -> Option<ErrorCode> {
    match status {
        400 => Some(ErrorCode::InvalidRequest),
        401 => Some(ErrorCode::Unauthorized),
        404 => Some(ErrorCode::NotFound),
        _ => ErrorCode::ALL.iter().copied().find(|code| code.http_status() == status),
    }
}

/// A status that the service itself never sends arrives as if from a proxy: without our error body.
fn from_a_proxy(status: u16, failure: &FailRequest) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let text = format!("{}\n", status.canonical_reason().unwrap_or("Error"));
    with_retry_after((status, [(CONTENT_TYPE, "text/plain")], text).into_response(), failure.retry_after)
}

fn with_retry_after(mut response: Response, seconds: Option<u64>) -> Response {
    if let Some(seconds) = seconds {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Loses the whole response, or everything after this many bytes of its body.
fn lose(mut response: Response, after_bytes: Option<u64>) -> Response {
    match after_bytes {
        None => {
            response.extensions_mut().insert(Dropped);
            response
        }
        Some(left) => response.map(|body| Body::new(Cut { body, left, leaving: None })),
    }
}

/// A body that ends early.
struct Cut {
    body: Body,
    /// Bytes still to be sent.
    left: u64,
    leaving: Option<Pin<Box<Sleep>>>,
}

impl hyper::body::Body for Cut {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.left == 0 {
            // If a body fails, the server discards the data that it has not sent yet.
            let leaving = self.leaving.get_or_insert_with(|| Box::pin(tokio::time::sleep(LEAVING)));
            ready!(leaving.as_mut().poll(context));
            return Poll::Ready(Some(Err(axum::Error::new(io::Error::from(io::ErrorKind::ConnectionAborted)))));
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context)?);
        let data = frame.and_then(|frame| frame.into_data().ok()).map(|mut data| {
            data.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.left -= data.len() as u64;
            Ok(Frame::data(data))
        });
        Poll::Ready(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_by_limit_and_offset() {
        for (query, number) in [
            ("", 0),
            ("?offset=49", 0),
            ("?offset=50", 1),
            ("?limit=100&offset=250", 2),
            ("?limit=0&offset=9", 0),
            ("?offset=x", 0),
        ] {
            assert_eq!(page_of(&format!("/sync/orders{query}").parse().unwrap()), number, "{query}");
        }
    }

    #[test]
    fn a_status_without_a_code_has_one_code_or_none() {
        for status in 400..600 {
            let code = only_code_of(status);
            assert!(code.is_none_or(|code| code.http_status() == status));
        }
        assert_eq!(only_code_of(503), Some(ErrorCode::Unavailable));
        assert_eq!(only_code_of(502), None);
    }
}
