//! `admin`: what it reads it does not change, and what it changes it says.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::serve::Sandbox;
use super::support::{Home, Run};

/// Every file below a folder, with its contents.
pub(super) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
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
fn a_command_to_copy_works_on_the_same_store() {
    let mut sandbox = Sandbox::start(&[]);
    connect(&sandbox, "2", "user_mfa_enter");
    let user = syncs(&sandbox, &[], 1).remove(0)["userId"].as_str().expect("an id").to_owned();
    sandbox.run(&["admin", "store", "backup", "a copy.sqlite3"]).ends(0);
    sandbox.stop();
    std::fs::write(sandbox.home.path().join("text"), "no store").expect("a file");
    let run = |words: &str, more: &[&str]| {
        let words: Vec<&str> = words.split(' ').collect();
        sandbox.home.run(&[&["admin"], words.as_slice(), more].concat())
    };
    let copy = &["--database", "a copy.sqlite3"][..];
    for (words, command) in [
        (format!("users delete {user}"), format!("users delete {user} --yes")),
        ("users find u".to_owned(), "users find --phone +NUMBER".to_owned()),
        ("clients enable c".to_owned(), "clients list".to_owned()),
        ("sessions show b".to_owned(), "sessions list".to_owned()),
        ("keys retire k".to_owned(), "keys list".to_owned()),
        ("retailers pause 7".to_owned(), "retailers resume 7".to_owned()),
    ] {
        let said = run(&words, copy).err;
        assert!(said.contains(&format!("ordersync admin {command} --database 'a copy.sqlite3'")), "{words}: {said}");
    }
    run("clients list", &["--database", "text"]).ends(1).says("ordersync admin store check --database text");
    run("store check", &["--database", "text"]).ends(1).says("restore the newest backup that is sound");
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
fn a_clients_limit_is_set_shown_and_taken_back_while_the_service_runs() {
    let sandbox = Sandbox::start(&[]);
    let limit = |more: &[&str]| sandbox.run(&[&["admin", "clients", "limit", "ordersync-cli"], more].concat());
    limit(&[]).ends(2).says("--requests-per-minute").says("--default");
    let shown = || {
        let listed = sandbox.run(&["admin", "clients", "list", "-o", "json"]).ends(0).json();
        let mut clients = listed.as_array().expect("a list").iter();
        clients.find(|one| one["clientId"] == "ordersync-cli").expect("the client")["requestsPerMinute"].clone()
    };
    limit(&["--requests-per-minute", "7"]).ends(0).says("ordersync-cli may make 7 requests in a minute");
    assert_eq!(shown(), 7);
    sandbox.run(&["admin", "clients", "list"]).ends(0).prints("7");
    limit(&["--default"]).ends(0).says("as many requests as every client");
    assert_eq!(shown(), Value::Null);
    limit(&[]).ends(2).says("--requests-per-minute");
    limit(&["--requests-per-minute", "0"]).ends(2);
    limit(&["--requests-per-minute", "7", "--default"]).ends(2);
    sandbox.run(&["admin", "clients", "limit", "client_x", "--default"]).ends(5).says("There is no client");
    sandbox.run(&["admin", "audit"]).ends(0).prints("client.limit");
}

#[test]
fn a_clients_addresses_are_replaced_list_by_list_and_that_is_audited() {
    let sandbox = Sandbox::start(&[]);
    let back = ["--return-url", "https://app.example/back", "--return-url", "http://127.0.0.1:3000/back"];
    let create =
        ["admin", "clients", "create", "--name", "App", "--redirect-uri", "https://app.example/cb", "-o", "json"];
    let created = sandbox.run(&[&create[..], &back].concat()).ends(0).json();
    let id = created["clientId"].as_str().expect("an id").to_owned();
    let update = |more: &[&str]| sandbox.run(&[&["admin", "clients", "update", &id], more].concat());
    let shown = || {
        let listed = sandbox.run(&["admin", "clients", "list", "-o", "json"]).ends(0).json();
        let client = listed.as_array().expect("a list").iter().find(|one| one["clientId"] == id.as_str()).cloned();
        let client = client.expect("the client");
        ["redirectUris", "returnUrls", "frameAncestors"].map(|name| client[name].clone())
    };
    let (callback, both) = (json!(["https://app.example/cb"]), json!([back[1], back[3]]));
    assert_eq!(shown(), [callback.clone(), both, json!([])]);
    update(&["--return-url", "https://app.example/new"]).ends(0).prints("https://app.example/new");
    let new = json!(["https://app.example/new"]);
    assert_eq!(shown(), [callback.clone(), new.clone(), json!([])]);
    update(&["--frame-ancestor", "https://app.example", "--no-redirect-uris"]).ends(0).prints("Redirect URIs:    none");
    assert_eq!(shown(), [json!([]), new.clone(), json!(["https://app.example"])]);
    for (wrong, why) in [
        (["--return-url", "http://app.example/"], "no return address"),
        (["--redirect-uri", "app.example"], "no redirect address"),
        (["--frame-ancestor", "https://app.example/"], "no origin"),
    ] {
        update(&wrong).ends(2).says(why);
    }
    update(&[]).ends(2).says("--return-url");
    update(&["--no-return-urls", "--return-url", "https://app.example/new"]).ends(2);
    sandbox.run(&["admin", "clients", "update", "client_x", "--no-return-urls"]).ends(5).says("There is no client");
    assert_eq!(shown(), [json!([]), new, json!(["https://app.example"])]);
    sandbox.run(&["admin", "audit"]).ends(0).prints("client.update");
}

#[test]
fn a_link_token_leads_back_to_a_registered_address_alone() {
    let sandbox = Sandbox::start(&[]);
    let create = |url: &str| {
        let arguments = ["link-token", "create", "--external-user-id", "u-1", "--return-url", url];
        let mut command = sandbox.command(&arguments);
        command.env("ORDERSYNC_CLIENT_SECRET", "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one");
        Run::of(command)
    };
    create("http://127.0.0.1:3000/back").ends(0).prints("ordersync_sandbox_lt_");
    create("https://app.example/back").ends(1).says("return_url is not one of").says("admin clients update");
    let open = ["widget", "open", "--no-browser", "--return-url"];
    sandbox.run(&[&open[..], &["http://localhost:3000/"]].concat()).ends(0).prints("/widget?link_token=");
    sandbox.run(&[&open[..], &["https://app.example/"]].concat()).ends(1).says("return_url is not one of");
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

/// Connects a simulated retailer as this user of it, and waits for nothing.
pub(crate) fn connect(sandbox: &Sandbox, retailer: &str, username: &str) -> String {
    let started = sandbox.connect(retailer, username, &["--no-wait", "-o", "json"]).json();
    started["batchId"].as_str().expect("a session").to_owned()
}

/// The syncs that `admin sessions list` shows, once there are so many.
pub(crate) fn syncs(sandbox: &Sandbox, list: &[&str], count: usize) -> Vec<Value> {
    for _ in 0..600 {
        let listed = sandbox.run(&[&["admin", "sessions", "list", "-o", "json"], list].concat()).ends(0).json();
        if let Some(listed) = listed.as_array().filter(|listed| listed.len() == count) {
            return listed.clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("there are never {count} syncs");
}

#[test]
fn a_sync_that_hangs_is_found_ended_and_started_again() {
    let sandbox = Sandbox::start(&[]);
    let session = connect(&sandbox, "2", "user_mfa_enter");
    let waits = || syncs(&sandbox, &[], 1).remove(0);
    while waits()["syncStatus"] != "userintervention" {}
    assert_eq!(waits()["waitsFor"]["kind"], "user");
    sandbox.run(&["admin", "sessions", "list"]).ends(0).prints("the user's code");
    sandbox.run(&["admin", "sessions", "show", &session]).ends(0).prints("Voltaquill Electronics");
    sandbox.run(&["admin", "sessions", "retry", &session]).ends(0).says("needs its user");
    sandbox.run(&["admin", "sessions", "cancel", &session]).ends(0).says("Ended 1 sync");
    sandbox.run(&["admin", "sessions", "cancel", &session]).ends(0).says("was over already");
    assert_eq!(syncs(&sandbox, &["--failed"], 1)[0]["errorCode"], "cancelled");
    sandbox.run(&["sessions", "watch", &session]).ends(9).says("ended this sync").says("Sync again later");
    let shown = sandbox.run(&["sessions", "get", &session, "-o", "json"]).ends(0).json();
    let message = shown["retailerSyncSessions"][0]["error"]["message"].as_str().expect("a message").to_owned();
    assert!(message.contains("The operator of the service ended this sync"), "{message}");
    let retried = sandbox.run(&["admin", "sessions", "retry", &session, "-o", "json"]).ends(0).json();
    assert_eq!(retried["started"][0], waits()["batchId"]);
    for verb in ["show", "cancel", "retry"] {
        sandbox.run(&["admin", "sessions", verb, "batch_none"]).ends(5).says("There is no sync session");
    }
}

#[test]
fn a_user_is_found_exported_and_deleted_and_nothing_is_left() {
    let mut sandbox = Sandbox::start(&[]);
    connect(&sandbox, "1", "user_good");
    syncs(&sandbox, &[], 0);
    let session = connect(&sandbox, "2", "user_mfa_enter");
    sandbox.run(&["admin", "sessions", "retry", &session]).ends(0);
    let store = sandbox.home.path().join("copy.sqlite3").display().to_string();
    let sync = syncs(&sandbox, &[], 1).remove(0);
    let [owner, connection] = ["userId", "connectionId"].map(|name| sync[name].as_str().expect("an id").to_owned());
    let found = sandbox.run(&["admin", "users", "find", &owner, "-o", "json"]).ends(0).json();
    assert_eq!((found[0]["connections"].as_u64(), found[0]["unfinishedSyncs"].as_u64()), (Some(2), Some(1)));
    assert!(found[0]["items"].as_u64().is_some_and(|items| items > 50));

    sandbox.run(&["admin", "store", "backup", &store]).ends(0).says("and checked it");
    sandbox.run(&["admin", "store", "backup", &store]).ends(2).says("exists already");
    let archive = sandbox.home.path().join("user.zip").display().to_string();
    sandbox.run(&["admin", "users", "export", &owner, "--out", &archive]).ends(0).says("Only you can read the file");
    sandbox.run(&["admin", "users", "export", &owner, "--out", &archive]).ends(2).says("exists already");
    let bytes = std::fs::read(&archive).expect("the archive");
    assert!(bytes.starts_with(b"PK") && bytes.windows(16).any(|part| part == b"line_items.jsonl"));
    assert!(!bytes.windows(9).any(|part| part == b"pass_good"));

    sandbox.run(&["admin", "users", "delete", &owner]).ends(2).says("--yes");
    let deleted = sandbox.run(&["admin", "users", "delete", &owner, "--yes", "-o", "json"]).ends(0).json();
    assert_eq!((deleted["left"].as_u64(), deleted["deleted"]["connections"].as_u64()), (Some(0), Some(2)));
    assert_eq!(deleted["deleted"]["line_items"], found[0]["items"]);
    sandbox.run(&["admin", "users", "find", &owner]).ends(5).says("There is no user");
    sandbox.run(&["admin", "users", "delete", &owner, "--yes"]).ends(5).says("There is no user");
    sandbox.run(&["admin", "store", "check"]).ends(0).says("The store is sound");
    assert_eq!(syncs(&sandbox, &[], 0), Vec::<Value>::new());
    let after = sandbox.home.path().join("after.sqlite3").display().to_string();
    sandbox.run(&["admin", "store", "backup", "--out", &after]).ends(0);
    sandbox.stop();
    let times = |bytes: &[u8], id: &str| bytes.windows(id.len()).filter(|part| *part == id.as_bytes()).count();
    let before = std::fs::read(&store).expect("a store");
    assert!(times(&before, &owner) > 4 && times(&before, &connection) > 0, "the backup of before has the user");
    for (path, contents) in files(sandbox.home.path()) {
        if path.contains(".sqlite3") && !path.ends_with("copy.sqlite3") {
            // The bare id in the four rows of the audit log and their index, and nothing else.
            assert_eq!(times(&contents, &owner), if path.ends_with(".sqlite3") { 8 } else { 0 }, "{path}");
            assert_eq!((times(&contents, &session), times(&contents, &connection)), (0, 0), "{path}");
        }
    }
}

#[test]
fn the_syncs_of_a_paused_retailer_wait_and_continue() {
    let sandbox = Sandbox::start(&[]);
    sandbox.run(&["admin", "retailers", "list"]).ends(0).says("No user has connected a retailer");
    let paused = sandbox.run(&["admin", "retailers", "pause", "1", "--reason", "it is moved"]).ends(0);
    paused
        .says("its syncs wait")
        .says("No user has connected retailer 1. If the id is wrong: ordersync admin retailers resume 1");
    sandbox.run(&["admin", "retailers", "pause", "1"]).ends(0).says("was paused already; nothing is changed");
    sandbox
        .run(&["admin", "retailers", "pause", "1", "--reason", "it has moved"])
        .ends(0)
        .says("its reason is replaced");
    connect(&sandbox, "1", "user_good");
    connect(&sandbox, "2", "user_good");
    // That of the other retailer ends meanwhile.
    let waits = syncs(&sandbox, &[], 1).remove(0);
    assert_eq!((waits["retailerId"].as_u64(), &waits["waitsFor"]["kind"]), (Some(1), &Value::from("pause")));
    assert_eq!(waits["syncStatus"], "queued");
    sandbox.run(&["admin", "retailers", "list"]).ends(0).prints("it has moved");
    let again = sandbox.run(&["admin", "retailers", "pause", "1"]).ends(0);
    assert!(!again.err.contains("No user"), "{}", again.err);
    sandbox.run(&["admin", "retailers", "resume", "1"]).ends(0).says("its syncs continue");
    sandbox.run(&["admin", "retailers", "resume", "1"]).ends(0).says("was not paused");
    syncs(&sandbox, &[], 0);
    assert_eq!(syncs(&sandbox, &["--failed"], 0), Vec::<Value>::new());
}

#[test]
fn what_operators_change_is_in_the_audit_log_with_ids_only() {
    let sandbox = Sandbox::start(&[]);
    let audit = |more: &[&str]| {
        let listed = sandbox.run(&[&["admin", "audit", "-o", "json"], more].concat()).ends(0).json();
        listed.as_array().expect("a list").clone()
    };
    sandbox.run(&["admin", "audit"]).ends(0).says("The audit log has no entry that matches");
    let created = sandbox.run(&["admin", "clients", "create", "--name", "Ledgerleaf", "-o", "json"]).ends(0).json();
    let client = created["clientId"].as_str().expect("an id");
    sandbox.run(&["admin", "clients", "rotate-secret", client]).ends(0);
    sandbox.run(&["admin", "clients", "disable", client]).ends(0);
    sandbox.run(&["admin", "clients", "enable", client]).ends(0);
    sandbox.run(&["admin", "retailers", "pause", "2", "--reason", "Otto asked"]).ends(0);
    // What changes nothing, and what fails, has no entry.
    sandbox.run(&["admin", "retailers", "pause", "2"]).ends(0);
    sandbox.run(&["admin", "clients", "disable", "client_x"]).ends(5);
    sandbox.run(&["admin", "retailers", "resume", "2"]).ends(0);
    let copy = sandbox.home.path().join("copy.sqlite3").display().to_string();
    sandbox.run(&["admin", "store", "backup", &copy]).ends(0);
    let session = connect(&sandbox, "2", "user_mfa_enter");
    sandbox.run(&["admin", "sessions", "cancel", &session]).ends(0);

    let all = audit(&[]);
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let told: Vec<String> =
        all.iter().map(|entry| ["action", "outcome", "target"].map(|name| text(entry, name)).join(" ")).collect();
    let of_client = |verb: &str| format!("client.{verb} done {client}");
    let expected = [
        format!("session.cancel done {session}"),
        format!("session.cancel begun {session}"),
        "store.backup done ".into(),
        "retailer.resume done 2".into(),
        "retailer.pause done 2".into(),
        of_client("enable"),
        of_client("disable"),
        of_client("rotate_secret"),
        of_client("create"),
    ];
    assert_eq!(told, expected);
    let account = text(&all[0], "actor");
    assert!(
        !account.is_empty() && all.iter().all(|entry| entry["actorKind"] == "operator" && entry["actor"] == *account)
    );
    let written = Value::from(all.clone()).to_string();
    assert!(!written.contains("Ledgerleaf") && !written.contains("Otto") && !written.contains("ordersync_sandbox_cs"));

    // Page by page.
    let id = |entry: &Value| text(entry, "auditId");
    let first = sandbox.run(&["admin", "audit", "--limit", "4", "-o", "json"]).ends(0);
    let first = first.says(&format!("add --before {}", id(&all[3]))).json();
    assert_eq!(first, Value::from(all[..4].to_vec()));
    assert_eq!(audit(&["--before", &id(&all[3])]), all[4..]);
    assert_eq!(audit(&["--before", &id(&all[3]), "--since", "today"]), all[4..]);
    let user = text(&all[0], "userId");
    assert_eq!(audit(&["--user", &user]), all[..2]);
    assert_eq!(audit(&["--since", "2999-01-01"]), Vec::<Value>::new());
    sandbox.run(&["admin", "audit"]).ends(0).prints("operator").prints("client.rotate_secret");
    sandbox.run(&["admin", "audit", "--before", "audit_x"]).ends(5).says("The audit log has no entry");
    sandbox.run(&["admin", "audit", "--since", "soon"]).ends(2).says("30d").says("--since");
}

#[test]
fn what_cannot_be_copied_is_refused_before_anything_is_reached() {
    let home = Home::new();
    let to = "postgres://orders@127.0.0.1:1/shop";
    let copy = |more: &[&str]| home.run(&[&["admin", "store", "copy"], more].concat());
    copy(&["--to", to]).ends(2).says("--from");
    copy(&["--from", "none.sqlite3", "--to", to]).ends(5).says("There is no store none.sqlite3");
    std::fs::write(home.path().join("other.sqlite3"), "").expect("write");
    copy(&["--from", "other.sqlite3"]).ends(2).says("ORDERSYNC_DATABASE_URL");
    copy(&["--from", "other.sqlite3", "--to", "copy.sqlite3"]).ends(2).says("--to postgres://USER@HOST/DATABASE");
    copy(&["--from", "other.sqlite3", "--to", "postgres://orders:hunter2@h/shop"]).ends(2).says("--to has a password");
    copy(&["--from", "other.sqlite3", "--to", to, "--database", "x"]).ends(2).says("--from");
    copy(&["--from", to, "--to", to]).ends(2).says("pg_dump");
    // It is of no version yet.
    copy(&["--from", "other.sqlite3", "--to", to]).ends(1).says("admin store migrate --database other.sqlite3");
}

#[test]
fn a_store_in_use_is_not_copied_and_one_at_rest_is_not_changed_by_trying() {
    let mut sandbox = Sandbox::start(&[]);
    let store = sandbox.home.path().join("data/serve.sqlite3");
    let copy = ["admin", "store", "copy", "--to", "postgres://orders@127.0.0.1:1/shop", "--from"];
    let copy = [&copy[..], &[store.to_str().expect("text")]].concat();
    sandbox.run(&copy).ends(1).says("open, so nothing was copied").says("Stop the service first");
    sandbox.stop();
    let before = files(sandbox.home.path());
    sandbox.run(&copy).ends(1).says("cannot be reached").says("the same command continues");
    assert!(files(sandbox.home.path()) == before, "{:?}", files(sandbox.home.path()).keys());
}

#[test]
fn an_old_store_is_migrated_apart_from_the_service() {
    let home = Home::new();
    let path = home.path().join("new.sqlite3");
    std::fs::write(&path, "").expect("write");
    let migrate = |more: &[&str]| {
        let run = home.run(&[&["admin", "store", "migrate", "--database", "new.sqlite3", "-o", "json"], more].concat());
        run.ends(0).json()
    };
    home.run(&["admin", "store", "migrate"]).ends(5).says("There is no store");
    let looked = migrate(&["--dry-run"]);
    assert_eq!((&looked["from"], &looked["isDone"]), (&Value::Null, &Value::Bool(false)));
    assert_eq!(std::fs::read(&path).expect("read"), b"");
    home.run(&["admin", "store", "check", "--database", "new.sqlite3"]).ends(1).says("admin store migrate");
    let done = migrate(&[]);
    assert_eq!((&done["to"], &done["migrations"]), (&looked["to"], &looked["migrations"]));
    assert_eq!(done["migrations"].as_array().expect("a list").last().expect("one")["version"], looked["to"]);
    assert_eq!(migrate(&["--dry-run"])["migrations"], Value::Array(Vec::new()));
    home.run(&["admin", "store", "check", "--database", "new.sqlite3"]).ends(0);
}
