//! `orders list` with `--search`, `--status` and `--sort`, `orders get` with a short id or an order number, relative dates.

use serde_json::{Value, json};

use super::list_peer::{Answer, Peer, http, item, items};
use super::support::{Home, Run, now};

fn column(run: &Run, field: &str) -> Vec<Value> {
    run.json().as_array().expect("an array").iter().map(|row| row[field].clone()).collect()
}

#[test]
fn what_is_under_way_is_listed_with_its_parcels() {
    let home = Home::connected("user_parcels", 0);
    let list = |more: &[&str]| home.run(&[&["orders", "list", "--limit", "1000"], more].concat()).ends(0);
    let (all, found) = (list(&["-o", "json"]).json(), list(&["--undelivered", "-o", "json"]).json());
    let is_under_way = |row: &&Value| {
        ["pending", "processing", "shipped", "Ready for collection"]
            .iter()
            .any(|status| row["shipmentStatus"] == *status)
    };
    let under_way: Vec<&Value> = all.as_array().expect("an array").iter().filter(is_under_way).collect();
    assert_eq!(found, json!(under_way));
    let sent = under_way.iter().find(|row| row["shipmentStatus"] == "shipped").expect("what was sent");
    let (id, parcel) = (sent["id"].as_str().expect("an id"), &sent["shipments"][0]);
    let number = parcel["trackingNumber"].as_str().expect("a number");
    assert_eq!(parcel["carrier"], "Swiftmarch");
    list(&["--undelivered"]).prints("PARCELS").prints(&format!("Swiftmarch {number}"));
    home.run(&["orders", "get", id]).ends(0).prints(&format!("Swiftmarch {number}"));
    let exported = home.run(&["orders", "export", "--columns", "id,carrier,trackingNumber"]).ends(0).out;
    assert!(
        exported.contains(&format!("{id},Swiftmarch,")) || exported.contains(&format!("{id},Swiftmarch;")),
        "{exported}"
    );
    assert!(exported.contains(number), "{exported}");
}

#[test]
fn items_are_searched_filtered_and_sorted() {
    let home = Home::connected("user_good", 0);
    let all = home.run(&["orders", "list", "--limit", "1000", "-o", "json"]).ends(0).json();
    let all = all.as_array().expect("an array");
    let list = |arguments: &[&str]| home.run(&[&["orders", "list", "-o", "json"], arguments].concat()).ends(0);
    // The same items as the whole list has, in its order.
    let name = all[7]["itemName"].as_str().expect("a name").to_uppercase();
    let found = list(&["--search", &name, "--limit", "1000"]).json();
    let expected: Vec<&Value> = all
        .iter()
        .filter(|row| row["itemName"].as_str().is_some_and(|item| item.to_uppercase().contains(&name)))
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(found, json!(expected));
    let order = all[0]["orderId"].as_str().expect("an order");
    assert!(column(&list(&["--search", order]), "orderId").iter().all(|id| id == order));
    assert_eq!(column(&list(&["--search", "marrowby", "--limit", "3"]), "retailerName").len(), 3);
    let delivered = all.iter().filter(|row| row["shipmentStatus"] == "delivered").count();
    let statuses = column(&list(&["--status", "Delivered", "--limit", "1000"]), "shipmentStatus");
    assert_eq!(statuses.len(), delivered);
    assert!(statuses.iter().all(|status| status == "delivered"));
    // In every form.
    let csv = home.run(&["orders", "list", "--status", "delivered", "--limit", "2", "-o", "csv"]).ends(0).out;
    assert!(csv.starts_with("Retailer,Retailer Order ID,") && csv.matches(",delivered,").count() == 2, "{csv}");
    home.run(&["orders", "list", "--search", "zzzzzz"]).ends(0).says("No line items match.");
    home.run(&["orders", "list", "--status", "deliverd"]).ends(0).says("Usual values of --status: pending, ");
    let prices = |sort: &str| -> Vec<f64> {
        let prices = column(&list(&["--sort", sort, "--limit", "1000"]), "price");
        prices.iter().filter_map(|price| price.to_string().trim_matches('"').parse().ok()).collect()
    };
    let (up, down) = (prices("price"), prices("-price"));
    assert_eq!(up.len(), all.len());
    assert!(up.is_sorted() && down.is_sorted_by(|one, next| one >= next));
    let first = |arguments: &[&str]| list(arguments).json()[0].clone();
    assert_eq!(first(&["--sort", "price", "--desc", "--limit", "1"]), first(&["--sort=-price", "--limit", "1"]));
    assert_eq!(first(&["--sort", "date", "--limit", "1"])["orderDate"], all.last().expect("items")["orderDate"]);
    home.run(&["orders", "list", "--desc"]).ends(2).says("--sort");
    home.run(&["orders", "list", "--sort", "colour"]).ends(2).says("price");
    home.run(&["orders", "list", "--search", "marrowby", "--limit", "2"])
        .ends(0)
        .says("The first 2 of the line items that match.");
    home.run(&["orders", "list", "--search", "marrowby", "--limit", "1"])
        .ends(0)
        .says("The first of the line items that");
    let third = ["orders", "list", "--search", "marrowby", "--limit", "1", "--offset", "2"];
    home.run(&third).ends(0).says("Number 3 of the line items that match.");
    // Nothing filters here.
    let sorted = home.run(&["orders", "list", "--sort", "item", "--limit", "2"]).ends(0);
    sorted.says(&format!("2 of {} line items. More: --limit or --offset", all.len()));
}

/// Reading ends with the page that fills `--limit`; what is searched for further down is found on any page.
#[test]
fn any_service_is_searched_and_no_page_more_is_asked_for_than_it_takes() {
    let home = Home::new();
    let peer = Peer::start(items(0..2500), |_, _| Answer::Page);
    // All of them, for a filter.
    let counted = peer.run(&home, &["orders", "list", "--all", "--jq", "length"]);
    assert_eq!(counted.ends(0).out, "2500\n");
    home.run(&["orders", "list", "--all", "--limit", "5"]).ends(2).says("cannot be used with");
    let ids = |arguments: &[&str]| {
        let before = peer.requests();
        let run = peer.run(&home, &[&["orders", "list", "-o", "json"], arguments].concat()).ends(0);
        (column(&run, "id"), peer.requests() - before)
    };
    assert_eq!(ids(&["--search", "U", "--limit", "2"]), (vec![json!("item_000000"), json!("item_000001")], 1));
    let (found, requests) = ids(&["--search", "\"2345\""]);
    assert_eq!(found, [json!("item_002345")]);
    assert!(requests >= 3, "{requests}");
    assert_eq!(ids(&["--sort", "date", "--limit", "1", "--offset", "1"]).0, [json!("item_002401")]);
    assert_eq!(ids(&["--sort", "-item", "--limit", "1"]).0, [json!("item_000999")]);
    let found = ids(&["--search", "\"11", "--offset", "1", "--limit", "2"]).0;
    assert_eq!(found, [json!("item_000110"), json!("item_000111")]);
}

#[test]
fn an_order_number_shows_its_items_and_a_short_id_its_own() {
    let home = Home::connected("user_good", 0);
    let all = home.run(&["orders", "list", "--limit", "1000", "-o", "json"]).ends(0).json();
    let all = all.as_array().expect("an array");
    let of = |order: &Value| all.iter().filter(|row| row["orderId"] == *order).cloned().collect::<Vec<_>>();
    let several = all.iter().map(|row| of(&row["orderId"])).find(|items| items.len() > 1).expect("such an order");
    let alone = all.iter().map(|row| of(&row["orderId"])).find(|items| items.len() == 1).expect("such an order");
    let get =
        |wanted: &Value| home.run(&["orders", "get", wanted.as_str().expect("text"), "-o", "json"]).ends(0).json();
    assert_eq!(get(&several[0]["orderId"]), json!(several));
    assert_eq!(get(&alone[0]["orderId"]), alone[0]);
    let id = all[3]["id"].as_str().expect("an id");
    assert_eq!(get(&json!(&id[..id.len() - 6])), all[3]);
    assert_eq!(get(&json!(id)), all[3]);
    home.run(&["orders", "get", several[0]["orderId"].as_str().expect("text")]).ends(0).prints("ITEM");
    home.run(&["orders", "get", "zebra"]).ends(5).says("request id: req_");
}

#[test]
fn dates_are_said_as_people_say_them() {
    let home = Home::connected("user_good", 0);
    let count = |arguments: &[&str]| {
        let arguments = [&["orders", "export", "--format", "json"], arguments].concat();
        home.run(&arguments).ends(0).json().as_array().expect("an array").len()
    };
    let all = count(&[]);
    assert_eq!(count(&["--since", "1900"]), all);
    assert_eq!(count(&["--since", "2024-07"]), count(&["--since", "2024-07-01"]));
    assert_eq!(count(&["--since", "90d"]) + count(&["--until", "90d"]), all);
    assert!(count(&["--since", "1y"]) >= count(&["--since", "3m"]));
    for flag in ["--since", "--until"] {
        home.run(&["orders", "list", flag, "-1d"]).ends(2).says(&format!("Write it without the minus: {flag} 1d"));
        home.run(&["orders", "list", flag, "-o", "json"]).ends(2).says(&format!("{flag} needs a value"));
    }
    home.run(&["orders", "list", "--since", "soon"])
        .ends(2)
        .says("--since: \"soon\" is not a valid date")
        .says("30d, 2w, 3m, 1y")
        .says("UTC");
    home.run(&["orders", "summary", "--since", "2w", "--until", "1y"]).ends(2).says("--since is not before --until");
    // A name of exports keeps the period as it was typed: the next day it is the same name still.
    let export = ["orders", "export", "--since-last", "recent", "--since", "30d", "--out", "new.csv"];
    home.run(&export).ends(0);
    home.run(&export).ends(0).says("Nothing is new or changed");
    home.run(&["orders", "export", "--since-last", "recent", "--since", "31d", "--out", "new.csv"])
        .ends(2)
        .says("--since: 30d, not 31d");
}

/// Tomorrow `1y` is another day: what resumes an export has to read the period that it began with.
#[test]
fn an_interrupted_export_is_resumed_with_the_dates_that_a_relative_period_meant() {
    let home = Home::new();
    let date = (now() - chrono::Duration::days(2)).format("%Y-%m-%dT00:00:00Z").to_string();
    let list: Vec<Value> = (0..2500)
        .map(|id| {
            let mut item = item(id);
            item["orderDate"] = json!(date);
            item
        })
        .collect();
    let peer = Peer::start(list.clone(), |asked, _| match asked.offset {
        0 => Answer::Page,
        _ => Answer::Bytes(http(
            400,
            "content-type: application/json\r\n",
            br#"{"code":"INVALID_REQUEST","message":"no"}"#,
        )),
    });
    let run = peer.run(&home, &["orders", "export", "--out", "o.csv", "--since", "1y", "--until", "today"]);
    assert!(!run.err.contains("--since 1y"), "{}", run.err);
    let command = run.err.split("Go on: ordersync ").nth(1).expect("the command").lines().next().expect("a line");
    assert!(command.contains("--since 20") && command.contains("--until 20"), "{command}");
    peer.recovers(list);
    peer.run(&home, &command.split(' ').collect::<Vec<_>>()).ends(0).says("Wrote 2500 items");
}
