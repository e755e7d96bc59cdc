//! Retailers of which not all orders are known: every command that shows or exports orders says it, for every reason, to a
//! terminal, with `--quiet` and with `-o json`.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::pty;
use super::small_shops::{json_shop, page, with_credentials, woo_list, woocommerce};
use super::support::{Home, Run};
use super::web_peer::{Answer, Asked, Site};

/// What is wrong at a retailer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    None,
    /// The first sync failed.
    NeverCompleted,
    /// A sync completed, the next one failed.
    SyncFailed,
    /// The first sync took too long.
    TimedOut,
    /// An order has no page.
    OrderKeptBack,
    /// The retailer refuses the sign-in that it took before.
    ConnectionInvalid,
    /// The one page of the list says nothing of others.
    EndNotProven,
}

/// How a command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// On a terminal.
    Terminal,
    Quiet,
    Json,
}

/// What the shop does.
const WHOLE: usize = 0;
const NO_LIST: usize = 1;
const NO_PAGE: usize = 2;
const NO_SIGN_IN: usize = 3;

/// A shop that does as told.
fn shop() -> (Site, Arc<AtomicUsize>) {
    let does = Arc::new(AtomicUsize::new(WHOLE));
    let told = Arc::clone(&does);
    let shop = Site::start(|_| {
        move |asked: &Asked| match told.load(Ordering::SeqCst) {
            NO_SIGN_IN => woocommerce(&Asked { cookie: String::new(), body: String::new(), ..asked.clone() }),
            NO_LIST if asked.path.contains("/orders/") => page("en-US", "<p>Something else</p>"),
            NO_PAGE if asked.path.contains("/view-order/7") => Answer::new(404, ""),
            _ if asked.path == "/my-account/orders/" && asked.cookie.contains("session=in") => {
                page("en-US", &woo_list(&["100872", "100871", "7"], false))
            }
            _ => woocommerce(asked),
        }
    });
    (shop, does)
}

fn home_with(shop: &Site) -> Home {
    let home = Home::new();
    let add = ["retailers", "add", &shop.uri, "--allow-private-network", "--name", "Canary", "--currency", "USD"];
    home.run(&add).ends(0);
    home
}

fn connect(home: &Home) -> Run {
    with_credentials(home, &["connect", "canary", "--yes"])
}

/// What is to be seen: the retailer's name, why, in the table of connections and elsewhere, the reason in JSON, and the
/// command that helps.
struct Expected {
    name: &'static str,
    cell: &'static str,
    why: &'static str,
    reason: &'static str,
    verb: &'static str,
}

impl Trouble {
    fn home(self) -> (Home, Option<Site>) {
        if self == Self::TimedOut {
            let home = Home::connected("user_timeout", 9);
            return (home, None);
        }
        let (shop, does) = shop();
        let home = home_with(&shop);
        if self == Self::EndNotProven {
            home.add_to_entry("single_page = true");
        }
        let (first, then) = match self {
            Self::None | Self::EndNotProven => (WHOLE, WHOLE),
            Self::NeverCompleted => (NO_LIST, NO_LIST),
            Self::OrderKeptBack => (NO_PAGE, NO_PAGE),
            Self::SyncFailed => (WHOLE, NO_LIST),
            Self::ConnectionInvalid | Self::TimedOut => (WHOLE, NO_SIGN_IN),
        };
        does.store(first, Ordering::SeqCst);
        connect(&home).ends(if first == WHOLE { 0 } else { 9 });
        if then != first {
            does.store(then, Ordering::SeqCst);
            home.run(&["sync", "--full"]).ends(9);
        }
        (home, Some(shop))
    }

    fn expected(self) -> Option<Expected> {
        let (name, cell, why, reason, verb) = match self {
            Self::None => return None,
            Self::NeverCompleted => (
                "Canary",
                "retailer changed",
                "no sync has completed yet (retailer changed)",
                "never_completed",
                "sync --connection",
            ),
            Self::SyncFailed => (
                "Canary",
                "not complete: its last sync failed (retailer changed)",
                "its last sync failed (retailer changed)",
                "sync_failed",
                "sync --connection",
            ),
            Self::TimedOut => (
                "Marrowby Market",
                "retailer timeout",
                "no sync has completed yet (retailer timeout)",
                "sync_failed",
                "sync --connection",
            ),
            Self::OrderKeptBack => (
                "Canary",
                "not complete: 1 order kept back",
                "1 order kept back (7)",
                "orders_kept_back",
                "sync --connection",
            ),
            Self::ConnectionInvalid => {
                ("Canary", "credentials refused", "it is invalid (credentials refused)", "connection_invalid", "fix")
            }
            Self::EndNotProven => (
                "Canary",
                "not complete: nothing proves the end of its order list",
                "nothing proves the end of its order list",
                "end_not_proven",
                "retailers check",
            ),
        };
        Some(Expected { name, cell, why, reason, verb })
    }
}

/// The commands that show or export, with the files that they write.
const COMMANDS: [(&str, &[&str]); 13] = [
    ("connections", &[]),
    ("connections CONNECTION", &[]),
    ("", &[]),
    ("doctor", &[]),
    ("orders list --limit 2", &[]),
    ("orders list --limit 2 --sort price", &[]),
    ("orders export", &[]),
    ("orders export --out out.csv", &["out.csv"]),
    ("orders export --out out.xlsx", &["out.xlsx"]),
    ("orders export --out out.csv --split-by month", &[]),
    ("orders export --since-last MODE --out MODE.csv", &[]),
    ("orders summary", &[]),
    ("orders summary --html out.html", &["out.html"]),
];

/// The output: of a terminal, everything is in `out`, each gap one space.
fn run(home: &Home, arguments: &[&str], mode: Mode) -> Run {
    match mode {
        Mode::Terminal => {
            let mut command = home.command(arguments);
            command.env("NO_COLOR", "1");
            let out = pty::all(pty::start_command(home, command));
            Run { code: 0, out: out.split_whitespace().collect::<Vec<_>>().join(" "), err: String::new() }
        }
        Mode::Quiet => home.run(&[arguments, &["-q"]].concat()),
        Mode::Json => home.run(&[arguments, &["-o", "json"]].concat()),
    }
}

fn check(trouble: Trouble) {
    let (home, _shop) = trouble.home();
    let connection = home.connection();
    for (line, files) in COMMANDS {
        for mode in [Mode::Terminal, Mode::Quiet, Mode::Json] {
            if mode == Mode::Json && line.contains("out.xlsx") {
                // JSON in a workbook's name is an error of its own.
                continue;
            }
            let line = line.replace("CONNECTION", &connection).replace("MODE", &format!("{mode:?}"));
            let arguments: Vec<&str> = line.split_whitespace().collect();
            let ran = run(&home, &arguments, mode);
            let cell = format!("{trouble:?}, {line}, {mode:?}:\n{}\n{}", ran.out, ran.err);
            let is_export = line.starts_with("orders");
            match trouble.expected() {
                None => assert!(!cell.contains("ot complete"), "{cell}"),
                Some(expected) if is_export => in_export(&expected, &line, &ran, mode, &cell),
                Some(expected) => in_state(&expected, &line, &ran, mode, &cell),
            }
            for file in files {
                let bytes = std::fs::read(home.path().join(file)).unwrap_or_else(|why| panic!("{why}: {cell}"));
                if *file == "out.html" {
                    let html = String::from_utf8(bytes).expect("text");
                    let banner = trouble.expected().map(|expected| format!("{} is not complete since ", expected.name));
                    assert_eq!(html.contains("Not complete</h2>"), banner.is_some(), "{cell}");
                    assert!(banner.is_none_or(|banner| html.contains(&banner)), "{cell}");
                }
            }
        }
    }
    refused_or_not(trouble, &home);
}

/// What lists or exports orders: a line on standard error for the retailer, and the message at the end.
fn in_export(expected: &Expected, line: &str, ran: &Run, mode: Mode, cell: &str) {
    let Expected { name, why, verb, .. } = expected;
    let told = if mode == Mode::Terminal { &ran.out } else { &ran.err };
    assert_eq!(told.matches(&format!("{name} is not complete since ")).count(), 1, "{cell}");
    assert!(told.contains(&format!(": {why}: ordersync {verb} ")), "{cell}");
    let has_end = mode != Mode::Quiet && (line.contains("--out") || line.contains("--html"));
    assert_eq!(told.contains(&format!("Not complete: {name} (")), has_end, "{cell}");
    if mode == Mode::Json && !line.contains("--out") {
        ran.json();
    }
    assert!(mode == Mode::Terminal || !ran.out.contains("ot complete"), "the result is pure: {cell}");
}

/// What shows how things stand.
fn in_state(expected: &Expected, line: &str, ran: &Run, mode: Mode, cell: &str) {
    let Expected { name, cell: short, why, reason, verb } = expected;
    let sentence = format!("{name} is not complete since ");
    let is_list = line.starts_with("connections");
    match mode {
        Mode::Json => {
            let document = ran.json();
            let shown = match line.split(' ').next() {
                Some("connections") if line.contains("conn_") => &document["completeness"],
                Some("connections") => &document[0]["completeness"],
                Some("doctor") => {
                    let checks = document.as_array().expect("checks");
                    let check = checks.iter().find(|check| check["check"] == "connections").expect("a check");
                    assert!(check["status"] != "ok" && check["details"]["incomplete"] == 1, "{cell}");
                    assert!(check["hint"].as_str().is_some_and(|hint| hint.contains(&format!("ordersync {verb}"))));
                    return;
                }
                _ => &document["incomplete"][0],
            };
            assert_eq!(shown["complete"], false, "{cell}");
            let reasons = shown["reasons"].as_array().expect("reasons");
            assert!(reasons.iter().any(|one| one["reason"] == *reason), "{cell}");
            assert!(shown["incompleteSince"].is_string(), "{cell}");
        }
        // For a report that is shown to others: neither names nor orders.
        _ if line == "doctor" => {
            let why = why.split(" (7)").next().unwrap_or(why);
            assert!(ran.out.contains("1 not complete") && ran.out.contains(why), "{cell}");
            assert!(ran.out.contains(&format!("ordersync {verb}")) && !ran.out.contains(name), "{cell}");
        }
        Mode::Quiet if is_list => assert!(ran.out.contains(short) && ran.err.is_empty(), "{cell}"),
        Mode::Terminal if is_list => {
            assert!(ran.out.contains(&sentence) && ran.out.contains(&format!(": {why}: ordersync {verb} ")), "{cell}");
        }
        _ => assert!(ran.out.contains(&sentence) && ran.out.contains(&format!("ordersync {verb} ")), "{cell}"),
    }
}

/// `--require-complete`: an error before anything is written or replaced, or nothing at all.
fn refused_or_not(trouble: Trouble, home: &Home) {
    std::fs::write(home.path().join("kept.csv"), "kept").expect("write");
    let lines = [
        "orders list",
        "orders list --sort price",
        "orders export",
        "orders export --out kept.csv",
        "orders export --out kept.csv --split-by month",
        "orders export --since-last strict --out kept.csv --replace",
        "orders summary",
        "orders summary --html kept.csv",
    ];
    for line in lines {
        let arguments: Vec<&str> = line.split(' ').chain(["--require-complete"]).collect();
        let ran = home.run(&arguments);
        let Some(Expected { name, verb, .. }) = trouble.expected() else {
            ran.ends(0);
            continue;
        };
        let ran = ran.ends(10).says(&format!("Not complete: {name} (")).says(&format!("ordersync {verb} "));
        assert_eq!(ran.out, "");
        assert_eq!(std::fs::read_to_string(home.path().join("kept.csv")).expect("read"), "kept");
        assert!(!home.path().join("kept.csv.part").exists());
        let error = home.run(&[&arguments[..], &["-o", "json"]].concat()).ends(10).error();
        assert_eq!(
            (&error["code"], &error["details"]["connections"][0]["completeness"]["complete"]),
            (&json!("NOT_COMPLETE"), &json!(false))
        );
    }
}

#[test]
fn nothing_is_said_where_everything_is_known() {
    check(Trouble::None);
}

#[test]
fn a_retailer_whose_first_sync_failed() {
    check(Trouble::NeverCompleted);
}

#[test]
fn a_retailer_whose_sync_failed_after_a_complete_one() {
    check(Trouble::SyncFailed);
}

#[test]
fn a_retailer_that_took_too_long() {
    check(Trouble::TimedOut);
}

#[test]
fn a_retailer_with_an_order_that_was_kept_back() {
    check(Trouble::OrderKeptBack);
}

#[test]
fn a_retailer_that_refuses_the_sign_in() {
    check(Trouble::ConnectionInvalid);
}

#[test]
fn a_retailer_whose_list_may_go_on() {
    check(Trouble::EndNotProven);
}

/// A job whose data is lost: nothing is missing from nothing, but that is not what was required.
#[test]
fn nothing_is_no_complete_export() {
    let home = Home::new();
    std::fs::write(home.path().join("orders.csv"), "of yesterday").expect("write");
    let export = ["orders", "export", "--out", "orders.csv", "--require-complete"];
    home.run(&export).ends(10).says("No retailer is connected").says("ordersync connect").says("ordersync doctor");
    home.run(&[&export[..], &["--retailer", "1"]].concat()).ends(10).says("Retailer 1 is not connected");
    assert_eq!(std::fs::read_to_string(home.path().join("orders.csv")).expect("read"), "of yesterday");
    home.run(&export[..4]).ends(0);
}

/// A list of JSON without a number of orders: nothing proves its end, and the operator accepts that.
#[test]
fn a_list_that_nobody_can_prove_is_complete_once_that_is_accepted() {
    let (shop, home) = (Site::start(|_| json_shop), Home::new());
    home.add_json_shop(&shop, "");
    let check = || with_credentials(&home, &["retailers", "check", "canary"]).ends(0);
    let warned = check().says("Canary can be read.").says("so the shop is never complete").says("in `list.count`");
    assert!(!warned.err.contains("accepts that"), "{}", warned.err);
    connect(&home).ends(0);
    let export = ["orders", "export", "--out", "orders.csv"];
    let required = [&export[..], &["--require-complete"]].concat();
    home.run(&export).ends(0).says("Not complete: Canary (nothing proves the end of its order list)");
    home.run(&required).ends(10).says("ordersync retailers check 301");
    let connection = home.connection();
    let known = || home.run(&["connections", "get", &connection, "-o", "json"]).ends(0).json();
    let before = known();
    assert_eq!(before["completeness"]["incompleteSince"], before["createdAt"], "{before}");

    home.add_to_entry("accept_unproven_end = true");
    // What was accepted holds from the next sync on.
    home.run(&required).ends(10);
    home.run(&["sync"]).ends(0);
    assert_eq!(known()["completeness"], json!({ "complete": true, "reasons": [] }));
    home.run(&required).ends(0);
    let accepted = check().says("Canary can be read.").says("`accept_unproven_end` of the shop's entry accepts that");
    assert!(!accepted.err.contains("never complete"), "{}", accepted.err);

    // A number of orders proves it, and nothing has to be accepted.
    let (shop, home) = (Site::start(|_| json_shop), Home::new());
    home.add_json_shop(&shop, "count = \"$.count\"");
    connect(&home).ends(0);
    home.run(&required).ends(0);
}

/// The command that helps depends on the reason: a code, another sync, new credentials.
#[test]
fn what_is_required_to_be_complete_names_the_command_that_helps_each_retailer() {
    let home = Home::new();
    for (id, user, code) in [("1", "user_mfa_enter", 7), ("2", "error_retailer_changed", 9), ("3", "user_bad", 9)] {
        home.connect_retailer(id, user, &[]).ends(code);
    }
    let required =
        |retailer: &str| home.run(&["orders", "export", "--retailer", retailer, "--require-complete"]).ends(10).err;
    for (retailer, command) in [("1", "mfa --batch batch_"), ("2", "sync --connection conn_"), ("3", "fix conn_")] {
        let said = required(retailer);
        let commands = said.lines().filter(|line| line.contains("conn_") || line.contains("batch_"));
        assert!(commands.clone().any(|line| line.contains(command)) && commands.count() == 1, "{command}: {said}");
    }
    let all = home.run(&["orders", "export", "--require-complete"]).ends(10);
    all.says("ordersync mfa --batch batch_").says("ordersync sync --connection conn_").says("ordersync fix conn_");
    home.run_with_input(&["mfa", "--code-stdin"], "123456").ends(0);
    home.run(&["orders", "export", "--retailer", "1", "--require-complete"]).ends(0);
}

/// A symbol that may stand for several currencies fails each sync until the shop's entry says which it is.
#[test]
fn what_only_the_entry_of_a_shop_mends_is_not_to_be_synced_again() {
    let ((shop, _), home) = (shop(), Home::new());
    home.run(&["retailers", "add", &shop.uri, "--allow-private-network", "--name", "Canary"]).ends(0);
    connect(&home).ends(9);
    let file = home.path().join("config/retailers.toml");
    for _ in 0..2 {
        for arguments in [&["connections"][..], &["connections", "canary"], &["orders", "list"]] {
            let run = home.run(arguments).ends(0);
            run.says("no sync has completed yet (retailer misconfigured): ordersync retailers check ");
        }
        // Nor does a sync help if the entry is gone.
        std::fs::write(&file, "").expect("write");
    }
}

#[test]
fn what_is_not_accepted_any_more_is_repaired_before_it_is_synced() {
    let home = Home::connected("user_bad", 9);
    let run = home.run(&["orders", "list"]).ends(0).says("No line items yet.").says("Next: ordersync fix");
    assert!(!run.err.contains("ordersync sync"), "{}", run.err);
}

#[test]
fn only_retailers_that_the_output_can_hold_are_told_and_the_nightly_job_exports_what_is_known() {
    let (shop, does) = shop();
    does.store(NO_PAGE, Ordering::SeqCst);
    let home = home_with(&shop);
    home.connect("user_good", &[]).ends(0);
    connect(&home).ends(9);
    for verb in ["list", "export", "summary"] {
        home.run(&["orders", verb]).ends(0).says("Canary is not complete");
        home.run(&["orders", verb, "--retailer", "canary"]).ends(0).says("Canary is not complete");
        let other = home.run(&["orders", verb, "--retailer", "marrowby", "--require-complete"]).ends(0);
        assert!(!other.err.contains("ot complete"), "{}", other.err);
        home.run(&["orders", verb, "--retailer", "canary", "--require-complete"]).ends(10);
    }
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README.md");
    let job = readme.lines().map(str::trim).find(|line| line.starts_with("ordersync sync --no-input;")).expect("a job");
    let mut shell = Command::new("sh");
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_ordersync")).parent().expect("a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    shell.args(["-c", job]).env("PATH", path).current_dir(home.path());
    shell.env("ORDERSYNC_HOME", home.path()).env("ORDERSYNC_SANDBOX_SPEED", "50");
    let job = Run::of(shell).ends(0).says("Not complete: Canary (1 order kept back)");
    let named = job.err.lines().filter(|line| line.contains("Canary is not complete"));
    assert_eq!(named.count(), 1, "{}", job.err);
    let files = std::fs::read_dir(home.path()).expect("folder").flatten();
    let file = files.map(|file| file.path()).find(|path| path.to_string_lossy().contains("/changes-")).expect("a file");
    let csv = std::fs::read_to_string(file).expect("text");
    assert!(csv.contains("Marrowby Market,") && csv.contains("Canary,"), "{csv}");
}

/// A service whose pages say this of its connections, one after the other; its document says that all are complete.
fn service(pages: &'static [Option<&'static str>]) -> Site {
    let item = |id: usize| json!({"id": format!("item_{id:04}"), "orderDate": format!("2026-01-{:02}T00:00:00Z", 28 - id), "itemName": "Pen"});
    let asked = AtomicUsize::new(0);
    Site::start(|_| {
        move |request: &Asked| {
            if request.path.starts_with("/sync/completeness") {
                return match pages {
                    [None] => Answer::new(404, ""),
                    _ => Answer::json(&json!({"complete": true, "connections": [
                        {"connectionId": "c1", "retailerId": 1, "status": "valid", "completeness": {"complete": true, "reasons": []}},
                    ]})),
                };
            }
            let number = |name: &str| {
                let rest = request.path.split(&format!("{name}=")).nth(1).unwrap_or_default();
                rest.split('&').next().unwrap_or_default().parse::<usize>().unwrap_or_default()
            };
            let (offset, limit) = (number("offset"), number("limit"));
            let list: Vec<Value> = (offset..6.min(offset + limit)).map(item).collect();
            let answer = Answer::json(&json!(list)).with("X-Total-Count", "6").with("X-List-Version", "1");
            let turn = asked.fetch_add(1, Ordering::SeqCst).min(pages.len() - 1);
            match pages[turn] {
                Some(said) => answer.with("X-Incomplete-Connections", said),
                None => answer,
            }
        }
    })
}

#[test]
fn a_list_that_stops_being_complete_while_it_is_read_replaces_nothing() {
    for out in ["orders.csv", "orders.csv.gz"] {
        let (service, home) = (service(&[Some("0"), Some("1")]), Home::new());
        std::fs::write(home.path().join(out), "kept").expect("write");
        let export = ["orders", "export", "--page-size", "2", "--out", out];
        home.run_at(&service.uri, &[&export[..], &["--require-complete"]].concat())
            .ends(10)
            .says("Nothing was replaced");
        assert_eq!(std::fs::read_to_string(home.path().join(out)).expect("read"), "kept");
        assert!(!home.path().join(format!("{out}.part")).exists());
        home.run_at(&service.uri, &export)
            .ends(0)
            .says("was not complete while its orders were read")
            .says("Wrote 6 items");
    }
}

#[test]
fn a_service_that_says_nothing_of_it_is_exported_as_before_and_proves_nothing() {
    let (service, home) = (service(&[None]), Home::new());
    let export = home.run_at(&service.uri, &["orders", "export", "--out", "orders.csv"]).ends(0);
    assert_eq!(export.err.trim_end(), "✓ Wrote 6 items to orders.csv");
    for verb in ["list", "export", "summary"] {
        let refused = home.run_at(&service.uri, &["orders", verb, "--require-complete"]).ends(10);
        refused.says("does not say whether the orders that it lists are complete");
    }
    assert_eq!(service.asked().iter().filter(|one| one.contains("/sync/completeness")).count(), 3);
}

#[test]
fn no_more_than_one_request_is_spent_on_it() {
    for (pages, flag, requests) in [
        (&[Some("0")][..], "--page-size=1000", 0),
        (&[Some("1")], "--page-size=1000", 1),
        (&[Some("0")], "--require-complete", 1),
    ] {
        let (service, home) = (service(pages), Home::new());
        home.run_at(&service.uri, &["orders", "export", flag]).ends(0);
        assert_eq!(service.asked().iter().filter(|one| one.contains("/sync/completeness")).count(), requests, "{flag}");
    }
}

#[test]
fn the_closing_message_names_retailers_whose_figures_do_not_agree() {
    let service = Site::start(|_| {
        |request: &Asked| {
            if request.path.starts_with("/sync/completeness") {
                let shop = |id: i64, name: &str, orders: u64| {
                    json!({"connectionId": format!("connection_{id}"), "retailerId": id, "displayName": name, "status": "valid",
                        "completeness": {"complete": true, "reasons": []}, "ordersWithMismatch": orders})
                };
                let shops = [shop(1, "Corner Shop", 3), shop(2, "Lamp House", 0), shop(3, "Tea Room", 1)];
                return Answer::json(&json!({"complete": true, "connections": shops}));
            }
            let item = json!([{"id": "item_1", "orderDate": "2026-01-28T00:00:00Z", "itemName": "Pen"}]);
            let answer = Answer::json(&item).with("X-Total-Count", "1").with("X-List-Version", "1");
            answer.with("X-Incomplete-Connections", "0").with("X-Mismatch-Connections", "2")
        }
    });
    let home = Home::new();
    let told = "Figures do not agree (column mismatch): Corner Shop (3 orders), Tea Room (1 order).";
    let export = home.run_at(&service.uri, &["orders", "export", "--out", "orders.csv", "--require-complete"]).ends(0);
    assert_eq!(export.err.trim_end(), format!("✓ Wrote 1 item to orders.csv. {told}"));
    for command in [&["orders", "list"][..], &["orders", "summary"], &["orders", "summary", "--html", "summary.html"]] {
        home.run_at(&service.uri, command).ends(0).says(told);
        assert_eq!(home.run_at(&service.uri, &[command, &["--quiet"]].concat()).ends(0).err, "");
    }
}
