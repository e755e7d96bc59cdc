//! Drives the simulated retailers as the engine does, with a store that is a map.

mod driver;
mod histories;
mod scenarios;

use std::collections::BTreeSet;

use super::catalog::SHOPS;
use super::{Scenario, goods, retailers};

#[test]
fn ids_run_from_one_and_only_one_retailer_is_not_connectable() {
    let catalog: Vec<_> = retailers(1.0).into_iter().map(|(entry, _)| entry).collect();
    assert!(catalog.len() >= 15);
    assert!(catalog.iter().map(|entry| entry.retailer_id).eq(1..=i64::try_from(catalog.len()).unwrap()));
    let closed: Vec<i64> = catalog.iter().filter(|e| !e.sync_config.server_side).map(|e| e.retailer_id).collect();
    assert_eq!(closed, [17]);
    let names: BTreeSet<_> = catalog.iter().map(|entry| &entry.display_name).collect();
    assert_eq!(names.len(), catalog.len());
}

/// A line that cannot be read would be left out.
#[test]
fn every_retailer_sells_every_line_of_its_goods() {
    let lines =
        include_str!("../goods.txt").lines().filter(|line| line.contains(" | ") && !line.starts_with([';', '#']));
    let names: BTreeSet<_> = SHOPS.iter().flat_map(|shop| shop.sells).collect();
    let goods = names.iter().flat_map(|name| goods::of(name)).map(|shelf| shelf.goods.len());
    assert_eq!(goods.sum::<usize>(), lines.count());
    assert!(names.iter().all(|name| !goods::of(name).is_empty()), "{names:?}");
}

#[test]
fn the_first_twelve_ask_for_username_and_password_and_entries_agree_with_their_connectors() {
    for (entry, connector) in retailers(1.0) {
        assert_eq!(entry.credential_fields, connector.credential_fields());
        let fields: Vec<(&str, bool)> = entry.credential_fields.iter().map(|f| (f.name.as_str(), f.secret)).collect();
        assert_eq!(fields[..2], [("username", false), ("password", true)], "{}", entry.display_name);
        assert!(fields.len() == 2 || entry.retailer_id > 12);
    }
    assert!(retailers(1.0).iter().any(|(entry, _)| entry.credential_fields.len() == 3));
}

#[test]
fn senseless_speeds_are_survived() {
    for speed in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX] {
        for (_, connector) in retailers(speed) {
            assert!(connector.limits().connecting >= std::time::Duration::from_secs(8));
        }
    }
}

#[test]
fn the_documented_limit_of_items_is_the_one_that_holds() {
    let (_, words) = super::SCENARIOS.iter().find(|(name, _)| *name == "user_items_N").unwrap();
    assert!(words.contains(&super::scenario::MAX_ITEMS.to_string()));
    assert_eq!(Scenario::of("user_items_10000000"), Some(Scenario::Items(super::scenario::MAX_ITEMS)));
}
