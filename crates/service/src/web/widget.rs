//! The widget: opened with a link token, which is exchanged at once for the widget's own session.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::csrf;
use super::form::Form;
use super::next::Next;
use super::page::Page;
use super::purpose::{ask_to_sign_in, phone_last4};
use super::response::{see_other, with_cookie};
use super::views::confirm::{Confirm, confirm as confirm_page};
use super::views::widget::{Widget, widget};
use super::way_back::WayBack;
use super::widget_session::{Opened, Visitor, bind, closed, find, keep, opened, opened_as, visitor};
use crate::app::App;
use crate::connector::simulated;
use crate::http::fields::Params;
use crate::http::problem::Answered;
use crate::links;
use crate::signin::browser::{self, BrowserUser};

/// The path of the widget.
pub(super) const PATH: &str = "/widget";

/// GET /widget
pub(super) async fn show(State(app): State<Arc<App>>, headers: HeaderMap, params: Params) -> Answered<Response> {
    if let Some(link_token) = params.text("link_token")? {
        return match find(&app, link_token).await? {
            Err(gone) => Ok(closed(&app, &gone)),
            Ok(_) => Ok(with_cookie(see_other(PATH), Some(keep(&app, &headers, link_token)?))),
        };
    }
    let opened = match opened(&app, &headers).await? {
        Ok(opened) => opened,
        Err(gone) => return Ok(closed(&app, &gone)),
    };
    match visitor(&app, &headers, &opened.link).await? {
        Visitor::Bound(user) => retailers(&app, &opened, &user).await,
        Visitor::Known(user) => ask_to_continue(&app, &opened, &user).await,
        Visitor::Stranger => ask_to_sign_in(&app, &headers, Next::Widget).await,
    }
}

/// POST /widget/confirm: the user, who has agreed to the app in this session, continues to its widget.
pub(super) async fn confirm(State(app): State<Arc<App>>, headers: HeaderMap, form: Form) -> Answered<Response> {
    // The answer is for the link that the page named, whatever the browser has opened since.
    let opened = match opened_as(&app, &headers, form.text("link")).await? {
        Ok(opened) => opened,
        Err(gone) => return Ok(closed(&app, &gone)),
    };
    match visitor(&app, &headers, &opened.link).await? {
        Visitor::Bound(_) => Ok(see_other(PATH)),
        Visitor::Stranger => ask_to_sign_in(&app, &headers, Next::Widget).await,
        Visitor::Known(user) => {
            csrf::check(&user.csrf, form.text("csrf"))?;
            if let Some(refused) = bind(&app, &opened.link, &user.user_id).await? {
                return Ok(refused);
            }
            browser::agree(&app.sign_in(), &user, &opened.link.client_id).await?;
            Ok(see_other(PATH))
        }
    }
}

async fn retailers(app: &App, opened: &Opened, user: &BrowserUser) -> Answered<Response> {
    let body = widget(&Widget {
        client_name: &opened.link.client_name,
        phone_last4: &phone_last4(app, &user.user_id).await?,
        csrf: &user.csrf,
        link: &opened.id(app),
        hint: app.environment.is_sandbox().then(simulated::some_to_try),
    });
    Ok(Page::new("Your retailers", body).way_back(Some(WayBack::of(&opened.link))).widget().render(app))
}

async fn ask_to_continue(app: &App, opened: &Opened, user: &BrowserUser) -> Answered<Response> {
    let connections = links::connections(&app.links(), &opened.link, &user.user_id).await?;
    let shared: Vec<&str> = connections
        .iter()
        .filter(|(_, is_shared)| *is_shared)
        .filter_map(|(connection, _)| connection.display_name.as_deref())
        .collect();
    let body = confirm_page(&Confirm {
        client_name: &opened.link.client_name,
        phone_last4: &phone_last4(app, &user.user_id).await?,
        shared: &shared,
        link: &opened.id(app),
        csrf: &user.csrf,
    });
    Ok(Page::new("Continue", body).way_back(Some(WayBack::of(&opened.link))).render(app))
}
