//! The audit log: what is deleted is in it, by whom, and it forgets what it may not keep.

use chrono::TimeDelta;

use super::removal::filled;
use super::root_keys::at;
use super::{STOPPED, caller, fresh_file, operator};
use crate::store::Store;
use crate::store::accounts::audit::{Action, Actor, AuditFilter, Entry, Outcome};
use crate::store::db::{query, query_scalar};

const ALL: AuditFilter<'_> = AuditFilter { since: None, user: None, before: None, limit: 100 };

/// Who did what about whom and what, newest first.
async fn told(store: &Store) -> Vec<String> {
    let rows = store.audited(ALL).await.unwrap().unwrap().into_iter();
    let told = rows.map(|row| {
        let who = [Some(row.actor_kind), row.actor].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let whom = [row.user_id, row.target].map(Option::unwrap_or_default).join(" ");
        format!("{who}: {} {}: {whom}", row.action, row.outcome)
    });
    told.collect()
}

#[tokio::test]
async fn who_deletes_a_connection_is_noted_and_a_deleted_users_rows_keep_the_bare_id() {
    let (_folder, store) = fresh_file().await;
    filled(&store).await;
    // The connection stays with another client, so nothing is deleted.
    store.withdraw(&caller(), "c1", at(1)).await.unwrap();
    assert_eq!(told(&store).await, [""; 0]);
    store.remove_connection("u", "c1", Actor::User, at(2)).await.unwrap();
    store.withdraw(&caller(), "c2", at(3)).await.unwrap();
    let sign_in = Entry { user: Some("u"), actor: Actor::User, ..operator().did(Action::SignIn) };
    store.audit(&Entry { at: at(4), outcome: Outcome::Locked, ..sign_in }).await.unwrap();
    let before =
        ["user: sign_in locked: u ", "client k: connection.delete done: u c2", "user: connection.delete done: u c1"];
    assert_eq!(told(&store).await, before);
    store.delete_user("u", &[0], Actor::Operator("otto"), &STOPPED).await.unwrap();
    let mut after = told(&store).await;
    // That clock stands still, before the rest.
    after[3..].sort();
    assert_eq!(after[3..], ["operator otto: user.delete begun: u ", "operator otto: user.delete done: u "]);
    let bare = ["user: sign_in locked: u ", "client: connection.delete done: u ", "user: connection.delete done: u "];
    assert_eq!(after[..3], bare);
    let of_another = AuditFilter { user: Some("v"), ..ALL };
    assert_eq!(store.audited(of_another).await.unwrap(), Some(Vec::new()));
    assert_eq!(store.audited(AuditFilter { before: Some("audit_x"), ..ALL }).await.unwrap(), None);
}

#[tokio::test]
async fn nothing_is_done_if_it_cannot_be_noted() {
    let (_folder, store) = fresh_file().await;
    filled(&store).await;
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'no'); END";
    query(refuse).execute(&store.writer).await.unwrap();
    assert!(store.remove_connection("u", "c2", Actor::User, at(2)).await.is_err());
    assert!(store.disable_client("k", operator()).await.is_err());
    assert!(store.pause_retailer(1, "", operator()).await.is_err());
    assert!(store.delete_user("u", &[0], Actor::Operator("otto"), &STOPPED).await.is_err());
    for nothing in [
        "SELECT COUNT(*) FROM connections WHERE id = 'c2' HAVING COUNT(*) = 0",
        "SELECT COUNT(*) FROM users WHERE id = 'u' HAVING COUNT(*) = 0",
        "SELECT 1 FROM clients WHERE disabled_at IS NOT NULL",
        "SELECT 1 FROM paused_retailers",
    ] {
        assert!(!query(nothing).exists(&store.pool).await.unwrap(), "{nothing}");
    }
}

#[tokio::test]
async fn rows_go_after_400_days() {
    let (_folder, store) = fresh_file().await;
    let now = at(0) + TimeDelta::days(1_000);
    for days in [399, 400, 401, 402] {
        let (id, at) = (days.to_string(), now - TimeDelta::days(days));
        store.audit(&Entry { at, target: Some(&id), ..operator().did(Action::ClientCreate) }).await.unwrap();
    }
    store.prune(now + TimeDelta::seconds(1), TimeDelta::days(90)).await.unwrap();
    let left: Vec<String> =
        query_scalar("SELECT target FROM audit_log ORDER BY at DESC").fetch_all(&store.pool).await.unwrap();
    assert_eq!(left, ["399"]);
}
