//! The interface that clients call: one file per resource, plus health.
//!
//! A handler reads like its specification: extractors decide who may call it, and failures are a
//! [`Problem`](crate::http::Problem).

mod connections;
mod documents;
mod failures;
mod health;
mod imports;
mod links;
mod listing;
mod local;
pub(crate) mod metrics;
mod mfa;
mod orders;
mod orders_csv;
mod profile;
mod retailers;
mod sandbox;
mod sessions;
mod syncing;
mod totp;

use axum::handler::Handler as _;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

pub(crate) use failures::force;

use crate::http::route::Route;

/// Lists are compressed from this many bytes on.
const COMPRESSED_ABOVE: u64 = 1024;

/// The parameters of `GET /sync/orders`.
const ORDERS: [&str; 7] = ["retailer_id", "limit", "offset", "start_date", "end_date", "format", "include"];

/// The routes of the interface and of health.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/sync/retailers", retailers::list).public(),
        Route::get("/sync/connections", connections::list).list().query(&["status", "limit", "offset"]),
        Route::post("/sync/connections/connect", connections::connect),
        Route::post("/sync/connections/sync", connections::sync_all).query(&["full"]),
        Route::get("/sync/connections/{connectionId}", connections::read),
        Route::put("/sync/connections/{connectionId}", connections::fix),
        Route::delete("/sync/connections/{connectionId}", connections::remove),
        Route::post("/sync/connections/{connectionId}/sync", connections::sync_one).query(&["full"]),
        Route::get("/sync/orders", orders::list.layer(compressed())).list().query(&ORDERS),
        Route::post("/sync/orders/sync", orders::sync).query(&["retailer", "retailer_id", "full"]),
        Route::get("/sync/orders/{id}", orders::read),
        Route::get("/sync/completeness", orders::completeness).query(&["retailer_id"]),
        Route::get("/sync/sessions/latest", sessions::latest),
        Route::get("/sync/sessions/{batchId}", sessions::read),
        Route::post("/sync/imports", imports::import),
        Route::post("/sync/documents", documents::keep).list(),
        Route::get("/sync/documents", documents::list).list().query(&["retailer_id", "order_id", "limit", "offset"]),
        Route::get("/sync/documents/{documentId}", documents::read),
        Route::post("/sync/mfa", mfa::submit),
        Route::get("/sync/auth/totp", totp::issue),
        Route::get("/sync/profile", profile::read),
        Route::post("/v1/link/token", links::create),
        Route::get("/v1/users/share", links::share),
        Route::get("/healthz", health::alive).public().unlimited(),
        Route::get("/readyz", health::ready).public().unlimited(),
        Route::get("/metrics", metrics::read).public().unlimited(),
    ]
}

/// The controls of a sandbox. `with_tokens`: whether to include the one that gives anybody an access token.
pub(crate) fn controls(with_tokens: bool) -> Vec<Route> {
    let token = with_tokens.then(|| Route::post("/sandbox/token", sandbox::token).control().public());
    let controls = [
        Route::post("/sandbox/reset", sandbox::reset).control(),
        Route::post("/sandbox/unbind", sandbox::unbind).control(),
        Route::post("/sandbox/break", sandbox::break_connection).control(),
        Route::post("/sandbox/clock", sandbox::clock).control(),
        Route::get("/sandbox/otp", sandbox::one_time_passwords).control().query(&["phone"]),
        Route::post("/sandbox/fail", failures::fail).control(),
        Route::delete("/sandbox/fail", failures::clear).control().query(&["client_id"]),
    ];
    token.into_iter().chain(controls).collect()
}

/// What the service does for the command that it runs in.
pub(crate) fn local() -> Vec<Route> {
    vec![Route::post("/local/look", local::look), Route::post("/local/browser", local::browser)]
}

/// Compresses a list if the client accepts it: quickly rather than well. Nothing else is compressed: the length of a
/// compressed response that holds a secret next to text chosen by another party would leak the secret (BREACH).
fn compressed() -> CompressionLayer<SizeAbove> {
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(SizeAbove::new(COMPRESSED_ABOVE))
}
