//! What holds for every table.

use super::fresh_file;
use crate::store::db::query_scalar;
use crate::store::operator::reseal::COLUMNS;

/// So that the user's id can say on which machine a row lies.
#[tokio::test]
async fn keys_of_what_a_user_has_begin_with_the_user() {
    let (_folder, store) = fresh_file().await;
    let names =
        async |query: &'static str| -> Vec<String> { query_scalar(query).fetch_all(&store.pool).await.unwrap() };
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

/// A new column of bytes is either sealed again when the root key changes, or one of those that are not sealed.
#[tokio::test]
async fn every_column_of_sealed_values_is_sealed_again_under_a_new_key() {
    let (_folder, store) = fresh_file().await;
    let bytes: Vec<String> = query_scalar(
        "SELECT t.name || '.' || c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE '\\_%' ESCAPE '\\' AND c.type = 'BLOB' ORDER BY 1",
    )
    .fetch_all(&store.pool)
    .await
    .unwrap();
    let is_digest = |name: &str| {
        ["digest", "mac", "user_code", "browser", "place", "sent_to"].iter().any(|end| name.ends_with(end))
    };
    let mut sealed: Vec<String> = bytes.into_iter().filter(|name| !is_digest(name)).collect();
    // An answer that is given again, and what a readiness check writes.
    sealed.retain(|name| name != "idempotency.body" && name != "store_probe.filler");
    let mut resealed: Vec<String> = COLUMNS.iter().map(|one| format!("{}.{}", one.table, one.column)).collect();
    resealed.sort();
    assert_eq!(sealed, resealed);
}
