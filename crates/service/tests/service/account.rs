//! The user's own account in the browser: what it shows, and that only its user can end things, and on purpose.

use ordersync_service::SystemClock;
use ordersync_service::admin::{Admin, AuditFilter};
use serde_json::json;

use crate::harness::{User, World, database};
use crate::pages::{Browser, between, policy};

const PHONE: &str = "+15550103";

/// A browser of user 3 on the account page, with what it shows.
async fn signed_in(world: &World) -> (Browser, String) {
    let browser = Browser::new(world);
    let page = browser.get("/account").await.text().await.unwrap();
    assert!(page.contains("to see and manage your account"), "{page}");
    let account = browser.sign_in(&page, PHONE, "/account").await;
    assert!(policy(&account).ends_with("frame-ancestors 'none'"));
    (browser, account.text().await.unwrap())
}

async fn connection(user: &User) -> String {
    user.get_json("/sync/connections").await[0]["connectionId"].as_str().unwrap().to_owned()
}

/// Who did what, oldest first.
async fn audited(world: &World) -> Vec<(String, String, String)> {
    let clock = SystemClock::default();
    let admin = Admin::open(&database(world.store.path()), &clock, "operator".into()).await.unwrap();
    let all = AuditFilter { since: None, user: None, before: None, limit: 100 };
    let rows = admin.audited(all).await.unwrap().into_iter().rev();
    rows.map(|row| (row.actor_kind, row.action, row.outcome)).collect()
}

fn entry(action: &str, outcome: &str) -> (String, String, String) {
    ("user".into(), action.into(), outcome.into())
}

#[tokio::test]
async fn a_user_sees_retailers_and_apps_and_disconnects_a_retailer_on_purpose() {
    let world = World::new().await;
    let (browser, empty) = signed_in(&world).await;
    assert!(empty.contains("You have not connected a retailer") && empty.contains("No app has access"), "{empty}");
    let (user, other) = (world.node.user(3).await, world.node.user(4).await);
    for user in [&user, &other] {
        user.connected(12, "user_items_3").await;
    }
    let (own, foreign) = (connection(&user).await, connection(&other).await);
    let account = browser.get("/account").await.text().await.unwrap();
    let name = user.get_json("/sync/connections").await[0]["displayName"].as_str().unwrap().to_owned();
    for part in [
        &*name,
        "3 stored items",
        "Last synced on",
        &format!("Sees <bdi class=\"break\">{name}</bdi>"),
        "ending in",
        "Delete your account",
    ] {
        assert!(account.contains(part), "{part}: {account}");
    }
    assert!(account.contains(&own) && !account.contains(&foreign));

    let path = |id: &str| format!("/account/disconnect?connection={id}");
    let confirm = browser.get(&path(&own)).await.text().await.unwrap();
    assert!(confirm.contains("3 stored items") && confirm.contains("Disconnect <span class=\"client\">"), "{confirm}");
    assert_eq!(browser.get(&path(&foreign)).await.status(), 404);
    let csrf = between(&confirm, "name=\"csrf\" value=\"", "\"").to_owned();
    let disconnect = async |browser: &Browser, id: &str, csrf: &str| {
        browser.post("/account/disconnect", &[("connection", id), ("csrf", csrf)]).await
    };
    assert_eq!(disconnect(&browser, &own, "made-up").await.status(), 400);
    assert_eq!(disconnect(&browser, &foreign, &csrf).await.status(), 404);
    // Somebody who is not signed in is asked to.
    let stranger = disconnect(&Browser::new(&world), &own, &csrf).await.text().await.unwrap();
    assert!(stranger.contains("Phone number"), "{stranger}");
    assert_eq!(connection(&user).await, own);
    let after = disconnect(&browser, &own, &csrf).await;
    assert_eq!(after.url().path(), "/account");
    assert!(after.text().await.unwrap().contains("You have not connected a retailer"));
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
    assert_eq!(other.all_orders().await.len(), 3);
    assert_eq!(audited(&world).await, [entry("sign_in", "done"), entry("connection.delete", "done")]);
}

#[tokio::test]
async fn a_user_deletes_the_account_by_typing_it_and_nobody_elses() {
    let world = World::new().await;
    let (browser, _) = signed_in(&world).await;
    let (user, other) = (world.node.user(3).await, world.node.user(4).await);
    for user in [&user, &other] {
        user.connected(12, "user_items_3").await;
    }
    let id = user.get_json("/sync/profile").await["userId"].as_str().unwrap().to_owned();
    let ask = browser.get("/account/delete").await.text().await.unwrap();
    assert!(ask.contains("disconnects 1 retailer, deletes 3 stored items"), "{ask}");
    let csrf = between(&ask, "name=\"csrf\" value=\"", "\"").to_owned();
    let delete = async |csrf: &str, typed: &str| {
        browser.post("/account/delete", &[("confirmation", typed), ("csrf", csrf)]).await
    };
    assert_eq!(delete("made-up", "delete").await.status(), 400);
    for typed in ["", "yes", "delete it"] {
        let again = delete(&csrf, typed).await;
        assert_eq!(again.status(), 422, "{typed}");
        assert!(again.text().await.unwrap().contains("Nothing was deleted"));
    }
    assert_eq!(user.all_orders().await.len(), 3);
    let deleted = delete(&csrf, " Delete ").await;
    assert_eq!(deleted.status(), 200);
    assert!(deleted.headers()["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    assert!(deleted.text().await.unwrap().contains("Your account is deleted"));
    // Its tokens and its browser are nobody's any more, and the number belongs to a new user.
    let refused = user.request(reqwest::Method::GET, "/sync/profile").send().await.unwrap();
    assert_eq!(refused.status(), 401);
    assert!(browser.get("/account").await.text().await.unwrap().contains("Phone number"));
    assert_eq!(other.all_orders().await.len(), 3);
    let told = audited(&world).await;
    assert_eq!(told, [entry("sign_in", "done"), entry("user.delete", "begun"), entry("user.delete", "done")]);
    let (_, fresh) = signed_in(&world).await;
    assert!(fresh.contains("You have not connected a retailer"));
    // In a sandbox, that is the same id again.
    let again = world.node.user(3).await;
    assert_eq!(again.get_json("/sync/profile").await["userId"], id);
    assert_eq!(again.all_orders().await.len(), 0);
}

#[tokio::test]
async fn a_retailer_that_is_syncing_is_not_disconnected() {
    let world = World::new().await;
    let (browser, _) = signed_in(&world).await;
    let user = world.node.user(3).await;
    user.connect(2, "user_mfa_enter").await;
    let own = connection(&user).await;
    let confirm = browser.get(&format!("/account/disconnect?connection={own}")).await.text().await.unwrap();
    let csrf = between(&confirm, "name=\"csrf\" value=\"", "\"");
    let refused = browser.post("/account/disconnect", &[("connection", &own), ("csrf", csrf)]).await;
    assert_eq!(refused.status(), 409);
    assert_eq!(connection(&user).await, own);
}
