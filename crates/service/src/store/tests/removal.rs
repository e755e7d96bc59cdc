//! Removed connections: out of sight at once, deleted in batches.

use super::opened::of_any;
use super::root_keys::at;
use super::{caller, fresh, fresh_path, fresh_with_user, insert_counted, owner, share, with_user};
use crate::domain::rendered::Rendered;
use crate::store::Store;
use crate::store::accounts::audit::Actor;
use crate::store::accounts::connections::Window;
use crate::store::db::{Sql, query, query_as, query_scalar};
use crate::store::orders::lines::{Keys, NewLine, first_item};
use crate::store::orders::list::{ListFormat, OrderFilter};
use crate::store::orders::removal::Removal;
use crate::store::syncs::start::{NewConnection, Stamp, StartOutcome};

const ITEMS: i64 = 5_000;

/// As many items as that, each in an order of its own, and a session in which another connection has a part as well.
pub(super) async fn filled(store: &Store) {
    with_user(store).await;
    share(store, &["c1", "c2"]).await;
    for statement in [
        "INSERT INTO clients (id, name, created_at) VALUES ('k2', 'k2', 0)",
        "INSERT INTO connection_shares (user_id, connection_id, client_id, shared_at) VALUES ('u', 'c1', 'k2', 0)",
        "INSERT INTO sessions (id, user_id, client_id, created_at, updated_at)
            VALUES ('alone', 'u', 'k', 0, 0), ('both', 'u', 'k', 0, 0)",
        "INSERT INTO retailer_sessions (id, batch_id, user_id, connection_id, position, sync_status, active, updated_at)
            VALUES ('p1', 'alone', 'u', 'c1', 0, 'completed', 0, 0), ('p2', 'both', 'u', 'c1', 0, 'completed', 0, 0),
                ('p3', 'both', 'u', 'c2', 1, 'completed', 0, 0)",
        "INSERT INTO events (user_id, batch_id, seq, at, type, connection_id, retailer_id)
            VALUES ('u', 'alone', 1, 0, 'status', 'c1', 1), ('u', 'both', 1, 0, 'status', 'c1', 1),
                ('u', 'both', 2, 0, 'status', 'c2', 2)",
    ] {
        query(statement).execute(&store.writer).await.unwrap();
    }
    let mut tx = store.write().await.unwrap();
    for (connection, is_its) in [(1, false), (2, true)] {
        let lines = (0..ITEMS).filter(|number| (number % 10 == 0) == is_its).map(|number| NewLine {
            item: first_item(number + 1),
            id: format!("item_{number}"),
            keys: Keys::default(),
            sort_key: -number,
            content: Vec::new(),
        });
        let write = |line: &NewLine| {
            Ok(Rendered { document: format!("\"{}\"", line.id), csv: "x\n".into(), adjustments: None })
        };
        insert_counted(&mut tx, owner(connection), lines.collect(), write).await;
    }
    query(
        "INSERT INTO orders (user_id, connection, number, order_id, item_count, last_batch_id)
         SELECT user_id, connection, item >> 20, id, 1, 'both' FROM line_items",
    )
    .execute(&mut tx)
    .await
    .unwrap();
    let dialect = store.pool.dialect();
    for connection in [1_i64, 2] {
        let document = "INSERT INTO order_documents (user_id, id, connection, order_number, size, added_at, about)
            SELECT 'u', 'd' || connection, connection, MIN(number), 1, 0, x'00' FROM orders WHERE connection = $1 GROUP BY connection";
        query(of_any(dialect, document)).bind(connection).execute(&mut tx).await.unwrap();
        for block in 0..120_i64 {
            let content =
                "INSERT INTO document_blocks (user_id, document_id, block, content) VALUES ('u', $1, $2, x'00')";
            query(of_any(dialect, content)).bind(format!("d{connection}")).bind(block).execute(&mut tx).await.unwrap();
        }
    }
    query("INSERT INTO former_order_ids VALUES ('u', 1, 'before'), ('u', 2, 'before')").execute(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// The tables that still have rows of the user's connection of this number, whose id is `c` and the number.
async fn tables_with(store: &Store, connection: i64) -> Vec<String> {
    let tables: Vec<(String, String)> = query_as(Sql::both(
        "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table' AND c.name IN ('connection_id', 'connection')",
        "SELECT table_name::text, column_name::text FROM information_schema.columns
         WHERE table_schema = current_schema() AND column_name IN ('connection_id', 'connection')",
    ))
    .fetch_all(&store.pool)
    .await
    .unwrap();
    assert!(tables.len() >= 8, "{tables:?}");
    let mut found = Vec::new();
    for (table, column) in tables {
        let query = format!("SELECT COUNT(*) FROM {table} WHERE CAST({column} AS TEXT) IN ($1, $2)");
        let rows: i64 = query_scalar(sqlx::AssertSqlSafe(query))
            .bind(connection.to_string())
            .bind(format!("c{connection}"))
            .fetch_one(&store.pool)
            .await
            .unwrap();
        if rows > 0 {
            found.push(table);
        }
    }
    found
}

/// How many items the caller sees.
async fn items(store: &Store) -> u64 {
    let window = Window { limit: 1, offset: 0 };
    store.order_page(&caller(), &OrderFilter::default(), window, ListFormat::Json).await.unwrap().total
}

#[tokio::test]
async fn the_last_share_takes_the_connection_with_it_and_nothing_of_another_connection() {
    let (_folder, store) = fresh().await;
    filled(&store).await;
    let of_another = tables_with(&store, 2).await;
    let count = async || items(&store).await;
    assert_eq!(count().await, 5_000);
    assert!(matches!(store.withdraw(&caller(), "c1", at(0)).await.unwrap(), Removal::Done));
    // The other client still has it.
    assert_eq!(count().await, 500);
    assert!(!store.delete_removed_batch(None).await.unwrap());
    assert!(matches!(store.withdraw(&caller(), "c1", at(0)).await.unwrap(), Removal::NotShared));
    let mut other_client = caller();
    other_client.client_id = "k2".into();
    assert!(matches!(store.withdraw(&other_client, "c1", at(0)).await.unwrap(), Removal::Done));
    assert!(matches!(store.withdraw(&other_client, "c1", at(0)).await.unwrap(), Removal::Absent));
    let rows: i64 =
        query_scalar("SELECT COUNT(*) FROM connections WHERE id = 'c1'").fetch_one(&store.pool).await.unwrap();
    assert_eq!(rows, 0, "the credentials go at once");
    let sessions: Vec<String> = query_scalar("SELECT id FROM sessions").fetch_all(&store.pool).await.unwrap();
    assert_eq!(sessions, ["both"]);
    // The retailer can be connected again before the rows are gone.
    let stamp = Stamp { stamp: "s", expires_at: caller().now };
    let new = NewConnection { id: "c4", history_end: None, retailer_id: 1, display_name: "", credentials: b"", stamp };
    assert!(matches!(store.connect(&caller(), &new, None).await.unwrap(), StartOutcome::Started(_)));
    assert_eq!(count().await, 500, "it has none of the lines that wait to be deleted");
    let mut batches = 0;
    while store.delete_removed_batch(None).await.unwrap() {
        batches += 1;
        if batches % 5 == 0 {
            assert_eq!(store.problems().await.unwrap(), [""; 0], "a backup of this moment is sound: {batches}");
        }
    }
    assert!(batches >= 10, "{batches}");
    assert_eq!(tables_with(&store, 1).await, Vec::<String>::new());
    assert_eq!(tables_with(&store, 2).await, of_another);
    let blocks: Vec<String> =
        query_scalar("SELECT DISTINCT document_id FROM document_blocks").fetch_all(&store.pool).await.unwrap();
    assert_eq!(blocks, ["d2"]);
    assert_eq!(count().await, 500);
    let left: Vec<String> =
        query_scalar("SELECT id FROM connections ORDER BY id").fetch_all(&store.pool).await.unwrap();
    assert_eq!(left, ["c2", "c3", "c4"]);
}

#[tokio::test]
async fn several_connections_of_one_retailer_can_be_removed_at_once() {
    let (_folder, store) = fresh_with_user().await;
    for (number, id) in [(1, "c1"), (4, "c4"), (5, "c5")] {
        query(of_any(
            store.pool.dialect(),
            "INSERT INTO connections (id, user_id, number, retailer_id, display_name, status, credentials, created_at)
             VALUES ($1, 'u', $2, 1, '', 'valid', x'', 0) ON CONFLICT DO NOTHING",
        ))
        .bind(id)
        .bind(i64::from(number))
        .execute(&store.writer)
        .await
        .unwrap();
        assert!(matches!(store.remove_connection("u", id, Actor::User, at(0)).await.unwrap(), Removal::Done));
        assert!(matches!(store.remove_connection("u", id, Actor::User, at(0)).await.unwrap(), Removal::Absent));
    }
    assert!(matches!(store.remove_connection("somebody", "c2", Actor::User, at(0)).await.unwrap(), Removal::Absent));
    for _ in 0..3 {
        assert!(store.delete_removed_batch(None).await.unwrap());
    }
    while store.delete_removed_batch(None).await.unwrap() {}
    let left: Vec<String> =
        query_scalar("SELECT id FROM connections ORDER BY id").fetch_all(&store.pool).await.unwrap();
    assert_eq!(left, ["c2", "c3"]);
}

#[tokio::test]
async fn a_reset_takes_everything_out_of_sight_at_once_and_leaves_others_alone() {
    let (_folder, store) = fresh().await;
    filled(&store).await;
    let dialect = store.pool.dialect();
    for statement in [
        "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('v', x'01', '0001', 0)",
        "INSERT INTO orders (user_id, connection, number, order_id, item_count, last_batch_id) VALUES ('v', 1, 1, '1', 0, '')",
    ] {
        query(of_any(dialect, statement)).execute(&store.writer).await.unwrap();
    }
    let count = async || items(&store).await;
    assert_eq!(count().await, 5_000);
    store.reset(Some("v")).await.unwrap();
    assert_eq!(count().await, 5_000);
    store.reset(Some("u")).await.unwrap();
    assert_eq!(count().await, 0);
    // What waits to be deleted is no part of a connection that is made meanwhile, not even if the user was deleted and is back.
    query("UPDATE users SET connections_made = 0").execute(&store.writer).await.unwrap();
    let stamp = Stamp { stamp: "s", expires_at: caller().now };
    let new = NewConnection { id: "c1", history_end: None, retailer_id: 1, display_name: "", credentials: b"", stamp };
    assert!(matches!(store.connect(&caller(), &new, None).await.unwrap(), StartOutcome::Started(_)));
    assert_eq!(count().await, 0);
    while store.delete_removed_batch(None).await.unwrap() {}
    for number in 1..=3 {
        let left = tables_with(&store, number).await;
        assert!(
            left.iter()
                .all(|table| ["orders", "connection_shares", "retailer_sessions", "events"].contains(&table.as_str())),
            "{left:?}"
        );
    }
    let left: Vec<String> = query_scalar("SELECT DISTINCT user_id FROM orders").fetch_all(&store.pool).await.unwrap();
    assert_eq!(left, ["v"]);
    store.reset(None).await.unwrap();
    assert!(!query("SELECT 1 FROM connections").exists(&store.pool).await.unwrap());
}

/// What was deleted is overwritten in the file, but stays in the log until it is emptied.
#[tokio::test]
async fn what_was_deleted_leaves_the_log_and_no_reader_keeps_it_there_for_long() {
    let (folder, path) = fresh_path();
    let store = Store::open(&path).await.unwrap();
    filled(&store).await;
    let is_there = || {
        let bytes = std::fs::read(folder.path().join("s-wal")).unwrap();
        bytes.windows(9).any(|part| part == b"item_1234")
    };
    assert!(is_there());
    let mut reading = store.pool.begin().await.unwrap();
    let _: i64 = query_scalar("SELECT COUNT(*) FROM users").fetch_one(&mut reading).await.unwrap();
    let deletion = tokio::spawn(store.clone().delete_removed_connections());
    assert!(matches!(store.remove_connection("u", "c1", Actor::User, at(0)).await.unwrap(), Removal::Done));
    while !tables_with(&store, 1).await.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    drop(reading);
    let gone = async {
        while is_there() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(300), gone).await.expect("it stays in the log");
    deletion.abort();
}
