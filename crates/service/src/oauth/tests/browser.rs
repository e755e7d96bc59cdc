//! Browsers that are signed in.

use axum::http::header::{COOKIE, HeaderMap, HeaderValue};

use super::world::World;
use crate::signin::browser::{sign_in, sign_in_framed, sign_out, signed_in};

/// The cookie header that a browser returns after a `Set-Cookie`.
fn sent_back(set_cookie: &HeaderValue) -> HeaderMap {
    let cookie = set_cookie.to_str().unwrap().split(';').next().unwrap();
    HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(&format!("theme=dark; {cookie}; x=y")).unwrap())])
}

#[tokio::test]
async fn a_signed_in_browser_is_known_by_its_cookie_until_it_signs_out() {
    let world = World::new().await;
    let user_id = world.user().await;
    let set_cookie = sign_in(&world.app.sign_in(), &user_id, None).await.unwrap();
    let headers = sent_back(&set_cookie);
    let user = signed_in(&world.app.sign_in(), &headers).await.unwrap().unwrap();
    assert_eq!((user.user_id, user.now), (user_id.clone(), world.now()));
    let other = sent_back(&sign_in(&world.app.sign_in(), &user_id, None).await.unwrap());
    assert_ne!(signed_in(&world.app.sign_in(), &other).await.unwrap().unwrap().csrf, user.csrf);
    let gone = sign_out(&world.app.sign_in(), &headers).await.unwrap();
    assert!(gone.to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(signed_in(&world.app.sign_in(), &headers).await.unwrap(), None);
    assert!(signed_in(&world.app.sign_in(), &other).await.unwrap().is_some());
}

#[tokio::test]
async fn twelve_hours_are_the_end_and_what_is_made_up_is_nobody() {
    let world = World::new().await;
    let user_id = world.user().await;
    let headers = sent_back(&sign_in(&world.app.sign_in(), &user_id, None).await.unwrap());
    let mut two = sent_back(&sign_in(&world.app.sign_in(), &user_id, None).await.unwrap());
    sign_out(&world.app.sign_in(), &two).await.unwrap();
    two.append(COOKIE, headers[COOKIE].clone());
    assert!(
        signed_in(&world.app.sign_in(), &two).await.unwrap().is_some(),
        "that of the frame is beside that of the window"
    );
    for made_up in ["ordersync=", "ordersync=x", "ordersync"] {
        let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_static(made_up))]);
        assert_eq!(signed_in(&world.app.sign_in(), &headers).await.unwrap(), None);
    }
    assert_eq!(signed_in(&world.app.sign_in(), &HeaderMap::new()).await.unwrap(), None);
    world.wait(12 * 3600 - 1);
    assert!(signed_in(&world.app.sign_in(), &headers).await.unwrap().is_some());
    world.wait(1);
    assert_eq!(signed_in(&world.app.sign_in(), &headers).await.unwrap(), None);
}

#[tokio::test]
async fn on_https_the_cookie_is_bound_to_the_host_and_sent_in_frames_only_where_asked() {
    let world = World::with(|app| app.issuer = "https://sync.example".into()).await;
    let user_id = world.user().await;
    let cookie = sign_in(&world.app.sign_in(), &user_id, None).await.unwrap();
    let text = cookie.to_str().unwrap();
    assert!(text.starts_with("__Host-ordersync=ordersync_sandbox_bs_"), "{text}");
    assert!(text.ends_with("; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure"), "{text}");
    assert!(signed_in(&world.app.sign_in(), &sent_back(&cookie)).await.unwrap().is_some());
    let framed = sign_in_framed(&world.app.sign_in(), &user_id, None).await.unwrap();
    assert!(framed.to_str().unwrap().ends_with("; HttpOnly; SameSite=None; Partitioned; Secure"));
    assert!(signed_in(&world.app.sign_in(), &sent_back(&framed)).await.unwrap().is_some());
}
