//! The purpose of a sign-in, and the sign-in page that states it.

use std::sync::Arc;

use axum::http::header::HeaderMap;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use maud::Markup;

use super::next::Next;
use super::page::Page;
use super::response::{see_other, with_cookie};
use super::views::message::{Ending, Message, message};
use super::views::sign_in::{Carried, phone};
use super::way_back::WayBack;
use super::widget_session::{self, Opened};
use super::{cookies, csrf};
use crate::app::App;
use crate::authorization::request::{self as authorization, Refused};
use crate::http::fields::Params;
use crate::http::problem::Answered;
use crate::links::Link;

/// The purpose of a sign-in, determined when the sign-in is made.
pub(super) struct Purpose {
    pub(super) next: Next,
    /// The purpose in words for a person.
    pub(super) text: String,
    /// The widget's link.
    pub(super) link: Option<Opened>,
}

impl Purpose {
    /// Looks up the purpose of the page in `next`.
    /// Fails with a response that says why there is nothing to sign in for.
    pub(super) async fn of(app: &App, headers: &HeaderMap, next: Next) -> Result<Self, Response> {
        let (text, link) = match &next {
            Next::Authorize { query } => {
                let request =
                    authorization::parse(app, &params(query)).await.map_err(|refused| refusal(app, refused))?;
                (format!("to continue to {}", request.client_name), None)
            }
            Next::Device { .. } => ("to connect a device".to_owned(), None),
            Next::Account => ("to see and manage your account".to_owned(), None),
            Next::Orders { .. } => ("to see your orders".to_owned(), None),
            Next::Widget => {
                let opened = widget_session::opened(app, headers).await.map_err(IntoResponse::into_response)?;
                let opened = opened.map_err(|gone| widget_session::closed(app, &gone))?;
                let text = format!("to connect your retailers with {}", opened.link.client_name);
                (text, Some(opened))
            }
        };
        Ok(Self { next, text, link })
    }

    /// A page with one of the sign-in forms. `error`: the error in the fields submitted before.
    pub(super) fn page(
        &self,
        app: &App,
        headers: &HeaderMap,
        title: &str,
        error: Option<&str>,
        form: impl FnOnce(&Carried<'_>) -> Markup,
    ) -> Answered<Response> {
        let guard = self.guard(app, headers)?;
        let next = self.next.path();
        // A browser refuses to focus by itself what another site's page frames, and complains.
        let autofocus = !cookies::is_framed(headers);
        let sent_by = self.link().map(|link| link.client_name.as_str());
        let body = form(&Carried { purpose: &self.text, sent_by, next: &next, csrf: &guard.field, error, autofocus });
        let page = Page::new(title, body).form(error).way_back(self.way_back());
        Ok(with_cookie(page.render(app), guard.cookie))
    }

    /// The hidden field of this purpose's forms, and the cookie that goes with it. The widget's link is proof enough,
    /// and its cookie is sent from within a frame as well.
    fn guard(&self, app: &App, headers: &HeaderMap) -> Answered<csrf::Guard> {
        match &self.link {
            Some(opened) => Ok(csrf::Guard { field: csrf::field_of(app, &opened.cookie), cookie: None }),
            None => csrf::guard(app, headers),
        }
    }

    /// Whether a form came from our own page.
    pub(super) fn check(&self, app: &App, headers: &HeaderMap, given: &str) -> Answered<()> {
        match &self.link {
            Some(opened) => csrf::check(&csrf::field_of(app, &opened.cookie), given),
            None => csrf::check_guard(app, headers, given),
        }
    }

    /// A value that only this browser has.
    pub(super) fn browser(&self, app: &App, headers: &HeaderMap) -> Answered<String> {
        match &self.link {
            Some(opened) => Ok(opened.cookie.clone()),
            None => csrf::browser(app, headers),
        }
    }

    /// The way back to the app whose widget it is for.
    pub(super) fn way_back(&self) -> Option<WayBack> {
        self.link().map(WayBack::of)
    }

    pub(super) fn link(&self) -> Option<&Link> {
        self.link.as_ref().map(|opened| &opened.link)
    }
}

/// The sign-in page, in place of a page that requires its visitor to be signed in.
pub(super) async fn ask_to_sign_in(app: &Arc<App>, headers: &HeaderMap, next: Next) -> Answered<Response> {
    match Purpose::of(app, headers, next).await {
        Ok(purpose) => ask_for_phone(app, headers, &purpose, "", None),
        Err(response) => Ok(response),
    }
}

/// Asks for the phone number.
pub(super) fn ask_for_phone(
    app: &App,
    headers: &HeaderMap,
    purpose: &Purpose,
    given: &str,
    error: Option<&str>,
) -> Answered<Response> {
    purpose.page(app, headers, "Sign in", error, |carried| phone(carried, given))
}

/// The response to an invalid authorization request.
pub(super) fn refusal(app: &App, refused: Refused) -> Response {
    match refused {
        Refused::Redirect(url) => see_other(&url),
        Refused::Failed(problem) => problem.into_response(),
        Refused::Page(why) => {
            let title = "This sign-in cannot go on";
            let body = message(&Message {
                ending: Ending::Failed,
                title,
                text: &why,
                remedy: Some(
                    "You were not sent back, since it is not certain where to. Go back to the app, and start again.",
                ),
                link: None,
                reference: &[],
            });
            Page::new(title, body).status(StatusCode::BAD_REQUEST).render(app)
        }
    }
}

/// The last digits of a user's phone number.
pub(super) async fn phone_last4(app: &App, user_id: &str) -> Answered<String> {
    Ok(app.store.profile(user_id).await?.and_then(|profile| profile.phone_last4).unwrap_or_default())
}

/// The parameters of a query.
pub(super) fn params(query: &str) -> Params {
    let uri = format!("/?{query}").parse::<Uri>().unwrap_or_default();
    Params::of(&uri)
}
