//! Any request: what is sent, and that the answer comes as it is.

use std::io::Read as _;

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::support::{Home, Run};

fn run(server: &MockServer, arguments: &[&str], input: &str) -> Run {
    let home = Home::new();
    let mut command = home.command(&[&["api"], arguments].concat());
    command.env("ORDERSYNC_BASE_URL", server.uri()).env("ORDERSYNC_TOKEN", "tok");
    command.env("ORDERSYNC_CLIENT_SECRET", "cs").env("ORDERSYNC_LINK_TOKEN", "lt");
    let file = home.path().join("stdin");
    std::fs::write(&file, input).expect("write");
    command.stdin(std::fs::File::open(file).expect("open"));
    Run::of(command)
}

async fn echoing() -> MockServer {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_raw("{\"price\": 1430.710,\n \"b\":1}", "application/json");
    Mock::given(wiremock::matchers::any()).respond_with(answer).mount(&server).await;
    server
}

async fn last(server: &MockServer) -> Request {
    server.received_requests().await.expect("requests").pop().expect("a request")
}

fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers.get(name).and_then(|value| value.to_str().ok())
}

#[tokio::test]
async fn an_answer_is_printed_as_it_came() {
    let server = echoing().await;
    let get = run(&server, &["get", "sync/orders?a=1", "-f", "limit=5"], "").ends(0);
    assert_eq!(get.out, "{\"price\": 1430.710,\n \"b\":1}");
    let request = last(&server).await;
    assert_eq!((request.method.as_str(), request.url.query()), ("GET", Some("a=1&limit=5")));
    assert_eq!(header(&request, "authorization"), Some("Bearer tok"));
    assert_eq!(header(&request, "idempotency-key"), None);
    assert_eq!(header(&request, "x-client-secret"), None);
    let shown = run(&server, &["GET", "/x", "--include", "-H", "Accept: text/csv"], "").ends(0);
    assert!(shown.out.starts_with("HTTP/1.1 200 OK\r\n") && shown.out.contains("\r\n\r\n{\"price\""), "{}", shown.out);
    assert_eq!(header(&last(&server).await, "accept"), Some("text/csv"));
}

#[tokio::test]
async fn an_answer_that_is_nested_too_deeply_is_printed_as_it_came() {
    let body = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_raw(body.as_str(), "application/json");
    Mock::given(wiremock::matchers::any()).respond_with(answer).mount(&server).await;
    assert_eq!(run(&server, &["/x", "--color", "always"], "").ends(0).out, body);
}

/// Which endpoints want the client's secret, the specification leaves open.
#[tokio::test]
async fn the_client_secret_goes_where_the_service_asks_for_it_and_nowhere_else() {
    let server = MockServer::start().await;
    let body = json!({"code": "CLIENT_SECRET_REQUIRED", "message": "Send X-Client-Secret."});
    let answer = move |request: &Request| match header(request, "x-client-secret") {
        Some("cs") => ResponseTemplate::new(200).set_body_json([json!({"id": "a"})]),
        _ => ResponseTemplate::new(403).set_body_json(&body),
    };
    Mock::given(path("/sync/orders")).respond_with(answer).mount(&server).await;
    Mock::given(path("/sync/mfa"))
        .respond_with(|request: &Request| {
            ResponseTemplate::new(if request.headers.contains_key("x-client-secret") { 500 } else { 200 })
        })
        .mount(&server)
        .await;
    run(&server, &["GET", "/sync/orders", "--paginate"], "").ends(0).prints("\"id\":\"a\"");
    let seen: Vec<bool> = server
        .received_requests()
        .await
        .expect("requests")
        .iter()
        .map(|request| request.headers.contains_key("x-client-secret"))
        .collect();
    // It asks once, and is remembered.
    assert_eq!(seen, [false, true, true, true]);
    run(&server, &["POST", "/sync/mfa", "-f", "a=b"], "").ends(0);
    // A secret that is not accepted is sent once.
    let home = Home::new();
    let mut command = home.command(&["api", "GET", "/sync/orders"]);
    command.env("ORDERSYNC_BASE_URL", server.uri()).env("ORDERSYNC_TOKEN", "tok").env("ORDERSYNC_CLIENT_SECRET", "old");
    Run::of(command).ends(1).says("ORDERSYNC_CLIENT_SECRET");
    assert_eq!(server.received_requests().await.map(|requests| requests.len()), Some(7));
}

#[tokio::test]
async fn an_address_in_a_query_is_no_address_and_no_path_leaves_that_of_the_service() {
    let server = echoing().await;
    run(&server, &["GET", "/sync/orders?x=http://a"], "").ends(0);
    assert_eq!(last(&server).await.url.query(), Some("x=http://a"));
    let base = format!("{}/tenant1", server.uri());
    let own = format!("{base}/x?y=../z");
    run(&server, &["GET", &own, "--base-url", &base], "").ends(0);
    let other = format!("{}/tenant2/x", server.uri());
    let paths = ["/../tenant2/x", "/%2e%2e/tenant2/x", "..\\tenant2", "/a/../../tenant2", "/../tenant10/x", &other];
    for path in paths {
        run(&server, &["GET", path, "--base-url", &base], "").ends(2).says("leads away from");
    }
    assert_eq!(server.received_requests().await.map(|requests| requests.len()), Some(2));
}

#[tokio::test]
async fn fields_make_a_body_and_a_post_has_a_key() {
    let server = echoing().await;
    let fields =
        ["-f", "text=5", "-F", "number=5.10", "-F", "yes=true", "-F", r#"list=[1.50, {"a": null}]"#, "-F", "code=@-"];
    run(&server, &[&["POST", "/sync/mfa"], &fields[..]].concat(), "123456\n").ends(0);
    let request = last(&server).await;
    assert_eq!(request.body, br#"{"text":"5","number":5.10,"yes":true,"list":[1.50,{"a":null}],"code":"123456"}"#);
    assert_eq!(header(&request, "content-type"), Some("application/json"));
    assert!(header(&request, "idempotency-key").is_some_and(|key| key.len() == 32));
    let arguments = ["PUT", "/v1/x", "--input", "-", "-f", "a=b c", "-H", "Idempotency-Key: mine"];
    run(&server, &arguments, "[1, 2]").ends(0);
    let request = last(&server).await;
    assert_eq!((&request.body[..], request.url.query()), (&b"[1, 2]"[..], Some("a=b+c")));
    assert_eq!(header(&request, "idempotency-key"), Some("mine"));
    assert_eq!(header(&request, "x-client-secret"), Some("cs"));
    assert_eq!(header(&request, "x-link-token"), Some("lt"));
}

#[tokio::test]
async fn secrets_and_the_token_stay_where_they_belong() {
    let server = echoing().await;
    run(&server, &["GET", "https://evil.test/x"], "").ends(2).says("leads away from");
    run(&server, &["GET", "/x", "-H", "Authorization: Bearer canary"], "").ends(2).says("ORDERSYNC_TOKEN");
    let trace = run(&server, &["GET", "/v1/x?link_token=canary&code=canary", "-vv"], "").ends(0);
    assert!(!trace.err.contains("canary") && trace.err.contains("x-client-secret: [redacted]"), "{}", trace.err);
    assert!(!trace.err.contains("Bearer tok") && !trace.err.contains(" lt"), "{}", trace.err);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn ctrl_c_between_pages_leaves_a_valid_document() {
    let server = MockServer::start().await;
    let rows: Vec<Value> = (0..1000).map(|row| json!({ "id": row })).collect();
    let first = ResponseTemplate::new(200).set_body_json(&rows);
    Mock::given(wiremock::matchers::query_param("offset", "0")).respond_with(first).mount(&server).await;
    let never = ResponseTemplate::new(200).set_body_json(rows).set_delay(std::time::Duration::from_secs(60));
    Mock::given(method("GET")).respond_with(never).mount(&server).await;
    let home = Home::new();
    let mut command = home.command_at(&server.uri(), &["api", "/x", "--paginate"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdout = child.stdout.take().expect("stdout");
    // The first page is there, so the second is being waited for.
    let mut out = vec![0];
    stdout.read_exact(&mut out).expect("a page");
    let kill = std::process::Command::new("sh").args(["-c", &format!("kill -s INT {}", child.id())]).status();
    assert!(kill.expect("kill").success());
    stdout.read_to_end(&mut out).expect("the rest");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(serde_json::from_slice::<Vec<Value>>(&out).expect("JSON").len(), 1000);
}

/// A list of numbers, in pages.
async fn paging(count: usize, wrap: fn(Vec<Value>) -> Value, with_total: bool) -> MockServer {
    let server = MockServer::start().await;
    let answer = move |request: &Request| {
        let number = |name: &str, default: usize| {
            let found = request.url.query_pairs().find(|(key, _)| key == name);
            found.map_or(default, |(_, value)| value.parse().expect("a number"))
        };
        let rows = (number("offset", 0)..count).take(number("limit", 50).min(1000)).map(|row| json!({ "id": row }));
        let answer = ResponseTemplate::new(200).set_body_json(wrap(rows.collect()));
        if with_total { answer.insert_header("x-total-count", count.to_string().as_str()) } else { answer }
    };
    Mock::given(method("GET")).and(path("/sync/orders")).respond_with(answer).mount(&server).await;
    server
}

#[tokio::test]
async fn every_page_makes_one_document() {
    for (count, wrap, with_total, requests) in [
        (0, Value::Array as fn(Vec<Value>) -> Value, true, 1),
        // Each page begins with the last row of the one before; the last one holds no more.
        (2500, Value::Array, false, 4),
        (1999, Value::Array, false, 3),
        (1, Value::Array, false, 3),
        // The count may be of something else.
        (2000, Value::Array, true, 4),
        (2000, |rows| json!({ "data": rows, "more": true }), false, 4),
    ] {
        let server = paging(count, wrap, with_total).await;
        let rows = run(&server, &["GET", "/sync/orders", "--paginate"], "").ends(0).json();
        let rows: Vec<u64> = rows.as_array().expect("a list").iter().filter_map(|row| row["id"].as_u64()).collect();
        assert_eq!(rows, (0..count as u64).collect::<Vec<_>>());
        assert_eq!(server.received_requests().await.expect("requests").len(), requests);
    }
    let server = paging(25, Value::Array, false).await;
    let rows = run(&server, &["GET", "/sync/orders?limit=10", "--paginate"], "").ends(0).json();
    assert_eq!(
        (rows.as_array().map(Vec::len), server.received_requests().await.expect("requests").len()),
        (Some(25), 4)
    );
}

#[tokio::test]
async fn what_has_no_pages_is_told() {
    let server = echoing().await;
    run(&server, &["GET", "/x", "--paginate"], "").ends(1).says("is no list");
    run(&server, &["POST", "/x", "--paginate"], "").ends(2);
    // A path of the service that takes no offset gives what it has at once.
    let home = Home::new();
    let catalog = home.run(&["api", "/sync/retailers", "--paginate"]).ends(0).json();
    assert_eq!(catalog, home.run(&["api", "/sync/retailers"]).ends(0).json());
    let from = home.run(&["api", "/sync/retailers", "--paginate", "-f", "offset=5"]).ends(1);
    from.says("There is no parameter \"offset\" here").says("leave out --paginate");
    // A server that ignores the offset would be asked forever.
    let server = MockServer::start().await;
    let rows: Vec<Value> = (0..1000).map(|row| json!({ "id": row })).collect();
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(200).set_body_json(rows)).mount(&server).await;
    let rows = run(&server, &["GET", "/x", "--paginate"], "").ends(0).json();
    assert_eq!(rows.as_array().map(Vec::len), Some(1000));
}

#[tokio::test]
async fn without_a_method_it_is_get_or_post_where_there_is_content() {
    let server = echoing().await;
    for (arguments, method) in [
        (&["/x"][..], "GET"),
        (&["x?a=1", "--silent"], "GET"),
        (&["/x", "-f", "a=1"], "POST"),
        (&["/x", "-F", "a=1"], "POST"),
        (&["/x", "--input", "-"], "POST"),
        (&["get", "/x", "-f", "a=1"], "GET"),
        (&["DELETE", "/x"], "DELETE"),
    ] {
        let answer = run(&server, arguments, "{}").ends(0);
        assert_eq!(answer.out.is_empty(), arguments.contains(&"--silent"), "{}", answer.out);
        assert_eq!(last(&server).await.method.as_str(), method, "{arguments:?}");
    }
    run(&server, &["POST"], "").ends(2).says("POST which path?");
    run(&server, &["GE T", "/x"], "").ends(2).says("is no method");
    let whole = format!("{}/x", server.uri());
    run(&server, &[&whole, "--silent", "-i"], "").ends(0).prints("HTTP/1.1 200 OK");
}

#[tokio::test]
async fn pages_that_fail_half_way_leave_a_valid_document_and_say_how_to_go_on() {
    let server = MockServer::start().await;
    let rows: Vec<Value> = (0..1000).map(|row| json!({ "id": row })).collect();
    let first = ResponseTemplate::new(200).set_body_json(rows);
    Mock::given(wiremock::matchers::query_param("offset", "0")).respond_with(first).mount(&server).await;
    let broken = ResponseTemplate::new(500).insert_header("x-request-id", "req_1");
    for offset in ["999", "1000"] {
        let broken = broken.clone();
        Mock::given(wiremock::matchers::query_param("offset", offset)).respond_with(broken).mount(&server).await;
    }
    let half = run(&server, &["/x", "--paginate"], "").ends(1);
    // Of a part, a filter that wants all of it would be wrong.
    let none = run(&server, &["/x", "--paginate", "--slurp", "--jq", "length"], "").ends(1);
    assert_eq!(none.out, "");
    let half = half.says("1000 items came before that.").says("-f offset=1000").says("request id: req_1");
    assert_eq!(half.json().as_array().map(Vec::len), Some(1000));
    // What never began prints nothing, as any request that fails.
    let none = run(&server, &["/x", "--paginate", "-f", "offset=1000"], "").ends(1);
    assert_eq!(none.out, "");
    let whole = paging(25, Value::Array, true).await;
    let rest = run(&whole, &["GET", "/sync/orders", "--paginate", "-f", "offset=20"], "").ends(0).json();
    assert_eq!((rest.as_array().map(Vec::len), &rest[0]["id"]), (Some(5), &json!(20)));
    run(&whole, &["/sync/orders?offset=5", "--paginate"], "").ends(2).says("-f offset=N");
}

#[tokio::test]
async fn a_filter_is_applied_to_the_answer_or_to_each_page() {
    let server = echoing().await;
    let price = run(&server, &["/x", "--jq", ".price"], "").ends(0);
    assert_eq!(price.out, "1430.710\n");
    run(&server, &["/x", "--jq", ".[].price"], "").ends(1).says("--jq: ");
    let server = paging(2500, Value::Array, true).await;
    let filter = |filter: &'static str| ["/sync/orders", "--paginate", "--jq", filter];
    assert_eq!(run(&server, &filter("length"), "").ends(0).out, "1000\n999\n501\n");
    assert_eq!(run(&server, &filter(".[].id"), "").ends(0).out.lines().count(), 2500);
    let slurped = ["/sync/orders", "--paginate", "--slurp", "--jq", "length, .[2499].id"];
    assert_eq!(run(&server, &slurped, "").ends(0).out, "2500\n2499\n");
    run(&server, &["/sync/orders", "--slurp", "--jq", "length"], "").ends(2).says("--paginate");
    let lines = run(&server, &["/sync/orders", "--paginate", "-o", "jsonl"], "").ends(0);
    assert_eq!((lines.out.lines().count(), lines.out.lines().next()), (2500, Some("{\"id\":0}")));
    let page = ResponseTemplate::new(200).set_body_raw("a,b\n1,2\n", "text/csv");
    Mock::given(path("/csv")).respond_with(page).mount(&server).await;
    run(&server, &["/csv", "--jq", "."], "").ends(1).says("its content type is text/csv, not JSON");
}

/// A command line as a person would copy it into a shell.
fn in_a_shell(line: &str, variables: &[(&str, &str)]) -> Run {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", line]).envs(variables.iter().copied());
    Run::of(command)
}

#[test]
fn the_curl_command_that_is_shown_gives_the_same_answer() {
    let sandbox = super::serve::Sandbox::start(&["--rate-limit", "off"]);
    let connect = sandbox.connect("1", "user_items_3", &["--curl"]).ends(0);
    let connect = connect.says("# connectionInfo is left out").says("--data-raw '{\"retailerId\":1,");
    assert!(!connect.err.contains(&sandbox.token) && !connect.err.contains("pass_good"), "{}", connect.err);
    let secret = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one";
    let variables = [("ORDERSYNC_TOKEN", sandbox.token.as_str()), ("ORDERSYNC_CLIENT_SECRET", secret)];
    for arguments in [
        &["api", "GET", "/sync/orders", "-f", "limit=2"][..],
        &["api", "/sync/orders?format=csv"],
        &["api", "PUT", "/sync/connections/it's not there", "-f", "a=it's"],
        &["api", "/sync/mfa", "-f", "eventType=enter", "-f", "reqId=mfa_x", "-f", "otpValue=123456"],
        // Made again with the same idempotency key, it is the same token.
        &["api", "POST", "/v1/link/token", "-f", "external_user_id=u-1"],
        &["api", "POST", "/v1/link/token", "-f", "external_user_id="],
    ] {
        let mut command = sandbox.command(&[arguments, &["--curl"]].concat());
        command.env("ORDERSYNC_CLIENT_SECRET", secret);
        let ours = Run::of(command);
        let line = ours.err.lines().find(|line| line.starts_with("curl ")).expect("a curl command");
        assert!(!ours.err.contains(&sandbox.token) && !ours.err.contains(secret), "{}", ours.err);
        let theirs = in_a_shell(line, &variables).ends(0);
        match ours.code {
            0 => assert_eq!(ours.out.trim_end(), theirs.out.trim_end(), "{line}"),
            _ => {
                let message = theirs.json()["message"].as_str().map(str::to_owned).expect("a message");
                assert!(ours.err.contains(&message), "{line}: {} {}", ours.err, theirs.out);
            }
        }
    }
}

#[test]
fn on_the_local_profile_the_curl_command_is_said_to_come_too_late() {
    let home = Home::new();
    let run = home.run(&["retailers", "--curl", "-q"]).ends(0);
    run.says("# The service inside this command ends with it").says("curl -sS http://127.0.0.1:");
}

#[tokio::test]
async fn each_request_is_a_line_with_v() {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_json(json!([])).insert_header("x-request-id", "req_7");
    Mock::given(method("GET")).respond_with(answer).mount(&server).await;
    let trace = run(&server, &["/sync/orders?limit=1", "-v"], "").ends(0);
    let words: Vec<&str> = trace.err.split_whitespace().collect();
    assert!(matches!(words[..], ["GET", "/sync/orders?limit=1", "200", _, "ms", "req_7"]), "{}", trace.err);
}

#[test]
fn the_local_service_answers_too_and_errors_end_as_everywhere() {
    let home = Home::new();
    let catalog = home.run(&["api", "GET", "/sync/retailers"]).ends(0).json();
    assert!(catalog.as_array().is_some_and(|catalog| catalog.len() > 10));
    home.run(&["api", "GET", "/sync/connections/conn_x"]).ends(5).says("request id: ");
    home.run(&["api", "GET", "/sync/orders", "-f", "limit=0"]).ends(1).says("limit");
    home.run(&["api", "GET", "/sync/orders", "-f", "limit"]).ends(2).says("KEY=VALUE");
}
