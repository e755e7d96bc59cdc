//! Browsers that are signed in: a cookie that no script can read, and the field that protects their forms against other
//! sites.
//!
//! On https the cookie has the prefix `__Host-`, which binds it to exactly this host (RFC 6265bis §4.1.3.2).

use axum::http::header::{COOKIE, HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use cookie::Cookie;

use super::{SignIn, SignInError};
use crate::keys::token_digest;
use crate::store::accounts::oauth::browser::BrowserSession;
use crate::token::Prefix;

/// How long a browser stays signed in.
const LIFE: TimeDelta = TimeDelta::hours(12);
/// The most cookies of a request that are looked up.
const COOKIES: usize = 2;

/// The user who is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrowserUser {
    pub(crate) user_id: String,
    /// The field that forms carry, derived from the cookie: a site that cannot read the cookie cannot forge the field.
    pub(crate) csrf: String,
    /// The clients that the user agreed to in this session: by allowing them access, or by binding an identifier of theirs.
    clients: Vec<String>,
    /// The user's time.
    pub(crate) now: DateTime<Utc>,
    /// The cookie's.
    digest: [u8; 32],
}

impl BrowserUser {
    /// Whether the user agreed to the client in this session.
    pub(crate) fn agreed_to(&self, client_id: &str) -> bool {
        self.clients.iter().any(|known| known == client_id)
    }
}

/// Signs a browser in, always with a new cookie, even if it had one. `agreed_to`: the client that the user has just agreed to,
/// if there is one. Returns the value of `Set-Cookie`.
pub(crate) async fn sign_in(
    signin: &SignIn<'_>,
    user_id: &str,
    agreed_to: Option<&str>,
) -> Result<HeaderValue, SignInError> {
    cookie_for(signin, user_id, agreed_to, "SameSite=Lax").await
}

/// The cookie of a browser that shows the widget in a client's page: the cookie is sent in that frame, and only under
/// that client's page (`Partitioned`). Browsers support that over https only; without https, this is the same as
/// [`sign_in`].
pub(crate) async fn sign_in_framed(
    signin: &SignIn<'_>,
    user_id: &str,
    agreed_to: Option<&str>,
) -> Result<HeaderValue, SignInError> {
    let same_site = if signin.is_https { "SameSite=None; Partitioned" } else { "SameSite=Lax" };
    cookie_for(signin, user_id, agreed_to, same_site).await
}

async fn cookie_for(
    signin: &SignIn<'_>,
    user_id: &str,
    agreed_to: Option<&str>,
    same_site: &str,
) -> Result<HeaderValue, SignInError> {
    let token = Prefix::BROWSER.new_token(signin.environment)?;
    let digest = token_digest(&token);
    signin.store.add_browser_session(&digest, user_id, LIFE, signin.clock.now()).await?;
    if let Some(client_id) = agreed_to {
        signin.store.agree_in_browser(&digest, client_id).await?;
    }
    set_cookie(signin, &token, LIFE, same_site)
}

/// Notes that the signed-in user agreed to a client.
pub(crate) async fn agree(signin: &SignIn<'_>, user: &BrowserUser, client_id: &str) -> Result<(), SignInError> {
    Ok(signin.store.agree_in_browser(&user.digest, client_id).await?)
}

/// The user who is signed in; `None` if the cookie is missing, unknown or expired.
pub(crate) async fn signed_in(signin: &SignIn<'_>, headers: &HeaderMap) -> Result<Option<BrowserUser>, SignInError> {
    for (cookie, digest) in own_cookies(signin, headers) {
        if let Some(session) = signin.store.browser_user(&digest, signin.clock.now()).await? {
            let BrowserSession { user_id, clients, now } = session;
            let csrf = URL_SAFE_NO_PAD.encode(signin.keys.csrf(&cookie));
            return Ok(Some(BrowserUser { user_id, csrf, clients, now, digest }));
        }
    }
    Ok(None)
}

/// Signs a browser out. Returns the value of `Set-Cookie` that deletes the cookie.
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

/// The cookies with the right name and format, with their digests. A browser that shows the widget in a page of the
/// same site sends two: that of the frame, and that of its own windows.
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
