//! What a platform shows of its orders, declared once. What it always shows may not be missing, and what it never shows may not
//! appear: either means that its pages are not those for which the connector was written.

use rust_decimal::Decimal;
use serde::Deserialize;

use super::check::{Check, Failure};
use super::figures::{Doubt, Figure, LineColumn, Proof, ReadLine, Summary};
use super::line_tax::LineTax;
use super::listed::ListedOrder;

/// What a platform shows.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::connector) struct Shows {
    /// What the list counts of an order.
    pub(in crate::connector) items: Counted,
    /// A sum of the lines, before or after discounts. Without it, the lines and all other figures have to add up to the order
    /// total.
    pub(in crate::connector) basket: Presence,
    pub(in crate::connector) shipping: Presence,
    pub(in crate::connector) tax: Presence,
    /// Whether the lines have tax although the sum of the lines does not.
    #[serde(default)]
    pub(in crate::connector) line_tax: LineTax,
    /// The price of one, at each line.
    pub(in crate::connector) unit_price: Presence,
    /// The status of the order. One that is always shown, and missing, marks the order.
    #[serde(default = "Presence::always")]
    pub(in crate::connector) status: Presence,
}

/// What a list counts of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::connector) enum Counted {
    /// The sum of the quantities.
    Pieces,
    /// The sum of the quantities, without what was returned.
    PiecesKept,
    Lines,
    /// Nothing: the list shows no such number.
    Nothing,
}

/// Whether a platform shows a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::connector) enum Presence {
    /// At every order.
    Always,
    /// At some orders, or depending on the shop.
    AtTimes,
    Never,
}

impl Shows {
    /// Checks that a page shows what it has to show, and nothing that it never shows.
    pub(super) fn check(&self, lines: &[ReadLine], figures: &[Figure]) -> Result<(), Failure> {
        let has =
            |kinds: &[Summary]| figures.iter().any(|figure| figure.kind.is_some_and(|kind| kinds.contains(&kind)));
        let shipping = [Summary::ShippingBeforeDiscounts, Summary::ShippingAfterDiscounts, Summary::Shipping];
        self.shipping.check("shipping", has(&shipping), has(&shipping))?;
        self.tax.check("tax", has(&[Summary::Tax]), has(&[Summary::Tax]))?;
        // A basket total that is always shown may have an unknown label: the sum finds it.
        let basket = figures.iter().any(|figure| figure.kind.is_some_and(Summary::is_basket));
        self.basket.check("a basket total", basket, true)?;
        let has_price = |line: &ReadLine| {
            line.amounts.iter().any(|(kind, money)| *kind == LineColumn::UnitPrice && money.is_some())
        };
        self.unit_price.check("a price of one", lines.iter().any(has_price), lines.iter().all(has_price))
    }
}

impl Presence {
    const fn always() -> Self {
        Self::Always
    }

    /// Whether a figure is shown anywhere, and everywhere.
    fn check(self, figure: &str, anywhere: bool, everywhere: bool) -> Result<(), Failure> {
        let failed = |found: String| Err(Failure::new(Check::Figures, found));
        match self {
            Self::Always if !everywhere => failed(format!("the page of the order lacks {figure}.")),
            Self::Never if anywhere => failed(format!("the page of the order shows {figure}, which was never there.")),
            Self::Always | Self::AtTimes | Self::Never => Ok(()),
        }
    }
}

impl Counted {
    /// The lines once, where a page has each of them twice, as for narrow screens, and the number in the list says so.
    pub(super) fn without_copies(self, listed: &ListedOrder, mut lines: Vec<ReadLine>) -> Vec<ReadLine> {
        let half = lines.len() / 2;
        if half == 0 || lines.len() % 2 == 1 || listed.items.is_none() || self.check(listed, &lines).is_ok() {
            return lines;
        }
        let (first, last) = lines.split_at(half);
        if first == last {
            lines.truncate(half);
        } else if lines.chunks(2).all(|pair| pair.first() == pair.last()) {
            let mut is_copy = true;
            lines.retain(|_| {
                is_copy = !is_copy;
                !is_copy
            });
        }
        lines
    }

    /// Checks the number in the list against the lines. A list that shows none leaves a doubt.
    pub(super) fn check(self, listed: &ListedOrder, lines: &[ReadLine]) -> Result<Option<Doubt>, Failure> {
        let failed = |found: String| Failure::new(Check::NumberOfItems, found);
        let pieces = |of: fn(&ReadLine) -> Option<Decimal>| {
            let sum = lines.iter().try_fold(Decimal::ZERO, |sum, line| sum.checked_add(of(line)?));
            sum.ok_or_else(|| failed("the quantities are too large to be added.".to_owned()))
        };
        let (found, what) = match self {
            Self::Nothing if listed.items.is_none() => return Ok(None),
            Self::Nothing => return Err(failed("the list shows a number of items, which was never there.".to_owned())),
            Self::Pieces => (pieces(|line| Some(line.quantity))?, "items"),
            Self::PiecesKept => (
                pieces(|line| line.quantity.checked_sub(line.pieces.returned.checked_add(line.pieces.struck)?))?,
                "items",
            ),
            Self::Lines => (Decimal::from(lines.len()), "lines"),
        };
        match listed.items {
            Some(stated) if stated == found => Ok(None),
            Some(stated) => Err(failed(format!("the list shows {stated} {what}, the page of the order {found}."))),
            None => Ok(Some(Doubt::new(failed("the list lacks the number of items.".to_owned()), Proof::Record))),
        }
    }
}
