//! Sums of the figures of an order.

use rust_decimal::Decimal;

use super::figures::{Figure, Summary};

/// What lines, discounts, shipping and further figures add up to. Tax may come on top, or be part of the prices.
pub(super) struct Parts<'a> {
    pub(super) with_tax: Option<Decimal>,
    without_tax: Option<Decimal>,
    /// Those besides the lines that are no sums of others.
    pub(super) figures: Vec<&'a Figure>,
}

impl<'a> Parts<'a> {
    /// Those that add up. A gift card, a reward, a tip or a deposit may be taken off or added above the total, or say below it
    /// how it was paid; some shops have both in one place. The reading that fits best is taken, and if none does, the place counts.
    pub(super) fn proven(
        basket: Decimal,
        figures: &'a [Figure],
        is_only_sum: bool,
        total: Decimal,
        adds_up: impl Fn(&Self) -> bool,
    ) -> Self {
        let place_of_total =
            figures.iter().position(|figure| figure.kind == Some(Summary::OrderTotal)).unwrap_or(figures.len());
        let by_place = Self::of(basket, figures, is_only_sum, |index| index < place_of_total);
        if !figures.iter().any(Figure::may_be_part) {
            return by_place;
        }
        let of = |is_in: bool| Self::of(basket, figures, is_only_sum, |_| is_in);
        // A small figure may hide in the tolerance.
        let best = |one: Self, other: Self| {
            if adds_up(&other) && (!adds_up(&one) || other.off(total) < one.off(total)) { other } else { one }
        };
        best(best(by_place, of(true)), of(false))
    }

    /// `basket`: the sum of the lines. `is_only_sum`: no figure repeats it. `is_in`: whether a figure that may be a part is one.
    fn of(basket: Decimal, figures: &'a [Figure], is_only_sum: bool, is_in: impl Fn(usize) -> bool) -> Self {
        let has = |is: fn(Summary) -> bool| figures.iter().any(|figure| figure.kind.is_some_and(is));
        let has_total = has(|kind| kind == Summary::OrderTotal);
        let has_shipping = has(|kind| matches!(kind, Summary::ShippingBeforeDiscounts | Summary::Shipping));
        let last = figures.iter().rposition(|figure| !figure.is_of_payment()).unwrap_or_default();
        let mut basket_seen = is_only_sum || has(Summary::is_basket);
        let mut parts = Vec::new();
        for (index, figure) in figures.iter().enumerate() {
            let is_unnamed_total = !has_total && index == last;
            let is_unnamed_basket = !basket_seen && figure.kind.is_none() && figure.money.amount() == basket;
            basket_seen |= is_unnamed_basket;
            let is_only_shipping = figure.kind == Some(Summary::ShippingAfterDiscounts) && !has_shipping;
            let is_paid = figure.may_be_part() && !is_in(index);
            if (figure.is_part() || is_only_shipping) && !is_unnamed_total && !is_unnamed_basket && !is_paid {
                parts.push(figure);
            }
        }
        let with = |parts: &mut dyn Iterator<Item = &&Figure>| {
            sum(parts.map(|figure| Some(figure.amount()))).and_then(|sum| sum.checked_add(basket))
        };
        Self {
            with_tax: with(&mut parts.iter()),
            without_tax: with(&mut parts.iter().filter(|figure| figure.kind != Some(Summary::Tax))),
            figures: parts,
        }
    }

    /// Whether they add up without tax, or rather so than with it: the lines contain it then.
    pub(super) fn are_without_tax(&self, total: Decimal, tolerance: Decimal) -> bool {
        let off = |sum: Option<Decimal>| Some(sum?.checked_sub(total)?.abs()).filter(|off| *off <= tolerance);
        match (off(self.with_tax), off(self.without_tax)) {
            (Some(with), Some(without)) => without < with,
            (with, without) => with.is_none() && without.is_some(),
        }
    }

    /// By how much the better reading of the tax misses the total.
    fn off(&self, total: Decimal) -> Decimal {
        let sums = [self.with_tax, self.without_tax].into_iter().flatten();
        sums.filter_map(|sum| Some(sum.checked_sub(total)?.abs())).min().unwrap_or(Decimal::MAX)
    }

    pub(super) fn add_up_to(&self, total: Decimal, tolerance: Decimal) -> bool {
        [self.with_tax, self.without_tax].into_iter().flatten().any(|sum| near(sum, total, tolerance))
    }
}

/// The sum, if every part is there and it can be held.
pub(super) fn sum(parts: impl Iterator<Item = Option<Decimal>>) -> Option<Decimal> {
    parts.into_iter().try_fold(Decimal::ZERO, |sum, part| sum.checked_add(part?))
}

pub(super) fn times(coin: Decimal, count: usize) -> Decimal {
    coin.checked_mul(Decimal::from(count)).unwrap_or(coin)
}

pub(super) fn near(one: Decimal, other: Decimal, tolerance: Decimal) -> bool {
    one.checked_sub(other).is_some_and(|difference| difference.abs() <= tolerance)
}
