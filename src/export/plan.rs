//! The plan of pages: where the next one begins, and whether anything shifted between them.
//!
//! Each page begins with the last item of the page before. If that item is not where it was, or the count of matches is
//! another, items were added or removed above, and some may have slipped through between two pages.

/// One reading of the list from its beginning.
#[derive(Debug, Default)]
pub struct Pass {
    offset: u64,
    first: Option<u128>,
    last: Option<u128>,
    total: Option<u64>,
    disturbed: bool,
}

/// What follows on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Another page.
    Next,
    /// Nothing: the list is read.
    End {
        /// Whether no item can have been missed.
        undisturbed: bool,
    },
}

impl Pass {
    /// Where the next page begins.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Takes the ids of a page that was read at [`Pass::offset`], and the count of matches that came with it.
    pub fn take(&mut self, ids: &[u128], total: Option<u64>) -> Step {
        let is_first_page = self.last.is_none();
        if !is_first_page {
            self.disturbed |= ids.first().copied() != self.last || total != self.total;
        }
        // A service that ignores the offset gives the same page again, for ever.
        let stuck = !is_first_page && ids.first().copied() == self.first && self.first != self.last;
        let end = self.offset + ids.len() as u64;
        let nothing_new = ids.len() <= usize::from(!is_first_page);
        let read_all = total.is_some_and(|total| end >= total);
        self.total = total;
        self.first = ids.first().copied();
        if nothing_new || read_all || stuck {
            let fewer_than_counted = total.is_some_and(|total| end < total);
            return Step::End { undisturbed: !self.disturbed && !stuck && !fewer_than_counted };
        }
        self.last = ids.last().copied();
        self.offset = end - 1;
        Step::Next
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Reads a list that `change` may change before each page, as the export does, and gives what was read.
    fn read(mut list: Vec<u128>, page: usize, counted: bool, change: impl Fn(usize, &mut Vec<u128>)) -> Vec<u128> {
        let (mut written, mut seen, mut requests) = (Vec::new(), BTreeSet::new(), 0);
        for _ in 0..20 {
            let mut pass = Pass::default();
            loop {
                change(requests, &mut list);
                requests += 1;
                assert!(requests < 1000, "it never ends");
                let ids: Vec<u128> = list.iter().skip(pass.offset() as usize).take(page).copied().collect();
                written.extend(ids.iter().filter(|id| seen.insert(**id)));
                match pass.take(&ids, counted.then_some(list.len() as u64)) {
                    Step::Next => {}
                    Step::End { undisturbed: true } => return written,
                    Step::End { undisturbed: false } => break,
                }
            }
        }
        panic!("never undisturbed");
    }

    #[test]
    fn every_item_is_read_once_whatever_the_length() {
        for counted in [false, true] {
            for length in 0..40 {
                let list: Vec<u128> = (0..length).collect();
                assert_eq!(read(list.clone(), 5, counted, |_, _| {}), list, "{length} {counted}");
            }
        }
    }

    #[test]
    fn items_that_shift_are_neither_lost_nor_doubled() {
        for counted in [false, true] {
            for at in 1..8 {
                // Added above what was read.
                let read_items = read((0..30).collect(), 5, counted, |request, list| {
                    if request == at {
                        list.splice(0..0, [100, 101, 102]);
                    }
                });
                assert_eq!(read_items.len(), 33, "added at {at} {counted}");
                // Removed above what was read: items slip up, past the next page's beginning.
                let read_items = read((0..30).collect(), 5, counted, |request, list| {
                    if request == at {
                        list.drain(0..3);
                    }
                });
                let all: BTreeSet<u128> = read_items.iter().copied().collect();
                assert!((3..30).all(|id| all.contains(&id)), "removed at {at} {counted}: {read_items:?}");
                assert_eq!(all.len(), read_items.len());
            }
        }
    }

    #[test]
    fn a_service_that_ignores_the_offset_does_not_hold_the_export_for_ever() {
        let mut pass = Pass::default();
        assert_eq!(pass.take(&[1, 2, 3], None), Step::Next);
        assert_eq!(pass.take(&[1, 2, 3], None), Step::End { undisturbed: false });
    }
}
