//! Tax in the lines of an order: of a shop whose lines have it although the sum of the lines does not, the taxes below them have
//! to prove it.

use ordersync_api::Adjustment;
use rust_decimal::Decimal;
use serde::Deserialize;

use super::figures::{Figure, Summary};
use super::parts::near;

/// Other parts of a total that may be taxed at the rate of the goods. More are not tried.
const MAX_PARTS: usize = 6;
/// Taxes of an order. More are not shared out.
const MAX_TAXES: usize = 4;

/// Whether the totals of lines contain tax.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::connector) enum LineTax {
    /// If the sum of the lines does, whose figure they add up to.
    #[default]
    AsBasket,
    /// They do, and the sum of the lines does not.
    Included,
}

/// How much of the taxes below the lines is in the lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TaxInLines {
    None,
    All,
    /// So much of each tax, in their order; the rest is that of shipping and the like.
    Parts(Vec<Decimal>),
}

impl TaxInLines {
    /// What the lines come to beyond the sum of the lines. `None`: the taxes do not prove it. They have to be that, or none of
    /// it, or the rest of them has to be the tax of some other parts of the total: at the rate of the goods, if there is one tax,
    /// or else at the rates that their labels state.
    pub(super) fn proven(lines: Decimal, basket: Decimal, figures: &[Figure], tolerance: Decimal) -> Option<Self> {
        let goods = lines.checked_sub(basket)?;
        let taxes: Vec<&Figure> = figures.iter().filter(|figure| is_tax(figure)).collect();
        let all: Decimal = taxes.iter().map(|figure| figure.amount()).sum();
        if near(goods, all, tolerance) {
            return Some(Self::All);
        }
        if near(goods, Decimal::ZERO, tolerance) {
            return Some(Self::None);
        }
        let others: Vec<Decimal> =
            figures.iter().filter(|figure| figure.is_part() && !is_tax(figure)).map(Figure::amount).collect();
        if others.len() > MAX_PARTS || taxes.len() > MAX_TAXES {
            return None;
        }
        let is_at_one_rate = || {
            sums(&others).any(|sum| {
                let base = basket + sum;
                let (one, other) = (goods.checked_mul(base), all.checked_mul(basket));
                one.zip(other).is_some_and(|(one, other)| near(one, other, tolerance * base.abs()))
            })
        };
        if taxes.len() == 1 && is_at_one_rate() {
            return Some(Self::Parts(vec![goods]));
        }
        stated(all.checked_sub(goods)?, &taxes, &others, tolerance).map(Self::Parts)
    }

    /// A figure as adjustments of the order; `is_part`: of its total. `figures`: all of the order.
    pub(super) fn adjustments(&self, figure: &Figure, figures: &[Figure], is_part: bool) -> Vec<Adjustment> {
        let whole = figure.adjustment(is_part, *self == Self::All);
        let goods = match self {
            Self::Parts(parts) => {
                let mut taxes = figures.iter().filter(|figure| is_tax(figure)).zip(parts);
                taxes.find(|(tax, _)| std::ptr::eq(*tax, figure)).map(|(_, goods)| *goods)
            }
            Self::None | Self::All => None,
        };
        let Some(goods) = goods else { return vec![whole] };
        let rest = Adjustment { amount: whole.amount - goods, ..whole.clone() };
        let parts = vec![Adjustment { amount: goods, included: true, ..whole }, rest];
        parts.into_iter().filter(|part| !part.amount.is_zero()).collect()
    }
}

fn is_tax(figure: &Figure) -> bool {
    figure.kind == Some(Summary::Tax)
}

/// The sums of some of the amounts, whichever.
fn sums(amounts: &[Decimal]) -> impl Iterator<Item = Decimal> {
    (1..1_usize << amounts.len()).map(|subset| {
        let chosen = amounts.iter().enumerate().filter(|(index, _)| subset >> index & 1 == 1);
        chosen.map(|(_, amount)| *amount).sum()
    })
}

/// How much of each tax is in the lines, if `rest` of them is that of some other parts of the total, at the rates that labels state.
/// If it may be shared out in two ways, neither is proven.
fn stated(rest: Decimal, taxes: &[&Figure], others: &[Decimal], tolerance: Decimal) -> Option<Vec<Decimal>> {
    let rates: Vec<Option<Decimal>> = taxes.iter().map(|tax| percent(&tax.label)).collect();
    let mut found: Option<(Decimal, Vec<Decimal>)> = None;
    for sum in sums(others) {
        for taxed in 1..1_usize << taxes.len() {
            let share = |(index, rate): (usize, &Option<Decimal>)| {
                if taxed >> index & 1 == 0 { Some(Decimal::ZERO) } else { sum.checked_mul((*rate)?) }
            };
            let Some(mut shares) = rates.iter().enumerate().map(share).collect::<Option<Vec<Decimal>>>() else {
                continue;
            };
            let off = rest - shares.iter().sum::<Decimal>();
            let is_within = shares.iter().zip(taxes).all(|(share, tax)| *share <= tax.amount() + tolerance);
            if off.abs() > tolerance || !is_within {
                continue;
            }
            for (share, tax) in shares.iter_mut().zip(taxes) {
                *share = share.round_dp(tax.money.amount().scale());
            }
            // What rounding left over.
            let left = rest - shares.iter().sum::<Decimal>();
            if let Some(share) = shares.iter_mut().rev().find(|share| !share.is_zero()) {
                *share += left;
            }
            let is_like =
                |known: &Vec<Decimal>| known.iter().zip(&shares).all(|(one, other)| near(*one, *other, tolerance));
            match &found {
                Some((_, known)) if !is_like(known) => return None,
                Some((closest, _)) if *closest <= off.abs() => {}
                _ => found = Some((off.abs(), shares)),
            }
        }
    }
    let (_, shares) = found?;
    Some(taxes.iter().zip(shares).map(|(tax, share)| tax.amount() - share).collect())
}

/// The rate that the label of a tax states, such as that of "VAT (20%)". A label with two says none.
fn percent(label: &str) -> Option<Decimal> {
    let (before, after) = label.split_once('%')?;
    let is_part = |sign: &char| sign.is_ascii_digit() || matches!(sign, '.' | ',');
    let digits: Vec<char> = before.trim_end().chars().rev().take_while(is_part).collect();
    let number: String = digits.iter().rev().map(|sign| if *sign == ',' { '.' } else { *sign }).collect();
    let rate = number.parse::<Decimal>().ok().filter(|_| !after.contains('%'))?;
    rate.checked_div(Decimal::ONE_HUNDRED)
}
