//! A store whose line items are kept field by field.

use tempfile::TempDir;

use super::{caller, share, with_user};
use crate::store::Store;
use crate::store::connections::Window;
use crate::store::orders::{Form, OrderFilter};

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
    sqlx::query(sqlx::AssertSqlSafe(old_table())).execute(&store.pool).await.unwrap();
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
        .execute(&store.pool)
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
    .execute(&store.pool)
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
    let page = read(0, 2, Form::Json).await;
    assert_eq!(page.total, 4_503);
    assert_eq!(
        page.text,
        concat!(
            r#"[{"id":"item_c","connectionId":"c2","retailerId":1,"retailerName":"Shop","orderId":"N-1","#,
            r#""orderDate":"2025-10-16T13:50:00.000001Z","itemName":"Tea, \"black\"","brandName":null,"#,
            r#""department":null,"category":null,"subCategory":null,"retailerSku":null,"quantity":1.500,"#,
            r#""price":0.10,"currency":null,"shipmentStatus":"liegt bereit","orderTotal":null,"#,
            r#""updatedAt":"2025-10-16T13:50:00Z"},"#,
            r#"{"id":"item_b","connectionId":"c1","retailerId":1,"retailerName":"Shop","orderId":"N-1","#,
            r#""orderDate":"2025-10-16T13:50:00Z","itemName":"Tea, \"black\"","brandName":null,"#,
            r#""department":null,"category":null,"subCategory":null,"retailerSku":null,"quantity":1.500,"#,
            r#""price":12.50,"currency":null,"shipmentStatus":"shipped","orderTotal":null,"#,
            r#""updatedAt":"2025-10-16T13:50:00Z"}]"#
        )
    );
    assert_eq!(read(4_502, 9, Form::Csv).await.text, "Shop,N-1,,\"Tea, \"\"black\"\"\",,,,,,1.500,,,,\n");
    assert!(read(2, 1, Form::Json).await.text.contains("item_04500"));
    assert!(read(4_501, 1, Form::Json).await.text.contains("item_00001"));
}
