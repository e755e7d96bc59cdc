use ordersync_api::SyncErrorCode;
use secrecy::SecretString;

use super::shop::{CODE, Order, PASSWORD, Shop, USERNAME};
use super::{code_of, sync};
use crate::connector::drive::Connection;
use crate::connector::{ChallengeKind, Input, Outcome};

async fn one_order() -> Shop {
    Shop::with(vec![Order::new(100_001, "Complete")]).await
}

async fn mfa() -> Shop {
    let shop = one_order().await;
    shop.inside().mfa = true;
    shop
}

#[tokio::test]
async fn refused_credentials_are_said_to_be_so_at_either_form() {
    for shop in [one_order().await, mfa().await] {
        let connector = shop.connector("");
        for (username, password) in [(USERNAME, "wrong"), ("else@shop.test", PASSWORD)] {
            let result = Connection::of(username, password).sync(&*connector, |_| CODE.to_owned()).await;
            assert_eq!(code_of(result), SyncErrorCode::CredentialsRefused);
        }
    }
}

#[tokio::test]
async fn a_locked_account_is_not_said_to_have_a_wrong_password() {
    const REFUSED: &str = "Please enter a correct username and password.";
    for (says, code) in [
        ("Account locked: too many login attempts.", SyncErrorCode::AccountLocked),
        ("Wrong. After two more, the account will be locked.", SyncErrorCode::CredentialsRefused),
    ] {
        let shop = one_order().await;
        shop.inside().change = Some((REFUSED, says));
        let result = Connection::of(USERNAME, "wrong").sync(&*shop.connector(""), |_| CODE.to_owned()).await;
        assert_eq!(code_of(result), code, "{says}");
    }
}

#[tokio::test]
async fn the_shop_asks_for_a_code_and_gets_it() {
    let synced = sync(&mfa().await).await.unwrap();
    assert_eq!((synced.orders.len(), synced.challenges.len(), synced.wrong_codes), (1, 1, 0));
    assert_eq!(synced.challenges[0].kind, ChallengeKind::Enter);
}

#[tokio::test]
async fn a_wrong_code_is_asked_for_again() {
    let shop = mfa().await;
    let mut codes = ["000000", "12 34 56"].into_iter();
    let synced = Connection::of(USERNAME, PASSWORD)
        .sync(&*shop.connector(""), |_| codes.next().unwrap().to_owned())
        .await
        .unwrap();
    assert_eq!((synced.orders.len(), synced.wrong_codes), (1, 1));
    assert!(synced.challenges[1].prompt.contains("wrong"), "{}", synced.challenges[1].prompt);
}

#[tokio::test]
async fn a_shop_that_looks_at_no_code_for_a_while_is_not_said_to_have_called_it_wrong() {
    let shop = mfa().await;
    shop.inside().paused = true;
    let mut asked = 0;
    let synced = Connection::of(USERNAME, PASSWORD)
        .sync(&*shop.connector(""), |_| {
            asked += 1;
            shop.inside().paused = asked == 1;
            CODE.to_owned()
        })
        .await
        .unwrap();
    let prompt = &synced.challenges[1].prompt;
    assert!(prompt.contains("Wait") && !prompt.contains("was wrong"), "{prompt}");
    assert_eq!(synced.wrong_codes, 1);
}

#[tokio::test]
async fn a_wizard_that_has_expired_is_begun_anew() {
    let shop = mfa().await;
    let mut asked = 0;
    let synced = Connection::of(USERNAME, PASSWORD)
        .sync(&*shop.connector(""), |_| {
            asked += 1;
            if asked == 1 {
                shop.inside().wizard = false;
            }
            CODE.to_owned()
        })
        .await
        .unwrap();
    assert_eq!((synced.orders.len(), synced.challenges.len(), synced.wrong_codes), (1, 2, 0));
}

#[tokio::test]
async fn a_code_that_was_taken_is_not_lost_when_the_shop_fails_right_after() {
    let shop = mfa().await;
    let (connection, connector) = (Connection::of(USERNAME, PASSWORD), shop.connector(""));
    let asked = connection.step(&*connector, None, Input::Login).await.unwrap();
    let code = SecretString::from(CODE);
    let taken = connection.step(&*connector, Some(asked.state), Input::MfaCode(&code)).await.unwrap();
    assert!(matches!(taken.outcome, Outcome::Working));
    for _repeated in 0..2 {
        let next = connection.step(&*connector, Some(taken.state.clone()), Input::Continue).await.unwrap();
        assert!(matches!(next.outcome, Outcome::SignedIn { session: Some(_) }));
    }
}

#[tokio::test]
async fn a_remembered_sign_in_is_used_and_asks_for_no_code() {
    let shop = mfa().await;
    let settings = "reread_newest = 0\nreread_oldest = 0";
    let (mut connection, connector) = (Connection::of(USERNAME, PASSWORD), shop.connector(settings));
    connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    let posts = shop.count("POST");
    let again = connection.sync(&*connector, |_| panic!("a code was asked for")).await.unwrap();
    assert_eq!((again.unchanged.len(), shop.count("POST")), (1, posts));

    shop.inside().session += 1;
    let ended = connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    assert_eq!((ended.unchanged.len(), ended.challenges.len()), (1, 1), "signs in anew where it no longer holds");
}

#[tokio::test]
async fn a_sign_in_of_another_account_is_not_used() {
    let shop = one_order().await;
    let (mut connection, connector) = (Connection::of(USERNAME, PASSWORD), shop.connector(""));
    connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    let mut other = Connection::of("else@shop.test", PASSWORD);
    other.session = connection.session.take();
    let result = other.sync(&*connector, |_| CODE.to_owned()).await;
    assert_eq!(code_of(result), SyncErrorCode::CredentialsRefused);
}

#[tokio::test]
async fn a_sign_in_page_without_its_form_has_changed() {
    for (from, to) in [("name='login-password'", ""), ("method='post'", "method='get'")] {
        let shop = one_order().await;
        shop.inside().change = Some((from, to));
        let error = sync(&shop).await.unwrap_err();
        assert_eq!(error.code, SyncErrorCode::RetailerChanged);
        assert_eq!(error.message, "The sign-in page lacks the form for user name and password.");
    }
    let shop = one_order().await;
    shop.inside().change = Some(("value='token'", "value='other'"));
    let error = sync(&shop).await.unwrap_err();
    assert_eq!(error.message, "The sign-in page is answered with status 403.");
}

#[tokio::test]
async fn nothing_secret_is_shown_by_an_error_or_left_in_the_clear_but_in_the_state() {
    let shop = mfa().await;
    let connection = Connection::of(USERNAME, "canary");
    let error = match connection.step(&*shop.connector(""), None, Input::Login).await {
        Ok(_) => panic!("the wrong password was taken"),
        Err(error) => error,
    };
    assert!(!format!("{error:?} {error}").contains("canary"));
    let step = Connection::of(USERNAME, PASSWORD).step(&*shop.connector(""), None, Input::Login).await.unwrap();
    assert!(!String::from_utf8_lossy(&step.state).contains(PASSWORD), "credentials are not kept in the state");
}
