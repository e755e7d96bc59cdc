use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Greater ids are further down; ten to a moment.
fn key(id: u64) -> Key {
    Key { date: Some(-(id as i64 / 10)), id: id.to_string() }
}

fn entries(keys: &[Key]) -> Vec<PageRow<'_>> {
    keys.iter().map(|key| PageRow { id: &key.id, place: Some(key.place()) }).collect()
}

/// A list that counts its versions, as a service may, and how its pages are asked for.
#[derive(Clone, Copy, PartialEq)]
enum Service {
    Silent,
    Counting,
    Versioned,
    /// Versioned, with pages of which only the last row is known.
    Lines,
    /// Its version never changes, whatever happens.
    Lying,
}

const SERVICES: [Service; 5] = [Service::Silent, Service::Counting, Service::Versioned, Service::Lines, Service::Lying];

/// Reads a list that `change` may change before each page, as the export does, and gives what was written. Any page may be
/// the last before the command is killed.
fn read(list: Vec<u64>, page: usize, service: Service, change: impl Fn(usize, &mut Vec<u64>)) -> Vec<u64> {
    // The end of a list without a count takes four pages in a row.
    read_with_breaks(list, page, service, 4, change)
}

fn read_with_breaks(
    list: Vec<u64>,
    page: usize,
    service: Service,
    pages: usize,
    change: impl Fn(usize, &mut Vec<u64>),
) -> Vec<u64> {
    let (mut list, mut written, mut plan, mut fresh) = (list, Vec::new(), Plan::default(), Vec::new());
    let mut version = 0;
    for request in 0..1000 {
        let before = list.clone();
        change(request, &mut list);
        version += u32::from(before != list && service != Service::Lying);
        let name = version.to_string();
        let told = ListHeaders {
            total: (service != Service::Silent).then_some(list.len() as u64),
            version: (!matches!(service, Service::Silent | Service::Counting)).then_some(name.as_str()),
            asked: page as u64,
        };
        let Next { offset, after } = plan.next();
        let ids: Vec<u64> = list.iter().skip(offset as usize + usize::from(after)).take(page).copied().collect();
        let keys: Vec<Key> = ids.iter().map(|id| key(*id)).collect();
        let step = if after && service == Service::Lines && !plan.is_probing() {
            // A page without rows does not say where it ends.
            let step = keys.last().and_then(|last| plan.take_unseen(page as u64, ids.len() as u64, last.place(), told));
            written.extend(step.iter().flat_map(|_| &ids));
            step.unwrap_or_else(|| plan.in_vain())
        } else {
            let step = plan.take(&entries(&keys), after, told, &mut fresh).expect("a page");
            written.extend(ids.iter().zip(&fresh).filter(|(_, fresh)| **fresh).map(|(id, _)| *id));
            step
        };
        assert_eq!(plan.state().rows, written.len() as u64);
        if plan.is_resumable() && request % pages == pages - 1 {
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
    for (index, service) in SERVICES.into_iter().enumerate() {
        for length in 0..40 {
            let list: Vec<u64> = (0..length).collect();
            assert_eq!(read(list.clone(), 5, service, |_, _| {}), list, "{length} {index}");
        }
    }
}

#[test]
fn items_that_shift_are_neither_lost_nor_doubled() {
    for (index, service) in SERVICES.into_iter().enumerate() {
        for (at, many) in (1..8).flat_map(|at| [1, 3, 12].map(|many| (at, many))) {
            let change = |request: usize, list: &mut Vec<u64>, add: bool| {
                if request == at && add {
                    list.splice(0..0, 100 - many..100);
                } else if request == at {
                    list.drain(0..(many as usize).min(at * 4));
                }
            };
            for add in [false, true] {
                // Where rows slip up unsaid, nobody can tell that some are missing.
                if service == Service::Lying && !add {
                    continue;
                }
                let written = read((100..160).collect(), 5, service, |request, list| change(request, list, add));
                let unique: BTreeSet<u64> = written.iter().copied().collect();
                assert_eq!(unique.len(), written.len(), "twice: {at} {many} {add} {index}");
                let gone = if add { 100 } else { 100 + many };
                assert!((gone..160).all(|id| unique.contains(&id)), "lost: {at} {many} {add} {index} {written:?}");
            }
        }
    }
}

#[test]
fn a_list_that_stands_still_is_read_without_a_row_too_many() {
    let list: Vec<u64> = (0..100).collect();
    // Without a version, the end is looked at, then what is below it, then the end again: the last page may have been cut.
    for (service, requests) in [(Service::Counting, 28), (Service::Versioned, 20), (Service::Lines, 20)] {
        let asked = std::cell::Cell::new(0);
        // In one go: after a break, a page begins at the last row again.
        let (mut plan, mut fresh) = (Plan::default(), Vec::new());
        let mut step = Step::Next;
        while step != Step::End {
            asked.set(asked.get() + 1);
            let Next { offset, after } = plan.next();
            let keys: Vec<Key> =
                list.iter().skip(offset as usize + usize::from(after)).take(5).map(|id| key(*id)).collect();
            let version = (service != Service::Counting).then_some("1");
            let told = ListHeaders { total: Some(100), version, asked: 5 };
            step = match keys.last() {
                Some(last) if after && service == Service::Lines => {
                    plan.take_unseen(5, 5, last.place(), told).expect("good")
                }
                _ => plan.take(&entries(&keys), after, told, &mut fresh).expect("a page"),
            };
        }
        assert_eq!((asked.get(), plan.state().rows), (requests, 100));
    }
}

#[test]
fn lines_that_are_fewer_or_more_than_they_have_to_be_are_not_taken() {
    let keys: Vec<Key> = (0..5).map(key).collect();
    let told = ListHeaders { total: Some(20), version: Some("1"), asked: 5 };
    for (rows, last, told) in [
        (4, key(8), told),
        (6, key(10), told),
        (0, key(9), told),
        (5, key(3), told),
        (5, key(9), ListHeaders { version: Some("2"), ..told }),
        (5, key(9), ListHeaders { version: None, ..told }),
        (5, key(9), ListHeaders { total: Some(9), ..told }),
        (5, key(9), ListHeaders { total: None, ..told }),
    ] {
        let (mut plan, mut fresh) = (Plan::default(), Vec::new());
        plan.take(&entries(&keys), false, ListHeaders { total: Some(20), version: Some("1"), asked: 5 }, &mut fresh)
            .expect("a page");
        assert!(plan.next().after);
        assert_eq!(plan.take_unseen(5, rows, last.place(), told), None, "{rows} {last:?} {told:?}");
        plan.in_vain();
        assert_eq!((plan.next(), plan.state().rows), (Next { offset: 4, after: false }, 5));
    }
}

#[test]
fn a_list_that_never_stands_still_costs_few_pages_more() {
    // A row comes in above before each page.
    let count = |service| {
        let asked = std::cell::Cell::new(0);
        let list: Vec<u64> = (2000..4000).collect();
        read_with_breaks(list, 50, service, usize::MAX, |request, list| {
            asked.set(request + 1);
            list.insert(0, 1999 - request as u64);
        });
        asked.get()
    };
    let (counting, lines) = (count(Service::Counting), count(Service::Lines));
    assert!(lines <= counting + 15, "{lines} requests, not {counting}");
}

#[test]
fn a_list_in_another_order_is_read_by_ids() {
    let list: Vec<u64> = vec![30, 2, 17, 4, 99, 5, 61, 7, 80, 1, 3, 42];
    for service in SERVICES {
        assert_eq!(read(list.clone(), 5, service, |_, _| {}), list);
    }
    let written = read(list, 5, Service::Versioned, |request, list| {
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
        let keys: Vec<Key> = list.iter().skip(plan.state().offset as usize).take(1000).map(|id| key(*id)).collect();
        refused = plan.take(&entries(&keys), false, total(31_001), &mut fresh).err();
    }
    assert!(refused.is_some());
}

fn total(total: u64) -> ListHeaders<'static> {
    ListHeaders { total: Some(total), version: None, asked: 1000 }
}

#[test]
fn a_service_that_ignores_the_offset_does_not_hold_the_export_for_ever() {
    let (mut plan, mut fresh) = (Plan::default(), Vec::new());
    let keys = [key(1), key(2), key(3)];
    assert!((0..9).any(|_| plan.take(&entries(&keys), false, ListHeaders::default(), &mut fresh).is_err()));
    assert_eq!(plan.state().rows, 3);
    // Whatever it counts, and although it says that the list stands still.
    for total in 3..12 {
        let (mut plan, told) = (Plan::default(), ListHeaders { total: Some(total), version: Some("1"), asked: 1000 });
        let mut steps = (0..9).map(|_| plan.take(&entries(&keys), plan.next().after, told, &mut fresh));
        let last = steps.find(|step| !matches!(step, Ok(Step::Next | Step::Wait))).expect("it ends");
        assert!(last.is_err() || total == 3, "{total}");
    }
    // If it counts what it gives, there is nothing else.
    let mut plan = Plan::default();
    let counted = total(3);
    let steps = (0..3).map(|_| plan.take(&entries(&keys), false, counted, &mut fresh).expect("a page"));
    assert_eq!(steps.collect::<Vec<_>>(), [Step::Next, Step::Next, Step::End]);
    assert_eq!(plan.state().rows, 3);
}

#[test]
fn an_export_of_another_list_is_not_gone_on_with() {
    let state = PlanState { rows: 3, offset: 2, frontier: Some(key(55)), ..PlanState::default() };
    let (mut plan, mut fresh) = (Plan::resumed(state), Vec::new());
    assert!(plan.take(&entries(&[key(54), key(56)]), false, total(4), &mut fresh).is_err());
}

/// Reads a list page by page as a service gives it: `serve` changes the list and says what the page's count is. The steps
/// that it took, or the error.
fn read_to_end(
    list: Vec<u64>,
    cap: usize,
    plan: Plan,
    serve: impl Fn(usize, &mut Vec<u64>) -> Option<u64>,
) -> Result<(Vec<u64>, usize)> {
    read_pages(list, |_| cap, plan, serve)
}

/// Reads a list whose pages have any sizes.
fn read_pages(
    mut list: Vec<u64>,
    cap: impl Fn(usize) -> usize,
    mut plan: Plan,
    serve: impl Fn(usize, &mut Vec<u64>) -> Option<u64>,
) -> Result<(Vec<u64>, usize)> {
    let (mut written, mut fresh) = (Vec::new(), Vec::new());
    for request in 0..3000 {
        let total = serve(request, &mut list);
        let Next { offset, after } = plan.next();
        let ids: Vec<u64> =
            list.iter().skip(offset as usize + usize::from(after)).take(cap(request)).copied().collect();
        let keys: Vec<Key> = ids.iter().map(|id| key(*id)).collect();
        let told = ListHeaders { total, version: None, asked: 1000 };
        let step = plan.take(&entries(&keys), after, told, &mut fresh)?;
        written.extend(ids.iter().zip(&fresh).filter(|(_, fresh)| **fresh).map(|(id, _)| *id));
        if step == Step::End {
            return Ok((written, request + 1));
        }
    }
    panic!("it never ends");
}

#[test]
fn a_list_whose_end_was_never_seen_to_stand_still_is_said_to_be_unproven() {
    for grows in [false, true] {
        let (mut plan, mut fresh, mut list) = (Plan::default(), Vec::new(), (50_000..50_040).collect::<Vec<u64>>());
        let mut step = Step::Next;
        while step != Step::End {
            let Next { offset, after } = plan.next();
            let page = list.iter().skip(offset as usize + usize::from(after)).take(10);
            let keys: Vec<Key> = page.map(|id| key(*id)).collect();
            step = plan.take(&entries(&keys), after, ListHeaders::default(), &mut fresh).expect("a page");
            if grows {
                list.insert(0, list[0] - 1);
            }
        }
        assert_eq!(plan.is_end_assumed(), grows);
    }
}

/// A server that lags behind may say once that nothing follows, just where a page was cut at the last row.
#[test]
fn a_page_that_is_empty_once_ends_no_list() {
    let list: Vec<u64> = (0..40).collect();
    for at in 1..20 {
        let cap = |request: usize| match request.checked_sub(at) {
            Some(0 | 2) => 1,
            Some(1) => 0,
            _ => 4,
        };
        let (written, _) = read_pages(list.clone(), cap, Plan::default(), |_, _| None).expect("it is read");
        assert_eq!(written, list, "{at}");
    }
}

/// The first page is empty, of a list with an order and of one without.
#[test]
fn a_list_that_is_empty_once_is_not_taken_for_its_end() {
    for list in [(0..40).collect::<Vec<u64>>(), (0..40).map(|id| id * 17 % 40).collect()] {
        for (at, size) in (0..60).flat_map(|at| [4, 7, 50].map(|size| (at, size))) {
            let cap = |request: usize| if request == at { 0 } else { size };
            let (written, _) = read_pages(list.clone(), cap, Plan::default(), |_, _| None).expect("it is read");
            let (written, all): (BTreeSet<u64>, _) = (written.into_iter().collect(), list.iter().copied().collect());
            assert_eq!(written, all, "{at} {size}");
        }
    }
}

#[test]
fn a_count_of_something_else_and_small_pages_end_no_list() {
    for cap in [2, 3, 7, 100] {
        for length in 0..40 {
            let list: Vec<u64> = (0..length).collect();
            for counted in [None, Some(0), Some(length / 2), Some(cap as u64), Some(length)] {
                let counted = counted.filter(|counted| *counted <= length);
                let (written, _) = read_to_end(list.clone(), cap, Plan::default(), |_, _| counted).expect("it is read");
                assert_eq!(written, list, "{cap} {counted:?}");
            }
        }
    }
}

#[test]
fn a_count_of_more_than_is_listed_is_an_error_unless_it_is_ignored() {
    for length in [0, 1, 5, 12] {
        let list: Vec<u64> = (0..length).collect();
        let error = read_to_end(list.clone(), 5, Plan::default(), |_, _| Some(99)).expect_err("not whole");
        let said = format!("The service counts 99 items, but lists {length}: the export is not whole.");
        assert_eq!((error.code(), error.message()), ("STILL_RUNNING", said.as_str()));
        let ignoring = Plan::default().ignoring_count(true);
        assert_eq!(read_to_end(list.clone(), 5, ignoring, |_, _| Some(99)).expect("it is read").0, list);
    }
}

#[test]
fn a_service_that_gives_one_row_at_a_time_is_refused_and_a_list_of_one_row_is_read() {
    let (none, one) = (|_: usize, _: &mut Vec<u64>| None, vec![7]);
    assert_eq!(read_to_end(one.clone(), 5, Plan::default(), none).expect("it is read"), (one, 4));
    // One that ignores the offset is read if it counts one row.
    let (mut plan, mut fresh, row) = (Plan::default(), Vec::new(), [key(7)]);
    let mut steps = (0..9).map(|_| plan.take(&entries(&row), plan.next().after, total(1), &mut fresh));
    assert!(steps.any(|step| step.is_ok_and(|step| step == Step::End)) && !plan.is_end_assumed());
    let mut plan = Plan::default();
    assert!(
        (0..200).any(|_| plan.take(&entries(&row), plan.next().after, ListHeaders::default(), &mut fresh).is_err())
    );
    for counted in [None, Some(1), Some(9)] {
        assert!(read_to_end((0..9).collect(), 1, Plan::default(), |_, _| counted).is_err(), "{counted:?}");
    }
}

#[test]
fn a_list_that_grows_at_every_request_ends() {
    let first: Vec<u64> = (50_000..50_040).collect();
    for many in [1, 2, 3] {
        for counts in [false, true] {
            let (written, requests) = read_to_end(first.clone(), 10, Plan::default(), |request, list| {
                let newest = 50_000 - (request as u64 + 1) * many;
                list.splice(0..0, newest..newest + many);
                counts.then_some(list.len() as u64)
            })
            .expect("it is read");
            assert!(first.iter().all(|id| written.contains(id)) && requests < 30, "{many}: {requests} {written:?}");
        }
    }
    // Below, a row comes in for each that is read.
    let endless = read_to_end((0..40).collect(), 20, Plan::default(), |request, list| {
        list.push(1000 + request as u64);
        None
    });
    assert_eq!(endless.expect_err("it is not whole").code(), "STILL_RUNNING");
    // Without an order.
    let unordered = read_to_end(vec![30, 2, 17, 4, 99, 5, 61], 5, Plan::default(), |request, list| {
        list.insert(0, 1000 + (request as u64 * 7919) % 1000);
        None
    });
    assert!(unordered.is_err(), "{unordered:?}");
}

/// A list in groups, each newest first: the second begins with newer rows than the first ends with.
#[test]
fn a_list_in_groups_is_read_whole_although_it_moves_where_a_page_ends() {
    for (first, page) in [(19, 10), (28, 10), (100, 100), (1000, 50)] {
        for gone_after in 0..12 {
            let groups: Vec<u64> = (5_000..5_000 + first).chain(100..100 + page as u64).collect();
            let kept: BTreeSet<u64> = groups[1..].iter().copied().collect();
            let written = read_with_breaks(groups, page, Service::Silent, 1_001, |request, list| {
                if request == gone_after && list.len() as u64 == first + page as u64 {
                    list.remove(0);
                }
            });
            let distinct: BTreeSet<u64> = written.iter().copied().collect();
            assert_eq!(distinct.len(), written.len(), "a row came twice");
            assert!(kept.is_subset(&distinct), "{first} {page} {gone_after}: {} of {}", distinct.len(), kept.len());
        }
    }
}

#[test]
fn a_long_list_in_groups_that_moves_is_refused_rather_than_cut_short() {
    let first = KEPT as u64 + 1_000;
    let mut list: Vec<u64> = (5_000..5_000 + first).chain(100..1_100).collect();
    let (mut plan, mut fresh, mut written) = (Plan::default(), Vec::new(), 0);
    for request in 0..200 {
        if request == first / 999 {
            // The next page begins with the second group.
            list.drain(..(first - plan.next().offset) as usize);
        }
        let keys: Vec<Key> = list.iter().skip(plan.next().offset as usize).take(1_000).map(|id| key(*id)).collect();
        match plan.take(&entries(&keys), false, ListHeaders::default(), &mut fresh) {
            Err(error) => return assert!(error.message().contains("newest first"), "{}", error.message()),
            Ok(step) => assert_ne!(step, Step::End, "after {written} rows"),
        }
        written += fresh.iter().filter(|fresh| **fresh).count();
    }
}

/// A service may count the rows of the page, and as many rows may come in above as a page holds.
#[test]
fn a_page_that_seems_to_repeat_by_chance_ends_no_list() {
    for is_ordered in [true, false] {
        for moved_at in 1..6 {
            let list: Vec<u64> = (100..140).map(|id| if is_ordered { id } else { (id * 17) % 139 + 1_000 }).collect();
            let stable = list.clone();
            let (written, _) = read_to_end(list, 7, Plan::default(), |request, list| {
                if request == moved_at {
                    list.splice(0..0, if is_ordered { 50..56 } else { 5_000..5_006 });
                }
                Some(7)
            })
            .expect("it is read");
            let written: BTreeSet<u64> = written.into_iter().collect();
            assert!(stable.iter().all(|id| written.contains(id)), "{is_ordered} {moved_at}: {}", written.len());
        }
    }
}

proptest! {
    /// Pages of a few rows are no end, whatever comes in above or goes there meanwhile, and wherever the command is killed.
    #[test]
    fn ragged_pages_of_a_list_that_moves_lose_nothing(
        caps in vec(prop_oneof![1..9_usize, Just(40)], 1..8),
        moves in vec(prop_oneof![3 => Just(0), 2 => 0..12_i64, 1 => -6..0_i64], 1..8),
        length in 1..120_u64,
        is_ordered in any::<bool>(),
        is_counted in any::<bool>(),
    ) {
        let first: Vec<u64> = (50_000..50_000 + length).map(|id| if is_ordered { id } else { id * 17 % 1_009 }).collect();
        let newest = std::cell::Cell::new(40_000);
        let gone = std::cell::RefCell::new(BTreeSet::new());
        let read = read_pages(first.clone(), |request| caps[request % caps.len()], Plan::default(), |request, list| {
            // At some time it stands still.
            match moves[request % moves.len()] * i64::from(request < 100) {
                many @ 0.. => {
                    let end = newest.replace(newest.get() - many as u64);
                    list.splice(0..0, newest.get()..end);
                }
                many => gone.borrow_mut().extend(list.drain(..list.len().min(-many as usize))),
            }
            is_counted.then_some(list.len() as u64)
        });
        match read {
            Ok((written, _)) => {
                let distinct: BTreeSet<u64> = written.iter().copied().collect();
                prop_assert_eq!(distinct.len(), written.len(), "a row came twice");
                let lost: Vec<&u64> = first.iter().filter(|id| !distinct.contains(id) && !gone.borrow().contains(id)).collect();
                prop_assert!(lost.is_empty(), "{:?}", lost);
            }
            Err(error) => prop_assert!(["STILL_RUNNING", "UNSOUND_LIST"].contains(&error.code()), "{:?}", error),
        }
    }
}

/// Pages of a few rows are no end, even if so many rows come in above that a page has none but known ones.
#[test]
fn short_pages_of_a_list_that_grows_above_lose_nothing() {
    let first: Vec<u64> = (50_000..50_300).collect();
    let (mut whole, mut lost) = (0, Vec::new());
    for (few, many, every, large) in (1..9).flat_map(|few| {
        (0..12).flat_map(move |many| (1..6).flat_map(move |every| [2, 3, 5].map(|large| (few, many, every, large))))
    }) {
        let cap = |request: usize| if request.is_multiple_of(large) { 40 } else { few };
        let read = read_pages(first.clone(), cap, Plan::default(), |request, list| {
            if request.is_multiple_of(every) {
                let newest = list[0] - many;
                list.splice(0..0, newest..newest + many);
            }
            None
        });
        match read {
            Ok((written, _)) if first.iter().all(|id| written.contains(id)) => whole += 1,
            Ok(_) => lost.push((few, many, every, large)),
            Err(error) => assert!(["STILL_RUNNING", "UNSOUND_LIST"].contains(&error.code()), "{error:?}"),
        }
    }
    assert!(whole > 1000 && lost.is_empty(), "{whole} {}: {lost:?}", lost.len());
}
