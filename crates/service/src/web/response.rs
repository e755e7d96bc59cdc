//! Responses that are not pages: redirects, the cookies sent with them, and files to be saved.

use std::fmt::Write as _;

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use ordersync_api::document::file_name;

use crate::http::Problem;

/// Sends the browser to another page.
pub(super) fn see_other(location: &str) -> Response {
    match HeaderValue::try_from(location) {
        Ok(location) => (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response(),
        Err(_) => Problem::internal("a redirect is no header").into_response(),
    }
}

/// The response with one more cookie.
pub(super) fn with_cookie(mut response: Response, cookie: Option<HeaderValue>) -> Response {
    if let Some(cookie) = cookie {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// A file by a stranger: browsers save it, and never show it as a page of the service (RFC 6266 §4).
pub(super) fn saved(name: &str, content: Vec<u8>) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox")),
    ];
    let mut response = (headers, content).into_response();
    let attachment = HeaderValue::try_from(attachment(name)).unwrap_or(HeaderValue::from_static("attachment"));
    response.headers_mut().insert(CONTENT_DISPOSITION, attachment);
    response
}

/// The name in ASCII, and as it is in UTF-8 (RFC 8187 §3.2.1).
fn attachment(name: &str) -> String {
    let name = file_name(name);
    let plain: String = name.chars().map(|letter| if letter.is_ascii() { letter } else { '_' }).collect();
    let mut header = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''");
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            header.push(byte.into());
        } else {
            // Writing to a string does not fail.
            let _ = write!(header, "%{byte:02X}");
        }
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_within_its_header() {
        for (name, header) in [
            ("receipt 1.pdf", "filename=\"receipt 1.pdf\"; filename*=UTF-8''receipt%201.pdf"),
            ("\"; x=\"/../a\r\nb.pdf", "filename=\"_; x=__.._a__b.pdf\"; filename*=UTF-8''_%3B%20x%3D__.._a__b.pdf"),
            ("Müßig\u{202e}%41.eml", "filename=\"M__ig%41.eml\"; filename*=UTF-8''M%C3%BC%C3%9Fig%2541.eml"),
        ] {
            assert_eq!(attachment(name), format!("attachment; {header}"));
        }
    }
}
