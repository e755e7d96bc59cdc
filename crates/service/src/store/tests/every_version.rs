//! Stores of every earlier version become stores of this one, with all that their users had, or are left as they are.

use sqlx::AssertSqlSafe;
use tempfile::TempDir;

use super::{change, earlier_version, file};
use crate::store::migrations::MIGRATIONS;
use crate::store::{Store, StoreError};

/// What a user may have, in tables and columns that every version has.
const ROWS: [&str; 11] = [
    "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('u', x'02', '0000', 0), ('v', x'01', '0001', 0)",
    "INSERT INTO clients (id, name, created_at) VALUES ('k', 'k', 0)",
    "INSERT INTO connections (id, user_id, retailer_id, display_name, status, credentials, session, created_at, last_batch_id)
        VALUES ('c1', 'u', 1, 'Shop', 'valid', x'01', x'02', 1, 'b'), ('c2', 'u', 2, '', 'invalid', x'', NULL, 2, NULL),
            ('d', 'v', 1, '', 'valid', x'', NULL, 0, NULL)",
    "INSERT INTO connection_shares (connection_id, client_id, shared_at) VALUES ('c1', 'k', 3), ('d', 'k', 4)",
    "INSERT INTO sessions (id, user_id, client_id, created_at, updated_at, last_seq) VALUES ('b', 'u', 'k', 5, 6, 2)",
    "INSERT INTO retailer_sessions (id, batch_id, user_id, connection_id, position, sync_status, active, updated_at, due_at)
        VALUES ('p', 'b', 'u', 'c1', 0, 'userintervention', 1, 6, 7)",
    "INSERT INTO events (batch_id, seq, at, type, connection_id, retailer_id, message)
        VALUES ('b', 1, 5, 'status', 'c1', 1, NULL), ('b', 2, 6, 'mfa', 'c1', 1, 'Which?')",
    "INSERT INTO mfa_requests (id, retailer_session_id, kind, options, expires_at) VALUES ('m', 'p', 'enter', '[]', 8)",
    "INSERT INTO orders (connection_id, order_id, fingerprint, item_count, last_batch_id)
        VALUES ('c1', 'A', 'f', 0, 'b'), ('c1', 'B', NULL, 0, 'b'), ('d', 'A', NULL, 0, 'e')",
    "INSERT INTO used_stamps (user_id, client_id, stamp, expires_at) VALUES ('u', 'k', 's', 9)",
    "INSERT INTO idempotency (client_id, user_id, key, request_digest, status, body, created_at)
        VALUES ('k', 'u', '1', x'03', 202, x'7b7d', 9)",
];

/// The same in this version.
const KEPT: [(&str, &[&str]); 9] = [
    (
        "SELECT concat_ws(' ', user_id, number, id, retailer_id, display_name, status, hex(credentials), hex(session),
            created_at, last_batch_id) FROM connections ORDER BY id",
        &["u 1 c1 1 Shop valid 01 02 1 b", "u 2 c2 2  invalid   2", "v 1 d 1  valid   0"],
    ),
    (
        "SELECT concat_ws(' ', user_id, connection_id, client_id, shared_at) FROM connection_shares",
        &["u c1 k 3", "v d k 4"],
    ),
    ("SELECT concat_ws(' ', user_id, id, client_id, created_at, updated_at, last_seq) FROM sessions", &["u b k 5 6 2"]),
    (
        "SELECT concat_ws(' ', user_id, id, batch_id, connection_id, sync_status, active, updated_at, due_at)
         FROM retailer_sessions",
        &["u p b c1 userintervention 1 6 7"],
    ),
    (
        "SELECT concat_ws(' ', user_id, batch_id, seq, at, type, connection_id, retailer_id, message) FROM events",
        &["u b 1 5 status c1 1", "u b 2 6 mfa c1 1 Which?"],
    ),
    (
        "SELECT concat_ws(' ', user_id, id, retailer_session_id, kind, options, expires_at, answered_at) FROM mfa_requests",
        &["u m p enter [] 8"],
    ),
    (
        "SELECT concat_ws(' ', user_id, connection, order_id, fingerprint, item_count, last_batch_id) FROM orders",
        &["u 1 A f 0 b", "u 1 B 0 b", "v 1 A 0 e"],
    ),
    ("SELECT concat_ws(' ', user_id, client_id, stamp, expires_at) FROM used_stamps", &["u k s 9"]),
    (
        "SELECT concat_ws(' ', user_id, client_id, key, hex(request_digest), status, hex(body), created_at) FROM idempotency",
        &["u k 1 03 202 7B7D 9"],
    ),
];

/// The version that gave connections and orders numbers of their own: it keeps [`ROWS`] in another form.
const NUMBERED: i64 = 19;

#[tokio::test]
async fn what_users_had_in_any_earlier_version_is_kept_whole() {
    let folder = TempDir::new().unwrap();
    let versions = MIGRATIONS.iter().map(|migration| migration.version);
    for version in versions.take_while(|version| *version < NUMBERED) {
        let path = folder.path().join(version.to_string());
        earlier_version(&path, version, &ROWS).await;
        let store = Store::open(&path).await.unwrap();
        for (query, rows) in KEPT {
            let kept: Vec<String> = sqlx::query_scalar(query).fetch_all(store.pool.sqlite()).await.unwrap();
            assert_eq!(kept, rows, "from version {version}: {query}");
        }
        let dangling: Vec<String> = sqlx::query_scalar("SELECT \"table\" FROM pragma_foreign_key_check")
            .fetch_all(store.pool.sqlite())
            .await
            .unwrap();
        assert_eq!(dangling, [""; 0], "from version {version}");
        store.close().await;
    }
}

/// Rows without the row that says whose they are. No version writes such rows, but none may vanish silently.
#[tokio::test]
async fn a_store_with_rows_that_find_no_user_is_refused_and_left_as_it_is() {
    let folder = TempDir::new().unwrap();
    for (table, row) in [
        ("orders", "INSERT INTO orders (connection_id, order_id, item_count, last_batch_id) VALUES ('x', 'X', 0, '')"),
        (
            "connection_shares",
            "INSERT INTO connection_shares (connection_id, client_id, shared_at) VALUES ('x', 'k', 0)",
        ),
        (
            "events",
            "INSERT INTO events (batch_id, seq, at, type, connection_id, retailer_id) VALUES ('x', 1, 0, 'mfa', 'c1', 1)",
        ),
        (
            "mfa_requests",
            "INSERT INTO mfa_requests (id, retailer_session_id, kind, options, expires_at) VALUES ('x', 'x', '', '', 0)",
        ),
        ("kept_back_orders", "INSERT INTO kept_back_orders (retailer_session_id, order_id) VALUES ('x', 'X')"),
    ] {
        let path = folder.path().join(table);
        earlier_version(&path, 18, &ROWS).await;
        let old = file(&path).await;
        let lost = format!("PRAGMA foreign_keys = OFF; {row}; PRAGMA foreign_keys = ON");
        sqlx::query(AssertSqlSafe(lost)).execute(&old).await.unwrap();
        let all = format!("SELECT COUNT(*) FROM {table}");
        let before: i64 = sqlx::query_scalar(AssertSqlSafe(all.clone())).fetch_one(&old).await.unwrap();
        for _ in 0..2 {
            assert!(matches!(Store::open(&path).await.err(), Some(StoreError::Migration(_))), "{table}");
        }
        let after: i64 = sqlx::query_scalar(AssertSqlSafe(all)).fetch_one(&old).await.unwrap();
        let newest: i64 =
            sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations").fetch_one(&old).await.unwrap();
        assert_eq!((after, newest), (before, 18), "{table}");
        old.close().await;
    }
    let path = folder.path().join("orders");
    change(&path, &["DELETE FROM orders WHERE connection_id = 'x'"]).await;
    Store::open(&path).await.unwrap().close().await;
}

/// So that the user's id can say on which machine a row lies.
#[tokio::test]
async fn keys_of_what_a_user_has_begin_with_the_user() {
    let folder = TempDir::new().unwrap();
    let store = Store::open(&folder.path().join("s")).await.unwrap();
    let names = async |query: &'static str| -> Vec<String> {
        sqlx::query_scalar(query).fetch_all(store.pool.sqlite()).await.unwrap()
    };
    let others = "SELECT t.name || ' ' || group_concat(c.name, ' ') FROM sqlite_master t
        JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
        WHERE t.type = 'table' AND i.\"unique\" AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'user_id')
        GROUP BY t.name, i.name HAVING MIN(c.name) FILTER (WHERE c.seqno = 0) <> 'user_id' ORDER BY 1";
    let expected = [
        // Secrets, by which their users are found.
        "authorization_codes digest",
        "browser_sessions digest",
        "device_codes digest",
        "device_codes user_code",
        "user_bindings client_id external_user_id",
        // Of a user or of a client itself.
        "grants id",
        // Random, so that they are unique everywhere. What belongs to these rows names the user as well.
        "connections id",
        "retailer_sessions id",
        "sessions id",
    ];
    let mut expected = expected.map(str::to_owned);
    expected.sort();
    assert_eq!(names(others).await, expected);
    let without =
        "SELECT name FROM sqlite_master t WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_%'
        ESCAPE '\\' AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'user_id') ORDER BY 1";
    let expected = [
        // Of a grant, and found by secrets.
        "access_tokens",
        "refresh_tokens",
        // Of a phone, before its user is known.
        "known_places",
        "one_time_passwords",
        "otp_places",
        "otp_sends",
        "sandbox_accounts",
        "sandbox_client_failures",
        "sandbox_passwords",
        "sandbox_seed",
        "unused_passwords",
        // Of a client.
        "clients",
        "link_tokens",
        // Of the store, and outlives its users.
        "audit_log",
        // Of the store. What is of a user has to be deleted with the user: `store::operator::user_data`.
        "environment",
        "page_files",
        "paused_retailers",
        "phone_keys",
        "root_keys",
        "store_compatibility",
        "store_probe",
        "users",
    ];
    let mut expected = expected.map(str::to_owned);
    expected.sort();
    assert_eq!(names(without).await, expected);
}
