//! How the databases find what a statement is about: what grows with a user's history, on an index and row by row in PostgreSQL;
//! what is changed or deleted, on an index in both.

use std::collections::{BTreeMap, BTreeSet};

use tempfile::TempDir;

use super::{fresh_file, with_user};
use crate::store::Store;
use crate::store::db::dialect::sql;
use crate::store::db::{Dialect, Sql, query, query_as};
use crate::store::orders::list::{ListFormat, Slice, item_by_id, page_query};
use crate::store::orders::positions::{Floor, UNDATED};
use crate::store::sandbox::control::reset_statements;

/// A store in PostgreSQL with a user who has three connections of 2,000 orders each; `None` if the tests run on files.
async fn shared() -> Option<(TempDir, Store)> {
    let folder = TempDir::new().unwrap();
    let store = Store::of_test(&folder.path().join("s")).await;
    if !store.is_shared() {
        return None;
    }
    with_user(&store).await;
    for statement in [
        "INSERT INTO orders (user_id, connection, number, order_id, fingerprint, item_count, last_batch_id)
            SELECT 'u', c, n, n::text, '', 1, '' FROM generate_series(1, 3) c, generate_series(1, 2000) n",
        "INSERT INTO line_items (user_id, connection, item, id, sort_key, content_digest, document, csv)
            SELECT 'u', c, n::bigint << 20, c || '-' || n, n, '', repeat('d', 400), repeat('c', 100)
            FROM generate_series(1, 3) c, generate_series(1, 2000) n",
    ] {
        query(statement).execute(&store.writer).await.unwrap();
    }
    store.look_at_what_grows().await;
    Some((folder, store))
}

/// The lines of a plan that say what is looked up on an index.
fn conditions(plan: &[String]) -> Vec<&str> {
    plan.iter().filter_map(|line| line.trim().strip_prefix("Index Cond: ")).collect()
}

#[tokio::test]
async fn postgresql_merges_the_connections_of_a_page_and_sorts_nothing_to_its_end() {
    let Some((_folder, store)) = shared().await else { return };
    for connections in 1..=3 {
        let floors: Vec<Floor> = (1..=connections).map(|number| Floor::at(number, None)).collect();
        let slice = Slice { user_id: "u", floors: &floors, last: UNDATED, dialect: Dialect::Postgres, search: None };
        let plan = page_query(&slice, 1_000, 7, ListFormat::Json).explained().fetch_all(&store.pool).await.unwrap();
        let scans = plan.iter().filter(|line| line.contains("Scan using line_items_newest")).count();
        assert_eq!(i64::try_from(scans).unwrap(), connections, "{plan:#?}");
        assert!(plan.iter().all(|line| !line.trim().starts_with("->  Sort")), "{plan:#?}");
        assert!(conditions(&plan).iter().all(|condition| condition.contains("ROW(sort_key, id) >=")), "{plan:#?}");
    }
}

#[tokio::test]
async fn postgresql_looks_up_each_order_of_a_page() {
    let Some((_folder, store)) = shared().await else { return };
    let statements: [Sql; 4] = [
        sql!("SELECT number FROM ", [listed "orders"], "fingerprint IS NOT NULL"),
        sql!("SELECT EXISTS (SELECT 1 FROM ", [listed "orders"], "TRUE)"),
        sql!([update listed orders], "last_batch_id = 'b'", [where listed], "orders.last_batch_id <> 'b'"),
        sql!("SELECT order_id FROM ", [listed "former_order_ids"], "TRUE"),
    ];
    for statement in statements {
        let explained = query(statement).bind("u").bind(1_i64).bind("[\"1\"]").explained();
        let plan = explained.fetch_all(&store.writer).await.unwrap();
        let looked_up = conditions(&plan);
        assert!(looked_up.iter().any(|condition| condition.contains("order_id = ")), "{plan:#?}");
    }
}

#[tokio::test]
async fn postgresql_looks_up_the_lines_of_an_order_and_an_item() {
    let Some((_folder, store)) = shared().await else { return };
    let lines = query(sql!("SELECT i.item FROM ", [lines of orders])).bind("u").bind(1_i64).bind("[1]").explained();
    let plan = lines.fetch_all(&store.pool).await.unwrap();
    assert!(conditions(&plan).iter().any(|condition| condition.contains("item >= ")), "{plan:#?}");
    let item = query(sqlx::AssertSqlSafe(item_by_id(Dialect::Postgres)));
    let item = item.bind("u").bind("item").bind("client").explained();
    let plan = item.fetch_all(&store.pool).await.unwrap();
    assert!(plan.iter().any(|line| line.contains("using line_items_by_id")), "{plan:#?}");
    assert!(conditions(&plan).iter().any(|condition| condition.contains("(id = ")), "{plan:#?}");
}

/// Foreign keys that no index has: their parents are never deleted while the service runs.
const NOT_FOLLOWED: [(&str, &str); 1] = [("sessions", "clients")];

/// Deleting a row looks for those that refer to it, with the only writer.
#[tokio::test]
async fn an_index_finds_the_rows_that_refer_to_one() {
    let (_folder, store) = fresh_file().await;
    let keys: Vec<(String, i64, String, String)> = query_as(
        "SELECT m.name, k.id, k.\"table\", k.\"from\" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) k
         WHERE m.type = 'table'",
    )
    .fetch_all(&store.pool)
    .await
    .unwrap();
    let mut referring: BTreeMap<(String, i64, String), BTreeSet<String>> = BTreeMap::new();
    for (table, key, parent, column) in keys {
        referring.entry((table, key, parent)).or_default().insert(column);
    }
    assert!(referring.len() > 20, "{referring:?}");
    for ((table, _, parent), columns) in referring {
        let indexed: Vec<(String, String)> = query_as(
            "SELECT i.name, c.name FROM pragma_index_list($1) i JOIN pragma_index_info(i.name) c
             WHERE i.partial = 0 AND c.seqno < $2 ORDER BY i.name, c.seqno",
        )
        .bind(table.as_str())
        .bind(i64::try_from(columns.len()).unwrap())
        .fetch_all(&store.pool)
        .await
        .unwrap();
        let mut indexes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (index, column) in indexed {
            indexes.entry(index).or_default().insert(column);
        }
        let is_found = indexes.values().any(|first| *first == columns);
        assert_ne!(is_found, NOT_FOLLOWED.contains(&(&table, &parent)), "{table} {columns:?}: {indexes:?}");
    }
}

#[tokio::test]
async fn a_reset_of_one_user_reads_no_table_whole() {
    let (_folder, store) = fresh_file().await;
    let unbind = "DELETE FROM link_tokens WHERE client_id = $1 AND external_user_id = $1".to_owned();
    for statement in reset_statements(true).into_iter().chain([unbind]) {
        let explained = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
        let plan: Vec<(i64, i64, i64, String)> = query_as(explained).bind("u").fetch_all(&store.pool).await.unwrap();
        assert!(!plan.is_empty() && plan.iter().all(|(.., step)| !step.starts_with("SCAN")), "{statement}: {plan:?}");
    }
}
