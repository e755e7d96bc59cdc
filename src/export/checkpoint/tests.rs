//! Checkpoints: what is left of them, and that they and the pages that come after them may be anything.

use super::*;
use crate::export::plan::{ListHeaders, PageRow, Plan};
use crate::export::sort_order::Place;

fn what() -> ExportIdentity {
    let selection = Selection { service: "s".into(), retailer: None, since: None, until: None, time_zone: None };
    ExportIdentity { selection, form: "csv".into(), complete: false }
}

#[test]
fn fuzz_checkpoints() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("orders.csv");
    let (part, notes) = (beside(&path, ".part"), beside(&path, ".part.json"));
    let begun = PartFile::open(&path, what(), OnExisting::Auto).expect("begun");
    std::fs::write(&part, "id\n1\n2\n").expect("write");
    let frontier = serde_json::from_str(r#"{"date":1700000000000000,"id":"2"}"#).expect("a key");
    let (frontier, version) = (Some(frontier), Some("v1".to_owned()));
    let state = PlanState { rows: 2, offset: 1, frontier, total: Some(9), version, ..PlanState::default() };
    begun.checkpoint_writer().expect("writer").write(&state, 7).expect("written");
    drop(begun);
    let (whole, rows) = (std::fs::read(&notes).expect("notes"), std::fs::read(&part).expect("part"));
    let words = ["18446744073709551615", "9007199254740993", "-1", "null", "true", "\"", "{", "}", "[", "]", ",", "0"];
    crate::fuzzing::fuzz("checkpoints", &[whole.as_slice()], &words, |input, random| {
        std::fs::write(&notes, input).expect("write");
        std::fs::write(&part, &rows).expect("write");
        let on_existing = random.pick(&[OnExisting::Auto, OnExisting::Resume]);
        let Ok(opened) = PartFile::open(&path, what(), on_existing) else { return };
        let length = std::fs::metadata(&part).expect("part").len();
        let Some((state, bytes)) = opened.earlier() else {
            assert_eq!(length, 0, "what is not resumed is not kept");
            return;
        };
        assert_eq!(length, bytes);
        let mut plan = Plan::resumed(state);
        let mut fresh = Vec::new();
        for _ in 0..4 {
            let ids: Vec<String> = (0..random.below(6)).map(|_| random.below(5).to_string()).collect();
            let entry = |id| PageRow { id, place: Some(Place { date: Some(1_700_000_000_000_000), id }) };
            let page: Vec<PageRow<'_>> = ids.iter().map(|id| entry(id.as_str())).collect();
            let told = ListHeaders { total: random.pick(&[None, Some(3), Some(u64::MAX)]), version: None, asked: 5 };
            let after = plan.next().after;
            if plan.take(&page, after, told, &mut fresh).is_err() {
                break;
            }
            assert_eq!(fresh.len(), page.len());
        }
    });
}

#[test]
fn a_thread_that_still_writes_leaves_no_notes_of_an_export_that_is_gone() {
    let folder = tempfile::tempdir().expect("folder");
    let part = PartFile::open(&folder.path().join("orders.csv"), what(), OnExisting::Auto).expect("begun");
    let mut writer = part.checkpoint_writer().expect("writer");
    drop(part);
    writer.write(&PlanState { rows: 5, ..PlanState::default() }, 0).expect("nothing is to be written");
    assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 0);
}

#[test]
fn a_file_that_was_put_in_its_place_is_not_taken_for_the_part() {
    let folder = tempfile::tempdir().expect("folder");
    let (path, part) = (folder.path().join("orders.csv"), folder.path().join("orders.csv.part"));
    let opened = locked(&part, &path).expect("a file");
    std::fs::rename(&part, &path).expect("moved");
    // As if it had been opened before, and locked after it was moved.
    assert!(!is_at(&opened, &part));
    let again = locked(&part, &path).expect("another file");
    assert!(is_at(&again, &part) && is_at(&opened, &path));
    // Another user's link is not followed.
    drop(again);
    std::fs::remove_file(&part).expect("removed");
    std::os::unix::fs::symlink(&path, &part).expect("link");
    assert!(locked(&part, &path).is_err());
}

#[test]
fn a_part_that_is_given_up_while_its_first_notes_are_written_is_kept() {
    let folder = tempfile::tempdir().expect("folder");
    let part = PartFile::open(&folder.path().join("orders.csv"), what(), OnExisting::Auto).expect("begun");
    let file = part.part.clone();
    let writing = Arc::clone(&part.noted);
    let mut noted = writing.lock().expect("the thread that writes");
    let given_up = std::thread::spawn(move || drop(part));
    // It waits, however much time it gets.
    for _ in 0..1_000 {
        std::thread::yield_now();
    }
    noted.is_kept = true;
    drop(noted);
    given_up.join().expect("it ends");
    assert!(file.exists());
}
