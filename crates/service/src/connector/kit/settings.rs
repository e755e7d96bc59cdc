//! What the operator says of a shop, and what follows from it where the pages leave something open.

use std::collections::HashMap;

use ordersync_api::{Open, ShipmentStatus, SyncErrorCode};
use ordersync_values::zone::Tz;
use scraper::Html;

use super::currency::Currencies;
use super::due::Reread;
use super::list_proof::EndOfList;
use super::locale::Locale;
use super::status;
use super::text::selector;
use crate::connector::ConnectorError;

/// An operator's settings for one shop.
#[derive(Debug, Clone)]
pub(in crate::connector) struct Settings {
    /// The zone of the dates on the pages, which show none.
    pub(in crate::connector) time_zone: Tz,
    /// The language of the pages (BCP 47); `None`: the one that each page names.
    pub(in crate::connector) locale: Option<String>,
    /// What the symbols of amounts stand for, if they do not say it.
    pub(in crate::connector) currencies: Currencies,
    /// Whether the shop shows its amounts without decimals, so that `1,234` is a thousand.
    pub(in crate::connector) whole_prices: bool,
    /// The shop's own words for the status of an order, in lower case.
    pub(in crate::connector) statuses: HashMap<String, ShipmentStatus>,
    /// How many pages of the order list are read at most.
    pub(in crate::connector) max_pages: u32,
    /// Whether the list has one page: the page after it is not asked for.
    pub(in crate::connector) single_page: bool,
    /// Whether a list of one page counts as complete although nothing proves its end.
    pub(in crate::connector) accept_unproven_end: bool,
    /// How many of the newest settled orders are read again at every sync.
    pub(in crate::connector) reread_newest: u32,
    /// How many of the other settled orders are read again at every sync: those that were read longest ago.
    pub(in crate::connector) reread_oldest: u32,
}

impl Settings {
    /// The locale that a page is written in.
    /// Fails with `retailer_misconfigured` if neither the configuration nor the page names a language that is
    /// supported.
    pub(in crate::connector) fn locale_of(&self, page: &Html) -> Result<Locale, ConnectorError> {
        let tag = self.locale.as_deref().or_else(|| page.select(selector!("html[lang]")).next()?.attr("lang"));
        tag.and_then(Locale::from_tag).ok_or_else(unknown_locale)
    }

    /// The end of a list of one page.
    pub(in crate::connector) const fn one_page(&self) -> EndOfList {
        EndOfList::OnePage { is_accepted: self.accept_unproven_end }
    }

    /// How many settled orders each sync reads again.
    pub(in crate::connector) const fn reread(&self) -> Reread {
        Reread { newest: self.reread_newest, oldest: self.reread_oldest }
    }

    /// What the shop's word for a status means; its own word where that is not known.
    pub(in crate::connector) fn status(&self, text: &str) -> Open<ShipmentStatus> {
        status::meaning(text, &self.statuses)
    }
}

/// The error for pages in a language that is not read.
fn unknown_locale() -> ConnectorError {
    ConnectorError::new(SyncErrorCode::RetailerMisconfigured).with_message(format!(
        "The retailer's pages are not in a language that can be read ({known}). Set `locale` of the retailer to one of \
         these: the shop is then asked for its pages in that language.",
        known = Locale::KNOWN
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_that_is_not_read_is_said_to_be_so() {
        let message = unknown_locale().message;
        assert!(message.contains("`locale`") && message.contains(Locale::KNOWN), "{message}");
    }
}
