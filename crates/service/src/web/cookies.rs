//! The pages' own cookies. None is accessible to scripts, and on https their name binds them to the host (`__Host-`).

use axum::http::HeaderValue;
use axum::http::header::{COOKIE, HeaderMap};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cookie::Cookie;

use crate::app::App;
use crate::http::Problem;
use crate::ids::random_bytes;

/// 16 bytes in base64url.
const RANDOM_LENGTH: usize = 22;

/// The value of the cookie with that name.
pub(super) fn read(app: &App, headers: &HeaderMap, name: &str) -> Option<String> {
    let name = full_name(app, name);
    let lines = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut own = lines.flat_map(Cookie::split_parse).flatten().filter(|cookie| cookie.name() == name);
    match (own.next(), own.next()) {
        (Some(cookie), None) => Some(cookie.value().to_owned()),
        // If there are two, one could be another site's.
        _ => None,
    }
}

/// A value that cannot be guessed.
pub(super) fn random() -> Result<String, Problem> {
    Ok(URL_SAFE_NO_PAD.encode(random_bytes::<16>()?))
}

/// The value of the cookie with that name, if it has the length of a [`random`] one.
pub(super) fn read_random(app: &App, headers: &HeaderMap, name: &str) -> Option<String> {
    read(app, headers, name).filter(|value| value.len() == RANDOM_LENGTH)
}

/// A `Set-Cookie` that lasts until the browser is closed. With `framed`, and on https, the browser also sends the
/// cookie from within another site's page, and keeps it separate for each such site.
pub(super) fn set(app: &App, name: &str, value: &str, framed: bool) -> Result<HeaderValue, Problem> {
    let name = full_name(app, name);
    let bounds = match (app.is_https(), framed) {
        (true, true) => "; SameSite=None; Secure; Partitioned",
        (true, false) => "; SameSite=Lax; Secure",
        (false, _) => "; SameSite=Lax",
    };
    HeaderValue::try_from(format!("{name}={value}; Path=/; HttpOnly{bounds}"))
        .map_err(|_| Problem::internal("a cookie is no header"))
}

/// A cookie that lasts this many days, whether or not the browser is closed in between.
pub(super) fn set_for(app: &App, name: &str, value: &str, framed: bool, days: u32) -> Result<HeaderValue, Problem> {
    let mut cookie = set(app, name, value, framed)?.as_bytes().to_vec();
    cookie.extend_from_slice(format!("; Max-Age={}", u64::from(days) * 86_400).as_bytes());
    HeaderValue::try_from(cookie).map_err(|_| Problem::internal("a cookie is no header"))
}

/// Whether the browser loads a page into a frame of another page. A browser that does not say so counts as not framed:
/// its cookies are then not sent from the frame, which is only an inconvenience.
pub(super) fn is_framed(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-dest").is_some_and(|dest| dest == "iframe" || dest == "frame")
}

fn full_name(app: &App, name: &str) -> String {
    if app.is_https() { format!("__Host-{name}") } else { name.to_owned() }
}
