use address::Reach;
use chrono::DateTime;
use ordersync_api::SyncErrorCode as Code;
use std::time::Duration;
use url::Url;
use wiremock::matchers::{any, body_string, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};
use zeroize::Zeroizing;

use super::visitor::PATIENCE;
use super::*;

const VISITOR: Visitor<'static> =
    Visitor { key: "c-1", now: DateTime::UNIX_EPOCH, patience: PATIENCE, shared_queue: None };

fn policy(base: &str) -> EgressPolicy {
    EgressPolicy {
        allow_private_network: true,
        min_interval: Duration::ZERO,
        ..EgressPolicy::new(base.parse().unwrap())
    }
}

fn at(server: &MockServer, path: &str) -> Url {
    Url::parse(&server.uri()).unwrap().join(path).unwrap()
}

async fn get(egress: &Egress, url: Url) -> Result<Response, ConnectorError> {
    egress.send(Request::get(url), &mut CookieJar::default(), VISITOR).await
}

async fn answering(response: ResponseTemplate) -> (MockServer, Result<Response, ConnectorError>) {
    answering_within(Duration::from_secs(300), response).await
}

async fn answering_within(
    request_timeout: Duration,
    response: ResponseTemplate,
) -> (MockServer, Result<Response, ConnectorError>) {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(response).mount(&server).await;
    let egress =
        Egress::new(EgressPolicy { max_response_bytes: 1000, request_timeout, ..policy(&server.uri()) }).unwrap();
    let result = get(&egress, at(&server, "/")).await;
    (server, result)
}

async fn code_of(response: ResponseTemplate) -> (Code, bool) {
    code_and_transience(answering(response).await.1)
}

fn code_and_transience(result: Result<Response, ConnectorError>) -> (Code, bool) {
    let error = result.unwrap_err();
    (error.code, error.transient)
}

#[tokio::test]
async fn another_origin_is_refused_before_a_connection_is_made() {
    let (here, elsewhere) = (MockServer::start().await, MockServer::start().await);
    let egress = Egress::new(policy(&here.uri())).unwrap();
    let error = get(&egress, at(&elsewhere, "/")).await.unwrap_err();
    assert_eq!((error.code, error.transient), (Code::EgressRefused, false));
    assert_eq!(elsewhere.received_requests().await.unwrap().len(), 0);
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_refused() {
    let elsewhere = MockServer::start().await;
    for target in [elsewhere.uri(), "//169.254.169.254/".to_owned(), "https://shop.example/".to_owned()] {
        let response = ResponseTemplate::new(302).insert_header("location", target.as_str());
        assert_eq!(code_of(response).await, (Code::EgressRefused, false), "{target}");
    }
    assert_eq!(elsewhere.received_requests().await.unwrap().len(), 0);
}

#[tokio::test]
async fn redirects_are_followed_with_their_cookies_and_a_posted_form_becomes_a_get() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/in"))
        .and(body_string("a=1"))
        .and(header("referer", at(&server, "/form").as_str()))
        .respond_with(
            ResponseTemplate::new(302)
                .append_header("location", "/out")
                .append_header("set-cookie", "s=1; Path=/; HttpOnly")
                .append_header("set-cookie", "t=2; Path=/"),
        )
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(method("GET"))
        .and(path("/out"))
        .and(header("cookie", "s=1; t=2"))
        .respond_with(ResponseTemplate::new(200).set_body_string("done"))
        .expect(1)
        .mount(&server)
        .await;
    let egress = Egress::new(policy(&server.uri())).unwrap();
    let (mut jar, page) = (CookieJar::default(), at(&server, "/form"));
    let request = Request {
        referer: Some(&page),
        body: Some(Body::Form(Zeroizing::new("a=1".to_owned()))),
        ..Request::get(at(&server, "/in"))
    };
    let response = egress.send(request, &mut jar, VISITOR).await.unwrap();
    assert_eq!((response.status, response.body.as_str(), response.url.path()), (200, "done", "/out"));
    assert!(!jar.is_empty());
}

#[tokio::test]
async fn a_circle_of_redirects_comes_to_an_end() {
    let (server, result) = answering(ResponseTemplate::new(302).insert_header("location", "/again")).await;
    assert_eq!(result.unwrap_err().code, Code::RetailerChanged);
    assert_eq!(server.received_requests().await.unwrap().len(), MAX_REDIRECTS + 1);
}

#[tokio::test]
async fn what_a_retailer_may_do_wrong_has_an_error_each() {
    let changed = (Code::RetailerChanged, false);
    assert_eq!(code_of(ResponseTemplate::new(200).set_body_string("x".repeat(1001))).await, changed);
    assert_eq!(code_of(ResponseTemplate::new(200).set_body_bytes([0xff, 0xfe])).await, changed);
    assert_eq!(code_of(ResponseTemplate::new(302)).await, changed);
    for status in [500, 502, 503, 504] {
        assert_eq!(code_of(ResponseTemplate::new(status)).await, (Code::RetailerUnavailable, true));
    }
    assert_eq!(code_of(ResponseTemplate::new(429)).await, (Code::RetailerRateLimited, true));
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(600));
    let (_server, result) = answering_within(Duration::from_millis(500), slow).await;
    assert_eq!(code_and_transience(result), (Code::RetailerTimeout, true));
    let (_server, result) = answering(ResponseTemplate::new(404).set_body_string("x".repeat(1000))).await;
    assert_eq!(result.unwrap().status, 404, "what the status means is the connector's to say");
}

#[tokio::test]
async fn a_body_of_unknown_length_is_cut_off_at_the_limit() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await;
        while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
    });
    let egress = Egress::new(EgressPolicy { max_response_bytes: 100_000, ..policy(&base) }).unwrap();
    let error = get(&egress, base.parse().unwrap()).await.unwrap_err();
    assert_eq!(error.code, Code::RetailerChanged);
    server.await.unwrap();
}

#[tokio::test]
async fn a_dead_retailer_is_unavailable() {
    let base = "http://127.0.0.1:1";
    let error = get(&Egress::new(policy(base)).unwrap(), base.parse().unwrap()).await.unwrap_err();
    assert_eq!((error.code, error.transient), (Code::RetailerUnavailable, true));
}

#[tokio::test]
async fn the_wait_that_a_retailer_asks_for_is_passed_on() {
    for (retry_after, date, wait) in [
        ("7", "Thu, 01 Jan 1970 00:00:00 GMT", 7),
        ("Sat, 21 Nov 2026 08:00:30 GMT", "Sat, 21 Nov 2026 08:00:00 GMT", 30),
        ("Sat, 21 Nov 2026 07:00:00 GMT", "Sat, 21 Nov 2026 08:00:00 GMT", 0),
        ("99999999999", "Sat, 21 Nov 2026 08:00:00 GMT", 24 * 3600),
    ] {
        let response = ResponseTemplate::new(429).insert_header("retry-after", retry_after).insert_header("date", date);
        let (_server, result) = answering(response).await;
        assert_eq!(result.unwrap_err().retry_after, Some(Duration::from_secs(wait)), "{retry_after}");
    }
    let (_server, result) = answering(ResponseTemplate::new(503).insert_header("retry-after", "soon")).await;
    assert_eq!(result.unwrap_err().retry_after, None);
}

#[tokio::test]
async fn a_name_that_leads_to_a_private_address_is_refused_when_it_is_connected_to() {
    // The name's text says nothing, so that only the resolver can refuse it.
    let name: reqwest::dns::Name = "localhost".parse().unwrap();
    let guard = GuardedResolver(Reach::Public);
    let Err(error) = reqwest::dns::Resolve::resolve(&guard, name).await else { panic!("it was resolved") };
    assert!(error.is::<AddressRefused>());

    let server = MockServer::start().await;
    let client = reqwest::Client::builder().no_proxy().dns_resolver(Arc::new(guard)).build();
    let client = client.unwrap_or_else(|error| panic!("{error}"));
    let url = server.uri().replace("127.0.0.1", "localhost");
    let error = client.get(url).send().await.unwrap_err();
    assert_eq!(connection_failure(&error).code, Code::EgressRefused);
    assert_eq!(server.received_requests().await.unwrap().len(), 0);
}

#[test]
fn an_address_that_the_policy_does_not_allow_is_refused_at_once() {
    let bad = |base: &str, allow_private_network| {
        let policy = EgressPolicy { allow_private_network, ..EgressPolicy::new(base.parse().unwrap()) };
        Egress::new(policy).err()
    };
    for private in ["https://127.0.0.1", "https://[::1]", "https://10.1.2.3", "https://localhost", "https://2130706433"]
    {
        assert_eq!(bad(private, false), Some(BadAddress::Private), "{private}");
        assert_eq!(bad(private, true), None, "{private}");
    }
    assert_eq!(bad("http://shop.example", false), Some(BadAddress::ClearText));
    assert_eq!(bad("http://1.1.1.1", true), Some(BadAddress::ClearText));
    assert_eq!(bad("http://shop.lan", true), None, "judged when it is resolved");
    assert_eq!(bad("https://shop.example/store/", false), None);
    assert_eq!(bad("ftp://shop.example", true), Some(BadAddress::Scheme));
    assert_eq!(bad("mailto:shop@example", true), Some(BadAddress::Scheme));
    for odd in
        ["https://u@shop.example", "https://:p@shop.example", "https://shop.example/?q", "https://shop.example/#f"]
    {
        assert_eq!(bad(odd, true), Some(BadAddress::NotPlain), "{odd}");
    }
}

#[tokio::test]
async fn requests_of_all_syncs_of_a_retailer_keep_their_distance() {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(200)).mount(&server).await;
    let hour = Duration::from_secs(3600);
    let paced = |min_interval| Egress::new(EgressPolicy { min_interval, ..policy(&server.uri()) }).unwrap();
    let send = async |egress: &Egress, key, patience| {
        egress
            .send(Request::get(at(&server, "/")), &mut CookieJar::default(), Visitor { key, patience, ..VISITOR })
            .await
    };
    let (min_interval, start) = (Duration::from_millis(100), Instant::now());
    let egress = paced(min_interval);
    let (a, b, c) = futures::join!(send(&egress, "a", hour), send(&egress, "b", hour), send(&egress, "c", hour));
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert!(start.elapsed() >= 2 * min_interval);
    assert!(send(&egress, "d", min_interval).await.is_ok());
    let egress = paced(hour);
    assert!(send(&egress, "a", Duration::ZERO).await.is_ok());
    let error = send(&egress, "b", Duration::ZERO).await.unwrap_err();
    assert!(error.paced && error.transient && error.retry_after.unwrap() <= hour, "{error:?}");
    assert_eq!(server.received_requests().await.unwrap().len(), 5, "no request is sent before its turn");
}

#[tokio::test]
async fn a_redirect_is_not_given_up_for_the_pace() {
    let server = MockServer::start().await;
    Mock::given(path("/a"))
        .respond_with(ResponseTemplate::new(302).insert_header("location", "/b"))
        .mount(&server)
        .await;
    Mock::given(path("/b")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
    let min_interval = Duration::from_millis(100);
    let egress = Egress::new(EgressPolicy { min_interval, ..policy(&server.uri()) }).unwrap();
    let start = Instant::now();
    let visitor = Visitor { patience: Duration::ZERO, ..VISITOR };
    let response = egress.send(Request::get(at(&server, "/a")), &mut CookieJar::default(), visitor).await.unwrap();
    assert_eq!((response.status, response.url.path()), (200, "/b"));
    assert!(start.elapsed() >= min_interval);
}

#[tokio::test]
async fn nobody_asks_a_retailer_before_its_retry_after_is_over() {
    let server = MockServer::start().await;
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "3600");
    Mock::given(any()).respond_with(limited).mount(&server).await;
    let egress = Egress::new(policy(&server.uri())).unwrap();
    for key in ["a", "a", "b"] {
        let visitor = Visitor { key, ..VISITOR };
        let error = egress.send(Request::get(at(&server, "/")), &mut CookieJar::default(), visitor).await.unwrap_err();
        assert_eq!((error.code, error.transient, error.paced), (Code::RetailerRateLimited, true, false));
        let wait = error.retry_after.unwrap();
        assert!(Duration::from_secs(3590) < wait && wait <= Duration::from_secs(3600), "{wait:?}");
    }
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_no_text_is_not_read() {
    for (content_type, body, expected) in [
        ("Text/HTML; charset=utf-8", &b"<p>"[..], "<p>"),
        ("application/json", b"{}", "{}"),
        ("image/png", b"\x89PNG", ""),
        ("text/html; charset=iso-8859-1", b"\xe9", "é"),
        // JSON is UTF-8, unless it cannot be.
        ("application/json; charset=iso-8859-1", b"{\"\xc3\xa9 charset=koi8-r\"}", "{\"é charset=koi8-r\"}"),
        ("application/hal+json; charset=iso-8859-1", b"{\"\xe9\"}", "{\"é\"}"),
    ] {
        let response = ResponseTemplate::new(200).set_body_raw(body, content_type);
        let (_server, result) = answering(response).await;
        let response = result.unwrap();
        assert_eq!(response.body, expected, "{content_type}");
    }
}

#[tokio::test]
async fn a_redirect_to_an_address_of_no_sensible_length_is_refused() {
    let response = ResponseTemplate::new(302).insert_header("location", format!("/{}", "x".repeat(MAX_URL_BYTES)));
    assert_eq!(code_of(response).await, (Code::RetailerChanged, false));
}

#[tokio::test]
async fn no_retailer_gets_a_trace() {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(200).set_body_string("<p>")).mount(&server).await;
    let egress = Egress::new(policy(&server.uri())).unwrap();
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().ok();
    assert!(trace.is_some());
    crate::traces::within(trace, get(&egress, at(&server, "/"))).await.unwrap();
    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1);
    let sent = format!("{:?}", requests[0]);
    assert!(!sent.contains("traceparent") && !sent.contains("4bf92f3577b34da6"), "{sent}");
}
