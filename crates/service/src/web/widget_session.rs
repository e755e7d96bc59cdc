//! The widget's session: the link that it was opened with, kept sealed in a cookie, so that the token disappears from
//! the address at once; and the user to whom the link's identifier is bound.

use axum::http::header::HeaderMap;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ordersync_api::ErrorCode;
use subtle::ConstantTimeEq;

use super::cookies;
use super::page::{Frames, Page};
use super::views::message::{Ending, Message, message};
use crate::app::App;
use crate::http::problem::Answered;
use crate::keys::Place;
use crate::links::{self, Bound, Link};
use crate::signin::browser::{self, BrowserUser};

/// The cookie's names: in its own window, and within another site's page. If a page of the same site frames the widget,
/// the browser sends both.
const COOKIE: &str = "ordersync_link";
const FRAMED_COOKIE: &str = "ordersync_framed_link";
const PLACE: Place<'static> = Place { column: "cookie.link", row: "" };

/// A link that is open in this browser.
pub(super) struct Opened {
    pub(super) link: Link,
    /// The cookie's value.
    pub(super) cookie: String,
}

impl Opened {
    /// Distinguishes this link from another that the browser has opened since, without revealing anything about it.
    pub(super) fn id(&self, app: &App) -> String {
        id_of(app, &self.cookie)
    }
}

fn id_of(app: &App, cookie: &str) -> String {
    URL_SAFE_NO_PAD.encode(app.keys.page_mac("link", cookie))
}

/// The cookie that keeps a link token.
pub(super) fn keep(app: &App, headers: &HeaderMap, link_token: &str) -> Answered<HeaderValue> {
    let sealed = URL_SAFE_NO_PAD.encode(app.keys.seal(&PLACE, link_token.as_bytes())?);
    let is_framed = cookies::is_framed(headers);
    cookies::set(app, if is_framed { FRAMED_COOKIE } else { COOKIE }, &sealed, is_framed)
}

/// The link that is open in this frame or window, while its token is valid.
pub(super) async fn opened(app: &App, headers: &HeaderMap) -> Answered<Option<Opened>> {
    let name = if cookies::is_framed(headers) { FRAMED_COOKIE } else { COOKIE };
    let Some(cookie) = cookies::read(app, headers, name) else { return Ok(None) };
    open(app, cookie).await
}

/// The link that a page's script names, while its token is valid.
pub(super) async fn opened_as(app: &App, headers: &HeaderMap, id: &str) -> Answered<Option<Opened>> {
    for cookie in [COOKIE, FRAMED_COOKIE].into_iter().filter_map(|name| cookies::read(app, headers, name)) {
        if bool::from(id_of(app, &cookie).as_bytes().ct_eq(id.as_bytes())) {
            return open(app, cookie).await;
        }
    }
    Ok(None)
}

async fn open(app: &App, cookie: String) -> Answered<Option<Opened>> {
    let token = URL_SAFE_NO_PAD.decode(&cookie).ok().and_then(|sealed| app.keys.open(&PLACE, &sealed).ok());
    let Some(token) = token.as_ref().and_then(|token| std::str::from_utf8(token).ok()) else { return Ok(None) };
    Ok(links::open(&app.links(), token).await?.map(|link| Opened { link, cookie }))
}

/// The signed-in user, if the link's identifier is bound to them: an earlier sign-in is not enough, since the
/// client that created the link may have meant another user.
pub(super) async fn bound_user(app: &App, headers: &HeaderMap, link: &Link) -> Answered<Option<BrowserUser>> {
    let Some(user) = browser::signed_in(&app.sign_in(), headers).await? else { return Ok(None) };
    let bound = app.store.bound_user(&link.row()).await?;
    Ok((bound.as_deref() == Some(user.user_id.as_str())).then_some(user))
}

/// Binds the link's identifier to the user who has just entered the one-time password. Returns a page if it is already
/// bound to another user.
pub(super) async fn bind(app: &App, link: &Link, user_id: &str) -> Answered<Option<Response>> {
    match links::bind(&app.links(), link, user_id).await? {
        Bound::Yes => Ok(None),
        Bound::AlreadyBound => Ok(Some(already_bound(app, link))),
    }
}

fn already_bound(app: &App, link: &Link) -> Response {
    let title = "This account is linked to another number";
    let text = format!(
        "Your account at {} was linked here with a different phone number. Nothing was changed, and nothing was shared.",
        link.client_name
    );
    let remedy = format!(
        "Sign in with the number you used first. If that number is not yours any more, ask {}’s support to reset the link.",
        link.client_name
    );
    let body = message(&Message {
        ending: Ending::Failed,
        title,
        text: &text,
        remedy: Some(&remedy),
        link: Some(("/widget", "Use another number")),
        reference: &[("Code", ErrorCode::UserAlreadyBound.as_str())],
    });
    Page::new(title, body).status(StatusCode::CONFLICT).frames(Frames::of(&link.frame_ancestors)).render(app)
}

/// The page in place of a widget whose link is missing or invalid.
pub(super) fn closed(app: &App) -> Response {
    let title = "This link does not work any more";
    let body = message(&Message {
        ending: Ending::Failed,
        title,
        text: "It was opened too late, or in another browser.",
        remedy: Some("Go back to the app that sent you here, and open it again from there."),
        link: None,
        reference: &[("Code", ErrorCode::LinkTokenInvalid.as_str())],
    });
    Page::new(title, body).status(StatusCode::UNAUTHORIZED).frames(Frames::Anybody).render(app)
}
