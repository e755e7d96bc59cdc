//! Profiles and settings, and where each of them comes from.

use serde_json::Value;

use super::support::{Home, Run};

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
    assert_eq!(origin(&home, shop, "client_id"), (some("ordersync-cli"), "default".into()));
    assert_eq!(origin(&home, shop, "token_store"), (some("file"), "ORDERSYNC_HOME".into()));
    assert_eq!(origin(&home, shop, "token"), (None, "not set".into()));
    let mut command = home.command(&["config", "list", "--profile", "shop"]);
    command.env("ORDERSYNC_TOKEN", "canary").env("ORDERSYNC_CLIENT_SECRET", "canary");
    let list = Run::of(command).ends(0).prints("ORDERSYNC_TOKEN").prints("set (not shown)");
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
    assert!(!home.path().join("config/config.toml").exists());
    std::fs::create_dir_all(home.path().join("config")).expect("folder");
    std::fs::write(home.path().join("config/config.toml"), "# mine\nprofile = \"production\"\n").expect("write");
    home.run(&["retailers"]).ends(2).says("has no address");
    home.run(&["config", "list"]).ends(0).prints("not set");
    home.run(&["config", "set", "profile", "local"]).ends(0);
    home.run(&["retailers"]).ends(0);
    let text = std::fs::read_to_string(home.path().join("config/config.toml")).expect("read");
    assert_eq!(text, "# mine\nprofile = \"local\"\n");
}

#[cfg(unix)]
#[test]
fn the_file_is_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = Home::new();
    home.run(&["profiles", "add", "shop", "--base-url", "https://a.test"]).ends(0);
    let mode = std::fs::metadata(home.path().join("config/config.toml")).expect("file").permissions().mode();
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
