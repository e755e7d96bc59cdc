//! What a page shows of an order, before it is known whether its figures agree.

use rust_decimal::Decimal;

use super::money::Money;

/// A column of the lines of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) enum LineColumn {
    Product,
    Quantity,
    TotalWithoutTax,
    TotalWithTax,
    /// A total that does not say whether it contains tax.
    Total,
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
    OrderTotal,
}

/// A title, and the path of the product's page if the title links to it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::connector) struct Title {
    pub(in crate::connector) text: String,
    pub(in crate::connector) product: Option<String>,
    /// Whether the cell has further texts: the page of the product then has to confirm the title.
    pub(in crate::connector) is_doubtful: bool,
}

/// A line as it was read, before it is known which of its amounts is its total.
pub(in crate::connector) struct ReadLine {
    pub(in crate::connector) title: Title,
    pub(in crate::connector) quantity: Decimal,
    /// The amount of each column, with what its heading says.
    pub(in crate::connector) amounts: Vec<(Option<LineColumn>, Option<Money>)>,
}

/// A figure below the lines.
pub(in crate::connector) struct Figure {
    /// What its label says; `None` for a label that is not known.
    pub(in crate::connector) kind: Option<Summary>,
    /// Whether it is marked as a discount: it is then taken off, whatever its sign.
    pub(in crate::connector) is_discount: bool,
    pub(in crate::connector) money: Money,
}

/// Everything that the page of an order shows. Nothing of it may be left out: what the platform does not show is `None`, or
/// an empty list.
pub(in crate::connector) struct ShownOrder {
    /// In the shop's own words; `None`: the page shows none, or one in unknown words.
    pub(in crate::connector) status: Option<String>,
    pub(in crate::connector) lines: Vec<ReadLine>,
    /// Every amount below the lines.
    pub(in crate::connector) figures: Vec<Figure>,
}

impl Figure {
    pub(super) fn amount(&self) -> Decimal {
        if self.is_discount { -self.money.amount().abs() } else { self.money.amount() }
    }

    /// Whether it is a discount, a fee or another part of the order's total, and not a sum of others.
    pub(super) fn is_part(&self) -> bool {
        !matches!(
            self.kind,
            Some(
                Summary::BasketBeforeDiscounts
                    | Summary::BasketAfterDiscounts
                    | Summary::Basket
                    | Summary::OrderTotal
                    | Summary::ShippingAfterDiscounts
            )
        )
    }
}
