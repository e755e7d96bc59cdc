//! What the words of a shop mean: labels of figures, statuses, and that there are no orders.

use ordersync_api::ShipmentStatus;

use super::common::twice;
use super::format::{InLabels, Labels, Words};
use super::value::Word;
use crate::connector::kit::figures::Summary;
use crate::connector::kit::text::normalised;

/// What the label of a row below the lines means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Figure(Summary),
    Discount,
    /// No amount: how the order is paid, or what the customer noted.
    Note,
}

impl Labels {
    pub(super) fn all(&self) -> [(Label, &[Word]); 18] {
        [
            (Label::Figure(Summary::Basket), &self.basket),
            (Label::Figure(Summary::BasketBeforeDiscounts), &self.basket_before_discounts),
            (Label::Figure(Summary::BasketAfterDiscounts), &self.basket_after_discounts),
            (Label::Discount, &self.discount),
            (Label::Figure(Summary::Shipping), &self.shipping),
            (Label::Figure(Summary::ShippingBeforeDiscounts), &self.shipping_before_discounts),
            (Label::Figure(Summary::ShippingAfterDiscounts), &self.shipping_after_discounts),
            (Label::Figure(Summary::Tax), &self.tax),
            (Label::Figure(Summary::Fee), &self.fee),
            (Label::Figure(Summary::Refund), &self.refund),
            (Label::Figure(Summary::Payment), &self.payment),
            (Label::Figure(Summary::Owed), &self.owed),
            (Label::Figure(Summary::GiftCard), &self.gift_card),
            (Label::Figure(Summary::Reward), &self.reward),
            (Label::Figure(Summary::Tip), &self.tip),
            (Label::Figure(Summary::Deposit), &self.deposit),
            (Label::Figure(Summary::OrderTotal), &self.total),
            (Label::Note, &self.note),
        ]
    }
}

impl InLabels {
    fn all(&self) -> [(Label, &[Word]); 8] {
        [
            (Label::Discount, &self.discount),
            (Label::Figure(Summary::Tax), &self.tax),
            (Label::Figure(Summary::Fee), &self.fee),
            (Label::Figure(Summary::Payment), &self.payment),
            (Label::Figure(Summary::GiftCard), &self.gift_card),
            (Label::Figure(Summary::Reward), &self.reward),
            (Label::Figure(Summary::Tip), &self.tip),
            (Label::Figure(Summary::Deposit), &self.deposit),
        ]
    }
}

impl Words {
    /// What the label of a row below the lines means; `None`: the shop's own word. `shipping` are the names that the page gives the
    /// way in which the order was sent.
    pub(super) fn label(&self, label: &str, shipping: &[String]) -> Option<Label> {
        let label = normalised(label);
        let all = self.labels.all();
        let known = all.iter().find(|(_, words)| words.iter().any(|word| *word == *label)).map(|(meaning, _)| *meaning);
        let is_shipping = shipping.iter().any(|name| normalised(name) == label);
        let known = known.or_else(|| is_shipping.then_some(Label::Figure(Summary::Shipping)));
        let is_between = |sign: char| !sign.is_alphanumeric();
        let spaced = |text: &str| {
            let words: Vec<&str> = text.split(is_between).filter(|word| !word.is_empty()).collect();
            format!(" {} ", words.join(" "))
        };
        let label = spaced(&label);
        let in_labels = self.in_labels.all();
        let has = |words: &[Word]| words.iter().any(|word| label.contains(&spaced(word.as_str())));
        known.or_else(|| {
            let mut found = in_labels.iter().filter(|(_, words)| has(words)).map(|(meaning, _)| *meaning);
            // "Fee for taxes" may be either.
            found.next().filter(|_| found.next().is_none())
        })
    }

    pub(super) fn status(&self, text: &str) -> Option<ShipmentStatus> {
        self.statuses.meaning(text)
    }

    pub(super) fn says_no_orders(&self, text: &str) -> bool {
        let text = normalised(text);
        self.no_orders.iter().any(|words| text.starts_with(words.as_str()))
    }

    /// A word that has two meanings.
    pub(super) fn ambiguous(&self) -> Option<(&'static str, &str)> {
        let labels = self.labels.all().map(|(_, words)| words);
        let in_labels = self.in_labels.all().map(|(_, words)| words);
        twice(&labels)
            .map(|word| ("words.labels", word))
            .or_else(|| Some(("words.statuses", self.statuses.ambiguous()?)))
            .or_else(|| Some(("words.in_labels", twice(&in_labels)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::CheckedRecipe;
    use super::super::load::shipped;
    use super::*;

    #[test]
    fn plugins_of_woocommerce_name_payments_debts_gift_cards_points_tips_and_deposits_in_their_own_words() {
        use Summary::{Deposit, Fee, GiftCard, Owed, Payment, Reward, Shipping, Tax, Tip};
        let recipe = CheckedRecipe::load("WooCommerce", shipped("woocommerce"), None).unwrap().into_pages();
        for (label, expected) in [
            ("Gift card (ABCD-1234):", Some(GiftCard)),
            ("Geschenkgutschein: WXYZ", Some(GiftCard)),
            ("Carte cadeau", Some(GiftCard)),
            ("ギフトカード", Some(GiftCard)),
            ("Points redeemed", Some(Reward)),
            ("Store credit used:", Some(Reward)),
            ("Tip for the driver", Some(Tip)),
            ("Deposit:", Some(Deposit)),
            ("Pfand", Some(Deposit)),
            ("Amount paid:", Some(Payment)),
            ("Future Payments:", Some(Owed)),
            ("Balance due:", Some(Owed)),
            ("Künftige Zahlungen", Some(Owed)),
            ("VAT 20%:", Some(Tax)),
            ("Payment fee", Some(Fee)),
            ("Shipping:", Some(Shipping)),
            ("Gift wrapping", None),
            ("Gift card fee", None),
            ("Tiptoe shoes", None),
        ] {
            let meaning = recipe.words.label(label, &[]);
            assert_eq!(meaning, expected.map(Label::Figure), "{label}");
        }
        assert_eq!(recipe.words.label("Payment method:", &[]), Some(Label::Note));
    }
}
