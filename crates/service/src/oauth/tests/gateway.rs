//! The gateway for one-time passwords, from the gateway's point of view.

use std::sync::Arc;

use hmac::{Hmac, Mac};
use secrecy::SecretString;
use serde_json::Value;
use sha2::Sha256;
use wiremock::{Mock, MockServer, ResponseTemplate, matchers};

use super::world::World;
use crate::clock::SystemClock;
use crate::delivery::{Gateway, OtpDelivery};
use crate::environment::Environment;
use crate::http::Problem;
use crate::signin::otp;
use crate::traces;

const KEY: &str = "shared with the gateway";

fn gateway(url: &str, key: &str) -> Result<Gateway, crate::delivery::BadGateway> {
    Gateway::new(url, SecretString::from(key), Arc::new(SystemClock::default()))
}

async fn answering(status: u16, times: u64) -> MockServer {
    let server = MockServer::start().await;
    let answer = Mock::given(matchers::method("POST")).respond_with(ResponseTemplate::new(status));
    answer.up_to_n_times(times).mount(&server).await;
    Mock::given(matchers::any()).respond_with(ResponseTemplate::new(204)).mount(&server).await;
    server
}

#[tokio::test]
async fn the_gateway_is_sent_signed_json_and_again_where_it_fails_in_passing() {
    let server = answering(503, 1).await;
    let delivery = gateway(&server.uri(), KEY).unwrap();
    delivery.send("+14155550123", &"123456".into()).await.unwrap();
    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 2);
    let body: Value = requests[0].body_json().unwrap();
    assert_eq!((&body["phone"], &body["code"]), (&"+14155550123".into(), &"123456".into()));
    for request in &requests {
        let header = |name: &str| request.headers[name].to_str().unwrap();
        assert_eq!(header("idempotency-key"), body["id"].as_str().unwrap(), "the same password, once more");
        let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(KEY.as_bytes()).unwrap();
        mac.update(header("x-ordersync-timestamp").as_bytes());
        mac.update(b".");
        mac.update(&request.body);
        let expected: String = mac.finalize().into_bytes().iter().map(|octet| format!("{octet:02x}")).collect();
        assert_eq!(header("x-ordersync-signature"), format!("v1={expected}"));
    }
}

#[tokio::test]
async fn the_gateway_gets_the_trace_of_the_request() {
    let server = answering(503, 1).await;
    let delivery = gateway(&server.uri(), KEY).unwrap();
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let code = "123456".into();
    traces::within(trace.parse().ok(), delivery.send("+14155550123", &code)).await.unwrap();
    delivery.send("+14155550123", &code).await.unwrap();
    let requests = server.received_requests().await.unwrap();
    let traces: Vec<_> = requests.iter().map(|request| request.headers.get("traceparent")).collect();
    assert_eq!(traces.len(), 3);
    assert!(traces[..2].iter().all(|given| given.unwrap() == trace) && traces[2].is_none(), "{traces:?}");
}

#[tokio::test]
async fn a_refusal_of_the_gateway_is_final_and_a_failure_that_lasts_is_reported() {
    let server = answering(400, 9).await;
    let why = gateway(&server.uri(), KEY).unwrap().send("+14155550123", &"123456".into()).await.unwrap_err();
    assert!(why.contains("400") && !why.contains("123456") && !why.contains("5550123"), "{why}");
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
    let server = answering(500, 9).await;
    let delivery = Arc::new(gateway(&server.uri(), KEY).unwrap());
    let world = World::with(|app| {
        app.environment = Environment::Live;
        app.otp_delivery = delivery;
    });
    let world = world.await;
    let asker = otp::Asker { address: "192.0.2.1", browser: "b", remembered: None };
    let problem = Problem::from(otp::send(&world.app.sign_in(), "+14155550123", &asker).await.unwrap_err());
    assert_eq!(problem.code(), ordersync_api::ErrorCode::Unavailable);
    assert_eq!(server.received_requests().await.unwrap().len(), 3);
}

#[test]
fn passwords_go_to_no_gateway_in_clear_text_or_with_a_key_that_can_be_guessed() {
    for url in ["http://gateway.example/", "ftp://gateway.example", "gateway.example", "http://localhost/"] {
        assert!(gateway(url, KEY).is_err(), "{url}");
    }
    assert!(gateway("https://gateway.example/sms", KEY).is_ok());
    assert!(gateway("https://gateway.example/sms", "short").is_err());
}
