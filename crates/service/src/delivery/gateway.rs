//! One-time passwords sent through an operator's own gateway, which knows how to reach a phone.
//!
//! Each is a signed POST of JSON: the gateway can verify that it comes from this service and is not a replay of an old
//! one.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hmac::{Hmac, Mac};
use ordersync_api::hex;
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sha2::Sha256;
use url::Url;

use super::OtpDelivery;
use crate::clock::Clock;
use crate::ids::new_id;
use crate::own_hosts::{is_loopback_address, is_protected};
use crate::traces;

/// How long one attempt may take.
const ATTEMPT_TIME: Duration = Duration::from_secs(5);
/// The wait before each further attempt. All attempts and waits fit into the time that a request may take.
const WAITS: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(1)];
/// The shortest key.
const KEY_LENGTH: usize = 16;

/// Hands passwords to a gateway over HTTP.
pub(crate) struct Gateway {
    url: Url,
    key: SecretString,
    http: reqwest::Client,
    clock: Arc<dyn Clock>,
}

/// Why a gateway cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadGateway {
    /// Its address would send passwords in clear text.
    #[error("the address of the gateway for one-time passwords has to be https (http on a loopback address alone)")]
    Address,
    /// Its key could be guessed.
    #[error("the key of the gateway for one-time passwords has to have at least {KEY_LENGTH} characters")]
    Key,
    /// The HTTP client cannot be set up.
    #[error("the HTTP client for the gateway cannot be set up: {0}")]
    Client(String),
}

/// Why one attempt failed, and whether another may help.
struct Failed {
    why: String,
    passing: bool,
}

impl Gateway {
    /// A gateway at that address, with the key that it shares with this service.
    /// Fails if the address or the key is not safe.
    pub(crate) fn new(url: &str, key: SecretString, clock: Arc<dyn Clock>) -> Result<Self, BadGateway> {
        let url = Url::parse(url).map_err(|_| BadGateway::Address)?;
        if !is_protected(&url) {
            return Err(BadGateway::Address);
        }
        if key.expose_secret().len() < KEY_LENGTH {
            return Err(BadGateway::Key);
        }
        // A second call changes nothing.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let mut http = reqwest::Client::builder()
            .user_agent(concat!("ordersync/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .timeout(ATTEMPT_TIME);
        if is_loopback_address(&url) {
            // A proxy from the environment would receive the numbers and passwords in clear text.
            http = http.no_proxy();
        }
        let http = http.build().map_err(|why| BadGateway::Client(why.to_string()))?;
        Ok(Self { url, key, http, clock })
    }

    async fn attempt(&self, id: &str, body: &str) -> Result<(), Failed> {
        let timestamp = self.clock.now().timestamp().to_string();
        let request = self
            .http
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("Idempotency-Key", id)
            .header("X-Ordersync-Timestamp", &timestamp)
            .header("X-Ordersync-Signature", signature(&self.key, &timestamp, body))
            .body(body.to_owned());
        let request = traces::header().into_iter().fold(request, |request, (name, value)| request.header(name, value));
        // The address may contain a secret of the gateway, and stays out of the log.
        let answer =
            request.send().await.map_err(|why| Failed { why: why.without_url().to_string(), passing: true })?;
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let passing =
            status.is_server_error() || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT);
        Err(Failed { why: format!("the gateway answered {status}"), passing })
    }
}

#[async_trait]
impl OtpDelivery for Gateway {
    async fn send(&self, phone: &str, code: &SecretString) -> Result<(), String> {
        let id = new_id("otp").map_err(|error| error.to_string())?;
        let body = json!({ "id": id, "phone": phone, "code": code.expose_secret() }).to_string();
        let mut waits = WAITS.iter();
        loop {
            match (self.attempt(&id, &body).await, waits.next()) {
                (Ok(()), _) => return Ok(()),
                (Err(Failed { passing: true, .. }), Some(wait)) => tokio::time::sleep(*wait).await,
                (Err(failed), _) => return Err(failed.why),
            }
        }
    }
}

/// `v1=` and HMAC-SHA-256, in hexadecimal, over the timestamp (seconds since 1970), a dot, and the body.
fn signature(key: &SecretString, timestamp: &str, body: &str) -> String {
    #[allow(clippy::expect_used, reason = "HMAC takes keys of any length (RFC 2104 §2)")]
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key.expose_secret().as_bytes())
        .expect("HMAC takes keys of any length");
    for part in [timestamp, ".", body] {
        mac.update(part.as_bytes());
    }
    format!("v1={}", hex::encode(&mac.finalize().into_bytes()))
}
