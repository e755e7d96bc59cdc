//! A store whose line items are kept field by field.

use sqlx::SqlitePool;
use sqlx::sqlite::SqliteConnectOptions;
use tempfile::TempDir;

use super::{assert_counts, caller, insert_counted, share, with_user};
use crate::domain::rendered::Rendered;
use crate::store::Store;
use crate::store::connections::{Access, Window};
use crate::store::lines::NewLine;
use crate::store::migrations::MIGRATIONS;
use crate::store::orders::{ListFormat, OrderFilter};

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
    sqlx::query(sqlx::AssertSqlSafe(old_table())).execute(&store.writer).await.unwrap();
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
        .execute(&store.writer)
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
    .execute(&store.writer)
    .await
    .unwrap();
    store.close().await;

    let store = Store::open(&path).await.unwrap();
    let left: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM sqlite_master WHERE name = 'order_items'")
        .fetch_one(&store.pool)
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
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let old = SqlitePool::connect_with(options).await.unwrap();
    MIGRATIONS.run_to(5, &old).await.unwrap();
    for statement in [
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
    ] {
        sqlx::query(statement).execute(&old).await.unwrap();
    }
    old.close().await;

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
    let looks = store.fingerprints("c1", &["A", "B", "Empty"].map(str::to_owned)).await.unwrap();
    assert_eq!(looks.len(), 2);
    let lines: Vec<(String, i64, i64)> = sqlx::query_as(
        "SELECT o.order_id, o.item_count, COUNT(i.item) FROM orders o
         LEFT JOIN line_items i ON i.item >> 20 = o.number GROUP BY o.number ORDER BY o.order_id",
    )
    .fetch_all(&store.pool)
    .await
    .unwrap();
    assert_eq!(lines, [("A".to_owned(), 1, 1), ("B".to_owned(), 2, 2), ("Empty".to_owned(), 0, 0)]);
    let counts: Vec<i64> =
        sqlx::query_scalar("SELECT SUM(items) FROM line_nodes GROUP BY level").fetch_all(&store.pool).await.unwrap();
    assert_eq!(counts, [3, 3, 3]);
}

/// As versions before 17 kept them: triggers counted what went or moved, and left empty nodes until the next page.
#[tokio::test]
async fn counts_that_triggers_kept_stay_right_when_the_service_counts() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("s");
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let old = SqlitePool::connect_with(options).await.unwrap();
    MIGRATIONS.run_to(16, &old).await.unwrap();
    for statement in [
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
    ] {
        sqlx::query(statement).execute(&old).await.unwrap();
    }
    old.close().await;

    let store = Store::open(&path).await.unwrap();
    let counts: Vec<i64> = sqlx::query_scalar("SELECT items FROM line_nodes WHERE connection_id = 'c1'")
        .fetch_all(&store.pool)
        .await
        .unwrap();
    assert_eq!(counts, [99, 0, 99, 99]);
    let mut tx = store.write().await.unwrap();
    let lines = (0..900).map(|number| NewLine {
        item: (2 << 20) + number,
        id: format!("j{number:03}"),
        line_key: None,
        connection_id: if number < 300 { "c1" } else { "c2" }.into(),
        sort_key: -number / 2,
        content: Vec::new(),
    });
    let write =
        |line: &NewLine| Ok(Rendered { document: format!("\"{}\"", line.id), csv: String::new(), adjustments: None });
    insert_counted(&mut tx, lines.collect(), write).await;
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
