//! What a page shows of an order, before it is known whether its figures agree.

use ordersync_api::order::Shipment;
use ordersync_api::{Adjustment, AdjustmentType};
use rust_decimal::Decimal;

use super::check::{Check, Failure};
use super::money::Money;
use super::pieces::Pieces;

/// An amount of a line of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) enum LineColumn {
    Total,
    /// One reading of a cell that has several, of which the sum finds the right one.
    Candidate,
    UnitPrice,
}

/// A figure below the lines of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) enum Summary {
    BasketBeforeDiscounts,
    BasketAfterDiscounts,
    Basket,
    ShippingBeforeDiscounts,
    ShippingAfterDiscounts,
    Shipping,
    Tax,
    Fee,
    /// Paid back after the order: no part of its total.
    Refund,
    /// How it was paid: no part of the total.
    Payment,
    /// Not paid yet: no part of the total either.
    Owed,
    GiftCard,
    Reward,
    Tip,
    Deposit,
    OrderTotal,
}

impl Summary {
    /// Whether it is a sum of the lines.
    pub(super) const fn is_basket(self) -> bool {
        matches!(self, Self::BasketBeforeDiscounts | Self::BasketAfterDiscounts | Self::Basket)
    }

    /// Whether it is a sum of others, and says something also when it is nothing.
    pub(in crate::connector) const fn is_sum(self) -> bool {
        self.is_basket() || matches!(self, Self::OrderTotal)
    }

    /// Whether it says how much of the total was paid, or was not.
    const fn is_of_payment(self) -> bool {
        matches!(self, Self::Payment | Self::Owed)
    }

    /// Whether it may be a part of the total, or say how that was paid: the sum shows which.
    const fn may_be_part(self) -> bool {
        matches!(self, Self::GiftCard | Self::Reward | Self::Tip | Self::Deposit)
    }

    /// Whether its row may be in words: "Free shipping", "150 points earned".
    pub(in crate::connector) const fn may_be_words(self) -> bool {
        matches!(self, Self::Shipping) || self.is_of_payment() || self.may_be_part()
    }

    /// Whether it lowers the total if it is a part of it.
    const fn is_taken_off(self) -> bool {
        matches!(self, Self::GiftCard | Self::Reward | Self::Refund)
    }
}

/// A title, and the path of the product's page if the title links to it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::connector) struct Title {
    pub(in crate::connector) text: String,
    pub(in crate::connector) product: Option<String>,
    /// Whether the cell has further texts: the page of the product then has to confirm the title.
    pub(in crate::connector) is_doubtful: bool,
    /// Further texts of the cell, any of which may be the title.
    pub(in crate::connector) others: Vec<String>,
    /// Whether it looks as if its end were missing.
    pub(in crate::connector) is_cut: bool,
}

/// A page that can be read in another way. Without the proof, this is a failed check.
pub(in crate::connector) struct Doubt {
    pub(in crate::connector) failure: Failure,
    pub(in crate::connector) proof: Proof,
}

/// What settles a doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) enum Proof {
    /// The number of items in the list, and figures that all agree: there is nothing more in the order than what was read.
    Sums,
    /// The shop's own record of the order, figure by figure.
    Record,
}

impl Doubt {
    pub(in crate::connector) const fn new(failure: Failure, proof: Proof) -> Self {
        Self { failure, proof }
    }
}

/// A line as it was read, before it is known which of its amounts is its total.
#[derive(PartialEq, Eq)]
pub(in crate::connector) struct ReadLine {
    pub(in crate::connector) title: Title,
    pub(in crate::connector) quantity: Decimal,
    /// The shop's number of the article, if the line shows it.
    pub(in crate::connector) sku: Option<String>,
    /// How far they got.
    pub(in crate::connector) pieces: Pieces,
    /// The parcels that they are in, as far as the platform shows them.
    pub(in crate::connector) shipments: Vec<Shipment>,
    pub(in crate::connector) amounts: Vec<(LineColumn, Option<Money>)>,
}

impl ReadLine {
    /// A line with a quantity of 0 or less and no link to a product may be a note, a voucher or a part of a bundle.
    pub(in crate::connector) fn doubt(&self) -> Option<Doubt> {
        let is_doubtful = self.quantity <= Decimal::ZERO && self.title.product.is_none();
        let found =
            format!("a line of {} pieces links to no product: it may be something else than a line.", self.quantity);
        is_doubtful.then(|| Doubt::new(Failure::new(Check::Lines, found), Proof::Record))
    }
}

/// A figure below the lines.
pub(in crate::connector) struct Figure {
    /// Its label, as the shop has it.
    pub(in crate::connector) label: String,
    /// What its label says; `None` for a label that is not known.
    pub(in crate::connector) kind: Option<Summary>,
    /// Whether it is marked as a discount: it is then taken off, whatever its sign.
    pub(in crate::connector) is_discount: bool,
    /// Whether it belongs to what is left after refunds, and not to the order as it was placed.
    pub(in crate::connector) is_of_rest: bool,
    pub(in crate::connector) money: Money,
}

/// Everything that the page of an order shows. Nothing of it may be left out: what the platform does not show is `None`, or
/// an empty list.
pub(in crate::connector) struct ShownOrder {
    /// In the shop's own words; `None`: neither page nor list show one, or in unknown words.
    pub(in crate::connector) status: Option<String>,
    pub(in crate::connector) lines: Vec<ReadLine>,
    /// Every amount below the lines.
    pub(in crate::connector) figures: Vec<Figure>,
    /// What can be read in another way.
    pub(in crate::connector) doubts: Vec<Doubt>,
    /// Whether something was sent that is none of the lines.
    pub(in crate::connector) has_other_shipments: bool,
    /// Whether it is in another currency than the shop's own: its figures were then converted, each on its own.
    pub(in crate::connector) is_converted: bool,
}

/// The amounts of lines, in every column, and of figures.
pub(super) fn amounts<'a>(lines: &'a [ReadLine], figures: &'a [Figure]) -> impl Iterator<Item = &'a Money> {
    let of_lines = lines.iter().flat_map(|line| line.amounts.iter().filter_map(|(_, money)| money.as_ref()));
    of_lines.chain(figures.iter().map(|figure| &figure.money))
}

impl Figure {
    pub(super) fn amount(&self) -> Decimal {
        if self.is_discount || self.kind.is_some_and(Summary::is_taken_off) {
            -self.money.amount().abs()
        } else {
            self.money.amount()
        }
    }

    /// As an adjustment of the order. `is_part`: of its total.
    pub(super) fn adjustment(&self, is_part: bool, is_tax_included: bool) -> Adjustment {
        let kind = match self.kind {
            _ if self.is_discount => AdjustmentType::Discount,
            Some(Summary::ShippingBeforeDiscounts | Summary::Shipping | Summary::ShippingAfterDiscounts) => {
                AdjustmentType::Shipping
            }
            Some(Summary::Tax) => AdjustmentType::Tax,
            Some(Summary::Fee) => AdjustmentType::Fee,
            Some(Summary::Refund) => AdjustmentType::Refund,
            Some(Summary::Payment) => AdjustmentType::Payment,
            Some(Summary::GiftCard) => AdjustmentType::GiftCard,
            Some(Summary::Reward) => AdjustmentType::Reward,
            Some(Summary::Tip) => AdjustmentType::Tip,
            Some(Summary::Deposit) => AdjustmentType::Deposit,
            _ => AdjustmentType::Other,
        };
        let has_paid = !is_part && self.may_be_part();
        let amount = if has_paid { self.money.amount().abs() } else { self.amount() };
        Adjustment {
            kind: kind.into(),
            // Nothing is less than nothing.
            amount: if amount.is_zero() { amount.abs() } else { amount },
            currency: Some(self.money.currency().code().to_owned()),
            date: None,
            text: Some(self.label.clone()),
            included: has_paid || self.kind == Some(Summary::Owed) || kind == AdjustmentType::Tax && is_tax_included,
        }
    }

    /// Whether it is a discount, a fee or another part of the order's total, and not a sum of others.
    pub(super) fn is_part(&self) -> bool {
        self.kind.is_none_or(|kind| {
            !kind.is_basket()
                && !kind.is_of_payment()
                && !matches!(kind, Summary::OrderTotal | Summary::ShippingAfterDiscounts | Summary::Refund)
        })
    }

    /// Whether it says how much of the total was paid, or was not.
    pub(super) fn is_of_payment(&self) -> bool {
        self.kind.is_some_and(Summary::is_of_payment)
    }

    /// Whether it may be a part of the total, or say how that was paid.
    pub(super) fn may_be_part(&self) -> bool {
        !self.is_discount && self.kind.is_some_and(Summary::may_be_part)
    }
}
