//! Peers that misbehave on purpose: redirects, limits, cut connections, lists that shift.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use wiremock::matchers::{body_json, method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::{Home, Run};
use crate::env;

async fn run(server: &MockServer, arguments: &[&str]) -> Run {
    run_at(&server.uri(), arguments).await
}

async fn run_at(address: &str, arguments: &[&str]) -> Run {
    let address = address.to_owned();
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    // A command has a runtime of its own.
    let running = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Home::new().run_with(&[(&env::BASE_URL, &address), (&env::TOKEN, "tok_canary")], &arguments)
    });
    running.await.expect("it runs")
}

async fn answering(status: u16, fill: impl FnOnce(ResponseTemplate) -> ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    let response = fill(ResponseTemplate::new(status).insert_header("x-request-id", "req_1"));
    Mock::given(method("GET")).respond_with(response).mount(&server).await;
    server
}

/// Refuses the first requests, then answers.
struct AfterFailures {
    failures: usize,
    failure: ResponseTemplate,
    answer: ResponseTemplate,
    seen: AtomicUsize,
}

impl AfterFailures {
    fn new(failures: usize, failure: ResponseTemplate, answer: Value) -> Self {
        let answer = ResponseTemplate::new(200).set_body_json(answer);
        Self { failures, failure, answer, seen: AtomicUsize::new(0) }
    }
}

impl Respond for AfterFailures {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let is_failure = self.seen.fetch_add(1, Ordering::SeqCst) < self.failures;
        if is_failure { self.failure.clone() } else { self.answer.clone() }
    }
}

#[tokio::test]
async fn a_web_page_in_place_of_an_answer_is_told() {
    let server = answering(200, |answer| answer.set_body_raw("<html>Sign in to the hotel</html>", "text/html")).await;
    let run = run(&server, &["connections"]).await.ends(3);
    run.says("GET /sync/connections").says("it is a web page").says("request id: req_1");
}

#[tokio::test]
async fn an_answer_that_is_packed_or_marked_is_named_as_such() {
    // What a server sends that compresses whatever was asked for, and one that marks its text.
    for (body, said) in [
        (&[0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3][..], "it is compressed with gzip, which was not requested"),
        (b"\xef\xbb\xbf[]", "it begins with a byte order mark"),
    ] {
        let server = answering(200, |answer| answer.set_body_raw(body, "application/json")).await;
        for arguments in [&["connections"][..], &["orders", "list"], &["orders", "export"]] {
            run(&server, arguments).await.ends(1).says(said);
        }
    }
}

#[tokio::test]
async fn every_status_has_its_exit_code_and_the_request_id() {
    for (status, body, code) in [
        (401, json!({"error": "invalid_token"}), 4),
        (403, json!({"code": "INSUFFICIENT_SCOPE", "message": "orders:read is missing"}), 4),
        (403, json!({"code": "CONNECTION_NOT_SHARED", "message": "Not shared with this client"}), 1),
        (404, json!({"code": "NOT_FOUND", "message": "No such connection"}), 5),
        (500, json!("it broke"), 1),
        (302, json!(null), 1),
    ] {
        let server = answering(status, |answer| answer.set_body_json(&body)).await;
        run(&server, &["connections", "get", "conn_1"]).await.ends(code).says("request id: req_1");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_token_stays() {
    let elsewhere = answering(200, |answer| answer.set_body_json(json!([]))).await;
    let address = format!("{}/sync/connections", elsewhere.uri());
    let server = answering(307, |answer| answer.insert_header("location", address.as_str())).await;
    run(&server, &["connections"]).await.ends(1).says("redirect to").says(&elsewhere.uri());
    assert_eq!(elsewhere.received_requests().await.map(|requests| requests.len()), Some(0));
}

#[tokio::test]
async fn a_rate_limit_is_waited_out_and_told() {
    let server = MockServer::start().await;
    let body = json!({"code": "TOO_MANY_REQUESTS", "message": "Too many"});
    let limit = ResponseTemplate::new(429).insert_header("retry-after", "1").set_body_json(body);
    Mock::given(path("/sync/connections")).respond_with(AfterFailures::new(1, limit, json!([]))).mount(&server).await;
    let started = Instant::now();
    run(&server, &["connections"]).await.ends(0).says("Rate limited: resuming in 1 s.");
    assert!(started.elapsed().as_millis() >= 1000);
}

#[tokio::test]
async fn a_rate_limit_that_names_no_time_is_not_hammered() {
    let server = MockServer::start().await;
    let limit = ResponseTemplate::new(429).insert_header("retry-after", "0");
    Mock::given(path("/sync/connections")).respond_with(AfterFailures::new(2, limit, json!([]))).mount(&server).await;
    let started = Instant::now();
    run(&server, &["connections"]).await.ends(0).says("resuming in 1 s.");
    assert!(started.elapsed().as_millis() >= 2000);
}

#[tokio::test]
async fn a_rate_limit_that_outlasts_the_time_to_wait_ends_with_6() {
    let server = answering(429, |answer| answer.insert_header("retry-after", "40")).await;
    run(&server, &["connections", "--timeout", "30s"]).await.ends(6).says("--timeout");
}

#[tokio::test]
async fn a_clock_that_is_far_from_the_services_is_told_where_a_token_is_refused() {
    let date = "Sat, 01 Jan 2022 10:00:00 GMT";
    let body = json!({"code": "UNAUTHORIZED", "message": "No such token"});
    let server = answering(401, |answer| answer.insert_header("date", date).set_body_json(&body)).await;
    run(&server, &["connections"]).await.ends(4).says("clock is").says("ahead of the service's");
    let server = answering(401, |answer| answer.set_body_json(&body)).await;
    let run = run(&server, &["connections"]).await.ends(4);
    assert!(!run.err.contains("clock"), "{}", run.err);
}

#[tokio::test]
async fn what_was_refused_before_the_time_was_over_is_what_is_told() {
    let server = MockServer::start().await;
    let body = json!({"code": "UNAVAILABLE", "message": "The store is locked"});
    let refusal = ResponseTemplate::new(503).insert_header("x-request-id", "req_1").set_body_json(body);
    let slow = ResponseTemplate::new(200).set_delay(std::time::Duration::from_secs(20));
    Mock::given(method("GET")).respond_with(refusal).up_to_n_times(1).mount(&server).await;
    Mock::given(method("GET")).respond_with(slow).mount(&server).await;
    run(&server, &["connections", "--timeout", "2s"]).await.ends(3).says("The store is locked.").says("req_1");
}

#[tokio::test]
async fn a_post_is_repeated_with_the_same_key_if_the_service_honours_keys() {
    for (honours_keys, ends, posts) in [(true, 0, 3), (false, 3, 1)] {
        let server = MockServer::start().await;
        let answer = json!({"batchId": "b1", "status": "syncing"});
        let failure = match honours_keys {
            true => ResponseTemplate::new(503).insert_header("idempotency-key-supported", "true"),
            false => ResponseTemplate::new(503),
        };
        let failing = AfterFailures::new(2, failure, answer);
        Mock::given(method("POST")).and(path("/sync/connections/sync")).respond_with(failing).mount(&server).await;
        let connections = ResponseTemplate::new(200).set_body_json(json!([]));
        Mock::given(method("GET")).and(path("/sync/connections")).respond_with(connections).mount(&server).await;
        run(&server, &["sync", "--no-wait"]).await.ends(ends);
        let requests = server.received_requests().await.expect("requests");
        let keys: Vec<_> = requests
            .iter()
            .filter(|request| request.method == "POST")
            .map(|request| request.headers.get("idempotency-key").cloned())
            .collect();
        assert_eq!(keys.len(), posts);
        assert!(keys[0].is_some() && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    }
}

#[tokio::test]
async fn nobody_there_ends_with_3() {
    run_at("http://127.0.0.1:1", &["connections"])
        .await
        .ends(3)
        .says("cannot be reached")
        .says("ordersync serve --sandbox");
}

#[test]
fn an_answer_that_is_cut_is_asked_for_again_then_told() {
    use std::io::{Read as _, Write as _};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("port");
    let address = format!("http://{}", listener.local_addr().expect("address"));
    let seen = std::sync::Arc::new(AtomicUsize::new(0));
    let counter = std::sync::Arc::clone(&seen);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            counter.fetch_add(1, Ordering::SeqCst);
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n[{\"retailerId\":");
        }
    });
    let home = Home::new();
    home.run(&["retailers", "--base-url", &address]).ends(3).says("GET /sync/retailers");
    assert_eq!(seen.load(Ordering::SeqCst), 5);
}

#[test]
fn an_address_without_a_token_ends_with_4() {
    let home = Home::new();
    home.run(&["connections", "--base-url", "https://a.test"]).ends(4).says("ORDERSYNC_TOKEN");
    home.run(&["connections", "--base-url", "http://a.test"]).ends(2).says("is not https");
}

#[test]
fn a_profile_of_the_configuration_names_address_and_paths() {
    let home = Home::new();
    let config = home.path("config");
    std::fs::create_dir(&config).expect("folder");
    let write = |text: &str| std::fs::write(config.join("config.toml"), text).expect("write");
    write("[profiles.shop]\nbase_url = \"http://127.0.0.1:1\"\nendpoints = { connections_list = \"/v2/links\" }\n");
    home.run_with(&[(&env::TOKEN, "t")], &["connections", "--profile", "shop", "--timeout", "1s"])
        .ends(3)
        .says("http://127.0.0.1:1/")
        .says("GET /v2/links");
    write("[profiles.shop]\nbase_url = \"http://127.0.0.1:1\"\nendpoints = { retailers_list = \"/v2/r\" }\n");
    home.run(&["retailers", "--profile", "shop"]).ends(2).says("fixed by the specification");
    write("profle = 3\n");
    home.run(&["retailers"]).ends(2).says("config.toml").says("profle");
}

#[tokio::test]
async fn lists_are_read_in_every_wrapping_and_unknown_words_are_shown() {
    let connection = json!({"connectionId": 7, "retailerId": 3, "status": "resting", "colour": "blue"});
    for body in [json!([connection]), json!({"data": [connection]}), json!({"connections": [connection], "n": 1})] {
        let server = answering(200, |answer| answer.set_body_json(&body)).await;
        run(&server, &["connections"]).await.ends(0).prints("resting");
    }
}

#[tokio::test]
async fn the_trace_shows_no_secret() {
    let text = json!({"headers": {"Set-Cookie": "canary", "authorization": "canary"}, "code": "canary"}).to_string();
    let rows = json!([{"otpValue": "canary"}, {"log": text}, {"error": {"code": "TIMED_OUT"}}]);
    let body = json!({"token": "canary", "access_token": "canary", "code": "canary", "rows": rows});
    let server = answering(200, |answer| answer.set_body_json(body)).await;
    let run = run(&server, &["connections", "get", "c1", "-vv"]).await;
    assert!(run.err.contains("authorization: Bearer [redacted]") && !run.err.contains("canary"), "{}", run.err);
    assert!(run.err.contains("\"code\":\"TIMED_OUT\""), "{}", run.err);
    for shows in ["-vv", "--curl"] {
        let field = format!("text={text}");
        let run = run_at(&server.uri(), &["api", "POST", "/x", "-f", "code=canary", "-f", &field, shows]).await;
        assert!(run.err.matches("[redacted]").count() >= 4 && !run.err.contains("canary"), "{}", run.err);
    }
}

#[tokio::test]
async fn text_from_outside_cannot_drive_the_terminal() {
    let name = "Shop\u{1b}[2J\u{7}";
    let server = answering(200, |answer| answer.set_body_json(json!([{"retailerId": 1, "displayName": name}]))).await;
    let run = run(&server, &["retailers"]).await.ends(0);
    assert!(run.out.contains("Shop[2J") && !run.out.contains('\u{1b}'), "{:?}", run.out);
}

#[tokio::test]
async fn an_export_that_fails_leaves_the_file_as_it_was() {
    let server = answering(500, |answer| answer).await;
    let home = Home::new();
    let out = home.path("orders.csv");
    std::fs::write(&out, "before").expect("write");
    run(&server, &["orders", "export", "--out", out.to_str().expect("text")]).await.ends(1);
    assert_eq!(std::fs::read_to_string(&out).expect("file"), "before");
    assert_eq!(std::fs::read_dir(home.path("")).expect("folder").count(), 1);
}

#[tokio::test]
async fn a_clock_move_waits_until_the_service_says_that_all_is_done() {
    let server = MockServer::start().await;
    let answer = |settled: bool| {
        ResponseTemplate::new(200)
            .set_body_json(json!({"now": "2026-01-01T00:05:00Z", "frozen": false, "settled": settled}))
    };
    let asked = |seconds: u32| Mock::given(path("/sandbox/clock")).and(body_json(json!({ "advanceSeconds": seconds })));
    asked(300).respond_with(answer(false)).expect(1).mount(&server).await;
    asked(0).respond_with(answer(false)).up_to_n_times(1).expect(1).mount(&server).await;
    asked(0).respond_with(answer(true)).expect(1).mount(&server).await;
    run(&server, &["sandbox", "clock", "--advance", "300"]).await.ends(0).prints("2026-01-01T00:05:00Z");
}
