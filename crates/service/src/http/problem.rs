//! The one place where a failure becomes a response.

use std::any::Any;
use std::borrow::Cow;

use axum::Json;
use axum::http::header::{HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use ordersync_api::{ErrorBody, ErrorCode, Id, Scope};
use serde_json::{Value, json};

use crate::config::RateLimit;
use crate::links::LinkError;
use crate::sealing::Rejected;
use crate::signin::SignInError;
use crate::store::accounts::connections::Access;
use crate::store::{DAMAGED, StoreError, StoreTrouble};

/// After how many seconds a client may retry if the store is unavailable.
pub(crate) const STORE_RETRY_AFTER: &str = "5";

/// Why a request failed.
#[derive(Debug)]
pub(crate) struct Problem(Box<Inner>);

#[derive(Debug)]
struct Inner {
    code: ErrorCode,
    message: String,
    details: Option<Value>,
    header: Option<(HeaderName, HeaderValue)>,
    /// For the log alone.
    cause: Option<String>,
}

/// The log's description of a failure of the service; the client gets only the request id.
#[derive(Debug, Clone)]
pub(crate) struct Cause(pub(crate) String);

/// The code of a refusal, for the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefusalCode(pub(crate) &'static str);

/// How much of the request's text a response repeats: responses are kept, and a request may be long.
const SHOWN_LENGTH: usize = 64;

/// A text of the request as a response shows it: truncated if it is long, with its control characters made visible.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    let cut: Cow<'_, str> = match text.char_indices().nth(SHOWN_LENGTH) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    };
    if !cut.contains(char::is_control) {
        return cut;
    }
    let visible = |c: char| if c.is_control() { c.escape_unicode().to_string() } else { c.to_string() };
    cut.chars().map(visible).collect::<String>().into()
}

/// What a handler answers with.
pub(crate) type Answered<T> = Result<T, Problem>;

/// The thing with this id, if the caller may see it.
pub(crate) fn granted<T>(access: Access<T>, what: &str, id: &str) -> Answered<T> {
    match access {
        Access::Granted(seen) => Ok(seen),
        Access::NotShared => Err(Problem::not_shared()),
        Access::Absent => Err(Problem::not_found(what, id)),
    }
}

impl Problem {
    /// A problem of the given kind.
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { code, message: message.into(), details: None, header: None, cause: None }))
    }

    /// Something in the request is wrong; `field` names it.
    pub(crate) fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message).with_details(json!({ "field": field }))
    }

    /// The resource does not exist.
    pub(crate) fn not_found(what: &str, id: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("There is no {what} \"{}\".", shown(id)))
    }

    /// The user has not shared the connection with this client.
    pub(crate) fn not_shared() -> Self {
        let message = "This connection has not been shared with the client. Its user can share it in the widget.";
        Self::new(ErrorCode::ConnectionNotShared, message)
    }

    /// A sync of this connection is already running.
    pub(crate) fn sync_in_progress(batch_id: &Id) -> Self {
        Self::new(ErrorCode::SyncInProgress, format!("A sync is running already: follow session {batch_id}."))
            .with_details(json!({ "batchId": batch_id }))
    }

    /// The bearer token is missing or invalid (RFC 6750 §3).
    pub(crate) fn unauthorized(challenge: &'static str, message: &str) -> Self {
        let mut problem = Self::new(ErrorCode::Unauthorized, message);
        problem.0.header = Some((WWW_AUTHENTICATE, HeaderValue::from_static(challenge)));
        problem
    }

    /// The token is valid, but lacks a scope for this request (RFC 6750 §3.1).
    pub(crate) fn insufficient_scope(scope: Scope) -> Self {
        let mut problem = Self::new(ErrorCode::InsufficientScope, format!("The token lacks the scope {scope}."))
            .with_details(json!({ "scope": scope }));
        let challenge = format!("Bearer realm=\"ordersync\", error=\"insufficient_scope\", scope=\"{scope}\"");
        problem.0.header = HeaderValue::try_from(challenge).ok().map(|value| (WWW_AUTHENTICATE, value));
        problem
    }

    /// Too many requests; a request is accepted again after this many seconds.
    pub(crate) fn too_many_requests(limit: RateLimit, seconds: u64) -> Self {
        let RateLimit { requests, window } = limit;
        let message =
            format!("More than {requests} requests in {} seconds. Try again in {seconds} s.", window.as_secs());
        let mut problem = Self::new(ErrorCode::TooManyRequests, message);
        problem.0.header = Some((RETRY_AFTER, HeaderValue::from(seconds)));
        problem
    }

    /// The request has a client's own token, but needs a user's.
    pub(crate) fn needs_user() -> Self {
        let message = "This token stands for a client alone; this needs the token of a user, who signs in first.";
        let mut problem = Self::new(ErrorCode::InsufficientScope, message);
        let challenge = HeaderValue::from_static("Bearer realm=\"ordersync\", error=\"insufficient_scope\"");
        problem.0.header = Some((WWW_AUTHENTICATE, challenge));
        problem
    }

    /// The idempotency key was used with another request.
    pub(crate) fn idempotency_conflict() -> Self {
        let message = "This Idempotency-Key was used with another request. Use a new key for each request.";
        Self::new(ErrorCode::IdempotencyConflict, message)
    }

    /// No such path, which `details` tells apart from a resource that does not exist.
    pub(crate) fn nothing_at(uri: &Uri) -> Self {
        let path = shown(uri.path());
        Self::new(ErrorCode::NotFound, format!("There is nothing at {path}.")).with_details(json!({ "path": path }))
    }

    pub(crate) fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// What happened, for a person.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// What happened, for the log alone.
    pub(crate) fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// The service failed.
    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        let message = "The service failed. The request id helps its operator to find out why.";
        let mut problem = Self::new(ErrorCode::InternalError, message);
        problem.0.cause = Some(cause.into());
        problem
    }

    /// The store is unavailable; the client may retry soon.
    pub(crate) fn unavailable(trouble: StoreTrouble) -> Self {
        let message = match trouble {
            StoreTrouble::Locked => "Another program keeps the service's store locked. Try again soon.",
            StoreTrouble::Full => {
                "The disk of the service's store is full. Try again later; the operator has to make room."
            }
            StoreTrouble::Busy => "The service's store is too busy or cannot be reached. Try again soon.",
            StoreTrouble::Failing => {
                "The service's store cannot be used. Try again later; its operator finds the reason in the log."
            }
            StoreTrouble::Damaged => DAMAGED,
            StoreTrouble::Away => "The service's database cannot be reached at the moment. Try again soon.",
            StoreTrouble::Newer => "This node is being replaced by one of a newer version. Try again soon.",
        };
        let mut problem = Self::new(ErrorCode::Unavailable, message);
        problem.0.header = Some((RETRY_AFTER, HeaderValue::from_static(STORE_RETRY_AFTER)));
        problem
    }

    /// The node is draining: it still answers, and stops soon.
    pub(crate) fn draining() -> Self {
        let message = "This node is draining: it stops soon. Send requests to another node.";
        let mut problem = Self::new(ErrorCode::Unavailable, message);
        problem.0.header = Some((RETRY_AFTER, HeaderValue::from_static(STORE_RETRY_AFTER)));
        problem
    }

    /// Adds details.
    pub(crate) fn with_details(mut self, details: Value) -> Self {
        self.0.details = Some(details);
        self
    }
}

impl<E: Into<StoreError>> From<E> for Problem {
    fn from(error: E) -> Self {
        let error: StoreError = error.into();
        let Some(trouble) = error.trouble() else { return Self::internal(error.to_string()) };
        let mut problem = match trouble {
            // To try again helps with everything else.
            StoreTrouble::Damaged => Self::new(ErrorCode::InternalError, DAMAGED),
            trouble => Self::unavailable(trouble),
        };
        problem.0.cause = Some(error.to_string());
        problem
    }
}

impl From<SignInError> for Problem {
    fn from(error: SignInError) -> Self {
        let message = error.to_string();
        match error {
            SignInError::NoNumber | SignInError::NotOfTheSandbox | SignInError::OtherCountry => {
                Self::invalid("phone", message)
            }
            SignInError::TooMany(seconds) => {
                let mut problem = Self::new(ErrorCode::TooManyRequests, message);
                problem.0.header = Some((RETRY_AFTER, HeaderValue::from(seconds)));
                problem
            }
            SignInError::NotDelivered => Self::new(ErrorCode::Unavailable, message),
            SignInError::Cookie => Self::internal(message),
            SignInError::Store(error) => error.into(),
        }
    }
}

impl From<LinkError> for Problem {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Conflict => Self::idempotency_conflict(),
            LinkError::Lost => Self::internal(error.to_string()),
            LinkError::Store(error) => error.into(),
        }
    }
}

/// Reports which step to repeat, and no more.
impl From<Rejected> for Problem {
    fn from(Rejected: Rejected) -> Self {
        Self::new(
            ErrorCode::SealRejected,
            "The credentials were not sealed with a fresh, unused token of your own. Get a new one from GET /sync/auth/totp, \
             seal the credentials with it, and send them with its currentStamp.",
        )
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let problem = *self.0;
        let status = StatusCode::from_u16(problem.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = ErrorBody { code: problem.code.into(), message: problem.message, details: problem.details };
        let mut response = (status, Json(body)).into_response();
        if let Some((name, value)) = problem.header {
            response.headers_mut().insert(name, value);
        }
        response.extensions_mut().insert(RefusalCode(problem.code.as_str()));
        if let Some(cause) = problem.cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}

pub(crate) async fn no_such_path(uri: Uri) -> Problem {
    Problem::nothing_at(&uri)
}

pub(crate) async fn method_not_allowed() -> Problem {
    Problem::new(
        ErrorCode::MethodNotAllowed,
        "This path does not take this method; the header Allow names those it does.",
    )
}

#[allow(clippy::needless_pass_by_value, reason = "the layer's signature")]
pub(crate) fn panicked(_panic: Box<dyn Any + Send>) -> Response {
    // A panic's message may contain anything; its location is already on stderr.
    Problem::internal("a handler panicked").into_response()
}
