//! What the service does for the command that it runs in, and for nobody else: no other service has these routes, and no
//! token but that command's own is accepted.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ordersync_api::look::{BrowserPass, Look};
use ordersync_api::{ErrorCode, Scope};
use serde_json::json;

use crate::app::App;
use crate::connector::recognize;
use crate::http::Problem;
use crate::http::fields::Fields;
use crate::http::problem::Answered;
use crate::http::scoped::SignedIn;
use crate::known_clients::LOCAL;

/// POST /local/browser: the path of a page that signs a browser in, once.
pub(crate) async fn browser(State(app): State<Arc<App>>, SignedIn(caller): SignedIn) -> Answered<Json<BrowserPass>> {
    if app.local_token.is_none() || caller.client_id != LOCAL {
        return Err(Problem::insufficient_scope(Scope::OrdersRead));
    }
    let pass = app.passes.issue(app.clock.elapsed())?;
    Ok(Json(BrowserPass { path: format!("/local/browser/{pass}") }))
}

/// POST /local/look: what a shop at an address runs on.
pub(crate) async fn look(
    State(app): State<Arc<App>>,
    SignedIn(caller): SignedIn,
    fields: Fields,
) -> Answered<Json<Look>> {
    // A token that somebody got at the widget of this machine is one for orders.
    if app.local_token.is_none() || caller.client_id != LOCAL {
        return Err(Problem::insufficient_scope(Scope::AccountsConnect));
    }
    fields.only(&["url", "allowPrivateNetwork"])?;
    let url = fields.text("url")?;
    let allow_private_network = fields.optional_flag("allowPrivateNetwork")?.unwrap_or(false);
    let looked = recognize::look(url, allow_private_network).await;
    looked.map(Json).map_err(|why| {
        Problem::new(ErrorCode::InvalidRequest, why.to_string()).with_details(json!({ "reason": why.reason() }))
    })
}
