//! The user's orders in the browser: a list with filters, and each order with all that is known of it.
//!
//! Nothing here adds or changes anything. What is missing is said above what is shown.

mod filter;
mod found;

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;

use self::filter::Filter;
use self::found::{Found, find};
use super::next::Next;
use super::page::Page;
use super::purpose::ask_to_sign_in;
use super::views::order::{LINES, order as order_page};
use super::views::orders::{Listed, orders as orders_page};
use crate::app::App;
use crate::http::Problem;
use crate::http::extract::Segment;
use crate::http::fields::Params;
use crate::http::problem::Answered;
use crate::signin::browser;
use crate::store::orders::own::OrderNumber;

pub(in crate::web) use self::filter::{Field, Given, LONGEST_TEXT, Wrong};
pub(in crate::web) use self::found::Hit;

/// The path of the list.
pub(super) const PATH: &str = "/account/orders";
/// Lines of an order that the list shows.
const PREVIEW: u32 = 3;

/// GET /account/orders
pub(super) async fn list(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    uri: Uri,
    params: Params,
) -> Answered<Response> {
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::orders(&uri)).await;
    };
    let mut own = app.store.orders_of(&user.user_id).await?;
    let given = Given::read(&params)?;
    let (filter, wrong) = match Filter::of(&given, &own.shops) {
        Ok(filter) => (filter, None),
        Err(wrong) => (Filter::nothing(), Some(wrong)),
    };
    let Found { orders, next } = find(&mut own, &filter, given.after()).await?;
    let mut listed = Vec::with_capacity(orders.len());
    for hit in orders {
        // All was read in one snapshot: what was found is there.
        if let Some(order) = own.order(hit.order, 0, PREVIEW).await? {
            listed.push((hit, order));
        }
    }
    let body = orders_page(&Listed {
        shops: &own.shops,
        given: &given,
        wrong: wrong.as_ref(),
        orders: &listed,
        next: next.as_deref(),
    });
    let status = if wrong.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    Ok(Page::new("Your orders", body).styled("orders.css").status(status).render(&app))
}

/// GET /account/orders/{id}
pub(super) async fn show(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    uri: Uri,
    Segment(id): Segment,
    params: Params,
) -> Answered<Response> {
    let Some(user) = browser::signed_in(&app.sign_in(), &headers).await? else {
        return ask_to_sign_in(&app, &headers, Next::orders(&uri)).await;
    };
    let absent = || Problem::not_found("order", &id);
    let number = OrderNumber::parse(&id).ok_or_else(absent)?;
    let first = params.read("line", "a whole number, 0 or more")?.unwrap_or(0_u32);
    let mut own = app.store.orders_of(&user.user_id).await?;
    // One more than is shown says whether there are more.
    let order = own.order(number, first.into(), LINES + 1).await?.ok_or_else(absent)?;
    let shop = own.shops.iter().find(|shop| shop.number == number.connection).ok_or_else(absent)?;
    if order.lines.is_empty() {
        return Err(absent());
    }
    let body = order_page(shop, number, &order);
    Ok(Page::new("Your order", body).styled("orders.css").render(&app))
}
