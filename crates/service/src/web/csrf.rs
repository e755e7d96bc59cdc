//! Protection of forms against submission by another site's page (cross-site request forgery).
//!
//! Before sign-in, a random cookie has to match a hidden field that only the service can derive from it. After sign-in,
//! the field is derived from the session's cookie (`signin::browser`). Both are compared in constant time.

use axum::http::HeaderValue;
use axum::http::header::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ordersync_api::ErrorCode;
use subtle::ConstantTimeEq;

use super::cookies;
use crate::app::App;
use crate::http::Problem;

const COOKIE: &str = "ordersync_form";

/// The hidden field of a form shown before sign-in, and the cookie that goes with it, if the browser has none.
pub(super) struct Guard {
    pub(super) field: String,
    pub(super) cookie: Option<HeaderValue>,
}

/// A guard for a form before sign-in.
pub(super) fn guard(app: &App, headers: &HeaderMap) -> Result<Guard, Problem> {
    if let Some(value) = own_cookie(app, headers) {
        return Ok(Guard { field: field_of(app, &value), cookie: None });
    }
    let value = cookies::random()?;
    let cookie = cookies::set(app, COOKIE, &value, false)?;
    Ok(Guard { field: field_of(app, &value), cookie: Some(cookie) })
}

/// Whether a form before sign-in came from our own page.
pub(super) fn check_guard(app: &App, headers: &HeaderMap, given: &str) -> Result<(), Problem> {
    let value = own_cookie(app, headers).ok_or_else(refused)?;
    check(&field_of(app, &value), given)
}

/// A value that only this browser has: the cookie of its forms.
pub(super) fn browser(app: &App, headers: &HeaderMap) -> Result<String, Problem> {
    own_cookie(app, headers).ok_or_else(refused)
}

/// The cookie, if it has the length of ours. Anybody can get the field of an empty cookie, so an empty one must not
/// count.
fn own_cookie(app: &App, headers: &HeaderMap) -> Option<String> {
    cookies::read_random(app, headers, COOKIE)
}

/// The hidden field that goes with a cookie's value.
pub(super) fn field_of(app: &App, cookie: &str) -> String {
    URL_SAFE_NO_PAD.encode(app.keys.page_mac("form", cookie))
}

/// Whether the field has the expected value.
pub(super) fn check(expected: &str, given: &str) -> Result<(), Problem> {
    if bool::from(expected.as_bytes().ct_eq(given.as_bytes())) {
        return Ok(());
    }
    Err(refused())
}

fn refused() -> Problem {
    Problem::new(
        ErrorCode::InvalidRequest,
        "This form is too old, or was not sent from our own page. Go back, reload the page, and try again. If it \
         happens again, your browser may be set to refuse cookies.",
    )
}
