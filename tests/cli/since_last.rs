//! `orders export --since-last`: what is new or changed since the last export of a name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use wiremock::{MockServer, ResponseTemplate};

use super::export::{Asked, run, serving};
use super::split::files;
use super::support::{Home, Run};

/// What the list is like at a time: items come in above, one changes, one goes.
const TIMES: [(std::ops::Range<usize>, usize); 4] = [(100..2600, 0), (100..2600, 0), (97..2600, 3), (97..2599, 3)];

fn item(id: usize, changed: usize) -> Value {
    let date = format!("20{:02}-01-01T00:00:00Z", 99 - id / 100);
    let status = if changed > 0 && id % 1000 < changed { "delivered" } else { "processing" };
    json!({
        "id": format!("item_{id:06}"), "orderDate": date, "itemName": format!("\"{id}\", ü"), "price": 1.5,
        "shipmentStatus": status, "updatedAt": format!("2026-01-0{}T00:00:00Z", changed + 1),
    })
}

/// A service whose list is that of a time; with its version, if it says one.
struct Shop {
    server: MockServer,
    time: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
    broken_from: Arc<AtomicUsize>,
}

impl Shop {
    async fn new(is_versioned: bool) -> Self {
        let (time, requests) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let broken_from = Arc::new(AtomicUsize::new(usize::MAX));
        let (at, count, broken) = (Arc::clone(&time), Arc::clone(&requests), Arc::clone(&broken_from));
        let server = serving(move |asked: &Asked| {
            count.fetch_add(1, Ordering::SeqCst);
            if asked.offset >= broken.load(Ordering::SeqCst) {
                return ResponseTemplate::new(500);
            }
            let (ids, changed) = TIMES[at.load(Ordering::SeqCst)].clone();
            let total = ids.len().to_string();
            let page: Vec<Value> = ids.skip(asked.offset).take(asked.limit).map(|id| item(id, changed)).collect();
            let answer = ResponseTemplate::new(200).insert_header("x-total-count", total).set_body_json(page);
            match is_versioned {
                true => answer.insert_header("x-list-version", format!("v{}", at.load(Ordering::SeqCst).max(1))),
                false => answer,
            }
        })
        .await;
        Self { server, time, requests, broken_from }
    }

    fn export(&self, home: &Home, arguments: &[&str]) -> (Run, usize) {
        let before = self.requests.load(Ordering::SeqCst);
        // The test reads all that is written.
        let is_piped = !arguments.contains(&"--out");
        let more: &[&str] = if is_piped { &["--assume-read"] } else { &[] };
        let ran = run(home, &self.server, &[&["orders", "export", "--since-last"], arguments, more].concat());
        (ran, self.requests.load(Ordering::SeqCst) - before)
    }

    fn at(&self, time: usize) {
        self.time.store(time, Ordering::SeqCst);
    }
}

fn marks(items: &Value) -> Vec<(String, String)> {
    let text = |item: &Value, name: &str| item[name].as_str().unwrap_or_default().to_owned();
    items.as_array().expect("array").iter().map(|item| (text(item, "id"), text(item, "change"))).collect()
}

fn expected(new: std::ops::Range<usize>, changed: &[usize]) -> Vec<(String, String)> {
    let of = |id: usize, mark: &str| (format!("item_{id:06}"), mark.to_owned());
    new.map(|id| of(id, "new")).chain(changed.iter().map(|id| of(*id, "changed"))).collect()
}

#[tokio::test]
async fn only_what_is_new_or_changed_is_exported_and_marked() {
    for is_versioned in [false, true] {
        let (shop, home) = (Shop::new(is_versioned).await, Home::new());
        let (all, _) = shop.export(&home, &["--format", "json"]);
        assert_eq!(marks(&all.ends(0).json()), expected(100..2600, &[]));
        shop.at(1);
        let (none, requests) = shop.export(&home, &["--format", "json"]);
        assert_eq!(marks(&none.ends(0).json()), []);
        // Three pages, then the end, what is below it, and the end again.
        assert_eq!(requests, if is_versioned { 1 } else { 6 });
        shop.at(2);
        let (some, _) = shop.export(&home, &["--out", "some.json"]);
        some.ends(0).says("Wrote 3 new and 6 changed items to some.json");
        let text = std::fs::read_to_string(home.path().join("some.json")).expect("file");
        let changed = [1000, 1001, 1002, 2000, 2001, 2002];
        assert_eq!(marks(&serde_json::from_str(&text).expect("json")), expected(97..100, &changed));
        shop.at(3);
        let (gone, _) = shop.export(&home, &["--out", "none.csv", "--replace"]);
        gone.ends(0)
            .says("Wrote no item, since nothing is new or changed, to none.csv")
            .says("1 item of the last export is not listed any more");
        let text = std::fs::read_to_string(home.path().join("none.csv")).expect("file");
        assert!(text.ends_with(",Order Total,change\n") && text.lines().count() == 1, "{text}");
        // Another name knows nothing of this one.
        let (other, _) = shop.export(&home, &["weekly", "--format", "jsonl"]);
        assert_eq!(other.ends(0).out.lines().count(), 2502);
    }
}

#[tokio::test]
async fn what_was_broken_off_counts_for_nothing_until_it_is_resumed() {
    let shop = Shop::new(true).await;
    shop.at(2);
    for out in ["orders.csv", "orders.json.gz", "orders.csv --split-by retailer"] {
        let (home, whole) = (Home::new(), Home::new());
        let flags: Vec<&str> = ["daily", "--out"].into_iter().chain(out.split(' ')).collect();
        shop.export(&whole, &[&["all"][..], &flags[1..]].concat()).0.ends(0);
        shop.broken_from.store(1500, Ordering::SeqCst);
        shop.export(&home, &flags).0.ends(1).says("--since-last daily --resume");
        shop.broken_from.store(usize::MAX, Ordering::SeqCst);
        let other = [&["monthly"][..], &flags[1..], &["--resume"]].concat();
        shop.export(&home, &other).0.ends(2).says("another form");
        let (resumed, _) = shop.export(&home, &[&flags[..], &["--resume"]].concat());
        resumed.ends(0).says("Wrote 2503 new and 0 changed items");
        for entry in std::fs::read_dir(home.path()).expect("folder").flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            if name.to_string_lossy().starts_with("orders") {
                assert!(std::fs::read(path).expect("read") == std::fs::read(whole.path().join(&name)).expect("read"));
            }
        }
        let (again, _) = shop.export(&home, &["daily", "--format", "jsonl"]);
        assert_eq!(again.ends(0).out, "");
    }
}

fn remove(home: &Home) {
    files(home, "changes").keys().for_each(|name| std::fs::remove_file(home.path().join(name)).expect("remove"));
}

#[tokio::test]
async fn changes_that_were_not_taken_are_never_replaced() {
    let shop = Shop::new(true).await;
    for out in
        ["csv", "json", "jsonl.gz", "xlsx", "parquet", "csv.zst", "csv --split-by month", "xlsx --split-by month"]
    {
        let home = Home::new();
        let flags = format!("--out changes.{out}");
        let flags: Vec<&str> = flags.split(' ').collect();
        let split = if out.contains("split") { "no file was written" } else { "is as it was" };
        shop.at(0);
        shop.export(&home, &flags).0.ends(0).says("Wrote 2500 new and 0 changed items");
        let first = files(&home, "changes");
        // Nothing is new: once with a version of the list that is known, once with another.
        for _ in 0..2 {
            shop.export(&home, &flags).0.ends(0).says("Nothing is new or changed").says(split);
        }
        assert!(files(&home, "changes") == first, "{out}");
        shop.at(2);
        for more in [&[][..], &["--resume"], &["--restart"]] {
            let refused = shop.export(&home, &[&flags[..], more].concat()).0.ends(1);
            refused.says("exists already").says("the same command with --replace");
            assert!(files(&home, "changes") == first, "{out} {more:?}");
        }
        // An interrupted one leaves what it read beside the file, and is refused where it ends.
        shop.broken_from.store(1500, Ordering::SeqCst);
        shop.export(&home, &flags).0.ends(1).says("--resume");
        shop.broken_from.store(usize::MAX, Ordering::SeqCst);
        shop.export(&home, &[&flags[..], &["--resume"]].concat()).0.ends(1).says("exists already");
        assert!(files(&home, "changes") == first, "{out}");
        // Once it is taken, nothing is missing.
        remove(&home);
        shop.export(&home, &flags).0.ends(0).says("Wrote 3 new and 6 changed items");
        shop.at(3);
        shop.export(&home, &[&flags[..], &["--replace"]].concat()).0.ends(0);
        assert!(!files(&home, "changes").is_empty());
        // Without anything new and without a file, none is made.
        remove(&home);
        shop.export(&home, &flags).0.ends(0).says("Nothing is new or changed, so no file was written");
        assert!(files(&home, "changes").is_empty());
    }
}

#[tokio::test]
async fn names_that_share_a_file_do_not_replace_each_other_and_an_empty_file_holds_nothing() {
    let (shop, home) = (Shop::new(true).await, Home::new());
    std::fs::write(home.path().join("changes.jsonl"), "").expect("write");
    shop.export(&home, &["one", "--out", "changes.jsonl"]).0.ends(0).says("Wrote 2500 new");
    let first = files(&home, "changes");
    let other = shop.export(&home, &["two", "--out", "changes.jsonl", "-o", "json"]).0.ends(1);
    assert_eq!(other.error()["code"], "CHANGES_NOT_TAKEN");
    assert!(files(&home, "changes") == first);
    shop.export(&home, &["two", "--out", "changes.jsonl", "--replace"]).0.ends(0).says("Wrote 2500 new");
}

#[tokio::test]
async fn what_is_exported_elsewhere_meanwhile_takes_nothing_from_what_was_broken_off() {
    let (shop, home) = (Shop::new(true).await, Home::new());
    shop.broken_from.store(1500, Ordering::SeqCst);
    shop.export(&home, &["--out", "first.json"]).0.ends(1);
    // What the first had written changes, and another export under its name reads that, and ends early as well.
    shop.at(2);
    shop.export(&home, &["--out", "second.json"]).0.ends(1);
    shop.broken_from.store(usize::MAX, Ordering::SeqCst);
    shop.export(&home, &["--out", "first.json", "--resume"]).0.ends(0).says("Wrote 2500 new");
    // So the change is known to nobody yet.
    let (next, _) = shop.export(&home, &["--format", "json"]);
    let marked = marks(&next.ends(0).json());
    assert!(expected(97..100, &[1000, 1001, 1002]).iter().all(|mark| marked.contains(mark)), "{marked:?}");
}

#[tokio::test]
async fn a_name_stands_for_one_selection() {
    let (shop, home) = (Shop::new(false).await, Home::new());
    shop.export(&home, &["daily", "--format", "jsonl"]).0.ends(0);
    let (other, requests) = shop.export(&home, &["daily", "--since", "2020-01-01"]);
    other.ends(2).says("The exports named `daily` have another --since: none, not 2020-01-01.");
    assert_eq!(requests, 0);
    for name in ["", "../x", ".x", "a b"] {
        shop.export(&home, &[name]).0.ends(2).says("cannot be the name of an export");
    }
}

/// A reader that dies before it has read: what it never saw has to be in the next export.
#[tokio::test]
async fn what_goes_into_a_pipe_is_not_known_to_be_read() {
    use std::process::{Command, Stdio};

    let (shop, home) = (Shop::new(true).await, Home::new());
    let export = run(&home, &shop.server, &["orders", "export", "--since-last", "--format", "jsonl"]);
    let export = export.ends(2).says("--since-last needs a file").says("--out changes.csv").says("--assume-read");
    assert_eq!((export.out.as_str(), shop.requests.load(Ordering::SeqCst)), ("", 0));
    let fifo = home.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
    run(&home, &shop.server, &["orders", "export", "--since-last", "--out", "fifo"]).ends(2);
    // A file that standard output leads to is as good as one of --out.
    let mut command = home.command(&["orders", "export", "--since-last", "--format", "jsonl"]);
    let out = std::fs::File::create(home.path().join("all.jsonl")).expect("file");
    command.env("ORDERSYNC_BASE_URL", shop.server.uri()).env("ORDERSYNC_TOKEN", "t").stdout(Stdio::from(out));
    assert!(command.status().expect("it ends").success());
    let text = std::fs::read_to_string(home.path().join("all.jsonl")).expect("file");
    assert_eq!(text.lines().count(), 2500);
    let (again, _) = shop.export(&home, &["--format", "jsonl"]);
    assert_eq!(again.ends(0).out, "");
}

/// The same of one of several files: nothing is exported then, and nothing counts as exported.
#[tokio::test]
async fn a_device_in_the_place_of_a_split_file_is_refused_as_well() {
    let (shop, home) = (Shop::new(true).await, Home::new());
    let flags = ["--out", "changes.csv", "--split-by", "month"];
    let taken = home.path().join("changes-2098-01.csv");
    std::os::unix::fs::symlink("/dev/null", &taken).expect("link");
    let refused = shop.export(&home, &flags).0.ends(2);
    refused.says("changes-2098-01.csv is a pipe or a device").says("--assume-read");
    assert!(!home.path().join("changes-2097-01.csv").exists());
    shop.export(&home, &[&flags[..], &["--assume-read"]].concat()).0.ends(0).says("Wrote 2500 new");
    assert!(taken.is_symlink() && home.path().join("changes-2097-01.csv").exists());
    shop.export(&home, &flags).0.ends(0).says("Nothing is new or changed");
}
