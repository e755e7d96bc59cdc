//! One-time passwords: tries, time, limits, and what a stranger can learn.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use ordersync_api::ErrorCode;
use secrecy::{ExposeSecret, SecretString};

use super::world::World;
use crate::app::App;
use crate::config::OtpPolicy;
use crate::delivery::OtpDelivery;
use crate::environment::Environment;
use crate::http::Problem;
use crate::signin::browser;
use crate::signin::otp::{self, Asker, Verification};
use crate::store::accounts::audit::AuditFilter;

const PHONE: &str = "+15550101";
const HOME: &str = "192.0.2.1";

/// A person at that address, always in the same browser.
const fn at(address: &str) -> Asker<'_> {
    Asker { address, browser: "browser", remembered: None }
}

async fn send(app: &App, phone: &str, address: &str) -> Result<(), Problem> {
    Ok(otp::send(&app.sign_in(), phone, &at(address)).await?)
}

async fn verify(app: &App, phone: &str, password: &str) -> Result<Verification, Problem> {
    Ok(otp::verify(&app.sign_in(), phone, &at(HOME), password).await?)
}

/// Phones that remember the passwords sent to them.
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
        app.environment = Environment::Live;
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

/// Any password but the right one.
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

/// Entries of the audit log, oldest first: the outcome, and whether the user is named.
async fn audited(world: &World) -> Vec<(String, bool)> {
    let all = AuditFilter { since: None, user: None, before: None, limit: 100 };
    let mut rows = world.app.store.audited(all).await.unwrap().unwrap();
    rows.reverse();
    assert!(rows.iter().all(|row| row.action == "sign_in" && row.actor_kind == "user" && row.actor.is_none()));
    rows.into_iter().map(|row| (row.outcome, row.user_id.is_some())).collect()
}

#[tokio::test]
async fn sign_ins_are_audited_and_nobody_can_fill_the_log_without_a_password() {
    let (world, phones) = live().await;
    // No password was sent.
    for _ in 0..3 {
        assert_eq!(verify(&world.app, PHONE, "000000").await.unwrap(), Verification::Expired);
    }
    send(&world.app, PHONE, HOME).await.unwrap();
    verify(&world.app, PHONE, wrong(&phones.last())).await.unwrap();
    world.wait(1);
    let user = user_of(&world, PHONE, &phones.last()).await;
    browser::sign_in(&world.app.sign_in(), &user, None).await.unwrap();
    send(&world.app, PHONE, HOME).await.unwrap();
    for _ in 0..7 {
        world.wait(1);
        verify(&world.app, PHONE, wrong(&phones.last())).await.unwrap();
    }
    let refused = ["refused"; 4].map(|word| (word, true));
    let expected = [&[("refused", false), ("done", true)][..], &refused, &[("locked", true)]].concat();
    let expected: Vec<_> = expected.into_iter().map(|(word, is_known)| (word.to_owned(), is_known)).collect();
    assert_eq!(audited(&world).await, expected);
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
    for (world, phone) in [(&live, "5550101"), (&live, ""), (&sandbox, "+15550200"), (&sandbox, "+14155560123")] {
        for problem in
            [send(&world.app, phone, HOME).await.unwrap_err(), verify(&world.app, phone, "424242").await.unwrap_err()]
        {
            assert_eq!(problem.code(), ErrorCode::InvalidRequest, "{phone}");
        }
    }
}

/// A browser and an address that no other test person has.
fn stranger(number: usize) -> (String, String) {
    (format!("198.51.{}.{}", number / 250, number % 250), format!("stranger {number}"))
}

fn asker((address, browser): &(String, String)) -> Asker<'_> {
    Asker { address, browser, remembered: None }
}

#[tokio::test]
async fn wrong_tries_in_other_browsers_leave_the_owners_password_alone() {
    let (world, phones) = live().await;
    let owner = Asker { browser: "the owner's", ..at(HOME) };
    otp::send(&world.app.sign_in(), PHONE, &owner).await.unwrap();
    let right = phones.last();
    // A browser that requested no password has none to try; a browser that did tries its own.
    for _ in 0..6 {
        assert_eq!(verify(&world.app, PHONE, wrong(&right)).await.unwrap(), Verification::Expired);
    }
    for number in 0..6 {
        let stranger = stranger(number);
        let asker = asker(&stranger);
        otp::send(&world.app.sign_in(), PHONE, &asker).await.unwrap();
        for _ in 0..5 {
            otp::verify(&world.app.sign_in(), PHONE, &asker, "no").await.unwrap();
        }
        for password in [&phones.last(), &right] {
            assert_eq!(
                otp::verify(&world.app.sign_in(), PHONE, &asker, password).await.unwrap(),
                Verification::Expired
            );
        }
    }
    let verified = otp::verify(&world.app.sign_in(), PHONE, &owner, &right).await.unwrap();
    assert!(matches!(verified, Verification::Verified { .. }), "{verified:?}");
}

/// Requests as many passwords for one phone as strangers can get in a few hours; returns how many were sent.
async fn flood(world: &World) -> usize {
    let mut sent = 0;
    for _hour in 0..5 {
        for number in 0..60 {
            sent += usize::from(otp::send(&world.app.sign_in(), PHONE, &asker(&stranger(number))).await.is_ok());
        }
        world.wait(3600);
    }
    sent
}

#[tokio::test]
async fn strangers_with_many_addresses_cannot_keep_out_who_has_signed_in_before() {
    let (world, phones) = live().await;
    let owner = Asker { address: HOME, browser: "b1", remembered: Some("the owner's") };
    otp::send(&world.app.sign_in(), PHONE, &owner).await.unwrap();
    let user = otp::verify(&world.app.sign_in(), PHONE, &owner, &phones.last()).await.unwrap();
    // The password sent to the owner counts too: the browser was not known yet.
    assert_eq!(flood(&world).await, 99, "what is sent to a phone has an end");
    let new = Asker { address: "203.0.113.9", browser: "b2", remembered: None };
    assert!(otp::send(&world.app.sign_in(), PHONE, &new).await.is_err());
    // The same browser in another place, and another browser at home.
    let elsewhere = Asker { address: "203.0.113.10", browser: "b3", remembered: Some("the owner's") };
    let at_home = Asker { address: HOME, browser: "b4", remembered: None };
    for asker in [elsewhere, at_home] {
        otp::send(&world.app.sign_in(), PHONE, &asker).await.unwrap();
        assert_eq!(otp::verify(&world.app.sign_in(), PHONE, &asker, &phones.last()).await.unwrap(), user);
    }
    // Another phone is not affected, and the cookie of another's browser opens nothing.
    otp::send(&world.app.sign_in(), "+15550102", &new).await.unwrap();
    let other = Asker { remembered: Some("another's"), ..new };
    assert!(otp::send(&world.app.sign_in(), PHONE, &other).await.is_err());
    world.wait(91 * 86_400);
    world.app.store.prune(world.now(), chrono::TimeDelta::days(90)).await.unwrap();
    assert_eq!(flood(&world).await, 100);
    assert!(otp::send(&world.app.sign_in(), PHONE, &elsewhere).await.is_err(), "a place is known for 90 days");
}

#[tokio::test]
async fn a_phone_that_many_ask_for_gets_passwords_that_cannot_be_guessed() {
    let (world, phones) = live().await;
    let lengths = async |numbers: std::ops::Range<usize>| {
        let mut lengths = Vec::new();
        for number in numbers {
            otp::send(&world.app.sign_in(), PHONE, &asker(&stranger(number))).await.unwrap();
            lengths.push(phones.last().len());
        }
        lengths
    };
    assert_eq!(lengths(0..12).await, [[6; 10].as_slice(), &[10; 2]].concat());
    // Three days later one more password may be short, plus one more for each that was used.
    world.wait(3 * 86_400);
    assert_eq!(lengths(20..22).await, [6, 10]);
    let short = phones.0.lock().unwrap().iter().rev().nth(1).unwrap().1.clone();
    let used = otp::verify(&world.app.sign_in(), PHONE, &asker(&stranger(20)), &short).await.unwrap();
    assert!(matches!(used, Verification::Verified { .. }), "{used:?}");
    assert_eq!(lengths(30..32).await, [6, 10]);
    let long = phones.last();
    let used = otp::verify(&world.app.sign_in(), PHONE, &asker(&stranger(31)), &long).await.unwrap();
    assert!(matches!(used, Verification::Verified { .. }), "{used:?}");
    // Other phones are not affected.
    send(&world.app, "+15550102", HOME).await.unwrap();
    assert_eq!(phones.last().len(), 6);
}

#[tokio::test]
async fn a_ceiling_for_the_hour_ends_pumping_and_leaves_room_for_who_is_known() {
    let phones = Phones::default();
    let delivery = phones.clone();
    let world = World::with(|app| {
        app.environment = Environment::Live;
        app.otp_delivery = Arc::new(delivery);
        app.otp_policy = OtpPolicy { per_hour: 5, prefixes: vec!["+1".into(), "+44".into()] };
    })
    .await;
    let known = Asker { address: "192.0.2.7", browser: "b", remembered: None };
    otp::send(&world.app.sign_in(), PHONE, &known).await.unwrap();
    otp::verify(&world.app.sign_in(), PHONE, &known, &phones.last()).await.unwrap();
    let refused = send(&world.app, "+4930123456", HOME).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::InvalidRequest);
    for number in 1..5 {
        send(&world.app, &format!("+4477009001{number:02}"), &stranger(number).0).await.unwrap();
    }
    let refused = send(&world.app, "+447700900199", "198.51.100.99").await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::TooManyRequests);
    assert_eq!(phones.0.lock().unwrap().len(), 5);
    otp::send(&world.app.sign_in(), PHONE, &known).await.unwrap();
    world.wait(3600);
    send(&world.app, "+447700900199", "198.51.100.99").await.unwrap();
}
