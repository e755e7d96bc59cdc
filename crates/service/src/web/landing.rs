//! The first page of a sandbox: what this is, and how to begin. A live service has no such page: its users arrive by a
//! link.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::page::Page;
use super::views::landing::landing;
use crate::app::App;

/// GET /
pub(super) async fn show(State(app): State<Arc<App>>) -> Response {
    Page::new("A sandbox", landing(&app.issuer)).render(&app)
}
