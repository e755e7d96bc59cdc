//! The front of the service: connections, health, what it does when its store fails.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::num::NonZeroU32;
use std::time::Duration;

use ordersync_service::config::ConnectionLimits;
use serde_json::Value;

use crate::harness::{Beside, World, refusal};

/// A connection that sends this and nothing more.
fn raw(world: &World, sent: &str) -> TcpStream {
    let mut stream = TcpStream::connect(world.node.base.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
    stream.write_all(sent.as_bytes()).unwrap();
    stream
}

/// What comes until the service closes the connection.
fn read_to_end(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        // Closed with something unread.
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the service keeps the connection open: {error}"),
    }
    String::from_utf8(answer).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_make_room_for_a_new_one() {
    let four = NonZeroU32::new(4).unwrap();
    for limits in [
        ConnectionLimits { per_address: four, ..ConnectionLimits::default() },
        ConnectionLimits { total: four, ..ConnectionLimits::default() },
    ] {
        let world = World::with(|config| config.connections = limits).await;
        let unfinished = "POST /sandbox/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                          Content-Length: 100\r\n\r\n{";
        let idle: Vec<TcpStream> = ["", "GET /healthz HTTP/1.1\r\nX: ", unfinished]
            .into_iter()
            .cycle()
            .take(30)
            .map(|sent| raw(&world, sent))
            .collect();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let alive = http.get(format!("{}/healthz", world.node.base)).send().await.unwrap();
        assert_eq!(alive.status(), 200);
        // Far sooner than the time for a head is over.
        for stream in idle.into_iter().take(26) {
            assert_eq!(read_to_end(stream), "");
        }
    }
}

#[tokio::test]
async fn a_store_that_takes_no_write_makes_the_service_not_ready_until_it_does() {
    let (world, user) = World::with_user().await;
    let mut other = Beside::open(world.store.path()).await;
    other.run("ALTER TABLE store_probe RENAME TO gone").await;
    let refused = user.get("/readyz").await;
    assert_eq!(refused.headers()["retry-after"], "5");
    assert_eq!(refusal(refused, 503).await.0, "UNAVAILABLE");
    assert_eq!(user.get("/healthz").await.status(), 200);
    other.run("ALTER TABLE gone RENAME TO store_probe").await;
    let deadline = std::time::Instant::now() + Duration::from_secs(300);
    while user.get("/readyz").await.status() != 200 {
        assert!(std::time::Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// As while an operator replaces nodes one by one, or after an upgrade.
#[tokio::test]
async fn a_page_of_another_version_gets_its_files_from_any_node() {
    let (world, user) = World::with_user().await;
    let mut other = Beside::open(world.store.path()).await;
    let own = other.count("SELECT COUNT(*) FROM page_files WHERE name LIKE 'widget.%.js'").await;
    assert_eq!(own, 1, "its own files are there for others");
    other
        .run("INSERT INTO page_files (name, content, used_at) VALUES ('widget.0123456789abcdef.js', 'later()', 0)")
        .await;
    let file = user.get("/assets/widget.0123456789abcdef.js").await;
    assert_eq!(file.status(), 200);
    assert_eq!(file.headers()["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(file.headers()["cache-control"], "public, max-age=31536000, immutable");
    assert_eq!(file.text().await.unwrap(), "later()");
    // An unknown name may be known soon.
    let unknown = user.get("/assets/widget.0123456789abcdee.js").await;
    assert_eq!((unknown.status().as_u16(), &unknown.headers()["cache-control"]), (404, &"no-store".parse().unwrap()));
}

#[tokio::test]
async fn a_node_that_must_not_use_the_store_any_longer_refuses_requests_and_ends() {
    let (world, user) = World::with_user().await;
    let mut other = Beside::open(world.store.path()).await;
    other
        .run(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
            VALUES (10006, 'later', TRUE, '', 1)",
        )
        .await;
    assert_eq!(user.get("/readyz").await.status(), 200);
    other.run("UPDATE store_compatibility SET oldest_version = 10006").await;
    let deadline = std::time::Instant::now() + Duration::from_secs(300);
    while user.get("/sync/connections").await.status() == 200 {
        assert!(std::time::Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for path in ["/sync/connections", "/sync/orders", "/readyz"] {
        let refused = user.get(path).await;
        assert_eq!(refused.headers()["retry-after"], "5", "{path}");
        assert_eq!(refusal(refused, 503).await.0, "UNAVAILABLE", "{path}");
    }
    assert_eq!(user.get("/healthz").await.status(), 200);
}

/// Status, code and whether there is a request id, of a request whose head is this.
fn answered(world: &World, head: &str) -> (u16, String, bool) {
    let answer = read_to_end(raw(world, &format!("{head}Connection: close\r\n\r\n")));
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    (status, body["code"].as_str().unwrap_or_default().to_owned(), head.contains("x-request-id: req_"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_names_one_host_and_on_loopback_this_service() {
    let world = World::new().await;
    let own = world.node.base.trim_start_matches("http://").to_owned();
    let port = own.rsplit(':').next().unwrap();
    let get = |headers: &str| answered(&world, &format!("GET /sync/retailers HTTP/1.1\r\n{headers}"));
    let bad = (400, "INVALID_REQUEST".to_owned(), true);
    assert_eq!(get(""), bad);
    assert_eq!(get(&format!("Host: {own}\r\nHost: {own}\r\n")), bad);
    assert_eq!(get("Host: 127.0.0.1@evil.example\r\n"), bad);
    let foreign = (403, "ORIGIN_NOT_ALLOWED".to_owned(), true);
    assert_eq!(get("Host: evil.example\r\n"), foreign);
    assert_eq!(get(&format!("Host: evil.example:{port}\r\n")), foreign);
    assert_eq!(get(&format!("Host: {own}\r\nOrigin: http://evil.example:{port}\r\n")), foreign);
    assert_eq!(get(&format!("Host: {own}\r\nOrigin: null\r\n")), foreign);
    let token = "POST /sandbox/token HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n";
    assert_eq!(answered(&world, token), foreign);
    let good = (200, String::new(), true);
    assert_eq!(get(&format!("Host: {own}\r\nOrigin: http://{own}\r\n")), good);
    assert_eq!(get(&format!("Host: localhost:{port}\r\n")), good);
    assert_eq!(answered(&world, "GET /sync/retailers HTTP/1.0\r\n"), good);
}

#[tokio::test]
async fn an_authorization_request_that_is_accepted_fits_into_the_consent_form() {
    let world = World::new().await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let start = "response_type=code&client_id=ordersync-cli&redirect_uri=http%3A%2F%2F127.0.0.1%3A4312%2Fcallback&\
                 code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&state=";
    let longest = format!("{start}{}", "%".repeat(8 * 1024 - start.len()));
    let asked = http.get(format!("{}/oauth/authorize?{longest}", world.node.base)).send().await.unwrap();
    assert_eq!(asked.status(), 200);
    let decided = http.post(format!("{}/oauth/authorize/decision", world.node.base));
    let decided = decided.form(&[("request", &longest[..]), ("csrf", &"x".repeat(100)), ("decision", "approve")]);
    // Nobody is signed in, so it asks to sign in.
    assert_eq!(decided.send().await.unwrap().status(), 200);
    let longer = http.get(format!("{}/oauth/authorize?{longest}x", world.node.base)).send().await.unwrap();
    assert_eq!(refusal(longer, 400).await.0, "INVALID_REQUEST");
}

/// The head and the body of the next response.
fn next_answer(stream: &mut TcpStream) -> (String, String) {
    let (mut head, mut octet) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut octet).unwrap();
        head.push(octet[0]);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

/// Requests that are refused before their body is read: the start of the head, and the status.
const EARLY: [(&str, &str); 4] = [
    ("POST /sync/connections/sync HTTP/1.1\r\nHost: localhost\r\n", "401"),
    ("POST /nowhere HTTP/1.1\r\nHost: localhost\r\n", "404"),
    ("POST /healthz HTTP/1.1\r\nHost: localhost\r\n", "405"),
    ("POST /sandbox/token HTTP/1.1\r\nHost: evil.example\r\n", "403"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_reads_a_small_body_and_keeps_the_connection() {
    let world = World::new().await;
    for (start, status) in EARLY {
        let mut stream = raw(&world, &format!("{start}Content-Length: 20000\r\n\r\n"));
        // The body comes in two pieces, the second one later than any answer could.
        stream.write_all(&[b'x'; 10_000]).unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        stream.write_all(&[b'x'; 10_000]).unwrap();
        let (head, _) = next_answer(&mut stream);
        assert!(head.starts_with(&format!("http/1.1 {status} ")) && !head.contains("connection: close"), "{head}");
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let (head, _) = next_answer(&mut stream);
        assert!(head.starts_with("http/1.1 200 "), "{head}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_that_leaves_a_large_body_unread_says_that_it_closes_the_connection_and_is_received() {
    let world = World::new().await;
    let limited = World::limited_to(1).await;
    drop(next_answer(&mut raw(&limited, "GET /sync/retailers HTTP/1.1\r\nHost: localhost\r\n\r\n")));
    let token = "POST /sandbox/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let cases = EARLY.into_iter().chain([(token, "413")]).map(|case| (&world, case));
    for (world, (start, status)) in cases.chain([(&limited, (EARLY[0].0, "429"))]) {
        for length in ["Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n"] {
            let mut stream = raw(world, &format!("{start}{length}\r\n"));
            // A client that sends everything before it reads: the response has to survive that.
            for _ in 0..100 {
                if length.starts_with('T') {
                    stream.write_all(b"2710\r\n").unwrap();
                }
                stream.write_all(&[b'x'; 10_000]).unwrap();
                if length.starts_with('T') {
                    stream.write_all(b"\r\n").unwrap();
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let (head, body) = next_answer(&mut stream);
            assert!(head.starts_with(&format!("http/1.1 {status} ")), "{head}");
            assert!(head.contains("connection: close\r\n"), "{head}");
            assert!(body.ends_with('}'), "{body}");
            let mut rest = Vec::new();
            assert_eq!(stream.read_to_end(&mut rest).unwrap(), 0, "it ends without a reset");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_invites_no_body_that_a_client_asks_about_first() {
    let world = World::new().await;
    for (start, status) in EARLY {
        let mut stream = raw(&world, &format!("{start}Content-Length: 10\r\nExpect: 100-continue\r\n\r\n"));
        let (head, _) = next_answer(&mut stream);
        assert!(head.starts_with(&format!("http/1.1 {status} ")) && head.contains("connection: close\r\n"), "{head}");
        assert_eq!(read_to_end(stream), "");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_finished_although_its_client_has_gone() {
    let (world, user) = World::with_user().await;
    let mut other = Beside::open(world.store.path()).await;
    // The change has to wait for its turn to write, and meanwhile its client goes.
    other.lock_users().await;
    let token = &user.token;
    let request = format!(
        "POST /sandbox/clock HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{{\"freeze\":true}}"
    );
    drop(raw(&world, &request));
    tokio::time::sleep(Duration::from_millis(200)).await;
    other.unlock_users().await;
    let deadline = std::time::Instant::now() + Duration::from_secs(300);
    while other.count("SELECT COUNT(*) FROM users WHERE clock_frozen_at IS NOT NULL").await == 0 {
        assert!(std::time::Instant::now() < deadline, "the change was dropped with its client");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
