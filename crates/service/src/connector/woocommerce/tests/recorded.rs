//! Every customer of a recorded shop, compared with that shop's database. The recordings are not part of the project: the test
//! needs their folder in `ORDERSYNC_RECORDINGS`, and does nothing without it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ordersync_api::AdjustmentType;
use rust_decimal::Decimal;
use serde_json::Value;
use url::form_urlencoded::parse;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::shop::answer;
use super::{SETTINGS, connector};
use crate::connector::RetailerOrder;
use crate::connector::drive::Connection;

const CUSTOMERS: [usize; 6] = [0, 1, 3, 10, 11, 25];
/// Where the recorded shop ran.
const RECORDED_AT: &str = "http://127.0.0.1:8201";

/// The recorded answers, by customer, method and path.
struct Replay {
    bodies: HashMap<(String, String), String>,
    forms: HashMap<String, Value>,
    uri: OnceLock<String>,
}

struct Door(Arc<Replay>);

impl Respond for Door {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let path = request.url.path();
        let cookies = request.headers.get("cookie").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let who = cookies.split("; ").find_map(|cookie| cookie.strip_prefix("who=")).unwrap_or_default();
        if request.method == "POST" {
            let sent: HashMap<String, String> = parse(&request.body).into_owned().collect();
            let who = sent.get("username").cloned().unwrap_or_default();
            let form = self.0.forms.get(&who).and_then(Value::as_object);
            let is_right = form.is_some_and(|form| {
                form.iter().all(|(name, value)| sent.get(name).map(String::as_str) == value.as_str())
            });
            assert!(is_right, "the form differs from the recorded one");
            return ResponseTemplate::new(302)
                .insert_header("location", "/my-account/")
                .append_header("set-cookie", format!("who={who}; Path=/"));
        }
        let find = |who: &str, path: &str| self.0.bodies.get(&(who.to_owned(), path.to_owned()));
        let body = if who.is_empty() {
            find("", "sign-in")
        } else {
            find(who, path).or_else(|| path.starts_with("/my-account/orders/").then(|| find("", "past the end"))?)
        };
        let uri = self.0.uri.get().unwrap();
        body.map_or_else(|| ResponseTemplate::new(404), |body| answer(&body.replace(RECORDED_AT, uri)))
    }
}

impl Replay {
    fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("woocommerce.jsonl")).unwrap();
        let (mut bodies, mut forms) = (HashMap::new(), HashMap::new());
        for line in text.lines() {
            let one: Value = serde_json::from_str(line).unwrap();
            let of = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
            let path = of("url").replace(RECORDED_AT, "");
            match of("label").as_str() {
                "login page" => drop(bodies.insert((String::new(), "sign-in".to_owned()), of("body"))),
                "past the end" => drop(bodies.insert((String::new(), "past the end".to_owned()), of("body"))),
                "list" | "order" => drop(bodies.insert((of("who"), path), of("body"))),
                "login" if one["status"] == 302 => drop(forms.insert(of("who"), one["form"].clone())),
                _ => {}
            }
        }
        Self { bodies, forms, uri: OnceLock::new() }
    }
}

fn decimal(value: &Value) -> Decimal {
    value.as_str().unwrap().parse().unwrap()
}

/// What differs between an order and the database.
fn differences(order: &RetailerOrder, truth: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |what: &str, is_right: bool| {
        if !is_right {
            wrong.push(format!("{}: {what}", order.order_id));
        }
    };
    let placed = order.placed_at.unwrap().format("%Y-%m-%d %H:%M:%S").to_string();
    check("date", placed == truth["created_gmt"].as_str().unwrap());
    check("total", order.total == Some(decimal(&truth["total"])));
    check("currency", order.currency.as_deref() == truth["currency"].as_str());
    let lines = truth["lines"].as_array().unwrap();
    check("number of lines", lines.len() == order.items.len());
    for (item, line) in order.items.iter().zip(lines) {
        check("quantity", item.quantity == Some(decimal(&line["qty"])));
        check("line total", item.line_total == Some(decimal(&line["subtotal"])));
        check(
            "title",
            letters(item.title.as_deref().unwrap()) == letters(&without_tags(line["name"].as_str().unwrap())),
        );
        let status = item.shipment_text.as_deref().unwrap_or_default().to_lowercase().replace(' ', "-");
        let expected = truth["status"].as_str().unwrap().trim_start_matches("wc-");
        check("status", status == expected || status == "pending-payment" && expected == "pending");
    }
    let of = |kind: AdjustmentType| -> Decimal {
        let kept = order.adjustments.iter().flatten().filter(|kept| kept.kind.known() == Some(&kind));
        kept.map(|kept| kept.amount).sum()
    };
    let refunds: Decimal = truth["refunds"].as_array().into_iter().flatten().map(decimal).sum();
    check("refunds", of(AdjustmentType::Refund) == -refunds);
    let discount: Decimal = lines.iter().map(|line| decimal(&line["total"]) - decimal(&line["subtotal"])).sum();
    check("discount", (of(AdjustmentType::Discount) - discount).abs() <= Decimal::new(1, 2));
    check("mismatch", order.mismatch.is_empty());
    wrong
}

/// Quotes and dashes are others on pages than in the database.
fn letters(title: &str) -> String {
    title.chars().filter(|sign| sign.is_alphanumeric()).collect()
}

/// The shop takes `<3m>` for a tag, and leaves it out.
fn without_tags(name: &str) -> String {
    name.split('<')
        .enumerate()
        .map(|(index, part)| if index == 0 { part } else { part.split_once('>').map_or(part, |(_, rest)| rest) })
        .collect()
}

#[tokio::test]
async fn every_recorded_customer_has_the_orders_of_the_database() {
    let Some(folder) = std::env::var_os("ORDERSYNC_RECORDINGS").map(PathBuf::from) else {
        println!("not compared: ORDERSYNC_RECORDINGS does not name the folder of the recordings");
        return;
    };
    let truth: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(folder.join("woocommerce.truth.json")).unwrap()).unwrap();
    let replay = Arc::new(Replay::read(&folder));
    let server = MockServer::start().await;
    replay.uri.set(server.uri()).unwrap();
    Mock::given(any()).respond_with(Door(Arc::clone(&replay))).mount(&server).await;
    let connector = connector(&server.uri(), &format!("{SETTINGS}reread_newest = 0\nreread_oldest = 0"));
    for count in CUSTOMERS {
        let who = format!("cust{count}@shop.test");
        let mut connection = Connection::of(&who, "OrderSync!2024");
        let synced = connection.sync(&*connector, |_| panic!("no code is asked for")).await.unwrap();
        let first = server.received_requests().await.unwrap().len();
        assert_eq!(synced.orders.len(), count, "{who}");
        let find = |order: &RetailerOrder| {
            truth.iter().find(|row| row["order_id"].as_u64() == order.order_id.parse().ok()).unwrap()
        };
        let wrong: Vec<String> = synced.orders.iter().flat_map(|order| differences(order, find(order))).collect();
        assert!(wrong.is_empty(), "{who}: {wrong:?}");
        let again = connection.sync(&*connector, |_| panic!("no code is asked for")).await.unwrap();
        let second = server.received_requests().await.unwrap().len() - first;
        assert!(again.orders.iter().all(|order| synced.orders.contains(order)), "{who}");
        println!("{who}: {count} orders; requests {first} in all so far, {second} for the second sync");
    }
}
