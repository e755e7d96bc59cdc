use ordersync_api::SyncErrorCode;

use super::shop::{Order, PASSWORD, Shop, USERNAME};
use super::{SETTINGS, code_of, connector, sync};
use crate::connector::drive::Connection;

async fn refused(shop: &Shop) -> SyncErrorCode {
    let mut connection = Connection::of(USERNAME, "wrong");
    code_of(connection.sync(&*connector(&shop.uri(), SETTINGS), |_| panic!("no code is asked for")).await)
}

#[tokio::test]
async fn a_refused_password_and_a_locked_account_are_told_apart() {
    let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
    assert_eq!(refused(&shop).await, SyncErrorCode::CredentialsRefused);
    shop.inside().refusal = "Too many failed login attempts. Please try again in 20 minutes.";
    assert_eq!(refused(&shop).await, SyncErrorCode::AccountLocked);
}

#[tokio::test]
async fn a_sign_in_that_is_shown_again_without_a_word_is_no_wrong_password() {
    let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
    // The nonce has expired: WooCommerce does not look at the password.
    shop.inside().edit = Some(Box::new(|_, html| html.replace("value='nonce'", "value='expired'")));
    assert_eq!(code_of(sync(&shop).await), SyncErrorCode::RetailerChanged);
    assert_eq!(shop.count("POST"), 1);
    shop.inside().edit = Some(Box::new(|_, html| html.replace("</form>", "<div class='g-recaptcha'></div></form>")));
    assert_eq!(refused(&shop).await, SyncErrorCode::ActionRequired);
}

#[tokio::test]
async fn a_remembered_sign_in_is_used_and_one_that_ended_is_renewed() {
    let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
    let shop_connector = connector(&shop.uri(), SETTINGS);
    let mut connection = Connection::of(USERNAME, PASSWORD);
    for (session, posts) in [(1, 1), (1, 1), (2, 2)] {
        shop.inside().session = session;
        connection.sync(&*shop_connector, |_| panic!("no code is asked for")).await.unwrap();
        assert_eq!(shop.count("POST"), posts);
    }
}
