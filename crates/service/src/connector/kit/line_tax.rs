//! Tax in the lines of an order: of a shop whose lines have it although the sum of the lines does not, the taxes below them have
//! to prove it.

use ordersync_api::Adjustment;
use rust_decimal::Decimal;
use serde::Deserialize;

use super::figures::{Figure, Summary};
use super::parts::near;

/// Other parts of a total that may be taxed at the rate of the goods. More are not tried.
const MAX_PARTS: usize = 6;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaxInLines {
    None,
    All,
    /// So much of the one tax that there is; the rest is that of shipping and the like.
    Part(Decimal),
}

impl TaxInLines {
    /// What the lines come to beyond the sum of the lines. `None`: the taxes do not prove it. They have to be that, or none of
    /// it, or there has to be one tax at one rate, of the goods and of some other parts of the total.
    pub(super) fn proven(lines: Decimal, basket: Decimal, figures: &[Figure], tolerance: Decimal) -> Option<Self> {
        let goods = lines.checked_sub(basket)?;
        let is_tax = |figure: &&Figure| figure.kind == Some(Summary::Tax);
        let taxes: Decimal = figures.iter().filter(is_tax).map(Figure::amount).sum();
        if near(goods, taxes, tolerance) {
            return Some(Self::All);
        }
        if near(goods, Decimal::ZERO, tolerance) {
            return Some(Self::None);
        }
        let others: Vec<Decimal> =
            figures.iter().filter(|figure| figure.is_part() && !is_tax(figure)).map(Figure::amount).collect();
        if figures.iter().filter(is_tax).count() != 1 || others.len() > MAX_PARTS {
            return None;
        }
        let is_at_one_rate = (1..1_usize << others.len()).any(|subset| {
            let taxed = others.iter().enumerate().filter(|(index, _)| subset >> index & 1 == 1);
            let base = basket + taxed.map(|(_, amount)| *amount).sum::<Decimal>();
            let (one, other) = (goods.checked_mul(base), taxes.checked_mul(basket));
            one.zip(other).is_some_and(|(one, other)| near(one, other, tolerance * base.abs()))
        });
        is_at_one_rate.then_some(Self::Part(goods))
    }

    /// A figure as adjustments of the order; `is_part`: of its total.
    pub(super) fn adjustments(self, figure: &Figure, is_part: bool) -> Vec<Adjustment> {
        let whole = figure.adjustment(is_part, self == Self::All);
        match self {
            Self::Part(goods) if figure.kind == Some(Summary::Tax) => {
                let rest = Adjustment { amount: whole.amount - goods, ..whole.clone() };
                vec![Adjustment { amount: goods, included: true, ..whole }, rest]
            }
            Self::None | Self::All | Self::Part(_) => vec![whole],
        }
    }
}
