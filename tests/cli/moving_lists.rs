//! Lists that change between two pages, or whose pages are smaller than requested: the result is whole, or a
//! clear error.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::support::{Home, Run};

/// How a service lists 300 rows.
#[derive(Clone, Copy)]
struct Lists {
    /// Rows of a page at most.
    cap: usize,
    /// Whether a larger `limit` is refused.
    refuses: bool,
    /// It counts the rows of each page, and refuses in words of its own.
    counts_pages: bool,
    /// Whether it says which version of the list a page is of.
    versions: bool,
    /// Which rows there are at a request.
    rows: fn(usize) -> Vec<usize>,
}

const STILL: Lists =
    Lists { cap: 100, refuses: false, counts_pages: false, versions: false, rows: |_| (1..=300).collect() };

/// A list: its name, which rows there are at a request, and how a command ends that does not read it again.
type Case = (&'static str, fn(usize) -> Vec<usize>, i32);

const CASES: [Case; 8] = [
    ("nothing changes", STILL.rows, 0),
    ("one goes above", |request| if request == 0 { (1..=300).collect() } else { (2..=300).collect() }, 8),
    ("five go above", |request| if request == 0 { (1..=300).collect() } else { (6..=300).collect() }, 8),
    ("one comes above", |request| if request == 0 { (1..=300).collect() } else { (0..=300).collect() }, 8),
    // The second page is the first one again.
    (
        "a page comes above",
        |request| if request == 0 { (1..=300).collect() } else { (1000..1099).chain(1..=300).collect() },
        8,
    ),
    ("the last row of the page goes", |request| (1..=300).filter(|row| request == 0 || *row != 100).collect(), 8),
    ("most go", |request| if request == 0 { (1..=300).collect() } else { (250..=300).collect() }, 8),
    ("one comes below", |request| if request == 0 { (1..=300).collect() } else { (1..=301).collect() }, 0),
];

impl Lists {
    async fn start(self) -> (MockServer, Arc<AtomicUsize>) {
        let (server, requests) = (MockServer::start().await, Arc::new(AtomicUsize::new(0)));
        let counting = Arc::clone(&requests);
        let answer = move |request: &Request| {
            let number = |name: &str, default: usize| {
                let found = request.url.query_pairs().find(|(key, _)| key == name);
                found.map_or(default, |(_, value)| value.parse().expect("a number"))
            };
            let limit = number("limit", 50);
            if self.refuses && limit > self.cap {
                let ours = json!({"code": "INVALID_REQUEST", "message": "limit"});
                return match self.counts_pages {
                    true => ResponseTemplate::new(422).set_body_json(json!({"detail": "limit: at most 100"})),
                    false => ResponseTemplate::new(400).set_body_json(ours),
                };
            }
            let all = (self.rows)(counting.fetch_add(1, Ordering::SeqCst));
            let page = all.iter().skip(number("offset", 0)).take(limit.min(self.cap));
            let page: Vec<Value> =
                page.map(|id| json!({"id": id, "connectionId": id, "retailerId": 1, "status": "valid"})).collect();
            let count = page.len().to_string();
            let mut answer = ResponseTemplate::new(200).set_body_json(page);
            if self.counts_pages {
                answer =
                    answer.insert_header("x-total-count", count).insert_header("idempotency-key-supported", "true");
            }
            if self.versions { answer.insert_header("x-list-version", format!("{all:?}").as_str()) } else { answer }
        };
        Mock::given(method("GET")).and(path("/sync/orders")).respond_with(answer.clone()).mount(&server).await;
        Mock::given(method("GET")).and(path("/sync/connections")).respond_with(answer).mount(&server).await;
        (server, requests)
    }
}

fn run(server: &MockServer, arguments: &[&str]) -> Run {
    Home::new().run_at(&server.uri(), arguments)
}

fn ids(run: &Run) -> Vec<usize> {
    let number = |row: &Value| row["id"].as_u64().or_else(|| row["connectionId"].as_str()?.parse().ok());
    let rows = run.json();
    rows.as_array().expect("a list").iter().map(|row| number(row).expect("a number") as usize).collect()
}

#[tokio::test]
async fn an_api_list_that_moves_between_pages_is_an_error_and_never_silently_wrong() {
    for (name, rows, exit) in CASES {
        for versions in [false, true] {
            let (server, _) = Lists { versions, rows, ..STILL }.start().await;
            let run = run(&server, &["api", "/sync/orders", "--paginate"]);
            if name == "nothing changes" || (exit == 0 && !versions) {
                assert_eq!(ids(&run.ends(0)), rows(1), "{name} {versions}");
            } else {
                let run = run.ends(8).says("The list changed while it was read").says("ordersync orders export");
                // What is printed is valid, and no offset is recommended.
                assert_eq!(ids(&run), (1..=100).collect::<Vec<_>>(), "{name} {versions}");
                assert!(!run.err.contains("offset="), "{}", run.err);
            }
        }
    }
}

#[tokio::test]
async fn connections_and_orders_are_listed_again_if_the_list_moves() {
    for (name, rows, _) in CASES {
        for versions in [false, true] {
            for arguments in [&["connections", "-o", "json"][..], &["orders", "list", "--limit", "1000", "-o", "json"]]
            {
                let (server, _) = Lists { versions, rows, ..STILL }.start().await;
                let run = run(&server, arguments).ends(0);
                assert_eq!(ids(&run), rows(1), "{name} {versions} {arguments:?}");
            }
        }
    }
    // One goes at each request.
    let (server, requests) = Lists { rows: |request| (request..300).collect(), ..STILL }.start().await;
    run(&server, &["connections"]).ends(8).says("The list changed while it was read").says("try again");
    assert_eq!(requests.load(Ordering::SeqCst), 10);
}

#[tokio::test]
async fn as_many_orders_are_listed_as_the_limit_says() {
    for (cap, refuses) in [(100, false), (100, true), (250, false), (250, true), (1000, false)] {
        for (limit, offset) in [(300, 0), (200, 50), (300, 50), (100, 0), (1000, 0), (150, 299), (10, 300)] {
            let (server, _) = Lists { cap, refuses, ..STILL }.start().await;
            let (limit_text, offset_text) = (limit.to_string(), offset.to_string());
            let run = run(&server, &["orders", "list", "-o", "json", "-L", &limit_text, "--offset", &offset_text]);
            let wanted: Vec<usize> = (1..=300).skip(offset).take(limit).collect();
            assert_eq!(ids(&run.ends(0)), wanted, "{cap} {refuses} {limit} {offset}");
        }
    }
    // A page that holds all takes one request, as ever.
    let (server, requests) = STILL.start().await;
    run(&server, &["orders", "list", "--limit", "50"]).ends(0);
    assert_eq!(requests.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn short_pages_end_no_list_of_connections_and_no_api_list() {
    for refuses in [false, true] {
        for arguments in [&["connections", "-o", "json"][..], &["api", "/sync/connections", "--paginate"]] {
            let (server, _) = Lists { refuses, counts_pages: true, ..STILL }.start().await;
            let run = run(&server, arguments).ends(0);
            assert_eq!(ids(&run), (1..=300).collect::<Vec<_>>(), "{refuses} {arguments:?}");
        }
    }
}

#[tokio::test]
async fn rows_that_come_one_at_a_time_are_no_list_that_ends() {
    for arguments in [&["api", "/sync/orders", "--paginate"][..], &["connections"], &["orders", "list"]] {
        let (server, _) = Lists { cap: 1, ..STILL }.start().await;
        run(&server, arguments).ends(8).says("the service gives one row at a time");
    }
}
