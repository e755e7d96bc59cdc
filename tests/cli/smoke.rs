//! `smoke`: against a real sandbox, and with exactly one thing broken on the way to it.

use std::collections::HashMap;

use quick_xml::events::Event;
use serde_json::Value;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::serve::Sandbox;
use super::support::{Home, Run};

/// Every check of a run that only reads, in its order.
const CHECKS: [&str; 12] = [
    "reachable",
    "catalog",
    "authorization-server",
    "sign-in",
    "profile",
    "connections",
    "sessions",
    "orders",
    "orders-csv",
    "error-shape",
    "wrong-token",
    "rate-limit",
];

/// What is done to an answer on its way.
type Fault = fn(&Request, Answer) -> Answer;

#[derive(Clone)]
struct Answer {
    status: u16,
    headers: HashMap<String, String>,
    body: String,
}

/// A proxy before the service that breaks chosen answers.
struct Breaking {
    service: String,
    fault: Fault,
}

impl Respond for Breaking {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let answer = (self.fault)(request, mend_issuer(request, forward(&self.service, request)));
        let mut response = ResponseTemplate::new(answer.status);
        let kind = answer.headers.get("content-type").cloned().unwrap_or_default();
        for (name, value) in &answer.headers {
            response = response.insert_header(name.as_str(), value.as_str());
        }
        response.set_body_raw(answer.body, &kind)
    }
}

/// One exchange, by hand: the service closes after HTTP/1.0.
fn forward(service: &str, request: &Request) -> Answer {
    use std::io::{Read as _, Write as _};

    let mut stream = std::net::TcpStream::connect(service.trim_start_matches("http://")).expect("connect");
    let query = request.url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut head = format!("{} {}{query} HTTP/1.0\r\nHost: localhost\r\n", request.method, request.url.path());
    if let Some(token) = request.headers.get("authorization") {
        head += &format!("Authorization: {}\r\n", token.to_str().expect("text"));
    }
    write!(stream, "{head}\r\n").expect("send");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("read");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .filter(|(name, _)| !matches!(name.as_str(), "content-length" | "transfer-encoding" | "connection"));
    Answer { status, headers: headers.collect(), body: body.to_owned() }
}

/// Runs `smoke` through a proxy that breaks something.
async fn broken(sandbox: &Sandbox, more: &[&str], fault: Fault) -> Run {
    let proxy = MockServer::start().await;
    let service = sandbox.address.clone();
    Mock::given(any()).respond_with(Breaking { service, fault }).mount(&proxy).await;
    let mut command = sandbox.command(&[&["smoke"], more].concat());
    command.env("ORDERSYNC_BASE_URL", proxy.uri());
    Run::of(command)
}

/// The issuer is the proxy for clients that use it.
fn mend_issuer(request: &Request, mut answer: Answer) -> Answer {
    if request.url.path().starts_with("/.well-known") {
        let host = request.headers.get("host").expect("a host").to_str().expect("text");
        let mut metadata: Value = serde_json::from_str(&answer.body).expect("metadata");
        metadata["issuer"] = format!("http://{host}").into();
        answer.body = metadata.to_string();
    }
    answer
}

fn statuses(run: &Run) -> Vec<(String, String)> {
    let checks = run.json();
    let text = |check: &Value, name: &str| check[name].as_str().expect(name).to_owned();
    checks.as_array().expect("a list").iter().map(|check| (text(check, "check"), text(check, "status"))).collect()
}

fn failed(run: &Run) -> Vec<String> {
    statuses(run).into_iter().filter(|(_, status)| status == "failed").map(|(check, _)| check).collect()
}

fn with_items(sandbox: &Sandbox) {
    sandbox.connect("1", "user_items_120", &[]).ends(0);
}

#[test]
fn the_service_inside_the_command_is_not_checked_if_one_at_an_address_is_required() {
    let home = Home::new();
    home.run(&["smoke", "--require-remote"]).ends(2).says("--require-remote").says("ORDERSYNC_BASE_URL");
    let sandbox = Sandbox::start(&[]);
    sandbox.run(&["smoke", "--require-remote"]).ends(0);
}

#[test]
fn a_sandbox_passes_before_and_after_the_first_sync() {
    let sandbox = Sandbox::start(&[]);
    sandbox.run(&["smoke"]).ends(0).prints("✓ sessions: no sync yet").prints("✓ orders: no line items yet");
    with_items(&sandbox);
    let run = sandbox.run(&["smoke", "-o", "json"]).ends(0);
    let names: Vec<String> = statuses(&run).into_iter().map(|(check, _)| check).collect();
    assert_eq!(names, CHECKS);
    assert!(failed(&run).is_empty());
    sandbox
        .run(&["smoke"])
        .ends(0)
        .prints("✓ orders: 120 line items; the first 50 read")
        .prints("✓ orders-csv: 50 rows");
}

#[test]
fn the_service_inside_the_command_passes_and_can_be_connected_to() {
    let home = Home::new();
    let run = home.run(&["smoke"]).ends(0).prints("✓ reachable: the service inside this command answers");
    assert!(!run.out.contains("127.0.0.1"), "a port that nobody can use: {}", run.out);
    assert_eq!(run.out.lines().last(), Some("12 checks: 12 passed"));
    let credentials = home.credentials("user_mfa_choose");
    let mfa = ["--mfa-option", "sms", "--mfa-command", "echo 123456"];
    let connect = [&["smoke", "--connect", "Marrowby", "--credentials-file", &credentials], &mfa[..]].concat();
    let first = home.run(&connect).ends(0).says("What stays: the connection to Marrowby Market");
    let first = first.says("Remove them: ordersync connections remove 1 --yes");
    first.prints("✓ connect: Marrowby Market connected and synced").prints("✓ export: ");
    home.run(&["smoke", "--credentials-file", &credentials]).ends(2).says("--connect");
    // Again, as CI does every night.
    home.run(&connect).ends(0).prints("was connected already; synced");
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    home.run(&connect).ends(0).prints("✓ connection-valid: ");
    home.run(&["smoke", "--connect", "2", "--credentials-file", &home.credentials("user_bad")])
        .ends(1)
        .prints("✗ connect: expected the sync to be completed, got error")
        .prints("- export: skipped: see connect");
}

#[tokio::test]
async fn what_is_broken_fails_on_its_line_and_no_other() {
    let sandbox = Sandbox::start(&["--rate-limit", "off"]);
    with_items(&sandbox);
    assert!(failed(&broken(&sandbox, &["-o", "json"], |_, answer| answer).await.ends(0)).is_empty());
    let cases: [(&str, i32, &str, Fault); 10] = [
        ("rate-limit", 1, "expected at most 100 requests left, got 101", |_, mut answer| {
            answer.headers.insert("ratelimit-limit".into(), "100".into());
            answer.headers.insert("ratelimit-remaining".into(), "101".into());
            answer
        }),
        ("orders", 1, "expected 1 row at offset 120 (X-Total-Count says 121 in all), got 0", |request, mut answer| {
            if request.url.path() == "/sync/orders" {
                answer.headers.insert("x-total-count".into(), "121".into());
            }
            answer
        }),
        ("connections", 1, "expected application/json, got text/html", |request, mut answer| {
            if request.url.path() == "/sync/connections" {
                answer.headers.insert("content-type".into(), "text/html".into());
                answer.body = "<html>Welcome to the hotel</html>".into();
            }
            answer
        }),
        ("sessions", 1, "expected 200, got 500", |request, mut answer| {
            if request.url.path() == "/sync/sessions/latest" {
                answer.status = 500;
            }
            answer
        }),
        ("profile", 3, "expected 200, got 503", |request, mut answer| {
            if request.url.path() == "/sync/profile" {
                answer.status = 503;
            }
            answer
        }),
        ("orders-csv", 1, "expected text/csv, got application/json", |request, mut answer| {
            if request.url.query().is_some_and(|query| query.contains("format=csv")) {
                answer.headers.insert("content-type".into(), "application/json".into());
            }
            answer
        }),
        ("orders-csv", 1, "in row 1, Item Name, as in JSON", |request, mut answer| {
            if request.url.query().is_some_and(|query| query.contains("format=csv")) {
                let mut rows = csv::Reader::from_reader(answer.body.as_bytes());
                let mut writer = csv::Writer::from_writer(Vec::new());
                writer.write_record(rows.headers().expect("headers")).expect("write");
                for row in rows.records() {
                    let row = row.expect("row");
                    let fields = row.iter().enumerate().map(|(i, field)| if i == 3 { "other" } else { field });
                    writer.write_record(fields).expect("write");
                }
                answer.body = String::from_utf8(writer.into_inner().expect("bytes")).expect("text");
            }
            answer
        }),
        ("catalog", 1, "expected the header X-Request-Id, got none", |request, mut answer| {
            if request.url.path() == "/sync/retailers" {
                answer.headers.remove("x-request-id");
            }
            answer
        }),
        ("error-shape", 1, "expected an error body {code, message}", |request, mut answer| {
            if request.url.path().starts_with("/sync/orders/") {
                answer.body = "{\"error\":\"nothing\"}".into();
            }
            answer
        }),
        ("wrong-token", 1, "expected 401, got 200", |request, mut answer| {
            if request.url.path().starts_with("/sync/connections/") {
                answer.status = 200;
            }
            answer
        }),
    ];
    for (check, code, message, fault) in cases {
        let run = broken(&sandbox, &["-o", "json"], fault).await.ends(code);
        assert_eq!(failed(&run), [check], "{}", run.out);
        assert!(run.out.contains(message), "{message}: {}", run.out);
        assert_eq!(statuses(&run).len(), CHECKS.len());
        assert_eq!(run.error()["code"], "CHECKS_FAILED");
    }
}

#[test]
fn nobody_there_ends_with_3_and_skips_the_rest() {
    let run = Home::new().run(&["smoke", "--base-url", "http://127.0.0.1:1", "-o", "json"]).ends(3);
    assert_eq!(failed(&run), ["reachable"]);
    assert!(statuses(&run).iter().skip(1).all(|(_, status)| status == "skipped"));
}

#[test]
fn a_sign_in_that_is_missing_or_refused_ends_with_4_and_the_rest_goes_on() {
    let sandbox = Sandbox::start(&[]);
    for token in [None, Some("nonsense")] {
        let mut command = sandbox.command(&["smoke", "-o", "json"]);
        match token {
            Some(token) => command.env("ORDERSYNC_TOKEN", token),
            None => command.env_remove("ORDERSYNC_TOKEN"),
        };
        let run = Run::of(command).ends(4);
        assert_eq!(failed(&run), ["sign-in"]);
        let good: Vec<String> =
            statuses(&run).into_iter().filter(|(_, status)| status == "ok").map(|(check, _)| check).collect();
        assert_eq!(good, ["reachable", "catalog", "authorization-server", "wrong-token"]);
    }
    let scoped = sandbox.run(&["sandbox", "token", "--scopes", "accounts:read profile:read"]).ends(0).out;
    let mut command = sandbox.command(&["smoke"]);
    command.env("ORDERSYNC_TOKEN", scoped.trim());
    Run::of(command)
        .ends(4)
        .prints("✗ orders: expected 200, got 403 Forbidden INSUFFICIENT_SCOPE")
        .prints("ordersync doctor");
}

#[tokio::test]
async fn junit_has_a_case_for_each_check_and_says_which_failed() {
    let sandbox = Sandbox::start(&["--rate-limit", "off"]);
    let file = sandbox.home.path().join("smoke.xml");
    let junit = ["--junit", file.to_str().expect("text")];
    let fault: Fault = |request, mut answer| {
        if request.url.path() == "/sync/profile" {
            answer.headers.insert("content-type".into(), "text/html".into());
            answer.body = "<a href=\"x\">\u{7}&amp;]]></a>".into();
        }
        answer
    };
    broken(&sandbox, &junit, fault).await.ends(1).prints("✗ profile: ");
    let text = std::fs::read_to_string(&file).expect("read");
    let (mut names, mut failures, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    let mut reader = quick_xml::Reader::from_str(&text);
    reader.config_mut().check_end_names = true;
    loop {
        let element = match reader.read_event().expect("XML") {
            Event::Start(element) | Event::Empty(element) => element,
            Event::Eof => break,
            _ => continue,
        };
        let attribute = |name: &str| {
            let found = element.try_get_attribute(name).expect("attributes").unwrap_or_else(|| panic!("{name}"));
            found.unescape_value().expect("a value").into_owned()
        };
        match element.name().as_ref() {
            b"testsuite" => counts = ["tests", "failures", "skipped"].map(attribute).to_vec(),
            b"testcase" => names.push(attribute("name")),
            b"failure" => failures.push((names.last().cloned(), attribute("message"))),
            _ => {}
        }
    }
    assert_eq!(names, CHECKS);
    assert_eq!(counts, ["12", "1", "0"]);
    let [(name, message)] = failures.as_slice() else { panic!("{failures:?}") };
    assert_eq!(name.as_deref(), Some("profile"));
    assert!(message.starts_with("expected application/json, got text/html"), "{message}");
    // A place that cannot be written is reported before any request.
    let nowhere =
        sandbox.run(&["smoke", "--junit", "nowhere/smoke.xml"]).ends(1).says("Cannot write nowhere/smoke.xml");
    assert!(nowhere.out.is_empty());
}

#[test]
fn a_client_that_acts_for_itself_is_checked_for_what_it_has() {
    let sandbox = Sandbox::start(&[]);
    let client = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        command.env_remove("ORDERSYNC_TOKEN").env("ORDERSYNC_CLIENT_ID", "sandbox");
        command.env("ORDERSYNC_CLIENT_SECRET", "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one");
        Run::of(command)
    };
    client(&["auth", "login", "--client-credentials"]).ends(0);
    let run = client(&["smoke"]).ends(0).prints("✓ sign-in: the service accepts the token");
    run.prints("- profile: skipped: signed in as a client, which has no user").prints("✓ wrong-token: ");
    client(&["doctor"]).ends(0).prints("✓ scopes: those of the client itself");
}
