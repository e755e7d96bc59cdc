//! Bodies of requests.

use axum::http::header::{CONTENT_TYPE, HeaderMap};
use axum::http::request::Parts;
use bytes::Bytes;
use ordersync_api::ErrorCode;
use ordersync_api::strict::Object;
use serde::de::DeserializeOwned;

use super::Problem;
use super::fields::Fields;
use super::problem::Answered;

/// The largest body that a request may have, unless its route takes more.
pub(crate) const BODY_LIMIT: usize = 64 * 1024;

pub(crate) async fn read_body(body: axum::body::Body, limit: usize) -> Answered<Bytes> {
    axum::body::to_bytes(body, limit).await.map_err(|error| {
        // Only the size limit has a cause of its own type; any other failure is a broken connection.
        let too_large = std::error::Error::source(&error).is_some_and(|cause| cause.to_string().contains("limit"));
        if too_large {
            Problem::new(ErrorCode::PayloadTooLarge, format!("The body is larger than {} KiB.", limit / 1024))
        } else {
            Problem::invalid("body", "The body did not arrive whole.")
        }
    })
}

/// Whether the body is form-encoded.
pub(crate) fn is_form(headers: &HeaderMap) -> bool {
    has_type(headers, "application/x-www-form-urlencoded")
}

fn has_type(headers: &HeaderMap, wanted: &str) -> bool {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media_type.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case(wanted))
}

/// The JSON object of a body.
pub(super) fn json_fields(parts: &Parts, body: &[u8]) -> Answered<Fields> {
    check_is_json(parts)?;
    Fields::parse(body)
}

/// The JSON object of a body, as a `T`.
pub(super) fn json<T: DeserializeOwned>(parts: &Parts, body: &[u8]) -> Answered<T> {
    check_is_json(parts)?;
    let mut reader = serde_json::Deserializer::from_slice(body);
    let Object(read) = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        // A field that is missing has no path.
        let (path, why) = (error.path().to_string(), error.inner());
        let field = if path == "." { "body" } else { &path };
        Problem::invalid(field, format!("{field} cannot be read: {why}."))
    })?;
    reader.end().map_err(|why| Problem::invalid("body", format!("The body is not valid JSON: {why}.")))?;
    Ok(read)
}

fn check_is_json(parts: &Parts) -> Answered<()> {
    if has_type(&parts.headers, "application/json") {
        return Ok(());
    }
    let message = "The body has to be JSON, with Content-Type: application/json.";
    Err(Problem::new(ErrorCode::UnsupportedMediaType, message))
}
