//! Signing in on another device: this one shows a code and an address, and polls until the code was entered (RFC 8628).

use std::time::{Duration, Instant};

use oauth2::{DeviceAuthorizationUrl, StandardDeviceAuthorizationResponse};

use super::metadata;
use super::oauth::{Carrier, Server, failed, list};
use super::stored_token::{GrantType, StoredToken};
use crate::errors::{Error, Hint, Result, codes};

/// What is shown to the user.
#[derive(Debug)]
pub(crate) struct Instructions<'a> {
    /// The page to open.
    pub address: &'a str,
    /// The code to enter there.
    pub code: &'a str,
    /// The page with the code already filled in.
    pub address_with_code: Option<&'a str>,
    /// How long the code is valid.
    pub time: Duration,
}

/// Signs in. `show` tells the user what to do, `sleep` waits between two polls.
pub(crate) async fn sign_in<S: Future<Output = ()> + Send>(
    server: &Server,
    scopes: Option<&str>,
    show: impl FnOnce(&Instructions<'_>),
    sleep: impl Fn(Duration) -> S + Send + Sync,
) -> Result<StoredToken> {
    let Some(endpoint) = &server.metadata.device_authorization_endpoint else {
        return Err(metadata::unknown("The authorization server does not let other devices sign in."));
    };
    let carrier = Carrier::new(&server.http, &server.base);
    let client = server.client().set_device_authorization_url(DeviceAuthorizationUrl::from_url(endpoint.clone()));
    let request = client.exchange_device_code().add_scopes(list(scopes));
    let details: StandardDeviceAuthorizationResponse = request.request_async(&carrier).await.map_err(failed)?;
    show(&Instructions {
        address: details.verification_uri().as_str(),
        code: details.user_code().secret(),
        address_with_code: details.verification_uri_complete().map(|address| address.secret().as_str()),
        time: details.expires_in(),
    });
    let asking = client.exchange_device_access_token(&details).request_async(&carrier, &sleep, None);
    let give_up = server.http.deadline().unwrap_or_else(|| Instant::now() + details.expires_in());
    let response = tokio::time::timeout_at(give_up.into(), asking).await.map_err(|_| late())?.map_err(failed)?;
    Ok(server.record(GrantType::Device, &response, scopes))
}

fn late() -> Error {
    Error::of(&codes::command::SIGN_IN_TIMEOUT, "Nobody entered the code in time.")
        .hint(Hint::run("Start again", "ordersync auth login --device"))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use clap::Parser as _;
    use serde_json::{Value, json};
    use url::Url;
    use wiremock::matchers::path;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;
    use crate::auth::oauth::Identity;
    use crate::client::http::Http;
    use crate::output::Output;
    use crate::policy::Facts;

    async fn server(answers: Vec<ResponseTemplate>) -> (MockServer, Server) {
        // Another test in this process may have installed it first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mock = MockServer::start().await;
        let base = mock.uri();
        let metadata = json!({
            "issuer": base, "token_endpoint": format!("{base}/token"),
            "device_authorization_endpoint": format!("{base}/device"),
        });
        let device = json!({
            "device_code": "d", "user_code": "U", "verification_uri": format!("{base}/x"), "expires_in": 600, "interval": 5,
        });
        let json = |body: &Value| ResponseTemplate::new(200).set_body_json(body);
        let at = "/.well-known/oauth-authorization-server";
        Mock::given(path(at)).respond_with(json(&metadata)).mount(&mock).await;
        Mock::given(path("/device")).respond_with(json(&device)).mount(&mock).await;
        for answer in answers {
            Mock::given(path("/token")).respond_with(answer).up_to_n_times(1).mount(&mock).await;
        }
        let base = Url::parse(&base).expect("url");
        let flags = crate::cli::Cli::parse_from(["ordersync", "--quiet", "retailers"]).global;
        let output = Output::new(&flags, &crate::env::Environment::default(), Facts::default());
        let http = Http::new(&base, output, None, None).expect("client");
        let identity = Identity { client_id: "c".into(), client_secret: None };
        let server = Server::discover(Arc::new(http), &base, identity).await.expect("metadata");
        (mock, server)
    }

    #[tokio::test]
    async fn questions_come_as_slowly_as_the_server_wants() {
        let refusal = |error: &str| ResponseTemplate::new(400).set_body_json(json!({ "error": error }));
        let token = json!({ "access_token": "at", "token_type": "Bearer", "expires_in": 3600 });
        let (_mock, server) = server(vec![
            refusal("authorization_pending"),
            refusal("slow_down"),
            refusal("authorization_pending"),
            refusal("slow_down"),
            ResponseTemplate::new(500),
            ResponseTemplate::new(200).set_body_json(token),
        ])
        .await;
        let waits = Mutex::new(Vec::new());
        let sleep = |wait: Duration| {
            waits.lock().expect("lock").push(wait.as_secs());
            std::future::ready(())
        };
        let record = sign_in(&server, Some("orders:read"), |_| {}, sleep).await.expect("signed in");
        assert_eq!((record.way, record.scopes.as_deref()), (GrantType::Device, Some("orders:read")));
        // RFC 8628 §3.5: each slow_down adds five seconds; an unusable answer makes the wait longer too.
        let waits = waits.into_inner().expect("lock");
        assert_eq!(waits[..4], [5, 10, 10, 15]);
        assert_eq!(waits.len(), 5);
    }
}
