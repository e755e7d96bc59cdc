//! A client's back end, from its onboarding to its end, against the real service.

use std::process::Command;

use serde_json::Value;

use super::serve::Sandbox;
use super::support::{Run, set_mode};

/// A client that was onboarded: its id and its secret.
struct Client {
    id: String,
    secret: String,
}

fn create(sandbox: &Sandbox, more: &[&str]) -> Client {
    let arguments = ["admin", "clients", "create", "--name", "Budget app", "-o", "json"];
    let created = sandbox.run(&[&arguments[..], more].concat()).ends(0).json();
    let text = |name: &str| created[name].as_str().unwrap_or_default().to_owned();
    Client { id: text("clientId"), secret: text("clientSecret") }
}

/// A command that signs in for itself: without the token of the sandbox's user.
fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.command(arguments);
    command.env_remove("ORDERSYNC_TOKEN");
    command
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    Run::of(command(sandbox, arguments))
}

fn login(sandbox: &Sandbox, client: &Client, secret: &str) -> Run {
    let mut command = command(sandbox, &["auth", "login", "--client-credentials"]);
    command.env("ORDERSYNC_CLIENT_ID", &client.id).env("ORDERSYNC_CLIENT_SECRET", secret);
    Run::of(command)
}

#[test]
fn a_client_is_onboarded_signs_in_as_itself_and_makes_link_tokens() {
    let sandbox = Sandbox::start(&[]);
    let client = create(&sandbox, &["--scopes", "users:share"]);
    login(&sandbox, &client, "ordersync_cs_wrong").ends(4).says("does not know this client");
    login(&sandbox, &client, &client.secret).ends(0).says("Signed in at");
    // The secret was kept with the sign-in, and is used.
    let created = run(&sandbox, &["link-token", "create", "--external-user-id", "u-4711"]).ends(0);
    let created = created.says("opens the widget for \"u-4711\" until ");
    let mut share = command(&sandbox, &["users", "share"]);
    share.env("ORDERSYNC_LINK_TOKEN", created.out.trim());
    Run::of(share).ends(5).says("ordersync link-token create --external-user-id").says("one-time-password step");
    run(&sandbox, &["users", "share"]).ends(1).says("ordersync link-token create").says("ORDERSYNC_LINK_TOKEN");
    let stale = ["users", "share", "--link-token", "ordersync_sandbox_lt_nonsense"];
    run(&sandbox, &stale).ends(4).says("Create a new link token");
    let piped = sandbox.home.path().join("link");
    std::fs::write(&piped, &created.out).expect("write");
    let mut share = command(&sandbox, &["users", "share", "--link-token", "-"]);
    share.stdin(std::fs::File::open(piped).expect("open"));
    Run::of(share).ends(5);
    // If a scope is missing, the error says how to get it.
    run(&sandbox, &["orders", "list"]).ends(4).says("ordersync auth login --scopes");
    let long = "x".repeat(256);
    run(&sandbox, &["link-token", "create", "--external-user-id", &long]).ends(2).says("256 characters");
}

#[test]
fn a_missing_or_wrong_client_secret_is_told_with_its_remedy() {
    let sandbox = Sandbox::start(&[]);
    let create = ["link-token", "create", "--external-user-id", "u-1"];
    sandbox.run(&create).ends(1).says("X-Client-Secret").says("ORDERSYNC_CLIENT_SECRET");
    let mut command = sandbox.command(&create);
    command.env("ORDERSYNC_CLIENT_SECRET", "wrong");
    Run::of(command).ends(1).says("Check the client secret").says("ordersync auth status");
    let file = sandbox.home.path().join("secret");
    std::fs::write(&file, "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one\n").expect("write");
    let with_file = [&create[..], &["--client-secret-file", file.to_str().expect("text")]].concat();
    set_mode(&file, 0o644);
    sandbox.run(&with_file).ends(2).says("can be read by others");
    set_mode(&file, 0o600);
    sandbox.run(&with_file).ends(0).prints("ordersync_sandbox_lt_");
}

#[test]
fn a_secret_is_rotated_and_a_client_disabled() {
    let sandbox = Sandbox::start(&[]);
    let client = create(&sandbox, &[]);
    login(&sandbox, &client, &client.secret).ends(0);
    let rotated = sandbox.run(&["admin", "clients", "rotate-secret", &client.id, "-o", "json"]).ends(0).json();
    let secret = rotated["clientSecret"].as_str().expect("a secret");
    login(&sandbox, &client, &client.secret).ends(4);
    login(&sandbox, &client, secret).ends(0);
    sandbox.run(&["admin", "clients", "disable", &client.id]).ends(0).says("is disabled");
    run(&sandbox, &["auth", "status"]).ends(4);
    login(&sandbox, &client, secret).ends(4);
    let list = sandbox.run(&["admin", "clients", "list", "-o", "json"]).ends(0);
    assert!(!list.out.contains("ordersync_cs") && !list.out.contains("igest"), "{}", list.out);
    let Value::Array(clients) = list.json() else { panic!("a list") };
    assert!(clients.iter().any(|found| found["clientId"] == client.id.as_str() && !found["disabledAt"].is_null()));
    sandbox.run(&["admin", "clients", "list"]).ends(0).prints("Budget app").prints("disabled");
}

#[test]
fn what_is_wrong_with_a_client_is_told() {
    let sandbox = Sandbox::start(&[]);
    let create = |more: &[&str]| sandbox.run(&[&["admin", "clients", "create", "--name", "App"], more].concat());
    create(&["--redirect-uri", "http://app.example/back"]).ends(2).says("https");
    create(&["--scopes", "orders:read nonsense"]).ends(2).says("accounts:read");
    create(&["--public"]).ends(0).prints("Client ID:");
    sandbox.run(&["admin", "clients", "disable", "client_x"]).ends(5).says("admin clients list");
    sandbox.run(&["admin", "clients", "list", "--database", "nowhere.sqlite3"]).ends(5).says("nowhere.sqlite3");
    assert!(!sandbox.home.path().join("nowhere.sqlite3").exists());
}
