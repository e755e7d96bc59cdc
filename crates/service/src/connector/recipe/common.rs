//! What recipes for pages and for JSON have in common: their version, and the words for the status of an order.

use ordersync_api::ShipmentStatus;
use serde::Deserialize;
use serde::de::{self, Deserializer};

use super::value::Word;
use crate::connector::kit::text::{normalised, undecorated};

/// The version of the format.
const VERSION: i64 = 1;

#[derive(Debug)]
pub(super) struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match i64::deserialize(deserializer)? {
            VERSION => Ok(Self),
            other => Err(de::Error::custom(format!(
                "the recipe is of version {other}, and this program reads version {VERSION}: write `recipe = {VERSION}`"
            ))),
        }
    }
}

pub(super) fn default_username_label() -> String {
    "Username or email".to_owned()
}

/// A word that is in two of the lists.
pub(super) fn twice<'a>(lists: &[&'a [Word]]) -> Option<&'a str> {
    let mut seen = std::collections::HashMap::new();
    lists.iter().enumerate().find_map(|(meaning, words)| {
        words
            .iter()
            .find(|word| seen.insert(word.as_str(), meaning).is_some_and(|other| other != meaning))
            .map(Word::as_str)
    })
}

/// The words for each status.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Statuses {
    pub(super) pending: Vec<Word>,
    pub(super) unpaid: Vec<Word>,
    pub(super) processing: Vec<Word>,
    pub(super) shipped: Vec<Word>,
    pub(super) delivered: Vec<Word>,
    pub(super) completed: Vec<Word>,
    pub(super) cancelled: Vec<Word>,
    pub(super) returned: Vec<Word>,
    pub(super) refunded: Vec<Word>,
}

impl Statuses {
    pub(super) fn all(&self) -> [(ShipmentStatus, &[Word]); 9] {
        [
            (ShipmentStatus::Pending, &self.pending),
            (ShipmentStatus::Unpaid, &self.unpaid),
            (ShipmentStatus::Processing, &self.processing),
            (ShipmentStatus::Shipped, &self.shipped),
            (ShipmentStatus::Delivered, &self.delivered),
            (ShipmentStatus::Completed, &self.completed),
            (ShipmentStatus::Cancelled, &self.cancelled),
            (ShipmentStatus::Returned, &self.returned),
            (ShipmentStatus::Refunded, &self.refunded),
        ]
    }

    /// A word for two of them.
    pub(super) fn ambiguous(&self) -> Option<&str> {
        twice(&self.all().map(|(_, words)| words))
    }

    /// What the shop's word for a status means.
    pub(super) fn meaning(&self, text: &str) -> Option<ShipmentStatus> {
        let text = normalised(undecorated(text));
        let all = self.all();
        all.iter().find(|(_, words)| words.iter().any(|word| *word == *text)).map(|(status, _)| *status)
    }
}
