//! The error of a result that has no such form.

use crate::codes;
use crate::error::Error;

/// A result that has no such form.
pub(super) fn unwritable(form: &str, why: &dyn std::fmt::Display) -> Error {
    Error::of(&codes::command::OUTPUT, format!("The result cannot be written as {form}: {why}."))
}
