use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::domain::line::identify;
use crate::domain::order::RetailerOrder;

/// A line as the shop has it: title, quantity, price. Its key is its title and which occurrence of it this is.
type Shown = (String, u32, i64);

fn order(lines: &[Shown]) -> RetailerOrder {
    let mut occurrences = HashMap::<&str, u32>::new();
    let items = lines.iter().map(|(title, quantity, price)| {
        let occurrence = occurrences.entry(title).or_default();
        *occurrence += 1;
        LineItem {
            line_id: Some(format!("{title}#{occurrence}")),
            title: Some(title.clone()),
            quantity: Some((*quantity).into()),
            unit_price: Some(Decimal::new(*price, 2)),
            line_total: Some(Decimal::new(*price, 2) * Decimal::from(*quantity)),
            ..LineItem::default()
        }
    });
    RetailerOrder {
        order_id: "N".into(),
        fingerprint: None,
        placed_at: None,
        is_day_alone: false,
        sources: Vec::new(),
        stated_at: None,
        total: None,
        currency: None,
        mismatch: Vec::new(),
        adjustments: None,
        items: items.collect(),
    }
}

/// For each line of the page after, which line of the page before it is.
fn pairs(before: &RetailerOrder, after: &RetailerOrder) -> Vec<Option<usize>> {
    let keys = |order| identify("c", "Shop", order).into_iter().map(|line| line.id).collect::<Vec<_>>();
    let (stored_keys, read_keys) = (keys(before), keys(after));
    let stored: Vec<_> = stored_keys
        .iter()
        .zip(&before.items)
        .map(|(key, item)| {
            let money = (item.unit_price, item.line_total);
            Candidate::stored(key, item.title.as_deref(), item.sku.as_deref(), item.quantity, money)
        })
        .collect();
    let read: Vec<_> = read_keys.iter().zip(&after.items).map(|(key, item)| Candidate::read(key, item)).collect();
    pair(&stored, &read)
}

fn paired(before: &[(&str, u32, i64)], after: &[(&str, u32, i64)]) -> Vec<Option<usize>> {
    let owned =
        |lines: &[(&str, u32, i64)]| lines.iter().map(|(t, q, p)| ((*t).to_owned(), *q, *p)).collect::<Vec<_>>();
    pairs(&order(&owned(before)), &order(&owned(after)))
}

#[test]
fn lines_that_swap_places_do_not_swap_identities() {
    assert_eq!(paired(&[("Tea", 1, 500), ("Salt", 1, 500)], &[("Salt", 1, 500), ("Tea", 1, 500)]), [Some(1), Some(0)]);
    // Of one title: only the number in their keys tells them apart.
    assert_eq!(paired(&[("Tea", 1, 500), ("Tea", 2, 700)], &[("Tea", 2, 700), ("Tea", 1, 500)]), [Some(1), Some(0)]);
}

#[test]
fn the_first_of_two_lines_of_one_title_goes_and_the_other_stays_itself() {
    assert_eq!(paired(&[("Tea", 1, 500), ("Tea", 1, 700)], &[("Tea", 1, 700)]), [Some(1)]);
    assert_eq!(
        paired(&[("Tea", 1, 500), ("Tea", 1, 500), ("Tea", 3, 500)], &[("Tea", 1, 500), ("Tea", 3, 500)]),
        [Some(0), Some(2)]
    );
}

#[test]
fn a_corrected_title_is_known_by_quantity_and_money() {
    let before = [("Tea", 1, 500), ("Salt", 2, 120), ("Bread", 1, 300)];
    assert_eq!(paired(&before, &[("Green tea", 1, 500), before[1], before[2]]), [Some(0), Some(1), Some(2)]);
    // Elsewhere in an order that lost a line, it is the only one that fits.
    assert_eq!(paired(&before, &[before[2], ("Green tea", 1, 500)]), [Some(2), Some(0)]);
    // All titles in another language, all money the same: each at its place.
    assert_eq!(paired(&[("Tea", 1, 500), ("Salt", 1, 500)], &[("Tee", 1, 500), ("Salz", 1, 500)]), [Some(0), Some(1)]);
}

#[test]
fn lines_are_not_paired_if_several_would_fit_or_none_does() {
    // Either of the two may have gone.
    assert_eq!(paired(&[("Tea", 1, 500), ("Salt", 1, 500)], &[("Coffee", 1, 500)]), [None]);
    assert_eq!(paired(&[("Tea", 1, 500)], &[("Coffee", 1, 500), ("Cocoa", 1, 500)]), [None, None]);
    // Two things differ.
    assert_eq!(paired(&[("Tea", 1, 500)], &[("Coffee", 1, 600)]), [None]);
    assert_eq!(paired(&[("Tea", 1, 500)], &[("Coffee", 2, 500)]), [None]);
}

#[test]
fn the_retailers_own_ids_go_before_everything() {
    let own = |ids: [&str; 2]| {
        let mut order = order(&[("Tea".into(), 1, 500), ("Tea".into(), 1, 500)]);
        for (item, id) in order.items.iter_mut().zip(ids) {
            item.line_id = Some(id.into());
        }
        order
    };
    assert_eq!(pairs(&own(["7", "8"]), &own(["8", "7"])), [Some(1), Some(0)]);
    // Other ids, but nothing else changed: lines that are equal take any of the two.
    assert_eq!(pairs(&own(["7", "8"]), &own(["70", "80"])), [Some(0), Some(1)]);
}

#[test]
fn a_corrected_sku_is_known_if_lines_are_told_apart_by_it() {
    let with = |skus: [&str; 2]| {
        let mut order = order(&[("Tea".into(), 1, 500), ("Salt".into(), 1, 500)]);
        for (item, sku) in order.items.iter_mut().zip(skus) {
            item.line_id = None;
            item.sku = Some(sku.into());
        }
        order
    };
    assert_eq!(pairs(&with(["A-1", "B-1"]), &with(["A-2", "B-1"])), [Some(0), Some(1)]);
}

fn lines() -> impl Strategy<Value = Vec<Shown>> {
    // Few titles, quantities and prices, so that many lines are alike.
    let title = prop::sample::select(vec!["Tea", "Salt", "Bread", "Oil"]);
    let line = (title, 1..3_u32, prop::sample::select(vec![500_i64, 700, 1_250]));
    prop::collection::vec(line.prop_map(|(title, quantity, price)| (title.to_owned(), quantity, price)), 1..9)
}

proptest! {
    /// Whatever the shop changes, no line is two lines.
    #[test]
    fn no_line_is_paired_twice(before in lines(), after in lines()) {
        let pairs = pairs(&order(&before), &order(&after));
        prop_assert_eq!(pairs.len(), after.len());
        let taken: Vec<usize> = pairs.into_iter().flatten().collect();
        prop_assert!(taken.iter().all(|stored| *stored < before.len()));
        prop_assert_eq!(taken.iter().collect::<HashSet<_>>().len(), taken.len());
    }

    /// A title or a price that is corrected alone changes nobody's identity, however alike the lines are.
    #[test]
    fn one_correction_leaves_every_line_itself(
        before in lines(), which in any::<prop::sample::Index>(), price in prop::option::of(1..3_000_i64),
    ) {
        let mut after = before.clone();
        let line = which.get_mut(&mut after);
        match price {
            Some(price) => line.2 = price,
            None => line.0 = format!("{}, organic", line.0),
        }
        let pairs = pairs(&order(&before), &order(&after));
        for (read, stored) in pairs.iter().enumerate() {
            let stored = stored.expect("each line is one of those before");
            // Lines that were equal before may stand for each other.
            prop_assert!(stored == read || before[stored] == before[read], "{:?} {:?}", before, after);
        }
    }

    /// Lines that only move keep what they are.
    #[test]
    fn lines_that_move_stay_themselves(before in lines().prop_flat_map(|lines| (Just(lines.clone()), Just(lines).prop_shuffle()))) {
        let (before, after) = before;
        let pairs = pairs(&order(&before), &order(&after));
        for (read, stored) in pairs.iter().enumerate() {
            prop_assert_eq!(&before[stored.expect("a line of the page before")], &after[read]);
        }
    }
}
