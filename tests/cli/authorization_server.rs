//! An authorization server that does what a test tells it to, with the service behind it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// The server. Its token endpoint gives the prepared answers in turn, the last one again and again.
pub(crate) struct AuthorizationServer {
    pub(crate) server: MockServer,
    token_requests: Arc<Mutex<Vec<HashMap<String, String>>>>,
}

struct Answers {
    answers: Mutex<Vec<ResponseTemplate>>,
    requests: Arc<Mutex<Vec<HashMap<String, String>>>>,
}

impl Respond for Answers {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        self.requests.lock().expect("lock").push(form(request));
        let mut answers = self.answers.lock().expect("lock");
        if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() }
    }
}

/// A form's fields, and who sends it.
fn form(request: &Request) -> HashMap<String, String> {
    let mut fields: HashMap<String, String> = url::form_urlencoded::parse(&request.body).into_owned().collect();
    if let Some(basic) = request.headers.get("authorization") {
        fields.insert("authorization".into(), basic.to_str().expect("text").to_owned());
    }
    fields
}

/// Tokens, the access token good for so many seconds.
pub(crate) fn tokens(access: &str, refresh: &str, expires_in: u64) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "access_token": access, "refresh_token": refresh, "token_type": "bearer", "expires_in": expires_in,
        "scope": "accounts:read profile:read",
    }))
}

/// A refusal of the token endpoint.
pub(crate) fn refusal(error: &str) -> ResponseTemplate {
    ResponseTemplate::new(400).set_body_json(json!({ "error": error }))
}

impl AuthorizationServer {
    pub(crate) async fn start(answers: Vec<ResponseTemplate>) -> Self {
        Self::with_metadata(answers, json!({})).await
    }

    /// With these fields of its metadata changed.
    pub(crate) async fn with_metadata(answers: Vec<ResponseTemplate>, changes: Value) -> Self {
        let server = MockServer::start().await;
        let base = server.uri();
        let mut metadata = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/oauth/authorize"),
            "token_endpoint": format!("{base}/oauth/token"),
            "revocation_endpoint": format!("{base}/oauth/revoke"),
            "device_authorization_endpoint": format!("{base}/oauth/device_authorization"),
            "authorization_response_iss_parameter_supported": true,
        });
        for (name, value) in changes.as_object().expect("an object") {
            metadata[name] = value.clone();
        }
        let json = |body: Value| ResponseTemplate::new(200).set_body_json(body);
        Mock::given(path("/.well-known/oauth-authorization-server")).respond_with(json(metadata)).mount(&server).await;
        let device = json!({
            "device_code": "canary_dc", "user_code": "WDJB-MJHT", "verification_uri": format!("{base}/device"),
            "verification_uri_complete": format!("{base}/device?user_code=WDJB-MJHT"), "expires_in": 900, "interval": 0,
        });
        Mock::given(path("/oauth/device_authorization")).respond_with(json(device)).mount(&server).await;
        let token_requests = Arc::default();
        let answers = Answers { answers: Mutex::new(answers), requests: Arc::clone(&token_requests) };
        Mock::given(method("POST")).and(path("/oauth/token")).respond_with(answers).mount(&server).await;
        Mock::given(path("/oauth/revoke")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
        Self { server, token_requests }
    }

    /// Serves a user's profile and connections to these access tokens alone.
    pub(crate) async fn accepting(self, tokens: &[&str]) -> Self {
        let accepted: Vec<String> = tokens.iter().map(|token| format!("Bearer {token}")).collect();
        let user = json!({ "userId": "user_1", "name": "Ada", "phoneLast4": "0142" });
        for (at, body) in [("/sync/profile", user), ("/sync/connections", json!([]))] {
            let accepted = accepted.clone();
            let answer = move |request: &Request| {
                let token = request.headers.get("authorization").and_then(|value| value.to_str().ok());
                if token.is_some_and(|token| accepted.iter().any(|accepted| accepted == token)) {
                    return ResponseTemplate::new(200).set_body_json(&body);
                }
                ResponseTemplate::new(401)
                    .set_body_json(json!({ "code": "UNAUTHORIZED", "message": "No such token." }))
                    .insert_header("x-request-id", "req_1")
            };
            Mock::given(path(at)).respond_with(answer).mount(&self.server).await;
        }
        self
    }

    pub(crate) fn address(&self) -> String {
        self.server.uri()
    }

    pub(crate) fn token_requests(&self) -> Vec<HashMap<String, String>> {
        self.token_requests.lock().expect("lock").clone()
    }

    /// The requests to the revocation endpoint.
    pub(crate) async fn revocations(&self) -> Vec<HashMap<String, String>> {
        let requests = self.server.received_requests().await.expect("requests");
        requests.iter().filter(|request| request.url.path() == "/oauth/revoke").map(form).collect()
    }
}
