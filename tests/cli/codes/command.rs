//! Of the command itself.

use std::fs::File;
use std::process::Command;

use serde_json::json;
use sqlx::Connection as _;

use super::peer::{always, http, json, start};
use super::{Home, Scene};

/// How a small file of orders is read.
const MAPPING: &str = "retailer = \"Shop\"\n[columns]\norderId = \"order\"\nitemName = \"title\"\nquantity = \"quantity\"\nprice = \"price\"\n";

const BIN: &str = env!("CARGO_BIN_EXE_ordersync");

fn at_home(home: Home, arguments: &[&str]) -> Scene {
    Scene::new(home.command(arguments)).keeping(home)
}

fn here(arguments: &[&str]) -> Scene {
    at_home(Home::new(), arguments)
}

/// Of a command at a home of which the store is prepared.
fn at_store(prepare: impl FnOnce(&Home)) -> Scene {
    let home = Home::new();
    home.run(&["retailers"]).ends(0);
    prepare(&home);
    at_home(home, &["retailers"])
}

fn writing_to(path: &str) -> Scene {
    let mut scene = here(&["retailers"]);
    scene.command.stdout(File::options().write(true).open(path).expect("open"));
    scene
}

fn connect(user: &str, more: &[&str]) -> Scene {
    let home = Home::new();
    let arguments = ["connect", "-r", "1", "--credentials-file", &home.credentials(user)];
    at_home(home, &[&arguments[..], more].concat())
}

/// Carries out a statement on the local store, which is created if it does not exist.
fn change(home: &Home, statement: &'static str) {
    let path = home.path().join("data/service.sqlite3");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runtime");
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).create_if_missing(true);
        let mut connection = sqlx::SqliteConnection::connect_with(&options).await.expect("database");
        sqlx::query(statement).execute(&mut connection).await.expect("statement");
        connection.close().await.expect("closed");
    });
}

/// Holds the store locked until it is dropped, as a tool for databases does.
fn locked(home: &Home) -> impl Sized + use<> {
    home.run(&["retailers"]).ends(0);
    let path = home.path().join("data/service.sqlite3");
    let (done, wait) = std::sync::mpsc::channel::<()>();
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runtime");
        runtime.block_on(async {
            let address = format!("sqlite:{}", path.display());
            let mut connection = sqlx::SqliteConnection::connect(&address).await.expect("the store");
            // What repairs or packs a database locks readers out, too.
            sqlx::query("PRAGMA locking_mode = EXCLUSIVE").execute(&mut connection).await.expect("the mode");
            sqlx::query("BEGIN EXCLUSIVE").execute(&mut connection).await.expect("the lock");
            ready.send(()).expect("a test");
            let _ = wait.recv();
        });
    });
    is_ready.recv().expect("a lock");
    done
}

/// A home that is signed in as a client at this address, with a token that ends at once.
fn signed_in() -> (Home, String) {
    let (sent, received) = std::sync::mpsc::channel::<String>();
    let base = std::sync::OnceLock::new();
    let address = start(move |request| {
        let base = base.get_or_init(|| received.recv().expect("its address"));
        if request.starts_with("POST ") {
            return json(200, &json!({"access_token": "at", "token_type": "bearer", "expires_in": 1}));
        }
        json(200, &json!({"issuer": base, "token_endpoint": format!("{base}/token")}))
    });
    let address = format!("http://{address}");
    sent.send(address.clone()).expect("a peer");
    let home = Home::new();
    let mut login = home.command(&["auth", "login", "--client-credentials", "--base-url", &address]);
    login.env("ORDERSYNC_CLIENT_ID", "c").env("ORDERSYNC_CLIENT_SECRET", "s");
    super::Run::of(login).ends(0);
    (home, address)
}

/// The file of the sign-in, or the one beside it.
fn file_of_sign_in(home: &Home, kind: &str) -> std::path::PathBuf {
    let folder = std::fs::read_dir(home.path().join("data/sign-in")).expect("folder");
    let mut paths = folder.map(|entry| entry.expect("entry").path());
    paths.find(|path| path.extension().is_some_and(|extension| extension == kind)).expect("a file")
}

fn peer_sealing_with(token: &str) -> Scene {
    let token = token.to_owned();
    let address = start(move |request| match request.split_whitespace().nth(1).unwrap_or_default() {
        "/sync/retailers" => {
            json(200, &json!([{"retailerId": 1, "displayName": "Shop", "syncConfig": {"serverSide": true}}]))
        }
        "/sync/auth/totp" => {
            json(200, &json!({"token": token, "currentStamp": "1", "expiresAt": "2099-01-01T00:00:00Z"}))
        }
        _ => json(200, &json!([])),
    });
    let home = Home::new();
    let arguments = ["connect", "-r", "1", "--credentials-file", &home.credentials("user_good")];
    Scene::at(&format!("http://{address}"), &arguments).keeping(home)
}

pub(super) fn scene(code: &str, time: &str) -> Option<Scene> {
    Some(match code {
        "USAGE" => here(&["connect", "-r", "1"]),
        "CHECKS_FAILED" => here(&["doctor", "--profile", "production"]),
        "NO_BASE_URL" => here(&["retailers", "--profile", "production"]),
        "FILE" => here(&["api", "/sync/mfa", "--input", "nowhere.json"]),
        "DISK_FULL" => writing_to("/dev/full"),
        // Nothing is there that could be written to.
        "OUTPUT" => writing_to("/proc/self/mem"),
        "STORE_LOCKED" => {
            let home = Home::new();
            let lock = locked(&home);
            at_home(home, &["retailers"]).keeping(lock)
        }
        "STORE" => {
            let home = Home::new();
            std::fs::create_dir(home.path().join("data")).expect("folder");
            std::fs::write(home.path().join("data/service.sqlite3"), "no database ".repeat(500)).expect("write");
            at_home(home, &["retailers"])
        }
        "STORE_FOREIGN" => {
            let home = Home::new();
            std::fs::create_dir(home.path().join("data")).expect("folder");
            change(&home, "CREATE TABLE notes (text TEXT)");
            at_home(home, &["retailers"])
        }
        "STORE_TOO_OLD" => {
            at_store(|home| change(home, "UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 1"))
        }
        "STORE_NEWER" => at_store(|home| {
            let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (10006, 'later', TRUE, x'00', 1)";
            change(home, later);
            change(home, "UPDATE store_compatibility SET oldest_version = 10006");
        }),
        "STORE_OUTDATED" => {
            let home = Home::new();
            std::fs::write(home.path().join("empty.sqlite3"), "").expect("write");
            let arguments = ["admin", "clients", "list", "--database", "empty.sqlite3"];
            at_home(home, &arguments)
        }
        "CHANGES_NOT_TAKEN" => {
            let home = Home::connected("user_good", 0);
            std::fs::write(home.path().join("changes.csv"), "not taken yet").expect("write");
            at_home(home, &["orders", "export", "--since-last", "--out", "changes.csv"])
        }
        "IMPORT_REFUSED" => {
            let home = Home::new();
            std::fs::write(home.path().join("statement.csv"), "Date,Text,Amount\n2026-01-02,Shop,-1.00\n")
                .expect("write");
            at_home(home, &["import", "statement.csv"])
        }
        "ORDERS_NOT_STORED" => {
            let home = Home::new();
            let long = "x".repeat(3_000);
            let text = format!("order,title,quantity,price\n1,Tea,1,2.00\n2,{long},1,2.00\n");
            std::fs::write(home.path().join("shop.csv"), text).expect("write");
            std::fs::write(home.path().join("mapping.toml"), MAPPING).expect("write");
            let arguments = ["import", "shop.csv", "--map", "mapping.toml", "--retailer", "Shop", "--currency", "EUR"];
            at_home(home, &arguments)
        }
        "NOT_COMPLETE" => {
            at_home(Home::connected("error_retailer_changed", 9), &["orders", "export", "--require-complete"])
        }
        "ROOT_KEY" => at_store(|home| std::fs::remove_file(home.path().join("data/service.key")).expect("a key")),
        "LISTEN" => {
            let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("port");
            let address = taken.local_addr().expect("address").to_string();
            here(&["serve", "--sandbox", "--listen", &address]).keeping(taken)
        }
        "LOCKED" => {
            let (home, address) = signed_in();
            // The first that renews makes the lock.
            home.run(&["connections", "--base-url", &address]);
            let lock = File::open(file_of_sign_in(&home, "lock")).expect("a lock");
            lock.lock().expect("locked");
            let command = home.command(&["connections", "--base-url", &address, "--timeout", time]);
            Scene::new(command).keeping(home).keeping(lock)
        }
        "KEYRING" => {
            let (home, address) = signed_in();
            let mut command = home.command(&["auth", "login", "--client-credentials", "--base-url", &address]);
            command.env("ORDERSYNC_CLIENT_ID", "c").env("ORDERSYNC_CLIENT_SECRET", "s");
            Scene::new(command).env("ORDERSYNC_TOKEN_STORE", "keyring").keeping(home)
        }
        "SIGN_IN_UNREADABLE" => {
            let (home, address) = signed_in();
            std::fs::write(file_of_sign_in(&home, "json"), "{").expect("write");
            at_home(home, &["connections", "--base-url", &address])
        }
        "SIGN_IN_TIMEOUT" => {
            let peer = |base: &str| json!({"issuer": base, "token_endpoint": format!("{base}/t"), "authorization_endpoint": format!("{base}/a")});
            let (sent, received) = std::sync::mpsc::channel::<String>();
            let base = std::sync::OnceLock::new();
            let address = start(move |_| json(200, &peer(base.get_or_init(|| received.recv().expect("its address")))));
            let address = format!("http://{address}");
            sent.send(address.clone()).expect("a peer");
            here(&["auth", "login", "--no-browser", "--timeout", time, "--base-url", &address])
        }
        "NO_AUTHORIZATION_SERVER" => here(&["auth", "login", "--device", "--base-url", &always(http(404, "", ""))]),
        "WRONG_ISSUER" => {
            let body = json!({"issuer": "https://elsewhere.test", "token_endpoint": "https://elsewhere.test/t"});
            here(&["auth", "login", "--device", "--base-url", &always(json(200, &body))])
        }
        "SEAL" => peer_sealing_with("short"),
        "NO_LIST" => here(&["api", "/sync/profile", "--paginate"]),
        "NO_SHOP" => here(&["retailers", "add", &always(http(404, "", "")), "--allow-private-network"]),
        "SHOP_UNREACHABLE" => here(&["retailers", "add", "http://127.0.0.1:9", "--allow-private-network"]),
        "ADJUSTMENTS_UNKNOWN" => {
            let home = Home::connected("user_items_1", 0);
            let items = home.run(&["orders", "list", "-o", "json"]).ends(0).json();
            at_home(home, &["orders", "get", items[0]["id"].as_str().expect("an id"), "--adjustments"])
        }
        "JQ" => here(&["api", "/sync/profile", "--jq", ".[].name"]),
        "MFA_NEEDED" => connect("user_mfa_enter", &[]),
        "MFA_COMMAND" => connect("user_mfa_enter", &["--mfa-command", "false"]),
        "STILL_RUNNING" => connect("user_timeout", &["--timeout", time]),
        "SYNC_FAILED" => connect("user_bad", &[]),
        "CONNECTIONS_SKIPPED" => at_home(Home::connected("user_bad", 9), &["sync"]),
        "TIME_UP" => {
            let home = Home::new();
            let pipe = home.path().join("pipe");
            assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
            let pipe = pipe.to_str().expect("text");
            at_home(home, &["orders", "export", "--out", pipe, "--timeout", "1s"])
        }
        "INPUT_TIMEOUT" => {
            let home = Home::new();
            let pipe = home.path().join("pipe");
            assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
            let pipe = pipe.to_str().expect("text");
            at_home(home, &["connect", "-r", "1", "--credentials-file", pipe, "--timeout", time])
        }
        "INTERRUPTED" => {
            let credentials = connect("user_timeout", &[]);
            let mut command = Command::new("timeout");
            command.args(["--preserve-status", "-s", "INT", time, BIN]).args(credentials.command.get_args());
            command.env_clear().envs(credentials.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
            Scene::new(command).keeping(credentials)
        }
        _ => return None,
    })
}
