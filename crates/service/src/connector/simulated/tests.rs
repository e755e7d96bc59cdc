use std::collections::HashSet;

use super::*;
use crate::domain::line::identify;

fn history(shop: &'static Shop, items: u32) -> History {
    History::new(shop, 42, items)
}

fn orders(history: &History) -> Vec<crate::connector::RetailerOrder> {
    (0..history.orders()).map(|index| history.order(index)).collect()
}

#[test]
fn ids_run_from_one_without_a_gap_and_one_retailer_is_only_listed() {
    let retailers = retailers(1.0);
    assert!(retailers.len() >= 15);
    let ids: Vec<i64> = retailers.iter().map(|(retailer, _)| retailer.retailer_id).collect();
    assert_eq!(ids, (1..).take(ids.len()).collect::<Vec<_>>());
    let names: HashSet<&str> = retailers.iter().map(|(retailer, _)| retailer.display_name.as_str()).collect();
    assert_eq!(names.len(), ids.len());
    assert_eq!(retailers.iter().filter(|(retailer, _)| !retailer.sync_config.server_side).count(), 1);
    assert!(retailers[11].0.sync_config.server_side);
}

#[test]
fn a_history_has_exactly_as_many_items_as_asked_for() {
    for items in [0, 1, 2, 499, 500, 501, 5_000, 100_003] {
        let counted: usize = orders(&history(&SHOPS[0], items)).iter().map(|order| order.items.len()).sum();
        assert_eq!(counted, items as usize);
    }
}

#[test]
fn no_order_number_and_no_line_comes_twice_at_any_retailer() {
    for shop in SHOPS {
        let orders = orders(&history(shop, 3_000));
        let numbers: HashSet<&str> = orders.iter().map(|order| order.order_id.as_str()).collect();
        assert_eq!(numbers.len(), orders.len());
        let lines: Vec<String> =
            orders.iter().flat_map(|order| identify("conn_1", "Shop", order)).map(|line| line.id).collect();
        assert_eq!(lines.iter().collect::<HashSet<_>>().len(), 3_000);
    }
}

#[test]
fn the_same_account_has_the_same_history_every_time_newest_first() {
    for shop in SHOPS {
        let first = orders(&history(shop, 700));
        assert_eq!(first, orders(&history(shop, 700)));
        assert!(first.is_sorted_by_key(|order| std::cmp::Reverse(order.placed_at)));
    }
}

#[test]
fn histories_hold_what_real_ones_hold() {
    let all: Vec<_> = SHOPS.iter().flat_map(|shop| orders(&history(shop, 700))).collect();
    let lines: Vec<_> = all.iter().flat_map(|order| &order.items).collect();
    let some = |holds: fn(&crate::connector::LineItem) -> bool| lines.iter().any(|line| holds(line));
    let title =
        |line: &crate::connector::LineItem, has: fn(char) -> bool| line.title.as_ref().is_some_and(|t| t.contains(has));
    assert!(lines.iter().any(|line| title(line, |c| c == '"')) && lines.iter().any(|line| title(line, |c| c == ',')));
    assert!(lines.iter().any(|line| title(line, |c| ('\u{c0}'..='\u{ff}').contains(&c))));
    assert!(lines.iter().any(|line| title(line, |c| ('\u{3040}'..='\u{9fff}').contains(&c))));
    assert!(some(|line| line.quantity.is_some_and(|quantity| quantity.is_zero())));
    assert!(some(|line| line.quantity.is_some_and(|quantity| quantity.scale() == 3)));
    assert!(some(|line| line.brand.is_none()) && some(|line| line.brand.is_some()));
    assert!(some(|line| line.line_id.is_none()) && some(|line| line.line_id.is_some()));
    let currencies: HashSet<_> = all.iter().map(|order| order.currency.clone()).collect();
    assert!(currencies.len() >= 4);
}
