//! `admin users import`: a user moves from one service to another, or comes back, with everything but what only the service can
//! read.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter};
use serde_json::{Value, json};

use super::admin::{connect, syncs};
use super::serve::Sandbox;
use super::support::{Home, Run};

/// The files of an archive, by name.
type Members = Vec<(String, Vec<u8>)>;

/// The phone number of the user who moves; another one than that which every sandbox begins with.
const PHONE: &str = "+15550101";

/// A sandbox with a root key in `root.key`; the same letter is the same key.
fn with_key(letter: char) -> Sandbox {
    let home = Home::new();
    let path = home.path().join("root.key");
    std::fs::write(&path, format!("{}=", letter.to_string().repeat(43))).expect("a key");
    super::support::set_mode(&path, 0o600);
    Sandbox::start_in(home, &["--key-file", "root.key"])
}

/// Signs the user in who moves.
fn sign_in(sandbox: &mut Sandbox) -> String {
    sandbox.token = sandbox.run(&["sandbox", "token", "--phone", PHONE]).ends(0).out.trim().to_owned();
    sandbox.run(&["profile", "-o", "json"]).ends(0).json()["userId"].as_str().expect("an id").to_owned()
}

/// A user with a valid connection and a sync that waits, and their archive.
fn exported(sandbox: &mut Sandbox) -> (String, String) {
    let user = sign_in(sandbox);
    sandbox.connect("1", "user_items_300", &[]).ends(0);
    connect(sandbox, "2", "user_mfa_enter");
    while syncs(sandbox, &[], 1)[0]["syncStatus"] != "userintervention" {}
    let archive = sandbox.home.path().join("user.zip").display().to_string();
    sandbox.run(&["admin", "users", "export", &user, "--out", &archive]).ends(0);
    (user, archive)
}

fn statuses(sandbox: &Sandbox) -> Vec<Value> {
    let connections = sandbox.run(&["connections", "-o", "json"]).ends(0).json();
    let statuses = connections.as_array().expect("a list").iter();
    statuses.map(|one| json!([one["retailerId"], one["status"], one["statusReason"]])).collect()
}

fn lines(sandbox: &Sandbox) -> String {
    sandbox.run(&["orders", "export"]).ends(0).out
}

#[test]
fn a_user_moves_to_another_service_and_goes_on_there() {
    let (mut from, mut to) = (with_key('A'), with_key('A'));
    let (user, archive) = exported(&mut from);
    let would = to.run(&["admin", "users", "import", &archive, "--dry-run", "-o", "json"]).ends(0).json();
    assert_eq!((&would["isDryRun"], &would["imported"]["line_items"]), (&json!(true), &json!(300)));
    to.run(&["admin", "users", "find", &user]).ends(5);
    let imported = to.run(&["admin", "users", "import", &archive]).ends(0);
    imported.says("The user has to sign in again").says("retailer 1 (Marrowby Market)").says("ordersync fix");
    let imported = to.run(&["admin", "users", "find", &user, "-o", "json"]).ends(0).json();
    assert_eq!((&imported[0]["items"], &imported[0]["unfinishedSyncs"]), (&json!(300), &json!(0)));
    to.run(&["admin", "store", "check"]).ends(0);
    to.run(&["admin", "audit"]).ends(0).prints("user.import");
    to.run(&["admin", "users", "import", &archive]).ends(2).says("The store already has the user");

    // As far as the archive has it, the user is the same one.
    let again = to.home.path().join("again.zip").display().to_string();
    to.run(&["admin", "users", "export", &user, "--out", &again]).ends(0);
    let (before, after) = (members(Path::new(&archive)), members(Path::new(&again)));
    for file in ["users", "grants", "connection_shares", "used_stamps", "orders", "line_items", "line_nodes"] {
        let file = format!("{file}.jsonl");
        assert!(!before[&file].is_empty() && before[&file] == after[&file], "{file}");
    }

    assert_eq!(sign_in(&mut to), user);
    let expired = |retailer: u64| json!([retailer, "invalid", "retailer_session_expired"]);
    assert_eq!(statuses(&to), [expired(1), expired(2)]);
    assert_eq!(lines(&to), lines(&from));
    to.run(&["sync", "-r", "1"]).ends(9).says("ordersync fix");
    // Credentials of somebody else's account are not taken, although the former ones are missing.
    let fix = |user: &str| to.run(&["fix", "--retailer", "1", "--credentials-file", &to.home.credentials(user)]);
    fix("user_good").ends(9).says("another account");
    fix("user_items_300").ends(0).prints("300 items, none new");
    assert_eq!(statuses(&to)[0], json!([1, "valid", null]));
    assert_eq!(lines(&to), lines(&from));
}

#[test]
fn a_service_with_another_root_key_needs_the_phone_number() {
    let (mut from, to) = (with_key('A'), with_key('E'));
    let (user, archive) = exported(&mut from);
    let import = |more: &[&str]| to.run(&[&["admin", "users", "import", &archive][..], more].concat());
    import(&[]).ends(2).says("another root key").says("--phone").says("--key-file");
    import(&["--phone", "5550101", "--key-file", "root.key"]).ends(2).says("no phone number");
    import(&["--phone", PHONE]).ends(2).says("--key-file");
    import(&["--phone", "+15550102", "--key-file", "root.key"]).ends(2).says("ends in \"0101\"");
    let foreign = from.home.path().join("root.key").display().to_string();
    import(&["--phone", PHONE, "--key-file", &foreign]).ends(2).says("does not fit the store");
    import(&["--client", "sandbox=none"]).ends(2);
    let phone = ["--phone", PHONE, "--key-file", "root.key"];
    import(&[&phone[..], &["--client", "x=ordersync-cli"]].concat()).ends(2).says("names no client \"x\"");
    import(&[&phone[..], &["--client", "sandbox=x"]].concat()).ends(2).says("no client x").says("admin clients create");
    import(&[&phone[..], &["--client", "sandbox"]].concat()).ends(2).says("OLD=NEW");
    let created = to.run(&["admin", "clients", "create", "--name", "New", "-o", "json"]).ends(0).json();
    let pair = format!("sandbox={}", created["clientId"].as_str().expect("an id"));
    import(&[&phone[..], &["--client", &pair]].concat()).ends(0);
    let found =
        to.run(&["admin", "users", "find", "--phone", PHONE, "--key-file", "root.key", "-o", "json"]).ends(0).json();
    assert_eq!((&found[0]["userId"], &found[0]["clients"][0]["name"]), (&json!(user), &json!("New")));
}

#[test]
fn a_user_who_was_deleted_by_mistake_is_brought_back() {
    let mut sandbox = with_key('A');
    let (user, archive) = exported(&mut sandbox);
    let before = lines(&sandbox);
    sandbox.run(&["admin", "users", "delete", &user, "--yes"]).ends(0);
    let import = |more: &[&str]| sandbox.run(&[&["admin", "users", "import", &archive][..], more].concat());
    for _ in 0..600 {
        // The service may still be deleting.
        if !import(&[]).ends(2).err.contains("are still left") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    import(&[]).ends(2).says("was deleted from this store").says("by operator").says("--restore-deleted");
    import(&["--restore-deleted"]).ends(0);
    // The deletion in the audit log is older than the return.
    let entries = sandbox.home.path().join("audit.jsonl");
    std::fs::write(&entries, sandbox.run(&["admin", "audit", "-o", "jsonl"]).ends(0).out).expect("a file");
    let entries = entries.display().to_string();
    let redeleted = sandbox.run(&["admin", "users", "redelete", &entries, "--yes", "-o", "json"]).ends(0).json();
    assert_eq!(redeleted["userIds"], json!([]));
    let would = sandbox.run(&["admin", "users", "redelete", &entries, "--dry-run"]).ends(0);
    would.says("no user who has to be deleted again").says("Imported again after their deletion, and left: 1.");
    assert_eq!(sign_in(&mut sandbox), user);
    assert_eq!(lines(&sandbox), before);
}

#[test]
fn an_archive_that_is_no_export_is_refused_and_nothing_is_stored() {
    let (mut from, to) = (with_key('A'), with_key('A'));
    let (user, archive) = exported(&mut from);
    let whole = members(Path::new(&archive));
    let bytes = std::fs::read(&archive).expect("the archive");
    let path = to.home.path().join("wrong.zip");
    let refused = |bytes: &[u8], said: &str| {
        std::fs::write(&path, bytes).expect("a file");
        refused(&to, &path).says(said);
    };
    refused(b"", "wrong.zip is no archive of a user");
    refused(b"{\"users\": []}", "wrong.zip is no archive of a user");
    refused(&bytes[..bytes.len() / 2], "wrong.zip is no archive of a user");
    let changed = |change: &dyn Fn(&mut Members)| {
        let mut members: Members = whole.clone().into_iter().collect();
        change(&mut members);
        pack(&members)
    };
    refused(&changed(&|all| all.retain(|(name, _)| name != "manifest.json")), "it has no manifest.json");
    // What writes archives leaves out ways that lead elsewhere.
    let mut evil = changed(&|all| all.push(("UPUPUPevil\n".into(), Vec::new())));
    while let Some(place) = evil.windows(6).position(|part| part == b"UPUPUP") {
        evil[place..place + 6].copy_from_slice(b"../../");
    }
    refused(&evil, "at \"../../evil\\n\": this file is not known");
    refused(&changed(&|all| all.push(("users.jsonl".into(), Vec::new()))), "\"users.jsonl\" is there twice");
    refused(
        &changed(&|all| all.extend((0..101).map(|number| (format!("{number}"), Vec::new())))),
        "more than 100 files",
    );
    // A byte of the compressed rows, so that they unpack to something else, or not at all.
    for place in [2_000, 5_000, 9_000] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        refused(&damaged, "The archive is refused, at ");
    }
    let bomb = |rows: u64, row: &str, bytes: usize| {
        changed(&|all| {
            all.push(("otp_places.jsonl".into(), row.repeat(bytes / row.len()).into_bytes()));
            let (_, manifest) = all.iter_mut().find(|(name, _)| name == "manifest.json").expect("the manifest");
            let mut counts: Value = serde_json::from_slice(manifest).expect("JSON");
            counts["rows"]["otp_places"] = json!(rows);
            *manifest = counts.to_string().into_bytes();
        })
    };
    let row = "{\"at\":\"1970-01-01T00:00:00.000000Z\"}\n";
    refused(&bomb(9, row, 1 << 20), "otp_places.jsonl, row 10: manifest.json counts only 9 rows");
    refused(&bomb(1, " ", 64 << 20), "otp_places.jsonl: it unpacks to more than any export would");
    to.run(&["admin", "users", "find", &user]).ends(5);
    to.run(&["admin", "users", "import", &to.home.path().display().to_string()]).ends(2).says("no regular file");
    to.run(&["admin", "users", "import", "none.zip"]).ends(1).says("none.zip");
    to.run(&["admin", "users", "import", &archive]).ends(0);
}

fn refused(sandbox: &Sandbox, path: &Path) -> Run {
    let run = sandbox.run(&["admin", "users", "import", &path.display().to_string()]).ends(2);
    assert!(run.err.len() < 1_000 && run.out.is_empty(), "{}", run.err);
    run
}

/// The files of an archive.
fn members(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let bytes = std::fs::read(path).expect("an archive");
    let archive = ZipArchive::from_slice(&bytes).expect("an archive");
    let mut members = BTreeMap::new();
    for entry in archive.entries() {
        let entry = entry.expect("a file");
        let name = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        let mut content = Vec::new();
        let packed = archive.get_entry(entry.wayfinder()).expect("a file").data();
        DeflateDecoder::new(packed).read_to_end(&mut content).expect("it unpacks");
        members.insert(name, content);
    }
    members
}

fn pack(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for (name, content) in members {
        let new = archive.new_file(name.as_str()).compression_method(CompressionMethod::DEFLATE);
        let (mut entry, config) = new.start().expect("a file");
        let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
        writer.write_all(content).expect("written");
        let (encoder, described) = writer.finish().expect("written");
        encoder.finish().expect("written");
        entry.finish(described).expect("written");
    }
    archive.finish().expect("an archive")
}
