//! `doctor`: each fault is reported on its own line, with what to do.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use serde_json::{Value, json};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::authorization_server::{AuthorizationServer, tokens};
use super::serve::Sandbox;
use super::support::{Home, Run, now, set_mode};

fn status(run: &Run, check: &str) -> String {
    let checks = run.json();
    let found = checks.as_array().expect("a list").iter().find(|entry| entry["check"] == check);
    found.unwrap_or_else(|| panic!("{check}: {}", run.out))["status"].as_str().expect("a status").to_owned()
}

fn at(home: &Home, address: &str, token: Option<&str>, arguments: &[&str]) -> Run {
    let mut command = home.command(&[&["doctor"], arguments].concat());
    command.env("ORDERSYNC_BASE_URL", address);
    if let Some(token) = token {
        command.env("ORDERSYNC_TOKEN", token);
    }
    Run::of(command)
}

async fn peer(fill: impl FnOnce(ResponseTemplate) -> ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).insert_header("x-request-id", "req_1").set_body_json(json!([]));
    Mock::given(any()).respond_with(fill(answer)).mount(&server).await;
    server
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn with_nothing_configured_all_is_well_and_nothing_is_made() {
    let home = Home::new();
    let run = home.run(&["doctor"]).ends(0).prints("✓ service: runs inside this command").prints("✓ store: none yet");
    assert!(run.err.is_empty() && !run.out.contains('✗') && !run.out.contains('!'), "{}{}", run.out, run.err);
    assert!(run.out.lines().last().is_some_and(|line| line.contains(" checks: ")), "{}", run.out);
    assert!(files(home.path()).is_empty());
    home.run(&["retailers"]).ends(0);
    let before = files(&home.path().join("data"));
    home.run(&["doctor"]).ends(0).prints("sound and up to date").prints("2 files, which only you can read");
    assert_eq!(files(&home.path().join("data")), before);
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let home = Home::new();
    // A file where the folder is to be: that works for tests that run as root, too.
    std::fs::write(home.path().join("data"), "").expect("write");
    let run = home.run(&["doctor"]).ends(1).prints("✗ data-folder: Cannot write in the folder ");
    run.prints(&home.path().join("data").display().to_string()).prints("export ORDERSYNC_HOME=FOLDER");
}

#[test]
fn connections_that_do_not_work_and_syncs_that_wait_are_told_in_numbers() {
    let home = Home::connected("user_good", 0);
    let run = home.run(&["doctor"]).ends(0).prints("✓ connections: 1 valid").prints("✓ syncs: none is under way");
    assert!(!run.out.contains("Marrowby"), "{}", run.out);
    let connect = |retailer: &str, user: &str, more: &[&str], speed: &str| {
        let arguments = ["connect", "-r", retailer, "--credentials-file", &home.credentials(user)];
        let mut command = home.command(&[&arguments, more].concat());
        command.env("ORDERSYNC_SANDBOX_SPEED", speed);
        Run::of(command)
    };
    connect("2", "user_slow", &["--no-wait"], "1").ends(0);
    home.run(&["doctor"]).ends(0).prints("! syncs: 1 interrupted").prints("Resume them: ordersync sync");
    connect("3", "user_mfa_enter", &[], "1").ends(7);
    let run =
        home.run(&["doctor"]).ends(1).prints("✗ syncs: 1 waiting for a code").prints("Answer: ordersync mfa --batch");
    run.prints("no sync has completed yet; it waits for a code: ordersync mfa --batch batch_").prints("sessions watch");
    home.run(&["sync", "--mfa-command", "echo 123456"]).ends(0);
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    let run = home.run(&["doctor", "-o", "json"]).ends(1);
    let checks = run.json();
    let check = |name: &str| {
        let checks = checks.as_array().expect("a list");
        checks.iter().find(|entry| entry["check"] == name).expect("a check").clone()
    };
    let numbers = serde_json::json!({ "valid": 2, "invalid": 1, "pending": 0, "incomplete": 1 });
    assert_eq!(check("connections")["details"], numbers);
    let hint = check("connections")["hint"].as_str().expect("text").to_owned();
    assert!(hint.starts_with("Repair them: ordersync fix\nRetailer 1 is not complete since "), "{hint}");
    assert_eq!(check("syncs")["status"], "ok");
}

#[test]
fn at_an_address_the_connections_are_looked_at_as_well() {
    let sandbox = Sandbox::start(&[]);
    sandbox.connect("1", "user_bad", &[]).ends(9);
    let run = sandbox.run(&["doctor"]).ends(1).prints("✗ connections: 1 invalid");
    run.prints("ordersync fix");
}

#[test]
fn a_retailer_that_waits_for_a_code_is_answered_and_not_synced_again() {
    let (sandbox, home) = (Sandbox::start(&[]), Home::new());
    for told in [
        (home.connect("user_mfa_enter", &[]).ends(7), home.run(&["doctor"]).ends(1)).1,
        (sandbox.connect("1", "user_mfa_enter", &[]).ends(7), sandbox.run(&["doctor"]).ends(0)).1,
    ] {
        let told = told.prints("! connections: 1 pending; 1 not complete: no sync has ended well yet");
        let told = told.prints("it waits for a code: ordersync mfa --batch batch_");
        assert!(!told.out.contains("ordersync sync"), "{}", told.out);
    }
}

#[test]
fn a_service_that_works_is_found_in_order() {
    let sandbox = Sandbox::start(&[]);
    let run = sandbox.run(&["doctor", "-o", "json"]).ends(0);
    for check in
        ["dns", "connection", "tls", "service", "request-id", "clock", "sign-in", "token", "scopes", "rate-limit"]
    {
        assert_eq!(status(&run, check), "ok", "{check}");
    }
    // Its store is in use meanwhile.
    assert_eq!(status(&run, "serve-store"), "ok");
    assert!(!run.out.contains(&sandbox.token) && !run.err.contains(&sandbox.token));
    sandbox.run(&["doctor"]).ends(0).prints("base_url from ORDERSYNC_BASE_URL; token from ORDERSYNC_TOKEN");
}

#[test]
fn a_name_without_an_address_is_told_and_what_needs_it_is_skipped() {
    let home = Home::new();
    let run = home.run(&["doctor", "--base-url", "https://service.invalid"]).ends(3);
    let run =
        run.prints("✗ dns: service.invalid has no address").prints("comes from --base-url").prints("getent hosts");
    run.prints("- tls: skipped: the name has no address").prints("✗ sign-in: you are not signed in");
}

#[test]
fn nobody_there_is_told_with_the_command_that_starts_one() {
    let run = Home::new().run(&["doctor", "--base-url", "http://127.0.0.1:1"]).ends(3);
    run.prints("✗ connection: nothing answers at 127.0.0.1").prints("ordersync serve --sandbox --listen 127.0.0.1:");
}

#[test]
fn a_proxy_is_where_the_connection_goes_and_its_password_is_not_shown() {
    let home = Home::new();
    let mut command = home.command(&["doctor", "--base-url", "https://service.invalid"]);
    command.env("HTTPS_PROXY", "http://me:canary@127.0.0.1:1");
    let run = Run::of(command).ends(3).prints("✓ proxy: 127.0.0.1:1");
    let run = run.prints("✗ connection: nothing answers at 127.0.0.1").prints("Correct HTTPS_PROXY");
    assert!(!run.out.contains("canary") && !run.err.contains("canary"));
}

/// A service over TLS with a certificate that nobody has signed; where the certificate is.
fn self_signed(home: &Home, is_ca: IsCa) -> (String, String) {
    let mut parameters = CertificateParams::new(["localhost".to_owned()]).expect("parameters");
    parameters.is_ca = is_ca;
    let key = KeyPair::generate().expect("key");
    let certificate = parameters.self_signed(&key).expect("certificate");
    let file = home.path().join("ca.pem");
    std::fs::write(&file, certificate.pem()).expect("write");
    let key = rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).expect("key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect("configuration");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("port");
    let port = listener.local_addr().expect("address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).expect("connection");
            let mut stream = rustls::StreamOwned::new(connection, stream);
            if stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {
                let body = "HTTP/1.1 200 OK\r\nx-request-id: req_1\r\ncontent-type: application/json\r\n\
                            content-length: 2\r\nconnection: close\r\n\r\n[]";
                let _ = stream.write_all(body.as_bytes());
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    (format!("https://localhost:{port}"), file.to_str().expect("text").to_owned())
}

#[test]
fn a_certificate_that_nobody_signed_is_told_and_one_that_is_trusted_has_its_end() {
    let home = Home::new();
    let (address, certificate) = self_signed(&home, IsCa::NoCa);
    let run = home.run(&["doctor", "--base-url", &address]).ends(3);
    let run = run
        .prints("✓ connection: ")
        .prints("✗ tls: the certificate is not signed by a certificate authority that this system trusts");
    run.prints("openssl s_client -connect localhost:").prints("- service: skipped: there is no TLS connection");
    let mut command = home.command(&["doctor", "--base-url", &address]);
    command.env("SSL_CERT_FILE", certificate);
    let run = Run::of(command).ends(4);
    run.prints("✓ tls: the certificate is trusted, and good until 4096-01-01").prints("- clock: skipped: ");
}

/// OpenSSL makes such certificates by default; to trust one does not help.
#[test]
fn a_server_with_the_certificate_of_an_authority_is_told_with_what_its_operator_does() {
    let home = Home::new();
    let (address, certificate) = self_signed(&home, IsCa::Ca(BasicConstraints::Unconstrained));
    for trusts in [false, true] {
        for (arguments, said) in [
            (["doctor"], "✗ tls: the server uses the certificate of a certificate authority (CA:TRUE) as its own"),
            (
                ["retailers"],
                "uses the certificate of a certificate authority (CA:TRUE) as its own, which is not accepted.",
            ),
        ] {
            let mut command = home.command(&[&arguments[..], &["--base-url", &address]].concat());
            if trusts {
                command.env("SSL_CERT_FILE", &certificate);
            }
            let run = Run::of(command).ends(3);
            let all = [run.out.as_str(), &run.err].concat();
            for words in [said, "-addext basicConstraints=CA:FALSE", "export SSL_CERT_FILE="] {
                assert!(all.contains(words), "{words}: {all}");
            }
            assert!(!all.contains("CaUsedAsEndEntity"), "{all}");
        }
    }
}

#[tokio::test]
async fn a_web_page_in_place_of_the_service_is_told() {
    let server =
        peer(|_| ResponseTemplate::new(200).set_body_raw("<html>Sign in to the hotel</html>", "text/html")).await;
    let run = at(&Home::new(), &server.uri(), Some("canary"), &[]).ends(3);
    let run = run
        .prints("✗ service: a web page answers")
        .prints("in a browser")
        .prints("- clock: skipped: the service does not answer");
    let run = run.prints("- token: skipped: the service cannot be reached");
    assert!(!run.out.contains("canary"));
    // The token is not sent to a server that is not a service of ours.
    let requests = server.received_requests().await.expect("requests");
    assert!(requests.iter().all(|request| !request.headers.contains_key("authorization")));
}

#[tokio::test]
async fn clocks_that_differ_are_told() {
    for (seconds, sign, code, text) in
        [(10, '✓', 0, "agree"), (120, '!', 0, "s ahead of the service's"), (-900, '✗', 1, "s behind the service's")]
    {
        let date = (now() - chrono::TimeDelta::seconds(seconds)).format("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let server = peer(|answer| answer.insert_header("date", date.as_str())).await;
        let run = at(&Home::new(), &server.uri(), Some("t"), &[]);
        let line = run.out.lines().find(|line| line.contains(" clock: ")).expect("a line").to_owned();
        assert!(line.starts_with(sign) && line.contains(text), "{line}");
        // The peer's profile is none: that is the only other thing wrong.
        assert_eq!(run.code, 1);
        assert_eq!(run.err.contains("clock"), code == 1, "{}", run.err);
    }
}

#[tokio::test]
async fn an_answer_without_a_request_id_is_a_warning() {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(200).set_body_json(json!([]))).mount(&server).await;
    at(&Home::new(), &server.uri(), Some("t"), &[]).prints("! request-id: the service sends no X-Request-Id");
}

#[tokio::test]
async fn a_sign_in_that_has_ended_or_lacks_a_scope_is_told() {
    let home = Home::new();
    let server =
        AuthorizationServer::start(vec![tokens("canary_at", "canary_rt", 3600)]).await.accepting(&["canary_at"]).await;
    let retailers = ResponseTemplate::new(200).insert_header("x-request-id", "req_1").set_body_json(json!([]));
    Mock::given(wiremock::matchers::path("/sync/retailers")).respond_with(retailers).mount(&server.server).await;
    let mut login = home.command(&["auth", "login", "--device"]);
    login.env("ORDERSYNC_BASE_URL", server.address());
    Run::of(login).ends(0);
    let run = at(&home, &server.address(), None, &[]).ends(0);
    let run = run.prints("✓ sign-in: kept in ").prints("then renewed").prints("you are Ada");
    let run =
        run.prints("! scopes: the token lacks accounts:connect (connect, fix, mfa)").prints("orders:read (orders)");
    let run = run.prints("ordersync auth login --scopes \"accounts:read accounts:connect");
    assert!(!run.out.contains("canary") && !run.err.contains("canary"));

    let folder = home.path().join("data/sign-in");
    let file = folder.join(files(&folder).into_iter().find(|name| name.ends_with(".json")).expect("a sign-in"));
    let mut kept: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("read")).expect("json");
    kept["expires_at"] = "2020-01-01T00:00:00Z".into();
    std::fs::write(&file, kept.to_string()).expect("write");
    let run = at(&home, &server.address(), None, &[]).ends(0);
    run.prints("and the next command renews it").prints("- token: skipped: the access token has to be refreshed first");
    assert_eq!(server.token_requests().len(), 1, "nothing was renewed");
    kept.as_object_mut().expect("an object").remove("refresh_token");
    std::fs::write(&file, kept.to_string()).expect("write");
    let run = at(&home, &server.address(), None, &[]).ends(4);
    run.prints("✗ sign-in: ")
        .prints("it ended at 2020-01-01T00:00:00Z and cannot be renewed")
        .prints("ordersync auth login");
    set_mode(&file, 0o644);
    let run = at(&home, &server.address(), None, &[]).ends(1);
    run.prints("✗ private-files: others can read ").prints("chmod 600 ").prints("✗ sign-in: ");
}

#[test]
fn a_token_that_is_refused_or_lacks_a_scope_is_told() {
    let sandbox = Sandbox::start(&[]);
    let mut command = sandbox.command(&["doctor"]);
    command.env("ORDERSYNC_TOKEN", "nonsense");
    let run =
        Run::of(command).ends(4).prints("✗ token: the service does not accept it").prints("ordersync sandbox token");
    run.prints("- scopes: skipped: ");
    let scoped = sandbox.run(&["sandbox", "token", "--scopes", "accounts:read"]).ends(0).out;
    let mut command = sandbox.command(&["doctor"]);
    command.env("ORDERSYNC_TOKEN", scoped.trim());
    Run::of(command).ends(0).prints("! scopes: the token lacks orders:read (orders), profile:read (profile)");
}

#[test]
fn a_configuration_that_cannot_be_used_is_told_and_the_rest_is_still_looked_at() {
    let home = Home::new();
    home.run(&["retailers"]).ends(0);
    let config = home.path().join("config");
    std::fs::create_dir_all(&config).expect("folder");
    std::fs::write(config.join("config.toml"), "profle = 3\n").expect("write");
    let run = home.run(&["doctor"]).ends(1).prints("✗ configuration: ").prints("profle").prints("mv ");
    run.prints("- service: skipped: ").prints("✓ store: ").says("1 check of");
    std::fs::write(config.join("config.toml"), "profile = \"production\"\n").expect("write");
    home.run(&["doctor"]).ends(1).prints("has no address").prints("ordersync profiles add production --base-url");
    std::fs::remove_file(config.join("config.toml")).expect("remove");
    std::fs::create_dir(config.join("config.toml")).expect("folder");
    home.run(&["doctor"]).ends(1).prints("✗ configuration: Cannot read ");
    // An address that was typed is looked at all the same.
    home.run(&["doctor", "--base-url", "http://127.0.0.1:1"]).ends(1).prints("✗ connection: nothing answers");
}

#[test]
fn a_sync_and_a_list_that_meet_a_damaged_page_end_and_say_so() {
    let home = Home::connected("user_items_200", 0);
    let store = home.path().join("data/service.sqlite3");
    let mut bytes = std::fs::read(&store).expect("the store");
    let mut damaged = 0;
    // Leaves of the tables that hold items.
    for page in bytes.chunks_mut(16_384).skip(1).filter(|page| page[0] == 0x0d || page[0] == 0x0a) {
        if page.windows(10).any(|text| text == b"\"itemName\"") {
            page[8..4096].fill(0xff);
            damaged += 1;
        }
    }
    assert!(damaged > 0, "no page has items");
    std::fs::write(&store, bytes).expect("written");
    for (command, code) in [(&["sync", "--full"][..], 9), (&["orders", "list"][..], 1)] {
        home.run(command).ends(code).says("store is damaged").says("ordersync doctor");
    }
    home.run(&["doctor"]).ends(1).prints("it is damaged: ");
}

#[test]
fn a_store_that_is_damaged_or_of_a_newer_version_is_told() {
    let home = Home::connected("user_good", 0);
    let store = home.path().join("data/service.sqlite3");
    let sound = std::fs::read(&store).expect("read");
    let mut damaged = sound.clone();
    for byte in damaged.iter_mut().skip(8192).take(20000) {
        *byte = 0xAA;
    }
    for bytes in [&damaged[..], b"not a database at all, just some text that is here"] {
        std::fs::write(&store, bytes).expect("write");
        let run = home.run(&["doctor"]).ends(1).prints("✗ store: ").prints("it is damaged: ");
        run.prints(&format!("mv {0} {0}.broken", store.display()));
        assert_eq!(std::fs::read(&store).expect("read"), bytes, "it is left as it was");
    }
    std::fs::write(&store, &sound).expect("write");
    set_mode(&store, 0o644);
    home.run(&["doctor"]).ends(1).prints("✗ private-files: others can read ").prints("chmod 600 ").prints("✓ store: ");
    set_mode(&store, 0o600);
    home.run(&["doctor"]).ends(0);
}

#[test]
fn the_store_of_a_service_is_looked_at_where_it_is_said_to_be() {
    let home = Home::new();
    let missing = home.path().join("no.sqlite3").display().to_string();
    home.run(&["doctor", "--database", &missing]).ends(1).prints("✗ serve-store: there is no store ");
    home.connect("user_good", &[]).ends(0);
    let store = home.path().join("data/service.sqlite3").display().to_string();
    home.run(&["doctor", "--database", &store]).ends(0).prints("✓ serve-store: ").prints("sound and up to date");

    let address = "postgres://orders@127.0.0.1:1/shop";
    home.run(&["doctor", "--database", address]).ends(3).prints("✗ serve-store: ").prints("cannot be reached");
    let mut command = home.command(&["doctor"]);
    command.env("ORDERSYNC_DATABASE_URL", "postgres://orders:hunter2@127.0.0.1:1/shop");
    let run = Run::of(command).ends(3).prints("✗ serve-store: ").prints(address);
    assert!(!run.out.contains("hunter2") && !run.err.contains("hunter2"), "{}{}", run.out, run.err);
    // A server that accepts the connection and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("postgres://orders@{}/shop", silent.local_addr().expect("its address"));
    home.run(&["doctor", "--database", &address]).ends(3).prints("no answer within 10 s");
    let open = "postgres://orders:hunter2@127.0.0.1/shop";
    let run = home.run(&["doctor", "--database", open]).ends(1).prints("✗ serve-store: ").prints("has a password");
    assert!(!run.out.contains("hunter2"), "{}", run.out);
}

#[tokio::test]
async fn a_store_that_is_locked_or_of_a_newer_version_is_told() {
    let home = Home::new();
    home.run(&["retailers"]).ends(0);
    let store = home.path().join("data/service.sqlite3");
    let options = || sqlx::sqlite::SqliteConnectOptions::new().filename(&store);
    let mut holder = options().pragma("locking_mode", "EXCLUSIVE").connect().await.expect("open");
    holder.execute("BEGIN EXCLUSIVE").await.expect("locked");
    home.run(&["doctor"]).ends(1).prints("✗ store: ").prints("another process holds it locked").prints("fuser -v ");
    holder.execute("ROLLBACK").await.expect("unlocked");
    holder
        .execute("INSERT INTO _sqlx_migrations SELECT 9999, description, installed_on, success, checksum, execution_time FROM _sqlx_migrations LIMIT 1")
        .await
        .expect("a migration of tomorrow");
    let raised = "UPDATE store_compatibility SET oldest_version = 9999";
    holder.execute(raised).await.expect("one that this version cannot work beside");
    holder.close().await.expect("closed");
    home.run(&["doctor"]).ends(1).prints("a newer version of ordersync wrote it");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_keyring_that_does_not_answer_is_told_with_the_way_round_it() {
    let server = peer(|answer| answer).await;
    for (choice, line) in [("keyring", "✗ keyring: it cannot be used"), ("auto", " keyring: ")] {
        let home = Home::new();
        let mut command = home.command(&["doctor", "--base-url", &server.uri()]);
        command.env("ORDERSYNC_TOKEN_STORE", choice).env("ORDERSYNC_TOKEN", "t");
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus");
        let run = Run::of(command).prints(line);
        assert_eq!(run.out.contains("ordersync config set token_store file"), choice == "keyring", "{}", run.out);
    }
}

#[test]
fn a_variable_that_holds_no_address_is_what_is_to_be_corrected() {
    let home = Home::new();
    for variable in ["ORDERSYNC_TOKEN_URL", "ORDERSYNC_BASE_URL"] {
        let mut command = home.command(&["doctor"]);
        command.env("ORDERSYNC_BASE_URL", "http://127.0.0.1:1").env("ORDERSYNC_TOKEN", "t").env(variable, "bogus");
        let run = Run::of(command).prints(&format!("✗ configuration: {variable}: \"bogus\" is not an address"));
        let run = run.prints(&format!("    Correct it, or do without it: unset {variable}\n"));
        assert!(!run.out.contains("Check ORDERSYNC_HOME"), "{}", run.out);
    }
}
