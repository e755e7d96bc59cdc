//! The authorization server: OAuth 2.0 on the RFCs, by hand. Every token is opaque, and rests as a digest only.
//!
//! Its pages (sign-in, consent, device) are in `web`; what they decide is done here.

pub(crate) mod authorize;
pub(crate) mod browser;
pub(crate) mod client_auth;
pub mod delivery;
pub(crate) mod device;
mod error;
mod metadata;
pub(crate) mod otp;
pub(crate) mod otp_limits;
mod pkce;
mod revoke;
mod scopes;
mod token;
pub(crate) mod tokens;

#[cfg(test)]
mod tests;

use axum::routing::{get, post};
use chrono::{DateTime, Utc};

use crate::http::Route;
use crate::store::clients::Client;

/// The client that the command line is, at every service.
pub(crate) const COMMAND_LINE: &str = "ordersync-cli";

/// The authorization server's routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get(metadata::PATH, get(metadata::read)),
        Route::post(token::PATH, post(token::issue)),
        Route::post(device::PATH, post(device::start)),
        Route::post(revoke::PATH, post(revoke::revoke)),
    ]
}

/// The command line as a client: public, and led back to a port of its own on the machine it runs on (RFC 8252 §7.3).
pub(crate) fn command_line(now: DateTime<Utc>) -> Client {
    Client {
        name: "ordersync command line".into(),
        redirect_uris: vec!["http://127.0.0.1/callback".into(), "http://[::1]/callback".into()],
        ..Client::open(COMMAND_LINE, now)
    }
}
