//! What guards the pages, as a program sees it; that they work in a browser is shown in `tests/browser`.

use std::sync::Arc;

use ordersync_api::Scope;
use ordersync_api::sandbox::CLIENT_SECRET;
use ordersync_service::SystemClock;
use ordersync_service::admin::{Admin, NewClient};
use reqwest::cookie::Jar;
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use crate::harness::{Beside, Node, World, database, refusal};

const FRAMING: &str = "https://app.example";
const BACK: &str = "https://app.example/connected?from=widget";

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

    /// One that follows no redirect.
    pub(crate) fn to_this_service_only(world: &World) -> Self {
        let http = Client::builder().no_proxy().cookie_provider(Arc::new(Jar::default())).redirect(Policy::none());
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

/// A widget that its user has open.
pub(crate) struct Widget {
    browser: Browser,
    csrf: String,
    link: String,
}

impl Widget {
    pub(crate) async fn open(world: &World, link_token: &str, ending: u8) -> Self {
        let browser = Browser::new(world);
        let page = browser.get(&format!("/widget?link_token={link_token}")).await.text().await.unwrap();
        let page = browser.sign_in(&page, &format!("+155501{ending:02}"), "/widget").await.text().await.unwrap();
        let of = |name: &str| between(&page, &format!("data-{name}=\""), "\"").to_owned();
        Self { csrf: of("csrf"), link: of("link"), browser }
    }

    /// A request of its page to its own routes.
    pub(crate) async fn post(&self, path: &str, body: Value) -> Response {
        let request = self.browser.request(reqwest::Method::POST, path);
        let request = request.header("x-widget-link", &self.link).header("x-csrf-token", &self.csrf);
        request.json(&body).send().await.unwrap()
    }

    pub(crate) async fn change(&self, path: &str, body: Value) {
        let answer = self.post(path, body).await;
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
    }

    pub(crate) async fn share(&self, connection_id: &str, shared: bool) {
        self.change("/widget/share", json!({ "connectionId": connection_id, "shared": shared })).await;
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
        return_urls: vec![BACK.into()],
    };
    let client = admin.create(&new).await.unwrap();
    let secret = client.secret.unwrap();
    ask(&world.node, &client.client_id, secret.expose_secret(), external_user_id, Some(BACK)).await
}

/// Another link token of a client that there is already; its secret is replaced.
async fn link_token_of(world: &World, client_id: &str, external_user_id: &str) -> String {
    let clock = SystemClock::default();
    let admin = Admin::open(&database(world.store.path()), &clock, "operator".into()).await.unwrap();
    let rotated = admin.rotate_secret(client_id).await.unwrap();
    ask_for_link(&world.node, client_id, rotated.secret.expose_secret(), external_user_id).await
}

async fn ask_for_link(node: &Node, client_id: &str, secret: &str, external_user_id: &str) -> String {
    ask(node, client_id, secret, external_user_id, None).await
}

async fn ask(node: &Node, client_id: &str, secret: &str, external_user_id: &str, return_url: Option<&str>) -> String {
    let user = node.user_of(99, json!({ "client_id": client_id })).await;
    let request = user.request(reqwest::Method::POST, "/v1/link/token").header("X-Client-Secret", secret);
    let answer =
        request.json(&json!({ "external_user_id": external_user_id, "return_url": return_url })).send().await.unwrap();
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
    let widget = Widget::open(&world, &link_token(&world, "u1").await, 2).await;
    let ask = async |http: &Client, link: &str, csrf: &str| {
        let request = http.post(format!("{}/widget/token", world.node.base));
        request.header("x-widget-link", link).header("x-csrf-token", csrf).send().await.unwrap()
    };
    let (http, link, csrf) = (&widget.browser.http, widget.link.as_str(), widget.csrf.as_str());
    assert_eq!(ask(http, link, csrf).await.status(), 200);
    assert_eq!(refusal(ask(http, link, "made-up").await, 400).await.0, "INVALID_REQUEST");
    assert_eq!(refusal(ask(http, "another", csrf).await, 401).await.0, "LINK_TOKEN_INVALID");
    assert_eq!(refusal(ask(&Client::new(), link, csrf).await, 401).await.0, "LINK_TOKEN_INVALID");
    // Another user's connection is none that could be shared.
    let owner = world.node.user(3).await;
    owner.connected(12, "user_empty").await;
    let id = owner.get_json("/sync/connections").await[0]["connectionId"].clone();
    let response = widget.post("/widget/share", json!({ "connectionId": id, "shared": true })).await;
    assert_eq!(refusal(response, 404).await.0, "NOT_FOUND");
}

#[tokio::test]
async fn the_widget_removes_its_own_users_connections_for_every_client() {
    let world = World::new().await;
    let widget = Widget::open(&world, &link_token(&world, "u1").await, 3).await;
    let remove = async |id: &Value| widget.post("/widget/remove", json!({ "connectionId": id })).await;
    let (user, other) = (world.node.user(3).await, world.node.user(4).await);
    for user in [&user, &other] {
        user.connected(12, "user_items_3").await;
    }
    let id = async |user: &crate::harness::User| user.get_json("/sync/connections").await[0]["connectionId"].clone();
    let request = widget.browser.request(reqwest::Method::POST, "/widget/remove").header("x-csrf-token", "made-up");
    let request = request.header("x-widget-link", &widget.link).json(&json!({ "connectionId": id(&user).await }));
    assert_eq!(refusal(request.send().await.unwrap(), 400).await.0, "INVALID_REQUEST");
    assert_eq!(refusal(remove(&id(&other).await).await, 404).await.0, "NOT_FOUND");
    let removed = id(&user).await;
    assert_eq!(remove(&removed).await.status(), 204);
    assert_eq!(refusal(remove(&removed).await, 404).await.0, "NOT_FOUND");
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
    assert_eq!(other.all_orders().await.len(), 3);
}

#[tokio::test]
async fn the_command_line_removes_a_connection_for_every_client_that_shares_it_too() {
    let world = World::new().await;
    let widget = Widget::open(&world, &link_token(&world, "u1").await, 3).await;
    let of = async |client: &str| world.node.user_of(3, json!({ "client_id": client })).await;
    let (command_line, app) = (of("ordersync-cli").await, of(&client_of(&world).await).await);
    let remove = async |user: &crate::harness::User, id: &Value| {
        let path = format!("/sync/connections/{}", id.as_str().unwrap());
        user.request(reqwest::Method::DELETE, &path).send().await.unwrap()
    };
    let id = async |user: &crate::harness::User| user.get_json("/sync/connections").await[0]["connectionId"].clone();
    command_line.connected(12, "user_items_3").await;
    let removed = id(&command_line).await;
    widget.share(removed.as_str().unwrap(), true).await;
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

#[tokio::test]
async fn every_page_of_the_widget_leads_back_to_the_registered_address_and_no_other_page_does() {
    let world = World::new().await;
    let token = link_token(&world, "u1").await;
    let browser = Browser::new(&world);
    let back = "<a href=\"https://app.example/connected?from=widget\" target=\"_top\">";
    let framed = format!("frame-ancestors {FRAMING}");
    let leads_back = async |page: Response, status: u16, leads: bool| {
        assert_eq!(page.status(), status);
        let is_framed = policy(&page).ends_with(&framed);
        let text = page.text().await.unwrap();
        assert_eq!(
            (text.contains(back), text.contains("Back to Ledgerleaf"), is_framed),
            (leads, leads, leads),
            "{text}"
        );
        text
    };
    let sign_in = leads_back(browser.get(&format!("/widget?link_token={token}")).await, 200, true).await;
    assert!(!sign_in.contains(&token), "the address is unchanged, and nothing else leads away");
    let csrf = between(&sign_in, "name=\"csrf\" value=\"", "\"");
    let phone = ("phone", "+15550101");
    let form = |code: &'static str| [phone, ("next", "/widget"), ("csrf", csrf), ("code", code)];
    leads_back(browser.post("/sign-in", &form("")).await, 200, true).await;
    for _ in 0..6 {
        leads_back(browser.post("/sign-in/verify", &form("000000")).await, 422, true).await;
    }
    leads_back(browser.post("/sign-in", &[phone, ("next", "/widget"), ("csrf", "old")]).await, 400, true).await;
    leads_back(browser.sign_in(&sign_in, "+15550101", "/widget").await, 200, true).await;
    // The identifier is bound to somebody else.
    let other = Browser::new(&world);
    let page = other.get(&format!("/widget?link_token={token}")).await.text().await.unwrap();
    leads_back(other.sign_in(&page, "+15550102", "/widget").await, 409, true).await;
    // Too many passwords are asked for.
    let csrf = between(&page, "name=\"csrf\" value=\"", "\"");
    let refused = loop {
        let sent = other.post("/sign-in", &[phone, ("next", "/widget"), ("csrf", csrf)]).await;
        if sent.status() != 200 {
            break sent;
        }
    };
    leads_back(refused, 429, true).await;
    for path in ["/device", "/account", "/widget?link_token=unknown", "/nowhere"] {
        let page = browser.get(path).await;
        let status = page.status().as_u16();
        leads_back(page, status, false).await;
    }
    // An expired link still leads back; what the operator has removed does not.
    let mut store = Beside::open(world.store.path()).await;
    store.run("UPDATE link_tokens SET expires_at = 1").await;
    for path in ["/widget", &format!("/widget?link_token={token}")] {
        let closed = leads_back(browser.get(path).await, 401, true).await;
        assert!(closed.contains("This link does not work any more") && closed.contains("data-ended"), "{closed}");
    }
    store.run("UPDATE clients SET return_urls = '[]'").await;
    let closed = browser.get("/widget").await.text().await.unwrap();
    assert!(!closed.contains("app.example/connected") && closed.contains("data-client=\"Ledgerleaf\""), "{closed}");
}

#[tokio::test]
async fn a_user_who_agreed_to_an_app_continues_to_its_widget_with_a_click_and_nobody_elses_link_binds_without_one() {
    let world = World::new().await;
    let of = async |client: &str, id: &str| ask_for_link(&world.node, client, CLIENT_SECRET, id).await;
    let (browser, phone) = (Browser::new(&world), "+15550101");
    let open = async |token: &str| browser.get(&format!("/widget?link_token={token}")).await.text().await.unwrap();
    let page = open(&of("app", "u1").await).await;
    let warning = "If somebody else sent you the link, close this page.";
    assert!(page.contains(warning) && page.contains("<span class=\"client\">app</span>"), "{page}");
    assert!(!browser.get("/device").await.text().await.unwrap().contains(warning), "nobody sent a link there");
    let widget = browser.sign_in(&page, phone, "/widget").await.text().await.unwrap();
    assert!(widget.contains("Your retailers"));
    // Another identifier of the same app: a question that names the app and what it sees, and nothing is bound before.
    let user = world.node.user_of(1, json!({ "client_id": "app" })).await;
    user.connected(12, "user_empty").await;
    let second = of("app", "u2").await;
    let question = open(&second).await;
    for part in ["Continue to <span class=\"client\">app</span>?", "ending in 0101", "Merribazaar", "Not you?"] {
        assert!(question.contains(part), "{part}: {question}");
    }
    let share = async |token: &str| {
        let request = user.request(reqwest::Method::GET, "/v1/users/share").header("X-Client-Secret", CLIENT_SECRET);
        request.header("X-Link-Token", token).send().await.unwrap()
    };
    let csrf = between(&question, "name=\"csrf\" value=\"", "\"");
    let link = between(&question, "name=\"link\" value=\"", "\"");
    for (form, status) in [
        (vec![("link", link), ("csrf", "forged")], 400),
        (vec![("link", link)], 400),
        (vec![("csrf", csrf)], 401),
        (vec![("link", "another"), ("csrf", csrf)], 401),
    ] {
        assert_eq!(browser.post("/widget/confirm", &form).await.status(), status, "{form:?}");
        assert_eq!(refusal(share(&second).await, 404).await.0, "USER_NOT_FOUND");
    }
    // Of a browser that nobody is signed in at, and of the other link that was opened meanwhile, nothing is bound either.
    let stranger = Browser::new(&world);
    assert_eq!(stranger.post("/widget/confirm", &[("link", link), ("csrf", csrf)]).await.status(), 401);
    let third = of("app", "u3").await;
    let other_question = open(&third).await;
    assert_eq!(browser.post("/widget/confirm", &[("link", link), ("csrf", csrf)]).await.status(), 401);
    for token in [&second, &third] {
        assert_eq!(refusal(share(token).await, 404).await.0, "USER_NOT_FOUND");
    }
    let link = between(&other_question, "name=\"link\" value=\"", "\"");
    let continued = browser.post("/widget/confirm", &[("link", link), ("csrf", csrf)]).await;
    assert_eq!(continued.status(), 200);
    assert!(continued.text().await.unwrap().contains("Your retailers"));
    assert_eq!(share(&third).await.status(), 200);
    // Another app, whose user this is not yet, and an identifier that is bound to another user, need the password.
    let bound = of("app", "u9").await;
    let nine = Browser::new(&world);
    let page = nine.get(&format!("/widget?link_token={bound}")).await.text().await.unwrap();
    nine.sign_in(&page, "+15550109", "/widget").await;
    for token in [of("other", "u1").await, bound] {
        let page = open(&token).await;
        assert!(page.contains("Phone number"), "{page}");
        let (csrf, link) = (between(&widget, "data-csrf=\"", "\""), between(&widget, "data-link=\"", "\""));
        assert_eq!(browser.post("/widget/confirm", &[("link", link), ("csrf", csrf)]).await.status(), 401);
    }
    // Who signs out is a stranger again.
    let question = open(&of("app", "u4").await).await;
    let csrf = between(&question, "name=\"csrf\" value=\"", "\"");
    let signed_out = browser.post("/sign-out", &[("next", "/widget"), ("csrf", csrf)]).await;
    assert!(signed_out.text().await.unwrap().contains("Phone number"));
}

#[tokio::test]
async fn one_password_is_enough_for_an_authorization_and_the_widget_of_one_app_in_either_order() {
    let world = World::new().await;
    let authorize = "/oauth/authorize?response_type=code&client_id=ordersync-cli&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcallback\
                     &scope=orders%3Aread&code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let password_asked = |page: &str| page.contains("Phone number");
    let mut store = Beside::open(world.store.path()).await;
    // The one client with a redirect address gets a secret, to have link tokens.
    drop(world.node.user_of(1, json!({ "client_id": "app" })).await);
    store.run("UPDATE clients SET redirect_uris = '[\"http://127.0.0.1/callback\"]' WHERE id = 'app'").await;
    let authorize = authorize.replace("ordersync-cli", "app");
    let link = async |id: &str| ask_for_link(&world.node, "app", CLIENT_SECRET, id).await;
    for (decision, is_enough) in [("approve", true), ("deny", false)] {
        let browser = Browser::to_this_service_only(&world);
        let page = browser.get(&authorize).await.text().await.unwrap();
        assert!(password_asked(&page));
        let next = between(&page, "name=\"next\" value=\"", "\"").replace("&amp;", "&");
        let signed_in = browser.sign_in(&page, "+15550101", &next).await;
        let consent = browser.get(signed_in.headers()["location"].to_str().unwrap()).await.text().await.unwrap();
        let csrf = between(&consent, "name=\"csrf\" value=\"", "\"");
        let request = between(&consent, "name=\"request\" value=\"", "\"").replace("&amp;", "&");
        let form = [("request", request.as_str()), ("csrf", csrf), ("decision", decision)];
        assert_eq!(browser.post("/oauth/authorize/decision", &form).await.status(), 303);
        browser.get(&format!("/widget?link_token={}", link(&format!("after-{decision}")).await)).await;
        let page = browser.get("/widget").await.text().await.unwrap();
        assert_eq!((page.contains("Continue to"), password_asked(&page)), (is_enough, !is_enough), "{decision}");
    }
    let browser = Browser::to_this_service_only(&world);
    browser.get(&format!("/widget?link_token={}", link("before").await)).await;
    let page = browser.get("/widget").await.text().await.unwrap();
    browser.sign_in(&page, "+15550101", "/widget").await;
    let consent = browser.get(&authorize).await.text().await.unwrap();
    assert!(consent.contains("use your account?") && !password_asked(&consent), "{consent}");
}
