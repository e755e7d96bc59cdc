//! What guards the pages, as a program sees it; that they work in a browser is shown in `tests/browser`.

use std::sync::Arc;

use ordersync_api::Scope;
use ordersync_service::SystemClock;
use ordersync_service::admin::{Admin, NewClient};
use reqwest::cookie::Jar;
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use crate::harness::{Node, World, database, refusal};

const FRAMING: &str = "https://app.example";

/// A browser, as far as cookies and forms go.
pub(crate) struct Browser {
    http: Client,
    base: String,
}

impl Browser {
    pub(crate) fn new(world: &World) -> Self {
        let jar = Arc::new(Jar::default());
        // No app listens where it is redirected to.
        let to_app = |attempt: Attempt<'_>| match attempt.url().path() {
            "/callback" => attempt.stop(),
            _ => attempt.follow(),
        };
        let http = Client::builder().no_proxy().cookie_provider(jar).redirect(Policy::custom(to_app));
        Self { http: http.build().unwrap(), base: world.node.base.clone() }
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.http.get(format!("{}{path}", self.base)).header("accept", "text/html").send().await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, form: &[(&str, &str)]) -> Response {
        self.http.post(format!("{}{path}", self.base)).header("accept", "text/html").form(form).send().await.unwrap()
    }

    /// A request that no form sends.
    pub(crate) fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base))
    }

    /// Signs in at the page that is given; returns the page that comes then.
    pub(crate) async fn sign_in(&self, page: &str, phone: &str, next: &str) -> Response {
        let csrf = between(page, "name=\"csrf\" value=\"", "\"");
        let sent = self.post("/sign-in", &[("phone", phone), ("next", next), ("csrf", csrf)]).await;
        assert_eq!(sent.status(), 200);
        self.post("/sign-in/verify", &[("phone", phone), ("next", next), ("csrf", csrf), ("code", "424 242")]).await
    }
}

pub(crate) fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split(before).nth(1).and_then(|rest| rest.split(after).next()).unwrap_or_else(|| panic!("{before}: {text}"))
}

pub(crate) fn policy(response: &Response) -> &str {
    response.headers()["content-security-policy"].to_str().unwrap()
}

/// A link token of a client whose widget `FRAMING` may hold in a frame.
async fn link_token(world: &World, external_user_id: &str) -> String {
    let clock = SystemClock::default();
    let admin = Admin::open(&database(world.store.path()), &clock, "operator".into()).await.unwrap();
    let new = NewClient {
        name: "Ledgerleaf".into(),
        redirect_uris: Vec::new(),
        scopes: Scope::ALL.to_vec(),
        confidential: true,
        frame_ancestors: vec![FRAMING.into()],
    };
    let client = admin.create(&new).await.unwrap();
    ask_for_link(&world.node, &client.client_id, client.secret.unwrap().expose_secret(), external_user_id).await
}

/// Another link token of a client that there is already; its secret is replaced.
async fn link_token_of(world: &World, client_id: &str, external_user_id: &str) -> String {
    let clock = SystemClock::default();
    let admin = Admin::open(&database(world.store.path()), &clock, "operator".into()).await.unwrap();
    let rotated = admin.rotate_secret(client_id).await.unwrap();
    ask_for_link(&world.node, client_id, rotated.secret.expose_secret(), external_user_id).await
}

async fn ask_for_link(node: &Node, client_id: &str, secret: &str, external_user_id: &str) -> String {
    let user = node.user_of(99, json!({ "client_id": client_id })).await;
    let request = user.request(reqwest::Method::POST, "/v1/link/token").header("X-Client-Secret", secret);
    let answer = request.json(&json!({ "external_user_id": external_user_id })).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::CREATED);
    let answer: Value = answer.json().await.unwrap();
    answer["link_token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_widget_may_be_framed_by_its_clients_origins_and_no_other_page_by_anybody() {
    let world = World::new().await;
    let browser = Browser::new(&world);
    let sign_in = browser.get(&format!("/widget?link_token={}", link_token(&world, "u1").await)).await;
    assert_eq!(sign_in.url().as_str(), format!("{}/widget", world.node.base));
    let framed = format!("frame-ancestors {FRAMING}");
    assert!(policy(&sign_in).ends_with(&framed) && !sign_in.headers().contains_key("x-frame-options"));
    let widget = browser.sign_in(&sign_in.text().await.unwrap(), "+15550101", "/widget").await;
    assert!(policy(&widget).ends_with(&framed));
    for path in ["/device", "/oauth/authorize?client_id=nobody", "/nowhere"] {
        let page = browser.get(path).await;
        assert!(policy(&page).ends_with("frame-ancestors 'none'"), "{path}");
        assert_eq!(page.headers()["x-frame-options"], "DENY", "{path}");
    }
}

#[tokio::test]
async fn the_first_page_of_a_sandbox_says_what_it_is_and_how_to_begin() {
    let world = World::new().await;
    let page = Browser::new(&world).get("/").await;
    assert_eq!(page.status(), StatusCode::OK);
    assert!(policy(&page).starts_with("default-src 'none'") && policy(&page).ends_with("frame-ancestors 'none'"));
    assert_eq!(page.headers()["x-frame-options"], "DENY");
    let text = page.text().await.unwrap();
    for part in ["Order sync sandbox", "ordersync widget open --base-url http://", "href=\"/healthz\"", "424242"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("<script") && !text.contains("style="), "{text}");
}

#[tokio::test]
async fn the_widgets_own_routes_answer_its_page_and_nobody_else() {
    let world = World::new().await;
    let browser = Browser::new(&world);
    let sign_in = browser.get(&format!("/widget?link_token={}", link_token(&world, "u1").await)).await;
    let widget = browser.sign_in(&sign_in.text().await.unwrap(), "+15550102", "/widget").await.text().await.unwrap();
    let (csrf, link) = (between(&widget, "data-csrf=\"", "\""), between(&widget, "data-link=\"", "\""));
    let ask = async |http: &Client, link: &str, csrf: &str| {
        let request = http.post(format!("{}/widget/token", world.node.base));
        request.header("x-widget-link", link).header("x-csrf-token", csrf).send().await.unwrap()
    };
    assert_eq!(ask(&browser.http, link, csrf).await.status(), 200);
    assert_eq!(refusal(ask(&browser.http, link, "made-up").await, 400).await.0, "INVALID_REQUEST");
    assert_eq!(refusal(ask(&browser.http, "another", csrf).await, 401).await.0, "LINK_TOKEN_INVALID");
    assert_eq!(refusal(ask(&Client::new(), link, csrf).await, 401).await.0, "LINK_TOKEN_INVALID");
    // Another user's connection is none that could be shared.
    let owner = world.node.user(3).await;
    owner.connected(12, "user_empty").await;
    let id = owner.get_json("/sync/connections").await[0]["connectionId"].clone();
    let request = browser.http.post(format!("{}/widget/share", world.node.base));
    let request = request.header("x-widget-link", link).header("x-csrf-token", csrf);
    let response = request.json(&json!({ "connectionId": id, "shared": true })).send().await.unwrap();
    assert_eq!(refusal(response, 404).await.0, "NOT_FOUND");
}

#[tokio::test]
async fn the_widget_removes_its_own_users_connections_for_every_client() {
    let world = World::new().await;
    let browser = Browser::new(&world);
    let sign_in = browser.get(&format!("/widget?link_token={}", link_token(&world, "u1").await)).await;
    let widget = browser.sign_in(&sign_in.text().await.unwrap(), "+15550103", "/widget").await.text().await.unwrap();
    let (csrf, link) = (between(&widget, "data-csrf=\"", "\""), between(&widget, "data-link=\"", "\""));
    let remove = async |id: &Value, csrf: &str| {
        let request = browser.http.post(format!("{}/widget/remove", world.node.base));
        let request = request.header("x-widget-link", link).header("x-csrf-token", csrf);
        request.json(&json!({ "connectionId": id })).send().await.unwrap()
    };
    let (user, other) = (world.node.user(3).await, world.node.user(4).await);
    for user in [&user, &other] {
        user.connected(12, "user_items_3").await;
    }
    let id = async |user: &crate::harness::User| user.get_json("/sync/connections").await[0]["connectionId"].clone();
    assert_eq!(refusal(remove(&id(&user).await, "made-up").await, 400).await.0, "INVALID_REQUEST");
    assert_eq!(refusal(remove(&id(&other).await, csrf).await, 404).await.0, "NOT_FOUND");
    let removed = id(&user).await;
    assert_eq!(remove(&removed, csrf).await.status(), 204);
    assert_eq!(refusal(remove(&removed, csrf).await, 404).await.0, "NOT_FOUND");
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
    assert_eq!(other.all_orders().await.len(), 3);
}

#[tokio::test]
async fn the_command_line_removes_a_connection_for_every_client_that_shares_it_too() {
    let world = World::new().await;
    let browser = Browser::new(&world);
    let sign_in = browser.get(&format!("/widget?link_token={}", link_token(&world, "u1").await)).await;
    let widget = browser.sign_in(&sign_in.text().await.unwrap(), "+15550103", "/widget").await.text().await.unwrap();
    let (csrf, link) = (between(&widget, "data-csrf=\"", "\""), between(&widget, "data-link=\"", "\""));
    let of = async |client: &str| world.node.user_of(3, json!({ "client_id": client })).await;
    let (command_line, app) = (of("ordersync-cli").await, of(&client_of(&world).await).await);
    let remove = async |user: &crate::harness::User, id: &Value| {
        let path = format!("/sync/connections/{}", id.as_str().unwrap());
        user.request(reqwest::Method::DELETE, &path).send().await.unwrap()
    };
    let id = async |user: &crate::harness::User| user.get_json("/sync/connections").await[0]["connectionId"].clone();
    command_line.connected(12, "user_items_3").await;
    let removed = id(&command_line).await;
    let request = browser.http.post(format!("{}/widget/share", world.node.base));
    let request = request.header("x-widget-link", link).header("x-csrf-token", csrf);
    let shared = request.json(&json!({ "connectionId": removed, "shared": true })).send().await.unwrap();
    assert!(shared.status().is_success(), "{}", shared.status());
    assert_eq!(app.all_orders().await.len(), 3);
    // What the user has not shared with the command line stays, as with every client.
    app.connected(1, "user_empty").await;
    let own = app.get_json("/sync/connections").await;
    let own = own.as_array().unwrap().iter().find(|one| one["retailerId"] == 1).unwrap()["connectionId"].clone();
    assert_eq!(refusal(remove(&command_line, &own).await, 403).await.0, "CONNECTION_NOT_SHARED");
    assert_eq!(remove(&command_line, &removed).await.status(), 204);
    assert_eq!(refusal(remove(&command_line, &removed).await, 404).await.0, "NOT_FOUND");
    assert_eq!(app.all_orders().await.len(), 0);
    assert_eq!(id(&app).await, own);
}

/// The client that [`link_token`] has made.
async fn client_of(world: &World) -> String {
    let clock = SystemClock::default();
    let admin = Admin::open(&database(world.store.path()), &clock, "operator".into()).await.unwrap();
    let clients = admin.list().await.unwrap();
    clients.into_iter().find(|client| client.name == "Ledgerleaf").unwrap().id
}

#[tokio::test]
async fn a_one_time_password_is_good_only_in_the_browser_that_asked_for_it() {
    let world = World::new().await;
    let (owner, other) = (Browser::new(&world), Browser::new(&world));
    let form = async |browser: &Browser| {
        let page = browser.get("/device").await.text().await.unwrap();
        between(&page, "name=\"csrf\" value=\"", "\"").to_owned()
    };
    let (csrf, others) = (form(&owner).await, form(&other).await);
    let sent = owner.post("/sign-in", &[("phone", "+15550104"), ("next", "/device"), ("csrf", &csrf)]).await;
    assert_eq!(sent.status(), 200);
    let verify = async |browser: &Browser, csrf: &str, code: &str| {
        let form = [("phone", "+15550104"), ("next", "/device"), ("csrf", csrf), ("code", code)];
        browser.post("/sign-in/verify", &form).await
    };
    for code in ["424242", "000000", "000001", "000002", "000003", "000004"] {
        let refused = verify(&other, &others, code).await;
        assert_eq!(refused.status(), 422, "{code}");
        assert!(refused.text().await.unwrap().contains("sent for another browser"), "{code}");
    }
    assert_eq!(verify(&owner, &csrf, "424242").await.status(), 200);
}

#[tokio::test]
async fn an_unbound_identifier_is_bound_anew_by_the_next_who_signs_in() {
    let world = World::new().await;
    let store = database(world.store.path());
    let clock = SystemClock::default();
    let token = link_token(&world, "customer-42").await;
    let sign_in = async |token: &str, phone| {
        let browser = Browser::new(&world);
        let page = browser.get(&format!("/widget?link_token={token}")).await.text().await.unwrap();
        (browser.sign_in(&page, phone, "/widget").await, browser)
    };
    let (first, browser) = sign_in(&token, "+15550101").await;
    assert_eq!(first.status(), StatusCode::OK);
    let widget = first.text().await.unwrap();
    let (refused, _) = sign_in(&token, "+15550102").await;
    assert_eq!(refused.status(), StatusCode::CONFLICT);
    let admin = Admin::open(&store, &clock, "operator".into()).await.unwrap();
    let client = admin.list().await.unwrap().into_iter().find(|client| client.name == "Ledgerleaf").unwrap().id;
    let missing = admin.unbind(&client, "customer-43").await.unwrap_err();
    assert!(missing.to_string().contains("customer-43"), "{missing}");
    let unbound = admin.unbind(&client, "customer-42").await.unwrap();
    assert_eq!((unbound.phone_last4.as_str(), unbound.shared), ("0101", 0));
    assert!(admin.unbind(&client, "customer-42").await.is_err(), "there is nothing left to unbind");
    // What the first user has open ends, and so does the link.
    let request = browser.http.post(format!("{}/widget/token", world.node.base));
    let (csrf, link) = (between(&widget, "data-csrf=\"", "\""), between(&widget, "data-link=\"", "\""));
    let request = request.header("x-widget-link", link).header("x-csrf-token", csrf);
    assert_eq!(refusal(request.send().await.unwrap(), 401).await.0, "LINK_TOKEN_INVALID");
    let page = Browser::new(&world).get(&format!("/widget?link_token={token}")).await;
    assert_eq!(page.status(), StatusCode::UNAUTHORIZED);
    let token = link_token_of(&world, &client, "customer-42").await;
    let (second, _) = sign_in(&token, "+15550102").await;
    assert_eq!(second.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_form_without_its_cookie_or_its_field_does_nothing() {
    let world = World::new().await;
    let (browser, other) = (Browser::new(&world), Browser::new(&world));
    let page = browser.get("/device").await.text().await.unwrap();
    let csrf = between(&page, "name=\"csrf\" value=\"", "\"");
    let form = [("phone", "+15550104"), ("next", "/device"), ("csrf", csrf)];
    assert_eq!(browser.post("/sign-in", &form).await.status(), 200);
    assert_eq!(other.post("/sign-in", &form).await.status(), 400);
    assert_eq!(browser.post("/sign-in", &form[..2]).await.status(), 400);
    // The field of an empty cookie is no field for those who have none.
    let url = format!("{}/device", world.node.base);
    let empty = Client::new().get(url).header("accept", "text/html").header("cookie", "ordersync_form=");
    let empty = empty.send().await.unwrap().text().await.unwrap();
    let field = between(&empty, "name=\"csrf\" value=\"", "\"");
    let form = [("phone", "+15550104"), ("next", "/device"), ("csrf", field)];
    assert_eq!(other.post("/sign-in", &form).await.status(), 400);
    let device = browser.sign_in(&page, "+15550104", "/device").await.text().await.unwrap();
    assert!(device.contains("Connect a device"));
    for path in ["/device", "/sign-out"] {
        let forged = browser.post(path, &[("user_code", "BCDF-GHJK"), ("next", "/device"), ("csrf", csrf)]).await;
        assert_eq!(forged.status(), 400, "{path}");
    }
}

#[tokio::test]
async fn a_sign_in_leads_to_our_own_pages_alone() {
    let world = World::new().await;
    let browser = Browser::new(&world);
    let page = browser.get("/device").await.text().await.unwrap();
    let csrf = between(&page, "name=\"csrf\" value=\"", "\"");
    for next in ["https://elsewhere.test/", "//elsewhere.test/widget", "/sync/orders", ""] {
        let form = [("phone", "+15550105"), ("next", next), ("csrf", csrf), ("code", "424242")];
        assert_eq!(browser.post("/sign-in/verify", &form).await.status(), 400, "{next}");
    }
}
