//! Exports in formats that cannot be appended to: their items are spooled, and they can be resumed like all others.

use std::path::PathBuf;

use wiremock::{MockServer, ResponseTemplate};

use super::export::{ITEMS, breaking_off, leftovers, page, run, serving};
use super::support::Home;

/// Names that tell such a form, each with flags that belong to it.
fn forms() -> Vec<Vec<&'static str>> {
    vec![
        vec!["orders.csv.gz"],
        vec!["orders.json.gz", "--columns", "price,id"],
        vec!["orders.jsonl", "--compress", "gzip"],
        vec!["orders.csv.gz", "--excel-safe"],
        vec!["orders.xlsx"],
        #[cfg(feature = "zstd")]
        vec!["orders.csv.zst"],
        #[cfg(feature = "parquet")]
        vec!["orders.parquet"],
    ]
}

fn export<'a>(form: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&["orders", "export", "--out"], form, more].concat()
}

fn read(home: &Home, name: &str) -> Vec<u8> {
    std::fs::read(home.path().join(name)).expect("file")
}

/// Makes an export that was interrupted one of another service: the address of a peer is another each time.
pub(super) fn hand_over(home: &Home, name: &str, from: &MockServer, to: &MockServer) {
    let notes = home.path().join(format!("{name}.part.json"));
    let text = std::fs::read_to_string(&notes).expect("notes").replace(&from.uri(), &to.uri());
    std::fs::write(&notes, text).expect("write");
}

#[tokio::test]
async fn an_export_in_any_form_resumes_byte_identical() {
    let whole = serving(|asked| page(asked, 0..ITEMS, ITEMS)).await;
    let broken = breaking_off().await;
    for form in forms() {
        let (home, undisturbed, name) = (Home::new(), Home::new(), form[0]);
        run(&undisturbed, &whole, &export(&form, &[])).ends(0).says(&format!("Wrote 4500 items to {name}"));
        let stopped = run(&home, &broken, &export(&form, &[])).ends(1);
        let command = stopped.err.lines().find_map(|line| line.split_once("Go on: ordersync "));
        let words = shlex::split(command.expect("how to resume").1).expect("words");
        let goes_on: Vec<&str> = words.iter().map(String::as_str).collect();
        assert!(!home.path().join(name).exists(), "{form:?}");
        hand_over(&home, name, &broken, &whole);
        let resumed = run(&home, &whole, &goes_on).ends(0);
        resumed.says("Resuming after 1999 of 4500 items").says("Wrote 4500 items");
        assert!(read(&home, name) == read(&undisturbed, name), "{form:?}");
        assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
    }
}

#[tokio::test]
async fn an_export_that_broke_off_in_its_last_step_needs_no_request() {
    let whole = serving(|asked| page(asked, 0..ITEMS, ITEMS)).await;
    let refusing = serving(|_| ResponseTemplate::new(500)).await;
    for form in forms() {
        let (home, name) = (Home::new(), form[0]);
        // A folder stands where the file is written until it is whole.
        let obstacle = home.path().join(format!("{name}.part.out0"));
        std::fs::create_dir(&obstacle).expect("folder");
        let stopped = run(&home, &whole, &export(&form, &[])).ends(1);
        stopped.says("Cannot write").says("--resume");
        assert!(!home.path().join(name).exists(), "{form:?}");
        std::fs::remove_dir(&obstacle).expect("remove");
        // Half a file of a command that was killed then.
        std::fs::write(&obstacle, "half").expect("write");
        hand_over(&home, name, &whole, &refusing);
        let resumed = run(&home, &refusing, &export(&form, &["--resume"])).ends(0);
        resumed.says("Resuming after 4500 of 4500 items").says("Wrote 4500 items");
        assert_eq!(refusing.received_requests().await.expect("requests").len(), 0, "{form:?}");
        assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
        let undisturbed = Home::new();
        run(&undisturbed, &whole, &export(&form, &[])).ends(0);
        assert!(read(&home, name) == read(&undisturbed, name), "{form:?}");
    }
}

#[tokio::test]
async fn what_a_killed_command_left_goes_with_restart_and_nothing_else_does() {
    let whole = serving(|asked| page(asked, 0..ITEMS, ITEMS)).await;
    let home = Home::new();
    for name in ["orders.csv.gz.part.out0", "orders.csv.gz.part.out12", "orders.csv.gz.part.output"] {
        std::fs::write(home.path().join(name), "half").expect("write");
    }
    run(&home, &whole, &export(&["orders.csv.gz"], &["--restart"])).ends(0);
    assert_eq!(leftovers(&home), [home.path().join("orders.csv.gz.part.output")]);
}

#[tokio::test]
async fn an_empty_leftover_is_none() {
    let whole = serving(|asked| page(asked, 0..ITEMS, ITEMS)).await;
    let home = Home::new();
    std::fs::write(home.path().join("orders.csv.part"), "").expect("write");
    run(&home, &whole, &export(&["orders.csv"], &["--resume"])).ends(0).says("Wrote 4500 items");
    assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn no_items_make_a_whole_file() {
    let empty = serving(|asked| page(asked, 0..0, 0)).await;
    let home = Home::new();
    run(&home, &empty, &export(&["orders.csv.gz"], &[])).ends(0).says("Wrote 0 items");
    let unpacked = std::process::Command::new("gzip").args(["-dc", "orders.csv.gz"]).current_dir(home.path()).output();
    assert!(String::from_utf8(unpacked.expect("gzip").stdout).expect("text").starts_with("Retailer,"));
    assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
}
