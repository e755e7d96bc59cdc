//! Command lines that cannot be carried out: what is wrong, and what to type instead, before a service is asked.

use super::{Home, set_mode};
use crate::env;

fn export<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["orders", "export"], more].concat()
}

#[test]
fn a_mistake_leads_to_the_help_of_the_command_that_was_typed() {
    let home = Home::new();
    for (arguments, message, hint) in [
        (
            &["orders", "list", "--sort", "x"][..],
            "Invalid value for --sort: \"x\".",
            "See: ordersync orders list --help",
        ),
        (&["connect", "12", "13"], "Unexpected argument \"13\".", "See: ordersync connect --help"),
        (&["sync", "--al"], "There is no flag --al in `ordersync sync`.", "Did you mean: --all"),
        (&["serve", "--max-connections", "0"], "give a number from 1", "See: ordersync serve --help"),
        (&["orders", "export", "x y.csv"], "Unexpected argument", "ordersync orders export --out 'x y.csv'"),
        (&["orders", "list", "-o", "csv", "--jq", "."], "--jq filters JSON", "Remove -o, or give -o json"),
        (&["orders", "list", "--since", "2026-06", "--until", "2026-05"], "no date is between", "--until is exclusive"),
        (&["serve", "--retailers", "none.toml", "--sandbox"], "none.toml", "Check the path."),
        (&["serve", "--database", "a b/c", "--sandbox"], "there is no folder a b.", "Create it: mkdir -p 'a b'"),
        (&["sync", "--all", "threadmoor"], "--all cannot be used with [NAME|ID].\n", "See: ordersync sync --help"),
        (&["sandbox", "fail", "--status", "700"], "from 400 to 599", "See: ordersync sandbox fail --help"),
        (&["connections", "--base-url", "a.test"], "is not an address", "See: ordersync connections --help"),
    ] {
        let run = home.run(arguments).says(message).says(hint);
        assert!(!run.err.contains("See the command's"), "{}", run.err);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_explained() {
    let home = Home::new();
    let path = |name: &str| home.path(name).display().to_string();
    std::fs::create_dir(home.path("folder")).expect("folder");
    std::fs::write(home.path("bytes"), [0xff, 0xfe]).expect("file");
    set_mode(&home.path("bytes"), 0o600);
    for (file, hint) in
        [("none", "hint: Check the path."), ("folder", "It is a folder"), ("bytes", "It must be text, in UTF-8.")]
    {
        home.run(&["connect", "12", "--credentials-file", &path(file)]).says("Cannot read ").says(hint);
    }
}

#[test]
fn a_setting_that_cannot_be_used_is_not_stored_and_not_blamed_on_the_file() {
    let home = Home::new();
    let run = home.run(&["config", "set", "token_store", "cloud"]).ends(2);
    let run = run.says("Invalid value for token_store: \"cloud\" is not one of auto, keyring, file.");
    assert!(!run.err.contains("config.toml"), "{}", run.err);
    let run = home.run(&["config", "set", "client_id", ""]).ends(2).says("The value for client_id is empty.");
    run.says("To remove it: ordersync config unset client_id --profile local\n");
    let run = home.run(&["config", "get", "token"]).ends(5).says("See all settings: ordersync config list");
    assert!(!run.err.contains("connections"), "{}", run.err);
    home.run(&["config", "list"]).ends(0);
}

#[test]
fn a_name_that_no_profile_may_have_is_not_to_be_added() {
    let home = Home::new();
    let run = home.run(&["--profile", "a b", "sync"]).ends(2).says("See your profiles: ordersync profiles");
    assert!(!run.err.contains("profiles add"), "{}", run.err);
    home.run(&["--profile", "shop", "sync"]).ends(2).says("Add it: ordersync profiles add shop --base-url");
}

#[test]
fn a_live_service_says_line_by_line_what_it_needs() {
    let run = Home::new().run(&["serve"]).ends(2).says("settings are missing.");
    for needed in
        ["--key-file FILE", "--public-url https://", "--behind-proxy", "--otp-log", "ordersync serve --sandbox"]
    {
        assert_eq!(run.err.lines().filter(|line| line.contains(needed)).count(), 1, "{needed}: {}", run.err);
    }
}

#[test]
fn a_usage_error_speaks_of_values_and_not_of_types() {
    let home = Home::new();
    for (arguments, said) in [
        (&["orders", "list", "--limit", "abc"][..], "give a whole number"),
        (&["serve", "--listen", "8090"], "for example 127.0.0.1:8080"),
        (&["serve", "--listen", ":8090"], "for example 127.0.0.1:8080"),
    ] {
        let run = home.run(arguments).ends(2).says(said);
        assert!(!run.err.contains("digit found") && !run.err.contains("socket"), "{}", run.err);
    }
    let run = home.run(&["orders", "list", "--limit", "-1"]).ends(2).says("Invalid value for --limit: \"-1\".");
    assert!(!run.err.contains("minus"), "{}", run.err);
    let folder = home.path("config");
    std::fs::create_dir_all(&folder).expect("folder");
    std::fs::write(folder.join("config.toml"), "a = 1\n\n\nprofile = [\n").expect("config");
    let run = home.run(&["connections"]).ends(2).says("config.toml, line 4 is invalid: ");
    assert!(!run.err.contains(" | "), "{}", run.err);
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    let home = Home::new();
    home.run(&["xyzzy"]).ends(2).says("error: There is no command \"xyzzy\".").says("hint: See: ordersync --help");
    home.run(&["sync", "threadmoor", "--all"]).ends(2).says("cannot be used with");
    home.run(&["login"]).ends(2).says("hint: Did you mean: ordersync auth login");
    home.run(&["conect"]).ends(2).says("hint: Did you mean: ordersync connect\n");
    home.run(&["-q", "orders", "ls"]).ends(2).says("Did you mean: ordersync orders list");
    home.run(&["orders", "lst"]).ends(2).says("Did you mean: ordersync orders list");
    home.run(&["sandbox", "rest"]).ends(2).says("Did you mean: ordersync sandbox reset");
    home.run(&["connections", "ls"])
        .ends(5)
        .says("No connection is called \"ls\".")
        .says("Did you mean: ordersync connections list");
    home.run(&["connections", "rm", "conn_1"]).ends(2);
    home.run(&["disconnect", "conn_1"]).ends(2).says("Did you mean: ordersync connections remove NAME");
    home.run(&["orders", "list", "--retialer", "1"])
        .ends(2)
        .says("There is no flag --retialer")
        .says("mean: --retailer");
    home.run(&["connections", "--json"]).ends(2).says("Did you mean: -o json");
    home.run(&["connections", "--status", "vald"]).ends(2).says("mean: valid").says("One of: valid, invalid, pending");
    home.run(&["connections", "--status"]).ends(2).says("--status needs a value");
    home.run(&["orders", "get"]).ends(2).says("Missing: <ID|ORDER>.").says("Usage: ordersync orders get");
    home.run(&["orders", "export", "--jq", "."]).ends(2).says("ordersync orders export -o jsonl | jq");
    home.run(&["orders", "export", "--fields", "price"]).ends(2).says("ordersync orders list --fields");
    home.run(&["retailers", "--jq", ".["]).ends(2).says("ends too early");
    let error = home.run(&["-o", "json", "export"]).ends(2).error();
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("ordersync orders export")), "{error}");
    let error = home.run(&["-o", "json", "orders", "list", "--limit", "1001"]).ends(2).error();
    assert_eq!(error["code"], "USAGE");
    assert!(error["message"].as_str().is_some_and(|message| message.contains("1001")), "{error}");
    home.run(&["orders", "list", "--since", "16.10.2025"]).ends(2).says("--since: \"16.10.2025\" is not");
    home.run(&["orders", "export", "--since", "2026-02-01", "--until", "2026-01-01"])
        .ends(2)
        .says("not before --until");
}

#[test]
fn what_cannot_be_is_said_before_the_service_is_asked() {
    let home = Home::new();
    home.run(&export(&["--columns"])).ends(0).prints("retailerSku").prints("Retailer Order ID");
    home.run(&export(&["--columns", ""])).ends(2).says("names no column");
    home.run(&export(&["--columns", "prise"])).ends(2).says("Did you mean price?");
    home.run(&export(&["--columns", "price,Price"])).ends(2).says("price twice");
    home.run(&export(&["--format", "json", "--excel-safe"])).ends(2).says("--excel-safe is for CSV");
    let path = |name: &str| home.path(name).display().to_string();
    home.run(&export(&["--out", &path("orders.json"), "--excel-safe"])).ends(2).says("--excel-safe is for CSV");
    #[cfg(not(feature = "zstd"))]
    home.run(&export(&["--compress", "zstd"])).ends(2).says("--features zstd");
    #[cfg(not(feature = "parquet"))]
    for arguments in [&["--format", "parquet"], &["--out", &path("orders.parquet")]] {
        home.run(&export(arguments)).ends(2).says("the cargo feature `parquet`").says("--features parquet");
    }
    #[cfg(feature = "parquet")]
    home.run(&export(&["--out", &path("orders.parquet.gz")])).ends(2).says("already compressed");
    assert_eq!(std::fs::read_dir(home.path("")).expect("a folder").count(), 0, "no file is begun");
}

#[test]
fn what_a_workbook_cannot_be_is_said_before_the_service_is_asked() {
    let home = Home::new();
    home.run(&["orders", "export", "--out", "orders.xlsx.gz"]).ends(2).says("A workbook is already compressed");
    home.run(&["orders", "export", "--out", "orders.xlsx", "--compress", "gzip"]).ends(2).says("already compressed");
    home.run(&["orders", "export", "--out", "orders.xlsx", "--excel-safe"]).ends(2).says("--excel-safe is for CSV");
}

#[test]
fn fields_are_known_before_anything_is_asked_of_a_service() {
    let home = Home::new();
    // No service answers there: all that is printed was known without it.
    let nowhere = ["--base-url", "http://127.0.0.1:1"];
    let listed = home.run(&[&["connections", "--fields"][..], &nowhere].concat()).ends(0);
    assert!(listed.out.starts_with("connectionId\nretailerId\n"), "{}", listed.out);
    home.run(&[&["connections", "--fields", "statu"][..], &nowhere].concat()).ends(2).says("Did you mean status?");
    home.run(&[&["connections", "--jq", ".[] | ]"][..], &nowhere].concat()).ends(2).says("`]` does not belong there");
    home.run(&[&["connections", "--jq", ".", "-o", "csv"][..], &nowhere].concat()).ends(2).says("Remove -o");
    home.run(&["config", "path", "--fields", "a"]).ends(2).says("--fields works on commands that print records");
}

#[test]
fn a_split_export_needs_a_file_name() {
    let home = Home::new();
    home.run(&export(&["--split-by", "month"])).ends(2).says("--out");
    for out in ["-", "/dev/null"] {
        home.run(&export(&["--split-by", "month", "--out", out])).ends(2).says("--split-by needs the name of a file");
    }
    home.run(&export(&["--split-by", "week", "--out", "orders.csv"])).ends(2).says("month");
}

#[test]
fn the_service_inside_the_command_has_no_clients_and_says_which_has() {
    let home = Home::new();
    for arguments in [&["link-token", "create", "--external-user-id", "u"][..], &["users", "share"]] {
        let run = home.run_with(&[(&env::CLIENT_SECRET, "whatever")], arguments).ends(2);
        let run = run.says("ordersync serve --sandbox --listen 127.0.0.1:8080");
        run.says("ordersync widget open --base-url http://127.0.0.1:8080");
    }
}

#[test]
fn with_nothing_configured_it_says_how_to_begin_and_makes_nothing() {
    let home = Home::new();
    let run =
        home.run(&[]).ends(0).prints("Connections  none yet").prints("ordersync demo").prints("ordersync connect");
    assert_eq!(run.err, "");
    assert_eq!(std::fs::read_dir(home.path("")).expect("a folder").count(), 0, "looking makes no store");
}

#[test]
fn a_service_at_an_address_is_not_waited_for() {
    let home = Home::new();
    // An address that answers nothing: a command that asked it would wait.
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    home.run(&["--base-url", &url])
        .ends(0)
        .prints("nobody is signed in")
        .prints(&format!("ordersync auth login --base-url {url}"));
}
