//! Orders that come from files.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use ordersync_api::import::MOST_ORDERS;
use ordersync_api::{ErrorCode, ImportRequest, ImportedItem, ImportedOrder};
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::domain::order::{LineItem, RetailerOrder};
use crate::http::problem::Answered;
use crate::http::scoped::{Imports, Mutation};
use crate::http::{Problem, idempotency};
use crate::ids::new_id;
use crate::store::orders::import::{Import, ImportOutcome, ImportRetailer};

/// Characters of a retailer's name, and of a kind of file, at most.
const LONGEST_NAME: usize = 200;
/// Where the numbers of retailers begin that no catalog has, and how many there are.
const FIRST_NUMBER: i64 = 1_000_000_000;
const NUMBERS: u64 = 1_000_000_000;

/// POST /sync/imports
pub(crate) async fn import(State(app): State<Arc<App>>, mutation: Mutation<Imports>) -> Answered<Response> {
    let (caller, key) = (&mutation.caller, mutation.key.as_ref());
    let request: ImportRequest = mutation.json()?;
    check_name("source", &request.source)?;
    if request.orders.len() > MOST_ORDERS {
        return Err(Problem::invalid("orders", format!("orders has more than {MOST_ORDERS} orders.")));
    }
    let new_id = new_id("conn")?;
    let retailer = match &request.retailer_name {
        None if request.orders.iter().all(|order| order.only_adds) => None,
        None => {
            let message = "retailerName is missing: only orders that add to stored ones need none (onlyAdds).";
            return Err(Problem::invalid("retailerName", message));
        }
        Some(name) => {
            check_name("retailerName", name)?;
            Some(ImportRetailer { name, retailer_id: number_of(&app, name), new_id: &new_id })
        }
    };
    let source = &request.source;
    let orders = request.orders.into_iter().map(|order| (order.only_adds, order));
    let orders = orders.map(|(only_adds, order)| (retailer_order(order, source), only_adds)).collect();
    let import = Import { retailer, dry_run: request.dry_run, orders };
    match app.store.import(caller, &import, key).await? {
        ImportOutcome::Done(answer) => Ok(idempotency::json_response(&answer)),
        ImportOutcome::InProgress(batch_id) => Err(Problem::sync_in_progress(&batch_id)),
        ImportOutcome::NotShared => Err(Problem::not_shared()),
        ImportOutcome::AnsweredMeanwhile => Ok(idempotency::answered_meanwhile(&app, key, caller).await),
    }
}

fn check_name(field: &str, name: &str) -> Answered<()> {
    let is_usable = !name.trim().is_empty() && name.chars().count() <= LONGEST_NAME && !name.contains(char::is_control);
    if is_usable {
        return Ok(());
    }
    let message = format!("{field} has to be 1 to {LONGEST_NAME} characters, none of them a control character.");
    Err(Problem::new(ErrorCode::InvalidRequest, message).with_details(serde_json::json!({ "field": field })))
}

/// The number of a retailer: that of the catalog, or one that is made from its name.
fn number_of(app: &App, name: &str) -> i64 {
    let name = name.to_lowercase();
    let listed = app.catalog.list().into_iter().find(|retailer| retailer.display_name.to_lowercase() == name);
    if let Some(retailer) = listed {
        return retailer.retailer_id;
    }
    let digest = Sha256::digest(name.as_bytes());
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    FIRST_NUMBER + i64::try_from(number % NUMBERS).unwrap_or_default()
}

fn retailer_order(order: ImportedOrder, source: &str) -> RetailerOrder {
    RetailerOrder {
        order_id: order.order_id,
        fingerprint: None,
        placed_at: order.order_date.map(|at| at.0),
        is_day_alone: order.order_date_precision.is_some(),
        total: order.order_total,
        currency: order.currency,
        mismatch: order.mismatch,
        adjustments: Some(order.adjustments),
        sources: vec![source.to_owned()],
        items: order.items.into_iter().map(line_item).collect(),
    }
}

fn line_item(item: ImportedItem) -> LineItem {
    LineItem {
        line_id: item.line_id,
        title: item.item_name,
        brand: item.brand_name,
        department: item.department,
        category: item.category,
        sub_category: item.sub_category,
        sku: item.retailer_sku,
        seller: item.seller,
        quantity: item.quantity,
        unit_price: item.price,
        line_total: item.line_total,
        adjustments: item.adjustments,
        shipment_status: item.shipment_status,
        shipment_text: item.shipment_text,
        shipments: item.shipments,
        secondary_unknown: false,
        status_unknown: false,
    }
}
