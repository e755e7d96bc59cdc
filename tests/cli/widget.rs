//! `widget open`: from nothing to the page of the widget, in one command.

use serde_json::Value;

use super::serve::Sandbox;
use super::support::{Home, Run};

/// What a browser is shown at that address.
async fn page(address: &str) -> String {
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = reqwest::Client::builder().no_proxy().cookie_store(true).build().expect("client");
    let response = client.get(address).header("accept", "text/html").send().await.expect("an answer");
    assert_eq!(response.status(), 200, "{address}");
    response.text().await.expect("text")
}

#[tokio::test]
async fn at_a_sandbox_nothing_has_to_be_set_up() {
    let sandbox = Sandbox::start(&[]);
    let open = |more: &[&str]| {
        let mut command = sandbox.home.command(&[&["widget", "open", "--base-url", &sandbox.address], more].concat());
        // No token, no secret, no browser.
        command.env_remove("DISPLAY");
        Run::of(command)
    };
    let run = open(&["--no-browser"]).ends(0).says("424242").says("user_good");
    let address = run.out.trim();
    assert!(address.starts_with(&format!("{}/widget?link_token=", sandbox.address)), "{address}");
    assert!(page(address).await.contains("name=\"phone\""), "the widget asks who it is");
    let shown: Value = open(&["-o", "json", "--external-user-id", "u1"]).ends(0).json();
    assert_eq!((&shown["externalUserId"], &shown["opened"]), (&"u1".into(), &false.into()));
    assert!(shown["expiresAt"].is_string());
    // Each time for another user of the app, so that any phone may sign in.
    assert_ne!(open(&["-o", "json"]).json()["externalUserId"], open(&["-o", "json"]).json()["externalUserId"]);
}

#[tokio::test]
async fn a_browser_is_started_with_the_address_and_without_secrets() {
    let sandbox = Sandbox::start(&[]);
    let seen = sandbox.home.path().join("seen");
    let browser = sandbox.home.path().join("browser");
    let script = format!("#!/bin/sh\necho \"$1\" > {0}.new; env >> {0}.new; mv {0}.new {0}\n", seen.display());
    std::fs::write(&browser, script).expect("write");
    super::support::set_mode(&browser, 0o755);
    let mut command = sandbox.home.command(&["widget", "open", "--base-url", &sandbox.address]);
    command.env("BROWSER", &browser).env("ORDERSYNC_SERVICE_KEY", "canary").env("ORDERSYNC_LINK_TOKEN", "canary");
    let run = Run::of(command).ends(0).says("has opened in your browser");
    while !seen.exists() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let seen = std::fs::read_to_string(seen).expect("it ran");
    assert_eq!(seen.lines().next(), Some(run.out.trim()));
    assert!(!seen.contains("canary"), "{seen}");
}

#[test]
fn elsewhere_it_says_what_it_needs() {
    let home = Home::new();
    let run = home.run(&["widget", "open"]).ends(2);
    run.says("nobody could use its widget").says("ordersync serve --sandbox").says("ordersync widget open --base-url");
    let mut command = home.command(&["widget", "open", "--base-url", "http://127.0.0.1:1"]);
    command.env("ORDERSYNC_CLIENT_SECRET", "s").env("ORDERSYNC_TOKEN", "t");
    Run::of(command).ends(2).says("--external-user-id ID");
}

#[tokio::test]
async fn a_service_that_is_no_sandbox_wants_the_clients_secret() {
    let server = wiremock::MockServer::start().await;
    let home = Home::new();
    let command = home.command(&["widget", "open", "--base-url", &server.uri()]);
    let run = Run::of(command);
    run.ends(2).says("needs the client's secret").says("ORDERSYNC_CLIENT_SECRET");
}

#[tokio::test]
async fn on_the_local_profile_a_sandbox_runs_until_ctrl_c_and_leaves_nothing() {
    use super::pty;

    let home = Home::new();
    let mut session = pty::start_in_shell(&home, &["widget", "open", "--no-browser"], &[]);
    let said = pty::expect(&mut session, "until you press Ctrl-C");
    let address =
        said.split_whitespace().find(|word| word.contains("/widget?link_token=")).expect("an address").to_owned();
    assert!(page(&address).await.contains("name=\"phone\""));
    pty::send(&mut session, "\x03");
    let said = pty::ends_restored(session, 0);
    assert!(!said.contains("^C"), "the shell's prompt would stand behind it: {said}");
    let left: Vec<_> = std::fs::read_dir(home.path().join("data")).expect("folder").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}
