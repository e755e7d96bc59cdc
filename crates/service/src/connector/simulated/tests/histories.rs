//! What the purchase histories promise.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use ordersync_api::{AdjustmentType, ShipmentStatus};
use proptest::prelude::*;
use rust_decimal::{Decimal, RoundingStrategy};

use super::super::catalog::SHOPS;
use super::super::history::{History, is_settled};
use super::driver::Account;
use crate::connector::{LineItem, RetailerOrder};
use crate::domain::line::identify;

fn every(history: &History) -> impl Iterator<Item = RetailerOrder> + '_ {
    (0..history.orders()).map(|index| history.order(index))
}

#[tokio::test]
async fn user_items_n_has_exactly_n_items() {
    for number in [0, 1, 499, 500, 501, 5_000, 100_003] {
        let mut account = Account::new(12, &format!("user_items_{number}"));
        let sync = account.sync(&[]).await;
        assert_eq!(account.items(), number);
        assert!(sync.largest_page <= if number < 100_000 { 500 } else { 2_000 }, "{}", sync.largest_page);
        assert!(sync.scanning <= Duration::from_secs(4), "{:?}", sync.scanning);
        assert!(sync.largest_state < 100);
    }
}

#[test]
fn ten_million_items_are_reached_from_any_side() {
    let history = History::new(&SHOPS[11], 7, super::super::scenario::MAX_ITEMS);
    let (first, last) = (history.order(0), history.order(history.orders() - 1));
    assert!(first.placed_at > last.placed_at);
    assert!(!last.items.is_empty());
}

#[test]
fn order_numbers_line_ids_and_identities_never_repeat() {
    for shop in SHOPS {
        let (mut numbers, mut identities, mut lines) = (HashSet::new(), HashSet::new(), HashSet::new());
        for order in every(&History::new(shop, 99, 2_000)) {
            identities.extend(identify("conn_1", "Shop", &order).into_iter().map(|line| line.id));
            lines.extend(order.items.iter().filter_map(|item| item.line_id.clone()));
            assert!(numbers.insert(order.order_id));
        }
        assert_eq!(identities.len(), 2_000);
        assert_eq!(lines.len(), if shop.line_ids { 2_000 } else { 0 });
    }
}

#[tokio::test]
async fn the_same_account_has_the_same_orders_every_time_and_another_has_others() {
    let orders = async |retailer, user| {
        let mut account = Account::new(retailer, user);
        account.sync(&[]).await;
        account.orders
    };
    let first = orders(9, "user_good").await;
    assert_eq!(first, orders(9, "User_Good").await);
    assert_ne!(first, orders(9, "user_flaky").await);
    assert_ne!(first, orders(8, "user_good").await);
    // Pinned, so that no change of the generator goes unseen: histories are to stay the same over versions.
    let newest = first.values().max_by_key(|order| order.placed_at).unwrap();
    assert_eq!((newest.order_id.as_str(), newest.fingerprint.as_deref()), ("1695-0334-7898", Some("3c7180347c5cc0d2")));
}

#[test]
fn totals_are_the_sum_of_the_lines_with_shipping_and_discount() {
    for shop in SHOPS {
        let (mut exact, mut discounted, mut shipped) = (0, 0, 0);
        let fee = Decimal::new(shop.shipping.fee, shop.currency.decimals);
        for order in every(&History::new(shop, 5, 3_000)) {
            let amount = |item: &LineItem| {
                (item.quantity.unwrap() * item.unit_price.unwrap())
                    .round_dp_with_strategy(shop.currency.decimals, RoundingStrategy::MidpointAwayFromZero)
            };
            let goods: Decimal = order.items.iter().map(amount).sum();
            let total = order.total.unwrap();
            assert_eq!(total.scale(), shop.currency.decimals);
            assert_eq!(order.currency.as_deref(), Some(shop.currency.code));
            assert!(total >= Decimal::ZERO && total <= goods + fee, "{total} of {goods}");
            assert!(total >= goods * Decimal::new(89, 2), "{total} of {goods}");
            exact += i32::from(total == goods);
            discounted += i32::from(total < goods);
            shipped += i32::from(total == goods + fee);
        }
        assert!(exact > 0 && discounted > 0 && shipped > 0, "{exact} {discounted} {shipped} at {}", shop.id);
    }
}

#[test]
fn lines_and_adjustments_add_up_to_the_total_and_every_type_is_there() {
    for shop in SHOPS {
        let mut types = BTreeSet::new();
        for order in every(&History::new(shop, 5, 300).with_adjustments()) {
            let of_lines = order.items.iter().flat_map(|item| &item.adjustments);
            let all: Vec<_> = order.adjustments.as_ref().unwrap().iter().chain(of_lines).collect();
            types.extend(all.iter().filter_map(|one| one.kind.known().copied()));
            assert!(all.iter().all(|one| one.amount.scale() == shop.currency.decimals), "{all:?}");
            assert!(all.iter().all(|one| !one.amount.to_string().starts_with("-0") || one.amount < Decimal::ZERO));
            let (later, parts): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.date.is_some());
            assert!(later.iter().all(|one| one.amount <= Decimal::ZERO), "{later:?}");
            let goods: Decimal = order.items.iter().filter_map(|item| item.line_total).sum();
            let is_part =
                |one: &&&ordersync_api::Adjustment| !one.included && one.kind != AdjustmentType::Payment.into();
            let parts: Decimal = parts.iter().filter(is_part).map(|one| one.amount).sum();
            assert_eq!(order.total, Some(goods + parts));
        }
        assert_eq!(types.into_iter().collect::<Vec<_>>(), AdjustmentType::ALL);
        assert!(every(&History::new(shop, 5, 300)).all(|order| order.adjustments.is_none()));
    }
}

#[test]
fn what_was_sent_is_in_parcels_of_its_order_alone() {
    for shop in SHOPS {
        let (mut numbers, mut counts, mut split, mut unnamed) = (HashSet::new(), BTreeSet::new(), 0, 0);
        let plain = History::new(shop, 5, 300);
        for (with, without) in every(&History::new(shop, 5, 300).with_parcels()).zip(every(&plain)) {
            let lines = || with.items.iter().filter(|line| !line.shipments.is_empty());
            let of_order: BTreeSet<_> =
                lines().flat_map(|line| &line.shipments).map(|one| &one.tracking_number).collect();
            assert!(of_order.iter().all(|number| numbers.insert((*number).clone().unwrap())), "{of_order:?}");
            counts.insert(of_order.len());
            split += lines().filter(|line| line.shipments.len() > 1).count();
            unnamed += lines().filter(|line| line.shipments[0].carrier.is_none()).count();
            let here = [ShipmentStatus::Pending, ShipmentStatus::Processing, ShipmentStatus::Cancelled];
            assert!(lines().all(|line| !here.iter().any(|status| line.shipment_status.as_ref().unwrap().is(status))));
            // Nothing else is another order.
            assert_eq!(with.fingerprint == without.fingerprint, of_order.is_empty());
            let without_parcels = |line: &LineItem| LineItem { shipments: Vec::new(), ..line.clone() };
            assert_eq!(with.items.iter().map(without_parcels).collect::<Vec<_>>(), without.items);
        }
        let expected: &[usize] = if shop.shipment { &[0, 1, 2] } else { &[0] };
        assert!(
            counts.iter().eq(expected) && (split > 0 && unnamed > 0) == shop.shipment,
            "{counts:?} {split} {unnamed}"
        );
    }
}

#[test]
fn the_newest_orders_are_under_way_and_all_others_settled() {
    for shop in SHOPS {
        let orders: Vec<_> = every(&History::new(shop, 3, 200)).collect();
        let under_way = if shop.shipment { 3 } else { 0 };
        assert!(orders[..under_way].iter().all(|order| !is_settled(order)));
        assert!(orders[under_way..].iter().all(is_settled));
        assert!(orders.is_sorted_by(|newer, older| newer.placed_at >= older.placed_at));
        let (newest, oldest) = (orders[0].placed_at.unwrap(), orders[orders.len() - 1].placed_at.unwrap());
        assert!(newest.to_rfc3339().starts_with("2026-06"), "{newest}");
        assert!(oldest.to_rfc3339().starts_with("2024-07"), "{oldest}");
    }
}

#[test]
fn what_real_pages_hold_now_and_then_is_held() {
    let mut items = Vec::new();
    let mut twins = BTreeSet::new();
    for shop in SHOPS {
        for order in every(&History::new(shop, shop.id.unsigned_abs(), 100)) {
            let titles: BTreeSet<_> = order.items.iter().map(|item| &item.title).collect();
            if titles.len() < order.items.len() {
                twins.insert(shop.id);
            }
            items.extend(order.items);
        }
    }
    assert_eq!(twins.len(), SHOPS.len(), "an order with two lines of one article at every retailer");
    let titles: String = items.iter().filter_map(|item| item.title.clone()).collect();
    for sign in ["\"", ",", "ü", "ß", "本", "É"] {
        assert!(titles.contains(sign), "{sign}");
    }
    assert!(items.iter().any(|item| item.brand.is_none()));
    assert!(items.iter().any(|item| item.department.is_none()));
    assert!(items.iter().any(|item| item.sub_category.is_none() && item.category.is_some()));
    assert!(items.iter().any(|item| item.sku.is_none()));
    assert!(items.iter().any(|item| item.quantity.is_some_and(|quantity| quantity.scale() == 3)));
    assert!(items.iter().any(|item| item.shipment_status.as_ref().is_some_and(|status| status.known().is_none())));
    // These customers pay.
    for status in ShipmentStatus::ALL.iter().filter(|status| **status != ShipmentStatus::Unpaid) {
        assert!(items.iter().any(|item| item.shipment_status.as_ref().is_some_and(|s| s.is(status))), "{status}");
    }
    for item in &items {
        let cancelled = item.shipment_status.as_ref().is_some_and(|status| status.is(&ShipmentStatus::Cancelled));
        assert_eq!(item.quantity.is_some_and(|quantity| quantity.is_zero()), cancelled);
        assert_eq!(item.shipment_status.is_some(), item.shipment_text.is_some());
        assert!(item.unit_price.is_some_and(|price| price > Decimal::ZERO));
    }
}

#[test]
fn one_article_number_stands_for_one_title() {
    for shop in SHOPS {
        let mut titles = BTreeMap::new();
        for item in every(&History::new(shop, 1, 3_000)).flat_map(|order| order.items) {
            if let Some(sku) = item.sku {
                assert_eq!(*titles.entry(sku).or_insert(item.title.clone()), item.title);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_number_of_items_is_split_into_whole_orders(seed: u64, items in 0_u32..2_000, shop in 0_usize..18) {
        let history = History::new(&SHOPS[shop], seed, items);
        let sizes: Vec<usize> = every(&history).map(|order| order.items.len()).collect();
        prop_assert_eq!(sizes.iter().sum::<usize>(), items as usize);
        prop_assert!(sizes.iter().all(|size| (1..=6).contains(size)));
    }
}
