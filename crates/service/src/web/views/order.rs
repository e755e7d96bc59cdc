//! One order: its lines, figures, parcels and documents, and where it comes from.

use maud::{Markup, html};
use ordersync_api::order::{DatePrecision, Mismatch, Shipment};
use ordersync_api::{Adjustment, AdjustmentType, Open, OrderDocument};
use rust_decimal::Decimal;

use super::layout::sheet;
use super::money::money;
use super::orders::{day, marks, name, number};
use crate::store::orders::own::{OrderNumber, OwnLine, OwnOrder, Shop};

/// Lines on a page.
pub(in crate::web) const LINES: u32 = 200;

/// The page. `order` has at least one line.
pub(in crate::web) fn order(shop: &Shop, own: OrderNumber, order: &OwnOrder, documents: &[OrderDocument]) -> Markup {
    let shown = order.lines.get(..LINES as usize).unwrap_or(&order.lines);
    let next = order.lines.get(LINES as usize).map(|line| line.number);
    let Some(first) = shown.first() else { return html! {} };
    let item = &first.item;
    let currency = item.currency.as_deref();
    let is_payment = |one: &&Adjustment| one.kind.is(&AdjustmentType::Payment);
    let (payments, figures): (Vec<_>, Vec<_>) = order.adjustments.iter().flatten().partition(is_payment);
    sheet(&html! {
        p { a href="/account/orders" { "All orders" } }
        h1.break { (number(item)) }
        p.lead {
            (item.order_date.as_ref().map_or_else(|| "No date".to_owned(), day))
            @if item.order_date_precision == Some(Open::Known(DatePrecision::Day)) { " (the retailer shows no time)" }
            " · " (name(shop))
        }
        @for mark in marks(item) { p.notice { (mark) } }
        @if let Some(known) = shop.connection.completeness.as_ref().filter(|known| !known.complete) {
            p.notice { "This order may be out of date: " @for reason in &known.reasons { (reason.message) " " } }
        }
        section aria-labelledby="figures" {
            h2 #figures { "Figures" }
            dl.figures {
                @for one in figures { (adjustment(one, currency)) }
                div.total { dt { "Order total, as the retailer shows it" } dd { (money(item.order_total, currency)) } }
                @for one in payments { (adjustment(one, currency)) }
            }
            @if order.adjustments.is_none() {
                p.fine { "Shipping, taxes and discounts of this order are not known: the total may contain any of them." }
            }
            @if !item.mismatch.is_empty() {
                h3 { "What does not agree" }
                ul { @for one in &item.mismatch { li { (mismatch(one, currency)) } } }
            }
        }
        section aria-labelledby="lines" {
            h2 #lines { (heading(order, first, shown.len(), next.is_some())) }
            ol.orders { @for line in shown { (line_of(line)) } }
            nav.pages aria-label="Pages of the lines" {
                @if first.number > 0 && order.all > shown.len() as u64 {
                    a.button href=(format!("/account/orders/{own}")) { "First lines" }
                }
                @if let Some(next) = next { a.button href=(format!("/account/orders/{own}?line={next}")) rel="next" { "Next lines" } }
            }
        }
        @if !documents.is_empty() {
            section aria-labelledby="documents" {
                h2 #documents { "Documents" }
                ul.orders { @for one in documents { li { (document(one)) } } }
                p.fine { "Files that were kept with the order. The browser saves them; open those that you trust." }
            }
        }
        section aria-labelledby="source" {
            h2 #source { "Where it comes from" }
            p { (source(&item.sources)) }
            @if let Some(at) = &item.updated_at { p.fine { "A line of it last changed here on " (day(at)) "." } }
        }
    })
}

fn heading(order: &OwnOrder, first: &OwnLine, shown: usize, is_more: bool) -> String {
    match order.all {
        1 => "1 line".to_owned(),
        all if first.number == 0 && !is_more => format!("{all} lines"),
        all => format!("{shown} of {all} lines"),
    }
}

fn source(sources: &[String]) -> String {
    let (account, files): (Vec<&String>, Vec<&String>) = sources.iter().partition(|source| *source == "account");
    let files: Vec<&str> = files.into_iter().map(String::as_str).collect();
    match (account.is_empty() && !sources.is_empty(), files.is_empty()) {
        (_, true) => "Your account at the retailer.".to_owned(),
        (true, false) => {
            format!("Files that you imported: {}. Your account at the retailer was not asked.", files.join(", "))
        }
        (false, false) => format!("Your account at the retailer, and files that you imported: {}.", files.join(", ")),
    }
}

fn adjustment(one: &Adjustment, currency: Option<&str>) -> Markup {
    let currency = one.currency.as_deref().or(currency);
    html! {
        div {
            dt {
                (kind(&one.kind))
                @if let Some(text) = &one.text { " (" bdi.break { (text) } ")" }
                @if let Some(at) = &one.date { ", " (day(at)) }
                @if one.included { ", contained in the lines or no part of the total" }
            }
            dd { (money(Some(one.amount), currency)) }
        }
    }
}

fn kind(kind: &Open<AdjustmentType>) -> String {
    let word = kind.to_string().replace('_', " ");
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn mismatch(one: &Mismatch, currency: Option<&str>) -> String {
    let check = one.check.replace('_', " ");
    match (one.shown, one.computed) {
        (None, None) => format!("{check}: not confirmed by what the retailer shows elsewhere"),
        (shown, computed) => {
            format!("{check}: shown {}, computed {}", money(shown, currency), money(computed, currency))
        }
    }
}

fn line_of(line: &OwnLine) -> Markup {
    let item = &line.item;
    let currency = item.currency.as_deref();
    let price = (item.price.is_some()).then(|| money(item.price, currency));
    let categories: Vec<&str> =
        [&item.department, &item.category, &item.sub_category].into_iter().filter_map(|text| text.as_deref()).collect();
    let facts = [
        ("Quantity", item.quantity.map(|quantity| quantity.normalize().to_string())),
        ("Price of one", price),
        ("Line total", item.line_total.map(|total| money(Some(total), currency))),
        (
            "Status",
            item.shipment_status.as_ref().map(|status| worded(&status.to_string(), item.shipment_text.as_deref())),
        ),
        ("SKU", item.retailer_sku.clone()),
        ("Brand", item.brand_name.clone()),
        ("Category", (!categories.is_empty()).then(|| categories.join(" › "))),
        ("Sold by", item.seller.clone()),
    ];
    html! {
        li {
            h3.break { bdi { (item.item_name.as_deref().unwrap_or("Without a title")) } }
            dl.facts {
                @for (label, text) in facts { @if let Some(text) = text { div { dt { (label) } dd { bdi.break { (text) } } } } }
                @for parcel in &item.shipments { div { dt { "Shipment" } dd { bdi.break { (shipment(parcel)) } } } }
                @for one in &line.adjustments { (adjustment(one, currency)) }
            }
            @if amount_is_unknown(item.line_total, item.price, item.quantity) { p.fine { "What it cost is not known." } }
        }
    }
}

/// Without the attribute `download`: if the sign-in has expired, a page asks for it.
fn document(one: &OrderDocument) -> Markup {
    html! {
        a.break href=(format!("/account/orders/documents/{}", one.document_id)) { bdi { (one.name) } }
        p.fine.break { (one.media_type) ", " (size(one.size)) ", added on " (day(&one.added_at)) }
    }
}

/// Rounded up, so that nothing is shown as zero.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{} KiB", bytes.div_ceil(1_024)),
        _ => format!("{} MiB", bytes.div_ceil(1_048_576)),
    }
}

const fn amount_is_unknown(total: Option<Decimal>, price: Option<Decimal>, quantity: Option<Decimal>) -> bool {
    total.is_none() && (price.is_none() || quantity.is_none())
}

fn worded(status: &str, text: Option<&str>) -> String {
    match text.filter(|text| *text != status) {
        Some(text) => format!("{status} (“{text}”)"),
        None => status.to_owned(),
    }
}

fn shipment(parcel: &Shipment) -> String {
    match (&parcel.carrier, &parcel.tracking_number) {
        (Some(carrier), Some(tracking)) => format!("{carrier}, {tracking}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => "The retailer shows neither carrier nor number.".to_owned(),
    }
}
