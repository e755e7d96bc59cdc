//! Shops that are tried: the first orders as a table, and pages that are saved for a bug report.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::small_shops::{
    CANARIES, PASSWORD, in_two_currencies, oscar, page, with_credentials, with_password, woo_list, woocommerce,
};
use super::support::{Home, Run};
use super::web_peer::{Answer, Asked, Site};

fn added(shop: &Site) -> Home {
    let home = Home::new();
    // The symbol of the one is clear, and that of the other is not.
    let add = ["retailers", "add", &shop.uri, "--allow-private-network", "--name", "Canary"];
    let run = home.run(&add).ends(0);
    if run.out.contains("WooCommerce") {
        home.run(&["retailers", "remove", "Canary", "--yes"]).ends(0);
        home.run(&[&add[..], &["--currency", "USD"]].concat()).ends(0);
    }
    home
}

fn check(home: &Home, password: &str, more: &[&str]) -> Run {
    with_password(home, password, &[&["retailers", "check", "canary"], more].concat())
}

/// What stays the same if every word is replaced.
fn shape(trial: &Value) -> Vec<String> {
    let orders = trial["orders"].as_array().expect("orders");
    let line = |order: &Value, item: &Value| {
        let fields = ["orderDate", "total", "currency"].map(|field| order[field].to_string());
        let own = ["quantity", "price", "lineTotal", "status"].map(|field| item[field].to_string());
        format!("{fields:?} {own:?} {}", item["sku"].is_string())
    };
    orders
        .iter()
        .flat_map(|order| order["items"].as_array().expect("items").iter().map(move |item| line(order, item)))
        .collect()
}

fn everything_in(folder: &Path) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder).expect("folder").map(|file| file.expect("file").path());
    files.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).expect("text"))).collect()
}

#[test]
fn the_first_orders_are_shown_with_what_is_missing_and_nothing_is_stored() {
    for (answers, price, missing) in [
        (woocommerce as fn(&Asked) -> Answer, "10.00 USD", "Not shown    SKU, brand, categories"),
        (oscar, "10.00 GBP", "Not shown    brand"),
    ] {
        let shop = Site::start(|_| answers);
        let home = added(&shop);
        let run = check(&home, PASSWORD, &[]).ends(0).says("Canary can be read.");
        let run = run.prints("100871").prints("Marmalade").prints(price).prints(missing);
        let run = run.prints("read to its end: ").prints("order total in the list");
        assert!(!run.out.contains(PASSWORD) && !run.err.contains(PASSWORD));
        assert_eq!(home.run(&["connections", "-o", "json"]).ends(0).json(), Value::Array(Vec::new()));
        let wrong = check(&home, "no", &[]).ends(1);
        wrong.says("Canary cannot be read whole: The retailer refused the user name or the password.");
    }
}

/// A check that finds nothing to compare proves nothing, and one that fails is seen at once.
#[test]
fn each_check_says_what_it_compared() {
    let shop = Site::start(|_| woocommerce);
    let home = added(&shop);
    let trial = check(&home, PASSWORD, &["-o", "json"]).ends(0).json();
    let of = |trial: &Value, name: &str| {
        let checks = trial["checks"].as_array().expect("checks").clone();
        checks.into_iter().find(|check| check["check"] == name).expect("a check")
    };
    let orders = trial["orders"].as_array().expect("orders").len();
    let total = of(&trial, "order total in the list");
    assert_eq!((&total["compared"], &total["failed"]), (&orders.into(), &0.into()), "{total}");
    assert_eq!(total["example"], "100872: 38.50 in the list, 38.50");
    let refunds = of(&trial, "refunds in the list");
    assert_eq!((&refunds["compared"], &refunds["example"]), (&0.into(), &Value::Null), "{refunds}");
    assert_eq!(trial["list"]["isWhole"], true);

    let odd = Site::start(|_| |asked: &Asked| woocommerce(asked).replacing("for 4 items", "for 5 items"));
    let trial = check(&added(&odd), PASSWORD, &["-o", "json"]).ends(1).json();
    let items = of(&trial, "number of items");
    assert!(items["failed"].as_u64() > Some(0), "{items}");
    // Those that failed were looked at twice.
    assert_eq!(items["compared"], orders, "{items}");
}

#[test]
fn words_that_are_not_known_are_named_and_the_totals_are_shown() {
    let shop = Site::start(|_| {
        |asked: &Asked| woocommerce(asked).replacing("Completed", "At the depot").replacing("Sales tax:", "Zorbing:")
    });
    let home = added(&shop);
    let run = check(&home, PASSWORD, &[]).ends(0).prints("Totals       ").prints("100871: 38.50 USD");
    let run = run.prints("Labels       not known: \"Zorbing\"").prints("Statuses     not known: \"At the depot\"");
    run.says("recipe_changes.words.labels");
    let trial = check(&home, PASSWORD, &["-o", "json"]).ends(0).json();
    assert_eq!([&trial["unknownLabels"][0], &trial["unknownStatuses"][0]], ["Zorbing", "At the depot"]);
}

#[test]
fn orders_in_several_currencies_are_read_exported_and_summed_each_in_its_own() {
    let shop = Site::start(|_| in_two_currencies);
    let home = added(&shop);
    check(&home, PASSWORD, &[]).ends(0).prints("10.00 USD").prints("10.00 EUR");
    with_credentials(&home, &["connect", "canary", "--yes"]).ends(0);
    let rows = home.run(&["orders", "export", "--columns", "orderId,currency,orderTotal"]).ends(0).out;
    let of = |row: &str| rows.lines().filter(|line| line.starts_with(row)).count();
    assert_eq!((of("100871,USD,38.5"), of("100872,USD,38.5"), of("7,EUR,38.5")), (2, 2, 2), "{rows}");
    let sums = home.run(&["orders", "summary", "-o", "jsonl"]).ends(0).out;
    let of = |currency: &str, amount: &str| {
        let parts = [format!("\"currency\":\"{currency}\""), format!("\"amount\":{amount},")];
        sums.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
    };
    assert_eq!((sums.lines().count(), of("USD", "63.00"), of("EUR", "31.50")), (2, 1, 1), "{sums}");
}

#[test]
fn saved_pages_hold_nothing_of_the_customer_and_give_the_same_shape_of_table() {
    for answers in [woocommerce as fn(&Asked) -> Answer, oscar] {
        let shop = Site::start(|_| answers);
        let home = added(&shop);
        let before = check(&home, PASSWORD, &["-o", "json", "--save", "pages"]).ends(0);
        let folder = home.path().join("pages");
        let files = everything_in(&folder);
        assert!(files.len() >= 5, "{files:?}");
        let texts: BTreeSet<&str> = files.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts.len(), files.len(), "a page that was read twice is saved once");
        for (path, text) in &files {
            let lower = text.to_lowercase();
            for canary in CANARIES.iter().chain(&["canary", shop.uri.as_str(), "nonce-", "token-"]) {
                assert!(!lower.contains(&canary.to_lowercase()), "{canary} is in {path}: {text}");
            }
            assert!(!text.contains("#7<") && !text.contains("view-order/7/"), "{path}: {text}");
        }
        for (path, _) in &files {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(path).expect("metadata").permissions().mode() & 0o777, 0o600, "{path}");
        }
        let requests = shop.asked().len();
        let elsewhere = Home::new();
        let run =
            elsewhere.run(&["retailers", "check", "--pages", folder.to_str().expect("text"), "-o", "json"]).ends(0);
        assert_eq!(shop.asked().len(), requests, "no network");
        let (before, after) = (before.json(), run.json());
        assert_eq!(shape(&before), shape(&after));
        assert!(shape(&before).len() >= 4);
        assert_eq!(before["notShown"], after["notShown"]);
        let again = check(&home, PASSWORD, &["--save", "pages"]).ends(2);
        again.says("pages exists already, so nothing was saved there.");
    }
}

#[test]
fn a_page_that_cannot_be_read_is_saved_too_and_fails_in_the_same_way() {
    let shop = Site::start(|_| {
        |asked: &Asked| {
            let answer = woocommerce(asked);
            // A theme that replaced the table of one order.
            if asked.path.ends_with("/100871/") {
                page("en-US", "<div class='woocommerce-MyAccount-content'>Soon</div>")
            } else {
                answer
            }
        }
    });
    let home = added(&shop);
    let run =
        check(&home, PASSWORD, &["--save", "pages"]).ends(1).prints("Kept back    100871").prints("Orders read  2");
    run.says("Canary cannot be read whole: The check \"page of the order\" failed").says("--save DIR");
    let again =
        home.run(&["retailers", "check", "--pages", "pages"]).ends(1).prints("Orders read  2").prints("Kept back");
    again.says("The check \"page of the order\" failed");
    // The user is the operator here.
    let run = with_credentials(&home, &["connect", "canary", "--yes"]).ends(9);
    let run = run.says("ordersync sync --connection conn_").says("ordersync retailers check 101");
    assert!(!run.err.contains("operator") && run.err.contains("retailers.toml"), "{}", run.err);
}

#[test]
fn a_cause_that_several_orders_have_is_said_once() {
    let shop = Site::start(|_| {
        |asked: &Asked| match asked.path.starts_with("/my-account/view-order/") {
            true if asked.method == "GET" => page("en-US", "<div class='woocommerce-MyAccount-content'>Soon</div>"),
            _ => woocommerce(asked),
        }
    });
    let run = check(&added(&shop), PASSWORD, &[]).ends(1);
    let run = run.says("The check \"page of the order\" failed for 3 orders (100872, 100871, 7):");
    assert_eq!(run.err.matches("page of the order").count(), 1, "{}", run.err);
}

#[test]
fn what_cannot_be_tried_is_said() {
    let home = Home::new();
    home.run(&["retailers", "check"]).ends(2).says("<NAME|ID|--pages <DIR>>");
    home.run(&["retailers", "check", "marrowby"]).ends(5).says("Only shops that you added can be tried");
    home.run(&["retailers", "check", "x", "--base-url", "http://127.0.0.1:9"]).ends(2).says("for the local profile");
    home.run(&["retailers", "check", "--pages", "none"]).ends(2).says("there are no saved pages");
    let folder = home.path().join("odd");
    std::fs::create_dir(&folder).expect("folder");
    for index in [
        "[",
        "[{\"url\": 1}]",
        "[{\"url\":\"https://a.test/\",\"form\":false,\"from\":\"https://a.test/\",\"status\":200,\"page\":\"../x\"}]",
    ] {
        std::fs::write(folder.join("requests.json"), index).expect("write");
        std::fs::write(folder.join("shop.toml"), "").expect("write");
        home.run(&["retailers", "check", "--pages", "odd"]).ends(2).says("requests.json is not an index");
    }
}

/// A shop that is down is no shop that cannot be read, whichever request finds it.
#[test]
fn a_shop_that_cannot_be_reached_is_told_from_one_that_fails() {
    let home = added(&Site::start(|_| oscar));
    let file = home.path().join("config/retailers.toml");
    let entry = std::fs::read_to_string(&file).expect("an entry");
    let (begin, rest) = entry.split_once("base_url = \"").expect("an address");
    let end = rest.split_once('"').expect("its end").1;
    std::fs::write(&file, format!("{begin}base_url = \"http://127.0.0.1:9\"{end}")).expect("write");
    let down = check(&home, PASSWORD, &["-o", "json"]).ends(3);
    assert_eq!(down.error()["code"], "SHOP_UNREACHABLE", "{}", down.err);
    check(&home, PASSWORD, &["--save", "pages"]).ends(3).says("The retailer cannot be reached");
    // The network is no matter of saved pages.
    home.run(&["retailers", "check", "--pages", "pages"]).ends(1).says("Saved shop cannot be read whole");

    let failing =
        Site::start(|_| |asked: &Asked| if asked.method == "POST" { Answer::new(503, "later") } else { oscar(asked) });
    let failed = check(&added(&failing), PASSWORD, &["-o", "json"]).ends(1);
    assert_eq!(failed.error()["code"], "CHECKS_FAILED", "{}", failed.err);
}

#[test]
fn a_sync_says_which_orders_went_missing_and_that_items_have_another_name() {
    let is_later = Arc::new(AtomicBool::new(false));
    let later = Arc::clone(&is_later);
    let shop = Site::start(|_| {
        move |asked: &Asked| {
            let is_later = later.load(Ordering::SeqCst);
            if asked.path == "/my-account/orders/" && asked.cookie.contains("session=in") {
                let numbers: &[&str] = if is_later { &["100872"] } else { &["100872", "100871", "7"] };
                return page("en-US", &woo_list(numbers, false));
            }
            let name = if is_later { "Thimble, large" } else { "Thimble, 7 mm" };
            woocommerce(asked).replacing("Thimble, 7 mm", name)
        }
    });
    let home = added(&shop);
    with_credentials(&home, &["connect", "canary"]).ends(0);
    is_later.store(true, Ordering::SeqCst);
    let changed =
        "2 orders are no longer listed by the retailer (orders list --status missing), 1 item has another name now";
    home.run(&["sync", "--full"]).ends(0).prints(&format!("✓ Canary: 2 items, none new, 1 order changed; {changed}"));
    let shown = home.run(&["orders", "list", "--status", "missing", "--jq", "length"]).ends(0);
    assert_eq!(shown.out, "4\n");
    // What is known is not said again, and the session of before still has it.
    let again = home.run(&["sync", "--full", "-o", "json"]).ends(0).json();
    let part = &again["retailerSyncSessions"][0];
    assert!(part["syncStatus"] == "completed" && part.get("ordersMissing").is_none(), "{part}");
    let sessions = home.run(&["sessions", "get", again["batchId"].as_str().expect("an id")]).ends(0);
    assert!(!sessions.out.contains("no longer listed"), "{}", sessions.out);
}

#[test]
fn every_platform_has_pages_that_its_recipe_reads() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    // Running or recorded shops of these are read by other tests, and by the judges of tests/shops.
    let elsewhere = ["magento", "opencart", "oscar", "woocommerce"];
    let home = Home::new();
    for file in std::fs::read_dir(root.join("recipes")).expect("recipes") {
        let file = file.expect("a recipe").path();
        let name = file.file_stem().and_then(std::ffi::OsStr::to_str).expect("a name");
        let pages = root.join("tests/shops/saved").join(name);
        if !elsewhere.contains(&name) {
            let run = home.run(&["retailers", "check", "--pages", pages.to_str().expect("a path")]).ends(0);
            run.prints("Orders read  5").says("can be read.");
        }
    }
}
