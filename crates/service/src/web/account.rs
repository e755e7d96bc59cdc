//! The user's own account: connected retailers, the apps that have access, and the way out of both. Every change is confirmed on
//! a page of its own and carries the session's field against forgery.

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
use super::views::account::{Account, CONFIRMATION, account, confirm_deletion, confirm_disconnection};
use super::views::message::{Ending, Message, message};
use crate::app::App;
use crate::http::Problem;
use crate::http::fields::Params;
use crate::http::problem::Answered;
use crate::http::removal::removed;
use crate::signin::browser::{self, BrowserUser};
use crate::store::accounts::account::OwnConnection;
use crate::store::accounts::audit::Actor;
use crate::store::orders::removal::READERS_WAIT;

/// The path of the page.
pub(super) const PATH: &str = "/account";

/// GET /account
pub(super) async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Answered<Response> {
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::Account).await;
    };
    let body = account(&Account {
        connections: &app.store.own_connections(&user.user_id).await?,
        clients: &app.store.clients_with_access(&user.user_id, user.now).await?,
        phone_last4: &phone_last4(&app, &user.user_id).await?,
        csrf: &user.csrf,
    });
    Ok(Page::new("Your account", body).render(&app))
}

/// GET /account/disconnect
pub(super) async fn ask_to_disconnect(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    params: Params,
) -> Answered<Response> {
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::Account).await;
    };
    let connection = own(&app, &user, params.text("connection")?.unwrap_or_default()).await?;
    let body = confirm_disconnection(&connection, &user.csrf);
    Ok(Page::new("Disconnect a retailer", body).render(&app))
}

/// POST /account/disconnect
pub(super) async fn disconnect(State(app): State<Arc<App>>, headers: HeaderMap, form: Form) -> Answered<Response> {
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::Account).await;
    };
    csrf::check(&user.csrf, form.text("csrf"))?;
    let connection = own(&app, &user, form.text("connection")).await?;
    let removal = app.store.remove_connection(&user.user_id, &connection.id, Actor::User, app.clock.now()).await?;
    removed(removal, &connection.id)?;
    Ok(see_other(PATH))
}

/// GET /account/delete
pub(super) async fn ask_to_delete(State(app): State<Arc<App>>, headers: HeaderMap) -> Answered<Response> {
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::Account).await;
    };
    ask_for_confirmation(&app, &user, None).await
}

/// POST /account/delete
pub(super) async fn delete(State(app): State<Arc<App>>, headers: HeaderMap, form: Form) -> Answered<Response> {
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::Account).await;
    };
    csrf::check(&user.csrf, form.text("csrf"))?;
    if !form.text("confirmation").eq_ignore_ascii_case(CONFIRMATION) {
        let why = format!("Nothing was deleted. To delete your account, type the word {CONFIRMATION}.");
        return ask_for_confirmation(&app, &user, Some(&why)).await;
    }
    let forgotten = browser::sign_out(&app.sign_in(), &headers).await?;
    // In a task of its own: it ends even if the browser goes away, or if millions of rows take longer than a request may.
    let (store, clock, user_id) = (app.store.clone(), Arc::clone(&app.clock), user.user_id);
    let deletion = tokio::spawn(async move {
        match store.phone_digest_of(&user_id).await? {
            Some(digest) => store.delete_user(&user_id, &digest, Actor::User, &*clock).await?,
            // Deleted meanwhile, from another browser.
            None => return Ok(()),
        }
        // If somebody reads from it now, the store empties it later.
        store.empty_log(READERS_WAIT).await.map(drop)
    });
    deletion.await.map_err(|_| Problem::internal("the deletion of a user panicked"))??;
    let title = "Your account is deleted";
    let text = "Your retailers, orders and sign-ins are gone, and no app has access to them any more. What apps have read before, \
                they may still have: ask them to delete it.";
    let body = message(&Message { ending: Ending::Done, title, text, remedy: None, link: None, reference: &[] });
    Ok(with_cookie(Page::new(title, body).render(&app), Some(forgotten)))
}

/// The user's own connection of that id.
async fn own(app: &App, user: &BrowserUser, id: &str) -> Answered<OwnConnection> {
    let all = app.store.own_connections(&user.user_id).await?;
    all.into_iter().find(|connection| connection.id == id).ok_or_else(|| Problem::not_found("connection", id))
}

async fn ask_for_confirmation(app: &App, user: &BrowserUser, error: Option<&str>) -> Answered<Response> {
    let connections = app.store.own_connections(&user.user_id).await?;
    let body = confirm_deletion(&connections, &user.csrf, error);
    Ok(Page::new("Delete your account", body).form(error).render(app))
}
