//! Link tokens and sharing: for a client's back end, which presents its secret.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::SubsecRound as _;
use ordersync_api::share::{EXTERNAL_USER_ID_LENGTH, LinkToken, Share};
use ordersync_api::{ErrorCode, Timestamp};

use crate::app::App;
use crate::http::fields::Fields;
use crate::http::problem::Answered;
use crate::http::scoped::Backend;
use crate::http::{Problem, idempotency};
use crate::links;
use crate::store::links::LinkRow;
use crate::token::Prefix;

const X_LINK_TOKEN: &str = "x-link-token";

/// POST /v1/link/token
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    backend: Backend,
    headers: HeaderMap,
    fields: Fields,
) -> Answered<Response> {
    let external_user_id = fields.text("external_user_id")?;
    if !(1..=EXTERNAL_USER_ID_LENGTH).contains(&external_user_id.chars().count()) {
        let message = format!("external_user_id has to be 1 to {EXTERNAL_USER_ID_LENGTH} characters; it is never cut.");
        return Err(Problem::invalid("external_user_id", message));
    }
    let link = LinkRow { client_id: backend.client_id, external_user_id: external_user_id.to_owned() };
    let key = idempotency::header(&headers)?;
    // As precise as the store keeps it, so that a repeated request gets an identical response.
    let now = app.clock.now().trunc_subsecs(6);
    let made = links::create(&app.links(), &link, key, now).await?;
    let answer = LinkToken {
        link_token: made.token,
        external_user_id: link.external_user_id,
        expires_at: Timestamp(made.expires_at).into(),
    };
    let response = (StatusCode::CREATED, Json(answer)).into_response();
    Ok(if made.replayed { idempotency::replayed(response) } else { response })
}

/// GET /v1/users/share
pub(crate) async fn share(State(app): State<Arc<App>>, backend: Backend, headers: HeaderMap) -> Answered<Json<Share>> {
    let Some(token) = headers.get(X_LINK_TOKEN) else {
        let message = "This needs the header X-Link-Token. Create a link token via POST /v1/link/token.";
        return Err(Problem::new(ErrorCode::MissingLinkToken, message));
    };
    let invalid = || {
        let message = "The link token is unknown or has expired. Create a new one via POST /v1/link/token.";
        Problem::new(ErrorCode::LinkTokenInvalid, message)
    };
    let token = token.to_str().ok();
    let digest = token.and_then(|token| Prefix::LINK.digest(app.environment, token)).ok_or_else(invalid)?;
    let link = app.store.link(&digest, app.clock.now()).await?;
    // Another client's token is treated as invalid.
    let link = link.filter(|link| link.client_id == backend.client_id).ok_or_else(invalid)?;
    let Some(user_id) = app.store.bound_user(&link).await? else {
        let message = "No user is bound to this external_user_id yet. The user opens the widget and completes the \
                       one-time-password step; binding then happens by itself.";
        return Err(Problem::new(ErrorCode::UserNotFound, message));
    };
    let connections = app.store.connections_with_sharing(&user_id, &link.client_id).await?;
    let connections = connections.into_iter().filter(|(_, shared)| *shared).map(|(connection, _)| connection).collect();
    Ok(Json(Share { external_user_id: link.external_user_id, user_id: user_id.into(), connections }))
}
