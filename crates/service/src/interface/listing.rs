//! What all lists share: the requested window, and the number of all rows.

use axum::http::HeaderName;
use ordersync_api::order::{DEFAULT_LIMIT, MAX_LIMIT};

use crate::http::Problem;
use crate::http::fields::{LARGEST, Params};
use crate::http::problem::Answered;
use crate::store::accounts::connections::Window;

const X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");
/// The version of the list that a page belongs to.
pub(crate) const X_LIST_VERSION: HeaderName = HeaderName::from_static("x-list-version");

/// The number of all matching rows; the body holds one page of them.
pub(crate) fn total_count(total: u64) -> [(HeaderName, String); 1] {
    [(X_TOTAL_COUNT, total.to_string())]
}

/// `limit` and `offset`.
pub(crate) fn window(params: &Params) -> Answered<Window> {
    let limit = params.read("limit", &format!("a whole number from 1 to {MAX_LIMIT}"))?.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(Problem::invalid("limit", format!("limit has to be from 1 to {MAX_LIMIT}, not {limit}.")));
    }
    let offset = params.read("offset", "a whole number, 0 or more")?.unwrap_or(0);
    if offset > LARGEST.unsigned_abs() {
        return Err(Problem::invalid("offset", format!("offset has to be from 0 to {LARGEST}.")));
    }
    Ok(Window { limit, offset })
}
