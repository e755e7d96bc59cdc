//! Archives that are not imported: each is refused by the name of what is wrong, and nothing of it is stored.

use std::collections::BTreeMap;

use tempfile::TempDir;

use super::user_archive::{AS_IT_IS, Held, filled, import, run, served};
use crate::store::Store;
use crate::store::operator::user_import::{Import, ImportRefusal, MANIFEST};

/// A change of an archive, and what its refusal says.
type Damage = (&'static str, fn(&mut Held), &'static str);

fn replace(archive: &mut Held, file: &str, old: &str, new: &str) {
    let text = archive.text(file);
    assert!(text.contains(old), "{file} has no {old}");
    archive.0.insert(file.to_owned(), text.replacen(old, new, 1).into_bytes());
}

fn append(archive: &mut Held, file: &str, bytes: &[u8]) {
    archive.0.get_mut(file).unwrap().extend_from_slice(bytes);
}

/// A part of a manifest of which the rows of a table are counted anew.
fn recount(archive: &mut Held, table: &str) {
    let rows = archive.text(&format!("{table}.jsonl")).lines().count();
    let mut manifest: serde_json::Value = serde_json::from_slice(&archive.0[MANIFEST]).unwrap();
    manifest["rows"][table] = rows.into();
    archive.0.insert(MANIFEST.to_owned(), serde_json::to_vec(&manifest).unwrap());
}

/// A file, a text of it, what takes its place, and what the refusal says.
const REPLACED: &[[&str; 4]] = &[
    [MANIFEST, r#""users""#, r#""clients""#, r#"the table "clients" is not known"#],
    [MANIFEST, r#""format":2"#, r#""format":3"#, "has the format 3, and this version reads the format 2"],
    [MANIFEST, r#""format":2"#, r#""format":2,"x":1"#, "unknown field `x`"],
    [MANIFEST, r#""storeVersion":"#, r#""storeVersion":9"#, "is of a store of version 9"],
    [MANIFEST, r#""sandbox""#, r#""live""#, "of a live store, and this store is sandbox"],
    ["users.jsonl", "{", "{\"x\\ny\":1,", "users.jsonl, row 1: the column \"x\\ny\" is not known"],
    ["users.jsonl", "{", r#"{"id":"u","#, r#"the column "id" is there twice"#],
    ["users.jsonl", r#""clock_offset":0,"#, "", r#"the column "clock_offset" is missing"#],
    ["users.jsonl", r#""clock_offset":0"#, r#""clock_offset":"0""#, r#""clock_offset" is no whole number"#],
    ["users.jsonl", r#""clock_offset":0"#, r#""clock_offset":0.5"#, r#""clock_offset" is no whole number"#],
    ["users.jsonl", r#""clock_offset":0"#, r#""clock_offset":9223372036854775808"#, "is no whole number"],
    ["users.jsonl", "1970-01-01T00:00:00.000000Z", "1970-01-01T00:00:00Z", r#""created_at" is no time"#],
    ["users.jsonl", r#""name":null"#, "\"name\":\"a\\u0000b\"", r#""name" is no text, or has a NUL"#],
    ["users.jsonl", r#""name":null"#, "\"name\":\"\\ud800\"", r#""name" is no text"#],
    ["users.jsonl", "}", "}{}", "users.jsonl, row 1: trailing characters"],
    ["grants.jsonl", r#""user_id":"u""#, r#""user_id":"v""#, "grants.jsonl, row 1: the row is not of the user u"],
    ["grants.jsonl", r#""id":"g2""#, r#""id":"g1""#, "grants.jsonl, row 2: the row is there twice"],
    [MANIFEST, r#""grants":2"#, r#""grants":3"#, "grants.jsonl: it has 2 rows, and manifest.json counts 3"],
    [MANIFEST, r#""refresh_tokens":1"#, r#""refresh_tokens":3"#, "refresh_tokens.jsonl: it has 1 rows"],
    [
        "connections.jsonl",
        r#""status":"valid""#,
        r#""status":"good""#,
        r#"connections.jsonl, row 1: the column "status""#,
    ],
    ["retailer_sessions.jsonl", r#""active":0"#, r#""active":1"#, r#""active" and "sync_status" contradict"#],
    [
        "line_items.jsonl",
        r#""price":0.10"#,
        r#""price":9.99"#,
        r#"line_items.jsonl, row 1: the column "csv" does not agree"#,
    ],
    ["line_items.jsonl", r#""csv":""#, r#""csv":"=1"#, r#"line_items.jsonl, row 1: the column "csv""#],
    ["line_items.jsonl", r#""id":"item_1","item""#, r#""id":"item_9","item""#, r#""id" does not agree"#],
    ["line_items.jsonl", r#""sort_key":-1"#, r#""sort_key":-2"#, r#""sort_key" does not agree"#],
    ["line_items.jsonl", r#""document":{"#, r#""document":{"price":"x","#, r#""document" is no line item"#],
    ["line_items.jsonl", r#""content_digest":"0"#, r#""content_digest":"g"#, r#""content_digest" is no octets"#],
    ["orders.jsonl", r#""adjustments":[]"#, r#""adjustments":{}"#, r#""adjustments" is no list"#],
    ["events.jsonl", r#""batch_id":"s1","#, r#""batch_id":"s0","#, "events.jsonl, row 1: the database refuses the row"],
    [
        "orders.jsonl",
        r#""order_id":"item_200""#,
        r#""order_id":"item_9""#,
        "orders.jsonl, row 200: the database refuses",
    ],
    ["sessions.jsonl", r#""id":"s2""#, r#""id":"sv""#, r#"the store already has the id "sv" of sessions"#],
    ["retailer_sessions.jsonl", r#""batch_id":"s1""#, r#""batch_id":"sv""#, "parts of syncs whose session"],
    ["user_bindings.jsonl", r#""external_user_id":"e""#, r#""external_user_id":"a""#, "user_bindings.jsonl, row 1"],
    [
        "users.jsonl",
        r#""connections_made":4"#,
        r#""connections_made":3"#,
        "connections whose number is that of another",
    ],
    ["connections.jsonl", r#""orders_made":300"#, r#""orders_made":299"#, "give an order's number to the next one"],
    ["sessions.jsonl", r#""last_seq":2"#, r#""last_seq":1"#, "give an event's number to the next one"],
    ["orders.jsonl", r#""item_count":1"#, r#""item_count":2"#, "1 orders that do not have as many line items"],
    ["line_nodes.jsonl", r#""items":"#, r#""items":1"#, "positions that do not agree"],
    ["line_nodes.jsonl", r#""level":2"#, r#""level":3"#, "positions of no connection, or of no level"],
];

const DAMAGES: &[Damage] = &[
    ("file", |a| drop(a.0.insert("../../x".into(), Vec::new())), "at \"../../x\": this file is not known"),
    ("no file", |a| drop(a.0.remove("events.jsonl")), "events.jsonl and the rows of events that the manifest counts"),
    (
        "no user",
        |a| drop(a.0.insert("users.jsonl".into(), Vec::new())),
        "users.jsonl: it has 0 rows, and manifest.json counts 1",
    ),
    ("a million columns", |a| append(a, "users.jsonl", many_columns().as_bytes()), "the column \"c0\" is not known"),
    ("not UTF-8", |a| append(a, "events.jsonl", b"{\"\xff\":1}\n"), "events.jsonl, row 3: the row is not UTF-8"),
    ("no JSON", |a| append(a, "events.jsonl", b"hello\n"), "events.jsonl, row 3: expected value"),
    ("nothing", |a| append(a, "events.jsonl", b"\n"), "events.jsonl, row 3: EOF"),
    ("cut off", |a| a.0.get_mut("events.jsonl").unwrap().truncate(99), "events.jsonl, row 1: the row has no end"),
    ("long", |a| append(a, "users.jsonl", &vec![b' '; 17 << 20]), "users.jsonl, row 2: the row is longer than 16 MiB"),
    (
        "deep",
        |a| replace(a, "events.jsonl", "\"mfa\":{}", &format!("\"mfa\":{}", "[".repeat(99_999))),
        "events.jsonl, row 1",
    ),
    (
        "lost order",
        |a| {
            let text = a.text("orders.jsonl");
            let (_, rest) = text.split_once('\n').unwrap();
            a.0.insert("orders.jsonl".into(), rest.as_bytes().to_vec());
            recount(a, "orders")
        },
        "1 line items without their order",
    ),
];

fn many_columns() -> String {
    let columns: Vec<String> = (0..1_000_000).map(|number| format!("\"c{number}\":1")).collect();
    format!("{{{}}}\n", columns.join(","))
}

async fn another(store: &Store) {
    run(
        store,
        &[
            "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('v', x'02', '0101', 0)",
            "INSERT INTO sessions (id, user_id, client_id, created_at, updated_at) VALUES ('sv', 'v', 'k', 0, 0)",
            "INSERT INTO user_bindings (client_id, external_user_id, user_id, bound_at) VALUES ('k', 'a', 'v', 0)",
        ],
    )
    .await;
}

#[tokio::test]
async fn an_archive_that_is_not_an_export_is_refused_by_the_name_of_what_is_wrong() {
    let folder = TempDir::new().unwrap();
    let source = served(&folder.path().join("source")).await;
    filled(&source).await;
    let whole = Held::of(&source).await;
    let store = served(&folder.path().join("store")).await;
    another(&store).await;
    let refused = async |name: &str, damage: &dyn Fn(&mut Held), expected: &str| {
        let mut archive = whole.clone();
        damage(&mut archive);
        let refusal = import(&store, &archive, &AS_IT_IS).await.expect_err(name).to_string();
        assert!(refusal.contains(expected), "{name}: {refusal}");
        assert!(refusal.len() < 400, "{name}: {refusal}");
        assert_eq!(store.rows_of_user("u", &[1; 32]).await.unwrap(), [], "{name}");
    };
    for [file, old, new, expected] in REPLACED {
        refused(new, &|archive| replace(archive, file, old, new), expected).await;
    }
    for (name, damage, expected) in DAMAGES {
        refused(name, damage, expected).await;
    }
    import(&store, &whole, &AS_IT_IS).await.unwrap();
}

#[tokio::test]
async fn a_store_that_the_user_does_not_fit_into_is_left_as_it_is() {
    let folder = TempDir::new().unwrap();
    let source = served(&folder.path().join("source")).await;
    filled(&source).await;
    let archive = Held::of(&source).await;
    let fresh = Store::of_test(&folder.path().join("fresh")).await;
    assert!(matches!(import(&fresh, &archive, &AS_IT_IS).await, Err(ImportRefusal::NotServed)));

    let store = served(&folder.path().join("store")).await;
    another(&store).await;
    // Another service's, whose root key this one does not have; with the phone number under its own, the user is found.
    run(&store, &["UPDATE root_keys SET fingerprint = '2222-2222-2222-2222'"]).await;
    let foreign = import(&store, &archive, &AS_IT_IS).await.unwrap_err().to_string();
    assert!(foreign.contains("another root key") && foreign.contains("1111-1111"), "{foreign}");
    let mut taken = [0; 32];
    taken[0] = 2;
    run(&store, &[&format!("UPDATE users SET phone_digest = x'02{}' WHERE id = 'v'", "00".repeat(31))]).await;
    let with = |digest, last4| Import { phone: Some((digest, last4)), dry_run: true, ..AS_IT_IS };
    let refusal = import(&store, &archive, &with(taken, "0100")).await.unwrap_err();
    assert!(matches!(&refusal, ImportRefusal::PhoneTaken(other) if other == "v"), "{refusal}");
    let refusal = import(&store, &archive, &with([9; 32], "0101")).await.unwrap_err().to_string();
    assert!(refusal.contains("users.jsonl, row 1: the phone number of u ends in \"0100\""), "{refusal}");
    import(&store, &archive, &with([9; 32], "0100")).await.unwrap();

    run(
        &store,
        &["DELETE FROM clients WHERE id = 'k2'", "INSERT INTO clients (id, name, created_at) VALUES ('k3', '', 0)"],
    )
    .await;
    let with = |pairs: &[(&str, &str)]| pairs.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
    let clients: [(BTreeMap<_, _>, _); 3] = [
        (with(&[]), "has no client k2"),
        (with(&[("k2", "k4")]), "has no client k4"),
        (with(&[("x", "k3")]), "names no client \"x\""),
    ];
    for (clients, expected) in &clients {
        let how = Import { phone: Some(([9; 32], "0100")), clients, ..AS_IT_IS };
        let refusal = import(&store, &archive, &how).await.unwrap_err().to_string();
        assert!(refusal.contains(expected), "{refusal}");
    }
    let how = Import { phone: Some(([9; 32], "0100")), clients: &with(&[("k2", "k3")]), ..AS_IT_IS };
    import(&store, &archive, &how).await.unwrap();
    assert_eq!(store.phone_digest_of("u").await.unwrap(), Some(vec![9; 32]));
    let shares = Held::of(&store).await.text("connection_shares.jsonl");
    assert!(shares.contains("\"k3\"") && !shares.contains("\"k2\""), "{shares}");

    // While the service still deletes them, nobody comes back.
    run(
        &store,
        &[
            "DELETE FROM users WHERE id = 'u'",
            "INSERT INTO former_order_ids (user_id, connection, order_id) VALUES ('u', 9, 'x')",
        ],
    )
    .await;
    let refusal = import(&store, &archive, &AS_IT_IS).await.unwrap_err();
    assert!(matches!(refusal, ImportRefusal::BeingDeleted { .. }), "{refusal}");
}
