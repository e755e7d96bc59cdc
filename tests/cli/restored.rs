//! What an operator does after a restore.

use serde_json::json;

use super::admin::{connect, syncs};
use super::serve::Sandbox;

#[test]
fn users_who_are_back_after_a_restore_are_deleted_again() {
    let sandbox = Sandbox::start(&[]);
    connect(&sandbox, "2", "user_mfa_enter");
    let sync = syncs(&sandbox, &[], 1).remove(0);
    let owner = sync["userId"].as_str().expect("an id");
    let path = |name: &str| sandbox.home.path().join(name).display().to_string();
    let (restored, entries) = (path("restored.sqlite3"), path("audit.jsonl"));
    sandbox.run(&["admin", "store", "backup", &restored]).ends(0);
    sandbox.run(&["admin", "users", "delete", owner, "--yes"]).ends(0);
    let audit = sandbox.run(&["admin", "audit", "-o", "jsonl"]).ends(0).out;
    std::fs::write(&entries, &audit).expect("a file");

    let redelete = |more: &[&str]| {
        sandbox.run(&[&["admin", "users", "redelete", &entries, "--database", &restored], more].concat())
    };
    let would = redelete(&["--dry-run", "-o", "json"]).ends(0).json();
    assert_eq!(would, json!({ "userIds": [owner], "absent": 0, "isDryRun": true }));
    redelete(&[]).ends(2).says("--yes");
    sandbox.run(&["admin", "users", "find", owner, "--database", &restored]).ends(0);
    assert_eq!(
        redelete(&["--yes", "-o", "json"]).ends(0).json(),
        json!({ "userIds": [owner], "absent": 0, "isDryRun": false })
    );
    sandbox.run(&["admin", "users", "find", owner, "--database", &restored]).ends(5);
    // Two exports one after the other, the second of them a list; and nobody is left.
    let list = sandbox.run(&["admin", "audit", "-o", "json"]).ends(0).out;
    std::fs::write(&entries, audit + &list).expect("a file");
    assert_eq!(
        redelete(&["--yes", "-o", "json"]).ends(0).json(),
        json!({ "userIds": [], "absent": 1, "isDryRun": false })
    );
    for wrong in ["", "[]", "{\"action\"", "hello", "{\"id\": 1}"] {
        std::fs::write(&entries, wrong).expect("a file");
        let refused = redelete(&["--yes"]).ends(2).says("no entries of the audit log");
        assert!(!refused.err.contains("untagged"), "{}", refused.err);
    }
}
