//! Lists of a service that knows the specification alone: no list version, no last id, no rate-limit headers, a count of
//! something else or none, small pages, items that come and go at every request, ids as numbers and as texts. What comes of
//! it is exact, or a clear error.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::export::leftovers;
use super::list_peer::{Answer, Asked, Peer, http};
use super::support::{Home, Run};

/// How such a service lists.
#[derive(Clone, Copy)]
struct Service {
    items: usize,
    /// Rows of a page at most.
    cap: usize,
    /// Whether a larger `limit` is refused.
    refuses: bool,
    /// What its `X-Total-Count` is, of so many items.
    count: fn(usize) -> Option<usize>,
    /// Whether ids are numbers.
    numbers: bool,
    /// Whether items come and go at every request.
    moves: bool,
    /// Whether most pages have a few rows only, and every fourth request finds eight new items above all others.
    ragged: bool,
    /// Whether every request finds a new item above all others.
    grows: bool,
}

const PLAIN: Service = Service {
    items: 1230,
    cap: 100,
    refuses: false,
    count: |_| None,
    numbers: false,
    moves: false,
    ragged: false,
    grows: false,
};

impl Service {
    fn item(self, id: usize) -> Value {
        let date = format!("20{:02}-01-01T00:00:00Z", 99 - id / 100);
        let id = if self.numbers { json!(id) } else { json!(format!("item_{id:06}")) };
        json!({"id": id, "orderDate": date, "itemName": "x", "price": 1.5})
    }

    /// The ids that it lists at a request. What comes and goes has odd ids; a row that moves others stands above them.
    fn ids(self, request: usize) -> Vec<usize> {
        let stays = |id: &usize| !self.moves || id.is_multiple_of(2) || !(id * 31 + request * 17).is_multiple_of(5);
        let above = if self.ragged { request / 4 * 8 } else { request * usize::from(self.grows) };
        (2000 - above..2000 + self.items).filter(stays).collect()
    }

    fn page(self, request: usize, asked: &Asked) -> Answer {
        if self.refuses && asked.limit > self.cap {
            let refusal = json!({"code": "INVALID_REQUEST", "message": format!("limit is at most {}", self.cap)});
            return Answer::Bytes(http(400, "", refusal.to_string().as_bytes()));
        }
        let ids = self.ids(request);
        let cap = if self.ragged && !request.is_multiple_of(3) { 6 } else { self.cap };
        let page = ids.iter().skip(asked.offset).take(asked.limit.min(cap)).map(|id| self.item(*id));
        let page: Vec<Value> = page.collect();
        let count = (self.count)(ids.len()).map(|count| format!("x-total-count: {count}\r\n")).unwrap_or_default();
        let headers = format!("content-type: application/json\r\n{count}");
        Answer::Bytes(http(200, &headers, Value::from(page).to_string().as_bytes()))
    }

    /// The service, where `broken` answers instead of it.
    fn start(self, broken: impl Fn(usize, &Asked) -> Option<Answer> + Send + 'static) -> Peer {
        let requests = AtomicUsize::new(0);
        Peer::start(Vec::new(), move |asked, _| {
            let request = requests.fetch_add(1, Ordering::SeqCst);
            broken(request, asked).unwrap_or_else(|| self.page(request, asked))
        })
    }

    /// Each item that stays is there once, and no other twice.
    #[track_caller]
    fn is_whole(self, text: &str) {
        let mut times = BTreeMap::new();
        for item in serde_json::from_str::<Vec<Value>>(text).expect("a list") {
            let id = item["id"].as_str().map_or_else(|| item["id"].to_string(), str::to_owned);
            *times.entry(id.trim_start_matches("item_").parse::<usize>().expect("an id")).or_insert(0) += 1;
        }
        assert!(times.values().all(|times| *times == 1), "twice: {times:?}");
        let lost: Vec<usize> = (2000..2000 + self.items)
            .filter(|id| (!self.moves || id.is_multiple_of(2)) && !times.contains_key(id))
            .collect();
        assert_eq!(lost, Vec::<usize>::new(), "lost");
    }
}

fn export(peer: &Peer, home: &Home, more: &[&str]) -> Run {
    Run::of(peer.command(home, &[&["orders", "export", "--out", "orders.json"], more].concat()))
}

fn file(home: &Home) -> String {
    std::fs::read_to_string(home.path().join("orders.json")).expect("file")
}

#[test]
fn an_export_is_whole_whatever_is_counted_and_however_small_the_pages() {
    for service in [
        PLAIN,
        Service { numbers: true, ..PLAIN },
        Service { cap: 250, count: |items| Some(items / 3), ..PLAIN },
        Service { cap: 1000, items: 3500, count: |_| Some(1000), ..PLAIN },
        Service { count: |_| Some(100), numbers: true, ..PLAIN },
        Service { refuses: true, ..PLAIN },
        Service { refuses: true, cap: 250, count: Some, ..PLAIN },
        Service { moves: true, ..PLAIN },
        Service { moves: true, cap: 250, numbers: true, count: |items| Some(items / 3), ..PLAIN },
        Service { moves: true, refuses: true, count: Some, ..PLAIN },
        Service { ragged: true, ..PLAIN },
        Service { ragged: true, numbers: true, count: |items| Some(items / 3), ..PLAIN },
        Service { items: 0, ..PLAIN },
        Service { items: 1, ..PLAIN },
    ] {
        let (peer, home) = (service.start(|_, _| None), Home::new());
        let run = export(&peer, &home, &["--timeout", "60s"]);
        match (service.moves || service.ragged, run.code) {
            // What moves at every request may be too much; then nothing is written.
            (true, 8) => assert!(run.err.contains("not whole") && !home.path().join("orders.json").exists()),
            _ => {
                run.ends(0);
                service.is_whole(&file(&home));
            }
        }
    }
}

#[test]
fn an_export_of_a_list_that_never_stands_still_says_that_its_end_is_not_proven() {
    for (grows, said) in [(false, false), (true, true)] {
        let service = Service { grows, ..PLAIN };
        let (peer, home) = (service.start(|_, _| None), Home::new());
        let run = export(&peer, &home, &["--quiet"]).ends(0);
        assert_eq!(run.err.contains("nothing proves that its end was reached"), said, "{}", run.err);
        service.is_whole(&file(&home));
    }
}

#[test]
fn small_pages_cost_no_request_more_than_they_have_to() {
    let service = Service { count: Some, ..PLAIN };
    let (peer, home) = (service.start(|_, _| None), Home::new());
    export(&peer, &home, &[]).ends(0);
    service.is_whole(&file(&home));
    // Pages of 100 begin with the last row of the one before; then the end is looked at, twice what is below it, and the end again.
    assert!(peer.requests() <= 1230_usize.div_ceil(99) + 5, "{}", peer.requests());
}

#[test]
fn the_size_of_a_page_can_be_chosen() {
    let service = Service { count: Some, cap: 1000, ..PLAIN };
    let asked = Arc::new(AtomicUsize::new(0));
    let largest = Arc::clone(&asked);
    let peer = service.start(move |_, asked| {
        largest.fetch_max(asked.limit, Ordering::SeqCst);
        None
    });
    let home = Home::new();
    export(&peer, &home, &["--page-size", "200"]).ends(0);
    service.is_whole(&file(&home));
    assert_eq!(asked.load(Ordering::SeqCst), 200);
    // Each page begins with the last row of the one before, so a page of one row would never bring another.
    export(&peer, &home, &["--page-size", "1"]).ends(2).says("give a number from 2 to 1000");
}

#[test]
fn a_count_of_more_than_is_listed_is_told_and_can_be_ignored() {
    let service = Service { count: |items| Some(items * 10), ..PLAIN };
    let (peer, home) = (service.start(|_, _| None), Home::new());
    let run = export(&peer, &home, &[]).ends(8).says("The service counts 12300 items, but lists 1230");
    run.says("--ignore-count");
    assert!(!home.path().join("orders.json").exists());
    export(&peer, &home, &["--resume", "--ignore-count"]).ends(0);
    service.is_whole(&file(&home));
}

#[test]
fn an_export_that_was_killed_is_whole_after_it_is_resumed_or_started_over() {
    for (moves, more) in [(false, &["--resume"][..]), (false, &[]), (true, &["--resume"])] {
        let service = Service { moves, numbers: moves, count: |items| Some(items / 3), ..PLAIN };
        let stalls = Arc::new(AtomicUsize::new(1));
        let stalling = Arc::clone(&stalls);
        let peer = service.start(move |_, asked| {
            let is_stalled = asked.offset > 500 && stalling.load(Ordering::SeqCst) == 1;
            is_stalled.then(|| Answer::Stall(Vec::new()))
        });
        let home = Home::new();
        let mut child = peer
            .command(&home, &["orders", "export", "--out", "orders.json"])
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("it starts");
        let notes = home.path().join("orders.json.part.json");
        let rows = || {
            let kept = std::fs::read(&notes).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
            kept.and_then(|kept| kept["state"]["rows"].as_u64()).unwrap_or_default()
        };
        let began = std::time::Instant::now();
        while rows() < 400 {
            assert!(began.elapsed().as_secs() < 300, "nothing is kept");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        // As `kill -9` does.
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(!home.path().join("orders.json").exists());
        stalls.store(0, Ordering::SeqCst);
        let says = if more.is_empty() { "Starting over. Nothing shows" } else { "Resuming after" };
        export(&peer, &home, more).ends(0).says(says);
        service.is_whole(&file(&home));
        assert_eq!(leftovers(&home).len(), 0);
    }
}
