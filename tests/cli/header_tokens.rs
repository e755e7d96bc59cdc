//! A shop that gives its token in a header: it is added, tried, saved and synced, and the token is shown nowhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::small_shops::{PASSWORD, USER, with_credentials, with_password};
use super::support::Home;
use super::web_peer::{Answer, Asked, Site};

const TOKEN: &str = "canary-token-4477";

/// A Vendure shop with `tokenMethod: 'bearer'`. It knows the token of the latest sign-in.
fn vendure(asked: &Asked, signed_in: &AtomicUsize) -> Answer {
    let sent: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    let query = sent["query"].as_str().unwrap_or_default();
    if asked.path != "/shop-api" {
        return Answer::new(404, "");
    }
    if query.contains("login(") {
        if sent["variables"] != json!({ "username": USER, "password": PASSWORD }) {
            let error = json!({ "errorCode": "INVALID_CREDENTIALS_ERROR" });
            return Answer::json(&json!({ "data": { "login": error } })).with("vendure-auth-token", "of-a-visitor");
        }
        let number = signed_in.fetch_add(1, Ordering::SeqCst) + 1;
        let answer = Answer::json(&json!({ "data": { "login": { "__typename": "CurrentUser" } } }));
        return answer.with("Vendure-Auth-Token", &format!("{TOKEN}-{number}"));
    }
    if asked.authorization != format!("Bearer {TOKEN}-{}", signed_in.load(Ordering::SeqCst)) {
        let visitor = json!({ "data": { "__typename": "Query", "activeCustomer": null } });
        return Answer::json(&visitor).with("vendure-auth-token", "of-a-visitor");
    }
    let data = if query.contains("orderByCode") {
        json!({ "activeCustomer": { "id": "1" }, "orderByCode": {
            "code": sent["variables"]["code"], "state": "Shipped", "totalWithTax": 2400, "discounts": [], "surcharges": [],
            "lines": [{ "id": "1", "quantity": 2, "unitPriceWithTax": 1200, "linePriceWithTax": 2400, "fulfillmentLines": [],
                "productVariant": { "name": "Lamp", "sku": "L-1" } }],
            "shippingLines": [], "taxSummary": [{ "description": "VAT", "taxTotal": 400 }], "fulfillments": [],
            "payments": [{ "refunds": [] }],
        } })
    } else {
        let items: Vec<Value> = ["CRMCK4EQ", "53PE7S5I"]
            .iter()
            .map(|code| {
                json!({ "code": code, "orderPlacedAt": "2026-09-19T08:15:30.000Z", "state": "Shipped",
                "currencyCode": "GBP", "totalWithTax": 2400, "totalQuantity": 2 })
            })
            .collect();
        json!({ "__typename": "Query", "activeCustomer": { "orders": { "totalItems": 2, "items": items } } })
    };
    Answer::json(&json!({ "data": data }))
}

#[test]
fn a_token_in_a_header_reads_the_shop_and_is_shown_nowhere() {
    let signed_in = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&signed_in);
    let shop = Site::start(|_| move |asked: &Asked| vendure(asked, &counter));
    let home = Home::new();
    let add = ["retailers", "add", &shop.uri, "--allow-private-network", "--name", "Canary"];
    home.run(&add).ends(0).prints("Vendure");
    let check = ["-vv", "retailers", "check", "canary"];
    let run = with_credentials(&home, &[&check[..], &["--save", "pages"]].concat()).ends(0);
    let run = run.prints("Orders read  2").prints("12.00 GBP");
    assert!(!run.out.contains(TOKEN) && !run.err.contains(TOKEN), "{}", run.err);
    let refused = with_password(&home, "wrong", &check).ends(1);
    refused.says("The retailer refused the user name or the password.");

    let requests = shop.asked().len();
    home.run(&["retailers", "check", "--pages", "pages"]).ends(0).prints("Orders read  2").says("can be read");
    assert_eq!(shop.asked().len(), requests, "no network");

    with_credentials(&home, &["connect", "canary"]).ends(0);
    // The shop has ended the sign-in since.
    signed_in.fetch_add(1, Ordering::SeqCst);
    home.run(&["sync", "--full"]).ends(0).prints("2 items, none new");
    for file in files_below(home.path()) {
        let text = std::fs::read(&file).expect("a file");
        assert!(!String::from_utf8_lossy(&text).contains(TOKEN), "the token is in {}", file.display());
    }
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(folder).expect("a folder").map(|one| one.expect("an entry").path());
    all.flat_map(|path| {
        if path.is_dir() { files_below(&path) } else { std::iter::once(path).filter(|path| path.is_file()).collect() }
    })
    .collect()
}
