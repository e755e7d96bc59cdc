//! Link tokens and sharing: for a client's back end, which presents its secret.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::SubsecRound as _;
use ordersync_api::Timestamp;
use ordersync_api::share::{EXTERNAL_USER_ID_LENGTH, LinkToken, Share};

use crate::app::App;
use crate::http::fields::Fields;
use crate::http::linked::Linked;
use crate::http::problem::Answered;
use crate::http::scoped::Backend;
use crate::http::{Problem, idempotency};
use crate::known_clients::may_return_to;
use crate::links::{self, Wanted};
use crate::store::accounts::links::LinkRow;

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
    let return_url = fields.optional_text("return_url")?;
    if return_url.is_some_and(|address| !may_return_to(&backend.client, address)) {
        let message = "return_url is not one of the client's registered addresses, to the letter. Its operator registers it: \
                       ordersync admin clients update ID --return-url URL.";
        return Err(Problem::invalid("return_url", message));
    }
    let link = LinkRow { client_id: backend.client.id, external_user_id: external_user_id.to_owned() };
    let key = idempotency::header(&headers)?;
    // As precise as the store keeps it, so that a repeated request gets an identical response.
    let now = app.store.now_for_link(&link, app.clock.now()).await?.trunc_subsecs(6);
    let made = links::create(&app.links(), Wanted { row: &link, return_url }, key, now).await?;
    let answer = LinkToken {
        link_token: made.token,
        external_user_id: link.external_user_id,
        expires_at: Timestamp(made.expires_at).into(),
    };
    let response = (StatusCode::CREATED, Json(answer)).into_response();
    Ok(if made.replayed { idempotency::replayed(response) } else { response })
}

/// GET /v1/users/share
pub(crate) async fn share(State(app): State<Arc<App>>, Linked { link, user_id }: Linked) -> Answered<Json<Share>> {
    let connections = app.store.connections_with_sharing(&user_id, &link.client_id).await?;
    let connections = connections.into_iter().filter(|(_, shared)| *shared).map(|(connection, _)| connection).collect();
    Ok(Json(Share { external_user_id: link.external_user_id, user_id: user_id.into(), connections }))
}
