//! Sandbox and live service: what each needs to start, and that neither serves the other's store.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use ordersync_service::SystemClock;
use ordersync_service::config::{OtpDeliveryConfig, TlsFiles};
use ordersync_service::{Service, StartError};
use tempfile::TempDir;

use crate::harness::{Node, World, config, make_schema};

async fn start_live(store: &Path) -> Result<Service, StartError> {
    make_schema(store).await;
    let mut config = config(store);
    config.sandbox = None;
    config.public_url = Some("https://orders.example".into());
    config.behind_proxy = true;
    config.otp_delivery = Some(OtpDeliveryConfig::Log);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    Service::start(config, Arc::new(SystemClock::default()), listener).await
}

#[tokio::test]
async fn a_store_serves_the_environment_that_it_was_made_for() {
    let store = TempDir::new().unwrap();
    let sandbox = Node::on(store.path(), |_| ()).await;
    sandbox.stop().await;
    let refused = start_live(store.path()).await.err().unwrap();
    assert!(matches!(refused, StartError::Environment { claimed, .. } if claimed == "sandbox"));
}

#[tokio::test]
async fn a_live_service_has_no_simulated_retailers_and_no_controls() {
    let store = TempDir::new().unwrap();
    let live = start_live(store.path()).await.unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let base = format!("http://{}", live.address());
    let catalog = http.get(format!("{base}/sync/retailers")).send().await.unwrap();
    assert!(catalog.headers().contains_key("strict-transport-security"));
    assert_eq!(catalog.text().await.unwrap(), "[]");
    let control = http.post(format!("{base}/sandbox/token")).json(&serde_json::json!({})).send().await.unwrap();
    assert_eq!(control.status(), 404);
    live.stop().await;
}

#[tokio::test]
async fn a_service_with_a_certificate_is_reached_by_those_who_trust_it() {
    let world_files = TempDir::new().unwrap();
    let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files =
        TlsFiles { certificate: world_files.path().join("certificate.pem"), key: world_files.path().join("key.pem") };
    std::fs::write(&files.certificate, pair.cert.pem()).unwrap();
    std::fs::write(&files.key, pair.signing_key.serialize_pem()).unwrap();
    std::fs::set_permissions(&files.key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let world = World::with(|config| config.tls = Some(files.clone())).await;
    let port = world.node.base.rsplit(':').next().unwrap().to_owned();
    let url = format!("https://localhost:{port}/sync/retailers");
    let trusting = reqwest::Certificate::from_pem(pair.cert.pem().as_bytes()).unwrap();
    let client = |certificates: Vec<reqwest::Certificate>| {
        reqwest::Client::builder().no_proxy().tls_certs_only(certificates).build().unwrap()
    };
    assert_eq!(client(vec![trusting]).get(&url).send().await.unwrap().status(), 200);
    assert!(client(vec![]).get(&url).send().await.is_err());
}

/// How a service with that limit answers requests of these addresses, one after the other.
async fn answers(behind_proxy: bool, limit: u32, addresses: &[&str]) -> Vec<u16> {
    let world = World::with(|config| {
        config.behind_proxy = behind_proxy;
        config.rate_limit = std::num::NonZeroU32::new(limit).map(Into::into);
    })
    .await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut answers = Vec::new();
    for address in addresses {
        let request = http.get(format!("{}/sync/retailers", world.node.base)).header("X-Forwarded-For", *address);
        answers.push(request.send().await.unwrap().status().as_u16());
    }
    answers
}

#[tokio::test]
async fn the_addresses_of_one_ipv6_network_count_together() {
    let addresses = ["2001:db8:1:1::1", "2001:db8:1:1:ffff::2", "2001:db8:1:1::3", "2001:db8:1:2::3"];
    assert_eq!(answers(true, 2, &addresses).await, [200, 200, 429, 200]);
}

#[tokio::test]
async fn a_declared_proxy_says_who_calls_and_nobody_else_does() {
    let addresses = ["192.0.2.9, 192.0.2.1", "192.0.2.8, 192.0.2.1", "192.0.2.1, 192.0.2.2"];
    for (behind_proxy, last) in [(true, 200), (false, 429)] {
        assert_eq!(answers(behind_proxy, 1, &addresses).await, [200, 429, last]);
    }
}
