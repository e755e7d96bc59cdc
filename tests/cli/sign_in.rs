//! Signing in, staying signed in, and what becomes of it where the authorization server is odd.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use sha2::{Digest as _, Sha256};
use url::Url;
use wiremock::ResponseTemplate;

use super::authorization_server::{AuthorizationServer, refusal, tokens};
use super::support::{Home, Run};

fn command(home: &Home, address: &str, arguments: &[&str]) -> Command {
    let mut command = home.command(arguments);
    command.env("ORDERSYNC_BASE_URL", address);
    command
}

/// Runs beside the server, which lives in this thread's runtime.
fn run(home: &Home, server: &AuthorizationServer, arguments: &[&str]) -> Run {
    Run::of(command(home, &server.address(), arguments))
}

/// Where the sign-in is kept.
fn kept(home: &Home) -> Vec<PathBuf> {
    let folder = home.path().join("data/sign-in");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let files = entries.map(|entry| entry.expect("entry").path());
    files.filter(|path| path.extension().is_some_and(|kind| kind == "json")).collect()
}

/// `auth login` that waits for a browser.
struct Waiting {
    child: Child,
    page: Url,
    rest: Box<dyn Iterator<Item = String> + Send>,
}

impl Waiting {
    fn start(home: &Home, address: &str, more: &[&str]) -> Self {
        let mut command = command(home, address, &[&["auth", "login", "--no-browser"], more].concat());
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("stderr")).lines().map_while(Result::ok);
        let page = lines.find_map(|line| Url::parse(line.trim()).ok()).expect("a page");
        Self { child, page, rest: Box::new(lines) }
    }

    fn parameter(&self, name: &str) -> String {
        self.page.query_pairs().find(|(key, _)| key == name).unwrap_or_else(|| panic!("{name}")).1.into_owned()
    }

    /// What the browser is shown when it comes back with these parameters.
    fn come_back(&self, parameters: &[(&str, &str)]) -> String {
        let mut redirect = Url::parse(&self.parameter("redirect_uri")).expect("url");
        redirect.query_pairs_mut().extend_pairs(parameters);
        let address = redirect.socket_addrs(|| None).expect("address")[0];
        let mut stream = TcpStream::connect(address).expect("connect");
        let target = format!("{}?{}", redirect.path(), redirect.query().unwrap_or_default());
        write!(stream, "GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").expect("write");
        let mut page = String::new();
        stream.read_to_string(&mut page).expect("read");
        page
    }

    fn end(mut self) -> Run {
        let err = self.rest.by_ref().collect::<Vec<_>>().join("\n");
        let mut out = String::new();
        self.child.stdout.take().expect("stdout").read_to_string(&mut out).expect("read");
        let code = self.child.wait().expect("it ends").code().expect("a code");
        Run { code, out, err }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_comes_back_and_the_sign_in_is_kept_and_used() {
    let server = AuthorizationServer::start(vec![tokens("canary_at", "canary_rt", 3600)]).await;
    let server = server.accepting(&["canary_at"]).await;
    let (home, address) = (Home::new(), server.address());
    let waiting = Waiting::start(&home, &address, &["--scopes", "accounts:read profile:read"]);
    assert_eq!(waiting.parameter("response_type"), "code");
    assert_eq!(waiting.parameter("client_id"), "ordersync-cli");
    assert_eq!(waiting.parameter("code_challenge_method"), "S256");
    assert_eq!(waiting.parameter("scope"), "accounts:read profile:read");
    let redirect = waiting.parameter("redirect_uri");
    assert!(redirect.starts_with("http://127.0.0.1:") && redirect.ends_with("/callback"), "{redirect}");
    let (challenge, state) = (waiting.parameter("code_challenge"), waiting.parameter("state"));

    // Another page of this machine guesses, and ends nothing.
    assert!(waiting.come_back(&[("code", "theirs"), ("state", "guessed")]).starts_with("HTTP/1.1 400"));
    let page = waiting.come_back(&[("code", "canary_code"), ("state", &state), ("iss", &address)]);
    assert!(page.contains("You are signed in"), "{page}");
    waiting.end().ends(0).says("as Ada (phone …0142)").says("Stored in ").says("a file that only you can read");

    let [exchange] = &server.token_requests()[..] else { panic!("one exchange") };
    assert_eq!(exchange["grant_type"], "authorization_code");
    assert_eq!(exchange["code"], "canary_code");
    assert_eq!(exchange["redirect_uri"], redirect);
    assert!(!exchange.contains_key("client_secret") && !exchange.contains_key("authorization"));
    assert_eq!(base64(&Sha256::digest(&exchange["code_verifier"])), challenge);

    run(&home, &server, &["connections"]).ends(0).says("No retailer is connected");
    run(&home, &server, &["auth", "token"]).ends(0).prints("canary_at");
    // Nobody is signed in elsewhere.
    home.run(&["connections", "--base-url", "https://other.test"]).ends(4).says("ordersync auth login");
    private(&kept(&home));
}

fn private(files: &[PathBuf]) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| std::fs::metadata(path).expect("file").permissions().mode() & 0o777;
    assert_eq!(files.iter().map(|path| mode(path)).collect::<Vec<_>>(), [0o600]);
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_from_elsewhere_or_was_refused_is_not_signed_in() {
    for (parameters, code, text) in [
        (&[("code", "c"), ("iss", "https://evil.test")][..], 1, "came back from https://evil.test"),
        (&[("code", "c")], 1, "nobody in particular"),
        (&[("error", "access_denied"), ("iss", "")], 4, "refused on the page"),
        (&[("error", "invalid_scope"), ("iss", "")], 4, "may not have these scopes"),
        (&[("iss", "")], 1, "without a code"),
    ] {
        let server = AuthorizationServer::start(vec![refusal("unexpected")]).await;
        let (home, address) = (Home::new(), server.address());
        let waiting = Waiting::start(&home, &address, &[]);
        let state = waiting.parameter("state");
        let mut parameters: Vec<(&str, &str)> =
            parameters.iter().map(|(name, value)| (*name, if value.is_empty() { &address } else { *value })).collect();
        parameters.push(("state", &state));
        let page = waiting.come_back(&parameters);
        assert!(page.contains("You are not signed in"), "{page}");
        waiting.end().ends(code).says(text);
        assert!(server.token_requests().is_empty() && kept(&home).is_empty(), "{text}");
    }
}

#[tokio::test]
async fn a_server_that_is_another_or_takes_secrets_in_the_clear_is_not_believed() {
    let home = Home::new();
    for (changes, text) in [
        (json!({ "issuer": "https://evil.test" }), "says that it is https://evil.test"),
        (json!({ "token_endpoint": "http://a.test/token" }), "which is not https"),
        (json!({ "token_endpoint": null }), "cannot be understood"),
    ] {
        let server = AuthorizationServer::with_metadata(vec![refusal("unexpected")], changes).await;
        run(&home, &server, &["auth", "login", "--device"]).ends(1).says(text);
    }
    let server = wiremock::MockServer::start().await;
    let login = command(&home, &server.uri(), &["auth", "login", "--device"]);
    Run::of(login).ends(1).says("has no authorization server").says("--with-token");
}

#[tokio::test]
async fn a_code_is_entered_elsewhere() {
    let pending = || refusal("authorization_pending");
    let server = AuthorizationServer::start(vec![pending(), pending(), tokens("at", "rt", 3600)]).await;
    let server = server.accepting(&["at"]).await;
    let home = Home::new();
    let login = run(&home, &server, &["auth", "login", "--device"]).ends(0);
    login.says("WDJB-MJHT").says("/device?user_code=WDJB-MJHT").says("Signed in at");
    let requests = server.token_requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[2]["grant_type"], "urn:ietf:params:oauth:grant-type:device_code");
    assert_eq!(requests[2]["device_code"], "canary_dc");
    for (error, text) in
        [("expired_token", "Nobody entered the code in time"), ("access_denied", "refused on the page")]
    {
        let server = AuthorizationServer::start(vec![pending(), refusal(error)]).await;
        let home = Home::new();
        run(&home, &server, &["auth", "login", "--device"]).ends(4).says(text).says("ordersync auth login");
        assert!(kept(&home).is_empty());
    }
}

/// A sign-in whose access token is to be renewed at once.
fn signed_in(home: &Home, server: &AuthorizationServer) {
    run(home, server, &["auth", "login", "--device"]).ends(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_commands_at_once_renew_once() {
    let answers =
        vec![tokens("old", "rt_1", 1), tokens("new", "rt_2", 3600).set_delay(std::time::Duration::from_millis(300))];
    let server = AuthorizationServer::start(answers).await.accepting(&["old", "new"]).await;
    let home = Home::new();
    signed_in(&home, &server);
    let address = server.address();
    let commands: Vec<_> = (0..10)
        .map(|_| {
            let mut command = command(&home, &address, &["connections"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
        })
        .collect();
    for child in commands {
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let renewals: Vec<_> =
        server.token_requests().into_iter().filter(|request| request["grant_type"] == "refresh_token").collect();
    assert_eq!(renewals.len(), 1);
    assert_eq!(renewals[0]["refresh_token"], "rt_1");
    run(&home, &server, &["auth", "token"]).ends(0).prints("new");
}

#[tokio::test]
async fn a_token_that_is_refused_is_renewed_once() {
    let server = AuthorizationServer::start(vec![tokens("revoked", "rt_1", 3600), tokens("new", "rt_2", 3600)]).await;
    let server = server.accepting(&["new"]).await;
    let home = Home::new();
    signed_in(&home, &server);
    run(&home, &server, &["connections"]).ends(0);
    assert_eq!(server.token_requests().len(), 2);
    // One that is refused again is reported, not renewed forever.
    let server = AuthorizationServer::start(vec![tokens("bad", "rt", 3600)]).await.accepting(&[]).await;
    signed_in(&home, &server);
    run(&home, &server, &["connections"]).ends(4).says("ordersync auth login").says("request id: req_1");
    assert_eq!(server.token_requests().len(), 2);
}

#[tokio::test]
async fn a_sign_in_that_the_service_has_ended_is_told_and_not_tried_again() {
    let server = AuthorizationServer::start(vec![tokens("old", "used", 1), refusal("invalid_grant")]).await;
    let server = server.accepting(&[]).await;
    let home = Home::new();
    signed_in(&home, &server);
    run(&home, &server, &["connections"]).ends(4).says("Your sign-in has ended").says("ordersync auth login");
    let tried = server.token_requests().len();
    run(&home, &server, &["connections"]).ends(4);
    let status = run(&home, &server, &["auth", "status", "-o", "json"]).ends(4);
    assert_eq!(status.json()["signedIn"], false);
    assert_eq!(server.token_requests().len(), tried);
}

#[tokio::test]
async fn a_server_that_is_down_ends_no_sign_in() {
    let answers = vec![tokens("old", "rt", 1), ResponseTemplate::new(503), tokens("new", "rt", 3600)];
    let server = AuthorizationServer::start(answers).await.accepting(&["new"]).await;
    let home = Home::new();
    signed_in(&home, &server);
    run(&home, &server, &["connections"]);
    run(&home, &server, &["connections"]).ends(0);
}

#[tokio::test]
async fn status_says_who_what_until_when_and_where() {
    let server = AuthorizationServer::start(vec![tokens("at", "rt", 3600)]).await.accepting(&["at"]).await;
    let home = Home::new();
    run(&home, &server, &["auth", "status"]).ends(4).says("not signed in");
    signed_in(&home, &server);
    let status = run(&home, &server, &["auth", "status"]).ends(0);
    let status = status.prints("Ada (phone …0142)").prints("accounts:read profile:read").prints("then renewed");
    status.prints(kept(&home)[0].to_str().expect("text"));
    let json = run(&home, &server, &["auth", "status", "-o", "json"]).ends(0).json();
    assert_eq!(json["user"]["phoneLast4"], "0142");
    assert_eq!(json["scopes"], json!(["accounts:read", "profile:read"]));
    assert_eq!((&json["signedIn"], &json["renewable"]), (&json!(true), &json!(true)));
    run(&home, &server, &["profile"]).ends(0).prints("…0142");
}

#[tokio::test]
async fn signing_out_revokes_and_forgets() {
    let server = AuthorizationServer::start(vec![tokens("at", "rt", 3600)]).await.accepting(&["at"]).await;
    let home = Home::new();
    signed_in(&home, &server);
    run(&home, &server, &["auth", "logout"]).ends(0).says("Signed out");
    let revocations = server.revocations().await;
    assert_eq!(revocations.len(), 1);
    assert_eq!((revocations[0]["token"].as_str(), revocations[0]["client_id"].as_str()), ("rt", "ordersync-cli"));
    assert!(kept(&home).is_empty());
    run(&home, &server, &["connections"]).ends(4);
    run(&home, &server, &["auth", "logout"]).ends(0).says("Nobody is signed in");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_while_a_token_is_renewed_loses_no_token() {
    let slow = tokens("new", "rt_2", 3600).set_delay(std::time::Duration::from_secs(2));
    let server = AuthorizationServer::start(vec![tokens("old", "rt_1", 1), slow]).await.accepting(&["new"]).await;
    let home = Home::new();
    signed_in(&home, &server);
    let mut command = command(&home, &server.address(), &["connections"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    while server.token_requests().len() < 2 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let stored = std::fs::read_to_string(&kept(&home)[0]).expect("read");
    assert!(stored.contains("rt_2") && !stored.contains("rt_1"), "the new refresh token is stored");
    run(&home, &server, &["connections"]).ends(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_ctrl_c_ends_the_command_at_once() {
    let slow = tokens("new", "rt_2", 3600).set_delay(std::time::Duration::from_secs(3600));
    let server = AuthorizationServer::start(vec![tokens("old", "rt_1", 1), slow]).await;
    let home = Home::new();
    signed_in(&home, &server);
    let mut command = command(&home, &server.address(), &["connections"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    while server.token_requests().len() < 2 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let began = std::time::Instant::now();
    // The second one counts once the first was taken.
    while child.try_wait().expect("wait").is_none() {
        assert!(began.elapsed() < std::time::Duration::from_secs(300), "it does not end");
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    }
    assert_eq!(child.wait().expect("wait").code(), Some(130));
}

/// A place for messages between programs that takes a connection and never answers.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn signing_out_beside_a_silent_keyring_says_so_and_is_not_undone() {
    let server = AuthorizationServer::start(vec![tokens("at", "rt", 3600)]).await.accepting(&["at"]).await;
    let home = Home::new();
    signed_in(&home, &server);
    let socket = home.path().join("bus");
    let _silent = std::os::unix::net::UnixListener::bind(&socket).expect("socket");
    let mut logout = command(&home, &server.address(), &["auth", "logout"]);
    logout.env("ORDERSYNC_TOKEN_STORE", "auto");
    logout.env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", socket.display()));
    Run::of(logout).ends(0).says("Signed out").says("keyring could not be reached").says("will not use it");
    assert!(kept(&home).is_empty());
    let left = std::fs::read_dir(home.path().join("data/sign-in")).expect("folder");
    let left: Vec<String> =
        left.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect();
    assert!(left.iter().any(|name| name.ends_with(".signed-out")), "{left:?}");
    signed_in(&home, &server);
    run(&home, &server, &["connections"]).ends(0);
}

#[tokio::test]
async fn a_service_that_cannot_be_told_leaves_the_sign_in_where_it_is() {
    let home = Home::new();
    let address = {
        let server = AuthorizationServer::start(vec![tokens("at", "rt", 3600)]).await.accepting(&["at"]).await;
        signed_in(&home, &server);
        let file = &kept(&home)[0];
        let text = std::fs::read_to_string(file).expect("read");
        let text = text.replace(&format!("{}/oauth/revoke", server.address()), "http://127.0.0.1:1/");
        std::fs::write(file, text).expect("write");
        server.address()
    };
    let logout = |more: &[&str]| Run::of(command(&home, &address, &[&["auth", "logout"], more].concat()));
    logout(&[]).ends(3).says("Nothing is forgotten yet").says("auth logout --local");
    assert_eq!(kept(&home).len(), 1);
    logout(&["--local"]).ends(0).says("was not notified");
    assert!(kept(&home).is_empty());
}

#[tokio::test]
async fn a_token_from_elsewhere_is_tried_then_kept() {
    let server = AuthorizationServer::start(vec![refusal("unexpected")]).await.accepting(&["good"]).await;
    let (home, address) = (Home::new(), server.address());
    let login = |token: &str| {
        let mut command = command(&home, &address, &["auth", "login", "--with-token"]);
        let file = home.path().join("token");
        std::fs::write(&file, token).expect("write");
        command.stdin(std::fs::File::open(file).expect("open"));
        command
    };
    Run::of(login("canary_bad\n")).ends(4).says("not accepted");
    Run::of(login("\n")).ends(2).says("holds no access token");
    assert!(kept(&home).is_empty());
    Run::of(login("good\n")).ends(0).says("as Ada");
    run(&home, &server, &["connections"]).ends(0);
    run(&home, &server, &["auth", "status"]).ends(0).prints("token from elsewhere");
}

#[tokio::test]
async fn a_back_end_signs_in_with_its_secret_and_again_when_the_token_ends() {
    let tokens = |access: &str, expires_in: u64| {
        let body = json!({ "access_token": access, "token_type": "Bearer", "expires_in": expires_in });
        ResponseTemplate::new(200).set_body_json(body)
    };
    let server = AuthorizationServer::start(vec![tokens("at_1", 1), tokens("at_2", 3600)]).await;
    let server = server.accepting(&["at_2"]).await;
    let (home, address) = (Home::new(), server.address());
    let arguments = ["auth", "login", "--client-credentials", "--scopes", "users:share"];
    run(&home, &server, &arguments).ends(2).says("ORDERSYNC_CLIENT_SECRET");
    let mut login = command(&home, &address, &arguments);
    login.env("ORDERSYNC_CLIENT_ID", "client_1").env("ORDERSYNC_CLIENT_SECRET", "canary_cs");
    Run::of(login).ends(0);
    run(&home, &server, &["connections"]).ends(0);
    let requests = server.token_requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!(request["grant_type"], "client_credentials");
        assert_eq!(request["scope"], "users:share");
        assert_eq!(request["authorization"], "Basic Y2xpZW50XzE6Y2FuYXJ5X2Nz");
    }
}

#[tokio::test]
async fn a_token_of_the_environment_goes_before_a_sign_in() {
    let server = AuthorizationServer::start(vec![tokens("at", "rt", 3600)]).await.accepting(&["at"]).await;
    let (home, address) = (Home::new(), server.address());
    signed_in(&home, &server);
    let with_token = |arguments: &[&str]| {
        let mut command = command(&home, &address, arguments);
        command.env("ORDERSYNC_TOKEN", "other");
        Run::of(command)
    };
    with_token(&["connections"]).ends(4).says("ORDERSYNC_TOKEN is not accepted");
    with_token(&["auth", "status"]).ends(4);
    with_token(&["auth", "token"]).ends(0).prints("other");
}

#[tokio::test]
async fn the_trace_of_a_sign_in_shows_no_secret() {
    let answers = vec![
        refusal("authorization_pending"),
        tokens("canary_at1", "canary_rt1", 1),
        tokens("canary_at2", "canary_rt2", 3600),
    ];
    let server = AuthorizationServer::start(answers).await.accepting(&["canary_at1", "canary_at2"]).await;
    let (home, address) = (Home::new(), server.address());
    let mut said = String::new();
    for arguments in [
        &["auth", "login", "--device", "-vv"][..],
        &["connections", "-vv"],
        &["auth", "status", "-vv"],
        &["auth", "logout", "-vv"],
    ] {
        let run = Run::of(command(&home, &address, arguments)).ends(0);
        said += &run.out;
        said += &run.err;
    }
    let waiting = Waiting::start(&home, &address, &["-vv"]);
    let state = waiting.parameter("state");
    waiting.come_back(&[("code", "canary_code"), ("state", &state), ("iss", &address)]);
    let run = waiting.end().ends(0);
    said += &run.err;
    assert!(said.contains("> POST /oauth/token") && said.contains("bytes that are not JSON"), "{said}");
    assert!(!said.contains("canary"), "{said}");
    let verifier = server.token_requests().pop().expect("exchange")["code_verifier"].clone();
    assert!(!said.contains(&verifier));
}

#[test]
fn the_local_service_needs_no_sign_in() {
    let home = Home::new();
    home.run(&["auth", "status"]).ends(0).prints("one user");
    home.run(&["auth", "login"]).ends(2).says("needs no sign-in").says("--base-url");
    home.run(&["profile"]).ends(0);
}

#[test]
fn a_script_does_not_wait_for_a_person() {
    let home = Home::new();
    let login = ["auth", "login", "--base-url", "https://a.test"];
    home.run(&login).ends(2).says("there is no terminal").says("--with-token").says("ordersync auth login --browser");
    home.run(&[&login[..], &["--no-input"]].concat()).ends(2).says("prompts are off").says("--with-token");
    let mut command = home.command(&login);
    command.env("CI", "1");
    Run::of(command).ends(2).says("CI is set");
    home.run(&[&login[..], &["--device", "--with-token"]].concat()).ends(2).says("cannot be used with");
}
