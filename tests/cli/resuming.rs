//! An export that is resumed after its list has changed: it starts over by itself, or says so if `--resume` was given.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use wiremock::{MockServer, ResponseTemplate};

use super::export::{Asked, ITEMS, leftovers, page, run, serving};
use super::support::{Home, Run};

const CHANGED: &str = "The list has changed since the interrupted export began";
const UNKNOWN: &str = "Nothing shows whether the list has changed since the interrupted export began";

/// A service whose list gets an item above with each version, and which may fail from a row on.
struct Shop {
    server: MockServer,
    version: Arc<AtomicUsize>,
    broken_from: Arc<AtomicUsize>,
}

fn list(version: usize) -> Range<usize> {
    10 - version..ITEMS
}

impl Shop {
    async fn new(is_versioned: bool) -> Self {
        let (version, broken_from) = (Arc::new(AtomicUsize::new(1)), Arc::new(AtomicUsize::new(usize::MAX)));
        let (now, broken) = (Arc::clone(&version), Arc::clone(&broken_from));
        let server = serving(move |asked: &Asked| {
            let version = now.load(Ordering::SeqCst);
            let answer = page(asked, list(version), list(version).len());
            match is_versioned {
                _ if asked.offset >= broken.load(Ordering::SeqCst) => ResponseTemplate::new(500),
                true => answer.insert_header("x-list-version", format!("v{version}")),
                false => answer,
            }
        })
        .await;
        Self { server, version, broken_from }
    }

    fn at(&self, version: usize) {
        self.version.store(version, Ordering::SeqCst);
    }

    fn export(&self, home: &Home, arguments: &str, more: &[&str]) -> Run {
        let arguments: Vec<&str> = arguments.split(' ').chain(more.iter().copied()).collect();
        run(home, &self.server, &[&["orders", "export", "--out"], &arguments[..]].concat())
    }

    /// An export of version 1 that is interrupted: `is_whole`, when all its items are spooled.
    fn interrupted(&self, arguments: &str, is_whole: bool) -> Home {
        let home = Home::new();
        self.at(1);
        if is_whole {
            let name = arguments.split(' ').next().expect("a name");
            let obstacle = home.path().join(format!("{name}.part.out0"));
            std::fs::create_dir(&obstacle).expect("folder");
            self.export(&home, arguments, &[]).ends(1).says("Cannot write");
            std::fs::remove_dir(&obstacle).expect("remove");
        } else {
            self.broken_from.store(1500, Ordering::SeqCst);
            self.export(&home, arguments, &[]).ends(1).says("--resume");
            self.broken_from.store(usize::MAX, Ordering::SeqCst);
        }
        home
    }

    async fn requests(&self) -> usize {
        self.server.received_requests().await.expect("requests").len()
    }
}

/// Each with whether all its items are spooled when it is interrupted.
const EXPORTS: [(&str, bool); 6] = [
    ("orders.jsonl", false),
    ("orders.csv", false),
    ("orders.csv.gz", false),
    ("orders.csv.gz", true),
    ("orders.xlsx", true),
    ("orders.json.gz --since-last", true),
];

fn same(home: &Home, other: &Home, arguments: &str) -> bool {
    let name = arguments.split(' ').next().expect("a name");
    let read = |home: &Home| std::fs::read(home.path().join(name)).expect("file");
    read(home) == read(other)
}

#[tokio::test]
async fn a_plain_export_resumes_an_unchanged_list_and_starts_over_if_it_has_changed() {
    let shop = Shop::new(true).await;
    for (arguments, is_whole) in EXPORTS {
        let (home, undisturbed) = (shop.interrupted(arguments, is_whole), Home::new());
        let before = shop.requests().await;
        let resumed = shop.export(&home, arguments, &[]).ends(0).says("Resuming after").says("Wrote 4491 ");
        assert!(!resumed.err.contains("Starting over") && !resumed.err.contains("the list"), "{}", resumed.err);
        assert!(!is_whole || shop.requests().await == before + 1, "{arguments}: one request for the version");
        shop.export(&undisturbed, arguments, &[]).ends(0);
        assert!(same(&home, &undisturbed, arguments), "{arguments}");

        let (home, undisturbed) = (shop.interrupted(arguments, is_whole), Home::new());
        shop.at(2);
        let run = shop.export(&home, arguments, &[]).ends(0);
        let run = run.says(&format!("Starting over. {CHANGED}.")).says("Wrote 4492 ");
        assert_eq!(run.err.matches("has changed").count(), 1, "{}", run.err);
        assert!(!run.err.contains("Resuming"), "{}", run.err);
        shop.export(&undisturbed, arguments, &[]).ends(0);
        assert!(same(&home, &undisturbed, arguments), "{arguments}");
        assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
    }
}

#[tokio::test]
async fn an_export_that_is_to_be_resumed_warns_if_the_list_has_changed() {
    let shop = Shop::new(true).await;
    for (arguments, is_whole) in EXPORTS {
        let home = shop.interrupted(arguments, is_whole);
        let again = shop.interrupted(arguments, is_whole);
        shop.export(&home, arguments, &["--resume"]).ends(0).says("Resuming after").says("Wrote 4491 ");
        shop.at(2);
        let run = shop.export(&again, arguments, &["--resume"]).ends(0).says(CHANGED).says("--restart");
        assert_eq!(run.says("Wrote 4491 ").err.matches("has changed").count(), 1);
        assert!(same(&again, &home, arguments), "{arguments}");
    }
}

#[tokio::test]
async fn an_export_that_was_resumed_in_a_changed_list_and_interrupted_again_has_not_forgotten_that() {
    let shop = Shop::new(true).await;
    for more in [&[][..], &["--resume"]] {
        let home = shop.interrupted("orders.jsonl", false);
        shop.at(2);
        shop.broken_from.store(3500, Ordering::SeqCst);
        shop.export(&home, "orders.jsonl", &["--resume"]).ends(1).says(CHANGED);
        shop.broken_from.store(usize::MAX, Ordering::SeqCst);
        let run = shop.export(&home, "orders.jsonl", more).ends(0).says(CHANGED);
        assert_eq!(run.err.contains("Starting over"), more.is_empty());
    }
}

/// Orders that were stored while the first command ran have to be in the file of the second.
#[tokio::test]
async fn a_list_that_changed_while_the_interrupted_export_read_it_is_read_anew() {
    let (home, end) = (Home::new(), Arc::new(AtomicUsize::new(3000)));
    let broken_from = Arc::clone(&end);
    let server = serving(move |asked: &Asked| {
        let version = if asked.number < 2 { 1 } else { 2 };
        let answer = page(asked, list(version), list(version).len());
        match asked.offset < broken_from.load(Ordering::SeqCst) {
            true => answer.insert_header("x-list-version", format!("v{version}")),
            false => ResponseTemplate::new(500),
        }
    })
    .await;
    let export = ["orders", "export", "--out", "orders.jsonl"];
    run(&home, &server, &export).ends(1).says("--resume");
    end.store(usize::MAX, Ordering::SeqCst);
    run(&home, &server, &export).ends(0).says(&format!("Starting over. {CHANGED}.")).says("Wrote 4492 items");
}

#[tokio::test]
async fn without_a_version_nothing_is_resumed_unasked() {
    let shop = Shop::new(false).await;
    for (arguments, is_whole) in EXPORTS {
        let home = shop.interrupted(arguments, is_whole);
        let run = shop.export(&home, arguments, &[]).ends(0).says("Wrote 4491 ");
        run.says(&format!("Starting over. {UNKNOWN}."));

        let home = shop.interrupted(arguments, is_whole);
        let run = shop.export(&home, arguments, &["--resume"]).ends(0).says("Resuming after").says("Wrote 4491 ");
        assert_eq!(run.says("--restart").says(UNKNOWN).err.matches("the list has changed").count(), 1);
    }
}

#[tokio::test]
async fn what_is_spooled_is_kept_if_the_service_does_not_answer() {
    let shop = Shop::new(true).await;
    let home = shop.interrupted("orders.xlsx", true);
    shop.broken_from.store(0, Ordering::SeqCst);
    shop.export(&home, "orders.xlsx", &[]).ends(1).says("--resume");
    shop.export(&home, "orders.xlsx", &["--resume"]).ends(0).says(UNKNOWN).says("Wrote 4491 ");
}

#[test]
fn what_was_removed_since_does_not_come_back() {
    let home = Home::connected("user_good", 0);
    let obstacle = home.path().join("orders.xlsx.part.out0");
    std::fs::create_dir(&obstacle).expect("folder");
    let export = ["orders", "export", "--out", "orders.xlsx"];
    home.run(&export).ends(1).says("--resume");
    std::fs::remove_dir(&obstacle).expect("remove");
    home.run(&["connections", "remove", &home.connection(), "-y"]).ends(0);
    home.run(&export).ends(0).says(CHANGED).says("Wrote 0 items");
}
