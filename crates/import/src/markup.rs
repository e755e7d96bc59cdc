//! Orders and parcels that a mail describes for programs: schema.org's `Order` and `ParcelDelivery`, as JSON-LD or microdata.

use scraper::{ElementRef, Html};
use serde_json::{Map, Value, json};

use crate::page::{all, children, is_quoted, text};
use crate::told::{Told, Unread};

const KIND: &str = "an order mail with schema.org markup";
/// Items within items, at most.
const MAX_DEPTH: u32 = 16;

/// Adds the orders and parcels of a page.
pub(crate) fn read(page: &Html, told: &mut Told) {
    let mut things = Vec::new();
    for script in all(page, "script[type='application/ld+json']") {
        let source: String = script.text().collect();
        let parsed: Option<Value> = serde_json::from_str(&source).ok();
        let names = |kind: &str| ['"', '/', '#', ':'].iter().any(|sign| source.contains(&format!("{sign}{kind}\"")));
        if parsed.is_none() && (names("ParcelDelivery") || names("Order")) {
            told.add(KIND, Err("its JSON-LD is not well-formed".into()));
        }
        let is_known = !is_quoted(&script);
        parsed.iter().for_each(|value| collect(value, is_known, 0, &mut things));
    }
    for element in all(page, "[itemscope][itemtype]") {
        let is_outermost = element.attr("itemprop").is_none();
        if is_outermost && element.attr("itemtype").is_some_and(|kind| kind.contains("schema.org/")) {
            things.push((item(element, 0), !is_quoted(&element)));
        }
    }
    for (thing, is_own) in &things {
        let is_order = is_a(thing, "Order");
        if !is_order && !is_a(thing, "ParcelDelivery") {
            continue;
        }
        if !is_own {
            return told.quoted();
        }
        told.add(KIND, if is_order { order(thing) } else { parcel(thing) });
    }
}

/// The things of a JSON-LD document: one, a list, or a graph.
fn collect(value: &Value, is_own: bool, depth: u32, things: &mut Vec<(Value, bool)>) {
    match value {
        Value::Array(list) if depth < MAX_DEPTH => list.iter().for_each(|one| collect(one, is_own, depth + 1, things)),
        Value::Object(object) => match object.get("@graph") {
            Some(graph) if depth < MAX_DEPTH => collect(graph, is_own, depth + 1, things),
            _ => things.push((value.clone(), is_own)),
        },
        _ => {}
    }
}

/// An item of microdata as JSON-LD would have it.
fn item(element: ElementRef<'_>, depth: u32) -> Value {
    let mut object = Map::new();
    let kind = element.attr("itemtype").unwrap_or_default();
    object.insert("@type".to_owned(), kind.into());
    let mut left = children(element);
    left.reverse();
    while let Some(inner) = left.pop() {
        let is_item = inner.attr("itemscope").is_some();
        if let Some(name) = inner.attr("itemprop") {
            let attribute =
                ["content", "href", "src", "datetime", "value"].into_iter().find_map(|name| inner.attr(name));
            let value = match attribute {
                _ if is_item && depth < MAX_DEPTH => item(inner, depth + 1),
                Some(value) => value.into(),
                None => text(inner, |_| false).into(),
            };
            if let Value::Array(values) = object.entry(name).or_insert(Value::Array(Vec::new())) {
                values.push(value);
            }
        }
        if !is_item {
            left.extend(children(inner).into_iter().rev());
        }
    }
    Value::Object(object)
}

/// Whether its type is this one, with or without the address of schema.org.
fn is_a(thing: &Value, kind: &str) -> bool {
    each(&thing["@type"]).iter().any(|one| one.as_str().is_some_and(|name| bare(name) == kind))
}

/// A name of schema.org without its address.
fn bare(name: &str) -> &str {
    name.rsplit(['/', '#', ':']).next().unwrap_or(name)
}

/// The values of a property, which may be one or a list.
fn each(value: &Value) -> Vec<&Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(values) => values.iter().collect(),
        one => vec![one],
    }
}

/// The first value at one of several paths.
fn first(thing: &Value, paths: &[&str]) -> Value {
    let at = |path: &&str| {
        let mut values = vec![thing];
        for name in path.split('.') {
            values = values.into_iter().flat_map(|value| each(&value[name])).collect();
        }
        values
            .into_iter()
            .find(|value| value.is_number() || value.as_str().is_some_and(|text| !text.trim().is_empty()))
            .cloned()
    };
    paths.iter().find_map(at).unwrap_or_default()
}

/// A number: in a text, too, it has a point before its decimals (<https://schema.org/price>). One with a comma is read as others are.
fn figure(thing: &Value, paths: &[&str]) -> Value {
    let value = first(thing, paths);
    let number = value.as_str().and_then(|text| text.trim().parse::<serde_json::Number>().ok());
    number.map_or(value, Value::Number)
}

/// The name of what is sold: of several things at one price, all names.
fn title(line: &Value, sold: &str) -> Value {
    let names: Vec<Value> = each(&line[sold]).into_iter().map(|thing| first(thing, &["name"])).collect();
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    if names.is_empty() { first(line, &["name"]) } else { names.join(", ").into() }
}

fn order(order: &Value) -> Result<Value, Unread> {
    let number = first(order, &["orderNumber", "confirmationNumber"]);
    if number.is_null() {
        return Err("its order has no number".into());
    }
    let offers = each(&order["acceptedOffer"]).into_iter().map(|offer| {
        json!({
            "title": title(offer, "itemOffered"),
            "sku": first(offer, &["itemOffered.sku", "sku", "itemOffered.productID"]),
            "quantity": figure(offer, &["eligibleQuantity.value", "eligibleQuantity"]),
            "price": figure(offer, &["price", "priceSpecification.price"]),
        })
    });
    let items = each(&order["orderedItem"]).into_iter().map(|item| {
        json!({
            "title": title(item, "orderedItem"),
            "sku": first(item, &["orderedItem.sku", "sku", "orderedItem.productID"]),
            "quantity": figure(item, &["orderQuantity.value", "orderQuantity"]),
            "status": word(&first(item, &["orderItemStatus"])),
            "parcel": parcel_of(&item["orderDelivery"]),
        })
    });
    let mut lines: Vec<Value> = offers.collect();
    if lines.is_empty() {
        lines = items.collect();
    }
    if lines.is_empty() {
        let number = number.as_str().map_or_else(|| number.to_string(), str::to_owned);
        return Err(Unread::order(&number, "its order has no items"));
    }
    let parcel = parcel_of(&order["orderDelivery"]);
    if !parcel.is_null() {
        lines.iter_mut().filter(|line| line["parcel"].is_null()).for_each(|line| line["parcel"] = parcel.clone());
    }
    let discount = figure(order, &["discount"]);
    let adjustments = if discount.is_null() { json!([]) } else { json!([{ "type": "discount", "amount": discount }]) };
    Ok(json!({
        "number": number,
        "date": first(order, &["orderDate"]),
        "total": figure(order, &["price", "priceSpecification.price", "totalPaymentDue.price", "totalPaymentDue.value"]),
        "currency": first(order, &[
            "priceCurrency", "priceSpecification.priceCurrency", "totalPaymentDue.priceCurrency", "acceptedOffer.priceCurrency",
            "acceptedOffer.priceSpecification.priceCurrency",
        ]),
        "status": word(&first(order, &["orderStatus"])),
        "lines": lines,
        "adjustments": adjustments,
    }))
}

fn parcel(parcel: &Value) -> Result<Value, Unread> {
    let number = first(parcel, &["partOfOrder.orderNumber"]);
    if number.is_null() {
        return Err("its parcel does not name an order".into());
    }
    let shipment = parcel_of(parcel);
    if shipment.is_null() {
        return Err("its parcel has neither a carrier nor a number".into());
    }
    let line = |title: Value| json!({ "title": title, "parcel": shipment });
    let mut lines: Vec<Value> =
        each(&parcel["itemShipped"]).into_iter().map(|item| line(first(item, &["name"]))).collect();
    if lines.is_empty() {
        lines.push(line(Value::Null));
    }
    Ok(json!({ "number": number, "isParcel": true, "lines": lines }))
}

/// The carrier and the number of a parcel: `UPS(1Z999)`.
fn parcel_of(parcel: &Value) -> Value {
    let text = |value: Value| match value {
        Value::String(text) => text.replace(['(', ')'], " ").trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let carrier = text(first(parcel, &["carrier.name", "provider.name", "carrier", "provider"]));
    let number = text(first(parcel, &["trackingNumber"]));
    match (carrier.is_empty(), number.is_empty()) {
        (true, true) => Value::Null,
        (false, true) => carrier.into(),
        _ => format!("{carrier}({number})").into(),
    }
}

/// `OrderShipped` of `https://schema.org/OrderShipped`.
fn word(status: &Value) -> Value {
    status.as_str().map_or(Value::Null, |status| bare(status).into())
}
