//! What a caller read before may have changed by the time that its request is carried out.

use chrono::DateTime;
use ordersync_api::Connection;

use super::{caller, fresh_with_user, share};
use crate::store::Store;
use crate::store::accounts::connections::Access;
use crate::store::db::query;
use crate::store::syncs::start::{NewCredentials, Stamp, StartOutcome};

async fn read(store: &Store, id: &str) -> Connection {
    match store.connection(&caller(), id).await.unwrap() {
        Access::Granted(connection) => connection,
        other => panic!("{other:?}"),
    }
}

async fn change(store: &Store, statement: &'static str) {
    query(statement).execute(&store.writer).await.unwrap();
}

#[tokio::test]
async fn sharing_and_validity_are_looked_at_again_when_a_sync_starts() {
    let (_folder, store) = fresh_with_user().await;
    share(&store, &["c1", "c2"]).await;
    let stale = read(&store, "c1").await;
    let sync = async || store.sync(&caller(), stale.connection_id.as_str(), false, None).await.unwrap();
    let fix = async || {
        let stamp = Stamp { stamp: "s", expires_at: DateTime::UNIX_EPOCH };
        let new = NewCredentials { connection_id: "c1", credentials: b"sealed", is_same_account: &|_| true, stamp };
        store.fix(&caller(), &new, None).await.unwrap()
    };
    change(&store, "UPDATE connections SET status = 'invalid', status_reason = 'account_locked' WHERE id = 'c1'").await;
    let refused = sync().await;
    assert!(
        matches!(&refused, StartOutcome::Invalid(id, Some(why)) if id.as_str() == "c1" && why == "account_locked"),
        "{refused:?}"
    );
    share(&store, &["c2"]).await;
    assert!(matches!(sync().await, StartOutcome::NotShared));
    assert!(matches!(fix().await, StartOutcome::NotShared));
    change(&store, "DELETE FROM connections WHERE id = 'c1'").await;
    assert!(matches!(sync().await, StartOutcome::Gone(id) if id.as_str() == "c1"));
    assert!(matches!(fix().await, StartOutcome::Gone(id) if id.as_str() == "c1"));
    // Of all, those that can be synced are.
    let StartOutcome::Started(answer) = store.sync_every(&caller(), false, None).await.unwrap() else { panic!() };
    assert!(String::from_utf8(answer.body).unwrap().contains("\"connectionId\":\"c2\""));
}
