//! The key that seals credentials.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ordersync_api::Totp;

use crate::app::App;
use crate::http::problem::Answered;
use crate::http::scoped::{AccountsConnect, Authorized};
use crate::sealing;

/// GET /sync/auth/totp
pub(crate) async fn issue(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<AccountsConnect>,
) -> Answered<Json<Totp>> {
    Ok(Json(sealing::issue(&app.keys, &caller)?))
}
