//! A user who is exported and imported is the same one to the byte, in either database, with every table and column.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::path::Path;

use sqlx::AssertSqlSafe;
use tempfile::TempDir;

use super::opened::of_any;
use super::{STOPPED, insert_counted, owner};
use crate::clock::Clock as _;
use crate::domain::rendered::Renderer;
use crate::environment::Environment;
use crate::store::accounts::audit::{Actor, Operator};
use crate::store::db::{query, query_as, query_scalar};
use crate::store::operator::user_export::UserManifest;
use crate::store::operator::user_import::{
    Import, ImportError, ImportRefusal, Imported, MANIFEST, UserArchive, file_of, manifest_of,
};
use crate::store::operator::user_tables::{Column, Kind, LEFT, RESTORED, exported_columns, user_tables};
use crate::store::orders::lines::{Keys, NewLine, first_item, parse};
use crate::store::orders::positions::sort_key;
use crate::store::{Store, StoreError};

/// Who imports.
pub(super) const OTTO: Operator<'static> = Operator { name: "otto", clock: &STOPPED };
/// Enough lines for several positions.
const LINES: i64 = 300;

/// An archive in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held(pub(super) BTreeMap<String, Vec<u8>>);

impl UserArchive for Held {
    fn files(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    fn open(&self, file: &str) -> io::Result<Box<dyn BufRead + '_>> {
        let content = self.0.get(file).ok_or_else(|| io::Error::other("there is no such file"))?;
        Ok(Box::new(content.as_slice()))
    }
}

impl Held {
    /// An archive of the user `u`.
    pub(super) async fn of(store: &Store) -> Self {
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let write = |table: &str, row: &str| {
            files.entry(file_of(table)).or_default().extend([row.as_bytes(), b"\n"].concat());
            Ok::<_, StoreError>(())
        };
        let digest = store.phone_digest_of("u").await.unwrap().unwrap();
        let manifest = store.write_user("u", &digest, STOPPED.now(), write).await.unwrap();
        files.insert(MANIFEST.to_owned(), serde_json::to_vec(&manifest).unwrap());
        Self(files)
    }

    pub(super) fn text(&self, file: &str) -> String {
        String::from_utf8(self.0[file].clone()).unwrap()
    }
}

/// How most users are imported.
pub(super) static AS_IT_IS: Import<'static> =
    Import { phone: None, clients: &BTreeMap::new(), restore_deleted: false, dry_run: false };

pub(super) async fn import(store: &Store, archive: &Held, how: &Import<'_>) -> Result<Imported, ImportRefusal> {
    let manifest: UserManifest = manifest_of(archive)?;
    store.import_user(archive, &manifest, how, OTTO).await.map_err(|error| match error {
        ImportError::Refused(refusal) => refusal,
        ImportError::Store(error) => panic!("{error}"),
    })
}

pub(super) async fn run(store: &Store, statements: &[&str]) {
    for statement in statements {
        let statement = of_any(store.writer().dialect(), statement);
        query(statement).execute(store.writer()).await.unwrap();
    }
}

/// A store that was served, with the clients `k` and `k2`.
pub(super) async fn served(path: &Path) -> Store {
    let store = Store::of_test(path).await;
    prepare(&store).await;
    store
}

async fn prepare(store: &Store) {
    store.claim_environment(Environment::Sandbox, STOPPED.now()).await.unwrap();
    run(
        store,
        &[
            "INSERT INTO root_keys (fingerprint, since) VALUES ('1111-1111-1111-1111', 0)",
            "INSERT INTO clients (id, name, created_at) VALUES ('k', 'k', 0), ('k2', 'k2', 0)",
        ],
    )
    .await;
}

/// Gives the user `u` rows in every table that is restored, and in some that are left.
pub(super) async fn filled(store: &Store) {
    let digest = "01".repeat(32);
    let user = format!(
        "INSERT INTO users (id, phone_digest, phone_last4, created_at, connections_made) VALUES ('u', x'{digest}', '0100', 0, 4)"
    );
    run(
        store,
        &[
            &user,
            "INSERT INTO connections (id, user_id, number, retailer_id, display_name, status, status_reason, credentials,
                created_at, orders_made)
             VALUES ('c1', 'u', 1, 1, '', 'valid', NULL, x'07', 0, 300), ('c2', 'u', 2, 2, '', 'invalid', 'account_locked', x'07', 0, 0),
                ('c4', 'u', 4, 4, '', 'valid', 'import_only', x'', 0, 0)",
            "INSERT INTO sessions (id, user_id, client_id, created_at, updated_at, number, last_seq)
             VALUES ('s1', 'u', 'k', 0, 0, 1, 2), ('s2', 'u', 'k2', 0, 0, 2, 0)",
            "INSERT INTO retailer_sessions (id, batch_id, user_id, connection_id, position, sync_status, resume_status, active,
                updated_at, retailer_id)
             VALUES ('p1', 's1', 'u', 'c1', 0, 'completed', 'scanning', 0, 0, 1), ('p2', 's2', 'u', 'c2', 0, 'error', NULL, 0, 0, 2)",
            "INSERT INTO used_stamps (user_id, client_id, stamp, expires_at) VALUES ('u', 'k', '''\"\\', 0)",
            "INSERT INTO grants (id, user_id, client_id, scopes, created_at) VALUES ('g1', 'u', 'k', '', 0), ('g2', 'u', 'k2', 'x', 0)",
            "INSERT INTO user_bindings (client_id, external_user_id, user_id, bound_at) VALUES ('k', 'é ☃', 'u', 0), ('k', 'e', 'u', 0)",
            "INSERT INTO connection_shares (user_id, connection_id, client_id, shared_at) VALUES ('u', 'c1', 'k', 0), ('u', 'c1', 'k2', 0)",
            "INSERT INTO events (user_id, batch_id, seq, at, type, connection_id, retailer_id, sync_status, mfa)
             VALUES ('u', 's1', 1, 0, 'status', 'c1', 1, 'scanning', '{}'), ('u', 's1', 2, 0, 'status', 'c1', 1, NULL, NULL)",
            "INSERT INTO mfa_requests (user_id, id, retailer_session_id, kind, options, expires_at) VALUES ('u', 'm', 'p1', '', '[]', 0)",
            "INSERT INTO kept_back_orders (user_id, connection_id, order_id, batch_id) VALUES ('u', 'c1', 'Z', 's1'), ('u', 'c1', 'a', 's1')",
            "INSERT INTO former_order_ids (user_id, connection, order_id) VALUES ('u', 1, 'Z'), ('u', 1, 'é')",
            "INSERT INTO removed_connections (user_id, connection) VALUES ('u', 3)",
            // What an import leaves.
            "INSERT INTO refresh_tokens (digest, grant_id, created_at, expires_at) VALUES (x'01', 'g1', 0, 0)",
            "INSERT INTO order_documents (user_id, id, connection, order_number, size, added_at, about) VALUES ('u', 'd', 1, 1, 1, 0, x'00')",
        ],
    )
    .await;
    let mut tx = store.write().await.unwrap();
    let mut renderer = Renderer::default();
    let mut written = BTreeMap::new();
    let lines = (1..=LINES).map(|number| {
        let item = parse(&format!(
            r#"{{"id":"item_{number}","connectionId":"c1","retailerId":1,"orderId":"o","itemName":"Tea, \"green\" ☕","quantity":1.50,
                "orderDate":"2026-01-02T03:04:05.{number:06}Z","price":0.10,"lineTotal":1234567890123456.78,"currency":"EUR"}}"#
        ))
        .unwrap();
        let date = item.order_date.clone().and_then(|date| date.known().map(|date| date.0));
        let id = item.id.as_str().to_owned();
        written.insert(id.clone(), renderer.render(&item).unwrap());
        NewLine { item: first_item(number), id, keys: Keys::default(), sort_key: sort_key(date), content: vec![7; 48] }
    });
    let lines = lines.collect();
    insert_counted(&mut tx, owner(1), lines, |line| Ok(written[&line.id].clone())).await;
    query(
        "INSERT INTO orders (user_id, connection, number, order_id, item_count, last_batch_id, adjustments)
         SELECT user_id, connection, item >> 20, id, 1, 's1', '[]' FROM line_items WHERE user_id = 'u'",
    )
    .execute(&mut tx)
    .await
    .unwrap();
    tx.commit().await.unwrap();
}

/// Columns whose values other rows, or the checks of an import, depend on. [`filled`] gives them values.
const FIXED: [&str; 31] = [
    "id",
    "user_id",
    "connection",
    "number",
    "retailer_id",
    "status",
    "status_reason",
    "orders_made",
    "connections_made",
    "client_id",
    "last_seq",
    "batch_id",
    "connection_id",
    "sync_status",
    "resume_status",
    "active",
    "stamp",
    "external_user_id",
    "seq",
    "type",
    "retailer_session_id",
    "order_id",
    "item_count",
    "item",
    "sort_key",
    "csv",
    "document",
    "level",
    "start_key",
    "start_id",
    "items",
];
/// Texts that a careless copy would change.
const TEXTS: [&str; 9] =
    ["", "\\N", "a\tb\nc\r\\", "NULL", "\u{feff}", "\u{10ffff}é\u{301}", "'\"`", "\u{1}\u{7f}", "{\"a\":1}"];
const NUMBERS: [i64; 4] = [i64::MIN, -1, 0, i64::MAX];
/// Microseconds, of which a number with a fraction would lose some.
const TIMES: [i64; 5] = [0, -1, 1_700_000_000_123_456, 253_402_300_799_999_999, 9_007_199_254_740_993];
const JSON: [&str; 4] = ["[]", r#"[ {"type":"tax" , "amount":0.10} ]"#, "[\n]", r#"[{"type":"\u00e9","amount":1E2}]"#];

/// Gives every other column of every restored table a value that is hard to keep, another one in each round.
async fn trouble(store: &Store, round: usize) {
    let mut number = round;
    for (table, _) in RESTORED {
        let mut tx = store.write().await.unwrap();
        let columns = exported_columns(&mut tx, table).await.unwrap();
        for Column { name, kind } in columns.iter().filter(|column| !FIXED.contains(&&*column.name)) {
            number += 1;
            let update = query(AssertSqlSafe(format!("UPDATE {table} SET \"{name}\" = $1")));
            let update = match kind {
                Kind::Integer => update.bind(NUMBERS[number % NUMBERS.len()]),
                Kind::Time => update.bind(TIMES[number % TIMES.len()]),
                Kind::Text => update.bind(TEXTS[number % TEXTS.len()]),
                Kind::Json => update.bind(JSON[number % JSON.len()]),
                Kind::Digest => update.bind(&[0, u8::MAX, 10][..]),
            };
            update.execute(&mut tx).await.unwrap();
        }
        tx.commit().await.unwrap();
    }
}

/// What an import changes: connections of which the credentials are missing.
fn marked(archive: &Held) -> Held {
    let mut marked = archive.clone();
    let connections = archive.text("connections.jsonl").replace(
        r#""status":"valid","status_reason":null"#,
        r#""status":"invalid","status_reason":"retailer_session_expired""#,
    );
    marked.0.insert("connections.jsonl".to_owned(), connections.into_bytes());
    marked.0.retain(|file, _| RESTORED.iter().any(|(table, _)| file_of(table) == *file));
    marked
}

#[tokio::test]
async fn every_table_and_column_comes_back_to_the_byte_in_either_database() {
    let folder = TempDir::new().unwrap();
    let source = served(&folder.path().join("source")).await;
    filled(&source).await;
    for round in 0..12 {
        trouble(&source, round).await;
        let archive = Held::of(&source).await;
        // An export finishes removals first; archives of earlier versions may have some.
        for (table, _) in RESTORED.iter().filter(|(table, _)| *table != "removed_connections") {
            assert!(archive.0.contains_key(&file_of(table)), "the test has no row of {table}");
        }
        let target = served(&folder.path().join(format!("target{round}"))).await;
        // Always a file, so that rows pass from PostgreSQL to SQLite and back.
        let file = Store::open(&folder.path().join(format!("file{round}"))).await.unwrap();
        prepare(&file).await;
        let imported = import(&file, &archive, &AS_IT_IS).await.unwrap();
        assert_eq!(imported.to_fix.iter().map(|one| &*one.id).collect::<Vec<_>>(), ["c1", "c2"]);
        assert_eq!(
            imported.left,
            BTreeMap::from([("order_documents".to_owned(), 1), ("refresh_tokens".to_owned(), 1)])
        );
        let between = Held::of(&file).await;
        assert_eq!(marked(&between), marked(&archive), "round {round}");
        import(&target, &between, &AS_IT_IS).await.unwrap();
        assert_eq!(marked(&Held::of(&target).await), marked(&archive), "round {round}");
        assert_eq!(target.problems().await.unwrap(), [""; 0]);
        assert_eq!(file.problems().await.unwrap(), [""; 0]);
        for store in [target, file] {
            store.close().await;
        }
    }
}

#[tokio::test]
async fn a_new_table_or_column_of_users_has_a_place_in_the_import() {
    let folder = TempDir::new().unwrap();
    let store = Store::of_test(&folder.path().join("store")).await;
    let mut tx = store.write().await.unwrap();
    let tables = user_tables(&mut tx).await.unwrap();
    let known: Vec<&str> = RESTORED.iter().map(|(name, _)| *name).chain(LEFT.iter().copied()).collect();
    assert_eq!(
        tables.iter().map(|table| &*table.name).collect::<Vec<_>>(),
        known,
        "a table is to be restored, or left"
    );
    drop(tx);
    // Octets are sealed, or digests: those that must not be missing are added by the import, or exported.
    let file = Store::open(&folder.path().join("file")).await.unwrap();
    let octets: Vec<(String, String)> = query_as(
        "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table' AND c.type = 'BLOB' AND c.\"notnull\" = 1 AND c.dflt_value IS NULL ORDER BY m.name",
    )
    .fetch_all(file.writer())
    .await
    .unwrap();
    let restored = octets.iter().filter(|(table, _)| RESTORED.iter().any(|(name, _)| name == table));
    let restored: Vec<_> = restored.map(|(table, column)| format!("{table}.{column}")).collect();
    assert_eq!(restored, ["connections.credentials", "line_items.content_digest", "users.phone_digest"]);
}

#[tokio::test]
async fn a_sync_that_was_under_way_is_ended_and_its_user_is_asked_to_sign_in() {
    let folder = TempDir::new().unwrap();
    let source = served(&folder.path().join("source")).await;
    filled(&source).await;
    run(
        &source,
        &[
            "UPDATE retailer_sessions SET active = 1, sync_status = 'scanning', state = x'07', state_blocks = 1, lease_owner = 'n',
                lease_until = 9 WHERE id = 'p1'",
            "INSERT INTO state_blocks (user_id, retailer_session_id, block, content) VALUES ('u', 'p1', 0, x'07')",
        ],
    )
    .await;
    let target = served(&folder.path().join("target")).await;
    let imported = import(&target, &Held::of(&source).await, &AS_IT_IS).await.unwrap();
    assert_eq!((imported.ended_syncs, imported.left["state_blocks"]), (1, 1));
    let part: (String, i64, Option<String>, Option<String>, i64) = query_as(
        "SELECT sync_status, active, error_code, lease_owner, state_blocks FROM retailer_sessions WHERE id = 'p1'",
    )
    .fetch_one(target.writer())
    .await
    .unwrap();
    assert_eq!(part, ("error".to_owned(), 0, Some("cancelled".to_owned()), None, 0));
    let (status, reason, credentials): (String, String, Vec<u8>) =
        query_as("SELECT status, status_reason, credentials FROM connections WHERE id = 'c1'")
            .fetch_one(target.writer())
            .await
            .unwrap();
    assert_eq!((&*status, &*reason, credentials), ("invalid", "retailer_session_expired", Vec::new()));
}

#[tokio::test]
async fn a_deleted_user_comes_back_only_if_that_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let store = served(&folder.path().join("store")).await;
    filled(&store).await;
    let archive = Held::of(&store).await;
    let exists = import(&store, &archive, &AS_IT_IS).await.unwrap_err();
    assert!(matches!(&exists, ImportRefusal::Exists(what) if what == "the user u"), "{exists}");
    let digest = store.phone_digest_of("u").await.unwrap().unwrap();
    store.delete_user("u", &digest, Actor::User, &STOPPED).await.unwrap();
    let deleted = import(&store, &archive, &AS_IT_IS).await.unwrap_err();
    assert!(
        matches!(&deleted, ImportRefusal::Deleted { user_id, by, .. } if user_id == "u" && by == "user"),
        "{deleted}"
    );
    let dry = Import { restore_deleted: true, dry_run: true, ..AS_IT_IS };
    assert_eq!(import(&store, &archive, &dry).await.unwrap().rows["line_items"], 300);
    assert_eq!(store.rows_of_user("u", &digest).await.unwrap(), []);
    import(&store, &archive, &Import { restore_deleted: true, ..AS_IT_IS }).await.unwrap();
    assert_eq!(marked(&Held::of(&store).await), marked(&archive));
    let noted: i64 = query_scalar(
        "SELECT COUNT(*) FROM audit_log WHERE subject = 'u' AND action = 'user.import' AND actor = 'otto'",
    )
    .fetch_one(store.writer())
    .await
    .unwrap();
    assert_eq!(noted, 1);
}
