//! Signing a browser in that the command opened, in whose process the service runs.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use ordersync_api::ErrorCode;

use super::orders;
use super::response::{see_other, with_cookie};
use crate::app::App;
use crate::http::Problem;
use crate::http::extract::Segment;
use crate::http::problem::Answered;
use crate::known_clients::LOCAL;
use crate::signin::browser;

/// GET /local/browser/{pass}
pub(super) async fn enter(State(app): State<Arc<App>>, Segment(pass): Segment) -> Answered<Response> {
    if app.local_token.is_none() || !app.passes.redeem(&pass, app.clock.elapsed()) {
        let why = "This link was used before, or is older than a minute. Run `ordersync open` again.";
        return Err(Problem::new(ErrorCode::NotFound, why));
    }
    let cookie = browser::sign_in(&app.sign_in(), LOCAL, None).await?;
    Ok(with_cookie(see_other(orders::PATH), Some(cookie)))
}
