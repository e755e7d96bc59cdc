//! The authorization server: OAuth 2.0 on the RFCs, by hand. Every token is opaque, and rests as a digest only.

pub mod delivery;

use crate::http::Route;

/// The authorization server's routes.
pub(crate) fn routes() -> Vec<Route> {
    Vec::new()
}
