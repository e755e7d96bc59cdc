use std::collections::BTreeSet;

use super::*;

fn entry(id: u64) -> Entry {
    // Greater ids are further down; ten to a moment.
    let key = Key { date: Some(-(id as i64 / 10)), id: id.to_string() };
    Entry { digest: id.into(), key: Some(key) }
}

/// Reads a list that `change` may change before each page, as the export does, and gives what was written.
fn read(list: Vec<u64>, page: usize, counted: bool, change: impl Fn(usize, &mut Vec<u64>)) -> Vec<u64> {
    let (mut list, mut written, mut plan, mut fresh) = (list, Vec::new(), Plan::default(), Vec::new());
    for request in 0..1000 {
        change(request, &mut list);
        let ids: Vec<u64> = list.iter().skip(plan.state().offset as usize).take(page).copied().collect();
        let entries: Vec<Entry> = ids.iter().map(|id| entry(*id)).collect();
        let step = plan.take(&entries, counted.then_some(list.len() as u64), &mut fresh).expect("a page");
        written.extend(ids.iter().zip(&fresh).filter(|(_, fresh)| **fresh).map(|(id, _)| *id));
        assert_eq!(plan.state().rows, written.len() as u64);
        // Any page may be the last before the command is killed.
        if plan.is_resumable() && request % 3 == 2 {
            plan = Plan::resumed(plan.state().clone());
        }
        if step == Step::End {
            return written;
        }
    }
    panic!("it never ends");
}

#[test]
fn every_item_is_read_once_whatever_the_length() {
    for counted in [false, true] {
        for length in 0..40 {
            let list: Vec<u64> = (0..length).collect();
            assert_eq!(read(list.clone(), 5, counted, |_, _| {}), list, "{length} {counted}");
        }
    }
}

#[test]
fn items_that_shift_are_neither_lost_nor_doubled() {
    for counted in [false, true] {
        for (at, many) in (1..8).flat_map(|at| [1, 3, 12].map(|many| (at, many))) {
            let change = |request: usize, list: &mut Vec<u64>, add: bool| {
                if request == at && add {
                    list.splice(0..0, 100 - many..100);
                } else if request == at {
                    list.drain(0..(many as usize).min(at * 4));
                }
            };
            for add in [false, true] {
                let written = read((100..160).collect(), 5, counted, |request, list| change(request, list, add));
                let unique: BTreeSet<u64> = written.iter().copied().collect();
                assert_eq!(unique.len(), written.len(), "twice: {at} {many} {add} {counted}");
                let gone = if add { 100 } else { 100 + many };
                assert!((gone..160).all(|id| unique.contains(&id)), "lost: {at} {many} {add} {counted} {written:?}");
            }
        }
    }
}

#[test]
fn a_list_in_another_order_is_read_by_ids() {
    let list: Vec<u64> = vec![30, 2, 17, 4, 99, 5, 61, 7, 80, 1, 3, 42];
    assert_eq!(read(list.clone(), 5, true, |_, _| {}), list);
    let written = read(list, 5, true, |request, list| {
        if request == 2 {
            list.insert(0, 77);
        }
    });
    assert_eq!(written.iter().collect::<BTreeSet<_>>().len(), written.len());
    assert_eq!(written.len(), 13);
}

#[test]
fn a_list_that_loses_its_order_late_is_refused() {
    let list: Vec<u64> = (0..30_000).chain([5]).chain(30_000..31_000).collect();
    let (mut plan, mut fresh) = (Plan::default(), Vec::new());
    let mut refused = None;
    while refused.is_none() && plan.state().rows < 31_000 {
        let page: Vec<Entry> = list.iter().skip(plan.state().offset as usize).take(1000).map(|id| entry(*id)).collect();
        refused = plan.take(&page, Some(31_001), &mut fresh).err();
    }
    assert!(refused.is_some());
}

#[test]
fn a_service_that_ignores_the_offset_does_not_hold_the_export_for_ever() {
    let (mut plan, mut fresh) = (Plan::default(), Vec::new());
    let page = [entry(1), entry(2), entry(3)];
    assert!((0..9).any(|_| plan.take(&page, None, &mut fresh).is_err()));
    assert_eq!(plan.state().rows, 3);
}

#[test]
fn an_export_of_another_list_is_not_gone_on_with() {
    let state = State { rows: 3, offset: 2, frontier: entry(55).key, ..State::default() };
    let (mut plan, mut fresh) = (Plan::resumed(state), Vec::new());
    assert!(plan.take(&[entry(54), entry(56)], Some(4), &mut fresh).is_err());
}
