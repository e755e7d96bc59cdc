//! What expires by the clock of its user. MFA requests, seals and idempotency keys: see `mfa`, `sealing` and `idempotency`.

use reqwest::{Response, StatusCode, Url};
use serde_json::Value;

use crate::harness::{User, World, refusal};
use crate::links::{link_token, share};
use crate::pages::{Browser, Widget, between};

const REDIRECT: &str = "http://127.0.0.1:4312/callback";
/// RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const PHONE: &str = "+15550101";

/// Asks for a token as the command line does.
async fn token(user: &User, form: &[(&str, &str)]) -> Response {
    let form: Vec<_> = form.iter().copied().chain([("client_id", "ordersync-cli")]).collect();
    user.http.post(format!("{}/oauth/token", user.base)).form(&form).send().await.unwrap()
}

async fn refused(response: Response) -> String {
    assert_eq!(response.status(), 400);
    response.json::<Value>().await.unwrap()["error"].as_str().unwrap().to_owned()
}

/// A code for the command line, which the user allowed in this browser.
async fn code(browser: &Browser) -> String {
    let path = format!(
        "/oauth/authorize?response_type=code&client_id=ordersync-cli&redirect_uri={REDIRECT}&state=s\
         &scope=profile:read&code_challenge={CHALLENGE}&code_challenge_method=S256"
    );
    let mut page = browser.get(&path).await.text().await.unwrap();
    if page.contains("name=\"phone\"") {
        let next = path.clone();
        page = browser.sign_in(&page, PHONE, &next).await.text().await.unwrap();
    }
    let csrf = between(&page, "name=\"csrf\" value=\"", "\"");
    let query = path.split_once('?').unwrap().1;
    let form = [("request", query), ("csrf", csrf), ("decision", "approve")];
    let location = browser.post("/oauth/authorize/decision", &form).await.headers()["location"].clone();
    let back = Url::parse(location.to_str().unwrap()).unwrap();
    back.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned()
}

#[tokio::test]
async fn codes_and_tokens_expire_by_the_clock_of_their_user() {
    let (world, [user, other]) = World::with_users([1, 2]).await;
    let browser = Browser::new(&world);
    let exchange = async |code: &str| {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
        ];
        token(&user, &form).await
    };
    let late = code(&browser).await;
    user.advance(3_600).await;
    assert_eq!(refused(exchange(&late).await).await, "invalid_grant");
    let in_time = code(&browser).await;
    other.advance(3_600).await;
    let given: Value = exchange(&in_time).await.json().await.unwrap();
    let profile = async |access: &Value| {
        let request = user.http.get(format!("{}/sync/profile", user.base));
        request.bearer_auth(access.as_str().unwrap()).send().await.unwrap().status()
    };
    user.advance(3_599).await;
    assert_eq!(profile(&given["access_token"]).await, 200);
    user.advance(1).await;
    assert_eq!(profile(&given["access_token"]).await, 401);
    let refresh = async |given: &Value| {
        let form = [("grant_type", "refresh_token"), ("refresh_token", given["refresh_token"].as_str().unwrap())];
        token(&user, &form).await
    };
    user.advance(89 * 86_400).await;
    let again: Value = refresh(&given).await.json().await.unwrap();
    assert_eq!(profile(&again["access_token"]).await, 200);
    user.advance(90 * 86_400).await;
    assert_eq!(refused(refresh(&again).await).await, "invalid_grant");
}

#[tokio::test]
async fn a_device_code_expires_by_the_clock_of_the_user_who_approved_it() {
    let (world, user) = World::with_user().await;
    // However far the clock is when the code is approved.
    user.advance(40 * 86_400).await;
    let browser = Browser::new(&world);
    let mut page = browser.get("/device").await.text().await.unwrap();
    page = browser.sign_in(&page, PHONE, "/device").await.text().await.unwrap();
    let csrf = between(&page, "name=\"csrf\" value=\"", "\"");
    let mut devices = Vec::new();
    for _ in 0..2 {
        let request = user.http.post(format!("{}/oauth/device_authorization", user.base));
        let device: Value = request.form(&[("client_id", "ordersync-cli")]).send().await.unwrap().json().await.unwrap();
        let form = [("user_code", device["user_code"].as_str().unwrap()), ("csrf", csrf), ("decision", "approve")];
        assert_eq!(browser.post("/device", &form).await.status(), 200);
        devices.push(device["device_code"].as_str().unwrap().to_owned());
    }
    let poll = async |device: &str| {
        let grant = "urn:ietf:params:oauth:grant-type:device_code";
        token(&user, &[("grant_type", grant), ("device_code", device)]).await
    };
    assert_eq!(poll(&devices[0]).await.status(), 200);
    user.advance(15 * 60).await;
    assert_eq!(refused(poll(&devices[1]).await).await, "expired_token");
}

#[tokio::test]
async fn a_link_token_and_the_widget_expire_by_the_clock_of_the_bound_user() {
    let (world, [user, other]) = World::with_users([1, 2]).await;
    user.advance(40 * 86_400).await;
    let early = link_token(&other, "u1").await;
    // Nobody is bound yet, so nobody's clock counts.
    assert_eq!(refusal(share(&other, &early).await, 404).await.0, "USER_NOT_FOUND");
    let widget = Widget::open(&world, &early, 1).await;
    let widget_token = async || widget.post("/widget/token", Value::Null).await;
    let bound = link_token(&other, "u1").await;
    let given: Value = widget_token().await.json().await.unwrap();
    let widgets = User { token: given["accessToken"].as_str().unwrap().to_owned(), ..user.clone() };
    assert_eq!(widgets.get("/sync/connections").await.status(), 200, "{given}");
    for seconds in [29 * 60, 0] {
        user.advance(seconds).await;
        other.advance(86_400).await;
        assert_eq!(share(&other, &early).await.status(), 200);
        assert_eq!(share(&other, &bound).await.status(), 200);
    }
    assert_eq!(widgets.get("/sync/connections").await.status(), 401);
    user.advance(120).await;
    for token in [&early, &bound] {
        assert_eq!(refusal(share(&other, token).await, 401).await.0, "LINK_TOKEN_INVALID");
    }
    assert_eq!(refusal(widget_token().await, 401).await.0, "LINK_TOKEN_INVALID");
    assert_eq!(share(&other, &link_token(&other, "u1").await).await.status(), 200);
}

#[tokio::test]
async fn a_browser_is_signed_in_for_twelve_hours_of_its_user() {
    let (world, user) = World::with_user().await;
    let browser = Browser::new(&world);
    let page = browser.get("/account").await.text().await.unwrap();
    browser.sign_in(&page, PHONE, "/account").await;
    let is_signed_in = async || !browser.get("/account").await.text().await.unwrap().contains("name=\"phone\"");
    user.advance(12 * 3_600 - 60).await;
    assert!(is_signed_in().await);
    user.advance(60).await;
    assert!(!is_signed_in().await);
}

#[tokio::test]
async fn one_time_passwords_and_their_limits_go_by_the_clock_of_the_phones_user() {
    let (world, [user, other]) = World::with_users([1, 2]).await;
    let browser = Browser::new(&world);
    let page = browser.get("/account").await.text().await.unwrap();
    let csrf = between(&page, "name=\"csrf\" value=\"", "\"");
    let send = async |phone: &str| {
        browser.post("/sign-in", &[("phone", phone), ("next", "/account"), ("csrf", csrf)]).await.status()
    };
    assert_eq!(send(PHONE).await, 200);
    user.advance(301).await;
    let form = [("phone", PHONE), ("next", "/account"), ("csrf", csrf), ("code", "424242")];
    assert_eq!(browser.post("/sign-in/verify", &form).await.status(), 422);
    user.advance(300).await;
    for _ in 0..30 {
        assert_eq!(send(PHONE).await, 200);
    }
    assert_eq!(send(PHONE).await, StatusCode::TOO_MANY_REQUESTS);
    other.advance(86_400).await;
    assert_eq!(send(PHONE).await, StatusCode::TOO_MANY_REQUESTS);
    user.advance(600).await;
    assert_eq!(send(PHONE).await, 200);
    assert_eq!(send("+15550102").await, 200);
}
