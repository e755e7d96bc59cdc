//! What goes wrong with a request, and how it is told: what happened, what to do, how the process ends.

use std::time::Duration;

use ordersync_api::{ErrorBody, ErrorCode};
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use serde_json::Value;
use url::Url;

use super::http::Reply;
use super::{redact, retry};
use crate::error::Error;
use crate::exit::Exit;

/// A failed exchange.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Method and path.
    description: String,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    /// No whole answer came. `sent` is false where the request cannot have arrived.
    Transport { why: String, timed_out: bool, sent: bool },
    /// More came than is read.
    TooLarge,
    /// The service, or something before it, said no.
    Refusal(Box<Refusal>),
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
}

impl Failure {
    pub(super) fn transport(description: &str, why: &reqwest::Error) -> Self {
        let kind = Kind::Transport { why: retry::cause(why), timed_out: why.is_timeout(), sent: !why.is_connect() };
        Self { description: description.to_owned(), kind }
    }

    pub(super) fn too_large(description: &str) -> Self {
        Self { description: description.to_owned(), kind: Kind::TooLarge }
    }

    /// An answer that is no success.
    pub(crate) fn refusal(reply: Reply) -> Self {
        let (code, message, details) = decode(&reply.body);
        let refusal = Refusal {
            status: reply.status,
            code,
            message,
            details,
            request_id: reply.header("x-request-id").map(str::to_owned),
            retry_after: retry::asked_for(&reply.headers),
            location: reply.header(LOCATION.as_str()).map(redact::address),
        };
        Self { description: reply.description, kind: Kind::Refusal(Box::new(refusal)) }
    }

    /// The failure in the user's terms.
    pub(crate) fn into_error(self, base: &Url) -> Error {
        let Self { description, kind } = self;
        match kind {
            Kind::Transport { why, timed_out: true, .. } => {
                Error::new(Exit::Network, "TIMEOUT", format!("{base} did not answer {description} in time: {why}."))
                    .hint("Try again, or allow more time with --timeout.")
            }
            Kind::Transport { why, .. } => {
                Error::new(Exit::Network, "UNREACHABLE", format!("{base} cannot be reached for {description}: {why}."))
                    .hint(
                        "Check the address, and that the service runs (for a local one: `ordersync serve --sandbox`).",
                    )
            }
            Kind::TooLarge => Error::new(
                Exit::Failed,
                "ANSWER_TOO_LARGE",
                format!("The answer to {description} is larger than any that the service gives."),
            )
            .hint("Is this the address of the service?"),
            Kind::Refusal(refusal) => refusal.into_error(&description),
        }
    }
}

impl Refusal {
    fn into_error(self, description: &str) -> Error {
        let known = self.code.as_deref().and_then(|code| code.parse::<ErrorCode>().ok());
        let code = self.code.clone().unwrap_or_else(|| format!("HTTP_{}", self.status.as_u16()));
        let message = match (&self.message, &self.location) {
            (Some(message), _) => sentence(message),
            (None, Some(location)) if self.status.is_redirection() => {
                format!("The service answered {description} with a redirect to {location}, which is not followed.")
            }
            (None, _) => format!("The service answered {description} with {}.", self.status),
        };
        let error = Error::new(exit(known, self.status), code, message).from_response(
            self.status.as_u16(),
            self.request_id.as_deref(),
            self.details.clone(),
        );
        match hint(known, &self) {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

/// The error of a request that needs a token where there is none.
pub(super) fn no_token(advice: String) -> Error {
    Error::new(Exit::SignIn, ErrorCode::Unauthorized.as_str(), "You are not signed in at this service.").hint(advice)
}

/// Code, message and details of an error body, whatever its form: ours, OAuth's (RFC 6749 §5.2), or none of them.
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

fn exit(code: Option<ErrorCode>, status: StatusCode) -> Exit {
    match code {
        Some(ErrorCode::InsufficientScope) => Exit::SignIn,
        _ => match status.as_u16() {
            401 => Exit::SignIn,
            404 => Exit::NotFound,
            429 => Exit::RateLimited,
            502..=504 => Exit::Network,
            _ => Exit::Failed,
        },
    }
}

/// The short way in; where more is known of the token that was refused, more is said.
const SIGN_IN: &str = "Sign in: ordersync auth login";

/// What to do about it: the remedy of the specification's error table, and of our own codes.
fn hint(code: Option<ErrorCode>, refusal: &Refusal) -> Option<String> {
    let Some(code) = code else { return hint_by_status(refusal) };
    let text = match code {
        ErrorCode::InvalidRequest
        | ErrorCode::NotFound
        | ErrorCode::MethodNotAllowed
        | ErrorCode::UnsupportedMediaType
        | ErrorCode::PayloadTooLarge => return None,
        ErrorCode::SealRejected => "Run the command again: it fetches a fresh token and seals the credentials anew.",
        ErrorCode::RetailerNotConnectable => "Choose another retailer: ordersync retailers",
        ErrorCode::MissingLinkToken => {
            "Create a link token (POST /v1/link/token): ordersync link-token create --external-user-id ID\n\
             Then: ordersync users share --link-token -   (or ORDERSYNC_LINK_TOKEN)"
        }
        ErrorCode::LinkTokenInvalid => {
            "Create a new link token (POST /v1/link/token): ordersync link-token create --external-user-id ID"
        }
        ErrorCode::Unauthorized => SIGN_IN,
        ErrorCode::ClientSecretRequired => {
            "Send the header X-Client-Secret: set ORDERSYNC_CLIENT_SECRET, or give --client-secret-file FILE."
        }
        ErrorCode::ClientSecretInvalid => {
            "Check the client secret (ORDERSYNC_CLIENT_SECRET, --client-secret-file): it has to be that of the client \
             that you are signed in with.\nWhose that is: ordersync auth status"
        }
        ErrorCode::ConnectionNotShared => {
            "The user opens the widget and shares that connection; what opens the widget:\n\
             ordersync link-token create --external-user-id ID\n\
             What is shared already: ordersync connections"
        }
        ErrorCode::InsufficientScope => {
            "Sign in with that scope: ordersync auth login --scopes \"…\"\n\
             Which ones you have: ordersync auth status\n\
             Which ones a client may have is set at its onboarding (ordersync admin clients)."
        }
        ErrorCode::UserNotFound => {
            "The user opens the widget and completes the one-time-password step; binding then happens automatically.\n\
             What opens the widget: ordersync link-token create --external-user-id ID"
        }
        ErrorCode::UserAlreadyBound => {
            "Ask the service's support to reset the mapping, or create a link token with another --external-user-id."
        }
        ErrorCode::ConnectionExists => return Some(connection_hint(refusal, "Fix the connection instead")),
        ErrorCode::ConnectionInvalid => return Some(connection_hint(refusal, "Fix the connection first")),
        ErrorCode::SyncInProgress => return Some(batch_hint(refusal)),
        ErrorCode::MfaRequestExpired => "See what the session asks for now: ordersync sessions",
        ErrorCode::IdempotencyConflict => "Run the command again.",
        ErrorCode::TooManyRequests => {
            return Some(match refusal.retry_after {
                Some(wait) => format!("Try again in {} s, or allow more time with --timeout.", wait.as_secs()),
                None => "Try again in a minute, or allow more time with --timeout.".to_owned(),
            });
        }
        ErrorCode::InternalError => "Try again; if it happens again, report it with the request id.",
        ErrorCode::Unavailable | ErrorCode::Timeout => "Try again later.",
    };
    Some(text.to_owned())
}

fn detail<'a>(refusal: &'a Refusal, name: &str) -> Option<&'a str> {
    refusal.details.as_ref()?.get(name)?.as_str()
}

fn connection_hint(refusal: &Refusal, what: &str) -> String {
    match detail(refusal, "connectionId") {
        Some(id) => format!("{what}: ordersync fix {id}"),
        None => format!("{what}: ordersync fix"),
    }
}

fn batch_hint(refusal: &Refusal) -> String {
    match detail(refusal, "batchId") {
        Some(id) => format!("Follow the one that runs: ordersync sessions watch {id}"),
        None => "Follow the one that runs: ordersync sessions watch".to_owned(),
    }
}

fn hint_by_status(refusal: &Refusal) -> Option<String> {
    let text = match refusal.status.as_u16() {
        401 => SIGN_IN,
        300..=399 => "Give the address that it leads to with --base-url, if you trust it.",
        404 | 405 => "Is this the address of the service? A path may differ there: see [profiles.NAME.endpoints].",
        407 => "Give the proxy's user and password in HTTPS_PROXY.",
        429 => "Try again in a minute, or allow more time with --timeout.",
        500..=599 => "Try again later; if it happens again, report it with the request id.",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Whether an answer is a web page: something other than the service answered.
pub(crate) fn is_html(headers: &HeaderMap, body: &[u8]) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"text/html"))
        || body.trim_ascii_start().starts_with(b"<")
}

#[cfg(test)]
mod tests {
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
