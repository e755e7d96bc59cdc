//! The adjustments of the account `user_adjustments`: eight orders in turn have those of every type, and one has none. Lines
//! and adjustments add up to the order's total. What was paid back later is not taken off it, as at most retailers.

use chrono::TimeDelta;
use ordersync_api::{Adjustment, AdjustmentType, Timestamp};
use rust_decimal::{Decimal, RoundingStrategy};

use super::catalog::Shop;
use super::words;
use crate::connector::RetailerOrder;

/// Gives the order at this index its adjustments, and its total.
pub(super) fn add(order: &mut RetailerOrder, shop: &Shop, index: u32) {
    use AdjustmentType::{
        Deposit, Discount, Fee, GiftCard, Other, Payment, Refund, Return, Reward, Shipping, Tax, Tip,
    };

    let decimals = shop.currency.decimals;
    let goods: Decimal = order.items.iter().filter_map(|item| item.line_total).sum();
    let first = order.items.first().and_then(|item| item.line_total).unwrap_or_default();
    let part = |of: Decimal, percent: i64| {
        let mut part =
            (of * Decimal::new(percent, 2)).round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero);
        part.rescale(decimals);
        part
    };
    let make = |kind: AdjustmentType, amount: Decimal| Adjustment {
        kind: kind.into(),
        // Nothing is less than nothing.
        amount: if amount.is_zero() { amount.abs() } else { amount },
        currency: Some(shop.currency.code.to_owned()),
        date: None,
        text: Some(words::adjustment(shop.language, kind)),
        included: false,
    };
    let paid_back = |kind: AdjustmentType, amount: Decimal, days: i64| Adjustment {
        date: order.placed_at.map(|at| Timestamp(at + TimeDelta::days(days)).into()),
        ..make(kind, amount)
    };
    let shipping = || make(Shipping, Decimal::new(shop.shipping.fee, decimals));
    let (of_order, of_first_line) = match index % 8 {
        0 => (vec![], None),
        1 => (vec![make(Discount, part(goods, -10)), shipping()], None),
        2 => (vec![shipping(), Adjustment { included: true, ..make(Tax, part(goods, 16)) }], None),
        3 => {
            let parts = [(Fee, 250), (Tip, 100), (Deposit, 25)];
            (parts.map(|(kind, units)| make(kind, Decimal::new(units, decimals))).to_vec(), None)
        }
        4 => (vec![shipping(), paid_back(Refund, part(goods, -5), 12)], None),
        5 => (vec![], Some(paid_back(Return, -first, 20))),
        6 => (vec![make(Tax, part(goods, 8))], Some(make(Discount, part(first, -10)))),
        // The gift card is taken off the total, and the points pay a part of it.
        _ => {
            let paid = |kind, percent| make(kind, part(goods, percent));
            let (card, points) = (paid(GiftCard, -10), Adjustment { included: true, ..paid(Reward, 5) });
            let other = make(Other, Decimal::new(-2, decimals));
            let rest = make(Payment, goods + other.amount + card.amount - points.amount);
            (vec![other, card, points, rest], None)
        }
    };
    let is_in_total = |adjustment: &&Adjustment| {
        let is_paid_back = adjustment.date.is_some();
        !adjustment.included && !is_paid_back && adjustment.kind != Payment.into()
    };
    let adjusted: Decimal = of_order.iter().chain(&of_first_line).filter(is_in_total).map(|one| one.amount).sum();
    order.total = Some(goods + adjusted);
    order.adjustments = Some(of_order);
    if let Some(line) = order.items.first_mut() {
        line.adjustments.extend(of_first_line);
    }
}
