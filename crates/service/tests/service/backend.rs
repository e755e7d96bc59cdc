//! A client's back end that reads with the client's own token: it sees what the user behind its link token shares with that
//! client, as the user's own token at that client would, and nothing else. Over every route of the table.

use ordersync_api::sandbox::CLIENT_SECRET;
use ordersync_service::routes;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

use crate::harness::{Beside, User, World, refusal};
use crate::pages::Widget;

/// What a back end may read.
const READS: [&str; 9] = [
    "/sync/connections",
    "/sync/connections/{connectionId}",
    "/sync/orders",
    "/sync/orders/{id}",
    "/sync/completeness",
    "/sync/documents",
    "/sync/documents/{documentId}",
    "/sync/sessions/latest",
    "/sync/sessions/{batchId}",
];

/// A client's back end, with a link token for one of its users.
struct BackEnd {
    http: reqwest::Client,
    base: String,
    token: String,
    link: String,
}

impl BackEnd {
    async fn new(world: &World, client: &str, external_user_id: &str) -> Self {
        // A sandbox makes a client when it is first named.
        let http = world.node.user_of(99, json!({ "client_id": client })).await.http;
        let base = world.node.base.clone();
        let token = own_token(&http, &base, client, &[]).await;
        let mut this = Self { http, base, token, link: String::new() };
        this.link = this.new_link(external_user_id).await;
        this
    }

    /// One whose identifier is bound to the user with the phone number of that ending, and the widget that bound it.
    async fn bound(world: &World, client: &str, external_user_id: &str, ending: u8) -> (Self, Widget) {
        let this = Self::new(world, client, external_user_id).await;
        let widget = Widget::open(world, &this.link, ending).await;
        (this, widget)
    }

    async fn new_link(&self, external_user_id: &str) -> String {
        let request = self.http.post(format!("{}/v1/link/token", self.base)).bearer_auth(&self.token);
        let request =
            request.header("X-Client-Secret", CLIENT_SECRET).json(&json!({ "external_user_id": external_user_id }));
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        answer["link_token"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// A request with the client's own token, and neither of the headers.
    fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.token)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare(method, path).header("X-Client-Secret", CLIENT_SECRET).header("X-Link-Token", &self.link)
    }

    async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    async fn get_json(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }
}

async fn own_token(http: &reqwest::Client, base: &str, client: &str, more: &[(&str, &str)]) -> String {
    let form = [&[("grant_type", "client_credentials")][..], more].concat();
    let request = http.post(format!("{base}/oauth/token")).basic_auth(client, Some(CLIENT_SECRET)).form(&form);
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    answer["access_token"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Everything that can be read with these ids.
fn everything(ids: &[&Ids]) -> Vec<String> {
    let lists = [
        "/sync/connections",
        "/sync/connections?status=valid&limit=1",
        "/sync/orders?limit=1000",
        "/sync/orders?limit=7&offset=3&retailer_id=12",
        "/sync/orders?format=csv&limit=1000",
        "/sync/orders?include=adjustments&start_date=2020-01-01",
        "/sync/completeness",
        "/sync/documents",
        "/sync/sessions/latest",
    ];
    let of = |ids: &&Ids| {
        let Ids { connection, batch, item, document } = ids;
        [
            format!("/sync/connections/{connection}"),
            format!("/sync/sessions/{batch}"),
            format!("/sync/orders/{item}"),
            format!("/sync/documents/{document}"),
        ]
    };
    lists.iter().map(ToString::to_string).chain(ids.iter().flat_map(of)).collect()
}

/// What a user has at one retailer.
struct Ids {
    connection: String,
    batch: String,
    item: String,
    document: String,
}

impl Ids {
    async fn connected(user: &User, retailer_id: i64) -> Self {
        let batch = user.connected(retailer_id, "user_items_20").await.batch_id.to_string();
        let text = |list: &Value, name: &str| list[0][name].as_str().unwrap().to_owned();
        let item = user.get_json(&format!("/sync/orders?limit=1&retailer_id={retailer_id}")).await;
        let document = user.kept_document(&item[0]).await;
        Self { connection: text(&item, "connectionId"), batch, item: text(&item, "id"), document }
    }
}

/// Status, the number of matches, and the body: for every path, what the back end gets is what the user's token gets.
async fn reads_as(backend: &BackEnd, user: &User, paths: &[String]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for path in paths {
        let [one, other] = [backend.get(path).await, user.get(path).await].map(async |response| {
            let total = ["x-total-count", "x-incomplete-connections"].map(|name| response.headers().get(name).cloned());
            let content = response.headers().get("content-type").cloned();
            (response.status(), total, content, response.text().await.unwrap())
        });
        let (one, other) = (one.await, other.await);
        assert_eq!(one, other, "{path}");
        statuses.push(one.0.as_u16());
    }
    statuses
}

#[tokio::test]
async fn a_back_end_reads_what_its_user_shares_with_it_as_the_user_would_and_nothing_else() {
    let world = World::new().await;
    let of = async |ending, client: &str| world.node.user_of(ending, json!({ "client_id": client })).await;
    let (user_a, user_b, other_a) = (of(1, "app-a").await, of(1, "app-b").await, of(2, "app-a").await);
    let (at_a, at_b) = (Ids::connected(&user_a, 12).await, Ids::connected(&user_b, 11).await);
    let others = Ids::connected(&other_a, 12).await;
    let (back_a, widget_a) = BackEnd::bound(&world, "app-a", "customer-1", 1).await;
    let (back_b, _) = BackEnd::bound(&world, "app-b", "their-1", 1).await;
    let (back_other, _) = BackEnd::bound(&world, "app-a", "customer-2", 2).await;
    let ids = [&at_a, &at_b, &others];
    let paths = everything(&ids);
    let [ok, not_shared, absent] = [200, 403, 404];
    let lists = [ok; 9];
    // Connection, session, item and document of: the one shared with A, the one shared with B, another user's.
    let seen = |states: [[u16; 4]; 3]| [lists.as_slice(), states.as_flattened()].concat();
    let own = [ok; 4];
    let hidden = [not_shared, absent, not_shared, not_shared];
    let unknown = [absent; 4];
    assert_eq!(reads_as(&back_a, &user_a, &paths).await, seen([own, hidden, unknown]));
    assert_eq!(reads_as(&back_b, &user_b, &paths).await, seen([hidden, own, unknown]));
    assert_eq!(reads_as(&back_other, &other_a, &paths).await, seen([unknown, unknown, own]));
    assert_eq!(back_a.get_json("/sync/orders?limit=1000").await.as_array().unwrap().len(), 20);

    // A session of two connections, of which one is not shared any more: its part and its events are gone.
    widget_a.share(&at_b.connection, true).await;
    let both = user_a.post("/sync/connections/sync", &json!({})).await.json::<Value>().await.unwrap();
    let both = user_a.ended(both["batchId"].as_str().unwrap()).await;
    assert_eq!(both.retailer_sync_sessions.len(), 2);
    let session = format!("/sync/sessions/{}", both.batch_id);
    assert!(back_a.get_json(&session).await.to_string().contains(&at_b.connection));
    widget_a.share(&at_b.connection, false).await;
    let seen_by_a = back_a.get_json(&session).await;
    assert_eq!(seen_by_a["retailerSyncSessions"].as_array().unwrap().len(), 1);
    assert!(!seen_by_a.to_string().contains(&at_b.connection), "{seen_by_a}");
    assert!(seen_by_a["events"].as_array().unwrap().len() > 2);
    assert_eq!(reads_as(&back_a, &user_a, &paths).await, seen([own, hidden, unknown]));

    // Nothing is shared any more, and then nothing is there any more.
    widget_a.share(&at_a.connection, false).await;
    let statuses = reads_as(&back_a, &user_a, &paths).await;
    assert_eq!(statuses[8..], [[absent].as_slice(), &hidden, &hidden, &unknown].concat());
    widget_a.share(&at_a.connection, true).await;
    assert_eq!(reads_as(&back_a, &user_a, &paths).await, seen([own, hidden, unknown]));
    widget_a.change("/widget/remove", json!({ "connectionId": at_a.connection })).await;
    let statuses = reads_as(&back_a, &user_a, &paths).await;
    assert_eq!(statuses[8..], [[absent].as_slice(), &unknown, &hidden, &unknown].concat());
    assert_eq!(back_a.get_json("/sync/orders").await, json!([]));
}

#[tokio::test]
async fn a_clients_own_token_changes_nothing_and_opens_no_route_but_those_that_read() {
    let world = World::new().await;
    let user = world.node.user_of(1, json!({ "client_id": "app" })).await;
    let ids = Ids::connected(&user, 12).await;
    let (backend, _) = BackEnd::bound(&world, "app", "u1", 1).await;
    let mut refused = 0;
    for route in routes(true).into_iter().filter(|route| !route.is_public() && !route.path.starts_with("/v1/")) {
        let path = route.path.replace("{connectionId}", &ids.connection).replace("{batchId}", &ids.batch);
        let path = path.replace("{id}", &ids.item).replace("{documentId}", &ids.document);
        let response = backend.request(route.method.clone(), &path).json(&json!({})).send().await.unwrap();
        if route.method == Method::GET && READS.contains(&route.path) {
            assert_eq!(response.status(), 200, "{path}");
            continue;
        }
        let (code, body) = refusal(response, 403).await;
        assert_eq!(code, "INSUFFICIENT_SCOPE", "{} {path}: {body}", route.method);
        refused += 1;
    }
    assert!(refused >= 14, "{refused}");
    assert_eq!(user.get_json("/sync/connections").await[0]["status"], "valid");
}

#[tokio::test]
async fn on_every_route_that_a_back_end_reads_what_is_missing_or_wrong_is_named() {
    let world = World::new().await;
    let user = world.node.user_of(1, json!({ "client_id": "app" })).await;
    let ids = Ids::connected(&user, 12).await;
    let (backend, _) = BackEnd::bound(&world, "app", "u1", 1).await;
    let foreign = BackEnd::bound(&world, "other", "u1", 1).await.0.link;
    let unbound = backend.new_link("nobody").await;
    let expired = backend.new_link("u1").await;
    let mut store = Beside::open(world.store.path()).await;
    let good = backend.link.clone();
    for path in everything(&[&ids]) {
        let ask = async |secret: Option<&str>, link: Option<&str>| {
            let mut request = backend.bare(Method::GET, &path);
            for (name, value) in [("X-Client-Secret", secret), ("X-Link-Token", link)] {
                request = value.into_iter().fold(request, |request, value| request.header(name, value));
            }
            request.send().await.unwrap()
        };
        assert_eq!(ask(Some(CLIENT_SECRET), Some(&good)).await.status(), 200, "{path}");
        for (secret, link, status, code) in [
            (None, None, 403, "CLIENT_SECRET_REQUIRED"),
            (None, Some(good.as_str()), 403, "CLIENT_SECRET_REQUIRED"),
            (Some("wrong"), Some(good.as_str()), 403, "CLIENT_SECRET_INVALID"),
            (Some(""), Some(good.as_str()), 403, "CLIENT_SECRET_INVALID"),
            (Some(CLIENT_SECRET), None, 400, "MISSING_LINK_TOKEN"),
            (Some(CLIENT_SECRET), Some(""), 401, "LINK_TOKEN_INVALID"),
            (Some(CLIENT_SECRET), Some("ordersync_sandbox_lt_made_up"), 401, "LINK_TOKEN_INVALID"),
            (Some(CLIENT_SECRET), Some(foreign.as_str()), 401, "LINK_TOKEN_INVALID"),
            (Some(CLIENT_SECRET), Some(unbound.as_str()), 404, "USER_NOT_FOUND"),
        ] {
            assert_eq!(refusal(ask(secret, link).await, status).await.0, code, "{path} {secret:?} {link:?}");
        }
        let twice = |name: &str, other: &str| {
            let both = [("X-Client-Secret", CLIENT_SECRET), ("X-Link-Token", good.as_str()), (name, other)];
            both.iter().fold(backend.bare(Method::GET, &path), |request, (name, value)| request.header(*name, *value))
        };
        for (name, other, status, code) in [
            ("X-Link-Token", foreign.as_str(), 401, "LINK_TOKEN_INVALID"),
            ("X-Link-Token", good.as_str(), 401, "LINK_TOKEN_INVALID"),
            ("X-Client-Secret", "wrong", 403, "CLIENT_SECRET_INVALID"),
        ] {
            let answered = twice(name, other).send().await.unwrap();
            assert_eq!(refusal(answered, status).await.0, code, "{path} with two headers {name}");
        }
    }
    store.run("UPDATE link_tokens SET expires_at = 1").await;
    for link in [expired, good] {
        for path in everything(&[&ids]) {
            let request = backend.bare(Method::GET, &path).header("X-Client-Secret", CLIENT_SECRET);
            let refused = request.header("X-Link-Token", &link).send().await.unwrap();
            assert_eq!(refusal(refused, 401).await.0, "LINK_TOKEN_INVALID", "{path}");
        }
    }
}

#[tokio::test]
async fn a_back_end_needs_the_scope_of_the_route_and_that_of_naming_users() {
    let world = World::new().await;
    let user = world.node.user_of(1, json!({ "client_id": "app" })).await;
    let ids = Ids::connected(&user, 12).await;
    let (mut backend, _) = BackEnd::bound(&world, "app", "u1", 1).await;
    for (scopes, reads_orders, reads_accounts) in [
        ("orders:read users:share", true, false),
        ("accounts:read users:share", false, true),
        ("users:share", false, false),
        ("orders:read accounts:read", false, false),
    ] {
        backend.token = own_token(&backend.http, &backend.base, "app", &[("scope", scopes)]).await;
        for path in everything(&[&ids]) {
            let allowed = match ["orders", "completeness", "documents"].iter().any(|of_orders| path.contains(of_orders))
            {
                true => reads_orders,
                false => reads_accounts,
            };
            let response = backend.get(&path).await;
            if allowed {
                assert_eq!(response.status(), 200, "{path} with {scopes}");
                continue;
            }
            assert!(response.headers()["www-authenticate"].to_str().unwrap().contains("insufficient_scope"));
            assert_eq!(refusal(response, 403).await.0, "INSUFFICIENT_SCOPE", "{path} with {scopes}");
        }
    }
}

#[tokio::test]
async fn a_users_token_means_its_user_whatever_the_headers_of_a_back_end_say() {
    let world = World::new().await;
    let of = async |ending| world.node.user_of(ending, json!({ "client_id": "app" })).await;
    let (first, second) = (of(1).await, of(2).await);
    let (own, theirs) = (Ids::connected(&first, 12).await, Ids::connected(&second, 12).await);
    let (backend, _) = BackEnd::bound(&world, "app", "u2", 2).await;
    for link in [backend.link.as_str(), "wrong"] {
        for path in everything(&[&own, &theirs]) {
            let request = first.request(Method::GET, &path).header("X-Client-Secret", CLIENT_SECRET);
            let with = request.header("X-Link-Token", link).send().await.unwrap();
            let without = first.get(&path).await;
            assert_eq!(with.status(), without.status(), "{path}");
            assert_eq!(with.text().await.unwrap(), without.text().await.unwrap(), "{path}");
        }
    }
}

#[tokio::test]
async fn what_a_back_end_reads_counts_for_its_client_whichever_user_it_names() {
    let world = World::limited_to(20).await;
    let (one, _) = BackEnd::bound(&world, "app", "u1", 1).await;
    let mut two = BackEnd { link: one.new_link("u2").await, ..BackEnd::new(&world, "app", "u1").await };
    Widget::open(&world, &two.link, 2).await;
    two.token.clone_from(&one.token);
    let mut statuses = Vec::new();
    for _ in 0..15 {
        statuses.push(one.get("/sync/orders").await.status().as_u16());
        statuses.push(two.get("/sync/connections").await.status().as_u16());
    }
    let accepted = statuses.iter().position(|status| *status == 429).unwrap();
    assert!(statuses[..accepted].iter().all(|status| *status == 200) && accepted < 20, "{statuses:?}");
    assert!(statuses[accepted..].iter().all(|status| *status == 429), "{statuses:?}");
}
