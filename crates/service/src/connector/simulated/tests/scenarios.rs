//! Each user name, driven to its end.

use std::time::Duration;

use ordersync_api::SyncErrorCode;

use super::driver::Account;
use crate::connector::sent::SentHere;

#[tokio::test]
async fn user_good_gets_through_at_every_retailer() {
    for (entry, _) in super::retailers(1.0) {
        let mut account = Account::new(entry.retailer_id, "user_good");
        let sync = account.sync(&[]).await;
        assert_eq!(sync.seen, ["signed in", "pages", "done"], "{}", entry.display_name);
        assert_eq!(sync.connecting, Duration::from_millis(800));
        assert!(sync.scanning <= Duration::from_secs(4));
        assert!((60..=120).contains(&account.items()), "{} items", account.items());
        assert!((25..=45).contains(&account.orders.len()), "{} orders", account.orders.len());
    }
}

#[tokio::test]
async fn a_second_sync_reports_only_what_is_under_way_and_changes_nothing() {
    let mut account = Account::new(12, "user_good");
    account.sync(&[]).await;
    let before = account.orders.clone();
    let sync = account.sync(&[]).await;
    assert_eq!(account.orders, before);
    assert_eq!((sync.reported, sync.unchanged), (3, before.len() - 3));
    assert!(sync.scanning <= Duration::from_millis(240), "{:?}", sync.scanning);
}

#[tokio::test]
async fn a_code_is_asked_for_once_and_the_sign_in_remembered() {
    let mut account = Account::new(12, "user_mfa_enter");
    assert_eq!(account.sync(&["123456"]).await.seen, ["enter", "signed in", "pages", "done"]);
    assert_eq!(account.sync(&[]).await.seen, ["signed in", "pages", "done"]);
}

#[tokio::test]
async fn another_account_does_not_profit_from_a_remembered_sign_in() {
    let mut account = Account::new(12, "user_good");
    account.sync(&[]).await;
    let mut other = account.with("username", "user_mfa_enter");
    assert_eq!(other.sync(&["123456"]).await.seen[0], "enter");
}

#[tokio::test]
async fn the_chosen_method_is_named_where_the_code_is_asked_for() {
    for (method, words) in [("sms", "···42"), ("email", "s···@example.com"), ("app", "authenticator")] {
        let sync = Account::new(12, "user_mfa_choose").sync(&[method, "123456"]).await;
        assert_eq!(sync.seen, ["choose", "enter", "signed in", "pages", "done"]);
        assert!(sync.prompts[1].contains(words), "{}", sync.prompts[1]);
    }
    let sync = Account::new(12, "user_mfa_choose").sync(&["pigeon", "sms", "123456"]).await;
    assert_eq!(sync.seen[..3], ["choose", "choose", "enter"]);
}

#[tokio::test]
async fn a_wrong_code_is_asked_for_again_with_a_fresh_prompt() {
    let sync = Account::new(12, "user_mfa_enter").sync(&["654321", "123456"]).await;
    assert_eq!(sync.seen, ["enter", "wrong", "signed in", "pages", "done"]);
    assert_ne!(sync.prompts[0], sync.prompts[1]);
}

#[tokio::test]
async fn user_mfa_wrong_takes_nothing_but_six_zeros() {
    let sync = Account::new(12, "user_mfa_wrong").sync(&["123456", "999999", ""]).await;
    assert_eq!((sync.seen, sync.error), (vec!["enter", "wrong", "wrong", "wrong"], Some(SyncErrorCode::MfaFailed)));
    let sync = Account::new(12, "user_mfa_wrong").sync(&["000000"]).await;
    assert_eq!(sync.error, None);
}

#[tokio::test]
async fn wrong_credentials_are_refused() {
    let accounts = [
        Account::new(12, "user_bad"),
        Account::new(12, "nobody"),
        Account::new(12, ""),
        Account::new(12, "user_good").with("password", "pass_bad"),
        Account::new(12, "user_mfa_enter").with("password", "Pass_good"),
        Account::new(14, "user_good").with("postcode", ""),
    ];
    for mut account in accounts {
        let sync = account.sync(&[]).await;
        assert_eq!((sync.seen, sync.error), (vec![], Some(SyncErrorCode::CredentialsRefused)));
    }
    let mut incomplete = Account::new(12, "user_good");
    incomplete.credentials.clear();
    assert_eq!(incomplete.sync(&[]).await.error, Some(SyncErrorCode::CredentialsRefused));
}

#[tokio::test]
async fn user_timeout_waits_past_the_limit_at_any_speed() {
    for speed in [1.0, 50.0, 1e9] {
        let sync = Account::at_speed(12, "user_timeout", speed).sync(&[]).await;
        assert_eq!((sync.seen, sync.error), (vec![], Some(SyncErrorCode::RetailerTimeout)));
    }
}

#[tokio::test]
async fn user_slow_takes_half_a_minute_divided_by_the_speed() {
    let sync = Account::new(12, "user_slow").sync(&[]).await;
    assert!((25.0..35.0).contains(&sync.scanning.as_secs_f64()), "{:?}", sync.scanning);
    assert!(sync.pages >= 50);
    let quick = Account::at_speed(12, "user_slow", 10.0).sync(&[]).await;
    assert_eq!(quick.scanning * 10, sync.scanning);
    assert_eq!(Account::at_speed(12, "user_slow", 1_000.0).sync(&[]).await.scanning, Duration::ZERO);
}

#[tokio::test]
async fn user_flaky_fails_three_times_and_loses_nothing() {
    let mut account = Account::new(12, "user_flaky");
    let sync = account.sync(&[]).await;
    assert_eq!(sync.seen, ["failure", "failure", "signed in", "pages", "failure", "pages", "done"]);
    assert!((60..=120).contains(&account.items()));
}

#[tokio::test]
async fn user_expired_works_once_and_again_once_the_sign_in_is_forgotten() {
    let mut account = Account::new(12, "user_expired");
    assert_eq!(account.sync(&[]).await.error, None);
    assert_eq!(account.sync(&[]).await.error, Some(SyncErrorCode::RetailerSessionExpired));
    account.session = None;
    assert_eq!(account.sync(&[]).await.error, None);
}

#[tokio::test]
async fn user_empty_has_no_orders() {
    let mut account = Account::new(12, "user_empty");
    assert_eq!(account.sync(&[]).await.seen, ["signed in", "done"]);
    assert!(account.orders.is_empty());
}

#[tokio::test]
async fn every_error_code_can_be_had_in_any_case() {
    for code in SyncErrorCode::ALL {
        for user in [format!("error_{code}"), format!("ERROR_{}", code.as_str().to_uppercase())] {
            let sync = Account::new(12, &user).sync(&[]).await;
            assert_eq!((sync.seen, sync.error), (vec![], Some(*code)));
        }
    }
}

#[tokio::test]
async fn a_state_that_is_none_of_ours_is_an_error() {
    use crate::connector::{Input, StepContext};
    let account = Account::new(12, "user_good");
    let (_, connector) = super::retailers(1.0).remove(11);
    for (state, input) in [
        (None, Input::Continue),
        (Some("{}"), Input::Continue),
        (Some("\"signing_in\""), Input::MfaChoice("sms")),
        (Some("\"choosing\""), Input::MfaCode(&account.credentials["password"])),
    ] {
        let context = StepContext {
            now: chrono::DateTime::UNIX_EPOCH,
            connection_id: "c1",
            credentials: &account.credentials,
            session: None,
            known: &super::driver::Stored(&account.orders),
            sent_forms: &SentHere::default(),
            shared_queue: None,
            attempt: 0,
            full: false,
            other_account: false,
            sample: None,
            invented: None,
            until: tokio::time::Instant::now() + std::time::Duration::from_secs(60),
        };
        let state = state.map(|text| zeroize::Zeroizing::new(text.as_bytes().to_vec()));
        let error = connector.step(&context, state, input).await.err();
        assert_eq!(error.map(|error| error.code), Some(SyncErrorCode::InternalError));
    }
}
