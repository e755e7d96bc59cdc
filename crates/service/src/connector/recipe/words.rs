//! What the words of a shop mean: labels of figures, statuses, and that there are no orders.

use ordersync_api::ShipmentStatus;

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
    pub(super) fn all(&self) -> [(Label, &[Word]); 10] {
        [
            (Label::Figure(Summary::Basket), &self.basket),
            (Label::Figure(Summary::BasketBeforeDiscounts), &self.basket_before_discounts),
            (Label::Figure(Summary::BasketAfterDiscounts), &self.basket_after_discounts),
            (Label::Discount, &self.discount),
            (Label::Figure(Summary::Shipping), &self.shipping),
            (Label::Figure(Summary::Tax), &self.tax),
            (Label::Figure(Summary::Fee), &self.fee),
            (Label::Figure(Summary::Refund), &self.refund),
            (Label::Figure(Summary::OrderTotal), &self.total),
            (Label::Note, &self.note),
        ]
    }
}

impl Words {
    /// What the label of a row below the lines means; `None`: the shop's own word.
    pub(super) fn label(&self, label: &str) -> Option<Label> {
        let label = normalised(label);
        let all = self.labels.all();
        let known = all.iter().find(|(_, words)| words.iter().any(|word| *word == *label)).map(|(meaning, _)| *meaning);
        let InLabels { tax, fee } = &self.in_labels;
        let has = |list: &[Word]| {
            label.split(|sign: char| !sign.is_alphanumeric()).any(|part| list.iter().any(|word| *word == *part))
        };
        known.or_else(|| match (has(tax), has(fee)) {
            (true, false) => Some(Label::Figure(Summary::Tax)),
            (false, true) => Some(Label::Figure(Summary::Fee)),
            // "Fee for taxes" may be either.
            _ => None,
        })
    }

    pub(super) fn status(&self, text: &str) -> Option<ShipmentStatus> {
        let text = normalised(text);
        let all = self.statuses.all();
        all.iter().find(|(_, words)| words.iter().any(|word| *word == *text)).map(|(status, _)| *status)
    }

    pub(super) fn says_no_orders(&self, text: &str) -> bool {
        let text = normalised(text);
        self.no_orders.iter().any(|words| text.starts_with(words.as_str()))
    }

    /// A word that has two meanings.
    pub(super) fn ambiguous(&self) -> Option<(&'static str, &str)> {
        let labels = self.labels.all().map(|(_, words)| words);
        let statuses = self.statuses.all().map(|(_, words)| words);
        let in_labels = [&*self.in_labels.tax, &*self.in_labels.fee];
        twice(&labels)
            .map(|word| ("words.labels", word))
            .or_else(|| Some(("words.statuses", twice(&statuses)?)))
            .or_else(|| Some(("words.in_labels", twice(&in_labels)?)))
    }
}

fn twice<'a>(lists: &[&'a [Word]]) -> Option<&'a str> {
    let mut seen = std::collections::HashMap::new();
    lists.iter().enumerate().find_map(|(meaning, words)| {
        words
            .iter()
            .find(|word| seen.insert(word.as_str(), meaning).is_some_and(|other| other != meaning))
            .map(Word::as_str)
    })
}
