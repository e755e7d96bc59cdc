//! The user's request budget: a setting of a profile, or an environment variable.

use super::file::Profile;
use super::value::{Origin, Value};
use crate::client::budget::Choice;
use crate::client::budget::quota::Quota;
use crate::env::{self, Environment};
use crate::error::{Error, Result};
use crate::values::{RateLimit, parse_rate_limit};

/// Parses `50`, `50/10s` or `off`.
///
/// # Errors
///
/// If the text is none of these; the message names its origin.
pub(super) fn parse(text: &str, origin: Origin) -> Result<Value<Choice>> {
    match parse_rate_limit(text) {
        Ok(RateLimit(None)) => Ok(Value::new(Choice::Off, origin)),
        Ok(RateLimit(Some((requests, window)))) => Ok(Value::new(Choice::AtMost(Quota { requests, window }), origin)),
        Err(why) => Err(Error::usage(format!("{origin}: request_budget \"{text}\" cannot be used: {why}."))),
    }
}

/// From the environment, else from the profile.
pub(super) fn resolve(environment: &Environment, entry: Option<&Profile>, file: &Origin) -> Result<Value<Choice>> {
    if let Some(text) = environment.get(&env::REQUEST_BUDGET) {
        return parse(text, Origin::Environment(env::REQUEST_BUDGET.name));
    }
    match entry.and_then(|entry| entry.request_budget.as_deref()) {
        Some(text) => parse(text, file.clone()),
        None => Ok(Value::new(Choice::AsStated, Origin::Default)),
    }
}
