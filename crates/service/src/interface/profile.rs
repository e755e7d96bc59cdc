//! The profile of the signed-in user.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ordersync_api::{ErrorCode, Profile};

use crate::app::App;
use crate::http::Problem;
use crate::http::problem::Answered;
use crate::http::scoped::{Authorized, ProfileRead};

/// GET /sync/profile
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ProfileRead>,
) -> Answered<Json<Profile>> {
    let profile = app.store.profile(&caller.user_id).await?;
    profile.map(Json).ok_or_else(|| Problem::new(ErrorCode::NotFound, "There is no such user any more."))
}
