//! The user's orders in the browser: a list with filters, and each order with all that is known of it.
//!
//! Nothing here adds or changes anything. What is missing is said above what is shown.

mod download;
pub(in crate::web) mod filter;
pub(in crate::web) mod found;
pub(in crate::web) mod spending;

use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use chrono::Datelike as _;

use self::filter::{Filter, Given};
use self::found::{Found, find};
use super::next::Next;
use super::page::Page;
use super::purpose::ask_to_sign_in;
use super::response::saved;
use super::views::charts::{Charts, charts as charts_page};
use super::views::order::{LINES, order as order_page};
use super::views::orders::{Listed, orders as orders_page};
use crate::app::App;
use crate::http::Problem;
use crate::http::extract::Segment;
use crate::http::fields::Params;
use crate::http::problem::Answered;
use crate::signin::browser::{self, BrowserUser};
use crate::store::orders::own::OrderNumber;

/// The path of the list.
pub(super) const PATH: &str = "/account/orders";
/// Lines of an order that the list shows.
const PREVIEW: u32 = 3;

/// The user who is signed in. Anybody else is asked to sign in, and comes back to the page.
pub(super) struct SignedIn(BrowserUser);

impl FromRequestParts<Arc<App>> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Response> {
        let user = browser::signed_in(&app.sign_in(), &parts.headers).await;
        match user.map_err(|error| Problem::from(error).into_response())? {
            Some(user) => Ok(Self(user)),
            None => {
                let page = ask_to_sign_in(app, &parts.headers, Next::orders(&parts.uri)).await;
                Err(page.unwrap_or_else(IntoResponse::into_response))
            }
        }
    }
}

/// GET /account/orders
pub(super) async fn list(State(app): State<Arc<App>>, SignedIn(user): SignedIn, params: Params) -> Answered<Response> {
    let mut own = app.store.orders_of(&user.user_id).await?;
    let given = Given::read(&params)?;
    let (filter, wrong) = match Filter::of(&given, &own.shops) {
        Ok(filter) => (filter, None),
        // If a field cannot be understood, nothing is shown.
        Err(wrong) => (Filter::default(), Some(wrong)),
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

/// GET /account/orders/charts
pub(super) async fn charts(
    State(app): State<Arc<App>>,
    SignedIn(user): SignedIn,
    params: Params,
) -> Answered<Response> {
    let given = Given::retailer_alone(&params)?;
    let year: Option<i32> = params.read("year", "a year")?;
    if year.is_some_and(|year| !(1..=9_998).contains(&year)) {
        return Err(Problem::invalid("year", "The year has to be from 1 to 9998."));
    }
    let mut own = app.store.orders_of(&user.user_id).await?;
    let connections =
        filter::connections(&given, &own.shops).map_err(|wrong| Problem::invalid("retailer", wrong.why))?;
    let newest = spending::newest_year(&mut own, &connections).await?.unwrap_or_else(|| user.now.year());
    let year = year.unwrap_or(newest);
    let spending = spending::spending(&mut own, &connections, year).await?;
    let body = charts_page(&Charts { shops: &own.shops, given: &given, year, newest, spending: &spending });
    Ok(Page::new("What you spent", body).styled("orders.css").render(&app))
}

/// GET /account/orders/download
pub(super) async fn download(
    State(app): State<Arc<App>>,
    SignedIn(user): SignedIn,
    params: Params,
) -> Answered<Response> {
    let given = Given::read(&params)?;
    let shops = app.store.orders_of(&user.user_id).await?.shops;
    let filter = Filter::of(&given, &shops).map_err(|wrong| Problem::invalid(wrong.field.as_str(), wrong.why))?;
    Ok(download::response(&app, &user.user_id, &shops, filter))
}

/// GET /account/orders/documents/{documentId}
pub(super) async fn document(
    State(app): State<Arc<App>>,
    SignedIn(user): SignedIn,
    Segment(id): Segment,
) -> Answered<Response> {
    let mut own = app.store.orders_of(&user.user_id).await?;
    let document = own.document(&app.keys, &id).await?;
    let (document, content) = document.ok_or_else(|| Problem::not_found("document", &id))?;
    Ok(saved(&document.name, content))
}

/// GET /account/orders/{id}
pub(super) async fn show(
    State(app): State<Arc<App>>,
    SignedIn(user): SignedIn,
    Segment(id): Segment,
    params: Params,
) -> Answered<Response> {
    let absent = || Problem::not_found("order", &id);
    let number = OrderNumber::parse(&id).ok_or_else(absent)?;
    let first = params.read("line", "a whole number, 0 or more")?.unwrap_or(0_u32);
    let mut own = app.store.orders_of(&user.user_id).await?;
    // One more than is shown says whether there are more.
    let order = own.order(number, first.into(), LINES + 1).await?.ok_or_else(absent)?;
    if order.lines.is_empty() {
        return Err(absent());
    }
    let documents = own.documents(&app.keys, number).await?;
    let shop = own.shops.iter().find(|shop| shop.number == number.connection).ok_or_else(absent)?;
    let body = order_page(shop, number, &order, &documents);
    Ok(Page::new("Your order", body).styled("orders.css").render(&app))
}
