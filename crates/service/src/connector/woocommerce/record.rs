//! The figures of an order as the Store API has them, beside those of its page.

use ordersync_api::AdjustmentType;
use ordersync_api::order::{Adjustment, Mismatch};
use rust_decimal::Decimal;
use serde::Deserialize;

use crate::connector::kit::checked_order::Record;
use crate::connector::kit::currency::Currency;
use crate::connector::kit::order_proof::ProvenOrder;

/// More decimals than any currency has.
pub(super) const MAX_DECIMALS: u32 = 8;

/// As they were when the order was placed. Tax is not in the others.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct OrderTotals {
    total_price: Option<String>,
    total_tax: Option<String>,
    total_discount: Option<String>,
    total_discount_tax: Option<String>,
    total_shipping: Option<String>,
    total_shipping_tax: Option<String>,
    total_refund: Option<String>,
    currency_minor_unit: u32,
    /// The shop's default currency, even if the order is in another one.
    currency_code: String,
    currency_symbol: String,
}

/// A figure of the record.
struct Known {
    check: &'static str,
    kind: AdjustmentType,
    /// Without tax, and with it: each shop shows one of them.
    amounts: [Decimal; 2],
}

impl OrderTotals {
    /// Compares the figures of the page with these.
    /// Fails if the total differs, or if the currency symbol stands for another currency.
    pub(super) fn record(&self, order: &ProvenOrder) -> Result<Record, &'static str> {
        let currency = order.listed().total.currency();
        let is_of_symbol = Currency::of_symbol(&self.currency_symbol).contains(&currency.code());
        if is_of_symbol && !self.currency_code.is_empty() && self.currency_code != currency.code() {
            return Err("says that the symbol of its page stands for another currency.");
        }
        // A shop that shows no decimals rounds here, too.
        let is_exact = self.currency_minor_unit >= currency.minor_units();
        let unit = Decimal::new(1, self.currency_minor_unit.min(currency.minor_units()));
        let total = self.amount(self.total_price.as_ref());
        let allowed = if is_exact { Decimal::ZERO } else { unit };
        if total.is_some_and(|total| off(total, order.listed().total.amount()) > allowed) {
            return Err("has another total than its page.");
        }
        let tax = self.amount(self.total_tax.as_ref());
        let adjustments = order.adjustments();
        let known = self.known().into_iter().filter(|known| known.check != "tax" || order.rest_of_tax().is_none());
        let unlike: Vec<Known> = known.filter(|known| !known.is_shown_by(adjustments, unit)).collect();
        let kinds = named(&unlike, adjustments, unit);
        let is_named = |known: &Known| kinds.iter().any(|(_, kind)| *kind == known.kind);
        let mismatch =
            unlike.iter().filter(|known| !is_named(known)).map(|known| known.mismatch(adjustments)).collect();
        Ok(Record { is_exact: is_exact && total.is_some(), tax, kinds, mismatch })
    }

    fn known(&self) -> Vec<Known> {
        let figure = |check, kind, alone: &Option<String>, tax: &Option<String>| {
            let alone = self.amount(alone.as_ref())?;
            let with_tax = alone.checked_add(self.amount(tax.as_ref()).unwrap_or_default())?;
            Some(Known { check, kind, amounts: [alone, with_tax] })
        };
        let all = [
            figure("tax", AdjustmentType::Tax, &self.total_tax, &None),
            figure("discount", AdjustmentType::Discount, &self.total_discount, &self.total_discount_tax),
            figure("shipping", AdjustmentType::Shipping, &self.total_shipping, &self.total_shipping_tax),
            figure("refund", AdjustmentType::Refund, &self.total_refund, &None),
        ];
        all.into_iter().flatten().collect()
    }

    fn amount(&self, units: Option<&String>) -> Option<Decimal> {
        let units = units?.parse::<i64>().ok()?;
        Decimal::try_from_i128_with_scale(units.into(), self.currency_minor_unit.min(MAX_DECIMALS)).ok()
    }
}

impl Known {
    /// Whether these amounts add up to it; each may be rounded.
    fn is_sum_of(&self, shown: &[Decimal], unit: Decimal) -> bool {
        let sum: Decimal = shown.iter().sum();
        let tolerance = unit.checked_mul(Decimal::from(shown.len() + 1)).unwrap_or(unit);
        self.amounts.iter().any(|known| off(*known, sum.abs()) < tolerance)
    }

    fn shown(&self, adjustments: &[Adjustment]) -> Vec<Decimal> {
        let of_kind = adjustments.iter().filter(|one| one.kind.known() == Some(&self.kind));
        of_kind.map(|one| one.amount.abs()).collect()
    }

    fn is_shown_by(&self, adjustments: &[Adjustment], unit: Decimal) -> bool {
        self.is_sum_of(&self.shown(adjustments), unit)
    }

    fn mismatch(&self, adjustments: &[Adjustment]) -> Mismatch {
        let shown = self.shown(adjustments);
        let sum = (!shown.is_empty()).then(|| shown.iter().sum());
        Mismatch { check: self.check.to_owned(), shown: sum, computed: Some(self.amounts[0]) }
    }
}

/// Finds the kinds of figures with unknown labels. A figure has a kind if its amount is that of the kind's total, and of no other;
/// several negative figures are discounts if they add up to the total discount.
fn named(unlike: &[Known], adjustments: &[Adjustment], unit: Decimal) -> Vec<(usize, AdjustmentType)> {
    let is_other = |one: &Adjustment| one.kind.known() == Some(&AdjustmentType::Other) && !one.included;
    let others: Vec<(usize, Decimal)> = adjustments
        .iter()
        .enumerate()
        .filter(|(_, one)| is_other(one))
        .map(|(place, one)| (place, one.amount))
        .collect();
    let is_part = |known: &&Known| known.kind != AdjustmentType::Refund && known.shown(adjustments).is_empty();
    let places_of = |known: &Known| -> Vec<usize> {
        let is_off = known.kind == AdjustmentType::Discount;
        let fitting = || others.iter().filter(move |(_, amount)| (*amount < Decimal::ZERO) == is_off);
        let single: Vec<usize> =
            fitting().filter(|(_, amount)| known.is_sum_of(&[*amount], unit)).map(|(place, _)| *place).collect();
        let all: Vec<Decimal> = fitting().map(|(_, amount)| *amount).collect();
        match single.as_slice() {
            [_] => single,
            [] if is_off && all.len() > 1 && known.is_sum_of(&all, unit) => {
                fitting().map(|(place, _)| *place).collect()
            }
            _ => Vec::new(),
        }
    };
    let found: Vec<(AdjustmentType, Vec<usize>)> =
        unlike.iter().filter(is_part).map(|known| (known.kind, places_of(known))).collect();
    let is_taken_once = |place: &usize| found.iter().filter(|(_, places)| places.contains(place)).count() == 1;
    let certain = found.iter().filter(|(_, places)| places.iter().all(is_taken_once));
    certain.flat_map(|(kind, places)| places.iter().map(|place| (*place, *kind))).collect()
}

fn off(one: Decimal, other: Decimal) -> Decimal {
    one.checked_sub(other).map_or(Decimal::MAX, |off| off.abs())
}
