//! A live service, where nobody's clock is ever moved: its queries do not look at one.

use chrono::TimeDelta;

use super::ingest::Shop;
use crate::environment::Environment;
use crate::store::db::query;
use crate::store::micros;

#[tokio::test]
async fn what_is_due_is_due_by_the_clock_of_the_machine() {
    let mut shop = Shop::new().await;
    shop.store.claim_environment(Environment::Live, shop.now()).await.unwrap();
    // In a sandbox, nothing of this user would ever be due.
    let phone = [7; 32];
    query("UPDATE users SET clock_frozen_at = -1, phone_digest = $1 WHERE id = 'u'")
        .bind(&phone[..])
        .execute(&shop.store.writer)
        .await
        .unwrap();
    let claim = shop.begin().await;
    let now = shop.now();
    assert_eq!(shop.store.now_for("u", now).await.unwrap(), now);
    assert_eq!(shop.store.now_for_phone(&phone, now).await.unwrap(), now);
    let soon = now + TimeDelta::milliseconds(1);
    query("UPDATE retailer_sessions SET deadline_at = $1, due_at = NULL")
        .bind(micros(soon))
        .execute(&shop.store.writer)
        .await
        .unwrap();
    assert_eq!(shop.store.overdue(now, "[]").await.unwrap(), Vec::<String>::new());
    assert_eq!(shop.store.overdue(soon, "[]").await.unwrap(), [claim.id]);
    // In a sandbox, it would be due by that much earlier.
    query("UPDATE users SET clock_frozen_at = NULL, clock_offset = 1").execute(&shop.store.writer).await.unwrap();
    assert_eq!(shop.store.next_due(now).await.unwrap(), Some(soon));
}
