//! The widget: opened with a link token, which is exchanged at once for the widget's own session.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::next::Next;
use super::page::{Frames, Page};
use super::purpose::{ask_to_sign_in, phone_last4};
use super::response::{see_other, with_cookie};
use super::views::widget::{Widget, widget};
use super::widget_session::{bound_user, closed, keep, opened};
use crate::app::App;
use crate::connector::simulated;
use crate::http::fields::Params;
use crate::http::problem::Answered;
use crate::links;

/// The path of the widget.
pub(super) const PATH: &str = "/widget";

/// GET /widget
pub(super) async fn show(State(app): State<Arc<App>>, headers: HeaderMap, params: Params) -> Answered<Response> {
    if let Some(link_token) = params.text("link_token")? {
        return match links::open(&app.links(), link_token).await? {
            None => Ok(closed(&app)),
            Some(_) => Ok(with_cookie(see_other(PATH), Some(keep(&app, &headers, link_token)?))),
        };
    }
    let Some(opened) = opened(&app, &headers).await? else { return Ok(closed(&app)) };
    let Some(user) = bound_user(&app, &headers, &opened.link).await? else {
        return ask_to_sign_in(&app, &headers, Next::Widget).await;
    };
    let body = widget(&Widget {
        client_name: &opened.link.client_name,
        phone_last4: &phone_last4(&app, &user.user_id).await?,
        csrf: &user.csrf,
        link: &opened.id(&app),
        hint: app.environment.is_sandbox().then(simulated::some_to_try),
    });
    Ok(Page::new("Your retailers", body).frames(Frames::of(&opened.link.frame_ancestors)).widget().render(&app))
}
