//! Refusals of the real service, and of peers in its place where it refuses nothing of the kind by itself.

use serde_json::{Value, json};

use super::peer::{always, http, json, start};
use super::{Run, Sandbox, Scene};

/// The one of every client of a sandbox.
const SECRET: &str = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one";

/// The phone of a sandbox's user that no other scene has.
fn phone() -> String {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
    format!("+155501{:02}", NEXT.fetch_add(1, std::sync::atomic::Ordering::SeqCst))
}

/// A user with a connection, and what became of it.
struct Connected {
    phone: String,
    token: String,
    id: String,
    run: Run,
}

fn run(sandbox: &Sandbox, token: &str, arguments: &[&str]) -> Run {
    let mut command = sandbox.command(arguments);
    command.env("ORDERSYNC_TOKEN", token);
    Run::of(command)
}

fn connected(sandbox: &Sandbox, name: &str) -> Connected {
    let phone = phone();
    let token = sandbox.run(&["sandbox", "token", "--phone", &phone]).ends(0).out.trim().to_owned();
    let arguments = ["connect", "-r", "1", "-o", "json", "--credentials-file", &sandbox.home.credentials(name)];
    let done = run(sandbox, &token, &arguments);
    let list = run(sandbox, &token, &["connections", "-o", "json"]).json();
    Connected { phone, token, id: list[0]["connectionId"].as_str().expect("a connection").to_owned(), run: done }
}

fn refusing(status: u16, body: &Value) -> Scene {
    Scene::at(&always(json(status, body)), &["connections", "--timeout", "60s"]).answered()
}

/// A peer that refuses to sign a client in.
fn sign_in(status: u16, error: &str) -> Scene {
    let (sent, received) = std::sync::mpsc::channel::<String>();
    let refusal = json(status, &json!({ "error": error }));
    let base = std::sync::OnceLock::new();
    let address = start(move |request| {
        let base = base.get_or_init(|| received.recv().expect("its address"));
        if !request.starts_with("GET /.well-known/") {
            return refusal.clone();
        }
        json(200, &json!({"issuer": base, "token_endpoint": format!("{base}/token")}))
    });
    let address = format!("http://{address}");
    sent.send(address.clone()).expect("a peer");
    let scene = Scene::at(&address, &["auth", "login", "--client-credentials"]);
    scene.env("ORDERSYNC_CLIENT_ID", "c").env("ORDERSYNC_CLIENT_SECRET", "s")
}

pub(super) fn scene(code: &str, sandbox: &Sandbox) -> Option<Scene> {
    let here = |arguments: &[&str]| Scene::new(sandbox.command(arguments)).answered();
    let with_secret = |arguments: &[&str]| here(arguments).env("ORDERSYNC_CLIENT_SECRET", SECRET);
    let sync = |id: &str| format!("/sync/connections/{id}/sync");
    let answer = ["api", "/sync/mfa", "-f", "eventType=enter", "-f", "otpValue=123456", "-f"];
    Some(match code {
        "INVALID_REQUEST" => here(&["api", "GET", "/sync/orders", "-f", "limit=0"]),
        "SEAL_REJECTED" => {
            let body = ["-F", "retailerId=2", "-f", "connectionInfo=x", "-f", "currentStamp=x", "-f", "mode=CONNECT"];
            here(&[&["api", "/sync/connections/connect"], &body[..]].concat())
        }
        "RETAILER_NOT_CONNECTABLE" => {
            let mut scene = here(&["connect", "-r", "17"]);
            scene.is_answered = false;
            scene
        }
        "MISSING_LINK_TOKEN" => with_secret(&["users", "share"]),
        "UNAUTHORIZED" => here(&["connections"]).env("ORDERSYNC_TOKEN", "nonsense"),
        "LINK_TOKEN_INVALID" => with_secret(&["users", "share"]).env("ORDERSYNC_LINK_TOKEN", "nonsense"),
        "CLIENT_SECRET_REQUIRED" => here(&["link-token", "create", "--external-user-id", "u"]),
        "CLIENT_SECRET_INVALID" => {
            here(&["link-token", "create", "--external-user-id", "u"]).env("ORDERSYNC_CLIENT_SECRET", "wrong")
        }
        "CONNECTION_NOT_SHARED" => {
            // Of the same user: that of another user does not exist for anybody else.
            let user = connected(sandbox, "user_empty");
            let elsewhere = ["sandbox", "token", "--phone", &user.phone, "--client-id", "another"];
            let token = sandbox.run(&elsewhere).ends(0).out;
            here(&["connections", "get", &user.id]).env("ORDERSYNC_TOKEN", token.trim())
        }
        "INSUFFICIENT_SCOPE" => {
            let token = sandbox.run(&["sandbox", "token", "--scopes", "accounts:read"]).ends(0).out;
            here(&["orders", "list"]).env("ORDERSYNC_TOKEN", token.trim())
        }
        "NOT_FOUND" => here(&["connections", "get", "conn_x"]),
        "USER_NOT_FOUND" => {
            let mut create = sandbox.command(&["link-token", "create", "--external-user-id", "nobody"]);
            create.env("ORDERSYNC_CLIENT_SECRET", SECRET);
            with_secret(&["users", "share"]).env("ORDERSYNC_LINK_TOKEN", Run::of(create).ends(0).out.trim())
        }
        "METHOD_NOT_ALLOWED" => here(&["api", "DELETE", "/sync/retailers"]),
        "CONNECTION_EXISTS" => {
            let user = connected(sandbox, "user_empty");
            let mut scene = here(&["connect", "-r", "1"]).env("ORDERSYNC_TOKEN", user.token);
            scene.is_answered = false;
            scene
        }
        "SYNC_IN_PROGRESS" => {
            let user = connected(sandbox, "user_mfa_enter");
            here(&["api", "POST", &sync(&user.id)]).env("ORDERSYNC_TOKEN", user.token)
        }
        "CONNECTION_INVALID" => {
            let user = connected(sandbox, "user_bad");
            here(&["api", "POST", &sync(&user.id)]).env("ORDERSYNC_TOKEN", user.token)
        }
        "CONNECTION_HAS_NO_ACCOUNT" => {
            let user = connected(sandbox, "user_empty");
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/own_history/cases/a28-plain/in");
            let done = run(sandbox, &user.token, &["import", file, "-o", "json"]).ends(0).json();
            let id = done["results"][0]["connectionId"].as_str().expect("a connection");
            here(&["api", "POST", &sync(id)]).env("ORDERSYNC_TOKEN", user.token)
        }
        "MFA_REQUEST_EXPIRED" => {
            let user = connected(sandbox, "user_mfa_enter");
            let request = format!("reqId={}", user.run.error()["details"]["reqId"].as_str().expect("a request"));
            let answer = [&answer[..], &[&request]].concat();
            run(sandbox, &user.token, &answer).ends(0);
            here(&answer).env("ORDERSYNC_TOKEN", user.token)
        }
        "IDEMPOTENCY_CONFLICT" => {
            let key = ["-H", "Idempotency-Key: a key used twice"];
            // Only what was accepted is kept.
            sandbox.run(&[&["api", "POST", "/sync/connections/sync"][..], &key].concat()).ends(0);
            here(&[&answer[..], &["reqId=mfa_y"], &key].concat())
        }
        "PAYLOAD_TOO_LARGE" => {
            std::fs::write(sandbox.home.path().join("large"), format!("\"{}\"", "x".repeat(70_000))).expect("write");
            here(&["api", "/sync/mfa", "--input", "large"])
        }
        "UNSUPPORTED_MEDIA_TYPE" => here(&[&answer[..], &["reqId=mfa_x", "-H", "Content-Type: text/csv"]].concat()),
        "TOO_MANY_REQUESTS" => {
            let limited = Sandbox::start(&["--rate-limit", "1"]);
            limited.run(&["connections"]).ends(0);
            let command = limited.command(&["connections", "--timeout", "10s"]);
            Scene::new(command).answered().keeping(limited)
        }
        // The command takes the host from the address, so that it never names another.
        "ORIGIN_NOT_ALLOWED" => refusing(403, &json!({"code": code, "message": "The header Host names another host."})),
        // Two people would have to use the widget; a browser does that in tests/browser.
        "USER_ALREADY_BOUND" => refusing(409, &json!({"code": code, "message": "Bound to another user."})),
        "INTERNAL_ERROR" => refusing(500, &json!({"code": code, "message": "The service failed."})),
        "UNAVAILABLE" => refusing(503, &json!({"code": code, "message": "The store is locked."})),
        "TIMEOUT" => refusing(504, &json!({"code": code, "message": "It took too long."})),
        "HTTP_nnn" => Scene::at(&always(http(418, "x-request-id: req_1\r\n", "no")), &["connections"]).answered(),
        "invalid_token" => refusing(401, &json!({"error": code})),
        "insufficient_scope" => refusing(403, &json!({"error": code})),
        "server_error" => sign_in(500, code).answered(),
        "temporarily_unavailable" => sign_in(503, code).answered(),
        _ if code.starts_with(|letter: char| letter.is_ascii_lowercase()) => sign_in(400, code),
        _ => return None,
    })
}
