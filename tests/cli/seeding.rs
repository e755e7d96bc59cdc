//! `serve --sandbox --seed FILE`.

use std::path::Path;

use serde_json::{Value, json};

use super::serve::Sandbox;
use super::support::{Home, Run};

fn example() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sandbox.md");
    let text = std::fs::read_to_string(path).expect("docs/sandbox.md");
    text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example").to_owned()
}

/// A sandbox that begins with the text.
fn seeded(text: &str) -> Sandbox {
    let home = Home::new();
    let seed = home.path().join("seed.toml");
    std::fs::write(&seed, text).expect("write");
    Sandbox::start_in(home, &["--seed", seed.to_str().expect("text")])
}

/// What a service says that does not start.
fn refused(home: &Home, text: &str) -> Run {
    let seed = home.path().join("other.toml");
    std::fs::write(&seed, text).expect("write");
    home.run(&["serve", "--sandbox", "--listen", "127.0.0.1:0", "--seed", seed.to_str().expect("text")])
}

fn token(sandbox: &Sandbox, phone: &str) -> String {
    sandbox.run(&["sandbox", "token", "--phone", phone]).ends(0).out.trim().to_owned()
}

/// Runs a command for one of the users.
fn run_as(sandbox: &Sandbox, token: &str, arguments: &[&str]) -> Run {
    let mut command = sandbox.command(arguments);
    command.env("ORDERSYNC_TOKEN", token);
    Run::of(command)
}

#[test]
fn two_runs_of_one_file_export_the_same_bytes() {
    let exported = |sandbox: &Sandbox| {
        ["+15550142", "+15550143"].map(|phone| {
            let token = token(sandbox, phone);
            ["json", "csv"].map(|format| {
                run_as(sandbox, &token, &["orders", "export", "--format", format, "--out", "-"]).ends(0).out
            })
        })
    };
    let (one, other) = (seeded(&example()), seeded(&example()));
    let first = exported(&one);
    assert_eq!(first, exported(&other));
    let lines: Vec<Value> = serde_json::from_str(&first[0][0]).expect("JSON");
    assert_eq!(lines.len(), 43);
    assert!(lines.iter().all(|line| line["updatedAt"] == "2026-11-24T00:00:00Z"), "{}", lines[0]);
    assert_eq!(first[0][1].lines().count(), 44);
}

#[test]
fn the_example_of_the_documentation_is_there_and_stays_as_it_is() {
    let sandbox = seeded(&example());
    let ada = token(&sandbox, "+15550142");
    let profile = run_as(&sandbox, &ada, &["profile", "-o", "json"]).ends(0).json();
    assert_eq!((&profile["name"], &profile["phoneLast4"]), (&json!("Ada Example"), &json!("0142")));
    let lines = run_as(&sandbox, &ada, &["orders", "list", "--retailer", "4", "-o", "json"]).ends(0).json();
    let lines = lines.as_array().expect("a list");
    let drill = lines.iter().find(|line| line["itemName"] == "Cordless drill").expect("the drill");
    assert_eq!(drill["orderDate"], "2026-11-21T00:00:00Z");
    let values =
        ["orderId", "itemName", "brandName", "retailerSku", "shipmentStatus", "currency"].map(|key| &drill[key]);
    assert_eq!(values, ["A-1001", "Cordless drill", "Hagen", "HB-1", "shipped", "EUR"]);
    assert_eq!(drill["price"].to_string(), "19.99");
    assert_eq!(drill["orderTotal"].to_string(), "27.48");
    let before = run_as(&sandbox, &ada, &["orders", "list", "-o", "json", "--limit", "100"]).ends(0).out;
    run_as(&sandbox, &ada, &["sync", "-o", "json"]).ends(0);
    assert_eq!(run_as(&sandbox, &ada, &["orders", "list", "-o", "json", "--limit", "100"]).ends(0).out, before);
    // After a reset, the account still has its orders.
    run_as(&sandbox, &ada, &["sandbox", "reset"]).ends(0);
    let credentials = sandbox.home.credentials("own_0142");
    run_as(&sandbox, &ada, &["connect", "--retailer", "4", "--credentials-file", &credentials]).ends(0);
    let again = run_as(&sandbox, &ada, &["orders", "list", "-o", "json"]).ends(0).json();
    assert_eq!(again.as_array().map(Vec::len), Some(3));

    // Its client is as the file says: the limit of its requests is one of the answers' headers.
    let limited = sandbox.run(&["sandbox", "token", "--phone", "+15550142", "--client-id", "my-app"]).ends(0);
    let policy = run_as(&sandbox, limited.out.trim(), &["api", "/sync/profile", "--include"]).ends(0);
    assert!(policy.out.contains("q=1000") || policy.err.contains("q=1000"), "{}{}", policy.out, policy.err);

    let second = token(&sandbox, "+15550143");
    let connections = run_as(&sandbox, &second, &["connections", "-o", "json"]).ends(0).json();
    let states: Vec<_> =
        connections.as_array().expect("a list").iter().map(|one| (&one["retailerId"], &one["status"])).collect();
    assert!(states.contains(&(&json!(12), &json!("invalid"))) && states.contains(&(&json!(5), &json!("pending"))));
    let session = run_as(&sandbox, &second, &["sessions", "-o", "json"]).ends(0).json();
    assert_eq!(session["retailerSyncSessions"][0]["syncStatus"], "userintervention");
}

/// Orders as shops have them: money back, three for ten, a coupon, and a title in two lines.
#[test]
fn a_seed_has_what_integrators_have_to_test() {
    let sandbox = seeded(
        r#"
today = "2026-11-24"
[[users]]
phone = "+15550150"
[[users.connections]]
retailer = 4
[[users.connections.orders]]
id = "R-1"
ordered = "2026-11-20"
currency = "EUR"
adjustments = [{ type = "discount", amount = "-5.00", text = "Coupon" }]
items = [
    { name = """Mug
with a handle""", price = "20.00" },
    { name = "Battery", quantity = 3, line_total = "10.00" },
    { name = "Mug, sent back", quantity = -1, price = "-3.50" },
    { name = "Bottle deposit", price = "-0.25" },
]
"#,
    );
    let token = token(&sandbox, "+15550150");
    let lines = run_as(&sandbox, &token, &["orders", "list", "-o", "json"]).ends(0).json();
    let mut lines = lines.as_array().expect("a list").clone();
    lines.sort_by_key(|line| line["lineNumber"].as_u64());
    let seen: Vec<String> = lines
        .iter()
        .map(|line| ["lineNumber", "itemName", "lineTotal", "orderTotal"].map(|name| line[name].to_string()).join(" "))
        .collect();
    assert_eq!(
        seen,
        [
            r#"1 "Mug with a handle" 20.00 21.25"#,
            r#"2 "Battery" 10.00 21.25"#,
            r#"3 "Mug, sent back" -3.50 21.25"#,
            r#"4 "Bottle deposit" -0.25 21.25"#,
        ]
    );
    let amount = run_as(&sandbox, &token, &["orders", "summary", "--jq", ".[0].amount"]).ends(0).out;
    assert_eq!(amount.trim(), "26.25");
    let table = run_as(&sandbox, &token, &["orders", "list"]).ends(0).out;
    let places: Vec<_> = ["Mug with", "Battery", "sent back", "deposit"].map(|name| table.find(name)).to_vec();
    assert!(places.is_sorted() && places[0].is_some(), "{table}");
    let order = run_as(&sandbox, &token, &["orders", "get", "R-1", "--adjustments"]).ends(0).out;
    assert!(order.contains("Coupon") && order.contains("-5.00"), "{order}");
}

#[test]
fn the_same_file_again_changes_nothing_and_another_one_is_refused() {
    let mut sandbox = seeded(&example());
    let ada = token(&sandbox, "+15550142");
    run_as(&sandbox, &ada, &["sandbox", "reset"]).ends(0);
    let seed = sandbox.home.path().join("seed.toml");
    let seed = seed.to_str().expect("text").to_owned();
    sandbox.restart(&["--seed", &seed]);
    let ada = token(&sandbox, "+15550142");
    assert_eq!(run_as(&sandbox, &ada, &["connections", "-o", "json"]).ends(0).json(), json!([]));
    sandbox.stop();
    let run = refused(&sandbox.home, "[[users]]\nphone = \"+15550100\"\n").ends(2);
    run.says("seeded with another file").says("--database PATH");
}

#[test]
fn what_is_wrong_in_a_file_is_named_and_nothing_is_stored() {
    let home = Home::new();
    let connection =
        |more: &str| format!("[[users]]\nphone = \"+15550100\"\n[[users.connections]]\nretailer = 12\n{more}\n");
    let order = |more: &str| connection(&format!("[[users.connections.orders]]\nid = \"A-1\"\n{more}"));
    let item = "items = [{ name = \"x\", price = \"1.00\" }]";
    for (text, said) in [
        ("today = \"24.11.2026\"".to_owned(), "today: write a date"),
        (format!("today = \"2100-01-01\"\n{}", connection("")), "has not begun in UTC"),
        ("today = \"9999-12-31\"".to_owned(), "today: 9999-12-31 has not begun in UTC"),
        ("[[clients]]\nid = \"a\"\nsecrett = \"s\"\n".to_owned(), "line 3: unknown field `secrett`"),
        (
            "[[clients]]\nid = \"a\"\nsecret = \"hunter2hunter2\"\n".to_owned(),
            "client \"a\": secret: begin it with ordersync_sandbox_cs_",
        ),
        ("[[clients]]\nid = \"a\"\n[[clients]]\nid = \"a\"\n".to_owned(), "client \"a\": there are two"),
        ("[[clients]]\nid = \"sandbox\"\n".to_owned(), "exists in every sandbox"),
        ("[[users]]\nphone = \"+4930123456\"\n".to_owned(), "phone: use one of the sandbox's numbers"),
        ("[[users]]\nphone = \"+15550100\"\n[[users]]\nphone = \"+15550100\"\n".to_owned(), "two of this phone"),
        (connection("account = \"nobody\""), "no simulated retailer has \"nobody\""),
        (connection("account = \"user_good\"\nstate = \"pending_mfa\""), "asks for no code"),
        (connection("account = \"user_bad\"\nstate = \"valid\""), "credentials_refused"),
        (connection("account = \"user_good\"\nshared_with = [\"b\"]"), "the file has no client \"b\""),
        (order(&format!("ordered = \"2999-01-01\"\n{item}")), "order \"A-1\": ordered: this is after"),
        (order("ordered = \"-1d\"\nitems = [{ name = \"x\", price = 1.5 }]"), "item 1: price: write it as a text"),
        (
            order("ordered = \"-1d\"\nstatus = \"lost\"\nitems = [{ name = \"x\", price = 1 }]"),
            "status: use one of pending",
        ),
        (order("ordered = \"-1d\"\nitems = []"), "items: give 1 to"),
    ] {
        let run = refused(&home, &text).ends(2).says(said);
        assert!(!run.err.contains("hunter2"), "{}", run.err);
    }
    // So the store takes the next file.
    drop(Sandbox::start_in(home, &[]));
    let usage = Home::new().run(&["serve", "--seed", "seed.toml"]).ends(2);
    usage.says("--sandbox");
}
