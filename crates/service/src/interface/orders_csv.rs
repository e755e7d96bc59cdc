//! Line items as CSV: the fourteen columns of the specification. The lines come from the store as they are sent; the whole
//! page is in memory by then, so that a slow reader holds nothing of the store.

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use ordersync_api::order::CSV_COLUMNS;

use crate::http::chunks::body_of;

/// A downloadable file of these lines.
pub(crate) fn response(lines: Bytes) -> Response {
    // None of the columns' names needs quotes.
    let header = CSV_COLUMNS.join(",") + "\n";
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8; header=present"),
        (CONTENT_DISPOSITION, "attachment; filename=\"orders.csv\""),
    ];
    (headers, body_of([header.into(), lines])).into_response()
}
