//! The example of the documentation for a shop that answers with JSON, driven as the engine does it.

use std::sync::{Arc, Mutex};

use ordersync_api::order::Shipment;
use ordersync_api::{Open, ShipmentStatus, SyncErrorCode};
use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::super::load::shipped;
use super::shop::{PASSWORD, USERNAME};
use super::{DOCS, configured};
use crate::connector::Connector;
use crate::connector::ConnectorError;
use crate::connector::drive::{Connection, Synced};
use crate::connector::fake_shop::{self, FakeShop};

/// What cursors begin with: signs that have a meaning in addresses.
const CURSOR: &str = "a=\"b c%41+&#<é>";
pub(super) const VALUES: &str = "values = { shop_key = \"pk_1\" }";

/// The recipe of the documentation.
pub(super) fn example() -> &'static str {
    let begin = DOCS.find("recipe = 1\nkind = \"json\"\n").unwrap();
    let end = DOCS[begin..].find("```").unwrap();
    &DOCS[begin..begin + end]
}

pub(super) type Shop = FakeShop<Inside>;

type Edit = Box<dyn Fn(&str, &mut Value) + Send>;
type Dress = Box<dyn Fn(&str, &Value, ResponseTemplate) -> ResponseTemplate + Send>;

#[derive(Default)]
pub(super) struct Inside {
    orders: u32,
    /// How many orders a page has at most, whatever is asked for.
    most: usize,
    code: Option<&'static str>,
    /// For how many requests a token is valid.
    token_lasts: usize,
    token: usize,
    used: usize,
    edit: Option<Edit>,
    dress: Option<Dress>,
    /// The header that has the token, as it is; by default, it is an `Authorization`.
    token_header: Option<&'static str>,
}

impl Shop {
    pub(super) async fn with(orders: u32) -> Self {
        Self::open(Inside { orders, most: 100, token_lasts: 1000, ..Inside::default() }).await
    }

    /// Changes answers from now on: gets the path of each, and its JSON.
    pub(super) fn edit(&self, edit: impl Fn(&str, &mut Value) + Send + 'static) {
        self.inside().edit = Some(Box::new(edit));
    }

    /// Changes what is around the JSON of answers from now on.
    pub(super) fn dress(&self, dress: impl Fn(&str, &Value, ResponseTemplate) -> ResponseTemplate + Send + 'static) {
        self.inside().dress = Some(Box::new(dress));
    }

    pub(super) fn want_tokens_in(&self, header: &'static str) {
        self.inside().token_header = Some(header);
    }

    /// For how many requests each token is valid from now on.
    pub(super) fn let_tokens_last(&self, requests: usize) {
        self.inside().token_lasts = requests;
    }

    pub(super) fn connector(&self, recipe: &str) -> Arc<dyn Connector> {
        configured(&self.uri(), recipe, VALUES).unwrap()
    }
}

impl fake_shop::Inside for Inside {
    fn answer(&mut self, request: &Request) -> ResponseTemplate {
        let path = request.url.path();
        let header = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if header("x-shop-key") != "pk_1" || header("accept") != "application/json" {
            return ResponseTemplate::new(400).set_body_json(json!({ "message": "Which shop?" }));
        }
        let shown = match self.token_header {
            Some(name) => format!("Bearer {}", header(name)),
            None => header("authorization").to_owned(),
        };
        let sent = || serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
        let (status, mut answer) = match path {
            "/api/login" => self.sign_in(&sent()),
            "/api/login/code" => self.enter(&sent()),
            _ if !self.knows(&shown) => (401, json!({ "message": "Unauthorized" })),
            "/api/orders" => {
                let text = |name: &str| {
                    let pair = request.url.query_pairs().find(|(key, _)| key == name);
                    pair.map(|(_, value)| value.into_owned())
                };
                let limit: usize = text("limit").unwrap().parse().unwrap();
                let offset = match text("after") {
                    Some(cursor) if cursor.is_empty() => 0,
                    Some(cursor) => cursor.strip_prefix(CURSOR).unwrap().parse().unwrap(),
                    None => match text("page") {
                        // From 0.
                        Some(page) => page.parse::<usize>().unwrap() * limit,
                        None => text("offset").unwrap().parse().unwrap(),
                    },
                };
                (200, self.list(offset, limit))
            }
            _ => match path.strip_prefix("/api/orders/o").and_then(|number| number.parse().ok()) {
                Some(number) if (1..=self.orders).contains(&number) => (200, json!({ "order": order(number) })),
                _ => (404, json!({ "message": "Not found" })),
            },
        };
        if let Some(edit) = &self.edit {
            edit(path, &mut answer);
        }
        // With a byte order mark, as some shops send it.
        let response = ResponseTemplate::new(status).set_body_raw(format!("\u{feff}{answer}"), "application/json");
        match &self.dress {
            Some(dress) => dress(path, &answer, response),
            None => response,
        }
    }
}

impl Inside {
    fn sign_in(&mut self, sent: &Value) -> (u16, Value) {
        if sent != &json!({ "email": USERNAME, "password": PASSWORD }) {
            return (401, json!({ "message": "Wrong e-mail address or password." }));
        }
        if self.code.is_some() { (200, json!({ "challenge": "c\"7" })) } else { (200, self.new_token()) }
    }

    fn enter(&mut self, sent: &Value) -> (u16, Value) {
        assert_eq!(sent["challenge"], "c\"7");
        let is_right = self.code.is_some_and(|code| sent["code"] == code);
        if is_right { (200, self.new_token()) } else { (422, json!({ "message": "Wrong code." })) }
    }

    fn new_token(&mut self) -> Value {
        (self.token, self.used) = (self.token + 1, 0);
        json!({ "token": format!("t-{}", self.token) })
    }

    fn knows(&mut self, header: &str) -> bool {
        self.used += 1;
        header == format!("Bearer t-{}", self.token) && self.used <= self.token_lasts
    }

    fn list(&self, offset: usize, limit: usize) -> Value {
        let numbers = (1..=self.orders).rev().skip(offset).take(limit.min(self.most));
        let rows: Vec<Value> = numbers
            .map(|number| {
                let order = order(number);
                let kept = ["id", "display_id", "created_at", "total", "currency_code", "state"];
                kept.iter().map(|key| ((*key).to_owned(), order[key].clone())).collect::<serde_json::Map<_, _>>().into()
            })
            .collect();
        let shown = offset + rows.len();
        let next = (shown < self.orders as usize).then(|| format!("{CURSOR}{shown}"));
        json!({ "orders": rows, "count": self.orders, "next": next })
    }
}

fn order(number: u32) -> Value {
    json!({
        "id": format!("o{number}"), "display_id": 1000 + number, "created_at": "2026-02-01T10:00:00.000Z", "state": "processing",
        "currency_code": "eur", "total": 3550, "subtotal": 3150, "shipping_total": 400, "tax_total": 0,
        "items": [
            { "id": "l1", "title": "Lamp, <round>", "variant_sku": "L-1", "quantity": 3, "shipped_quantity": 3, "unit_price": 1000,
              "total": 3000 },
            { "id": "l2", "title": "Pen", "variant_sku": null, "quantity": 1, "shipped_quantity": 0, "unit_price": 150, "total": 150 },
        ],
        "refunds": [],
        "parcels": [
            { "carrier": "DHL", "tracking": "0034", "items": [{ "id": "l1" }] },
            { "carrier": null, "tracking": 77, "items": [{ "id": "l1" }] },
        ],
    })
}

async fn sync(shop: &Shop) -> Result<Synced, ConnectorError> {
    Connection::of(USERNAME, PASSWORD).sync(&*shop.connector(example()), |_| "123456".to_owned()).await
}

#[tokio::test]
async fn the_example_of_the_documentation_reads_a_shop() {
    for count in [0_u32, 1, 20, 21, 45] {
        let shop = Shop::with(count).await;
        let synced = sync(&shop).await.unwrap();
        assert_eq!(synced.orders.len(), count as usize);
        assert!(synced.report.listed_all() && synced.orders.iter().all(|order| order.mismatch.is_empty()), "{count}");
    }
    let order = sync(&Shop::with(1).await).await.unwrap().orders.remove(0);
    assert_eq!((order.order_id.as_str(), order.total.unwrap().to_string().as_str()), ("1001", "35.50"));
    assert_eq!(order.currency.as_deref(), Some("EUR"));
    assert_eq!(order.placed_at.unwrap().to_rfc3339(), "2026-02-01T10:00:00+00:00");
    let lines: Vec<String> = order
        .items
        .iter()
        .map(|item| {
            let [quantity, price, total] = [item.quantity, item.unit_price, item.line_total].map(Option::unwrap);
            format!("{} {:?} {quantity} {price} {total}", item.title.as_deref().unwrap(), item.sku)
        })
        .collect();
    assert_eq!(lines, ["Lamp, <round> Some(\"L-1\") 3 10.00 30.00", "Pen None 1 1.50 1.50"]);
    let statuses: Vec<_> = order.items.iter().map(|item| item.shipment_status.clone().unwrap()).collect();
    assert_eq!(statuses, [Open::Known(ShipmentStatus::Shipped), Open::Known(ShipmentStatus::Processing)]);
    let parcels = |line: usize| -> Vec<_> {
        let texts = |one: &Shipment| (one.carrier.clone(), one.tracking_number.clone());
        order.items[line].shipments.iter().map(texts).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!((parcels(0), parcels(1)), (vec![(text("DHL"), text("0034")), (None, text("77"))], Vec::new()));
    let adjustments: Vec<String> =
        order.adjustments.unwrap().iter().map(|one| format!("{} {}", one.kind, one.amount)).collect();
    assert_eq!(adjustments, ["shipping 4.00"]);
}

#[tokio::test]
async fn a_password_is_refused_a_code_asked_for_and_the_sign_in_remembered() {
    let shop = Shop::with(1).await;
    let connector = shop.connector(example());
    let refused = Connection::of(USERNAME, "wrong").sync(&*connector, |_| panic!("no code")).await;
    assert_eq!(refused.unwrap_err().code, SyncErrorCode::CredentialsRefused);

    shop.inside().code = Some("123456");
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let mut codes = ["000000", "123456"].into_iter();
    let synced = connection.sync(&*connector, |_| codes.next().unwrap().to_owned()).await.unwrap();
    assert_eq!((synced.orders.len(), synced.challenges.len(), synced.wrong_codes), (1, 2, 1));
    let posts = shop.count("POST");
    connection.sync(&*connector, |_| panic!("the sign-in is remembered")).await.unwrap();
    assert_eq!(shop.count("POST"), posts);
}

#[tokio::test]
async fn a_sign_in_that_the_shop_delays_is_sent_again_and_is_no_wrong_password() {
    let recipe = example().replacen("keep = {", "delayed = [{ path = \"$.wait\" }]\nkeep = {", 1);
    for (delays, expected) in [(2, None), (9, Some(SyncErrorCode::RetailerRateLimited))] {
        let shop = Shop::with(1).await;
        let left = Mutex::new(delays);
        shop.edit(move |path, answer| {
            let mut left = left.lock().unwrap();
            if path == "/api/login" && *left > 0 {
                *left -= 1;
                *answer = json!({ "wait": "until noon", "message": "Wrong e-mail address or password." });
            }
        });
        let synced = Connection::of(USERNAME, PASSWORD).sync(&*shop.connector(&recipe), |_| panic!("no code")).await;
        assert_eq!(synced.err().map(|error| error.code), expected, "{delays}");
        assert_eq!(shop.count("POST /api/login"), 3, "{delays}");
    }
}

/// What Saleor answers to a sign-in that comes too soon after another from the same address.
#[tokio::test]
async fn saleor_delays_a_sign_in_without_a_word_about_the_password() {
    let server = MockServer::start().await;
    let answer =
        json!({ "data": { "tokenCreate": { "token": null, "errors": [{ "code": "LOGIN_ATTEMPT_DELAYED" }] } } });
    Mock::given(any()).respond_with(ResponseTemplate::new(200).set_body_json(answer)).mount(&server).await;
    let connector = configured(&server.uri(), shipped("saleor"), "").unwrap();
    let error = Connection::of(USERNAME, PASSWORD).sync(&*connector, |_| panic!("no code")).await.unwrap_err();
    assert_eq!(error.code, SyncErrorCode::RetailerRateLimited, "{}", error.message);
}

#[tokio::test]
async fn a_token_that_ends_in_the_middle_is_renewed_and_no_order_is_read_twice() {
    let shop = Shop::with(30).await;
    shop.inside().token_lasts = 9;
    let synced = sync(&shop).await.unwrap();
    assert_eq!(synced.orders.len(), 30);
    let signed_in = shop.count("POST");
    assert!((2..=8).contains(&signed_in), "{signed_in}");
    assert!(shop.count("GET /api/orders/o") <= 30 + signed_in);
}

#[tokio::test]
async fn a_shop_that_leads_a_visitor_without_a_token_to_its_sign_in_gets_one() {
    let shop = Shop::with(30).await;
    shop.inside().token_lasts = 9;
    shop.dress(|_, answer, response| match answer["message"].as_str() {
        Some("Unauthorized") => ResponseTemplate::new(302).insert_header("location", "/login"),
        _ => response,
    });
    assert_eq!(sync(&shop).await.unwrap().orders.len(), 30);
}

#[tokio::test]
async fn a_shop_that_has_fewer_orders_on_a_page_than_it_is_asked_for_is_read_whole() {
    for most in [1, 7, 19] {
        let shop = Shop::with(20).await;
        shop.inside().most = most;
        assert_eq!(sync(&shop).await.unwrap().orders.len(), 20, "{most}");
    }
}

/// The example with cursors; `count`: where the list says how many orders there are, if it does.
fn by_cursor(next: &str, count: &str) -> String {
    let paging = format!("paging = \"cursor\"\nnext = {next}");
    let recipe = example().replacen("offset = \"{offset}\"", "after = \"{cursor}\"", 1);
    recipe.replacen("paging = \"offset\"", &paging, 1).replacen("count = \"$.count\"\n", count, 1)
}

#[tokio::test]
async fn a_list_with_cursors_is_read_to_the_page_that_has_none() {
    let recipe = by_cursor("\"$.next\"", "count = \"$.count\"\n");
    for (orders, most) in [(0, 100), (1, 100), (20, 100), (45, 7)] {
        let shop = Shop::with(orders).await;
        shop.inside().most = most;
        let connector = shop.connector(&recipe);
        let synced = Connection::of(USERNAME, PASSWORD).sync(&*connector, |_| String::new()).await.unwrap();
        assert_eq!((synced.orders.len(), synced.report.listed_all()), (orders as usize, true));
    }
    let shop = Shop::with(45).await;
    shop.edit(|path, answer| {
        if path == "/api/orders" {
            answer["next"] = Value::Null;
        }
    });
    let error = Connection::of(USERNAME, PASSWORD).sync(&*shop.connector(&recipe), |_| String::new()).await;
    assert_eq!(error.unwrap_err().code, SyncErrorCode::RetailerIncomplete);
}

#[tokio::test]
async fn cursors_are_followed_over_an_empty_page_and_not_in_a_circle() {
    let synced = async |shop: &Shop| {
        let recipe = by_cursor("\"$.next\"", "");
        Connection::of(USERNAME, PASSWORD).sync(&*shop.connector(&recipe), |_| String::new()).await
    };
    let shop = Shop::with(45).await;
    shop.inside().most = 7;
    shop.edit(|_, answer| {
        if answer["next"] == format!("{CURSOR}14") {
            answer["orders"] = json!([]);
        }
    });
    assert_eq!(synced(&shop).await.unwrap().orders.len(), 38);

    let shop = Shop::with(45).await;
    shop.inside().most = 7;
    let pages = Arc::new(Mutex::new(0));
    let read = Arc::clone(&pages);
    shop.edit(move |path, answer| {
        *read.lock().unwrap() += usize::from(path == "/api/orders");
        // The third page leads to the second.
        if answer["next"] == format!("{CURSOR}21") {
            answer["next"] = json!(format!("{CURSOR}7"));
        }
    });
    let error = synced(&shop).await.unwrap_err();
    assert!(error.message.contains("leads back to a page before it"), "{}", error.message);
    assert!(*pages.lock().unwrap() < 9, "{pages:?}");
}

#[tokio::test]
async fn a_page_without_the_key_of_the_next_one_is_the_last_only_if_the_recipe_allows_it() {
    let shop = Shop::with(25).await;
    let synced =
        async |recipe: &str| Connection::of(USERNAME, PASSWORD).sync(&*shop.connector(recipe), |_| String::new()).await;
    let needed = "\"$.next\"";
    assert_eq!(synced(&by_cursor(needed, "")).await.unwrap().orders.len(), 25);
    let mistyped = synced(&by_cursor("\"$.nextt\"", "")).await.unwrap_err();
    assert!(mistyped.message.contains("nothing at `$.nextt`"), "{}", mistyped.message);
    shop.edit(|_, answer| {
        if answer["next"].is_null() {
            answer.as_object_mut().unwrap().remove("next");
        }
    });
    assert_eq!(synced(&by_cursor(needed, "")).await.unwrap_err().code, SyncErrorCode::RetailerIncomplete);
    let optional = "{ path = \"$.next\", optional = true }";
    for (count, is_proven) in [("count = \"$.count\"\n", true), ("", false)] {
        let synced = synced(&by_cursor(optional, count)).await.unwrap();
        let report = (synced.orders.len(), synced.report.listed_all(), synced.report.end_not_proven());
        assert_eq!(report, (25, is_proven, !is_proven), "{count}");
    }
}

/// The example with pages that are counted from 0, and without a number of orders.
fn by_page(first_page: &str) -> String {
    let recipe = example().replacen("offset = \"{offset}\"", "page = \"{page}\"", 1);
    recipe.replacen("paging = \"offset\"\ncount = \"$.count\"", &format!("paging = \"page\"\n{first_page}"), 1)
}

#[tokio::test]
async fn an_order_that_is_deleted_while_the_list_is_read_makes_no_other_order_missing() {
    let shop = Shop::with(61).await;
    let connector = shop.connector(&by_page("first_page = 0"));
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let stored = connection.sync(&*connector, |_| String::new()).await.unwrap().orders;
    let stored = stored.into_iter().map(|order| (order.order_id, String::new()));
    connection.fingerprints.0.lock().unwrap().extend(stored);
    // Order 1022 is deleted, and 1021 moves from the third page to the second, which was read.
    let pages = Mutex::new(0);
    shop.edit(move |path, answer| {
        let mut pages = pages.lock().unwrap();
        *pages += usize::from(path == "/api/orders");
        let is_third = answer["orders"][0]["display_id"] == 1021;
        if is_third && *pages < 5 {
            answer["orders"].as_array_mut().unwrap().remove(0);
            let next = json!({ "id": "o1", "display_id": 1001, "created_at": "2026-02-01T10:00:00.000Z", "total": 3550,
                               "currency_code": "eur", "state": "processing" });
            answer["orders"].as_array_mut().unwrap().push(next);
        }
        if answer["orders"][0]["display_id"] == 1001 && *pages < 6 {
            answer["orders"] = json!([]);
        }
    });
    let synced = connection.sync(&*connector, |_| String::new()).await.unwrap();
    let mut listed: Vec<&str> =
        synced.orders.iter().map(|order| &*order.order_id).chain(synced.unchanged.iter().map(|id| &**id)).collect();
    listed.sort_unstable();
    listed.dedup();
    assert_eq!((listed.len(), synced.report.listed_all()), (61, true));
}

#[tokio::test]
async fn a_list_that_ends_too_soon_twice_marks_nothing_as_missing() {
    let shop = Shop::with(45).await;
    let connector = shop.connector(&by_page("first_page = 0"));
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let stored = connection.sync(&*connector, |_| String::new()).await.unwrap().orders;
    let stored = stored.into_iter().map(|order| (order.order_id, String::new()));
    connection.fingerprints.0.lock().unwrap().extend(stored);
    shop.edit(|path, answer| {
        if path == "/api/orders" && answer["orders"][0]["display_id"] != 1045 {
            answer["orders"] = json!([]);
        }
    });
    let report = connection.sync(&*connector, |_| String::new()).await.unwrap().report;
    assert_eq!((report.listed_all(), report.end_not_proven()), (false, true));
}

#[tokio::test]
async fn a_list_in_one_answer_is_compared_with_its_number_of_orders() {
    let recipe = example().replacen("paging = \"offset\"", "paging = \"one\"", 1);
    let recipe = recipe.replacen("limit = \"{size}\", offset = \"{offset}\"", "limit = \"100\", offset = \"0\"", 1);
    let shop = Shop::with(45).await;
    let synced = async || Connection::of(USERNAME, PASSWORD).sync(&*shop.connector(&recipe), |_| String::new()).await;
    let whole = synced().await.unwrap();
    assert_eq!((whole.orders.len(), whole.report.listed_all()), (45, true));
    for count in [44, 46] {
        shop.edit(move |path, answer| {
            if path == "/api/orders" {
                answer["count"] = json!(count);
            }
        });
        assert_eq!(synced().await.unwrap_err().code, SyncErrorCode::RetailerIncomplete, "{count}");
    }
}

#[tokio::test]
async fn the_page_after_a_number_of_orders_may_be_refused() {
    let shop = Shop::with(20).await;
    shop.dress(|path, answer, response| {
        let is_empty = path == "/api/orders" && answer["orders"].as_array().is_some_and(Vec::is_empty);
        if is_empty {
            ResponseTemplate::new(400).set_body_json(json!({ "message": "No such page." }))
        } else {
            response
        }
    });
    let synced = sync(&shop).await.unwrap();
    assert_eq!((synced.orders.len(), synced.report.listed_all()), (20, true));
}

#[tokio::test]
async fn what_is_not_as_the_recipe_says_is_never_silent() {
    type Change = (&'static str, fn(&mut Value));
    let of_the_list: [Change; 13] = [
        ("no count", |list| drop(list["count"].take())),
        ("a larger count", |list| list["count"] = json!(4)),
        ("no orders", |list| list["orders"] = json!([])),
        ("no list", |list| list["orders"] = Value::Null),
        ("an order twice", |list| list["orders"][1] = list["orders"][0].clone()),
        ("a null order", |list| list["orders"][1] = Value::Null),
        ("no number", |list| list["orders"][1]["display_id"] = Value::Null),
        ("no key", |list| list["orders"][1]["id"] = Value::Null),
        ("another key", |list| list["orders"][1]["id"] = json!("o1")),
        ("no date", |list| list["orders"][1]["created_at"] = json!("yesterday")),
        ("another total", |list| list["orders"][1]["total"] = json!(3551)),
        ("a total in euros", |list| list["orders"][1]["total"] = json!(35.5)),
        ("no currency", |list| list["orders"][1]["currency_code"] = json!("euro")),
    ];
    let of_an_order: [Change; 14] = [
        ("another currency", |order| order["order"]["currency_code"] = json!("usd")),
        ("another order", |order| order["order"]["display_id"] = json!(1)),
        ("no order", |order| order["order"] = Value::Null),
        ("no items", |order| order["order"]["items"] = Value::Null),
        ("a line less", |order| order["order"]["items"] = json!([order["order"]["items"][0]])),
        ("a title that is none", |order| order["order"]["items"][1]["title"] = json!(3)),
        ("a quantity in words", |order| order["order"]["items"][1]["quantity"] = json!("one")),
        ("a line in euros", |order| order["order"]["items"][1]["total"] = json!(1.5)),
        ("no subtotal", |order| order["order"]["subtotal"] = Value::Null),
        ("another subtotal", |order| order["order"]["subtotal"] = json!(3151)),
        ("no parcels", |order| order["order"]["parcels"] = Value::Null),
        ("a parcel of another line", |order| order["order"]["parcels"][0]["items"][0]["id"] = json!("l3")),
        ("a number of a parcel that is none", |order| order["order"]["parcels"][0]["tracking"] = json!(true)),
        ("no number of pieces that were shipped", |order| order["order"]["items"][0]["shipped_quantity"] = Value::Null),
    ];
    let mut silent = Vec::new();
    let of_the_list = of_the_list.map(|change| ("/api/orders", change));
    let of_an_order = of_an_order.map(|change| ("/api/orders/o2", change));
    for (changed, (what, edit)) in of_the_list.into_iter().chain(of_an_order) {
        let shop = Shop::with(3).await;
        shop.edit(move |path, answer| {
            if path == changed && answer.get("message").is_none() {
                edit(answer);
            }
        });
        if let Ok(synced) = sync(&shop).await
            && synced.orders.iter().all(|order| order.mismatch.is_empty())
        {
            silent.push(format!("{what}: {} orders", synced.orders.len()));
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[tokio::test]
async fn a_number_with_signs_that_nobody_sees_is_refused() {
    let shop = Shop::with(1).await;
    shop.edit(|_, answer| {
        for order in ["/orders/0/display_id", "/order/display_id"] {
            if let Some(number) = answer.pointer_mut(order) {
                *number = json!("\u{202e}1001");
            }
        }
    });
    let message = sync(&shop).await.unwrap_err().message;
    assert!(message.contains("signs that nobody sees at `$.display_id`"), "{message}");
}

#[tokio::test]
async fn a_page_or_a_failure_in_place_of_json_is_named() {
    for (body, kind, code) in [
        ("<h1>We are down for maintenance</h1>", "text/html", SyncErrorCode::RetailerUnavailable),
        ("<div class=\"g-recaptcha\"></div>", "text/html", SyncErrorCode::ActionRequired),
        ("{\"orders\": [", "application/json", SyncErrorCode::RetailerUnavailable),
        ("", "application/json", SyncErrorCode::RetailerUnavailable),
    ] {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(200).set_body_raw(body, kind);
        Mock::given(any()).respond_with(answer).mount(&server).await;
        let connector = configured(&server.uri(), example(), VALUES).unwrap();
        let error = Connection::of(USERNAME, PASSWORD).sync(&*connector, |_| String::new()).await.unwrap_err();
        assert_eq!(error.code, code, "{body}: {}", error.message);
    }
}

#[test]
fn a_mistake_names_the_key_and_what_would_be_right() {
    for (from, to, expected) in [
        ("kind = \"json\"", "kind = \"xml\"", "kind: has to be \"pages\" or \"json\""),
        ("{password}", "{pass}", "sign_in.send: has {pass}, which nothing stands for"),
        ("\"$.orders\"", "\"orders\"", "list.orders: \"orders\" is no JSONPath"),
        ("offset = \"{offset}\"", "offset = \"0\"", "list.send: lacks {offset}, which addresses the pages"),
        ("kind = \"total\"", "kind = \"sum\"", "order.figures[4].kind: unknown variant `sum`"),
        ("path = \"api/orders\"", "path = \"/api/orders\"", "list.send: has the path \"/api/orders\""),
        ("paging = \"offset\"", "paging = \"cursor\"", "list.send: lacks {cursor}"),
        ("format = \"rfc3339\"", "format = \"iso\"", "list.date.format: \"iso\" is no format of dates"),
        ("[order]\n", "[order]\nsize = 1\n", "order.size: unknown field `size`"),
        (
            "[words.statuses]\n",
            "[words.statuses]\nreturned = [\"Shipped\"]\n",
            "words.statuses: \"shipped\" has two meanings",
        ),
        ("lines = \"$.items\", line = \"$.id\"", "", "order.shipments.lines: needs `line` and `order.line_key`"),
    ] {
        let recipe = example().replacen(from, to, 1);
        assert_ne!(recipe, example(), "{from}");
        let error = configured("http://127.0.0.1:1", &recipe, VALUES).err().unwrap();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    for (lines, expected) in [
        ("", "values.shop_key: is missing; it is the key"),
        (
            "values = { shop_key = \"a\", other = \"b\" }",
            "values.other: the recipe for Corner Shop asks for no such value",
        ),
        ("values = { shop_key = \"a\\nb\" }", "can be no header"),
        ("values = { shop_key = \"a\" }\naccount_path = \"a\"", "account_path: the recipe has no {account}"),
    ] {
        let error = configured("http://127.0.0.1:1", example(), lines).err().unwrap();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}
