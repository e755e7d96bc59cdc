//! The requests of the widget's script to its own page: a token for the interface, the state of sharing, and removal.
//!
//! The browser's session is the caller. Each request names the link that its page was opened with, so that two widgets
//! in one browser do not act for each other, and each change carries the session's field against forgery.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use ordersync_api::{Connection, ErrorCode, Timestamp};
use serde::Serialize;

use super::widget_session::{Opened, bound_user, opened_as};
use super::{csrf, widget_token};
use crate::app::App;
use crate::http::Problem;
use crate::http::fields::Fields;
use crate::http::problem::Answered;
use crate::http::removal::removed;
use crate::links;
use crate::signin::browser::BrowserUser;
use crate::store::accounts::audit::Actor;

const CSRF: &str = "x-csrf-token";
const LINK: &str = "x-widget-link";

/// A token for the widget's script.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WidgetToken {
    access_token: String,
    /// The user's time, for countdowns to an expiry.
    now: Timestamp,
}

/// A connection, and whether the link's client sees it.
#[derive(Serialize)]
pub(super) struct WidgetConnection {
    #[serde(flatten)]
    connection: Connection,
    shared: bool,
}

/// The state of sharing.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sharing {
    connection_id: String,
    shared: bool,
}

/// POST /widget/token
pub(super) async fn token(State(app): State<Arc<App>>, headers: HeaderMap) -> Answered<Json<WidgetToken>> {
    let (opened, user) = session(&app, &headers).await?;
    check(&user, &headers)?;
    let access_token = widget_token::new(&app, &opened.link, &user.user_id).await?;
    Ok(Json(WidgetToken { access_token, now: Timestamp(user.now) }))
}

/// GET /widget/connections
pub(super) async fn connections(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Answered<Json<Vec<WidgetConnection>>> {
    let (opened, user) = session(&app, &headers).await?;
    let connections = links::connections(&app.links(), &opened.link, &user.user_id).await?;
    Ok(Json(connections.into_iter().map(|(connection, shared)| WidgetConnection { connection, shared }).collect()))
}

/// POST /widget/share
pub(super) async fn share(State(app): State<Arc<App>>, headers: HeaderMap, fields: Fields) -> Answered<Json<Sharing>> {
    let (opened, user) = session(&app, &headers).await?;
    check(&user, &headers)?;
    let connection_id = fields.text("connectionId")?.to_owned();
    let shared = fields.optional_flag("shared")?.ok_or_else(|| Problem::invalid("shared", "shared is missing."))?;
    if !links::set_shared(&app.links(), &opened.link, &user.user_id, &connection_id, shared).await? {
        return Err(Problem::not_found("connection", &connection_id));
    }
    Ok(Json(Sharing { connection_id, shared }))
}

/// POST /widget/remove
pub(super) async fn remove(State(app): State<Arc<App>>, headers: HeaderMap, fields: Fields) -> Answered<StatusCode> {
    let (_, user) = session(&app, &headers).await?;
    check(&user, &headers)?;
    let connection_id = fields.text("connectionId")?;
    removed(
        app.store.remove_connection(&user.user_id, connection_id, Actor::User, app.clock.now()).await?,
        connection_id,
    )
}

async fn session(app: &App, headers: &HeaderMap) -> Answered<(Opened, BrowserUser)> {
    let ended = || Problem::new(ErrorCode::LinkTokenInvalid, "The widget's session has ended. Open it again.");
    let opened = opened_as(app, headers, header(headers, LINK)).await?.map_err(|_gone| ended())?;
    let user = bound_user(app, headers, &opened.link).await?.ok_or_else(ended)?;
    Ok((opened, user))
}

fn check(user: &BrowserUser, headers: &HeaderMap) -> Answered<()> {
    csrf::check(&user.csrf, header(headers, CSRF))
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
