//! Orders that come from files.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use ordersync_api::import::MOST_ORDERS;
use ordersync_api::{ImportRequest, ImportedOrder};

use crate::app::App;
use crate::domain::bounds::without_controls;
use crate::domain::imported::retailer_of_files;
use crate::domain::order::RetailerOrder;
use crate::http::problem::Answered;
use crate::http::scoped::{Imports, Mutation};
use crate::http::{Problem, idempotency};
use crate::ids::new_id;
use crate::store::orders::import::{Import, ImportOutcome, ImportRetailer};

/// Characters of a retailer's name, and of a kind of file, at most.
const LONGEST_NAME: usize = 200;

/// POST /sync/imports
pub(crate) async fn import(State(app): State<Arc<App>>, mutation: Mutation<Imports>) -> Answered<Response> {
    let (caller, key) = (&mutation.caller, mutation.key.as_ref());
    let request: ImportRequest = mutation.json()?;
    let source = name("source", &request.source)?;
    for (field, length) in [("orders", request.orders.len()), ("ordersLeftOut", request.orders_left_out.len())] {
        if length > MOST_ORDERS {
            return Err(Problem::invalid(field, format!("{field} has more than {MOST_ORDERS} orders.")));
        }
    }
    if let Some(place) = request.orders_left_out.iter().position(|order| order.order_id.is_empty()) {
        let field = format!("ordersLeftOut[{place}].orderId");
        return Err(Problem::invalid(&field, format!("{field} is empty.")));
    }
    let new_id = new_id("conn")?;
    let retailer = match &request.retailer_name {
        None if request.orders_left_out.is_empty() && request.orders.iter().all(|order| order.only_adds) => None,
        None => {
            let message = "retailerName is missing: only orders that add to stored ones need none (onlyAdds).";
            return Err(Problem::invalid("retailerName", message));
        }
        Some(given) => Some(name("retailerName", given)?),
    };
    let retailer = retailer.as_deref();
    let retailer = retailer.map(|name| ImportRetailer { name, retailer_id: number_of(&app, name), new_id: &new_id });
    for (place, order) in request.orders.iter().enumerate() {
        check_order(place, order)?;
    }
    let orders = request.orders.into_iter().map(|order| (order.only_adds, order));
    let of_file = |order| RetailerOrder::imported(order, vec![source.clone()], caller.now);
    let orders = orders.map(|(only_adds, order)| (of_file(order), only_adds)).collect();
    let import = Import {
        retailer,
        dry_run: request.dry_run,
        more_follow: request.more_follow,
        orders,
        left_out: &request.orders_left_out,
    };
    match app.store.import(caller, &import, key).await? {
        ImportOutcome::Done(answer) => Ok(idempotency::json_response(&answer)),
        ImportOutcome::InProgress(batch_id) => Err(Problem::sync_in_progress(&batch_id)),
        ImportOutcome::NotShared => Err(Problem::not_shared()),
        ImportOutcome::AnsweredMeanwhile => Ok(idempotency::answered_meanwhile(&app, key, caller).await),
    }
}

/// A name as it may be stored.
fn name(field: &str, given: &str) -> Answered<String> {
    if given.trim().is_empty() || given.chars().count() > LONGEST_NAME {
        let message = format!("{field} has to be 1 to {LONGEST_NAME} characters, and not spaces alone.");
        return Err(Problem::invalid(field, message));
    }
    Ok(without_controls(given))
}

/// Refuses values that the contract excludes from the service's answers.
fn check_order(place: usize, order: &ImportedOrder) -> Answered<()> {
    let wrong = |field: &str, message: &str| {
        let field = format!("orders[{place}].{field}");
        Err(Problem::invalid(&field, format!("{field} {message}")))
    };
    let is_code = |code: &String| code.len() == 3 && code.bytes().all(|letter| letter.is_ascii_uppercase());
    let of_lines = order.items.iter().flat_map(|item| &item.adjustments);
    if order.order_id.is_empty() {
        return wrong("orderId", "is empty.");
    }
    if !order.currency.iter().all(is_code) {
        return wrong("currency", "has to be three upper-case letters, as in ISO 4217.");
    }
    if !order.adjustments.iter().chain(of_lines).all(|one| one.currency.iter().all(is_code)) {
        return wrong("adjustments", "has a currency that is not three upper-case letters, as in ISO 4217.");
    }
    if order.mismatch.iter().any(|one| one.check.is_empty()) {
        return wrong("mismatch", "has a check without a name.");
    }
    Ok(())
}

/// The number of a retailer: that of the catalog, or one that is made from its name.
fn number_of(app: &App, name: &str) -> i64 {
    let name = name.to_lowercase();
    let listed = app.catalog.list().into_iter().find(|retailer| retailer.display_name.to_lowercase() == name);
    if let Some(retailer) = listed {
        return retailer.retailer_id;
    }
    retailer_of_files(&name)
}
