//! The pages: sign-in, consent, device code, and the widget. Server-rendered, with a strict content security policy.

use crate::http::Route;

/// The pages' routes.
pub(crate) fn routes() -> Vec<Route> {
    Vec::new()
}
