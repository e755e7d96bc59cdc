//! A root key is replaced while users keep what they have, and then done without.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::serve::Sandbox;
use super::support::Home;

/// A file with a root key of 32 such octets, in base64.
fn key_file(home: &Home, name: &str, key: &str) -> String {
    let path = home.path().join(name);
    std::fs::write(&path, key).expect("write");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("permissions");
    path.display().to_string()
}

#[test]
fn a_root_key_is_replaced_and_retired_and_nobody_has_to_connect_again() {
    let home = Home::new();
    let old = key_file(&home, "old.key", "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=");
    let new = key_file(&home, "new.key", "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=");
    let mut sandbox = Sandbox::start_in(home, &["--key-file", &old]);
    sandbox.connect("1", "user_good", &[]).ends(0);
    let user = sandbox.run(&["profile", "-o", "json"]).ends(0).json()["userId"].clone();
    let values = |sandbox: &Sandbox| {
        let keys = sandbox.run(&["admin", "keys", "list", "-o", "json"]).ends(0).json();
        let keys = keys.as_array().expect("a list").clone();
        keys.iter().map(|key| key["values"].as_u64().expect("a number")).collect::<Vec<_>>()
    };
    let sealed = values(&sandbox)[0];
    assert!(sealed >= 1);
    let listed = sandbox.run(&["admin", "keys", "list", "-o", "json"]).ends(0).json();
    let fingerprint = listed[0]["fingerprint"].as_str().expect("a fingerprint").to_owned();
    assert_eq!((fingerprint.as_str(), &listed[0]["isCurrent"]), ("805f-82f9-95e0-a410", &Value::Bool(true)));

    let rotate = |sandbox: &Sandbox, keys: &[&str]| {
        let flags: Vec<&str> = keys.iter().flat_map(|key| ["--key-file", *key]).collect();
        sandbox.run(&[&["admin", "keys", "rotate"], &flags[..]].concat())
    };
    rotate(&sandbox, &[]).ends(2).says("none is given").says("--key-file");
    rotate(&sandbox, &[&new, &old]).ends(2).says("No process of the service has sealed").says("Restart every process");
    sandbox.run(&["admin", "keys", "retire", &fingerprint]).ends(2).says("is the current root key");
    sandbox.restart(&["--key-file", &new, "--key-file", &old]);
    assert_eq!(values(&sandbox), [0, sealed]);
    rotate(&sandbox, &[&new]).ends(2).says(&format!("The root key {fingerprint} is missing"));
    let find = ["admin", "users", "find", "--phone", "+15550100", "--key-file", &new];
    sandbox.run(&find).ends(2).says(&format!("The root key {fingerprint} is missing"));
    sandbox.run(&["admin", "keys", "retire", &fingerprint]).ends(2).says("still sealed").says("admin keys rotate");
    rotate(&sandbox, &[&new, &old]).ends(0).says(&format!("Sealed {sealed} values again")).says("admin keys retire");
    rotate(&sandbox, &[&new, &old]).ends(0).says("Sealed 0 values again");
    // With that by which users are looked up.
    assert_eq!(values(&sandbox), [sealed + 1, 0]);
    sandbox.run(&["sync"]).ends(0);
    sandbox.run(&["admin", "keys", "list"]).ends(0).prints("current").prints("earlier");
    sandbox.run(&["admin", "keys", "retire", "none"]).ends(5).says("has no root key");
    sandbox.run(&["admin", "keys", "retire", &fingerprint]).ends(0).says("the service starts without it");

    sandbox.restart(&["--key-file", &new]);
    assert_eq!(sandbox.run(&["profile", "-o", "json"]).ends(0).json()["userId"], user, "found by phone number");
    sandbox.run(&["sync"]).ends(0);
    assert_eq!(values(&sandbox).len(), 1);
    let find =
        |key: &str| sandbox.run(&["admin", "users", "find", "--phone", "+15550100", "--key-file", key, "-o", "json"]);
    assert_eq!(find(&new).ends(0).json()[0]["userId"], user);
    // Another store's key finds nobody, and that is no reason to call this one damaged.
    let refused = find(&old).ends(2).err;
    assert!(refused.contains("\"ROOT_KEY\"") && refused.contains(&fingerprint), "{refused}");
    assert!(refused.contains("does not fit the store"), "{refused}");
    let told = sandbox.run(&["admin", "audit", "-o", "json"]).ends(0).json();
    let told: Vec<_> = told.as_array().expect("a list").iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(told, ["key.retire", "key.rotate", "key.rotate", "key.rotate", "key.rotate"]);
}
