//! The parameters of a request, as OAuth reads them (RFC 6749 §3.1 and §3.2).

use super::error::{Answered, OAuthError};
use crate::http::fields::Params;

/// The fields of a form.
pub(crate) struct Form(Params);

impl Form {
    pub(crate) const fn new(params: Params) -> Self {
        Self(params)
    }

    /// The field's value. A field with an empty value counts as absent (RFC 6749 §3.1), and no field may be repeated
    /// (§3.2).
    pub(crate) fn text(&self, name: &str) -> Answered<Option<&str>> {
        match self.0.text(name) {
            Ok(value) => Ok(value.filter(|value| !value.is_empty())),
            Err(_) => Err(OAuthError::invalid_request("A parameter is given more than once.")),
        }
    }

    /// The value of a required field.
    pub(crate) fn required(&self, name: &str, missing: &'static str) -> Answered<&str> {
        self.text(name)?.ok_or_else(|| OAuthError::invalid_request(missing))
    }
}
