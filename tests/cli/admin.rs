//! `admin`: what it reads it does not change, and what it changes it says.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::serve::Sandbox;
use super::support::{Home, Run};

/// Every file below a folder, with its contents.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path()) {
        if entry.is_dir() {
            found.insert(entry.display().to_string(), Vec::new());
            found.extend(files(&entry));
        } else {
            found.insert(entry.display().to_string(), std::fs::read(&entry).expect("file"));
        }
    }
    found
}

#[test]
fn no_command_of_admin_makes_or_changes_a_file_that_is_no_store_of_this_version() {
    let home = Home::new();
    std::fs::write(home.path().join("empty.sqlite3"), "").expect("write");
    let before = files(home.path());
    for command in [
        &["clients", "list"][..],
        &["clients", "create", "--name", "App"],
        &["clients", "rotate-secret", "c"],
        &["clients", "enable", "c"],
        &["clients", "disable", "c"],
        &["users", "unbind", "--client", "c", "--external-user-id", "u"],
    ] {
        let run = |more: &[&str]| home.run(&[&["admin"], command, more].concat());
        run(&[]).ends(5).says("There is no store");
        run(&["--database", "empty.sqlite3"]).ends(1).says("not yet brought up to date").says("ordersync serve");
        assert_eq!(files(home.path()), before, "{command:?}");
    }
}

#[test]
fn listing_clients_changes_nothing_while_the_service_runs_and_after() {
    let mut sandbox = Sandbox::start(&[]);
    let list = ["admin", "clients", "list"];
    sandbox.run(&list).ends(0).prints("ordersync-cli");
    sandbox.stop();
    let before = files(sandbox.home.path());
    sandbox.run(&list).ends(0).prints("ordersync-cli");
    assert_eq!(files(sandbox.home.path()), before);
}

#[test]
fn a_disabled_client_gets_a_secret_that_says_so_and_is_enabled_again() {
    let sandbox = Sandbox::start(&[]);
    let created = sandbox.run(&["admin", "clients", "create", "--name", "App", "-o", "json"]).ends(0).json();
    let id = created["clientId"].as_str().expect("an id").to_owned();
    let login = |secret: &Value| {
        let mut command = sandbox.command(&["auth", "login", "--client-credentials"]);
        command.env_remove("ORDERSYNC_TOKEN").env("ORDERSYNC_CLIENT_ID", &id);
        Run::of({
            command.env("ORDERSYNC_CLIENT_SECRET", secret.as_str().expect("a secret"));
            command
        })
    };
    login(&created["clientSecret"]).ends(0);
    sandbox.run(&["admin", "clients", "enable", &id]).ends(2).says("enabled already");
    sandbox.run(&["admin", "clients", "disable", &id]).ends(0);
    let rotated = sandbox.run(&["admin", "clients", "rotate-secret", &id, "-o", "json"]).ends(0);
    let rotated = rotated.says("is disabled").says(&format!("ordersync admin clients enable {id}")).json();
    login(&rotated["clientSecret"]).ends(4);
    sandbox.run(&["admin", "clients", "enable", &id]).ends(0).says("is enabled").says("sign in again");
    let mut status = sandbox.command(&["auth", "status"]);
    status.env_remove("ORDERSYNC_TOKEN");
    Run::of(status).ends(4);
    login(&created["clientSecret"]).ends(4);
    login(&rotated["clientSecret"]).ends(0);
    sandbox.run(&["admin", "clients", "enable", "client_x"]).ends(5).says("admin clients list");
}

#[test]
fn what_is_not_bound_cannot_be_unbound() {
    let sandbox = Sandbox::start(&[]);
    let unbind = |client: &str| {
        let arguments = ["admin", "users", "unbind", "--client", client, "--external-user-id", "u-4711"];
        sandbox.run(&arguments)
    };
    unbind("client_x").ends(5).says("There is no client \"client_x\"").says("admin clients list");
    unbind("ordersync-cli").ends(5).says("No user of client \"ordersync-cli\" is bound to \"u-4711\"");
}
