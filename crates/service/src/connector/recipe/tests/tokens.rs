//! Tokens that an answer to a sign-in has in a header.

use ordersync_api::SyncErrorCode;
use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::configured;
use super::json::{Shop, VALUES, example};
use super::shop::{PASSWORD, USERNAME};
use crate::connector::ConnectorError;
use crate::connector::drive::{Connection, Synced};

/// The example of the documentation, for a shop with the token in a header.
fn recipe(token: &str) -> String {
    let recipe = example().replacen("token = \"$.token\"", &format!("token = {token}"), 1);
    assert_ne!(recipe, example());
    recipe
}

fn in_header() -> String {
    recipe("{ header = \"X-Auth-Token\" }")
}

/// Puts the token of an answer into a header, and leaves its body as it is without one.
pub(super) fn moved(answer: &Value, response: ResponseTemplate) -> ResponseTemplate {
    match answer["token"].as_str() {
        Some(token) => ResponseTemplate::new(200).insert_header("x-AUTH-token", token).set_body_json(json!({})),
        None => response,
    }
}

async fn sync(shop: &Shop, recipe: &str) -> Result<Synced, ConnectorError> {
    Connection::of(USERNAME, PASSWORD).sync(&*shop.connector(recipe), |_| "123456".to_owned()).await
}

#[tokio::test]
async fn a_token_in_a_header_signs_in_and_is_renewed_when_it_ends() {
    let shop = Shop::with(30).await;
    shop.dress(|_, answer, response| moved(answer, response));
    shop.let_tokens_last(9);
    let synced = sync(&shop, &in_header()).await.unwrap();
    assert_eq!((synced.orders.len(), synced.report.listed_all()), (30, true));
    let signed_in = shop.count("POST");
    assert!((2..=8).contains(&signed_in), "{signed_in}");
    assert!(shop.count("GET /api/orders/o") <= 30 + signed_in);
}

#[tokio::test]
async fn an_answer_may_have_a_header_and_nothing_else() {
    let shop = Shop::with(1).await;
    shop.dress(|_, answer, response| match answer["token"].as_str() {
        Some(token) => ResponseTemplate::new(204).insert_header("x-auth-token", token),
        None => response,
    });
    assert_eq!(sync(&shop, &in_header()).await.unwrap().orders.len(), 1);
}

#[tokio::test]
async fn a_header_of_a_later_answer_replaces_no_token() {
    let shop = Shop::with(25).await;
    shop.dress(|path, answer, response| {
        if path == "/api/login" {
            return moved(answer, response);
        }
        response.insert_header("x-auth-token", "of-a-visitor")
    });
    let synced = sync(&shop, &in_header()).await.unwrap();
    assert_eq!((synced.orders.len(), shop.count("POST")), (25, 1));
}

#[tokio::test]
async fn a_header_that_is_no_token_is_an_error_that_does_not_quote_it() {
    let long = "s3cret".repeat(2000);
    for (values, expected) in [
        (vec![], "lacks the header `x-auth-token` in its answer"),
        (vec![""], "answers the sign-in with an empty header `x-auth-token`"),
        (vec!["  "], "answers the sign-in with an empty header `x-auth-token`"),
        (vec!["s3cret-1", "s3cret-2"], "answers the sign-in with several headers `x-auth-token`"),
        (vec!["s3cret\tx"], "answers the sign-in with a token that no header can carry"),
        (vec!["s3cret-é"], "answers the sign-in with a token that no header can carry"),
        (vec![long.as_str()], "answers the sign-in with a token that no header can carry"),
    ] {
        let shop = Shop::with(1).await;
        let given: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        shop.dress(move |path, _, response| {
            if path != "/api/login" {
                return response;
            }
            let values = given.iter().map(|value| wiremock::http::HeaderValue::from_bytes(value.as_bytes()).unwrap());
            values.fold(response, |response, value| response.append_header("X-Auth-Token", value))
        });
        let error = sync(&shop, &in_header()).await.err().unwrap();
        assert_eq!((error.code, error.transient), (SyncErrorCode::RetailerChanged, false), "{values:?}");
        assert!(error.message.contains(expected) && !error.message.contains("s3cret"), "{values:?}: {}", error.message);
        assert_eq!(shop.count("POST"), 1, "{values:?}");
    }
}

#[tokio::test]
async fn headers_of_a_megabyte_are_refused() {
    let shop = Shop::with(1).await;
    shop.dress(|_, _, response| response.insert_header("x-auth-token", "s3cret".repeat(200_000)));
    let error = sync(&shop, &in_header()).await.err().unwrap();
    assert_eq!((error.code, error.transient), (SyncErrorCode::RetailerChanged, false));
    assert_eq!(error.message, "The retailer answered with headers that are too large.");
}

#[tokio::test]
async fn a_wrong_password_is_refused_whatever_the_header_says() {
    for values in [&[][..], &["a", "b"], &[""]] {
        let shop = Shop::with(1).await;
        shop.dress(move |_, _, response| {
            values.iter().fold(response, |response, value| response.append_header("x-auth-token", *value))
        });
        let connector = shop.connector(&in_header());
        let error = Connection::of(USERNAME, "wrong").sync(&*connector, |_| panic!("no code")).await.err().unwrap();
        assert_eq!(error.code, SyncErrorCode::CredentialsRefused, "{values:?}");
    }
}

/// A shop that signs customers in with cookies, a token in a header, or both, and that takes whatever comes first.
struct EitherWay {
    gives_cookie: bool,
    gives_token: bool,
}

impl Respond for EitherWay {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        if request.url.path() == "/api/login" {
            let answer = ResponseTemplate::new(200).set_body_json(json!({}));
            let answer = if self.gives_token { answer.insert_header("x-auth-token", "t-1") } else { answer };
            return if self.gives_cookie { answer.insert_header("set-cookie", "session=c-1; Path=/") } else { answer };
        }
        let header = |name: &str| request.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        let token = header("authorization").map(|token| token == "Bearer t-1");
        let cookie = header("cookie").map(|cookie| cookie == "session=c-1");
        if token.or(cookie) != Some(true) {
            return ResponseTemplate::new(401).set_body_json(json!({}));
        }
        ResponseTemplate::new(200).set_body_json(json!({ "count": 0, "orders": [] }))
    }
}

#[tokio::test]
async fn cookies_may_take_the_place_of_an_optional_token() {
    for (gives_cookie, gives_token, optional, is_read) in [
        (true, false, true, true),
        (false, true, true, true),
        (true, true, true, true),
        (false, false, true, false),
        (true, false, false, false),
    ] {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(EitherWay { gives_cookie, gives_token }).mount(&server).await;
        let recipe = recipe(&format!("{{ header = \"x-auth-token\", optional = {optional} }}"));
        let connector = configured(&server.uri(), &recipe, VALUES).unwrap();
        let mut connection = Connection::of(USERNAME, PASSWORD);
        let synced = connection.sync(&*connector, |_| String::new()).await;
        let case = (gives_cookie, gives_token, optional);
        assert_eq!(synced.is_ok(), is_read, "{case:?}: {:?}", synced.err().map(|error| error.message));
        if is_read {
            let before = server.received_requests().await.unwrap().len();
            connection.sync(&*connector, |_| String::new()).await.unwrap();
            let requests = server.received_requests().await.unwrap();
            assert!(requests[before..].iter().all(|request| request.url.path() != "/api/login"), "{case:?}");
        }
    }
}

#[test]
fn a_mistake_in_the_place_of_a_token_is_named() {
    for (token, expected) in [
        ("\"token\"", "sign_in.token: \"token\" is no JSONPath"),
        ("{ header = \"x auth\" }", "sign_in.token: \"x auth\" is not the name of a header"),
        ("{ header = \"x\", path = \"$.a\" }", "sign_in.token: a JSONPath, or `{ header = \"x-auth-token\" }`"),
        ("{ optional = true }", "sign_in.token: a JSONPath, or `{ header = \"x-auth-token\" }`"),
        ("3", "sign_in.token: a JSONPath, or `{ header = \"x-auth-token\" }`"),
    ] {
        let error = configured("http://127.0.0.1:1", &recipe(token), VALUES).err().unwrap();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}
