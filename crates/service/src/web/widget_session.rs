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
use super::way_back::WayBack;
use crate::app::App;
use crate::http::problem::Answered;
use crate::keys::Place;
use crate::links::{self, Bound, Link, Opening};
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

/// Why no link is open: none was, or it has expired. An expired link that is still known leads its user back.
pub(super) struct Gone(Option<Link>);

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
pub(super) async fn opened(app: &App, headers: &HeaderMap) -> Answered<Result<Opened, Gone>> {
    let name = if cookies::is_framed(headers) { FRAMED_COOKIE } else { COOKIE };
    let Some(cookie) = cookies::read(app, headers, name) else { return Ok(Err(Gone(None))) };
    open(app, cookie).await
}

/// The link that a page's script names, while its token is valid.
pub(super) async fn opened_as(app: &App, headers: &HeaderMap, id: &str) -> Answered<Result<Opened, Gone>> {
    for cookie in [COOKIE, FRAMED_COOKIE].into_iter().filter_map(|name| cookies::read(app, headers, name)) {
        if bool::from(id_of(app, &cookie).as_bytes().ct_eq(id.as_bytes())) {
            return open(app, cookie).await;
        }
    }
    Ok(Err(Gone(None)))
}

async fn open(app: &App, cookie: String) -> Answered<Result<Opened, Gone>> {
    let token = URL_SAFE_NO_PAD.decode(&cookie).ok().and_then(|sealed| app.keys.open(&PLACE, &sealed).ok());
    let Some(token) = token.as_ref().and_then(|token| std::str::from_utf8(token).ok()) else {
        return Ok(Err(Gone(None)));
    };
    Ok(find(app, token).await?.map(|link| Opened { link, cookie }))
}

/// The link of a token.
pub(super) async fn find(app: &App, link_token: &str) -> Answered<Result<Link, Gone>> {
    Ok(match links::open(&app.links(), link_token).await? {
        Opening::Open(link) => Ok(link),
        Opening::Ended(link) => Err(Gone(Some(link))),
        Opening::Unknown => Err(Gone(None)),
    })
}

/// Who is at the browser, for a link.
pub(super) enum Visitor {
    /// The signed-in user, to whom the link's identifier is bound.
    Bound(BrowserUser),
    /// A signed-in user who has agreed to the link's client in this session; the identifier is not bound yet. The user is asked
    /// whether to continue, and enters no second one-time password.
    ///
    /// Never without the question: somebody who has a link token of the client, such as another of its users, can send the link to this
    /// user. A binding that was made silently would show that sender what this user shares with the client. The client has to
    /// be one that this user agreed to: the question of a client that the user has never dealt with is too easily answered.
    Known(BrowserUser),
    /// Somebody who has to sign in.
    Stranger,
}

/// An earlier sign-in is not enough, since the client that created the link may have meant another user.
pub(super) async fn visitor(app: &App, headers: &HeaderMap, link: &Link) -> Answered<Visitor> {
    let Some(user) = browser::signed_in(&app.sign_in(), headers).await? else { return Ok(Visitor::Stranger) };
    Ok(match app.store.bound_user(&link.row()).await? {
        Some(bound) if bound == user.user_id => Visitor::Bound(user),
        None if user.agreed_to(&link.client_id) => Visitor::Known(user),
        _ => Visitor::Stranger,
    })
}

/// The signed-in user, if the link's identifier is bound to them.
pub(super) async fn bound_user(app: &App, headers: &HeaderMap, link: &Link) -> Answered<Option<BrowserUser>> {
    match visitor(app, headers, link).await? {
        Visitor::Bound(user) => Ok(Some(user)),
        Visitor::Known(_) | Visitor::Stranger => Ok(None),
    }
}

/// Binds the link's identifier to the user who has just entered the one-time password, or answered the question. Returns a page if it is already
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
    Page::new(title, body).status(StatusCode::CONFLICT).way_back(Some(WayBack::of(link))).render(app)
}

/// The page in place of a widget whose link is missing or invalid.
pub(super) fn closed(app: &App, gone: &Gone) -> Response {
    let title = "This link does not work any more";
    let body = message(&Message {
        ending: Ending::Failed,
        title,
        text: "It was opened too late, or in another browser.",
        remedy: Some("Go back to the app that sent you here, and open it again from there."),
        link: None,
        reference: &[("Code", ErrorCode::LinkTokenInvalid.as_str())],
    });
    let page = Page::new(title, body).status(StatusCode::UNAUTHORIZED);
    match &gone.0 {
        Some(link) => page.way_back(Some(WayBack::ended(link))).render(app),
        None => page.frames(Frames::Anybody).render(app),
    }
}
