//! Browsers in which a user has signed in: a cookie that outlives the sign-in. It grants no access. It shows that this
//! browser is known, so that strangers cannot use up the one-time passwords that may be sent for it.

use axum::http::header::{HeaderMap, HeaderValue};

use super::cookies;
use crate::app::App;
use crate::http::Problem;

/// The cookie's names: in its own window, and within another site's page.
const COOKIE: &str = "ordersync_known";
const FRAMED_COOKIE: &str = "ordersync_framed_known";
const DAYS: u32 = 90;

/// The cookie of a remembered browser.
pub(super) fn read(app: &App, headers: &HeaderMap) -> Option<String> {
    cookies::read_random(app, headers, name(headers))
}

/// The `Set-Cookie` that remembers a browser for another 90 days.
pub(super) fn set(app: &App, headers: &HeaderMap, value: &str) -> Result<HeaderValue, Problem> {
    cookies::set_for(app, name(headers), value, cookies::is_framed(headers), DAYS)
}

fn name(headers: &HeaderMap) -> &'static str {
    if cookies::is_framed(headers) { FRAMED_COOKIE } else { COOKIE }
}
