//! Refusals in OAuth's format (RFC 6749 §5.2): `error` for a program, `error_description` for a developer.
//!
//! A description repeats nothing from the request: the RFC allows few characters in it, and the request may contain a
//! secret.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use ordersync_api::{ErrorCode, text_enum};
use serde_json::json;

use crate::http::Problem;
use crate::http::problem::{Cause, RefusalCode, STORE_RETRY_AFTER};
use crate::store::StoreError;

text_enum! {
    /// The `error` of a refusal.
    pub(crate) enum Kind {
        InvalidRequest = "invalid_request",
        InvalidClient = "invalid_client",
        InvalidGrant = "invalid_grant",
        InvalidScope = "invalid_scope",
        UnauthorizedClient = "unauthorized_client",
        UnsupportedGrantType = "unsupported_grant_type",
        UnsupportedResponseType = "unsupported_response_type",
        AccessDenied = "access_denied",
        /// RFC 8628 §3.5, like the next two.
        AuthorizationPending = "authorization_pending",
        SlowDown = "slow_down",
        ExpiredToken = "expired_token",
        ServerError = "server_error",
        /// The store is unavailable.
        TemporarilyUnavailable = "temporarily_unavailable",
    }
}

/// Why a client's request was refused.
#[derive(Debug)]
pub(crate) struct OAuthError {
    kind: Kind,
    description: &'static str,
    status: StatusCode,
    /// For the log alone.
    cause: Option<String>,
}

/// What the authorization server answers with.
pub(crate) type Answered<T> = Result<T, OAuthError>;

impl OAuthError {
    pub(crate) const fn new(kind: Kind, description: &'static str) -> Self {
        let status = match kind {
            Kind::InvalidClient => StatusCode::UNAUTHORIZED,
            Kind::ServerError => StatusCode::INTERNAL_SERVER_ERROR,
            Kind::TemporarilyUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_REQUEST,
        };
        Self { kind, description, status, cause: None }
    }

    pub(crate) const fn invalid_request(description: &'static str) -> Self {
        Self::new(Kind::InvalidRequest, description)
    }

    /// The kind, and the description, for a refusal that is sent by redirect.
    pub(crate) const fn parts(&self) -> (Kind, &'static str) {
        (self.kind, self.description)
    }

    fn unavailable(cause: String) -> Self {
        let mut error = Self::new(Kind::TemporarilyUnavailable, "The service's store cannot be used. Try again soon.");
        error.cause = Some(cause);
        error
    }

    fn failed(cause: String) -> Self {
        let mut error =
            Self::new(Kind::ServerError, "The service failed. Its operator finds out why by the request id.");
        error.cause = Some(cause);
        error
    }
}

impl<E: Into<StoreError>> From<E> for OAuthError {
    fn from(error: E) -> Self {
        let error: StoreError = error.into();
        let is_passing = error.trouble().is_some();
        if is_passing { Self::unavailable(error.to_string()) } else { Self::failed(error.to_string()) }
    }
}

/// Failures before OAuth's own checks: reading the body.
impl From<Problem> for OAuthError {
    fn from(problem: Problem) -> Self {
        match problem.code() {
            ErrorCode::PayloadTooLarge => Self {
                status: StatusCode::PAYLOAD_TOO_LARGE,
                ..Self::invalid_request("The body is larger than a request of this kind can be.")
            },
            ErrorCode::InvalidRequest => Self::invalid_request("The body did not arrive whole."),
            ErrorCode::Unavailable => Self::unavailable(problem.cause().unwrap_or(problem.message()).to_owned()),
            _ => Self::failed(problem.cause().unwrap_or(problem.message()).to_owned()),
        }
    }
}

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.kind.as_str(), "error_description": self.description });
        let mut response = (self.status, Json(body)).into_response();
        if self.kind == Kind::InvalidClient {
            let challenge = HeaderValue::from_static("Basic realm=\"ordersync\"");
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        if self.kind == Kind::TemporarilyUnavailable {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(STORE_RETRY_AFTER));
        }
        response.extensions_mut().insert(RefusalCode(self.kind.as_str()));
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}
