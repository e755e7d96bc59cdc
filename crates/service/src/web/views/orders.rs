//! The list of a user's orders: what is missing, the form, and the orders.

use maud::{Markup, html};
use ordersync_api::connection::IMPORT_ONLY;
use ordersync_api::order::ShipmentStatus;
use ordersync_api::{Open, OrderItem, Timestamp};

use super::layout::{alert, names, sheet};
use super::money::money;
use crate::store::orders::own::{OwnOrder, Shop};
use crate::web::orders::filter::{Field, Given, LONGEST_TEXT, Wrong};
use crate::web::orders::found::Hit;

/// The content of the page.
pub(in crate::web) struct Listed<'a> {
    pub(in crate::web) shops: &'a [Shop],
    pub(in crate::web) given: &'a Given,
    pub(in crate::web) wrong: Option<&'a Wrong>,
    pub(in crate::web) orders: &'a [(Hit, OwnOrder)],
    /// Where the next page begins, if there is one.
    pub(in crate::web) next: Option<&'a str>,
}

/// The page.
pub(in crate::web) fn orders(listed: &Listed<'_>) -> Markup {
    let Listed { shops, given, wrong, orders, next } = *listed;
    sheet(&html! {
        h1 { "Your orders" }
        @if shops.is_empty() {
            p.lead { "You have no orders here yet. Connect a retailer in an app, or on the command line with " code { "ordersync connect" } "." }
        } @else {
            (completeness(shops, given))
            (form(shops, given, wrong))
            @if wrong.is_none() {
                section aria-labelledby="found" {
                    h2 #found { (heading(orders.len(), given, next.is_some())) }
                    @if orders.is_empty() {
                        p.lead { (nothing(given)) }
                    } @else {
                        ol.orders { @for (hit, order) in orders { (entry(shops, hit, order)) } }
                        p.fine { "Dates are those of UTC. Totals are as the retailers show them." }
                        p {
                            a href=(with_query("/account/orders/download", &given.query(None))) { (download(given)) }
                            ": the columns of an export, on all pages of this list."
                        }
                    }
                    nav.pages aria-label="Pages of the list" {
                        @if given.after().is_some() { a.button href=(address(given, None)) rel="prev" { "Newest orders" } }
                        @if let Some(next) = next { a.button href=(address(given, Some(next))) rel="next" { "Older orders" } }
                    }
                }
            }
        }
    })
}

/// The page with these fields, from an order on.
fn address(given: &Given, after: Option<&str>) -> String {
    with_query("/account/orders", &given.query(after.map(|after| ("after", after))))
}

fn with_query(path: &str, query: &str) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// A text or a status is looked for in lines, and the other lines of their orders are not in the file.
fn download(given: &Given) -> &'static str {
    if given.is_empty() { "Download all lines (CSV)" } else { "Download the lines that match (CSV)" }
}

fn heading(count: usize, given: &Given, is_more: bool) -> String {
    let which = if given.is_empty() { "" } else { " that match" };
    match (count, given.after().is_some(), is_more) {
        (1, false, false) => format!("1 order{}", if given.is_empty() { "" } else { " matches" }),
        (count, false, false) => format!("{count} orders{which}"),
        (count, false, true) => format!("The newest {count} orders{which}"),
        (count, true, _) => format!("The next {count} orders{which}"),
    }
}

fn nothing(given: &Given) -> &'static str {
    if given.after().is_some() {
        "There are no older orders."
    } else if given.is_empty() {
        "No order is stored yet."
    } else {
        "No order has a line that matches all of this. Remove a filter."
    }
}

/// What is known to be missing of the shops that are shown.
pub(super) fn completeness(shops: &[Shop], given: &Given) -> Markup {
    let retailer = given.get(Field::Retailer);
    let is_shown = |shop: &&Shop| retailer.is_empty() || shop.connection.retailer_id.to_string() == retailer;
    let shown: Vec<&Shop> = shops.iter().filter(is_shown).collect();
    let is_whole = |shop: &Shop| shop.connection.completeness.as_ref().is_some_and(|known| known.complete);
    let (whole, lacking): (Vec<&Shop>, Vec<&Shop>) = shown.iter().partition(|shop| is_whole(shop));
    let marked: Vec<&&Shop> = shown.iter().filter(|shop| shop.marked > 0).collect();
    html! {
        @if !lacking.is_empty() {
            section.notice aria-labelledby="missing" {
                h2 #missing { "Orders may be missing" }
                ul {
                    @for shop in lacking {
                        li {
                            strong.break { (name(shop)) } ": "
                            @for reason in shop.connection.completeness.iter().flat_map(|known| &known.reasons) { (reason.message) " " }
                        }
                    }
                }
            }
        }
        @if !marked.is_empty() {
            section.notice aria-labelledby="disagree" {
                h2 #disagree { "Figures that do not agree" }
                ul { @for shop in marked { li { strong.break { (name(shop)) } ": " (disagreeing(shop.marked)) } } }
            }
        }
        @if !whole.is_empty() {
            p.fine { @for state in states(&whole) { (state) " " } }
        }
    }
}

fn disagreeing(count: u64) -> String {
    match count {
        1 => "1 order has figures that do not agree with each other; its page says which.".to_owned(),
        count => format!("{count} orders have figures that do not agree with each other; their pages say which."),
    }
}

/// How complete these retailers are, each state once.
fn states(shops: &[&Shop]) -> Vec<Markup> {
    let mut states: Vec<(String, Vec<&str>)> = Vec::new();
    for shop in shops {
        let state = match &shop.connection.last_sync_at {
            _ if shop.connection.status_reason.as_deref() == Some(IMPORT_ONLY) => {
                "from files, with everything that they have.".to_owned()
            }
            Some(at) => format!("complete as of the sync on {}.", day(at)),
            None => "complete.".to_owned(),
        };
        match states.iter_mut().find(|(known, _)| *known == state) {
            Some((_, names)) => names.push(name(shop)),
            None => states.push((state, vec![name(shop)])),
        }
    }
    states.into_iter().map(|(state, of)| html! { (names(&of)) ": " (state) }).collect()
}

pub(super) fn name(shop: &Shop) -> &str {
    shop.connection.display_name.as_deref().unwrap_or("A retailer without a name")
}

/// The day of a time; what is no time is shown as it is.
pub(super) fn day(at: &Open<Timestamp>) -> String {
    match at {
        Open::Known(at) => at.0.format("%Y-%m-%d").to_string(),
        Open::Other(text) => text.clone(),
    }
}

fn form(shops: &[Shop], given: &Given, wrong: Option<&Wrong>) -> Markup {
    let is_open = given.get(Field::Text).is_empty() && !given.is_empty();
    html! {
        search {
            form.filters method="get" action="/account/orders" {
                div.looked-for {
                    (field(Field::Text, "Search by title, SKU or order number", given, wrong, &|id, text, invalid| html! {
                        input id=(id) name=(Field::Text.as_str()) type="search" value=(text) maxlength=(LONGEST_TEXT)
                            autocapitalize="off" spellcheck="false" aria-invalid=[invalid] aria-describedby=[invalid.map(|_| described(id))];
                    }))
                    button.primary type="submit" { "Search" }
                }
                details open[is_open || wrong.is_some_and(|wrong| wrong.field != Field::Text)] {
                    summary { "Filters" }
                    div.panel {
                    div.grid {
                        (choice(Field::Retailer, "Retailer", "All retailers", given, wrong, shops.iter().map(|shop| {
                            (shop.connection.retailer_id.to_string(), name(shop).to_owned())
                        })))
                        (choice(Field::Status, "Status of a line", "Any status", given, wrong, ShipmentStatus::ALL.iter().map(|status| {
                            (status.as_str().to_owned(), status.as_str().to_owned())
                        })))
                        (input(Field::From, "First day", "date", given, wrong))
                        (input(Field::To, "Last day", "date", given, wrong))
                        (input(Field::Least, "Smallest total", "text", given, wrong))
                        (input(Field::Most, "Largest total", "text", given, wrong))
                        (input(Field::Currency, "Currency, like EUR", "text", given, wrong))
                    }
                    p.fine { "Totals are those of whole orders: an order whose total is not known has none." }
                    div { button type="submit" { "Apply" } }
                    }
                }
            }
        }
        @if !given.is_empty() { p { a href="/account/orders" { "Remove all filters" } } }
    }
}

fn described(id: &str) -> String {
    format!("{id}-error")
}

/// A label, a control and what is wrong with it. `control` gets the id, the text and "true" if it is wrong.
fn field(
    field: Field,
    label: &str,
    given: &Given,
    wrong: Option<&Wrong>,
    control: &dyn Fn(&str, &str, Option<&'static str>) -> Markup,
) -> Markup {
    let wrong = wrong.filter(|wrong| wrong.field == field);
    let id = field.as_str();
    html! {
        div.field {
            label for=(id) { (label) }
            (control(id, given.get(field), wrong.map(|_| "true")))
            @if let Some(wrong) = wrong { (alert(&described(id), &wrong.why)) }
        }
    }
}

fn input(which: Field, label: &str, kind: &str, given: &Given, wrong: Option<&Wrong>) -> Markup {
    let mode = matches!(which, Field::Least | Field::Most).then_some("decimal");
    field(which, label, given, wrong, &|id, text, invalid| {
        html! {
            input id=(id) name=(id) type=(kind) value=(text) inputmode=[mode] autocomplete="off" maxlength="40"
                aria-invalid=[invalid] aria-describedby=[invalid.map(|_| described(id))];
        }
    })
}

fn choice(
    which: Field,
    label: &str,
    all: &str,
    given: &Given,
    wrong: Option<&Wrong>,
    choices: impl Iterator<Item = (String, String)>,
) -> Markup {
    let choices: Vec<_> = choices.collect();
    field(which, label, given, wrong, &|id, text, invalid| {
        html! {
            select id=(id) name=(id) aria-invalid=[invalid] aria-describedby=[invalid.map(|_| described(id))] {
                option value="" { (all) }
                @for (value, shown) in &choices { option value=(value) selected[value == text] { (shown) } }
            }
        }
    })
}

fn entry(shops: &[Shop], hit: &Hit, order: &OwnOrder) -> Markup {
    let Some(first) = order.lines.first().map(|line| &line.item) else { return html! {} };
    let shop = shops.iter().find(|shop| shop.number == hit.order.connection);
    let shown: Vec<&OrderItem> = order.lines.iter().map(|line| &line.item).collect();
    let more = order.all.saturating_sub(shown.len() as u64);
    let matching =
        hit.title.as_deref().filter(|title| !shown.iter().any(|item| item.item_name.as_deref() == Some(title)));
    html! {
        li {
            div.head {
                div {
                    a.break href=(format!("/account/orders/{}", hit.order)) { (number(first)) }
                    span { (first.order_date.as_ref().map_or_else(|| "No date".to_owned(), day)) @if let Some(shop) = shop { " · " (name(shop)) } }
                }
                strong { @if first.order_total.is_some() { (money(first.order_total, first.currency.as_deref())) } @else { "Total not known" } }
            }
            ul.lines {
                @for item in shown { li { (line(item)) } }
                @if let Some(title) = matching { li { "… " bdi { (short(title)) } } }
            }
            @if more > 0 { p.fine { "and " (more) @if more == 1 { " more line" } @else { " more lines" } } }
            @for mark in marks(first) { p.mark { (mark) } }
        }
    }
}

/// "Order 123-456".
pub(super) fn number(item: &OrderItem) -> String {
    item.order_id.as_ref().map_or_else(|| "Order without a number".to_owned(), |id| format!("Order {}", id.as_str()))
}

fn line(item: &OrderItem) -> Markup {
    html! {
        @if let Some(quantity) = item.quantity { (quantity.normalize()) " × " }
        bdi { (item.item_name.as_deref().map_or_else(|| "Without a title".into(), short)) }
        @if let Some(status) = &item.shipment_status { " " span.status { (status) } }
    }
}

/// A title may be as long as a page.
fn short(title: &str) -> String {
    const LONGEST: usize = 160;
    match title.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    }
}

/// What is to be known of the order before its figures are believed.
pub(super) fn marks(item: &OrderItem) -> Vec<String> {
    let missing =
        item.missing_since.as_ref().map(|since| format!("The retailer has not listed it since {}.", day(since)));
    let disagree = (!item.mismatch.is_empty()).then(|| "Its figures do not agree.".to_owned());
    missing.into_iter().chain(disagree).collect()
}
