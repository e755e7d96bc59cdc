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

const DAMAGES: &[Damage] = &[
    ("file", |a| drop(a.0.insert("../../x".into(), Vec::new())), "at \"../../x\": this file is not known"),
    ("table", |a| replace(a, MANIFEST, "\"users\"", "\"clients\""), "the table \"clients\" is not known"),
    (
        "format",
        |a| replace(a, MANIFEST, "\"format\":2", "\"format\":3"),
        "has the format 3, and this version reads the format 2",
    ),
    ("manifest", |a| replace(a, MANIFEST, "\"format\":2", "\"format\":2,\"x\":1"), "unknown field `x`"),
    ("version", |a| replace(a, MANIFEST, "\"storeVersion\":", "\"storeVersion\":9"), "is of a store of version 9"),
    ("environment", |a| replace(a, MANIFEST, "\"sandbox\"", "\"live\""), "of a live store, and this store is sandbox"),
    ("no file", |a| drop(a.0.remove("events.jsonl")), "events.jsonl and the rows of events that the manifest counts"),
    (
        "no user",
        |a| drop(a.0.insert("users.jsonl".into(), Vec::new())),
        "users.jsonl: it has 0 rows, and manifest.json counts 1",
    ),
    (
        "column",
        |a| replace(a, "users.jsonl", "{", "{\"x\\ny\":1,"),
        "users.jsonl, row 1: the column \"x\\ny\" is not known",
    ),
    ("column twice", |a| replace(a, "users.jsonl", "{", "{\"id\":\"u\","), "the column \"id\" is there twice"),
    ("no column", |a| replace(a, "users.jsonl", "\"clock_offset\":0,", ""), "the column \"clock_offset\" is missing"),
    ("a million columns", |a| append(a, "users.jsonl", many_columns().as_bytes()), "the column \"c0\" is not known"),
    (
        "text",
        |a| replace(a, "users.jsonl", "\"clock_offset\":0", "\"clock_offset\":\"0\""),
        "\"clock_offset\" is no whole number",
    ),
    (
        "fraction",
        |a| replace(a, "users.jsonl", "\"clock_offset\":0", "\"clock_offset\":0.5"),
        "\"clock_offset\" is no whole number",
    ),
    (
        "large",
        |a| replace(a, "users.jsonl", "\"clock_offset\":0", "\"clock_offset\":9223372036854775808"),
        "is no whole number",
    ),
    (
        "time",
        |a| replace(a, "users.jsonl", "1970-01-01T00:00:00.000000Z", "1970-01-01T00:00:00Z"),
        "\"created_at\" is no time",
    ),
    (
        "NUL",
        |a| replace(a, "users.jsonl", "\"name\":null", "\"name\":\"a\\u0000b\""),
        "\"name\" is no text, or has a NUL",
    ),
    ("half a character", |a| replace(a, "users.jsonl", "\"name\":null", "\"name\":\"\\ud800\""), "\"name\" is no text"),
    ("not UTF-8", |a| append(a, "events.jsonl", b"{\"\xff\":1}\n"), "events.jsonl, row 3: the row is not UTF-8"),
    ("no JSON", |a| append(a, "events.jsonl", b"hello\n"), "events.jsonl, row 3: expected value"),
    ("two objects", |a| replace(a, "users.jsonl", "}", "}{}"), "users.jsonl, row 1: trailing characters"),
    ("nothing", |a| append(a, "events.jsonl", b"\n"), "events.jsonl, row 3: EOF"),
    ("cut off", |a| a.0.get_mut("events.jsonl").unwrap().truncate(99), "events.jsonl, row 1: the row has no end"),
    ("long", |a| append(a, "users.jsonl", &vec![b' '; 17 << 20]), "users.jsonl, row 2: the row is longer than 16 MiB"),
    (
        "deep",
        |a| replace(a, "events.jsonl", "\"mfa\":{}", &format!("\"mfa\":{}", "[".repeat(99_999))),
        "events.jsonl, row 1",
    ),
    (
        "another's",
        |a| replace(a, "grants.jsonl", "\"user_id\":\"u\"", "\"user_id\":\"v\""),
        "grants.jsonl, row 1: the row is not of the user u",
    ),
    (
        "twice",
        |a| replace(a, "grants.jsonl", "\"id\":\"g2\"", "\"id\":\"g1\""),
        "grants.jsonl, row 2: the row is there twice",
    ),
    (
        "too many",
        |a| replace(a, MANIFEST, "\"grants\":2", "\"grants\":3"),
        "grants.jsonl: it has 2 rows, and manifest.json counts 3",
    ),
    (
        "too many left",
        |a| replace(a, MANIFEST, "\"refresh_tokens\":1", "\"refresh_tokens\":3"),
        "refresh_tokens.jsonl: it has 1 rows",
    ),
    (
        "word",
        |a| replace(a, "connections.jsonl", "\"status\":\"valid\"", "\"status\":\"good\""),
        "connections.jsonl, row 1: the column \"status\"",
    ),
    (
        "active",
        |a| replace(a, "retailer_sessions.jsonl", "\"active\":0", "\"active\":1"),
        "\"active\" and \"sync_status\" contradict",
    ),
    (
        "price",
        |a| replace(a, "line_items.jsonl", "\"price\":0.10", "\"price\":9.99"),
        "line_items.jsonl, row 1: the column \"csv\" does not agree",
    ),
    (
        "formula",
        |a| replace(a, "line_items.jsonl", "\"csv\":\"", "\"csv\":\"=1"),
        "line_items.jsonl, row 1: the column \"csv\"",
    ),
    (
        "item",
        |a| replace(a, "line_items.jsonl", "\"id\":\"item_1\",\"item\"", "\"id\":\"item_9\",\"item\""),
        "\"id\" does not agree",
    ),
    ("place", |a| replace(a, "line_items.jsonl", "\"sort_key\":-1", "\"sort_key\":-2"), "\"sort_key\" does not agree"),
    (
        "no document",
        |a| replace(a, "line_items.jsonl", "\"document\":{", "\"document\":{\"price\":\"x\","),
        "\"document\" is no line item",
    ),
    (
        "digest",
        |a| replace(a, "line_items.jsonl", "\"content_digest\":\"0", "\"content_digest\":\"g"),
        "\"content_digest\" is no octets",
    ),
    (
        "adjustments",
        |a| replace(a, "orders.jsonl", "\"adjustments\":[]", "\"adjustments\":{}"),
        "\"adjustments\" is no list",
    ),
    (
        "session",
        |a| replace(a, "events.jsonl", "\"batch_id\":\"s1\",", "\"batch_id\":\"s0\","),
        "events.jsonl, row 1: the database refuses the row",
    ),
    (
        "order",
        |a| replace(a, "orders.jsonl", "\"order_id\":\"item_200\"", "\"order_id\":\"item_9\""),
        "orders.jsonl, row 200: the database refuses",
    ),
    (
        "another's session",
        |a| replace(a, "sessions.jsonl", "\"id\":\"s2\"", "\"id\":\"sv\""),
        "the store already has the id \"sv\" of sessions",
    ),
    (
        "part of another's",
        |a| replace(a, "retailer_sessions.jsonl", "\"batch_id\":\"s1\"", "\"batch_id\":\"sv\""),
        "parts of syncs whose session",
    ),
    (
        "bound to another",
        |a| replace(a, "user_bindings.jsonl", "\"external_user_id\":\"e\"", "\"external_user_id\":\"a\""),
        "user_bindings.jsonl, row 1",
    ),
    (
        "connection",
        |a| replace(a, "users.jsonl", "\"connections_made\":4", "\"connections_made\":3"),
        "connections whose number is that of another",
    ),
    (
        "next order",
        |a| replace(a, "connections.jsonl", "\"orders_made\":300", "\"orders_made\":299"),
        "give an order's number to the next one",
    ),
    (
        "next event",
        |a| replace(a, "sessions.jsonl", "\"last_seq\":2", "\"last_seq\":1"),
        "give an event's number to the next one",
    ),
    (
        "items",
        |a| replace(a, "orders.jsonl", "\"item_count\":1", "\"item_count\":2"),
        "1 orders that do not have as many line items",
    ),
    ("positions", |a| replace(a, "line_nodes.jsonl", "\"items\":", "\"items\":1"), "positions that do not agree"),
    (
        "no position",
        |a| {
            replace(a, "line_nodes.jsonl", "\"level\":2", "\"level\":3");
        },
        "positions of no connection, or of no level",
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
    for (name, damage, expected) in DAMAGES {
        let mut archive = whole.clone();
        damage(&mut archive);
        let refusal = import(&store, &archive, &AS_IT_IS).await.expect_err(name).to_string();
        assert!(refusal.contains(expected), "{name}: {refusal}");
        assert!(refusal.len() < 400, "{name}: {refusal}");
        assert_eq!(store.rows_of_user("u", &[1; 32]).await.unwrap(), [], "{name}");
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
