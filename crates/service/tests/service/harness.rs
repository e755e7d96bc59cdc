//! A running service and a client of it.

use std::net::TcpListener;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use ordersync_api::sandbox::ClockResponse;
use ordersync_api::seal::{Credentials, DirA256Gcm, Seal};
use ordersync_api::{Session, SessionStatus, SyncStatus, Totp};
use ordersync_service::Service;
use ordersync_service::SystemClock;
use ordersync_service::config::{Config, ConnectionLimits, OtpPolicy, RETENTION_DAYS, SandboxConfig};
use ordersync_service::database::{Database, PostgresAddress};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(300);

/// A node: a service on a store.
pub struct Node {
    service: Service,
    pub base: String,
}

/// Where the store of this folder is: in a file, or in a schema of the PostgreSQL database that `ORDERSYNC_TEST_DATABASE` names,
/// so that the same tests run on both.
pub fn database(store: &Path) -> Database {
    let Ok(address) = std::env::var("ORDERSYNC_TEST_DATABASE") else {
        return Database::File(store.join("service.sqlite3"));
    };
    let separator = if address.contains('?') { '&' } else { '?' };
    let address = format!("{address}{separator}options=-csearch_path%3D{}", schema(store));
    Database::Postgres(PostgresAddress::parse(&address).unwrap())
}

fn schema(store: &Path) -> String {
    let letters = store.to_string_lossy().into_owned().into_bytes();
    format!("s{}", letters.iter().rev().take(24).map(|letter| format!("{letter:02x}")).collect::<String>())
}

/// A connection to the store beside the service's.
pub enum Beside {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Beside {
    pub async fn open(store: &Path) -> Self {
        match database(store) {
            Database::File(path) => {
                let options = SqliteConnectOptions::new().filename(path);
                Self::Sqlite(SqliteConnection::connect_with(&options).await.unwrap())
            }
            Database::Postgres(_) => {
                let address = std::env::var("ORDERSYNC_TEST_DATABASE").unwrap();
                let mut connection = PgConnection::connect(&address).await.unwrap();
                let path = sqlx::AssertSqlSafe(format!("SET search_path TO {}", schema(store)));
                sqlx::query(path).execute(&mut connection).await.unwrap();
                Self::Postgres(connection)
            }
        }
    }

    pub async fn run(&mut self, statement: &'static str) {
        match self {
            Self::Sqlite(connection) => drop(sqlx::query(statement).execute(connection).await.unwrap()),
            Self::Postgres(connection) => drop(sqlx::query(statement).execute(connection).await.unwrap()),
        }
    }

    pub async fn count(&mut self, query: &'static str) -> i64 {
        match self {
            Self::Sqlite(connection) => sqlx::query_scalar(query).fetch_one(connection).await.unwrap(),
            Self::Postgres(connection) => sqlx::query_scalar(query).fetch_one(connection).await.unwrap(),
        }
    }

    /// Lets nobody else change users until [`Beside::unlock_users`].
    pub async fn lock_users(&mut self) {
        match self {
            Self::Sqlite(_) => self.run("BEGIN IMMEDIATE").await,
            Self::Postgres(_) => {
                self.run("BEGIN").await;
                self.run("LOCK TABLE users IN EXCLUSIVE MODE").await;
            }
        }
    }

    pub async fn unlock_users(&mut self) {
        self.run("ROLLBACK").await;
    }
}

pub async fn everything_stored(store: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    let Ok(address) = std::env::var("ORDERSYNC_TEST_DATABASE") else {
        for file in std::fs::read_dir(store).unwrap() {
            all.extend(std::fs::read(file.unwrap().path()).unwrap());
        }
        return all;
    };
    let mut connection = PgConnection::connect(&address).await.unwrap();
    // Printable octets are shown as the letters that they are.
    sqlx::query("SET bytea_output TO escape").execute(&mut connection).await.unwrap();
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT relname::text FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'",
    )
    .bind(schema(store))
    .fetch_all(&mut connection)
    .await
    .unwrap();
    for table in tables {
        let rows = sqlx::AssertSqlSafe(format!("SELECT t::text FROM {}.{table} t", schema(store)));
        let rows: Vec<String> = sqlx::query_scalar(rows).fetch_all(&mut connection).await.unwrap();
        all.extend(rows.concat().into_bytes());
    }
    all
}

/// A file makes itself; a schema has to be there.
pub async fn make_schema(store: &Path) {
    let Ok(address) = std::env::var("ORDERSYNC_TEST_DATABASE") else { return };
    let mut connection = PgConnection::connect(&address).await.unwrap();
    let schema = schema(store);
    // The name of the test, which the judge counts.
    let test = std::thread::current().name().unwrap_or_default().replace('\'', "");
    for statement in
        [format!("CREATE SCHEMA IF NOT EXISTS {schema}"), format!("COMMENT ON SCHEMA {schema} IS '{test}'")]
    {
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }
}

/// What a sandbox on this folder starts with.
pub fn config(store: &Path) -> Config {
    Config {
        database: database(store),
        secrets: vec![SecretString::from(base64::engine::general_purpose::STANDARD.encode([7; 32]))],
        public_url: None,
        tls: None,
        behind_proxy: false,
        otp_delivery: None,
        otp_policy: OtpPolicy::default(),
        retailers: None,
        rate_limit: None,
        parallel_syncs: ordersync_service::config::PARALLEL_SYNCS,
        parallel_syncs_per_retailer: ordersync_service::config::PARALLEL_SYNCS_PER_RETAILER,
        sandbox: Some(SandboxConfig { speed: 1000.0, seed: None }),
        connections: ConnectionLimits::default(),
        retention_days: RETENTION_DAYS,
        local_token: None,
    }
}

impl Node {
    pub async fn on(store: &Path, change: impl FnOnce(&mut Config)) -> Self {
        // The client refuses to work without a provider, plain HTTP or not; a second installation changes nothing.
        drop(rustls::crypto::ring::default_provider().install_default());
        make_schema(store).await;
        let mut config = config(store);
        change(&mut config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let service = Service::start(config, Arc::new(SystemClock::default()), listener).await.unwrap();
        let base = format!("http://{}", service.address());
        Self { service, base }
    }

    pub async fn stop(self) {
        self.service.stop().await;
    }

    /// Somebody signed in with the sandbox's phone number of that ending.
    pub async fn user(&self, ending: u8) -> User {
        self.user_of(ending, json!({})).await
    }

    /// The same through another client, or with fewer scopes.
    pub async fn user_of(&self, ending: u8, more: Value) -> User {
        let mut body = json!({ "phone": format!("+155501{ending:02}") });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let http = reqwest::Client::builder().no_proxy().no_gzip().build().unwrap();
        let answer = http.post(format!("{}/sandbox/token", self.base)).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let answer: Value = answer.json().await.unwrap();
        User { http, base: self.base.clone(), token: answer["access_token"].as_str().unwrap().to_owned() }
    }
}

/// A node on a store of its own.
pub struct World {
    pub node: Node,
    pub store: TempDir,
}

impl World {
    pub async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub async fn with_user() -> (Self, User) {
        let (world, [user]) = Self::with_users([1]).await;
        (world, user)
    }

    /// With the users whose phone numbers end like that.
    pub async fn with_users<const MANY: usize>(endings: [u8; MANY]) -> (Self, [User; MANY]) {
        let world = Self::new().await;
        let users = futures::future::join_all(endings.map(|ending| world.node.user(ending))).await;
        (world, users.try_into().ok().unwrap())
    }

    /// With its first user, whose sync at a retailer has ended.
    pub async fn connected(retailer_id: i64, username: &str) -> (Self, User) {
        let (world, user) = Self::with_user().await;
        user.connected(retailer_id, username).await;
        (world, user)
    }

    pub async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let store = TempDir::new().unwrap();
        Self { node: Node::on(store.path(), change).await, store }
    }

    pub async fn limited_to(requests: u32) -> Self {
        Self::with(|config| config.rate_limit = NonZeroU32::new(requests).map(Into::into)).await
    }
}

/// Somebody with a token.
#[derive(Clone)]
pub struct User {
    pub http: reqwest::Client,
    pub base: String,
    pub token: String,
}

impl User {
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.token)
    }

    pub async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    pub async fn post(&self, path: &str, body: &Value) -> Response {
        self.request(Method::POST, path).json(body).send().await.unwrap()
    }

    pub async fn get_json(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }

    /// Advances the user's clock, and returns once everything due by then is done, however long the machine takes.
    pub async fn advance(&self, seconds: u32) {
        let mut seconds = seconds;
        for _ in 0..12 {
            let answer = self.post("/sandbox/clock", &json!({ "advanceSeconds": seconds })).await;
            assert_eq!(answer.status(), 200);
            if answer.json::<ClockResponse>().await.unwrap().settled {
                return;
            }
            seconds = 0;
        }
        panic!("what fell due is not done");
    }

    pub async fn totp(&self) -> Totp {
        self.get("/sync/auth/totp").await.json().await.unwrap()
    }

    /// The body of a connect, sealed with a fresh token.
    pub async fn sealed(&self, retailer_id: i64, username: &str, password: &str, mode: &str) -> Value {
        let totp = self.totp().await;
        let info = DirA256Gcm.seal(&totp.token, &totp.current_stamp, &credentials(username, password)).unwrap();
        json!({
            "retailerId": retailer_id, "connectionInfo": info, "currentStamp": totp.current_stamp, "mode": mode,
        })
    }

    pub async fn connect(&self, retailer_id: i64, username: &str) -> String {
        let body = self.sealed(retailer_id, username, "pass_good", "CONNECT").await;
        started(self.post("/sync/connections/connect", &body).await).await
    }

    /// Connects, and follows to the end.
    pub async fn connected(&self, retailer_id: i64, username: &str) -> Session {
        let batch_id = self.connect(retailer_id, username).await;
        self.ended(&batch_id).await
    }

    pub async fn session(&self, batch_id: &str) -> Session {
        let response = self.get(&format!("/sync/sessions/{batch_id}")).await;
        assert_eq!(response.status(), 200);
        response.json().await.unwrap()
    }

    pub async fn ended(&self, batch_id: &str) -> Session {
        self.until(batch_id, |session| session.status.is(&SessionStatus::Normal)).await
    }

    /// The session once a retailer of it waits for an answer.
    pub async fn asked(&self, batch_id: &str) -> Session {
        self.until(batch_id, |session| {
            session.retailer_sync_sessions.iter().any(|part| part.sync_status.is(&SyncStatus::UserIntervention))
        })
        .await
    }

    pub async fn until(&self, batch_id: &str, happened: impl Fn(&Session) -> bool) -> Session {
        let started = Instant::now();
        loop {
            let session = self.session(batch_id).await;
            if happened(&session) {
                return session;
            }
            assert!(started.elapsed() < PATIENCE, "still waiting: {session:#?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Keeps a document with the order of a line item. Returns its id.
    pub async fn kept_document(&self, item: &Value) -> String {
        let document = json!({
            "orderId": item["orderId"], "name": "receipt.txt", "mediaType": "text/plain", "content": "cmVjZWlwdA==",
        });
        let body = json!({ "connectionId": item["connectionId"], "documents": [document] });
        assert_eq!(self.post("/sync/documents", &body).await.status(), 200);
        let order = item["orderId"].as_str().unwrap();
        let listed = self.get_json(&format!("/sync/documents?order_id={order}")).await;
        listed[0]["documentId"].as_str().unwrap().to_owned()
    }

    /// Every line item, page by page.
    pub async fn all_orders(&self) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let page = self.get_json(&format!("/sync/orders?limit=1000&offset={}", all.len())).await;
            let page = page.as_array().unwrap().clone();
            if page.is_empty() {
                return all;
            }
            all.extend(page);
        }
    }
}

pub fn credentials(username: &str, password: &str) -> Credentials {
    [("username", username), ("password", password)]
        .map(|(name, value)| (name.to_owned(), SecretString::from(value)))
        .into()
}

/// The batch id of an answer that says a sync was started.
pub async fn started(response: Response) -> String {
    let status = response.status();
    let body: Value = response.json().await.unwrap();
    assert_eq!(status, StatusCode::ACCEPTED, "{body}");
    assert_eq!(body["status"], "syncing");
    body["batchId"].as_str().unwrap().to_owned()
}

/// The code of a refusal, after a look at its form: a message, and a request id.
pub async fn refusal(response: Response, status: u16) -> (String, Value) {
    assert!(response.headers()["x-request-id"].to_str().unwrap().starts_with("req_"));
    let got = response.status().as_u16();
    let body: Value = response.json().await.unwrap();
    assert_eq!(got, status, "{body}");
    assert!(body["message"].as_str().is_some_and(|message| message.ends_with('.')), "{body}");
    (body["code"].as_str().unwrap().to_owned(), body)
}
