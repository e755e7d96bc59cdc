//! An export to a file while its service misbehaves in the middle: the file is the right one, byte for byte, or there is
//! none, the error gives the reason, and `--resume` makes the right one once the service is well.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::list_peer::{Answer, Asked, Peer, http, item, items, page, slice};
use super::support::{Home, Run};

const ITEMS: usize = 4500;
/// The first two pages are well, and end before this.
const MIDDLE: usize = 1900;
const EXPORT: [&str; 4] = ["orders", "export", "--out", "orders.csv"];

fn export(peer: &Peer, home: &Home, more: &[&str]) -> Run {
    peer.run(home, &[&EXPORT[..], more].concat())
}

fn file(home: &Home) -> Vec<u8> {
    std::fs::read(home.path().join("orders.csv")).expect("file")
}

fn leftovers(home: &Home) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.path()).expect("folder").flatten().map(|entry| entry.path());
    entries.filter(|path| path.to_string_lossy().contains(".part") || path.ends_with(".ordersync")).collect()
}

/// What an export of this list is that nothing disturbs.
fn undisturbed(list: &[Value]) -> Vec<u8> {
    let (peer, home) = (Peer::start(list.to_vec(), |_, _| Answer::Page), Home::new());
    export(&peer, &home, &[]).ends(0);
    file(&home)
}

fn json(status: u16, headers: &str, body: &Value) -> Answer {
    Answer::Bytes(http(status, headers, body.to_string().as_bytes()))
}

fn refusal(status: u16) -> Answer {
    json(status, "", &json!({"code": "BROKEN", "message": "It broke"}))
}

/// The page that was asked for, cut off within its body; its head says how long that would have been.
fn half(asked: &Asked, list: &[Value]) -> Vec<u8> {
    let mut whole = page(&slice(list, asked.offset, asked.limit), list.len());
    whole.truncate(whole.len() / 2);
    whole
}

/// An answer that ends where the connection does.
fn without_length(answer: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8_lossy(&answer).replacen("content-length", "x-length", 1);
    text.into_bytes()
}

/// The page with this change to its body, and a head that fits.
fn body(asked: &Asked, list: &[Value], change: impl FnOnce(&mut String)) -> Answer {
    let mut text = Value::Array(slice(list, asked.offset, asked.limit)).to_string();
    change(&mut text);
    Answer::Bytes(http(200, &format!("x-total-count: {}\r\n", list.len()), text.as_bytes()))
}

/// What goes wrong, how long, and what comes of it.
struct Trouble {
    name: &'static str,
    /// How often the pages in the middle are answered so.
    times: usize,
    answer: fn(&Asked, &[Value]) -> Answer,
    more: &'static [&'static str],
    ends: i32,
    says: &'static str,
}

const ALWAYS: usize = usize::MAX;
const RIGHT: &str = "Wrote 4500 items to orders.csv";

#[rustfmt::skip]
const TROUBLES: &[Trouble] = &[
    Trouble { name: "the connection is cut in a body", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |asked, list| Answer::Bytes(half(asked, list)) },
    Trouble { name: "it is cut each time", times: ALWAYS, more: &["--timeout", "2s"], ends: 3, says: "ended before the answer",
        answer: |asked, list| Answer::Bytes(half(asked, list)) },
    Trouble { name: "it is cut in a body of unknown length", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |asked, list| Answer::Bytes(without_length(half(asked, list))) },
    Trouble { name: "it is cut so each time", times: ALWAYS, more: &["--timeout", "2s"], ends: 3, says: "it ends within its JSON",
        answer: |asked, list| Answer::Bytes(without_length(half(asked, list))) },
    Trouble { name: "no body has a length", times: ALWAYS, more: &[], ends: 0, says: RIGHT,
        answer: |asked, list| Answer::Bytes(without_length(page(&slice(list, asked.offset, asked.limit), list.len()))) },
    Trouble { name: "it is cut between two chunks", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |_, _| Answer::Bytes(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[{\"id\r\n".to_vec()) },
    Trouble { name: "it is cut before the answer", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |_, _| Answer::Bytes(Vec::new()) },
    Trouble { name: "a body never ends", times: ALWAYS, more: &["--timeout", "2s"], ends: 3, says: "in time",
        answer: |asked, list| Answer::Stall(half(asked, list)) },
    Trouble { name: "no answer ever begins", times: ALWAYS, more: &["--timeout", "2s"], ends: 3, says: "in time",
        answer: |_, _| Answer::Stall(Vec::new()) },
    Trouble { name: "a rate limit", times: 1, more: &[], ends: 0, says: "resuming in 1 s",
        answer: |_, _| json(429, "retry-after: 1\r\n", &json!({"code": "TOO_MANY_REQUESTS", "message": "Too many"})) },
    Trouble { name: "a rate limit that outlasts the time to wait", times: ALWAYS, more: &["--timeout", "5s"], ends: 6, says: "--timeout",
        answer: |_, _| json(429, "retry-after: 40\r\n", &json!({"code": "TOO_MANY_REQUESTS", "message": "Too many"})) },
    Trouble { name: "500", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |_, _| refusal(500) },
    Trouble { name: "500 each time", times: ALWAYS, more: &[], ends: 1, says: "It broke",
        answer: |_, _| refusal(500) },
    Trouble { name: "502", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |_, _| refusal(502) },
    Trouble { name: "502 each time", times: ALWAYS, more: &["--timeout", "2s"], ends: 3, says: "It broke",
        answer: |_, _| refusal(502) },
    Trouble { name: "503", times: 2, more: &[], ends: 0, says: RIGHT,
        answer: |_, _| refusal(503) },
    Trouble { name: "503 each time", times: ALWAYS, more: &["--timeout", "2s"], ends: 3, says: "It broke",
        answer: |_, _| refusal(503) },
    Trouble { name: "a web page", times: 1, more: &[], ends: 3, says: "it is a web page",
        answer: |_, _| Answer::Bytes(http(200, "content-type: text/html\r\n", b"<html>Sign in to the hotel</html>")) },
    Trouble { name: "a redirect", times: 1, more: &[], ends: 1, says: "redirect",
        answer: |_, _| Answer::Bytes(http(302, "location: /elsewhere\r\n", b"")) },
    Trouble { name: "a token that is not accepted any more", times: 1, more: &[], ends: 4, says: "ORDERSYNC_TOKEN",
        answer: |_, _| json(401, "", &json!({"code": "UNAUTHORIZED", "message": "No such token"})) },
    Trouble { name: "fewer rows than were asked for", times: ALWAYS, more: &[], ends: 0, says: RIGHT,
        answer: |asked, list| Answer::Items(slice(list, asked.offset, 400)) },
    Trouble { name: "no rows", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |_, _| Answer::Items(Vec::new()) },
    Trouble { name: "no rows each time", times: ALWAYS, more: &["--timeout", "2s"], ends: 8, says: "not whole",
        answer: |_, _| Answer::Items(Vec::new()) },
    Trouble { name: "a body that is longer than its head says", times: ALWAYS, more: &["--timeout", "2s"], ends: 1, says: "cannot be understood",
        answer: |asked, list| {
            let whole = page(&slice(list, asked.offset, asked.limit), list.len());
            let text = String::from_utf8(whole).expect("text");
            let length = text.split_once("content-length: ").and_then(|(_, rest)| rest.split_once('\r')).expect("a length").0;
            Answer::Bytes(text.replacen(length, &(length.parse::<usize>().expect("a number") / 2).to_string(), 1).into_bytes())
        } },
    Trouble { name: "JSON that ends after a row", times: 1, more: &[], ends: 1, says: "cannot be understood",
        answer: |asked, list| body(asked, list, |text| text.truncate(text[..text.len() / 2].rfind("},{").expect("rows") + 1)) },
    Trouble { name: "JSON that is something else", times: 1, more: &[], ends: 1, says: "cannot be understood",
        answer: |asked, list| body(asked, list, |text| *text = "7".to_owned()) },
    Trouble { name: "bad UTF-8", times: 1, more: &[], ends: 1, says: "cannot be understood",
        answer: |_, _| Answer::Bytes(http(200, "x-total-count: 4500\r\n", b"[{\"id\":\"\xff\"}]")) },
    Trouble { name: "an item without an id", times: 1, more: &[], ends: 1, says: "without an id",
        answer: |asked, list| body(asked, list, |text| *text = text.replacen("\"id\"", "\"no\"", 1)) },
    Trouble { name: "an empty id", times: 1, more: &[], ends: 1, says: "without an id",
        answer: |asked, list| body(asked, list, |text| *text = text.replacen("\"id\":\"", "\"id\":\"\",\"no\":\"", 1)) },
    Trouble { name: "different items under one id", times: 1, more: &[], ends: 1, says: "different items under the id",
        answer: |asked, list| {
            let mut items = slice(list, asked.offset, asked.limit);
            items[1]["id"] = items[0]["id"].clone();
            items[1]["itemName"] = json!("another");
            Answer::Items(items)
        } },
    Trouble { name: "different items under one id, apart", times: 1, more: &[], ends: 1, says: "different items under the id",
        answer: |asked, list| {
            let mut items = slice(list, asked.offset, asked.limit);
            items[9]["id"] = items[0]["id"].clone();
            Answer::Items(items)
        } },
    Trouble { name: "an error with the status of a success", times: 1, more: &[], ends: 1, says: "cannot be understood",
        answer: |_, _| json(200, "", &json!({"code": "BACKEND_DOWN", "message": "Try later", "details": []})) },
    Trouble { name: "each row twice", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |asked, list| Answer::Items(slice(list, asked.offset, 500).into_iter().flat_map(|item| [item.clone(), item]).collect()) },
    Trouble { name: "rows from further up", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |asked, list| Answer::Items(slice(list, asked.offset - 3, asked.limit)) },
    Trouble { name: "rows from further down", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |asked, list| Answer::Items(slice(list, asked.offset + 3, asked.limit)) },
    Trouble { name: "the first page again", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |asked, list| Answer::Items(slice(list, 0, asked.limit)) },
    Trouble { name: "rows in another order", times: 1, more: &[], ends: 0, says: RIGHT,
        answer: |asked, list| Answer::Items(slice(list, asked.offset, asked.limit).into_iter().rev().collect()) },
];

#[test]
fn whatever_happens_in_the_middle_the_file_is_right_or_not_there_and_can_be_gone_on_with() {
    let list = items(0..ITEMS);
    let whole = undisturbed(&list);
    for Trouble { name, times, answer, more, ends, says } in TROUBLES {
        let seen = AtomicUsize::new(0);
        let peer = Peer::start(list.clone(), move |asked, list| {
            let is_well = asked.offset < MIDDLE || seen.fetch_add(1, Ordering::SeqCst) >= *times;
            if is_well { Answer::Page } else { answer(asked, list) }
        });
        let home = Home::new();
        let run = export(&peer, &home, more);
        assert_eq!((run.code, run.err.contains(says)), (*ends, true), "{name}: {}: {}", run.code, run.err);
        if *ends != 0 {
            assert!(!home.path().join("orders.csv").exists(), "{name}");
            assert!(
                run.err.contains("Go on: ordersync orders export --out orders.csv --resume"),
                "{name}: {}",
                run.err
            );
            peer.recovers(list.clone());
            peer.settle();
            let asked_before = peer.requests();
            export(&peer, &home, &["--resume"]).ends(0).says("Resuming after").says(RIGHT);
            assert!(peer.requests() - asked_before < 8, "{name}: what is there is not read again");
        }
        assert!(file(&home) == whole, "{name}");
        assert_eq!(leftovers(&home), Vec::<PathBuf>::new(), "{name}");
    }
}

/// An export that was interrupted after 1999 items of `list`.
fn broken_off(list: Vec<Value>) -> (Peer, Home) {
    let (peer, home) =
        (Peer::start(list, |asked, _| if asked.offset < MIDDLE { Answer::Page } else { refusal(500) }), Home::new());
    export(&peer, &home, &[]).ends(1);
    (peer, home)
}

#[test]
fn an_export_that_was_killed_before_its_first_notes_is_begun_anew() {
    let (peer, home) = (Peer::start(items(0..ITEMS), |_, _| Answer::Page), Home::new());
    for more in [&["--resume"][..], &[]] {
        std::fs::write(home.path().join("orders.csv.part"), "").expect("write");
        export(&peer, &home, more).ends(0).says(RIGHT);
        assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
    }
}

fn changed(id: usize) -> Value {
    let mut item = item(id);
    item["price"] = json!("0.99");
    item
}

#[test]
fn an_export_goes_on_in_a_history_that_has_changed() {
    let list = || items(1000..1000 + ITEMS);
    let with = |id: usize, change: &dyn Fn(usize) -> Vec<Value>| -> Vec<Value> {
        (1000..1000 + ITEMS).flat_map(|known| if known == id { change(id) } else { vec![item(known)] }).collect()
    };
    // The last item that was written is 2998.
    for (name, now, expected) in [
        ("nothing", list(), list()),
        ("items came in above", items(200..1000 + ITEMS), list()),
        ("items went above", items(2300..1000 + ITEMS), list()),
        ("all but the last one went above", items(2998..1000 + ITEMS), list()),
        ("an item above changed", with(1500, &|id| vec![changed(id)]), list()),
        ("an item below changed", with(4000, &|id| vec![changed(id)]), with(4000, &|id| vec![changed(id)])),
        ("the last item changed", with(2998, &|id| vec![changed(id)]), list()),
        ("the next item went", with(2999, &|_| vec![]), with(2999, &|_| vec![])),
        ("the last page went", items(1000..4600), items(1000..4600)),
        ("items came in at the end", items(1000..7000), items(1000..7000)),
    ] {
        let (peer, home) = broken_off(list());
        peer.recovers(now);
        export(&peer, &home, &["--resume"]).ends(0).says("Resuming after 1999 of 4500 items");
        assert!(file(&home) == undisturbed(&expected), "{name}");
        assert_eq!(leftovers(&home), Vec::<PathBuf>::new(), "{name}");
    }
}

#[test]
fn an_export_whose_last_item_went_is_begun_anew() {
    for now in [items((0..ITEMS).filter(|id| *id != 1998)), items(0..1500), items(7000..9000), Vec::new()] {
        let (peer, home) = broken_off(items(0..ITEMS));
        peer.recovers(now.clone());
        let told = export(&peer, &home, &["--resume"]).ends(2).says("is not in the list any more");
        let told = told.says("the same command with --restart");
        assert!(!told.err.contains("--resume"), "{}", told.err);
        assert!(!home.path().join("orders.csv").exists());
        export(&peer, &home, &["--restart"]).ends(0);
        assert!(file(&home) == undisturbed(&now));
        assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
    }
}

/// What a job of every night does after one that was killed: it needs no flag, and no hand.
#[test]
fn a_plain_export_starts_over_and_says_why() {
    let list = || items(0..ITEMS);
    let whole = undisturbed(&list());
    let (peer, home) = broken_off(list());
    peer.recovers(list());
    export(&peer, &home, &[]).ends(0).says("Starting over. Nothing shows whether the list has changed").says(RIGHT);
    assert!(file(&home) == whole);

    // Of yesterday: what it holds may have changed since.
    let (peer, home) = broken_off(list());
    let notes = std::fs::File::options().append(true).open(home.path().join("orders.csv.part.json")).expect("notes");
    notes
        .set_modified(notes.metadata().expect("metadata").modified().expect("time") - Duration::from_secs(3700))
        .expect("time");
    peer.recovers(items(1..ITEMS));
    let run = export(&peer, &home, &[]).ends(0).says("Starting over. An export of ");
    run.says("stopped at 1999 of 4500 items, more than an hour ago.").says("Wrote 4499 items");

    // Of other items.
    let (peer, home) = broken_off(list());
    peer.recovers(list());
    export(&peer, &home, &["--since", "2020-01-01"])
        .ends(0)
        .says("Starting over. ")
        .says("another --since")
        .says(RIGHT);

    // Its file was changed.
    let (peer, home) = broken_off(list());
    peer.recovers(list());
    std::fs::write(home.path().join("orders.csv.part"), "something else").expect("write");
    export(&peer, &home, &[]).ends(0).says("Starting over. ").says(RIGHT);
    assert!(file(&home) == whole);
    assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
}

#[test]
fn an_export_over_a_private_file_stays_private_while_it_is_written_and_after() {
    use std::os::unix::fs::PermissionsExt as _;

    let (peer, home) = (Peer::start(Vec::new(), |_, _| Answer::Page), Home::new());
    let mode = |name: &str| std::fs::metadata(home.path().join(name)).expect("metadata").permissions().mode() & 0o777;
    for (name, more) in
        [("orders.csv", &[][..]), ("orders.csv.gz", &[]), ("orders-2099-01.csv", &["--split-by", "month"])]
    {
        let out = name.replace("-2099-01", "");
        peer.recovers(items(0..10));
        std::fs::write(home.path().join(name), "before").expect("write");
        super::support::set_mode(&home.path().join(name), 0o600);
        peer.run(&home, &[&["orders", "export", "--out", &out], more].concat()).ends(0);
        assert_eq!(
            (mode(name), std::fs::read(home.path().join(name)).expect("read") == b"before"),
            (0o600, false),
            "{name}"
        );
    }
    let (peer, home) = (
        Peer::start(items(0..ITEMS), |asked, _| if asked.offset < MIDDLE { Answer::Page } else { refusal(500) }),
        Home::new(),
    );
    std::fs::write(home.path().join("orders.csv"), "before").expect("write");
    super::support::set_mode(&home.path().join("orders.csv"), 0o600);
    export(&peer, &home, &[]).ends(1);
    for name in ["orders.csv.part", "orders.csv.part.json"] {
        let file = std::fs::metadata(home.path().join(name)).expect("metadata");
        assert_eq!(file.permissions().mode() & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_token_of_another_run_goes_on_with_the_export() {
    let list = items(0..ITEMS);
    let peer = Peer::start(list.clone(), |asked, _| match (asked.offset, asked.token.as_str()) {
        (0..MIDDLE, _) | (_, "tok_next") => Answer::Page,
        _ => json(401, "", &json!({"code": "UNAUTHORIZED", "message": "No such token"})),
    });
    let home = Home::new();
    export(&peer, &home, &[]).ends(4).says("--resume");
    export(&peer, &home, &["--resume"]).ends(4).says("--resume");
    assert!(!home.path().join("orders.csv").exists());
    let mut command = peer.command(&home, &[&EXPORT[..], &["--resume"]].concat());
    command.env("ORDERSYNC_TOKEN", "tok_next");
    Run::of(command).ends(0).says("Resuming after 1999 of 4500 items");
    assert!(file(&home) == undisturbed(&list));
}

/// What is relied on, and what comes of it where it does not hold: `docs/exporting.md` says the same.
#[test]
fn an_item_whose_date_changes_meanwhile_is_where_each_page_had_it() {
    let moved = |ids: &[usize]| -> Vec<Value> {
        ids.iter().map(|id| if *id == 100 || *id == 4000 { changed(*id) } else { item(*id) }).collect()
    };
    let before: Vec<usize> = (0..ITEMS).collect();
    // Item 100 gets an older date, and stands below what was read; item 4000 a newer one, and stands above.
    let mut after: Vec<Value> = moved(&before);
    let (mut older, mut newer) = (after.remove(100), after.remove(3999));
    (older["orderDate"], newer["orderDate"]) = (json!("2060-06-01T00:00:00Z"), json!("2099-06-01T00:00:00Z"));
    after.insert(0, newer);
    let place = after.iter().position(|item| item["orderDate"].as_str() < Some("2060-06-01")).expect("a place");
    after.insert(place, older);
    let (peer, home) = broken_off(items(before));
    peer.recovers(after.clone());
    export(&peer, &home, &["--resume"]).ends(0);
    let text = String::from_utf8(file(&home)).expect("text");
    let times = |id: usize| text.matches(&format!("\"\"{id}\"\", ü")).count();
    assert_eq!((times(100), times(4000), times(4001)), (2, 0, 1));
    // The next export has each once.
    export(&peer, &home, &[]).ends(0).says(RIGHT);
    assert!(file(&home) == undisturbed(&after));
}

#[test]
fn a_name_that_says_something_else_than_the_file_holds_is_told_and_a_table_is_no_export() {
    let (peer, home) = (Peer::start(items(0..3), |_, _| Answer::Page), Home::new());
    let run = |arguments: &[&str]| peer.run(&home, &[&["orders", "export"], arguments].concat());
    run(&["-o", "table"]).ends(2).says("An export is not a table.").says("--format csv");
    assert_eq!(peer.requests(), 0);
    let zipped = run(&["--out", "x.csv", "--compress", "gzip"]).ends(0);
    zipped.says("x.csv will be compressed with gzip; other programs expect x.csv.gz.");
    let contradicted = run(&["--out", "y.csv.gz", "--compress", "zstd"]).ends(2);
    contradicted.says("--compress says zstd, but the name of the file says gzip.").says("end in .zst.");
    run(&["--out", "y.csv.zst", "--compress", "gzip"]).ends(2).says("says zstd.").says("end in .gz.");
    run(&["--out", "x.foo"]).ends(0).says("x.foo will hold csv, since its ending names no format.");
    run(&["--out", "x.foo.gz"]).ends(0).says("x.foo.gz will hold csv");
    let run_as_said = run(&["--out", "x.foo", "--format", "json"]).ends(0);
    assert!(!run_as_said.err.contains("will hold"), "{}", run_as_said.err);
    run(&["--out", "x.csv", "--format", "json"]).ends(0).says("x.csv will hold json, though its name says csv.");
    let plain = run(&["--out", "x.csv.gz"]).ends(0);
    assert!(!plain.err.contains("will"), "{}", plain.err);
}
