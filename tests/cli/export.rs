//! The export against services that end early, shift, repeat and list otherwise; and what resumes after an
//! interruption.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::authorization_server::{AuthorizationServer, tokens};
use super::list_peer::item;
use super::spool::hand_over;
use super::support::{Home, Run};

pub(super) const ITEMS: usize = 4500;

pub(super) struct Asked {
    pub(super) number: usize,
    pub(super) offset: usize,
    pub(super) limit: usize,
    pub(super) is_csv: bool,
    /// `start_date`.
    pub(super) since: Option<chrono::DateTime<chrono::Utc>>,
}

/// The page that was asked for, of a list.
pub(super) fn page(asked: &Asked, list: impl Iterator<Item = usize>, total: usize) -> ResponseTemplate {
    let items: Vec<Value> = list.skip(asked.offset).take(asked.limit).map(item).collect();
    ResponseTemplate::new(200).insert_header("x-total-count", total.to_string()).set_body_json(items)
}

impl Asked {
    fn of(request: &Request, number: usize) -> Self {
        let named = |name: &str| {
            let value = request.url.query_pairs().find(|(key, _)| key == name);
            value.and_then(|(_, value)| value.parse().ok()).unwrap_or_default()
        };
        let is_csv = request.url.query_pairs().any(|(key, value)| key == "format" && value == "csv");
        let since = request.url.query_pairs().find(|(key, _)| key == "start_date");
        let since = since.and_then(|(_, value)| value.parse().ok());
        Self { number, offset: named("offset"), limit: named("limit"), is_csv, since }
    }
}

pub(super) async fn serving(answer: impl Fn(&Asked) -> ResponseTemplate + Send + Sync + 'static) -> MockServer {
    let (server, count) = (MockServer::start().await, Arc::new(AtomicUsize::new(0)));
    let respond = move |request: &Request| answer(&Asked::of(request, count.fetch_add(1, Ordering::SeqCst)));
    Mock::given(path("/sync/orders")).respond_with(respond).mount(&server).await;
    server
}

/// Fails after two pages.
pub(super) async fn breaking_off() -> MockServer {
    serving(|asked| match asked.offset {
        0..=1500 => page(asked, 0..ITEMS, ITEMS),
        _ => ResponseTemplate::new(500),
    })
    .await
}

pub(super) fn run(home: &Home, server: &MockServer, arguments: &[&str]) -> Run {
    home.run_at(&server.uri(), arguments)
}

fn ids(run: &Run) -> Vec<usize> {
    let id = |item: &Value| item["id"].as_str().and_then(|id| id.trim_start_matches("item_").parse().ok());
    run.json().as_array().expect("array").iter().map(|item| id(item).expect("an id")).collect()
}

pub(super) fn leftovers(home: &Home) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.path()).expect("folder").flatten();
    entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains(".part")).collect()
}

#[tokio::test]
async fn an_export_that_broke_off_resumes_byte_identical() {
    let whole = serving(|asked| page(asked, 0..ITEMS, ITEMS)).await;
    let broken = breaking_off().await;
    for form in [
        &["--format", "csv"][..],
        &["--format", "json"],
        &["--format", "jsonl"],
        &["--format", "csv", "--columns", "id,itemName", "--excel-safe"],
        &["--format", "json", "--columns", "price,id"],
    ] {
        let home = Home::new();
        let export = [&["orders", "export"], form, &["--out"]].concat();
        run(&home, &whole, &[&export[..], &["whole"]].concat()).ends(0).says("Wrote 4500 items to whole");
        let command = |more: &[&'static str]| [&export[..], &["orders"], more].concat();
        let stopped = run(&home, &broken, &command(&[])).ends(1);
        let typed = shlex::try_join(form.iter().copied()).expect("words");
        stopped.says(&format!("Go on: ordersync orders export --out orders {typed} --resume"));
        hand_over(&home, "orders", &broken, &whole);
        // What was written after the notes does not count.
        let mut part = std::fs::OpenOptions::new().append(true).open(home.path().join("orders.part")).expect("open");
        std::io::Write::write_all(&mut part, b"torn \"row").expect("write");
        let other = [&["orders", "export", "--out", "orders", "--since", "2020-01-01", "--resume"], form].concat();
        run(&home, &whole, &other).ends(2).says("another --since: none, not 2020-01-01");
        let other = command(&["--columns", "brandName,id", "--resume"]);
        if !form.contains(&"--columns") {
            run(&home, &whole, &other).ends(2).says("another form: ").says("--columns brandName,id");
        }
        run(&home, &whole, &command(&["--resume"])).ends(0).says("Resuming after 1999 of 4500 items");
        let read = |name: &str| std::fs::read(home.path().join(name)).expect("file");
        assert!(read("orders") == read("whole"), "{form:?}");
        assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
    }
}

#[tokio::test]
async fn a_token_that_ends_in_the_middle_is_renewed_and_the_export_goes_on() {
    let whole = serving(|asked| page(asked, 0..ITEMS, ITEMS)).await;
    let server = AuthorizationServer::start(vec![tokens("old", "rt_1", 3600), tokens("new", "rt_2", 3600)]).await;
    let server = server.accepting(&["old", "new"]).await;
    let answer = |request: &Request| {
        let asked = Asked::of(request, 0);
        let is_new = request.headers.get("authorization").is_some_and(|token| token == "Bearer new");
        if asked.offset < 1500 || is_new { page(&asked, 0..ITEMS, ITEMS) } else { ResponseTemplate::new(401) }
    };
    Mock::given(path("/sync/orders")).respond_with(answer).mount(&server.server).await;
    let home = Home::new();
    let signed_in = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        command.env("ORDERSYNC_BASE_URL", server.address()).env("ORDERSYNC_TOKEN_STORE", "file");
        Run::of(command)
    };
    signed_in(&["auth", "login", "--device"]).ends(0);
    signed_in(&["orders", "export", "--out", "orders"]).ends(0).says("Wrote 4500 items");
    run(&home, &whole, &["orders", "export", "--out", "whole"]).ends(0);
    let read = |name: &str| std::fs::read(home.path().join(name)).expect("file");
    assert!(read("orders") == read("whole"));
    let renewals = server.token_requests().iter().filter(|request| request["grant_type"] == "refresh_token").count();
    assert_eq!(renewals, 1);
}

#[tokio::test]
async fn rows_that_go_come_and_shift_are_neither_lost_nor_doubled() {
    // Before the third request 700 rows go above; before the fifth 1200 come in there.
    let server = serving(|asked| match asked.number {
        0..=1 => page(asked, 2000..2000 + ITEMS, ITEMS),
        2..=3 => page(asked, 2700..2000 + ITEMS, ITEMS - 700),
        _ => page(asked, 1500..2000 + ITEMS, ITEMS + 500),
    })
    .await;
    let read = ids(&run(&Home::new(), &server, &["orders", "export", "--format", "json"]).ends(0));
    assert!(read.windows(2).all(|pair| pair[0] < pair[1]), "in order, each once");
    assert!((2700..2000 + ITEMS).all(|id| read.binary_search(&id).is_ok()));
}

#[tokio::test]
async fn lists_in_another_order_or_with_another_count_are_read_whole() {
    let shuffled = |asked: &Asked| page(asked, (0..ITEMS).map(|id| id * 7 % ITEMS), ITEMS);
    let uncounted = |asked: &Asked| {
        let items: Vec<Value> = (0..ITEMS).skip(asked.offset).take(asked.limit).map(item).collect();
        ResponseTemplate::new(200).set_body_json(items)
    };
    let few = |asked: &Asked| page(asked, 0..ITEMS, 300);
    let short = |asked: &Asked| page(&Asked { limit: asked.limit / 4, ..*asked }, 0..ITEMS, ITEMS);
    let doubled = |asked: &Asked| page(asked, (0..ITEMS * 2).map(|id| id / 2), ITEMS * 2);
    let servers = [
        serving(shuffled).await,
        serving(uncounted).await,
        serving(few).await,
        serving(short).await,
        serving(doubled).await,
    ];
    for (index, server) in servers.iter().enumerate() {
        let mut read = ids(&run(&Home::new(), server, &["orders", "export", "--format", "json"]).ends(0));
        read.sort_unstable();
        assert!(read == (0..ITEMS).collect::<Vec<_>>(), "{index}");
    }
}

#[tokio::test]
async fn what_is_no_list_of_items_makes_no_file() {
    let many = |asked: &Asked| page(asked, 0..ITEMS, ITEMS + 1);
    let same = |asked: &Asked| page(&Asked { offset: 0, ..*asked }, 0..ITEMS, ITEMS);
    let web = |asked: &Asked| match asked.number {
        0 => page(asked, 0..ITEMS, ITEMS),
        _ => ResponseTemplate::new(200).set_body_raw("<html>Sign in to the hotel</html>", "text/html"),
    };
    let half = |asked: &Asked| match asked.number {
        0 => page(asked, 0..ITEMS, ITEMS),
        _ => ResponseTemplate::new(200).set_body_raw(r#"[{"id":"item_000999"},{"id":"#, "application/json"),
    };
    for (server, told) in [
        (serving(many).await, "not whole"),
        (serving(same).await, "the same items again, whichever page is asked for. No export of it would be whole"),
        (serving(web).await, "it is a web page"),
        (serving(half).await, "cannot be understood"),
    ] {
        let home = Home::new();
        let run = run(&home, &server, &["orders", "export", "--out", "orders.csv", "--timeout", "2s"]);
        assert_ne!(run.code, 0, "{told}");
        // To go on is of no use where the next run would read the same.
        let is_unsound = told.contains("No export of it");
        assert!(!is_unsound || !run.err.contains("--resume") && leftovers(&home).is_empty(), "{told}: {}", run.err);
        run.says(told);
        assert!(!home.path().join("orders.csv").exists(), "{told}");
    }
}

#[test]
fn a_file_that_is_no_export_of_ours_is_not_overwritten() {
    let home = Home::new();
    std::fs::write(home.path().join("orders.csv.part"), "mine").expect("write");
    home.run(&["orders", "export", "--out", "orders.csv"]).ends(2).says("--restart");
    assert_eq!(std::fs::read_to_string(home.path().join("orders.csv.part")).expect("file"), "mine");
}
