//! Every case: files as people hand them over, and what has to come of them.
//!
//! `ORDERSYNC_CASES` names another folder of cases. Of `expected.json`, the following is not compared. It is what the service
//! or the command does with the result: `importOrder`, `importTwice`, `changes`, `spend`, `net`, `stored`. It has no field in
//! an imported order: `options`, `optionsCost`, `shipDates`, `shipments`, `titleFrom`, and how a date's order was proven. An
//! order without a number has none in the case, and one made of its key in the import.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ordersync_api::{Adjustment, ImportedItem, ImportedOrder};
use ordersync_import::{Finding, Options, check};
use rust_decimal::Decimal;
use serde_json::{Value, json};

type Found = (Option<String>, ImportedOrder);

#[test]
fn every_case_comes_out_as_expected() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/own_history/cases");
    let folder = std::env::var_os("ORDERSYNC_CASES").map_or(own, PathBuf::from);
    let mut cases: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|case| case.join("expected.json").is_file());
    cases.sort();
    assert!(cases.len() > 40 || std::env::var_os("ORDERSYNC_CASES").is_some(), "{}", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .flat_map(|case| {
            let name = case.file_name().unwrap().to_string_lossy().into_owned();
            compare(case).into_iter().map(move |what| format!("{name}: {what}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} cases: {wrong:#?}", wrong.len(), cases.len());
}

/// The differences between a case and its import.
fn compare(case: &Path) -> Vec<String> {
    let expected: Value = serde_json::from_slice(&std::fs::read(case.join("expected.json")).unwrap()).unwrap();
    let mapping = Some(case.join("in/mapping.toml")).filter(|path| path.is_file());
    let currency =
        expected["currencyFrom"].as_str().and_then(|text| text.strip_prefix("--currency ")).map(str::to_owned);
    let options = Options { currency, mapping, pages: expected["pages"] == true, ..Options::default() };
    let mut wrong = Vec::new();
    let (found, findings) = match check(&[case.join("in")], &options) {
        Ok(checked) => {
            let (mut found, mut missing): (Vec<Found>, Vec<Value>) = (Vec::new(), Vec::new());
            for request in checked.requests() {
                let request = request.unwrap();
                let retailer = &request.retailer_name;
                assert!(request.orders.len() <= 500 && retailer.as_deref() != Some(""));
                let orders = request.orders.iter().map(|order| serde_json::from_str(order.get()).unwrap());
                found.extend(orders.map(|order| (retailer.clone(), order)));
                for order in &request.orders_left_out {
                    missing.push(json!({ "retailer": retailer, "orderId": order.order_id, "reason": order.reason }));
                }
            }
            if missing != expected["missing"].as_array().cloned().unwrap_or_default() {
                wrong.push(format!("missing: {missing:?}"));
            }
            let whole = found.iter().filter(|(_, order)| !order.only_adds);
            assert_eq!(checked.report().orders, whole.clone().count() as u64);
            assert_eq!(checked.report().lines, whole.map(|(_, order)| order.items.len() as u64).sum::<u64>());
            (Some(found), checked.report().findings.clone())
        }
        Err(refused) => {
            assert!(!refused.message.is_empty());
            let mut findings = refused.findings.clone();
            findings.push(Finding { code: refused.code, ..placeless() });
            (None, findings)
        }
    };
    if expected["accepted"].as_bool() != Some(found.is_some()) {
        wrong.push(format!("accepted: {}, but {findings:?}", expected["accepted"]));
    }
    let found: Vec<Found> = found.unwrap_or_default().into_iter().filter(|(_, order)| !order.only_adds).collect();
    let orders = expected["orders"].as_array().cloned().unwrap_or_default();
    let numbers: BTreeSet<&str> = found.iter().map(|(_, order)| order.order_id.as_str()).collect();
    if found.len() != orders.len() || numbers.len() != found.len() || numbers.contains("") {
        wrong.push(format!("{} orders, not {}: {numbers:?}", found.len(), orders.len()));
    }
    for expected in &orders {
        let of = |(_, order): &&Found| match expected["orderId"].as_str() {
            Some(id) => order.order_id == id,
            None => time(order) == expected["orderDate"].as_str().unwrap_or_default(),
        };
        let Some((retailer, order)) = found.iter().find(of) else {
            wrong.push(format!("no order {}", expected["orderId"]));
            continue;
        };
        let mut differ = Differ { wrong: &mut wrong, at: order.order_id.clone() };
        differ.text("retailer", retailer.as_deref(), &expected["retailer"]);
        differ.order(order, expected);
    }
    let mut codes: BTreeSet<&str> = BTreeSet::new();
    for expected in expected["report"].as_array().into_iter().flatten() {
        let code = expected["code"].as_str().unwrap();
        codes.insert(code);
        if !findings.iter().any(|finding| is_at(finding, expected)) {
            wrong.push(format!("no finding {expected} in {findings:#?}"));
        }
    }
    if orders.iter().any(has_no_zone) {
        codes.insert("time_zone_unknown");
    }
    let more = findings.iter().filter(|finding| !codes.contains(finding.code.as_str()));
    wrong.extend(more.filter(|_| expected["accepted"] == true).map(|finding| format!("finding {finding:?}")));
    wrong
}

fn placeless() -> Finding {
    Finding {
        code: ordersync_import::FindingCode::FormatUnknown,
        file: String::new(),
        row: None,
        line: None,
        order_id: None,
        column: None,
        shown: None,
        computed: None,
        message: String::new(),
    }
}

fn is_at(finding: &Finding, expected: &Value) -> bool {
    let text = |name: &str, found: Option<&str>| expected[name].as_str().is_none_or(|text| found == Some(text));
    let number = |name: &str, found: Option<u64>| expected[name].as_u64().is_none_or(|number| found == Some(number));
    let figure = |name: &str, found: Option<&String>| {
        expected[name].as_str().is_none_or(|text| found.is_some_and(|found| decimal(found) == decimal(text)))
    };
    finding.code.as_str() == expected["code"]
        && expected["file"].as_str().is_none_or(|file| finding.file.ends_with(file))
        && text("column", finding.column.as_deref())
        && text("orderId", finding.order_id.as_deref())
        && text("symbol", finding.shown.as_deref())
        && number("row", finding.row)
        && number("line", finding.line)
        && figure("shown", finding.shown.as_ref())
        && figure("amount", finding.shown.as_ref())
        && figure("computed", finding.computed.as_ref())
}

struct Differ<'a> {
    wrong: &'a mut Vec<String>,
    at: String,
}

impl Differ<'_> {
    fn add(&mut self, what: &str, found: impl std::fmt::Debug, expected: impl std::fmt::Debug) {
        self.wrong.push(format!("{}: {what} is {found:?}, not {expected:?}", self.at));
    }

    fn text(&mut self, what: &str, found: Option<&str>, expected: &Value) {
        if found != expected.as_str() {
            self.add(what, found, expected);
        }
    }

    fn figure(&mut self, what: &str, found: Option<Decimal>, expected: &Value) {
        if found != expected.as_str().map(decimal) {
            self.add(what, found, expected);
        }
    }

    fn order(&mut self, order: &ImportedOrder, expected: &Value) {
        let date = expected["orderDate"].as_str().unwrap();
        let is_day = order.order_date_precision.is_some();
        let found = time(order);
        if is_day != (date.len() == 10 || has_no_zone(expected)) || !found.starts_with(date.get(..10).unwrap()) {
            self.add("the date", order.order_date, date);
        } else if !is_day && found != date {
            self.add("the time", found, date);
        }
        self.text("the currency", order.currency.as_deref(), &expected["currency"]);
        self.figure("the total", order.order_total, &expected["orderTotal"]);
        let mut adjustments = expected["adjustments"].as_array().cloned().unwrap_or_default();
        for payment in expected["payments"].as_array().into_iter().flatten() {
            adjustments.push(serde_json::json!({
                "type": "payment", "amount": payment["amount"], "text": payment["method"],
            }));
        }
        let with_payments = expected.get("payments").is_some();
        let found = order.adjustments.iter().filter(|one| with_payments || one.kind.to_string() != "payment");
        self.adjustments(found.collect(), &adjustments);
        let lines = expected["lines"].as_array().unwrap();
        if order.items.len() != lines.len() {
            self.add("the number of lines", order.items.len(), lines.len());
        }
        for (item, line) in order.items.iter().zip(lines) {
            let seller = line.get("seller").or_else(|| expected.get("seller")).unwrap_or(&Value::Null);
            let status = line.get("status").or_else(|| expected.get("status"));
            self.line(item, line, seller, status);
        }
    }

    fn line(&mut self, item: &ImportedItem, expected: &Value, seller: &Value, status: Option<&Value>) {
        self.text("the title", item.item_name.as_deref(), &expected["title"]);
        self.text("the SKU", item.retailer_sku.as_deref(), &expected["sku"]);
        self.text("the category", item.category.as_deref(), &expected["category"]);
        self.text("the brand", item.brand_name.as_deref(), &expected["brand"]);
        self.text("the seller", item.seller.as_deref(), seller);
        if expected.get("lineId").is_some() {
            self.text("the line's number", item.line_id.as_deref(), &expected["lineId"]);
        }
        if let Some(status) = status {
            self.text("the status", item.shipment_status.as_ref().map(ToString::to_string).as_deref(), status);
        }
        self.figure("the quantity", item.quantity, &expected["quantity"]);
        self.figure("the price", item.price, &expected["unitPrice"]);
        let total = expected.get("amountCharged").unwrap_or(&expected["lineTotal"]);
        self.figure("the line's total", item.line_total, total);
        let adjustments = expected["lineAdjustments"].as_array().cloned().unwrap_or_default();
        self.adjustments(item.adjustments.iter().collect(), &adjustments);
    }

    fn adjustments(&mut self, mut found: Vec<&Adjustment>, expected: &[Value]) {
        for expected in expected {
            let fits = |one: &&Adjustment| {
                let date = one.date.as_ref().map(ToString::to_string);
                one.kind.to_string() == expected["type"]
                    && one.amount == decimal(expected["amount"].as_str().unwrap())
                    && expected.get("date").is_none_or(|expected| date.as_deref() == expected.as_str())
                    && expected.get("text").is_none_or(|expected| one.text.as_deref() == expected.as_str())
                    && one.included == expected.get("included").is_some()
            };
            match found.iter().position(fits) {
                Some(index) => drop(found.remove(index)),
                None => self.add("an adjustment", &found, expected),
            }
        }
        if !found.is_empty() {
            self.add("an adjustment", found, "none");
        }
    }
}

/// A time that the file has without its zone.
fn has_no_zone(order: &Value) -> bool {
    order["orderDate"].as_str().is_some_and(|date| date.len() > 10 && !date.ends_with('Z'))
}

fn time(order: &ImportedOrder) -> String {
    order.order_date.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}
