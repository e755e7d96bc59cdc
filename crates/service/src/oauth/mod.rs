//! The authorization server: OAuth 2.0, implemented directly from the RFCs. Every token is opaque and stored as a
//! digest only.
//!
//! Its pages (sign-in, consent, device) are in `web`; code that both need is in `authorization`.

mod client_auth;
mod device;
mod metadata;
mod revoke;
mod token;

#[cfg(test)]
mod tests;

use crate::http::route::Route;

/// The authorization server's routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get(metadata::PATH, metadata::read).public().any_query(),
        Route::post(token::PATH, token::issue).client_secret().any_query(),
        Route::post(device::PATH, device::start).client_secret().any_query(),
        Route::post(revoke::PATH, revoke::revoke).client_secret().any_query(),
    ]
}
