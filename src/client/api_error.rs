//! Failed requests, and how they are reported: what happened, what to do, and the exit code.

use std::time::Duration;

use ordersync_api::ErrorBody;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use serde_json::Value;
use url::Url;

use super::redact;
use super::wire::{self, Reply};
use crate::errors::codes::{self, ErrorEntry};
use crate::errors::transport::TransportError;
use crate::errors::{Advice, Error, Exit};
use crate::shell;

/// A failed exchange.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Method and path.
    description: String,
    pub(super) kind: FailureKind,
}

#[derive(Debug)]
pub(crate) enum FailureKind {
    /// No complete answer arrived.
    Transport(TransportError),
    /// The answer exceeds the size limit.
    TooLarge,
    /// The service, or a proxy in front of it, refused the request.
    Refusal(Box<Refusal>),
    /// The request was not sent: the rate limit has no room for this long.
    RateLimit(Duration),
}

#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    code: Option<String>,
    message: Option<String>,
    details: Option<Value>,
    request_id: Option<String>,
    retry_after: Option<Duration>,
    location: Option<String>,
    is_page: bool,
    wants_tls: bool,
}

impl Failure {
    pub(super) fn transport(description: &str, trouble: TransportError) -> Self {
        Self { description: description.to_owned(), kind: FailureKind::Transport(trouble) }
    }

    /// A request that was not sent because the rate limit has no room for `wait`.
    pub(super) fn rate_limit(description: &str, wait: Duration) -> Self {
        Self { description: description.to_owned(), kind: FailureKind::RateLimit(wait) }
    }

    /// Whether the request failed because time ran out.
    pub(super) fn is_for_want_of_time(&self) -> bool {
        match &self.kind {
            FailureKind::Transport(trouble) => trouble.is_timeout(),
            FailureKind::RateLimit(_) => true,
            FailureKind::TooLarge | FailureKind::Refusal(_) => false,
        }
    }

    /// Whether the service may have carried the request out all the same.
    pub(super) fn may_be_done(&self) -> bool {
        match &self.kind {
            FailureKind::Transport(trouble) => trouble.sent,
            FailureKind::TooLarge => true,
            FailureKind::Refusal(_) | FailureKind::RateLimit(_) => false,
        }
    }

    pub(super) fn too_large(description: &str) -> Self {
        Self { description: description.to_owned(), kind: FailureKind::TooLarge }
    }

    /// A failure from an answer with an error status.
    pub(crate) fn refusal(reply: Reply) -> Self {
        let (code, message, details) = decode(&reply.body);
        let refusal = Refusal {
            status: reply.status,
            // Servers that require TLS answer plain text with a page of their own (nginx) or with a sentence (Go).
            wants_tls: code.is_none()
                && reply.status == StatusCode::BAD_REQUEST
                && reply.body.windows(5).any(|word| word.eq_ignore_ascii_case(b"https")),
            is_page: code.is_none() && is_html(&reply.headers, &reply.body),
            code,
            message,
            details,
            request_id: reply.header("x-request-id").map(str::to_owned),
            retry_after: wire::asked_for(&reply.headers),
            location: reply.header(LOCATION.as_str()).map(redact::address),
        };
        Self { description: reply.description, kind: FailureKind::Refusal(Box::new(refusal)) }
    }

    /// The failure in the user's terms.
    pub(crate) fn into_error(self, base: &Url) -> Error {
        let Self { description, kind } = self;
        match kind {
            FailureKind::Transport(trouble) => trouble.into_error(base, &description),
            FailureKind::TooLarge => Error::of(
                &codes::network::ANSWER_TOO_LARGE,
                format!("The answer to {description} is larger than any that the service gives."),
            ),
            FailureKind::Refusal(refusal) => refusal.into_error(base, &description),
            FailureKind::RateLimit(wait) => rate_limit_reached(wait),
        }
    }
}

fn rate_limit_reached(wait: Duration) -> Error {
    let row = &codes::service::TOO_MANY_REQUESTS;
    let wait = in_words(wait);
    let message = format!("Rate limit reached: the next request is possible in {wait}, beyond the time allowed.");
    Error::of(row, message).hint(row.advice_with(|name| (name == "wait").then(|| wait.clone())))
}

/// A wait: "42 s", or in the largest unit of which it is more than two.
fn in_words(wait: Duration) -> String {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    match seconds {
        0..=600 => format!("{} s", seconds.max(1)),
        601..=7200 => format!("{} minutes", seconds.div_ceil(60)),
        7201..=172_800 => format!("{} hours", seconds.div_ceil(3600)),
        _ => format!("{} days", seconds.div_ceil(86_400)),
    }
}

impl Refusal {
    fn into_error(self, base: &Url, description: &str) -> Error {
        self.error(base, description).with_response(
            self.status.as_u16(),
            self.request_id.as_deref(),
            self.details.clone(),
        )
    }

    fn error(&self, base: &Url, description: &str) -> Error {
        let status = self.status;
        if let Some(code) = &self.code {
            let message = self.message.as_deref().map_or_else(|| format!("The service answered {status}."), sentence);
            return match codes::of_answer(code) {
                Some(row) => Error::of(row, message).hint(self.hint(row)),
                None => Error::new(exit(status), code, message).hint(self.hint(by_status(status))),
            };
        }
        if status.is_redirection() {
            let place = self.location.as_deref().unwrap_or("nowhere");
            let message =
                format!("The service answered {description} with a redirect to {place}, which is not followed.");
            return Error::of(&codes::network::REDIRECT, message);
        }
        if self.wants_tls && base.scheme() == "http" {
            return Error::of(&codes::network::NEEDS_TLS, format!("{base} wants https."));
        }
        // Proxies report their own failures as web pages. With any other status, the status identifies the failure.
        if self.is_page && matches!(status.as_u16(), 401 | 403 | 511) {
            let message = format!("A web page ({status}) came in place of the answer to {description}.");
            return Error::of(&codes::network::WEB_PAGE, message);
        }
        let code = format!("{}{}", codes::HTTP_PREFIX, status.as_u16());
        Error::new(exit(status), code, format!("The service answered {description} with {status}."))
            .hint(self.unsaid(status))
    }

    /// What to do about an answer without a code. With a fault of a server, the address is not in doubt; the service's own
    /// have a request id.
    fn unsaid(&self, status: StatusCode) -> Advice {
        if status.is_server_error() && self.request_id.is_none() {
            return "Try again later; if it happens again, tell the operator of the service. -vv shows the answer."
                .into();
        }
        self.hint(by_status(status))
    }

    /// The row's hint, filled with what the answer says.
    fn hint(&self, row: &ErrorEntry) -> Advice {
        row.advice_with(|name| match name {
            "wait" => self.retry_after.map(in_words),
            // The value becomes a word of a suggested command. A word that looks like a flag would be parsed as one.
            name => {
                let word = self.details.as_ref()?.get(name)?.as_str()?;
                let is_word = !word.starts_with('-') && !word.contains(char::is_control);
                is_word.then(|| shell::quoted(word))
            }
        })
    }
}

/// The error of a request that needs an access token when none is available.
pub(super) fn no_token(advice: Advice) -> Error {
    Error::of(&codes::service::UNAUTHORIZED, "You are not signed in at this service.").hint(advice)
}

/// Code, message and details of an error body in the service's format or OAuth's (RFC 6749 §5.2); `None` for the parts
/// that it lacks.
pub(crate) fn decode(body: &[u8]) -> (Option<String>, Option<String>, Option<Value>) {
    if let Ok(ErrorBody { code, message, details }) = serde_json::from_slice(body) {
        return (Some(code.to_string()), Some(message), details);
    }
    let Ok(Value::Object(object)) = serde_json::from_slice::<Value>(body) else { return (None, None, None) };
    let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
    let code = text("code").or_else(|| text("error"));
    let message = text("message").or_else(|| text("error_description")).or_else(|| code.clone());
    (code, message, object.get("details").cloned())
}

pub(crate) fn sentence(message: &str) -> String {
    let message = message.trim();
    if message.ends_with(['.', '!', '?']) { message.to_owned() } else { format!("{message}.") }
}

fn exit(status: StatusCode) -> Exit {
    match status.as_u16() {
        401 => Exit::SignIn,
        404 => Exit::NotFound,
        429 => Exit::RateLimited,
        502..=504 => Exit::Network,
        _ => Exit::Failed,
    }
}

/// The row whose hint fits an answer that carries nothing but its status.
fn by_status(status: StatusCode) -> &'static ErrorEntry {
    match status.as_u16() {
        401 => &codes::service::UNAUTHORIZED,
        407 => &codes::network::PROXY_AUTH,
        429 => &codes::service::TOO_MANY_REQUESTS,
        500 | 501 => &codes::service::INTERNAL_ERROR,
        502..=504 => &codes::service::UNAVAILABLE,
        _ => &codes::service::HTTP_STATUS,
    }
}

/// Whether an answer is a web page: something other than the service answered.
pub(crate) fn is_html(headers: &HeaderMap, body: &[u8]) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"text/html"))
        || body.trim_ascii_start().starts_with(b"<")
}

#[cfg(test)]
mod tests {
    use ordersync_api::ErrorCode;

    use super::*;

    fn error(status: u16, body: &str) -> Error {
        let mut headers = HeaderMap::new();
        headers.insert("x-request-id", "req_1".parse().expect("header"));
        let reply = Reply {
            status: StatusCode::from_u16(status).expect("status"),
            headers,
            body: body.to_owned().into(),
            description: "GET /x".into(),
        };
        Failure::refusal(reply).into_error(&Url::parse("https://a.test").expect("url"))
    }

    #[test]
    fn every_form_of_error_body_gives_a_message_and_the_request_id() {
        for (status, body, code, message) in [
            (400, r#"{"code":"INVALID_REQUEST","message":"limit is 0"}"#, "INVALID_REQUEST", "limit is 0."),
            (401, r#"{"error":"invalid_token","error_description":"It expired"}"#, "invalid_token", "It expired."),
            (400, r#"{"error":"invalid_grant"}"#, "invalid_grant", "invalid_grant."),
            (502, "<html>Bad gateway</html>", "HTTP_502", "The service answered GET /x with 502 Bad Gateway."),
            (500, "", "HTTP_500", "The service answered GET /x with 500 Internal Server Error."),
            (418, "[1]", "HTTP_418", "The service answered GET /x with 418 I'm a teapot."),
        ] {
            let error = error(status, body);
            assert_eq!((error.code(), error.message()), (code, message));
            assert_eq!(error.request_id(), Some("req_1"));
        }
    }

    #[test]
    fn a_fault_of_the_server_leaves_the_address_out_of_doubt() {
        let advice = |status: u16| {
            let reply = Reply {
                status: StatusCode::from_u16(status).expect("status"),
                headers: HeaderMap::new(),
                body: "".into(),
                description: "GET /x".into(),
            };
            let error = Failure::refusal(reply).into_error(&Url::parse("https://a.test").expect("url"));
            error.hint_text().expect("advice")
        };
        for status in [500, 501, 502, 503, 507, 520] {
            assert!(advice(status).starts_with("Try again later"), "{status}: {}", advice(status));
        }
        assert!(advice(418).contains("Is this the address of the service?"));
    }

    #[test]
    fn every_code_ends_the_process_as_documented() {
        for code in ErrorCode::ALL {
            let error = error(code.http_status(), &format!(r#"{{"code":"{code}","message":"m"}}"#));
            let expected = match code {
                ErrorCode::Unauthorized | ErrorCode::LinkTokenInvalid | ErrorCode::InsufficientScope => Exit::SignIn,
                ErrorCode::NotFound | ErrorCode::UserNotFound => Exit::NotFound,
                ErrorCode::TooManyRequests => Exit::RateLimited,
                ErrorCode::Unavailable | ErrorCode::Timeout => Exit::Network,
                _ => Exit::Failed,
            };
            assert_eq!(error.exit(), expected, "{code}");
        }
    }

    #[test]
    fn the_remedies_of_the_specification_are_kept() {
        for (code, remedy) in [
            (ErrorCode::Unauthorized, "ordersync auth login"),
            (ErrorCode::ClientSecretRequired, "X-Client-Secret"),
            (ErrorCode::ConnectionNotShared, "ordersync link-token create"),
            (ErrorCode::MissingLinkToken, "ordersync link-token create"),
            (ErrorCode::ConnectionNotShared, "opens the widget and shares that connection"),
            (ErrorCode::UserNotFound, "completes the one-time-password step"),
            (ErrorCode::MissingLinkToken, "POST /v1/link/token"),
            (ErrorCode::UserAlreadyBound, "support"),
            (ErrorCode::TooManyRequests, "Try again in"),
        ] {
            let error = error(code.http_status(), &format!(r#"{{"code":"{code}","message":"m"}}"#));
            assert!(error.hint_text().is_some_and(|hint| hint.contains(remedy)), "{code}");
        }
    }
}
