//! Line items as CSV: the fourteen columns of the specification. The store supplies the lines ready to send. By then
//! the whole page is in memory, so a slow reader holds no resource of the store.

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use ordersync_api::order::CSV_COLUMNS;

use crate::http::chunks::body_of;

/// These lines as a downloadable file.
pub(crate) fn response(lines: Bytes) -> Response {
    // No column name needs quotes.
    let header = CSV_COLUMNS.join(",") + "\n";
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8; header=present"),
        (CONTENT_DISPOSITION, "attachment; filename=\"orders.csv\""),
    ];
    (headers, body_of([header.into(), lines])).into_response()
}
