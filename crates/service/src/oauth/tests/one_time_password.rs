//! One-time passwords: tries, time, limits, and what a stranger learns.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use ordersync_api::ErrorCode;
use secrecy::{ExposeSecret, SecretString};

use super::world::World;
use crate::oauth::delivery::OtpDelivery;
use crate::oauth::otp::{Verification, send, verify};

const PHONE: &str = "+15550101";
const HOME: &str = "192.0.2.1";

/// Phones that remember what they were sent.
#[derive(Clone, Default)]
struct Phones(Arc<Mutex<Vec<(String, String)>>>);

#[async_trait]
impl OtpDelivery for Phones {
    async fn send(&self, phone: &str, code: &SecretString) -> Result<(), String> {
        self.0.lock().unwrap().push((phone.to_owned(), code.expose_secret().to_owned()));
        Ok(())
    }
}

impl Phones {
    fn last(&self) -> String {
        self.0.lock().unwrap().last().unwrap().1.clone()
    }
}

/// A service outside the sandbox, with phones.
async fn live() -> (World, Phones) {
    let phones = Phones::default();
    let delivery = phones.clone();
    let world = World::with(|app| {
        app.sandbox = false;
        app.otp_delivery = Arc::new(delivery);
    });
    (world.await, phones)
}

async fn user_of(world: &World, phone: &str, password: &str) -> String {
    match verify(&world.app, phone, password).await.unwrap() {
        Verification::Verified { user_id } => user_id,
        other => panic!("{other:?}"),
    }
}

/// Another password than the right one.
fn wrong(right: &str) -> &'static str {
    if right == "000000" { "000001" } else { "000000" }
}

#[tokio::test]
async fn one_phone_is_one_user_however_it_is_typed() {
    let (world, phones) = live().await;
    send(&world.app, "+1 (415) 555-0123", HOME).await.unwrap();
    assert_eq!(phones.0.lock().unwrap()[0].0, "+14155550123");
    let password = phones.last();
    let first = user_of(&world, "+14155550123", &format!("{} {}", &password[..3], &password[3..])).await;
    assert_eq!(verify(&world.app, "+14155550123", &password).await.unwrap(), Verification::Expired, "used up");
    send(&world.app, "+14155550123", HOME).await.unwrap();
    assert_eq!(user_of(&world, "+14155550123", &phones.last()).await, first);
    send(&world.app, "+14155550124", HOME).await.unwrap();
    assert_ne!(user_of(&world, "+14155550124", &phones.last()).await, first);
}

#[tokio::test]
async fn five_tries_are_counted_and_then_even_the_right_one_is_refused() {
    let (world, phones) = live().await;
    send(&world.app, PHONE, HOME).await.unwrap();
    let right = phones.last();
    for tries_left in (1..5).rev() {
        let tried = verify(&world.app, PHONE, wrong(&right)).await.unwrap();
        assert_eq!(tried, Verification::Wrong { tries_left });
    }
    for password in [wrong(&right), &right] {
        assert_eq!(verify(&world.app, PHONE, password).await.unwrap(), Verification::Expired);
    }
    send(&world.app, PHONE, HOME).await.unwrap();
    user_of(&world, PHONE, &phones.last()).await;
}

#[tokio::test]
async fn five_minutes_are_the_end_and_a_new_password_replaces_the_one_before() {
    let (world, phones) = live().await;
    send(&world.app, PHONE, HOME).await.unwrap();
    let first = phones.last();
    world.wait(300);
    assert_eq!(verify(&world.app, PHONE, &first).await.unwrap(), Verification::Expired);
    loop {
        send(&world.app, PHONE, HOME).await.unwrap();
        if phones.last() != first {
            break;
        }
    }
    assert_eq!(verify(&world.app, PHONE, &first).await.unwrap(), Verification::Wrong { tries_left: 4 });
    world.wait(299);
    user_of(&world, PHONE, &phones.last()).await;
}

#[tokio::test]
async fn a_password_is_its_phones_alone() {
    let (world, phones) = live().await;
    send(&world.app, "+15550102", HOME).await.unwrap();
    let other = phones.last();
    assert_eq!(verify(&world.app, PHONE, &other).await.unwrap(), Verification::Expired, "none was sent here");
}

#[tokio::test]
async fn three_in_ten_minutes_and_ten_a_day_are_sent_to_one_phone() {
    let (world, phones) = live().await;
    let refused = async || {
        let problem = send(&world.app, PHONE, HOME).await.unwrap_err();
        assert_eq!(problem.code(), ErrorCode::TooManyRequests);
        let response = axum::response::IntoResponse::into_response(problem);
        response.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap()
    };
    for _ in 0..3 {
        send(&world.app, PHONE, HOME).await.unwrap();
        world.wait(10);
    }
    let wait = refused().await;
    assert_eq!(wait, 570);
    world.wait(wait - 1);
    assert_eq!(refused().await, 1);
    world.wait(1);
    for sent in 3..10 {
        send(&world.app, PHONE, HOME).await.unwrap_or_else(|_| panic!("{sent}"));
        world.wait(600);
    }
    assert!(refused().await > 3600);
    assert_eq!(phones.0.lock().unwrap().len(), 10);
    send(&world.app, "+15550102", HOME).await.unwrap();
}

#[tokio::test]
async fn one_address_cannot_have_passwords_sent_to_everybody() {
    let (world, _) = live().await;
    for ending in 10..30 {
        send(&world.app, &format!("+155501{ending}"), "2001:db8::1").await.unwrap();
    }
    let problem = send(&world.app, "+15550130", "2001:db8::2").await.unwrap_err();
    assert_eq!(problem.code(), ErrorCode::TooManyRequests);
    send(&world.app, "+15550130", HOME).await.unwrap();
}

#[tokio::test]
async fn known_and_unknown_phones_are_answered_alike_and_no_user_is_made_by_asking() {
    let (world, phones) = live().await;
    send(&world.app, PHONE, HOME).await.unwrap();
    user_of(&world, PHONE, &phones.last()).await;
    for phone in [PHONE, "+15550177"] {
        send(&world.app, phone, HOME).await.unwrap();
        let tried = verify(&world.app, phone, wrong(&phones.last())).await.unwrap();
        assert_eq!(tried, Verification::Wrong { tries_left: 4 });
    }
    assert_eq!(phones.0.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn what_is_no_number_and_what_is_none_of_a_sandboxs_is_refused() {
    let sandbox = World::new().await;
    send(&sandbox.app, PHONE, HOME).await.unwrap();
    user_of(&sandbox, PHONE, "424242").await;
    let (live, _) = live().await;
    for (world, phone) in [(&live, "5550101"), (&live, ""), (&sandbox, "+15550200"), (&sandbox, "+14155550123")] {
        for problem in
            [send(&world.app, phone, HOME).await.unwrap_err(), verify(&world.app, phone, "424242").await.unwrap_err()]
        {
            assert_eq!(problem.code(), ErrorCode::InvalidRequest, "{phone}");
        }
    }
}
