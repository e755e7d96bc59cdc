//! The pages: sign-in, consent, device code, and the widget. Server-rendered, with a strict content security policy:
//! no inline script or style, nothing loaded from elsewhere. All but the widget work without scripts.

mod assets;
mod consent;
mod cookies;
mod csrf;
mod device;
mod errors;
mod form;
pub(crate) mod landing;
mod next;
mod page;
mod remembered;
mod sign_in;
mod views;
mod visitor;
mod widget;
mod widget_api;
mod widget_session;

use axum::routing::{get, post};

pub(crate) use errors::errors_as_pages;

use crate::http::Route;

/// The pages' routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/oauth/authorize", get(consent::show)),
        Route::post("/oauth/authorize/decision", post(consent::decide)),
        Route::post("/sign-in", post(sign_in::send)),
        Route::post("/sign-in/verify", post(sign_in::verify)),
        Route::post("/sign-out", post(sign_in::sign_out)),
        Route::get("/device", get(device::show)),
        Route::post("/device", post(device::submit)),
        Route::get("/widget", get(widget::show)),
        Route::post("/widget/token", post(widget_api::token)),
        Route::get("/widget/connections", get(widget_api::connections)),
        Route::post("/widget/share", post(widget_api::share)),
        Route::post("/widget/remove", post(widget_api::remove)),
        Route::get("/assets/{file}", get(assets::serve)),
    ]
}
