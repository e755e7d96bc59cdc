//! Profiles and settings, and where each of them comes from.

use serde_json::Value;

use super::{Home, make_pipe, set_mode};
use crate::env::{self, Variable};

fn origin(home: &Home, arguments: &[&str], key: &str) -> (Option<String>, String) {
    let list = home.run(&[&["config", "list", "-o", "json"], arguments].concat()).ends(0).json();
    let entry = list.as_array().expect("a list").iter().find(|entry| entry["key"] == key).expect("the setting").clone();
    (entry["value"].as_str().map(str::to_owned), entry["origin"].as_str().expect("an origin").to_owned())
}

#[test]
fn a_profile_is_added_used_and_removed() {
    let home = Home::new();
    home.run(&["profiles"]).ends(0).prints("*  local").prints("production").prints("none yet");
    home.run(&["connections", "--profile", "production"]).ends(2).says("ordersync profiles add production --base-url");
    home.run(&["profiles", "use", "production"]).ends(5).says("ordersync profiles add production --base-url");
    home.run(&["profiles", "add", "production"]).ends(2).says("needs an address");
    home.run(&["profiles", "add", "production", "--base-url", "http://a.test"]).ends(2).says("is not https");
    home.run(&["profiles", "add", "local", "--base-url", "https://a.test"]).ends(2);
    home.run(&["profiles", "add", "a b", "--base-url", "https://a.test"]).ends(2).says("Invalid profile name");
    let add = ["profiles", "add", "production", "--base-url", "https://a.test", "--client-id", "client_1", "--use"];
    home.run(&add).ends(0).says("ordersync auth login --profile production");
    home.run(&add).ends(2).says("already");
    home.run(&["connections"]).ends(4).says("ordersync auth login");
    home.run(&["profiles", "add", "other", "--base-url", "https://b.test"]).ends(0);
    let list = home.run(&["profiles", "list", "-o", "json"]).ends(0).json();
    let current: Vec<&Value> =
        list.as_array().expect("a list").iter().filter(|entry| entry["current"] == true).collect();
    assert_eq!(current.len(), 1);
    assert_eq!((&current[0]["name"], &current[0]["baseUrl"]), (&"production".into(), &"https://a.test".into()));
    home.run(&["profiles", "use", "local"]).ends(0);
    home.run(&["retailers"]).ends(0);
    home.run(&["profiles", "use", "production"]).ends(0);
    home.run(&["profiles", "remove", "production"]).ends(0);
    home.run(&["profiles", "remove", "production"]).ends(5);
    // The one to work on is the default again.
    home.run(&["profiles"]).ends(0).prints("*  local").prints("https://b.test");
}

#[test]
fn every_value_knows_where_it_comes_from() {
    let home = Home::new();
    home.run(&["profiles", "add", "shop", "--base-url", "https://a.test"]).ends(0);
    home.run(&["config", "set", "scopes", "orders:read", "--profile", "shop"]).ends(0);
    home.run(&["config", "set", "endpoints.orders_list", "/v2/orders", "--profile", "shop"]).ends(0);
    let file = home.run(&["config", "path"]).ends(0).out.trim().to_owned();
    let some = |text: &str| Some(text.to_owned());
    let shop = &["--profile", "shop"];
    assert_eq!(origin(&home, shop, "base_url"), (some("https://a.test/"), file.clone()));
    assert_eq!(origin(&home, shop, "endpoints.orders_list"), (some("/v2/orders"), file.clone()));
    assert_eq!(origin(&home, shop, "profile"), (some("shop"), "--profile".into()));
    assert_eq!(
        origin(&home, &["--base-url", "https://b.test"], "base_url"),
        (some("https://b.test/"), "--base-url".into())
    );
    let list = home.run(&["config", "list", "--base-url", "htp://user:canary@b.test"]).ends(0);
    assert!(!list.out.contains("canary"), "{}", list.out);
    list.prints("--base-url").prints("invalid (ordersync doctor says why)");
    assert_eq!(origin(&home, shop, "client_id"), (some("ordersync-cli"), "default".into()));
    assert_eq!(origin(&home, shop, "token_store"), (some("file"), "ORDERSYNC_HOME".into()));
    assert_eq!(origin(&home, shop, "token"), (None, "not set".into()));
    let secrets = [(&env::TOKEN, "canary"), (&env::CLIENT_SECRET, "canary")];
    let list = home.run_with(&secrets, &["config", "list", "--profile", "shop"]).ends(0);
    let list = list.prints("ORDERSYNC_TOKEN").prints("set (not shown)");
    assert!(!list.out.contains("canary"));
    home.run(&["config", "get", "scopes", "--profile", "shop"]).ends(0).prints("orders:read");
    home.run(&["config", "unset", "scopes", "--profile", "shop"]).ends(0);
    home.run(&["config", "get", "scopes", "--profile", "shop"]).ends(5).says("not set");
}

#[test]
fn nonsense_is_not_written_and_wrong_settings_can_be_put_right() {
    let home = Home::new();
    home.run(&["config", "set", "colour", "red"]).ends(2).says("There is no setting `colour`").says("base_url");
    home.run(&["config", "set", "base_url", "https://a.test"]).ends(2).says("profiles add");
    home.run(&["config", "set", "token_store", "pocket", "--profile", "shop"]).ends(2);
    home.run(&["config", "get", "colour"]).ends(2);
    assert!(!home.path("config/config.toml").exists());
    std::fs::create_dir_all(home.path("config")).expect("folder");
    std::fs::write(home.path("config/config.toml"), "# mine\nprofile = \"production\"\n").expect("write");
    home.run(&["retailers"]).ends(2).says("has no address");
    home.run(&["config", "list"]).ends(0).prints("not set");
    home.run(&["config", "set", "profile", "local"]).ends(0);
    home.run(&["retailers"]).ends(0);
    let text = std::fs::read_to_string(home.path("config/config.toml")).expect("read");
    assert_eq!(text, "# mine\nprofile = \"local\"\n");
}

#[test]
fn an_empty_variable_is_a_mistake_and_never_the_local_service() {
    let home = Home::new();
    let run = |arguments: &[&str], variable: &Variable, value: &str| home.run_with(&[(variable, value)], arguments);
    for variable in [
        &env::BASE_URL,
        &env::TOKEN,
        &env::PROFILE,
        &env::TOKEN_URL,
        &env::CLIENT_ID,
        &env::CLIENT_SECRET,
        &env::LINK_TOKEN,
        &env::TOKEN_STORE,
        &env::HOME,
        &env::SERVICE_KEY,
        &env::OTP_GATEWAY_SECRET,
    ] {
        let name = variable.name;
        for value in ["", " "] {
            run(&["retailers"], variable, value)
                .ends(2)
                .says(&format!("error: {name} is set, but"))
                .says(&format!("unset {name}"));
        }
    }
    for command in [&["smoke"][..], &["sync"], &["orders", "export"], &["serve", "--sandbox"], &["config", "list"], &[]]
    {
        run(command, &env::BASE_URL, "").ends(2).says("ORDERSYNC_BASE_URL");
    }
    run(&["doctor"], &env::BASE_URL, "").ends(1).prints("✗ configuration: ORDERSYNC_BASE_URL is set, but");
    run(&["config", "set", "scopes", "x"], &env::PROFILE, "").ends(2);
    // What a flag replaces is not looked at; variables that only tune something may be empty.
    run(&["retailers", "--profile", "local"], &env::BASE_URL, "").ends(0);
    for value in ["", " "] {
        for variable in [&env::NO_COLOR, &env::CI, &env::SANDBOX_SPEED] {
            run(&["retailers"], variable, value).ends(0);
        }
    }
    run(&["retailers"], &env::SANDBOX_SPEED, "x").ends(2);
}

#[test]
fn a_file_that_others_can_write_is_not_used() {
    let home = Home::new();
    home.run(&["profiles", "add", "shop", "--base-url", "https://a.test", "--use"]).ends(0);
    let file = home.path("config/config.toml");
    for mode in [0o666, 0o602] {
        set_mode(&file, mode);
        let advice = format!("chmod go-w {}", file.display());
        for command in [&["connections"][..], &["config", "list"], &["config", "set", "scopes", "x"]] {
            home.run(command).ends(2).says("can be written by others").says(&advice);
        }
        home.run(&["doctor"]).ends(1).prints("✗ configuration").prints(&advice);
    }
    // The service inside the command needs no address and no token.
    home.run(&["retailers", "--profile", "local"]).ends(0);
    set_mode(&file, 0o644);
    home.run(&["config", "list"]).ends(0);
}

/// Users who can write the folder can replace the private file with another one.
#[test]
fn a_file_in_a_folder_that_others_can_write_is_not_used() {
    let home = Home::new();
    home.run(&["profiles", "add", "shop", "--base-url", "https://a.test", "--use"]).ends(0);
    let folder = home.path("config");
    for mode in [0o777, 0o703] {
        set_mode(&folder, mode);
        let advice = format!("chmod go-w {}", folder.display());
        for command in [&["connections"][..], &["config", "list"], &["config", "set", "scopes", "x"]] {
            home.run(command).ends(2).says("who could replace").says(&advice);
        }
        home.run(&["doctor"]).ends(1).prints("✗ configuration").prints(&advice);
    }
    // As in /tmp, others can put nothing in the place of a file there.
    for mode in [0o1777, 0o755, 0o700] {
        set_mode(&folder, mode);
        home.run(&["config", "list"]).ends(0);
    }
    // The folder that a link leads to counts as well.
    let (elsewhere, file) = (home.path("elsewhere"), folder.join("config.toml"));
    std::fs::create_dir(&elsewhere).expect("folder");
    std::fs::rename(&file, elsewhere.join("config.toml")).expect("moved");
    std::os::unix::fs::symlink(elsewhere.join("config.toml"), &file).expect("link");
    home.run(&["config", "list"]).ends(0);
    set_mode(&elsewhere, 0o777);
    home.run(&["config", "list"]).ends(2).says(&format!("chmod go-w {}", elsewhere.display()));
}

#[test]
fn the_file_is_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = Home::new();
    home.run(&["profiles", "add", "shop", "--base-url", "https://a.test"]).ends(0);
    let mode = std::fs::metadata(home.path("config/config.toml")).expect("file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_misspelt_profile_or_setting_is_answered_with_the_one_that_was_meant() {
    let home = Home::new();
    home.run(&["profiles", "add", "staging", "--base-url", "https://staging.test"]).ends(0);
    home.run(&["orders", "list", "--profile", "stagign"]).ends(2).says("Did you mean `staging`?");
    home.run(&["profiles", "use", "stagin"]).ends(5).says("Did you mean `staging`?");
    home.run(&["profiles", "remove", "stagin"]).ends(5).says("Did you mean `staging`?");
    home.run(&["config", "set", "base_ulr", "x"]).ends(2).says("Did you mean `base_url`?");
    home.run(&["config", "get", "zzz"]).ends(2).says("Settings: profile, accessible, base_url, ");
    home.run(&["retailers", "--fields", "displayname"]).ends(2).says("Did you mean displayName?");
}

#[test]
fn a_config_file_that_is_a_pipe_is_refused_and_not_waited_for() {
    let home = Home::new();
    let shown = home.run(&["config", "path"]).ends(0).out;
    let path = std::path::PathBuf::from(shown.trim());
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    make_pipe(&path);
    for arguments in [&["config", "list"][..], &["config", "set", "scopes", "orders:read"], &["orders", "list"]] {
        home.run(arguments).ends(1).says("it is not a regular file");
    }
}
