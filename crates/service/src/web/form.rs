//! The form that a page sends: `application/x-www-form-urlencoded`.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use ordersync_api::ErrorCode;

use crate::app::App;
use crate::http::Problem;
use crate::http::body::is_form;
use crate::http::problem::Answered;

/// The longest query of an authorization request. The consent form could not return a longer one.
pub(super) const AUTHORIZATION_BYTES: usize = 8 * 1024;
/// The largest form: that of the consent page, which carries the whole authorization request, encoded a second time.
/// Each of its bytes may then take three.
const LIMIT: usize = 4 * 1024 + 3 * AUTHORIZATION_BYTES;

/// The fields of a form. A missing field reads as empty.
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// The field's text, without surrounding spaces.
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.trim())
    }
}

impl FromRequest<Arc<App>> for Form {
    type Rejection = Problem;

    async fn from_request(request: Request, _app: &Arc<App>) -> Answered<Self> {
        if !is_form(request.headers()) {
            let message = "This takes what the page's form sends.";
            return Err(Problem::new(ErrorCode::UnsupportedMediaType, message));
        }
        let body = axum::body::to_bytes(request.into_body(), LIMIT)
            .await
            .map_err(|_| Problem::new(ErrorCode::PayloadTooLarge, "The form is too large, or did not arrive whole."))?;
        Ok(Self(url::form_urlencoded::parse(&body).into_owned().collect()))
    }
}
