//! The rate limit, at a service that counts strictly. Its window is made short, so that several of them fit into a test.

use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::serve::Sandbox;
use super::support::{Home, Run};

/// A sandbox with that limit, and a user with so many items.
fn sandbox(limit: &str, items: u32) -> Sandbox {
    let sandbox = Sandbox::start(&["--rate-limit", limit]);
    sandbox.connect("1", &format!("user_items_{items}"), &[]).ends(0);
    sandbox
}

fn spawn(sandbox: &Sandbox, arguments: &[&str]) -> Child {
    sandbox.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// What the command said, and when it ended.
fn end(child: Child) -> (Run, Instant) {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let code = output.status.code().expect("an exit code");
    (Run { code, out: text(output.stdout), err: text(output.stderr) }, Instant::now())
}

fn items(out: &str) -> usize {
    let list: Vec<serde_json::Value> = serde_json::from_str(out).expect("a list");
    let ids: std::collections::HashSet<&str> = list.iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!(ids.len(), list.len());
    ids.len()
}

/// The requests that the service has counted and refused, by its own log.
fn refused(sandbox: &Sandbox) -> usize {
    let log = sandbox.log();
    assert!(log.iter().any(|line| line.contains("status=200")), "{log:?}");
    log.iter().filter(|line| line.contains("status=429")).count()
}

/// No request was sent early. How much longer it takes depends on the machine.
#[track_caller]
fn takes_the_least(took: Duration, least: Duration) {
    assert!(took >= least, "{took:?}, at least {least:?}");
}

#[test]
fn a_list_of_many_pages_takes_hardly_longer_than_the_limit_makes_it() {
    let sandbox = sandbox("20/6s", 610);
    // Whatever was sent before has left the window.
    std::thread::sleep(Duration::from_secs(7));
    let started = Instant::now();
    let (run, ended) = end(spawn(&sandbox, &["api", "/sync/orders?limit=10", "--paginate"]));
    let run = run.ends(0).says("Waiting for the rate limit: resuming in");
    assert_eq!(items(&run.out), 610);
    assert_eq!(refused(&sandbox), 0);
    // 61 pages: the last one follows three windows.
    takes_the_least(ended - started, Duration::from_secs(18));
}

/// How many answers of a status the service has counted, by its own /metrics.
fn counted(sandbox: &Sandbox, status: u16) -> u64 {
    let (mut stream, mut text) =
        (std::net::TcpStream::connect(sandbox.address.trim_start_matches("http://")).expect("connect"), String::new());
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").expect("write");
    stream.read_to_string(&mut text).expect("read");
    let of_orders =
        text.lines().filter(|line| line.contains("/sync/orders\"") && line.contains(&format!("\"{status}\"")));
    of_orders.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// An export of 250 pages at 100 requests in 60 seconds, at a scale of one to ten in both: what is planned are requests and
/// their times, so 25 pages at 10 in 3 seconds take as many windows, two, and have a tenth of the rows to be synced first.
#[test]
fn exports_take_hardly_longer_than_the_limit_makes_them_one_after_the_other_and_at_once() {
    const ITEMS: u32 = 24_900;
    let sandbox = sandbox("10/3s", ITEMS);
    let window = Duration::from_secs(3);
    let (mut files, mut all_told) = (Vec::new(), 0);
    for (exports, pages) in [(1, 25_u64), (3, 75)] {
        std::thread::sleep(window + Duration::from_secs(1));
        let (before, started) = (counted(&sandbox, 200), Instant::now());
        let children: Vec<Child> = (0..exports)
            .map(|number| {
                files.push(sandbox.home.path().join(format!("{exports}-{number}.json")));
                spawn(&sandbox, &["orders", "export", "--out", files[files.len() - 1].to_str().expect("text")])
            })
            .collect();
        let mut last = started;
        for child in children {
            let (run, ended) = end(child);
            let run = run.ends(0).says("Wrote 24900 items");
            // Several pages wait at once, and one of them tells it.
            let told = run.err.matches("Waiting for the rate limit: resuming in").count();
            all_told += told;
            assert!(told as u64 <= pages / 10, "{}", run.err);
            last = last.max(ended);
        }
        assert_eq!(counted(&sandbox, 200) - before, pages);
        // Commands that run at once do not know of each other, so some of their requests may be refused.
        assert!(exports > 1 || refused(&sandbox) == 0);
        // The last request follows so many windows; what is said of time comes before the first and after the last one.
        let (took, least) = (last - started, window * (pages as u32 - 1).div_euclid(10));
        println!(
            "{exports} at once: {pages} requests in {took:?}, {:.4} times the least",
            took.as_secs_f64() / least.as_secs_f64()
        );
        takes_the_least(took, least);
    }
    // A machine on which a window's pages take longer than the window has nothing to wait for with one export.
    assert!(all_told > 0);
    let read = |path: &std::path::PathBuf| std::fs::read_to_string(path).expect("file");
    let first = read(&files[0]);
    assert_eq!(items(&first), ITEMS as usize);
    assert!(files.iter().all(|file| read(file) == first));
}

#[test]
fn an_export_that_waits_for_the_limit_has_kept_all_that_it_has_read() {
    let sandbox = sandbox("20/12s", 24_900);
    let out = sandbox.home.path().join("orders.csv");
    let mut child = spawn(&sandbox, &["orders", "export", "--out", out.to_str().expect("text")]);
    let notes = || std::fs::read(out.with_extension("csv.part.json")).unwrap_or_default();
    let written = || std::fs::metadata(out.with_extension("csv.part")).map_or(0, |file| file.len());
    let kept = loop {
        let kept: serde_json::Value = serde_json::from_slice(&notes()).unwrap_or_default();
        let is_whole = kept["bytes"].as_u64() == Some(written());
        // It has used up what there is, so nothing more comes.
        if is_whole && kept["state"]["rows"].as_u64().is_some_and(|rows| rows >= 4000) {
            break kept;
        }
        assert!(child.try_wait().expect("wait").is_none(), "{kept} of {}", written());
        std::thread::sleep(Duration::from_millis(50));
    };
    child.kill().expect("killed");
    child.wait().expect("ended");
    let resume = ["orders", "export", "--out", out.to_str().expect("text"), "--resume", "--timeout", "1s"];
    let told = format!("Resuming after {} of 24900 items", kept["state"]["rows"]);
    end(spawn(&sandbox, &resume)).0.ends(6).says(&told);
}

#[test]
fn a_service_without_a_limit_is_not_held_back_after_its_first_answer() {
    let sandbox = sandbox("off", 1200);
    let (run, _) = end(spawn(&sandbox, &["api", "/sync/orders?limit=10", "--paginate"]));
    assert_eq!(items(&run.ends(0).out), 1200);
    assert!(sandbox.run(&["doctor"]).out.contains("rate-limit: the service says that it has no limit"));
}

/// A service with one session, which ends after so many looks at it, and that limit; then it refuses for a minute.
async fn syncing(looks: u64, limit: &str, refuses: bool) -> MockServer {
    let server = MockServer::start().await;
    let answer = |status: &str, part: &str| {
        let part = serde_json::json!({ "retailerId": 1, "connectionId": "c1", "syncStatus": part });
        let session =
            serde_json::json!({ "batchId": "b1", "status": status, "retailerSyncSessions": [part], "events": [] });
        ResponseTemplate::new(200).insert_header("ratelimit-policy", limit).set_body_json(session)
    };
    Mock::given(method("GET")).respond_with(answer("syncing", "scanning")).up_to_n_times(looks).mount(&server).await;
    let last = match refuses {
        true => ResponseTemplate::new(429).insert_header("retry-after", "60"),
        false => answer("normal", "completed"),
    };
    Mock::given(method("GET")).respond_with(last).mount(&server).await;
    server
}

#[tokio::test]
async fn a_sync_that_is_followed_for_longer_than_the_limit_allows_runs_still() {
    for (looks, limit, refuses) in [(100, "\"default\";q=10;w=60", false), (1, "\"unlimited\"", true)] {
        let server = syncing(looks, limit, refuses).await;
        let home = Home::new();
        let watch = |more: &[&str]| {
            home.run_at(&server.uri(), &[&["sessions", "watch", "b1", "--timeout", "3s"], more].concat())
        };
        // The second one has no look at it left.
        let [first, second] = [watch(&[]), watch(&["-o", "json"])];
        first.ends(8).says("session b1").says("Keep following it: ordersync sessions watch b1");
        let error = second.ends(8).error();
        assert_eq!((&error["code"], &error["details"]["batchId"]), (&"STILL_RUNNING".into(), &"b1".into()), "{limit}");
    }
}

/// The service holds its answer until something happens, and was asked to later than planned.
#[tokio::test]
async fn a_sync_whose_next_look_is_held_beyond_the_time_runs_still() {
    let server = MockServer::start().await;
    let session = serde_json::json!({ "batchId": "b1", "status": "syncing", "retailerSyncSessions": [], "events": [] });
    let answer = ResponseTemplate::new(200)
        .insert_header("etag", "\"1\"")
        .insert_header("preference-applied", "wait=20")
        .set_body_json(session);
    Mock::given(method("GET")).respond_with(answer.clone()).up_to_n_times(1).mount(&server).await;
    Mock::given(method("GET")).respond_with(answer.set_delay(Duration::from_secs(30))).mount(&server).await;
    let run = Home::new().run_at(&server.uri(), &["sessions", "watch", "b1", "--timeout", "2s"]);
    run.ends(8).says("session b1 is still running").says("Keep following it: ordersync sessions watch b1");
}

#[tokio::test]
async fn following_waits_for_the_limit_within_its_time() {
    let server = syncing(3, "\"default\";q=10;w=2", false).await;
    Home::new().run_at(&server.uri(), &["sessions", "watch", "b1", "--timeout", "60s"]).ends(0);
}

/// A count belongs to a version of the list, which this project's own service says.
#[test]
fn a_list_of_connections_takes_one_request() {
    let sandbox = sandbox("off", 3);
    sandbox.connect("2", "user_items_4", &[]).ends(0);
    for arguments in [&["connections", "-v"][..], &["api", "/sync/connections", "--paginate", "-v"]] {
        let run = sandbox.run(arguments).ends(0);
        assert_eq!(run.err.matches("GET /sync/connections").count(), 1, "{}", run.err);
    }
}

/// The service waits for the change, and the command for its answer.
#[test]
fn a_sync_in_which_nothing_happens_is_asked_for_rarely_and_its_end_is_seen_soon() {
    let sandbox = Sandbox::start(&[]);
    // It is held, and takes a moment afterwards.
    sandbox.run(&["sandbox", "clock", "--freeze"]).ends(0);
    sandbox.connect("1", "user_slow", &["--no-wait"]).ends(0);
    let asked = || sandbox.log().iter().filter(|line| line.contains("route=/sync/sessions/{batchId}")).count();
    let watching = spawn(&sandbox, &["sessions", "watch"]);
    std::thread::sleep(Duration::from_secs(12));
    assert!(asked() <= 3, "{:?}", sandbox.log());
    sandbox.run(&["sandbox", "clock", "--unfreeze"]).ends(0);
    let ended = watching.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(asked() <= 10, "{:?}", sandbox.log());
}
