//! A store whose line items are kept field by field.

use tempfile::TempDir;

use super::{assert_counts, caller, earlier_version, insert_counted, owner, share, with_user};
use crate::domain::rendered::Rendered;
use crate::store::Store;
use crate::store::connections::{Access, Window};
use crate::store::lines::NewLine;
use crate::store::orders::{ListFormat, OrderFilter};

async fn count(store: &Store, query: String) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(query)).fetch_one(store.pool.sqlite()).await.unwrap()
}

/// The table as versions before 4 had it.
fn old_table() -> String {
    let first = include_str!("../../../migrations/sqlite/0001_initial.sql");
    let from = first.find("CREATE TABLE order_items").unwrap();
    let upto = first.find("CREATE INDEX order_items_newest").unwrap();
    first[from..upto].to_owned()
}

#[tokio::test]
async fn line_items_of_an_earlier_version_are_moved_without_loss_and_go_on_where_it_was_cut_short() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("s");
    let store = Store::open(&path).await.unwrap();
    with_user(&store).await;
    share(&store, &["c1", "c2"]).await;
    sqlx::query(sqlx::AssertSqlSafe(old_table())).execute(store.writer.sqlite()).await.unwrap();
    for (id, connection, date, price, status) in [
        ("item_b", "c1", Some(1_760_622_600_000_000_i64), Some("12.50"), Some("shipped")),
        ("item_a", "c2", None, None, None),
        ("item_c", "c2", Some(1_760_622_600_000_001), Some("0.10"), Some("liegt bereit")),
    ] {
        sqlx::query(
            "INSERT INTO order_items (id, user_id, connection_id, retailer_id, retailer_name, order_id, order_date,
                item_name, quantity, price, shipment_status, content_digest, updated_at)
             VALUES (?, 'u', ?, 1, 'Shop', 'N-1', ?, 'Tea, \"black\"', '1.500', ?, ?, x'01', 1760622600000000)",
        )
        .bind(id)
        .bind(connection)
        .bind(date)
        .bind(price)
        .bind(status)
        .execute(store.writer.sqlite())
        .await
        .unwrap();
    }
    // Many more, so that it takes several transactions.
    sqlx::query(
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
         INSERT INTO order_items (id, user_id, connection_id, retailer_id, retailer_name, order_id, order_date,
            content_digest, updated_at)
         SELECT printf('item_%05d', i), 'u', 'c1', 1, 'Shop', i, i, x'02', 0 FROM n",
    )
    .execute(store.writer.sqlite())
    .await
    .unwrap();
    store.close().await;

    let store = Store::open(&path).await.unwrap();
    let left: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM sqlite_master WHERE name = 'order_items'")
        .fetch_one(store.pool.sqlite())
        .await
        .unwrap();
    assert_eq!(left, 0);
    let read = async |offset, limit, form| {
        let window = Window { limit, offset };
        store.order_page(&caller(), &OrderFilter::default(), window, form).await.unwrap()
    };
    let page = read(0, 2, ListFormat::Json).await;
    assert_eq!(page.total, 4_503);
    assert_eq!(
        page.text,
        concat!(
            r#"{"id":"item_c","connectionId":"c2","retailerId":1,"retailerName":"Shop","orderId":"N-1","#,
            r#""orderDate":"2025-10-16T13:50:00.000001Z","itemName":"Tea, \"black\"","brandName":null,"#,
            r#""department":null,"category":null,"subCategory":null,"retailerSku":null,"quantity":1.500,"#,
            r#""price":0.10,"currency":null,"shipmentStatus":"liegt bereit","orderTotal":null,"#,
            r#""updatedAt":"2025-10-16T13:50:00Z"},"#,
            r#"{"id":"item_b","connectionId":"c1","retailerId":1,"retailerName":"Shop","orderId":"N-1","#,
            r#""orderDate":"2025-10-16T13:50:00Z","itemName":"Tea, \"black\"","brandName":null,"#,
            r#""department":null,"category":null,"subCategory":null,"retailerSku":null,"quantity":1.500,"#,
            r#""price":12.50,"currency":null,"shipmentStatus":"shipped","orderTotal":null,"#,
            r#""updatedAt":"2025-10-16T13:50:00Z"}"#
        )
    );
    assert_eq!(read(4_502, 9, ListFormat::Csv).await.text, "Shop,N-1,,\"Tea, \"\"black\"\"\",,,,,,1.500,,,,\n");
    let text = async |offset| String::from_utf8(read(offset, 1, ListFormat::Json).await.text.to_vec()).unwrap();
    assert!(text(2).await.contains("item_04500"));
    assert!(text(4_501).await.contains("item_00001"));
}

/// As versions before 6 kept them: orders without numbers, each line in an index of ids.
#[tokio::test]
async fn line_items_and_orders_without_numbers_are_kept_as_they_are_and_found_as_before() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("s");
    let statements = [
        "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('u', x'00', '0000', 0)",
        "INSERT INTO clients (id, name, created_at) VALUES ('k', 'k', 0)",
        "INSERT INTO connections (id, user_id, retailer_id, display_name, status, credentials, created_at)
            VALUES ('c1', 'u', 1, '', 'valid', x'', 0)",
        "INSERT INTO connection_shares (connection_id, client_id, shared_at) VALUES ('c1', 'k', 0)",
        // One order of which nothing but its lines is known.
        "INSERT INTO orders (connection_id, order_id, fingerprint, item_count, last_batch_id)
            VALUES ('c1', 'B', 'looks so', 2, 'batch'), ('c1', 'Empty', 'looks so', 0, 'batch')",
        "INSERT INTO line_items (item, id, connection_id, order_id, sort_key, content_digest, document, csv)
            VALUES (1, 'b1', 'c1', 'B', -20, x'', '{\"n\":1}', '1'),
                (2, 'a1', 'c1', 'A', -30, x'', '{\"n\":2}', '2'), (3, 'b2', 'c1', 'B', -20, x'', '{\"n\":3}', '3')",
    ];
    earlier_version(&path, 5, &statements).await;

    let store = Store::open(&path).await.unwrap();
    let window = Window { limit: 9, offset: 1 };
    let page = store.order_page(&caller(), &OrderFilter::default(), window, ListFormat::Json).await.unwrap();
    assert_eq!((page.total, &page.text[..]), (3, &br#"{"n":1},{"n":3}"#[..]));
    for (id, number) in [("b1", 1), ("a1", 2), ("b2", 3)] {
        let found = store.order_item(&caller(), id).await.unwrap();
        // Their adjustments are not known.
        let document = format!(r#"{{"n":{number},"lineAdjustments":null,"orderAdjustments":null}}"#);
        assert!(matches!(found, Access::Granted(text) if text == document), "{id}");
    }
    let looks = store.fingerprints(owner(1), &["A", "B", "Empty"].map(str::to_owned)).await.unwrap();
    assert_eq!(looks.len(), 2);
    let lines: Vec<(String, i64, i64)> = sqlx::query_as(
        "SELECT o.order_id, o.item_count, COUNT(i.item) FROM orders o LEFT JOIN line_items i
            ON i.user_id = o.user_id AND i.connection = o.connection AND i.item >> 20 = o.number
         GROUP BY o.number ORDER BY o.order_id",
    )
    .fetch_all(store.pool.sqlite())
    .await
    .unwrap();
    assert_eq!(lines, [("A".to_owned(), 1, 1), ("B".to_owned(), 2, 2), ("Empty".to_owned(), 0, 0)]);
    let counts: Vec<i64> = sqlx::query_scalar("SELECT SUM(items) FROM line_nodes GROUP BY level")
        .fetch_all(store.pool.sqlite())
        .await
        .unwrap();
    assert_eq!(counts, [3, 3, 3]);
}

/// As versions before 17 kept them: triggers counted what went or moved, and left empty nodes until the next page.
#[tokio::test]
async fn counts_that_triggers_kept_stay_right_when_the_service_counts() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("s");
    let statements = [
        "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('u', x'00', '0000', 0)",
        "INSERT INTO clients (id, name, created_at) VALUES ('k', 'k', 0)",
        "INSERT INTO connections (id, user_id, retailer_id, display_name, status, credentials, created_at)
            VALUES ('c1', 'u', 1, '', 'valid', x'', 0), ('c2', 'u', 2, '', 'valid', x'', 0)",
        "INSERT INTO connection_shares (connection_id, client_id, shared_at) VALUES ('c1', 'k', 0)",
        "INSERT INTO line_nodes (connection_id, level, start_key, start_id, items) VALUES ('c1', 0, -50, 'i', 0)",
        "INSERT INTO orders (number, connection_id, order_id, item_count, last_batch_id)
            VALUES (1, 'c1', 'A', 100, 'batch')",
        "WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 99)
         INSERT INTO line_items (item, id, connection_id, sort_key, content_digest, document, csv)
         SELECT (1 << 20) + i, printf('i%02d', i), 'c1', -i, x'', printf('\"i%02d\"', i), '' FROM n",
        "UPDATE line_nodes SET items = (SELECT COUNT(*) FROM line_items i WHERE (i.sort_key, i.id) < (-50, 'i'))
            WHERE connection_id = 'c1' AND level = 0 AND start_key <> -50",
        "UPDATE line_nodes SET items = (SELECT COUNT(*) FROM line_items i WHERE (i.sort_key, i.id) >= (-50, 'i'))
            WHERE connection_id = 'c1' AND level = 0 AND start_key = -50",
        "UPDATE line_nodes SET items = 100 WHERE connection_id = 'c1' AND level > 0",
        "UPDATE line_items SET sort_key = -99 WHERE sort_key >= -50",
        "DELETE FROM line_items WHERE id = 'i99'",
    ];
    earlier_version(&path, 16, &statements).await;

    let store = Store::open(&path).await.unwrap();
    let counts: Vec<i64> = sqlx::query_scalar("SELECT items FROM line_nodes WHERE connection = 1")
        .fetch_all(store.pool.sqlite())
        .await
        .unwrap();
    assert_eq!(counts, [99, 0, 99, 99]);
    let mut tx = store.write().await.unwrap();
    for (connection, numbers) in [(1, 0..300), (2, 300..900)] {
        let lines = numbers.map(|number| NewLine {
            item: (2 << 20) + number,
            id: format!("j{number:03}"),
            line_key: None,
            sort_key: -number / 2,
            content: Vec::new(),
        });
        let write = |line: &NewLine| {
            Ok(Rendered { document: format!("\"{}\"", line.id), csv: String::new(), adjustments: None })
        };
        insert_counted(&mut tx, owner(connection), lines.collect(), write).await;
    }
    tx.commit().await.unwrap();
    assert_counts(&store).await;
    share(&store, &["c1", "c2"]).await;
    let all = async |offset: u64| {
        let window = Window { limit: 1_000, offset };
        store.order_page(&caller(), &OrderFilter::default(), window, ListFormat::Json).await.unwrap()
    };
    let whole: Vec<String> = serde_json::from_slice(&[b"[", &all(0).await.text[..], b"]"].concat()).unwrap();
    assert_eq!((whole.len(), all(0).await.total), (999, 999));
    for offset in [1, 127, 128, 500, 998] {
        let rest: Vec<String> =
            serde_json::from_slice(&[b"[", &all(offset as u64).await.text[..], b"]"].concat()).unwrap();
        assert_eq!(rest, whole[offset..]);
    }
}

/// As versions before 19 kept them: orders numbered for all users together, and removed connections under a user of their own.
#[tokio::test]
async fn orders_and_lines_get_their_users_keys_and_lose_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("s");
    let statements = [
        "INSERT INTO users (id, phone_digest, phone_last4, created_at)
            VALUES ('u', x'00', '0000', 0), ('v', x'01', '0001', 0)",
        "INSERT INTO clients (id, name, created_at) VALUES ('k', 'k', 0)",
        "INSERT INTO connections (id, user_id, retailer_id, display_name, status, credentials, created_at)
            VALUES ('c2', 'u', 2, '', 'valid', x'', 2), ('c1', 'u', 1, '', 'valid', x'', 1),
                ('d', 'v', 1, '', 'valid', x'', 0), ('gone', 'removed', -3, '', 'valid', x'', 0)",
        "INSERT INTO connection_shares (connection_id, client_id, shared_at) VALUES ('c1', 'k', 0), ('c2', 'k', 7), ('gone', 'k', 0), ('d', 'k', 0)",
        "INSERT INTO sessions (id, user_id, client_id, created_at, updated_at)
            VALUES ('alone', 'u', 'k', 0, 0), ('both', 'u', 'k', 0, 0)",
        "INSERT INTO retailer_sessions (id, batch_id, user_id, connection_id, position, sync_status, active, updated_at)
            VALUES ('p1', 'alone', 'u', 'gone', 0, 'completed', 0, 0), ('p2', 'both', 'u', 'gone', 0, 'completed', 0, 0),
                ('p3', 'both', 'u', 'c2', 1, 'error', 0, 0)",
        "INSERT INTO events (batch_id, seq, at, type, connection_id, retailer_id)
            VALUES ('both', 1, 0, 'status', 'gone', 1), ('both', 2, 0, 'status', 'c2', 2)",
        "INSERT INTO events (batch_id, seq, at, type, connection_id, retailer_id, sync_status, message, req_id, mfa)
            VALUES ('both', 3, 9, 'mfa', 'c2', 2, 'userintervention', 'Which?', 'm2', '{}')",
        "INSERT INTO mfa_requests (id, retailer_session_id, kind, options, expires_at, answered_at)
            VALUES ('m1', 'p1', 'enter', '[]', 5, NULL), ('m2', 'p3', 'choose', '[1]', 6, 4)",
        "INSERT INTO kept_back_orders (retailer_session_id, order_id, reason)
            VALUES ('p2', 'A', NULL), ('p3', 'B', 'a text of it is longer than 2 KiB')",
        "INSERT INTO orders (number, connection_id, order_id, item_count, last_batch_id, fingerprint, first_batch_id,
                read_at, missing_since, marked)
            VALUES (1, 'c1', 'A', 2, 'b', 'f', 'b1', 5, NULL, 0), (2, 'd', 'A', 1, 'b', NULL, NULL, NULL, 7, 1),
                (3, 'c2', 'A', 1, 'b', NULL, NULL, NULL, NULL, 0), (20000, 'c1', 'B', 0, 'b', NULL, NULL, NULL, NULL, 0),
                (20001, 'gone', 'G', 1, 'b', NULL, NULL, NULL, NULL, 0)",
        "INSERT INTO line_items (item, id, connection_id, sort_key, content_digest, document, csv, line_key)
            VALUES (1 << 20, 'a0', 'c1', -9, x'01', '{\"n\":10}', 'x', 'k'), ((1 << 20) + 5, 'a5', 'c1', -9, x'02', '{\"n\":15}', 'y', NULL),
                (2 << 20, 'd0', 'd', -9, x'', '{\"n\":20}', '', NULL), (3 << 20, 'c0', 'c2', -8, x'', '{\"n\":30}', '', NULL),
                (20001 << 20, 'g0', 'gone', 0, x'', '{\"n\":40}', '', NULL)",
        "UPDATE line_nodes SET items = (SELECT COUNT(*) FROM line_items i WHERE i.connection_id = line_nodes.connection_id)",
        "INSERT INTO line_nodes SELECT id, column1, -9223372036854775807, '',
                (SELECT COUNT(*) FROM line_items i WHERE i.connection_id = connections.id)
            FROM connections, (VALUES (0), (1), (2)) WHERE TRUE ON CONFLICT DO NOTHING",
        "INSERT INTO former_order_ids (connection_id, order_id) VALUES ('c1', 'Z')",
        "INSERT INTO idempotency (client_id, user_id, key, request_digest, status, body, created_at)
            VALUES ('k', 'u', '1', x'01', 202, x'7b7d', 3)",
    ];
    earlier_version(&path, 18, &statements).await;

    let store = Store::open(&path).await.unwrap();
    assert_counts(&store).await;
    let rows = async |query: &'static str| -> Vec<String> {
        sqlx::query_scalar(query).fetch_all(store.pool.sqlite()).await.unwrap()
    };
    let orders = rows(
        "SELECT concat_ws(' ', user_id, connection, number, order_id, item_count, fingerprint, first_batch_id,
        read_at, missing_since, marked) FROM orders WHERE user_id <> 'removed'",
    );
    assert_eq!(orders.await, ["u 1 1 A 2 f b1 5 0", "u 1 20000 B 0 0", "u 2 3 A 1 0", "v 1 2 A 1 7 1"]);
    let lines = rows(
        "SELECT concat_ws(' ', user_id, connection, item >> 20, item & 1048575, id, sort_key,
        hex(content_digest), document, csv, line_key) FROM line_items WHERE user_id <> 'removed' ORDER BY rowid",
    );
    assert_eq!(
        lines.await,
        [
            r#"u 1 1 0 a0 -9 01 {"n":10} x k"#,
            r#"u 1 1 5 a5 -9 02 {"n":15} y"#,
            r#"v 1 2 0 d0 -9  {"n":20} "#,
            r#"u 2 3 0 c0 -8  {"n":30} "#
        ]
    );
    let made = rows("SELECT concat_ws(' ', id, number, orders_made) FROM connections ORDER BY id");
    assert_eq!(made.await, ["c1 1 20000", "c2 2 3", "d 1 2"]);
    assert_eq!(rows("SELECT concat_ws(' ', id, connections_made) FROM users ORDER BY id").await, ["u 2", "v 1"]);
    assert_eq!(rows("SELECT user_id || connection || order_id FROM former_order_ids").await, ["u1Z"]);
    assert_eq!(
        rows("SELECT concat_ws(' ', user_id, client_id, key, status, hex(body)) FROM idempotency").await,
        ["u k 1 202 7B7D"]
    );
    assert_eq!(rows("SELECT id FROM sessions").await, ["both"]);
    let shares = rows("SELECT concat_ws(' ', user_id, connection_id, client_id, shared_at) FROM connection_shares");
    assert_eq!(shares.await, ["u c1 k 0", "u c2 k 7", "v d k 0"]);
    let events = rows(
        "SELECT concat_ws(' ', user_id, batch_id, seq, at, type, connection_id, retailer_id, sync_status, message, req_id,
        mfa) FROM events",
    );
    assert_eq!(events.await, ["u both 2 0 status c2 2", "u both 3 9 mfa c2 2 userintervention Which? m2 {}"]);
    let requests = rows(
        "SELECT concat_ws(' ', user_id, id, retailer_session_id, kind, options, expires_at, answered_at) FROM mfa_requests",
    );
    assert_eq!(requests.await, ["u m2 p3 choose [1] 6 4"]);
    let kept_back =
        rows("SELECT concat_ws(' ', user_id, connection_id, order_id, batch_id, reason) FROM kept_back_orders");
    assert_eq!(kept_back.await, ["u c2 B both a text of it is longer than 2 KiB"]);
    assert_eq!(rows("SELECT \"table\" FROM pragma_foreign_key_check").await, [""; 0]);
    for (id, number) in [("a0", 10), ("a5", 15), ("c0", 30)] {
        let found = store.order_item(&caller(), id).await.unwrap();
        let document = format!(r#"{{"n":{number},"lineAdjustments":null,"orderAdjustments":null}}"#);
        assert!(matches!(found, Access::Granted(text) if text == document), "{id}");
    }
    assert!(matches!(store.order_item(&caller(), "d0").await.unwrap(), Access::Absent), "it is another user's");
    // What belongs to sessions and connections goes with them, as before.
    for table in ["sessions", "connections"] {
        let delete = format!("DELETE FROM {table} WHERE user_id = 'u'");
        sqlx::query(sqlx::AssertSqlSafe(delete)).execute(store.writer.sqlite()).await.unwrap();
    }
    for table in ["events", "retailer_sessions", "mfa_requests", "kept_back_orders"] {
        let left = count(&store, format!("SELECT COUNT(*) FROM {table}")).await;
        assert_eq!(left, 0, "{table}");
    }
    assert_eq!(rows("SELECT connection_id FROM connection_shares").await, ["d"]);
    while store.delete_removed_batch(None).await.unwrap() {}
    for table in ["orders", "line_items", "line_nodes", "removed_connections"] {
        let left = count(&store, format!("SELECT COUNT(*) FROM {table} WHERE user_id = 'removed'")).await;
        assert_eq!(left, 0, "{table}");
    }
}
