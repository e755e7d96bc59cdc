//! The pages' own cookies. Each is out of reach of scripts, and on https bound to the host by its name (`__Host-`).

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

/// The value of the cookie of that name.
pub(super) fn read(app: &App, headers: &HeaderMap, name: &str) -> Option<String> {
    let name = full_name(app, name);
    let lines = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut own = lines.flat_map(Cookie::split_parse).flatten().filter(|cookie| cookie.name() == name);
    match (own.next(), own.next()) {
        (Some(cookie), None) => Some(cookie.value().to_owned()),
        // Of two, one could be another site's.
        _ => None,
    }
}

/// A value that nobody can guess.
pub(super) fn random() -> Result<String, Problem> {
    Ok(URL_SAFE_NO_PAD.encode(random_bytes::<16>()?))
}

/// The value of the cookie of that name, if it has the form of a [`random`] one.
pub(super) fn read_random(app: &App, headers: &HeaderMap, name: &str) -> Option<String> {
    read(app, headers, name).filter(|value| value.len() == RANDOM_LENGTH)
}

/// A `Set-Cookie` that lasts as long as the browser is open. One that is to be sent from within another's page too
/// (`framed`) is so on https, where it is kept apart for each such page.
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

/// The same for so many days, whether the browser is closed meanwhile or not.
pub(super) fn set_for(app: &App, name: &str, value: &str, framed: bool, days: u32) -> Result<HeaderValue, Problem> {
    let mut cookie = set(app, name, value, framed)?.as_bytes().to_vec();
    cookie.extend_from_slice(format!("; Max-Age={}", u64::from(days) * 86_400).as_bytes());
    HeaderValue::try_from(cookie).map_err(|_| Problem::internal("a cookie is no header"))
}

/// Whether the browser loads a page into another's frame. One that does not say is taken for one that does not: its
/// cookies are then not sent from there, which is an inconvenience and no more.
pub(super) fn is_framed(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-dest").is_some_and(|dest| dest == "iframe" || dest == "frame")
}

fn full_name(app: &App, name: &str) -> String {
    if app.is_https() { format!("__Host-{name}") } else { name.to_owned() }
}
