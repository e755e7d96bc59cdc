//! Line items as CSV: the fourteen columns of the specification, quoted as in RFC 4180 §2, lines ended by a line feed,
//! dates in UTC, decimals as they are, unknown as empty. Sent in pieces, so that no reader has to wait for the whole.

use axum::body::Body;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::stream;
use ordersync_api::OrderItem;
use ordersync_api::order::CSV_COLUMNS;

use super::Problem;

/// Rows in a piece.
const PIECE: usize = 200;

/// A downloadable file of these items.
pub(super) fn response(items: Vec<OrderItem>) -> Result<Response, Problem> {
    // Only memory is written to, and a page is at most 1000 rows: what can fail fails before the first byte is sent.
    let mut pieces = vec![piece(|csv| csv.write_record(CSV_COLUMNS))?];
    for rows in items.chunks(PIECE) {
        pieces.push(piece(|csv| rows.iter().try_for_each(|item| csv.write_record(record(item))))?);
    }
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8; header=present"),
        (CONTENT_DISPOSITION, "attachment; filename=\"orders.csv\""),
    ];
    let body = Body::from_stream(stream::iter(pieces.into_iter().map(Ok::<_, std::convert::Infallible>)));
    Ok((headers, body).into_response())
}

fn piece(write: impl FnOnce(&mut csv::Writer<Vec<u8>>) -> csv::Result<()>) -> Result<Bytes, Problem> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    write(&mut writer).map_err(|error| Problem::internal(error.to_string()))?;
    writer.into_inner().map(Bytes::from).map_err(|error| Problem::internal(error.to_string()))
}

fn record(item: &OrderItem) -> [String; CSV_COLUMNS.len()] {
    fn shown<T: ToString>(value: Option<&T>) -> String {
        value.map(ToString::to_string).unwrap_or_default()
    }
    [
        shown(item.retailer_name.as_ref()),
        shown(item.order_id.as_ref()),
        shown(item.order_date.as_ref()),
        shown(item.item_name.as_ref()),
        shown(item.brand_name.as_ref()),
        shown(item.department.as_ref()),
        shown(item.category.as_ref()),
        shown(item.sub_category.as_ref()),
        shown(item.retailer_sku.as_ref()),
        shown(item.quantity.as_ref()),
        shown(item.price.as_ref()),
        shown(item.currency.as_ref()),
        shown(item.shipment_status.as_ref()),
        shown(item.order_total.as_ref()),
    ]
}
