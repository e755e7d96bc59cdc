//! A live service, where nobody's clock is ever moved: its queries do not look at one.

use chrono::TimeDelta;

use super::ingest::Shop;
use crate::clock::SettableClock;
use crate::environment::Environment;
use crate::store::db::query;
use crate::store::micros;
use crate::store::operator::syncs::Listed;

#[tokio::test]
async fn what_is_due_is_due_by_the_clock_of_the_machine() {
    let mut shop = Shop::new().await;
    shop.store.claim_environment(Environment::Live, shop.now()).await.unwrap();
    // Its queries name no column of the sandbox.
    for statement in [
        "DROP INDEX users_with_moved_clock",
        "ALTER TABLE users DROP COLUMN clock_offset",
        "ALTER TABLE users DROP COLUMN clock_frozen_at",
        "ALTER TABLE connections DROP COLUMN history_end",
    ] {
        query(statement).execute(&shop.store.writer).await.unwrap();
    }
    let claim = shop.begin().await;
    let now = shop.now();
    assert_eq!(shop.store.now_for("u", now).await.unwrap(), now);
    assert_eq!(shop.store.now_for_phone(&[7; 32], now).await.unwrap(), now);
    let soon = now + TimeDelta::milliseconds(1);
    query("UPDATE retailer_sessions SET deadline_at = $1, due_at = NULL")
        .bind(micros(soon))
        .execute(&shop.store.writer)
        .await
        .unwrap();
    let outlook = shop.store.outlook(now).await.unwrap();
    assert_eq!((outlook.next, outlook.is_due), (Some(soon), false));
    assert!(shop.store.outlook(soon).await.unwrap().is_due);
    assert_eq!(shop.store.overdue(now, "[]").await.unwrap(), Vec::<String>::new());
    assert_eq!(shop.store.overdue(soon, "[]").await.unwrap(), [claim.id.as_str()]);
    assert_eq!(shop.store.queue_level(now).await.unwrap().waiting.iter().map(|(_, parts, _)| parts).sum::<i64>(), 1);
    let none = [0; 32];
    assert!(shop.store.bearer(&none, now).await.unwrap().is_none());
    assert!(shop.store.browser_user(&none, now).await.unwrap().is_none());
    assert!(shop.store.known_link(&none, now).await.unwrap().is_none());
    shop.store.revoke_refresh_token(&none, "client", now).await.unwrap();
    assert!(!shop.store.decide_device(&none, "u", true, now).await.unwrap());
    let listed = shop.store.operated_syncs(Listed::Unfinished, now).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert!(!shop.store.has_due_work("u", &SettableClock::at(now)).await.unwrap());
    shop.store.set_back(now, TimeDelta::seconds(1)).await.unwrap();
    shop.store.prune(now, TimeDelta::days(30)).await.unwrap();
    let ended = shop.store.end_overdue(&claim.id, &SettableClock::at(soon)).await.unwrap().unwrap();
    assert_eq!(ended.connection_id, "c1");
}
