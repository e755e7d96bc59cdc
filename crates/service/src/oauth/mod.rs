//! The authorization server: OAuth 2.0 on the RFCs, by hand. Every token is opaque, and rests as a digest only.
//!
//! Its pages (sign-in, consent, device) are in `web`; what both need is in `authorization`.

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
        Route::get(metadata::PATH, metadata::read).public(),
        Route::post(token::PATH, token::issue).client_secret(),
        Route::post(device::PATH, device::start).client_secret(),
        Route::post(revoke::PATH, revoke::revoke).client_secret(),
    ]
}
