//! Changes the saved answers of every shop with a JSON interface, one thing at a time. Whatever changes, no order may be lost and no
//! amount altered without an error.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::connector::trial::{Trial, TrialShop, TriedItem, TriedOrder};

/// Beginnings of places, or of a place and its change, with which nothing else in the answers has to agree: another value there is
/// another fact, not a fault. One of `SHAPES` is a fault there as well, unless it is named.
const FACTS: &[(&str, &[&str])] = &[
    // The price of one may be with or without tax, and refunds are no part of the total.
    (
        "medusa",
        &["order.items.[].quantity", "order.items.[].variant_sku", "order.payment_collections.[].refunded_amount"],
    ),
    // Taxes are in the prices.
    (
        "saleor",
        &[
            "data.me.orders.edges.[].node.lines.[].productSku",
            "data.me.orders.edges.[].node.total.tax",
            "data.me.orders.edges.[].node.totalRefunded",
        ],
    ),
    // Taxes are in the prices, refunds are no part of the total, and the delivery says what the status is if the order does not. A
    // delivery that costs less than nothing is a discount, and says no status.
    (
        "shopware",
        &[
            "orders.elements.[].deliveries.[].shippingCosts.totalPrice less than nothing",
            "orders.elements.[].lineItems.[].payload",
            "orders.elements.[].price.calculatedTaxes",
            "orders.elements.[].stateMachineState",
            // Without the order's state, the delivery's counts.
            "orders.elements.[].stateMachineState is in a list",
            "orders.elements.[].transactions",
        ],
    ),
    // Without parcels, the payment says what the status is.
    ("spree", &["data.[].fulfillment_status", "data.[].tax_total"]),
    // The last line of an order was cancelled, and costs nothing.
    (
        "vendure",
        &[
            "data.orderByCode.payments",
            "data.orderByCode.taxSummary",
            "data.orderByCode.lines.[].productVariant.sku",
            "data.orderByCode.lines lacks the last",
        ],
    ),
];

/// Changes of what a value is.
const SHAPES: [&str; 3] = ["is an object", "is in a list", "has a hole"];

/// The name of a change, and what becomes of a value; `None`: it does not apply.
type Change = (&'static str, fn(&Value) -> Option<Value>);

const CHANGES: &[Change] = &[
    ("null", |_| Some(Value::Null)),
    ("is an object", |value| (!value.is_object()).then(|| json!({ "value": value }))),
    ("is in a list", |value| (!value.is_array()).then(|| json!([value]))),
    ("is a number", |value| value.is_string().then(|| json!(42))),
    ("is empty", |value| match value {
        Value::String(_) => Some(json!("")),
        Value::Array(all) => (!all.is_empty()).then(|| json!([])),
        Value::Object(_) => Some(json!({})),
        _ => None,
    }),
    ("is text", |value| value.is_number().then(|| json!(value.to_string()))),
    ("has a comma", |value| value.is_number().then(|| json!(value.to_string().replace('.', ",")))),
    ("in cents", |value| amount(value).map(|amount| json!(amount * 100.0))),
    ("more", |value| amount(value).map(|amount| json!(amount * 2.0 + 1.0))),
    ("less than nothing", |value| amount(value).filter(|amount| *amount != 0.0).map(|amount| json!(-amount))),
    ("nothing", |value| amount(value).filter(|amount| *amount != 0.0).map(|_| json!(0))),
    ("lacks the last", |value| listed(value, |all| all.pop().map(drop))),
    ("has the first twice", |value| listed(value, |all| all.first().cloned().map(|first| all.push(first)))),
    // A trial reads the first orders, which have to stay those.
    ("begins the other way", |value| listed(value, |all| (all.len() > 1).then(|| all.swap(0, 1)))),
    ("has a hole", |value| listed(value, |all| all.first_mut().map(|first| *first = Value::Null))),
];

fn amount(value: &Value) -> Option<f64> {
    value.as_number()?.to_string().parse().ok()
}

fn listed(value: &Value, change: impl FnOnce(&mut Vec<Value>) -> Option<()>) -> Option<Value> {
    let mut all = value.as_array()?.clone();
    change(&mut all)?;
    Some(Value::Array(all))
}

/// The saved answers of a platform, and a folder with a copy of them that is changed.
struct Answers {
    pages: BTreeMap<String, Value>,
    folder: TempDir,
}

impl Answers {
    /// Those of a folder, with the keys alone that the recipe names: it reads no others.
    fn of(saved: &Path, recipe: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut pages = BTreeMap::new();
        for file in fs::read_dir(saved).unwrap() {
            let file = file.unwrap();
            let (name, text) = (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap());
            if name.ends_with(".json") && name != "requests.json" {
                let mut page = serde_json::from_str(&text).unwrap();
                keep_named(&mut page, recipe);
                pages.insert(name, page);
            } else {
                fs::write(folder.path().join(name), text).unwrap();
            }
        }
        Self { pages, folder }
    }

    /// Reads the answers with every value at that place changed. `None`: the change applies to none of them.
    async fn read(&self, place: &[String], change: impl Fn(&Value) -> Option<Value>) -> Option<Trial> {
        let mut applies = false;
        for (name, page) in &self.pages {
            let mut changed = page.clone();
            let here = at(&mut changed, place, &mut |value| change(value).map(|other| *value = other).is_some());
            applies |= here;
            fs::write(self.folder.path().join(name), (if here { &changed } else { page }).to_string()).unwrap();
        }
        if !applies {
            return None;
        }
        Some(TrialShop::of_saved(self.folder.path()).unwrap().run_saved().await)
    }

    /// The keys that lead to each value. Values in a list are at one place, "[]".
    fn places(&self) -> BTreeSet<Vec<String>> {
        let mut places = BTreeSet::new();
        for page in self.pages.values() {
            collect(page, &mut Vec::new(), &mut places);
        }
        places
    }
}

fn keep_named(value: &mut Value, recipe: &str) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|value| keep_named(value, recipe)),
        Value::Object(all) => {
            all.retain(|key, _| recipe.contains(&format!(".{key}")));
            all.values_mut().for_each(|value| keep_named(value, recipe));
        }
        _ => {}
    }
}

fn collect(value: &Value, place: &mut Vec<String>, places: &mut BTreeSet<Vec<String>>) {
    places.insert(place.clone());
    let mut inside = |key: &str, value: &Value| {
        place.push(key.to_owned());
        collect(value, place, places);
        place.pop();
    };
    match value {
        Value::Array(all) => all.iter().for_each(|value| inside("[]", value)),
        Value::Object(all) => all.iter().for_each(|(key, value)| inside(key, value)),
        _ => {}
    }
}

/// Changes the values at that place, and says whether one was.
fn at(value: &mut Value, place: &[String], change: &mut impl FnMut(&mut Value) -> bool) -> bool {
    let Some((key, rest)) = place.split_first() else { return change(value) };
    match value {
        Value::Array(all) if key == "[]" => {
            all.iter_mut().fold(false, |changed, value| at(value, rest, change) | changed)
        }
        Value::Object(all) => all.get_mut(key).is_some_and(|value| at(value, rest, change)),
        _ => false,
    }
}

/// The first order that was lost or altered without an error, compared with the unchanged answers.
fn silent(right: &Trial, read: &Trial) -> Option<String> {
    let number = |order: &TriedOrder| order.order_id.clone();
    let known: BTreeMap<String, &TriedOrder> = right.orders.iter().map(|order| (number(order), order)).collect();
    let read_numbers: BTreeSet<String> = read.orders.iter().map(number).chain(read.kept_back.iter().cloned()).collect();
    if read.failure.is_none()
        && let Some(lost) = known.keys().find(|number| !read_numbers.contains(*number))
    {
        return Some(format!("order {lost} is lost"));
    }
    if read_numbers.len() < read.orders.len() + read.kept_back.len() {
        return Some("an order is there twice".to_owned());
    }
    read.orders.iter().filter(|order| order.mismatch.is_empty()).find_map(|order| {
        let Some(right) = known.get(&order.order_id) else {
            return Some(format!("order {} is no order of the customer", order.order_id));
        };
        let is_same = right.total == order.total
            && right.currency == order.currency
            && right.order_date == order.order_date
            && figures(right) == figures(order)
            && right.items.len() == order.items.len()
            && right.items.iter().all(|one| order.items.iter().any(|other| says_no_other(one, other)));
        (!is_same).then(|| format!("order {}:\n      {right:?}\n      {order:?}", order.order_id))
    })
}

/// The figures of an order without their words, in an order of their own.
fn figures(order: &TriedOrder) -> Vec<String> {
    let all = order.adjustments.iter().flatten();
    let mut figures: Vec<String> = all.map(|one| format!("{} {} {}", one.kind, one.amount, one.included)).collect();
    figures.sort();
    figures
}

/// Whether a line says the same, or less of what a shop need not show.
fn says_no_other(right: &TriedItem, read: &TriedItem) -> bool {
    let is_less = |right: &Option<String>, read: &Option<String>| read.is_none() || right == read;
    right.item_name == read.item_name
        && right.quantity == read.quantity
        && right.line_total == read.line_total
        && is_less(&right.price, &read.price)
        && is_less(&right.sku, &read.sku)
        && is_less(&right.status, &read.status)
}

#[tokio::test(start_paused = true)]
async fn no_change_of_an_answer_is_read_as_another_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut wrong = Vec::new();
    for platform in fs::read_dir(root.join("tests/shops/saved")).unwrap() {
        let platform = platform.unwrap();
        let name = platform.file_name().into_string().unwrap();
        let recipe = fs::read_to_string(root.join("recipes").join(format!("{name}.toml"))).unwrap();
        let answers = Answers::of(&platform.path(), &recipe);
        if answers.pages.is_empty() {
            continue;
        }
        let right = answers.read(&[], |all| Some(all.clone())).await.unwrap();
        assert!(right.failure.is_none() && right.orders.len() > 1, "{name}: {:?}", right.failure);
        let facts = FACTS.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, facts)| facts);
        let mut tried = 0;
        for place in answers.places() {
            let shown = place.join(".");
            for (change, of) in CHANGES {
                let Some(read) = answers.read(&place, of).await else { continue };
                tried += usize::from(read != right);
                let shown = format!("{shown} {change}");
                let is_shape = SHAPES.contains(change);
                let is_fact = |fact: &&str| shown == **fact || !is_shape && shown.starts_with(*fact);
                if let Some(what) = silent(&right, &read)
                    && !facts.iter().any(is_fact)
                {
                    wrong.push(format!("{name}: {shown}: {what}"));
                }
            }
        }
        assert!(tried >= 30, "{name}: only {tried} changes make a difference");
    }
    assert!(wrong.is_empty(), "{} changes:\n{}", wrong.len(), wrong.join("\n"));
}
