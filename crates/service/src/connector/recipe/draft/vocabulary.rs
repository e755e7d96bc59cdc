//! The words of the recipes that ship with the program: what shops call their columns and figures.

use crate::connector::kit::figures::Summary;
use crate::connector::kit::text::normalised;
use crate::connector::recipe::format::Recipe;
use crate::connector::recipe::value::{At, Place, Word};
use crate::connector::recipe::words::Label;
use crate::connector::recipe::{CheckedRecipe, PLATFORMS};

/// What a column of a list of orders, or of the lines of an order, may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Number,
    Date,
    Total,
    Items,
    Status,
    Title,
    Quantity,
    UnitPrice,
    LineTotal,
    Sku,
}

/// All recipes for pages.
pub(super) struct Vocabulary(Vec<Recipe>);

/// Headings that no recipe has, as their columns are found in another way there.
const MORE: [(Column, &[&str]); 6] = [
    (Column::Number, &["order", "order id", "order no.", "order #", "no.", "nr."]),
    (Column::Status, &["status", "order status", "state", "stato", "estado", "statut"]),
    (Column::Sku, &["sku", "model", "article number", "item number", "product code", "upc"]),
    (Column::Title, &["article", "product name", "description", "artikel"]),
    (Column::UnitPrice, &["price", "preis", "prix", "prijs", "precio", "prezzo"]),
    (Column::LineTotal, &["total", "amount", "sum", "gesamt", "summe"]),
];

impl Vocabulary {
    pub(super) fn shipped() -> Self {
        let load = |(name, text): &(&str, &str)| match CheckedRecipe::load(name, text, None).ok()?.0 {
            super::super::Kind::Pages(recipe) => Some(*recipe),
            super::super::Kind::Json(_) => None,
        };
        Self(PLATFORMS.iter().filter_map(load).collect())
    }

    /// Whether a column with this heading is such a one.
    pub(super) fn is(&self, column: Column, heading: &str) -> bool {
        let heading = normalised(heading);
        let is_word = |words: &[Word]| words.iter().any(|word| *word == *heading);
        let at = |place: &Place| matches!(&place.at, At::Heading(words) if is_word(words));
        let in_recipe = |recipe: &Recipe| {
            let (list, order) = (&recipe.list, &recipe.order);
            match column {
                Column::Number => at(&list.number),
                Column::Date => at(&list.date),
                Column::Total => at(&list.total),
                Column::Items => list.items.as_ref().is_some_and(at),
                Column::Status => list.status.as_ref().is_some_and(at),
                Column::Title => at(&order.title) || is_word(&order.other_titles),
                Column::Quantity => order.quantity.0.iter().any(at),
                Column::UnitPrice => order.unit_price.as_ref().is_some_and(at),
                Column::LineTotal => order.total.0.iter().any(at),
                Column::Sku => order.sku.as_ref().is_some_and(at),
            }
        };
        let more = MORE.iter().filter(|(of, _)| *of == column).flat_map(|(_, words)| *words);
        self.0.iter().any(in_recipe) || more.copied().any(|word| word == heading)
    }

    /// The key of `words.labels` for a label.
    pub(super) fn label(&self, label: &str) -> Option<&'static str> {
        let label = label.trim().trim_end_matches(':');
        let found = self.0.iter().find_map(|recipe| recipe.words.label(label, &[]));
        Some(match found.or_else(|| guessed(&normalised(label)))? {
            Label::Discount => "discount",
            Label::Note => "note",
            Label::Figure(summary) => key(summary),
        })
    }

    /// Whether a shop says so of an order.
    pub(super) fn knows_status(&self, text: &str) -> bool {
        let known = crate::connector::kit::status::meaning(text, &std::collections::HashMap::new());
        known.known().is_some() || self.0.iter().any(|recipe| recipe.words.status(text).is_some())
    }
}

/// What a label says in the words of many shops.
fn guessed(label: &str) -> Option<Label> {
    let has = |words: &[&str]| words.iter().any(|word| label.contains(word));
    let is_basket = has(&["sub-total", "subtotal", "sub total", "basket total", "items total"]);
    Some(match () {
        () if is_basket && label.contains("discount") => Label::Figure(Summary::BasketAfterDiscounts),
        () if is_basket => Label::Figure(Summary::Basket),
        () if has(&["voucher", "discount", "coupon", "rabatt", "remise", "promotion"]) => Label::Discount,
        () if has(&["shipping", "delivery", "postage", "versand", "livraison"]) => Label::Figure(Summary::Shipping),
        () if has(&["tax", "vat", "mwst", "tva"]) => Label::Figure(Summary::Tax),
        () if has(&["refund", "paid back"]) => Label::Figure(Summary::Refund),
        () if has(&["total", "gesamt"]) => Label::Figure(Summary::OrderTotal),
        () => return None,
    })
}

/// The key of `words.labels`.
const fn key(summary: Summary) -> &'static str {
    match summary {
        Summary::Basket => "basket",
        Summary::BasketBeforeDiscounts => "basket_before_discounts",
        Summary::BasketAfterDiscounts => "basket_after_discounts",
        Summary::Shipping => "shipping",
        Summary::ShippingBeforeDiscounts => "shipping_before_discounts",
        Summary::ShippingAfterDiscounts => "shipping_after_discounts",
        Summary::Tax => "tax",
        Summary::Fee => "fee",
        Summary::Refund => "refund",
        Summary::Payment => "payment",
        Summary::Owed => "owed",
        Summary::GiftCard => "gift_card",
        Summary::Reward => "reward",
        Summary::Tip => "tip",
        Summary::Deposit => "deposit",
        Summary::OrderTotal => "total",
    }
}
