//! A running service, its clients, and their requests.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use ordersync_api::Scope;
use reqwest::Response;
use secrecy::SecretString;
use serde_json::Value;
use tempfile::TempDir;

use crate::app::App;
use crate::authorization::request::{self as authorization, AuthorizationRequest, Refused};
use crate::catalog::Catalog;
use crate::clock::{Clock, SettableClock};
use crate::config::{OtpPolicy, PARALLEL_SYNCS, PARALLEL_SYNCS_PER_RETAILER};
use crate::delivery;
use crate::environment::Environment;
use crate::http::Server;
use crate::http::fields::Params;
use crate::keys::{Keys, token_digest};
use crate::known_clients::command_line;
use crate::limits::RateLimiter;
use crate::router::router;
use crate::store::Store;
use crate::store::accounts::audit::Operator;
use crate::store::accounts::clients::Client;
use crate::sync::{Engine, EngineSettings};

/// RFC 7636, appendix B.
pub(super) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(super) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// A public client that exists at every service.
pub(super) const PUBLIC: &str = "ordersync-cli";
/// A client with a secret.
pub(super) const CONFIDENTIAL: &str = "shop app";
pub(super) const SECRET: &str = "a secret: with + and %";
pub(super) const REDIRECT: &str = "http://127.0.0.1:4312/callback";
pub(super) const APP_REDIRECT: &str = "https://app.example/back?from=ordersync";
pub(super) const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

pub(super) struct World {
    pub(super) app: Arc<App>,
    pub(super) clock: Arc<SettableClock>,
    pub(super) base: String,
    pub(super) http: reqwest::Client,
    _server: Server,
    _store: TempDir,
}

const SOCKETS: crate::http::SocketLimits = crate::http::SocketLimits { total: 100, per_address: None };

impl World {
    pub(super) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub(super) async fn with(change: impl FnOnce(&mut App)) -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::of_test(&folder.path().join("service.sqlite3")).await;
        Self::over(folder, store, change).await
    }

    async fn over(folder: TempDir, store: Store, change: impl FnOnce(&mut App)) -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let clock = Arc::new(SettableClock::at(DateTime::from_timestamp(1_795_000_000, 0).unwrap()));
        let keys = Arc::new(Keys::from_secret(&SecretString::from(STANDARD.encode([7; 32]))).unwrap());
        let catalog = Arc::new(Catalog::default());
        let shared: Arc<dyn Clock> = clock.clone();
        let metrics = Arc::new(crate::counters::Metrics::new(clock.now()).unwrap());
        let engine = Engine::new(
            store.clone(),
            keys.clone(),
            catalog.clone(),
            shared.clone(),
            Arc::clone(&metrics),
            EngineSettings::new(PARALLEL_SYNCS, PARALLEL_SYNCS_PER_RETAILER),
        );
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let mut app = App {
            store,
            keys,
            catalog,
            clock: shared,
            engine: engine.unwrap(),
            limiter: None,
            metrics,
            readiness: Arc::default(),
            local_token: None,
            passes: Default::default(),
            own_hosts: None,
            issuer: base.clone(),
            otp_delivery: Arc::new(delivery::Sandbox),
            otp_policy: OtpPolicy::default(),
            environment: Environment::Sandbox,
            behind_proxy: false,
        };
        change(&mut app);
        let now = app.clock.now();
        app.store.ensure_client(&command_line(now)).await.unwrap();
        let confidential = Client {
            name: "Shop App".into(),
            secret_digest: Some(token_digest(SECRET).to_vec()),
            scopes: vec![Scope::OrdersRead, Scope::AccountsRead, Scope::UsersShare],
            redirect_uris: vec![APP_REDIRECT.into()],
            ..Client::open(CONFIDENTIAL, now)
        };
        app.store.add_client(&confidential).await.unwrap();
        let app = Arc::new(app);
        let server = Server::run(listener, None, router(app.clone()), SOCKETS);
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { app, clock, base, http, _server: server, _store: folder }
    }

    /// On a file: the nodes of a shared store count by its database's clock, which no test moves.
    pub(super) async fn limited_to(requests: u32) -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::open(&folder.path().join("service.sqlite3")).await.unwrap();
        Self::over(folder, store, |app| app.limiter = NonZeroU32::new(requests).map(RateLimiter::new)).await
    }

    pub(super) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub(super) fn operator(&self) -> Operator<'_> {
        Operator { name: "otto", clock: &*self.clock }
    }

    pub(super) fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    pub(super) async fn user(&self) -> String {
        let phone = "+15550101";
        self.app.store.user_by_phone(&self.app.keys.phone_digest(phone), "0101", self.now()).await.unwrap()
    }

    pub(super) async fn post(&self, path: &str, form: &[(&str, &str)]) -> Response {
        self.http.post(format!("{}{path}", self.base)).form(form).send().await.unwrap()
    }

    /// Requests tokens as the public client.
    pub(super) async fn token(&self, form: &[(&str, &str)]) -> Response {
        self.post("/oauth/token", &[form, &[("client_id", PUBLIC)]].concat()).await
    }

    /// Requests tokens as the confidential client, with its secret in the header.
    pub(super) async fn token_with_secret(&self, form: &[(&str, &str)]) -> Response {
        let request = self.http.post(format!("{}/oauth/token", self.base)).header("Authorization", basic(SECRET));
        request.form(form).send().await.unwrap()
    }

    /// The authorization request in that query, as the page reads it.
    pub(super) async fn request(&self, query: &[(&str, &str)]) -> Result<AuthorizationRequest, Refused> {
        authorization::parse(&self.app, &Params::of_form(form(query).as_bytes())).await
    }

    /// A code that the user approved for the public client.
    pub(super) async fn code(&self, scope: &str) -> String {
        let request = self.request(&asking(&[("scope", scope)])).await.unwrap();
        let back = authorization::approve(&self.app, &request, &self.user().await).await.unwrap();
        param(&back, "code").unwrap()
    }

    /// Tokens of the public client, through the whole flow.
    pub(super) async fn tokens(&self, scope: &str) -> Value {
        let code = self.code(scope).await;
        ok(self.token(&exchange(&code)).await).await
    }

    /// The status of a request with that access token: 200 if the token is valid.
    pub(super) async fn status_with(&self, token: &Value) -> u16 {
        self.get("/sync/connections", token).await.status().as_u16()
    }

    pub(super) async fn get(&self, path: &str, token: &Value) -> Response {
        let request = self.http.get(format!("{}{path}", self.base)).bearer_auth(token.as_str().unwrap());
        request.send().await.unwrap()
    }
}

/// `client_secret_basic` of the confidential client.
pub(super) fn basic(secret: &str) -> String {
    let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    format!("Basic {}", STANDARD.encode(format!("{}:{}", encoded(CONFIDENTIAL), encoded(secret))))
}

/// A complete authorization request of the public client: the given parameters replace the defaults, and empty ones are
/// left out.
pub(super) fn asking<'a>(given: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let usual = [
        ("response_type", "code"),
        ("client_id", PUBLIC),
        ("redirect_uri", REDIRECT),
        ("state", "a state & more"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
    ];
    let kept = usual.into_iter().filter(|(name, _)| given.iter().all(|(other, _)| other != name));
    kept.chain(given.iter().copied()).filter(|(_, value)| !value.is_empty()).collect()
}

pub(super) fn exchange(code: &str) -> [(&str, &str); 4] {
    [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", REDIRECT), ("code_verifier", VERIFIER)]
}

pub(super) fn refresh(token: &Value) -> [(&str, &str); 2] {
    [("grant_type", "refresh_token"), ("refresh_token", token.as_str().unwrap())]
}

pub(super) fn form(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

pub(super) fn param(address: &str, name: &str) -> Option<String> {
    let url = url::Url::parse(address).unwrap();
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// The body of a success, after checking what all successes have in common.
pub(super) async fn ok(response: Response) -> Value {
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert!(response.headers().contains_key("x-request-id"));
    let status = response.status();
    let body: Value = response.json().await.unwrap();
    assert_eq!(status, 200, "{body}");
    body
}

/// The `error` of a refusal, after checking what all refusals have in common.
pub(super) async fn refused(response: Response, status: u16) -> String {
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert!(response.headers().contains_key("x-request-id"));
    assert_eq!(response.headers().contains_key("www-authenticate"), status == 401);
    let got = response.status();
    let body: Value = response.json().await.unwrap();
    assert_eq!(got, status, "{body}");
    let allowed = |c: char| matches!(c, '\x20'..='\x21' | '\x23'..='\x5b' | '\x5d'..='\x7e');
    assert!(body["error_description"].as_str().unwrap().chars().all(allowed), "RFC 6749 §5.2: {body}");
    body["error"].as_str().unwrap().to_owned()
}
