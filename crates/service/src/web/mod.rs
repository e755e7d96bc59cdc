//! The pages: sign-in, consent, device code, the user's account, and the widget. Server-rendered, with a strict content security policy:
//! no inline script or style, nothing loaded from elsewhere. All but the widget work without scripts.

mod account;
pub(crate) mod assets;
mod consent;
mod cookies;
mod csrf;
mod device;
mod errors;
mod form;
mod landing;
mod local;
mod next;
mod orders;
mod page;
mod purpose;
mod remembered;
mod response;
mod sign_in;
mod views;
mod way_back;
mod widget;
mod widget_api;
mod widget_session;
pub(crate) mod widget_token;

pub(crate) use errors::{ErrorPages, errors_as_pages};

use crate::http::route::Route;

/// The pages' routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/oauth/authorize", consent::show).page(),
        Route::post("/oauth/authorize/decision", consent::decide).page(),
        Route::post("/sign-in", sign_in::send).page(),
        Route::post("/sign-in/verify", sign_in::verify).page(),
        Route::post("/sign-out", sign_in::sign_out).page(),
        Route::get("/device", device::show).page(),
        Route::post("/device", device::submit).page(),
        Route::get(widget::PATH, widget::show).page(),
        Route::post("/widget/confirm", widget::confirm).page(),
        Route::post("/widget/token", widget_api::token).public().any_query(),
        Route::get("/widget/connections", widget_api::connections).public().any_query(),
        Route::post("/widget/share", widget_api::share).public().any_query(),
        Route::post("/widget/remove", widget_api::remove).public().any_query(),
        Route::get(account::PATH, account::show).page(),
        Route::get("/account/disconnect", account::ask_to_disconnect).page(),
        Route::post("/account/disconnect", account::disconnect).page(),
        Route::get("/account/delete", account::ask_to_delete).page(),
        Route::post("/account/delete", account::delete).page(),
        Route::get(orders::PATH, orders::list).page(),
        Route::get("/account/orders/charts", orders::charts).page(),
        Route::get("/account/orders/download", orders::download).page(),
        Route::get("/account/orders/documents/{documentId}", orders::document).page(),
        Route::get("/account/orders/{id}", orders::show).page(),
        Route::get("/assets/{file}", assets::serve).public().unlimited().any_query(),
    ]
}

/// The pages that only the service inside a command has.
pub(crate) fn local_routes() -> Vec<Route> {
    vec![Route::get("/local/browser/{pass}", local::enter).page()]
}

/// The pages that only a sandbox has.
pub(crate) fn sandbox_routes() -> Vec<Route> {
    vec![Route::get("/", landing::show).page()]
}
