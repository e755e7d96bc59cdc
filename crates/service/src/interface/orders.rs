//! Orders at line-item level.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use ordersync_api::timestamp::parse_date_bound;
use ordersync_api::{ErrorCode, ListCompleteness, Timestamp};

use super::listing::{X_LIST_VERSION, total_count, window};
use super::orders_csv;
use super::syncing::{full, start_sync, sync_every};
use crate::app::App;
use crate::http::Problem;
use crate::http::chunks::body_of;
use crate::http::extract::Segment;
use crate::http::fields::Params;
use crate::http::linked::Reader;
use crate::http::problem::{Answered, granted, shown};
use crate::http::scoped::{AccountsSync, Mutation, OrdersRead};
use crate::store::orders::list::{LastItem, ListFormat, OrderFilter};

const X_LAST_ID: HeaderName = HeaderName::from_static("x-last-id");
const X_LAST_ORDER_DATE: HeaderName = HeaderName::from_static("x-last-order-date");
/// Of how many connections it is not known that all their items are listed: see `GET /sync/completeness`.
const X_INCOMPLETE_CONNECTIONS: HeaderName = HeaderName::from_static("x-incomplete-connections");
/// How many connections have orders whose figures do not agree with each other: `GET /sync/completeness` says how many.
const X_MISMATCH_CONNECTIONS: HeaderName = HeaderName::from_static("x-mismatch-connections");

/// GET /sync/orders
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<OrdersRead>,
    params: Params,
) -> Answered<Response> {
    let (window, filter) = (window(&params)?, filter(&params)?);
    let form = match params.text("format")? {
        None | Some("json") => ListFormat::Json,
        Some("csv") => ListFormat::Csv,
        Some(other) => {
            return Err(Problem::invalid("format", format!("format has to be json or csv, not \"{}\".", shown(other))));
        }
    };
    let form = with_included(&params, form)?;
    let page = app.store.order_page(&caller, &filter, window, form).await?;
    let headers = [
        (X_LIST_VERSION, page.version),
        (X_INCOMPLETE_CONNECTIONS, page.incomplete.to_string()),
        (X_MISMATCH_CONNECTIONS, page.mismatched.to_string()),
    ];
    let last = page.last.as_ref().map(end_of_page);
    let body = match form {
        ListFormat::Csv => orders_csv::response(page.text),
        _ => json(body_of([Bytes::from_static(b"["), page.text, Bytes::from_static(b"]")])),
    };
    Ok((total_count(page.total), headers, last, body).into_response())
}

/// GET /sync/completeness?retailer_id=
pub(crate) async fn completeness(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<OrdersRead>,
    params: Params,
) -> Answered<Json<ListCompleteness>> {
    Ok(Json(app.store.completeness(&caller, params.retailer("retailer_id")?).await?))
}

/// GET /sync/orders/{id}
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<OrdersRead>,
    Segment(id): Segment,
) -> Answered<Response> {
    granted(app.store.order_item(&caller, &id).await?, "order item", &id).map(json)
}

/// POST /sync/orders/sync?retailer=&retailer_id=&full=
pub(crate) async fn sync(State(app): State<Arc<App>>, mutation: Mutation<AccountsSync>) -> Answered<Response> {
    let (caller, key) = (&mutation.caller, mutation.key.as_ref());
    let params = mutation.params();
    let full = full(&params)?;
    let Some(retailer_id) = retailer(&params)? else {
        return sync_every(&app, caller, key, full).await;
    };
    let connection = app.store.connection_to(caller, retailer_id).await?.ok_or_else(|| {
        Problem::new(
            ErrorCode::NotFound,
            format!("There is no connection to retailer {retailer_id}. Connect it first."),
        )
    })?;
    start_sync(&app, caller, key, connection.connection_id.as_str(), full).await
}

/// The retailer to sync: `retailer`, as the specification has it, or `retailer_id`, as lists of orders have it.
fn retailer(params: &Params) -> Answered<Option<i64>> {
    match (params.retailer("retailer")?, params.retailer("retailer_id")?) {
        (Some(one), Some(other)) if one != other => {
            let message = "retailer and retailer_id name two retailers. Give one of them.";
            Err(Problem::invalid("retailer_id", message))
        }
        (one, other) => Ok(one.or(other)),
    }
}

/// What else is to be listed: `include=adjustments`.
fn with_included(params: &Params, form: ListFormat) -> Answered<ListFormat> {
    match (params.text("include")?, form) {
        (None, form) => Ok(form),
        (Some("adjustments"), ListFormat::Json) => Ok(ListFormat::JsonAdjusted),
        (Some("adjustments"), _) => {
            let why = "CSV has the columns of the specification alone. Remove include, or use format=json.";
            Err(Problem::invalid("include", why))
        }
        (Some(other), _) => {
            Err(Problem::invalid("include", format!("include has to be adjustments, not \"{}\".", shown(other))))
        }
    }
}

/// The item that a page of CSV ends with, which has no column for its id.
fn end_of_page(last: &LastItem) -> HeaderMap {
    let date = last.order_date.map(|date| (X_LAST_ORDER_DATE, Timestamp(date).to_string()));
    let headers = std::iter::once((X_LAST_ID, last.id.clone())).chain(date);
    headers.filter_map(|(name, value)| Some((name, HeaderValue::from_str(&value).ok()?))).collect()
}

/// A body that is JSON already.
fn json(body: impl IntoResponse) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

fn filter(params: &Params) -> Answered<OrderFilter> {
    let filter = OrderFilter {
        retailer_id: params.retailer("retailer_id")?,
        start: date(params, "start_date")?,
        end: date(params, "end_date")?,
    };
    if let (Some(start), Some(end)) = (filter.start, filter.end)
        && start >= end
    {
        return Err(Problem::invalid("start_date", "start_date has to be before end_date."));
    }
    Ok(filter)
}

fn date(params: &Params, name: &str) -> Answered<Option<DateTime<Utc>>> {
    params
        .text(name)?
        .map(|text| parse_date_bound(text).map_err(|why| Problem::invalid(name, format!("{name}: {why}."))))
        .transpose()
}
