//! A shop whose sign-in gives no answer that can be read, and how often a password or a code is sent to it.

use std::sync::Arc;

use ordersync_api::SyncErrorCode::{self, ActionRequired, RetailerChanged, RetailerRateLimited, RetailerUnavailable};
use secrecy::SecretString;
use wiremock::{Request, ResponseTemplate};

use crate::connector::drive::{Connection, Synced};
use crate::connector::fake_shop::{self, FakeShop};
use crate::connector::{Connector, ConnectorError, Input, Outcome};

/// What Oscar and the recipe of WooCommerce know as the form for user name and password.
const FORM: &str = "<html lang='en'><body><form method='post' action='/in'>\
    <input type='hidden' name='woocommerce-login-nonce' value='1'><input name='user'><input type='password' name='password'>\
    </form></body></html>";
const CODE_FORM: &str =
    "<html lang='en'><body><form method='post' action='/in'><input name='token-otp_token'></form></body></html>";
const MAINTENANCE: (u16, &str) = (200, "<html><head><title>Maintenance</title></head><body>Back soon</body></html>");
const PLATFORMS: [&str; 2] = ["oscar", "woocommerce"];

/// Shows its sign-in wherever one looks, and answers what is posted in one way.
type Shop = FakeShop<Posts>;

#[derive(Default)]
struct Posts {
    answer: (u16, &'static str),
    asks_for_code: bool,
    passwords: usize,
    codes: usize,
}

impl fake_shop::Inside for Posts {
    fn answer(&mut self, request: &Request) -> ResponseTemplate {
        let has = |field: &str| String::from_utf8_lossy(&request.body).contains(field);
        let (status, html) = match request.method.as_str() {
            "POST" if has("otp_token=") => {
                self.codes += 1;
                self.answer
            }
            "POST" => {
                assert!(has("password=right"));
                self.passwords += 1;
                if self.asks_for_code { (200, CODE_FORM) } else { self.answer }
            }
            _ => (200, FORM),
        };
        let kind = if html.starts_with('{') { "application/json" } else { "text/html; charset=utf-8" };
        ResponseTemplate::new(status).set_body_raw(html, kind)
    }
}

impl Shop {
    async fn answering(answer: (u16, &'static str), asks_for_code: bool) -> Self {
        Self::open(Posts { answer, asks_for_code, ..Posts::default() }).await
    }

    fn connector(&self, platform: &str) -> Arc<dyn Connector> {
        let lines = if platform == "oscar" { "" } else { "time_zone = \"Europe/London\"\ncurrency = \"GBP\"\n" };
        fake_shop::connector(platform, &self.uri(), lines)
    }

    /// Passwords and codes that were posted.
    fn posts(&self) -> (usize, usize) {
        let posts = self.inside();
        (posts.passwords, posts.codes)
    }
}

async fn sync(connector: &dyn Connector) -> Result<Synced, ConnectorError> {
    Connection::of("pat", "right").sync(connector, |_| "123456".to_owned()).await
}

#[tokio::test]
async fn a_password_is_posted_three_times_at_most_whatever_the_answer_is() {
    let answers: [((u16, &str), SyncErrorCode, usize); 9] = [
        (MAINTENANCE, RetailerUnavailable, 3),
        ((200, ""), RetailerUnavailable, 3),
        ((503, ""), RetailerUnavailable, 3),
        ((500, "<h1>Oops</h1>"), RetailerUnavailable, 3),
        ((429, ""), RetailerRateLimited, 3),
        ((200, "{\"redirect\": \"/account\"}"), RetailerChanged, 3),
        // A page that is not known may be one of the account: the order list then shows the sign-in.
        ((200, "<html><body><h1>Autumn</h1></body></html>"), RetailerChanged, 1),
        ((403, "<html><body>No</body></html>"), RetailerChanged, 1),
        ((200, "<html><body><h1>Are you human?</h1></body></html>"), ActionRequired, 1),
    ];
    for platform in PLATFORMS {
        for (answer, code, posts) in answers {
            let shop = Shop::answering(answer, false).await;
            let error = sync(&*shop.connector(platform)).await.unwrap_err();
            assert_eq!((error.code, error.transient), (code, false), "{platform} {answer:?}: {error}");
            assert_eq!(shop.posts(), (posts, 0), "{platform} {answer:?}");
        }
    }
}

#[tokio::test]
async fn the_waits_between_two_passwords_grow() {
    let shop = Shop::answering(MAINTENANCE, false).await;
    let (connection, connector) = (Connection::of("pat", "right"), shop.connector("oscar"));
    let first = connection.step(&*connector, None, Input::Login).await.unwrap();
    let second = connection.step(&*connector, Some(first.state), Input::Continue).await.unwrap();
    assert!(!first.wait.is_zero() && second.wait > first.wait, "{:?}, {:?}", first.wait, second.wait);
    assert!(!first.progress && !second.progress, "that the form could be fetched is no progress");
    assert!(connection.step(&*connector, Some(second.state), Input::Continue).await.is_err());
}

/// A node that ends in the middle of a step loses what the step came to, but not that it has sent something.
#[tokio::test]
async fn steps_whose_outcome_is_lost_count() {
    for platform in PLATFORMS {
        let shop = Shop::answering(MAINTENANCE, false).await;
        let (connection, connector) = (Connection::of("pat", "right"), shop.connector(platform));
        let mut ended = None;
        for _lost in 0..6 {
            ended = connection.step(&*connector, None, Input::Login).await.err();
        }
        assert_eq!((ended.unwrap().code, shop.posts()), (RetailerUnavailable, (3, 0)), "{platform}");
    }
}

#[tokio::test]
async fn no_code_is_posted_twice() {
    for answer in [MAINTENANCE, (200, ""), (503, ""), (200, "{}")] {
        let shop = Shop::answering(answer, true).await;
        let mut asked = 0;
        let result = Connection::of("pat", "right")
            .sync(&*shop.connector("oscar"), |challenge| {
                asked += 1;
                assert_eq!(shop.posts().1 + 1, asked, "a code of its own for each post");
                assert!(asked == 1 || challenge.prompt.contains("no answer"), "{}", challenge.prompt);
                "123456".to_owned()
            })
            .await;
        let code = if answer.1 == "{}" { RetailerChanged } else { RetailerUnavailable };
        assert_eq!((result.unwrap_err().code, shop.posts()), (code, (1, 3)), "{answer:?}");
    }
    let shop = Shop::answering(MAINTENANCE, true).await;
    let (connection, connector) = (Connection::of("pat", "right"), shop.connector("oscar"));
    let asked = connection.step(&*connector, None, Input::Login).await.unwrap();
    for lost in 0..4 {
        let code = SecretString::from("123456");
        let step = connection.step(&*connector, Some(asked.state.clone()), Input::MfaCode(&code)).await.unwrap();
        assert!(matches!(step.outcome, Outcome::Challenge(_)), "{lost}");
    }
    assert_eq!(shop.posts(), (1, 1));
}
