//! A live service as its operator sees it: what it needs, its certificate, its signals and its log.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use super::small_shops::{PASSWORD, USER, page, woo_list, woocommerce};
use super::support::{Home, Run, Running, set_mode};
use super::web_peer::{Asked, Site};

/// How long a line of the log may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// A live service that runs until it is dropped, and what it says on stderr.
struct Live {
    child: Running,
    home: Home,
    lines: Receiver<String>,
    /// Everything that was said before it listened.
    first: Vec<String>,
    address: String,
}

const FIXED: [&str; 7] = ["serve", "--key-file", "root.key", "--database", "db.sqlite3", "--listen", "127.0.0.1:0"];
/// With plain HTTP inside.
const BEHIND: [&str; 4] = ["--public-url", "https://x.example", "--behind-proxy", "--otp-log"];

impl Live {
    fn start(home: Home, arguments: &[&str]) -> Self {
        Self::start_with(home, arguments, &[])
    }

    fn with_retailers(home: Home) -> Self {
        Self::start(home, &[&BEHIND[..], &["--retailers", "retailers.toml"]].concat())
    }

    fn start_with(home: Home, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = home.command(&[&FIXED[..], arguments].concat());
        let mut child = command.envs(environment.iter().copied()).stderr(Stdio::piped()).spawn().expect("it starts");
        let stderr = BufReader::new(child.stderr.take().expect("stderr"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut live = Self { child: Running(child), home, lines, first: Vec::new(), address: String::new() };
        let mut first = Vec::new();
        while first.last().is_none_or(|line: &String| !line.contains("listening on ")) {
            first.push(live.line_with(""));
        }
        let line = &first[first.len() - 1];
        let address = line.split("listening on ").nth(1).and_then(|rest| rest.split([' ', '"']).next());
        (live.address, live.first) = (address.expect("an address").to_owned(), first);
        live
    }

    fn line_with(&self, text: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|why| panic!("no line with {text:?}: {why}"));
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Renews its files, and returns the line with that text which follows.
    fn reload(&self, text: &str) -> String {
        self.signal("HUP");
        self.line_with(text)
    }

    fn signal(&self, name: &str) {
        let id = self.child.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().expect("kill").success());
    }
}

fn home_with_key() -> Home {
    let home = Home::new();
    write_private(&home, "root.key", "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n");
    home
}

/// Writes a certificate for 127.0.0.1 and its key into the home; returns the certificate.
fn renew(home: &Home) -> reqwest::Certificate {
    let pair = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    std::fs::write(home.path().join("chain.pem"), pair.cert.pem()).expect("write");
    std::fs::write(home.path().join("key.pem"), pair.signing_key.serialize_pem()).expect("write");
    set_mode(&home.path().join("key.pem"), 0o600);
    reqwest::Certificate::from_pem(pair.cert.pem().as_bytes()).expect("a certificate")
}

const TLS: [&str; 5] = ["--tls-certificate", "chain.pem", "--tls-key", "key.pem", "--otp-log"];

/// What a new connection that trusts this certificate alone is answered; none if it does not come about.
async fn status(live: &Live, certificate: &reqwest::Certificate) -> Option<u16> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([certificate.clone()]).build().expect("a client");
    let answer = client.get(format!("{}/healthz", live.address)).send().await;
    answer.ok().map(|answer| answer.status().as_u16())
}

#[test]
fn everything_that_is_missing_is_named_at_once_and_nothing_is_made() {
    let home = Home::new();
    let run = home.run(&["serve"]).ends(2);
    for flag in ["--key-file", "--public-url", "--tls-certificate", "--behind-proxy", "--otp-gateway"] {
        assert!(run.err.contains(flag), "{flag}: {}", run.err);
    }
    assert_eq!(std::fs::read_dir(home.path()).expect("folder").count(), 0);
}

#[test]
fn a_key_that_others_can_read_or_that_is_missing_is_refused_with_its_remedy() {
    let home = home_with_key();
    renew(&home);
    let serve = |more: &[&str]| {
        let fixed = ["serve", "--public-url", "https://127.0.0.1", "--listen", "127.0.0.1:0"];
        home.run(&[&fixed[..], &TLS[..], more].concat())
    };
    set_mode(&home.path().join("key.pem"), 0o644);
    serve(&["--key-file", "root.key"]).ends(2).says("key.pem can be read by others").says("chmod 600 key.pem");
    set_mode(&home.path().join("key.pem"), 0o600);
    set_mode(&home.path().join("root.key"), 0o640);
    let refused = serve(&["--key-file", "root.key"]).ends(2).says("root.key can be read by others");
    assert!(!refused.err.contains("password"), "{}", refused.err);
    serve(&["--key-file", "nowhere.key"]).ends(2).says("nowhere.key").says("--key-file").says("base64");
}

#[test]
fn the_wrong_root_key_is_a_wrong_setting_and_named_with_the_right_one() {
    let mut live = Live::start(home_with_key(), &BEHIND);
    live.signal("TERM");
    assert_eq!(live.child.0.wait().expect("ends").code(), Some(0));
    write_private(&live.home, "root.key", "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=\n");
    let refused = live.home.run(&[&FIXED[..], &BEHIND].concat()).ends(2);
    refused.says("805f-82f9-95e0-a410").says("Start the service with the key file that belongs to");
}

#[test]
fn a_secret_of_the_gateway_that_cannot_be_used_is_refused_with_its_remedy() {
    let home = home_with_key();
    let serve = |more: &[&str]| {
        let fixed = ["serve", "--key-file", "root.key", "--public-url", "https://x.example", "--behind-proxy"];
        home.run(&[&fixed[..], &["--otp-gateway", "https://sms.example/send"], more].concat())
    };
    serve(&[]).ends(2).says("--otp-gateway-secret-file FILE").says("ORDERSYNC_OTP_GATEWAY_SECRET");
    let file = ["--otp-gateway-secret-file", "gateway.secret"];
    serve(&file).ends(2).says("cannot read gateway.secret").says("on one line");
    for (text, mode, said) in [
        ("\n", 0o600, "gateway.secret has no secret"),
        ("canary short", 0o600, "at least 16 characters"),
        ("canary of a secret", 0o644, "chmod 600 gateway.secret"),
    ] {
        write_private(&home, "gateway.secret", text);
        set_mode(&home.path().join("gateway.secret"), mode);
        let refused = serve(&file).ends(2).says(said);
        assert!(!refused.err.contains("canary"), "{}", refused.err);
    }
}

#[tokio::test]
async fn a_hangup_renews_the_certificate_and_a_bad_one_changes_nothing() {
    let home = home_with_key();
    let first = renew(&home);
    let mut live = Live::start(home, &[&["--public-url", "https://127.0.0.1"][..], &TLS].concat());
    assert_eq!(status(&live, &first).await, Some(200));
    let second = renew(&live.home);
    assert_eq!(status(&live, &second).await, None, "the old one is in force until the signal comes");
    live.reload("reloaded");
    assert_eq!((status(&live, &first).await, status(&live, &second).await), (None, Some(200)));
    std::fs::write(live.home.path().join("chain.pem"), "no certificate").expect("write");
    live.reload("not reloaded");
    assert_eq!(status(&live, &second).await, Some(200));
    for signal in ["USR1", "USR2"] {
        live.signal(signal);
        assert_eq!(status(&live, &second).await, Some(200), "{signal}");
    }
    live.signal("TERM");
    assert_eq!(live.child.0.wait().expect("ends").code(), Some(0));
}

/// The names of the retailers.
async fn listed(live: &Live) -> Vec<Value> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let answer = client.get(format!("{}/sync/retailers", live.address)).send().await.expect("an answer");
    let list: Value = answer.json().await.expect("JSON");
    list.as_array().expect("a list").iter().map(|retailer| retailer["displayName"].clone()).collect()
}

#[tokio::test]
async fn a_hangup_renews_the_retailers() {
    let home = home_with_key();
    let retailers = home.path().join("retailers.toml");
    let shop = |id: u32, name: &str| {
        format!(
            "[[retailer]]\nid = {id}\ndisplay_name = \"{name}\"\nconnector = \"oscar\"\nbase_url = \"https://{name}.example\"\n"
        )
    };
    std::fs::write(&retailers, shop(101, "first")).expect("write");
    let live = Live::with_retailers(home);
    assert_eq!(listed(&live).await, ["first"]);
    std::fs::write(&retailers, shop(101, "first") + &shop(102, "second")).expect("write");
    live.reload("reloaded");
    assert_eq!(listed(&live).await, ["first", "second"]);
    std::fs::write(&retailers, shop(101, "first") + &shop(101, "second")).expect("write");
    assert!(live.reload("not reloaded").contains("retailers.toml"), "the file is named");
    assert_eq!(listed(&live).await, ["first", "second"]);
    std::fs::write(&retailers, "").expect("write");
    live.signal("HUP");
    for id in ["retailer_id=101", "retailer_id=102"] {
        assert!(live.line_with("gone from the file").contains(id));
    }
    live.line_with("no retailer is configured");
}

/// A recipe that is a copy of the one for `WooCommerce`.
const RECIPE: &str = include_str!("../../recipes/woocommerce.toml");

#[tokio::test]
async fn a_recipe_is_read_with_the_retailers_and_again_after_a_hangup() {
    let home = home_with_key();
    let (retailers, recipe) = (home.path().join("retailers.toml"), home.path().join("shop.toml"));
    let shop = |name: &str| {
        format!(
            "[[retailer]]\nid = 301\ndisplay_name = \"{name}\"\nrecipe = \"shop.toml\"\nbase_url = \"https://shop.example\"\n"
        )
    };
    std::fs::write(&recipe, RECIPE).expect("write");
    std::fs::write(&retailers, shop("first")).expect("write");
    let live = Live::with_retailers(home);
    assert_eq!(listed(&live).await, ["first"]);
    std::fs::write(&retailers, shop("second")).expect("write");
    std::fs::write(&recipe, RECIPE.replace("status = \"mark", "status = \"mark[")).expect("write");
    assert!(live.reload("not reloaded").contains("shop.toml: order.status: "), "file and key are named");
    assert_eq!(listed(&live).await, ["first"]);
    std::fs::write(&recipe, RECIPE).expect("write");
    live.reload("retailers_changed=1");
    assert_eq!(listed(&live).await, ["second"]);
    // The recipe alone.
    std::fs::write(&recipe, RECIPE.replace("status = \"mark", "status = \"mark[")).expect("write");
    assert!(live.reload("not reloaded").contains("shop.toml: order.status: "), "file and key are named");
    std::fs::write(&recipe, format!("# A note.\n{RECIPE}")).expect("write");
    live.reload("retailers_changed=1");
    live.reload("retailers_unchanged=1");
}

#[tokio::test]
async fn a_service_starts_without_the_retailer_whose_recipe_has_a_mistake_and_takes_it_up_when_it_is_corrected() {
    let home = home_with_key();
    let recipe = home.path().join("shop.toml");
    let shop = |id: u32, source: &str| {
        format!(
            "[[retailer]]\nid = {id}\ndisplay_name = \"shop {id}\"\n{source}\nbase_url = \"https://s{id}.example\"\n"
        )
    };
    let shops = shop(101, "connector = \"oscar\"") + &shop(301, "recipe = \"shop.toml\"");
    std::fs::write(home.path().join("retailers.toml"), shops).expect("write");
    std::fs::write(&recipe, RECIPE.replace("status = \"mark", "status = \"mark[")).expect("write");
    let live = Live::with_retailers(home);
    assert_eq!(listed(&live).await, ["shop 101", "shop 301"]);
    live.signal("HUP");
    let line = live.line_with("a retailer cannot be used");
    assert!(line.contains("ERROR") && line.contains("retailer_id=301") && line.contains("shop.toml: order.status: "));
    live.line_with("retailers_broken=1");
    std::fs::write(&recipe, RECIPE).expect("write");
    live.reload("retailers_added=1");
}

/// Writes a private file into the home.
fn write_private(home: &Home, name: &str, text: &str) {
    std::fs::write(home.path().join(name), text).expect("write");
    set_mode(&home.path().join(name), 0o600);
}

#[test]
fn a_hangup_that_removes_a_shop_lets_its_running_sync_finish() {
    let is_open = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&is_open);
    let shop = Site::start(|_| {
        move |asked: &Asked| match asked.path.as_str() {
            "/my-account/orders/" if asked.cookie.contains("session=") => {
                page("en-US", &woo_list(&["100872", "100871"], false))
            }
            path => {
                // The pages of orders come once the file of retailers was read again.
                let started = std::time::Instant::now();
                while path.contains("view-order") && !gate.load(Ordering::SeqCst) && started.elapsed() < PATIENCE {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                woocommerce(asked)
            }
        }
    });
    let home = home_with_key();
    let add = ["admin", "retailers", "add", &shop.uri, "--retailers", "retailers.toml", "--allow-private-network"];
    home.run(&[&add[..], &["--name", "Gone", "--currency", "USD"]].concat()).ends(0);
    write_private(&home, "credentials.json", &format!("{{\"username\":\"{USER}\",\"password\":\"{PASSWORD}\"}}"));
    let live = Live::start(home, &["--sandbox", "--retailers", "retailers.toml"]);
    let token = live.home.run(&["sandbox", "token", "--base-url", &live.address]).ends(0).out.trim().to_owned();
    let run = |arguments: &[&str]| {
        let mut command = live.home.command(arguments);
        command.env("ORDERSYNC_BASE_URL", &live.address).env("ORDERSYNC_TOKEN", &token);
        Run::of(command)
    };
    run(&["api", "POST", "/local/look", "-f", "url=shop.example"]).ends(5).says("nothing at");
    run(&["connect", "gone", "--credentials-file", "credentials.json", "--no-wait"]).ends(0);
    let started = std::time::Instant::now();
    while !shop.asked().iter().any(|asked| asked.contains("view-order")) {
        assert!(started.elapsed() < PATIENCE, "{:?}", shop.asked());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let remove =
        ["admin", "retailers", "remove", "Gone", "--retailers", "retailers.toml", "--database", "db.sqlite3", "--yes"];
    live.home.run(&remove).ends(1).says("Gone is connected").says("Its users have to remove their connections first.");
    write_private(&live.home, "retailers.toml", "[[retailer]]\nid = 1\n");
    assert!(live.reload("not reloaded").contains("retailers.toml"), "a broken file is named");
    write_private(&live.home, "retailers.toml", "");
    live.reload("retailers_removed=1");
    is_open.store(true, Ordering::SeqCst);
    run(&["sessions", "watch"]).ends(0);
    run(&["orders", "list"]).ends(0).prints("Marmalade");
}

#[test]
fn a_certificate_for_another_host_is_reported_and_used() {
    let home = home_with_key();
    renew(&home);
    let live = Live::start(home, &[&["--public-url", "https://orders.example"], &TLS[..]].concat());
    assert!(live.first.iter().any(|line| line.contains("not for orders.example")), "{:?}", live.first);
}

#[test]
fn a_json_log_is_json_from_the_first_line_to_the_last() {
    let mut live = Live::start(home_with_key(), &[&BEHIND[..], &["--log", "json"]].concat());
    live.signal("TERM");
    assert_eq!(live.child.0.wait().expect("ends").code(), Some(0));
    let json = |line: String| serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line}"));
    let said: Vec<Value> = std::mem::take(&mut live.first).into_iter().chain(live.lines.iter()).map(json).collect();
    let started = said.iter().find(|line| line["message"] == "started").expect("a line");
    assert_eq!(started["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&started["store"], &started["clients"]), (&"db.sqlite3".into(), &1.into()));
    assert_eq!(started["root_key"], "805f-82f9-95e0-a410");
    assert_eq!(said.last().expect("a line")["message"], "Stopped.");
}

#[test]
fn why_a_service_does_not_start_is_json_in_a_json_log() {
    let home = Home::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = listener.local_addr().expect("an address").to_string();
    let failed = |arguments: &[&str], code: i32| -> Value {
        let run = home.run(&[&["serve", "--log", "json"], arguments].concat()).ends(code);
        let json = |line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
        run.err.lines().map(json).collect::<Vec<_>>().pop().expect("a line")
    };
    let error = failed(&["--sandbox", "--listen", &taken], 1);
    assert_eq!([&error["level"], &error["code"]], ["ERROR", "LISTEN"], "{error}");
    assert!(error["message"].as_str().is_some_and(|message| message.contains(&taken)), "{error}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.starts_with("Give another address")), "{error}");
    assert!(failed(&[], 2)["message"].as_str().is_some_and(|message| message.contains("settings are missing")));
    std::fs::create_dir(home.path().join("config")).expect("a folder");
    std::fs::write(home.path().join("config").join("config.toml"), "x = [").expect("a file");
    assert!(failed(&["--sandbox"], 2)["message"].as_str().is_some_and(|message| message.contains("config.toml")));
}

#[tokio::test]
async fn one_time_passwords_reach_a_gateway_on_loopback_past_every_proxy() {
    use wiremock::matchers::any;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    let (gateway, proxy) = (MockServer::start().await, MockServer::start().await);
    for server in [&gateway, &proxy] {
        Mock::given(any()).respond_with(ResponseTemplate::new(204)).mount(server).await;
    }
    let (to_gateway, through) = (gateway.uri(), proxy.uri());
    let more = ["--public-url", "https://x.example", "--behind-proxy", "--otp-gateway", &to_gateway];
    let more = [&more[..], &["--otp-gateway-secret-file", "gateway.secret"]].concat();
    let environment = [
        // The file comes first: this one would be too short.
        ("ORDERSYNC_OTP_GATEWAY_SECRET", "short"),
        ("HTTP_PROXY", &through),
        ("http_proxy", &through),
    ];
    let home = home_with_key();
    write_private(&home, "gateway.secret", "a secret of the gateway\n");
    let live = Live::start_with(home, &more, &environment);
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let page = client.get(format!("{}/device", live.address)).send().await.expect("an answer");
    let cookie = page.headers()["set-cookie"].to_str().expect("text").split(';').next().expect("a cookie").to_owned();
    let page = page.text().await.expect("a page");
    let csrf = page.split("name=\"csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a field");
    let form = [("phone", "+14155550123"), ("next", "/device"), ("csrf", csrf)];
    let sent = client.post(format!("{}/sign-in", live.address)).header("cookie", cookie).form(&form).send().await;
    assert_eq!(sent.expect("an answer").status().as_u16(), 200);
    assert_eq!(gateway.received_requests().await.expect("recorded").len(), 1);
    assert_eq!(proxy.received_requests().await.expect("recorded").len(), 0);
}
