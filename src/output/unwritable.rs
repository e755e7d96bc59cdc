//! The error of a result that cannot be written in a format.

use crate::errors::{Error, codes};

/// The error of a result that cannot be written in the format `form`.
pub(super) fn unwritable(form: &str, why: &dyn std::fmt::Display) -> Error {
    Error::of(&codes::command::OUTPUT, format!("The result cannot be written as {form}: {why}."))
}
