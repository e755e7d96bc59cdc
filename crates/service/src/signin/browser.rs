//! Browsers that are signed in: a cookie that no script can read, and what their forms carry against other sites.
//!
//! On https the cookie has the prefix `__Host-`, which binds it to this very host (RFC 6265bis §4.1.3.2).

use axum::http::header::{COOKIE, HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use cookie::Cookie;

use super::{SignIn, SignInError};
use crate::keys::token_digest;
use crate::token::Prefix;

/// How long a browser stays signed in.
const LIFE: TimeDelta = TimeDelta::hours(12);
/// How many cookies of a request are looked up at most.
const COOKIES: usize = 2;

/// Who is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrowserUser {
    pub(crate) user_id: String,
    /// What forms carry. Derived from the cookie: who cannot read that cannot make it.
    pub(crate) csrf: String,
    /// The user's time.
    pub(crate) now: DateTime<Utc>,
}

/// Signs a browser in; always with a new cookie, whatever it had. Returns the value of `Set-Cookie`.
pub(crate) async fn sign_in(signin: &SignIn<'_>, user_id: &str) -> Result<HeaderValue, SignInError> {
    cookie_for(signin, user_id, "SameSite=Lax").await
}

/// The same for a browser that shows the widget in a client's page: the cookie is sent in that frame, and under that one
/// client's page alone (`Partitioned`). Browsers do that over https only; elsewhere it is as [`sign_in`].
pub(crate) async fn sign_in_framed(signin: &SignIn<'_>, user_id: &str) -> Result<HeaderValue, SignInError> {
    let same_site = if signin.is_https { "SameSite=None; Partitioned" } else { "SameSite=Lax" };
    cookie_for(signin, user_id, same_site).await
}

async fn cookie_for(signin: &SignIn<'_>, user_id: &str, same_site: &str) -> Result<HeaderValue, SignInError> {
    let token = Prefix::BROWSER.new_token(signin.environment)?;
    signin.store.add_browser_session(&token_digest(&token), user_id, LIFE, signin.clock.now()).await?;
    set_cookie(signin, &token, LIFE, same_site)
}

/// Who is signed in; none where the cookie is missing, unknown or expired.
pub(crate) async fn signed_in(signin: &SignIn<'_>, headers: &HeaderMap) -> Result<Option<BrowserUser>, SignInError> {
    for (cookie, digest) in own_cookies(signin, headers) {
        if let Some((user_id, now)) = signin.store.browser_user(&digest, signin.clock.now()).await? {
            let csrf = URL_SAFE_NO_PAD.encode(signin.keys.csrf(&cookie));
            return Ok(Some(BrowserUser { user_id, csrf, now }));
        }
    }
    Ok(None)
}

/// Signs a browser out. Returns the value of `Set-Cookie`, which takes the cookie away.
pub(crate) async fn sign_out(signin: &SignIn<'_>, headers: &HeaderMap) -> Result<HeaderValue, SignInError> {
    for (_, digest) in own_cookies(signin, headers) {
        signin.store.remove_browser_session(&digest).await?;
    }
    set_cookie(signin, "", TimeDelta::zero(), "SameSite=Lax")
}

fn set_cookie(signin: &SignIn<'_>, value: &str, life: TimeDelta, same_site: &str) -> Result<HeaderValue, SignInError> {
    let secure = if signin.is_https { "; Secure" } else { "" };
    let text =
        format!("{}={value}; Path=/; Max-Age={}; HttpOnly; {same_site}{secure}", name(signin), life.num_seconds());
    HeaderValue::try_from(text).map_err(|_| SignInError::Cookie)
}

/// The cookies of the right name and form, with their digests. A browser that shows the widget in a page of the same site
/// sends two: that of the frame, and that of its own windows.
fn own_cookies(signin: &SignIn<'_>, headers: &HeaderMap) -> Vec<(String, [u8; 32])> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let cookies = lines.flat_map(Cookie::split_parse).flatten().filter(|cookie| cookie.name() == name(signin));
    let well_formed = cookies.filter_map(|cookie| {
        let digest = Prefix::BROWSER.digest(signin.environment, cookie.value())?;
        Some((cookie.value().to_owned(), digest))
    });
    well_formed.take(COOKIES).collect()
}

fn name(signin: &SignIn<'_>) -> &'static str {
    if signin.is_https { "__Host-ordersync" } else { "ordersync" }
}
