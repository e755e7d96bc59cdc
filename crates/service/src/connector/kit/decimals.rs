//! Whether `1,234` is a thousand or has three decimals, which an amount alone does not say. Shops can choose three for any
//! currency. All amounts of a page have the same number of decimals, so one that shows it is enough.

use ordersync_api::SyncErrorCode;

use super::check::{Check, Failure};
use super::figures::{Doubt, Figure, Proof, ReadLine, amounts};
use super::money::Money;
use super::page::PageKind;
use super::settings::Settings;
use crate::connector::ConnectorError;

/// What is known of the decimals of a page's amounts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) enum Decimals {
    /// The operator says that there are none.
    None,
    /// The page shows how many there are, as `1,234.50`, `999` and `1,234,567` do.
    Shown,
    /// Each amount is like `1,234`.
    Unknown,
}

impl Decimals {
    /// `amounts`: the texts of all amounts of the page.
    pub(in crate::connector) fn of_amounts(settings: &Settings, mut amounts: impl Iterator<Item = String>) -> Self {
        if settings.whole_prices {
            Self::None
        } else if amounts.any(|amount| says_decimals(&amount)) {
            Self::Shown
        } else {
            Self::Unknown
        }
    }

    /// An amount that was read, unless nothing shows whether it has decimals.
    pub(in crate::connector) fn certain(
        self,
        words: &str,
        money: Money,
        page: PageKind,
    ) -> Result<Money, ConnectorError> {
        let is_doubtful = self == Self::Unknown && money.currency().minor_units() > 0 && !says_decimals(words);
        if is_doubtful { Err(unknown_decimals(page)) } else { Ok(money) }
    }
}

/// An order whose amounts may be rounded: they have no decimals, although its currency has. A shop that leaves out `.00` alone
/// shows the decimals of another amount, and shows `.00` nowhere.
pub(in crate::connector) fn rounded(settings: &Settings, lines: &[ReadLine], figures: &[Figure]) -> Option<Doubt> {
    let amounts: Vec<&Money> = amounts(lines, figures).collect();
    let is_whole = |money: &Money| money.amount().scale() < money.currency().minor_units();
    let shows =
        |has_zeros: bool| amounts.iter().any(|money| !is_whole(money) && money.amount().fract().is_zero() == has_zeros);
    let has_whole = amounts.iter().any(|money| is_whole(money) && !money.amount().is_zero());
    let is_in_doubt = !settings.whole_prices && has_whole && (shows(true) || !shows(false));
    let found = "amounts have no decimals, although the currency has: they may be rounded. If the shop's prices have none, set \
                 `whole_prices = true` of the retailer.";
    is_in_doubt.then(|| Doubt::new(Failure::new(Check::Figures, found), Proof::Record))
}

/// Whether an amount can only be read with one number of decimals.
fn says_decimals(amount: &str) -> bool {
    let number = amount.trim_matches(|sign: char| !sign.is_ascii_digit());
    match number.rsplit_once([',', '.']) {
        None => !number.is_empty(),
        // Two equal signs are no decimal signs.
        Some((before, last)) => {
            last.len() != 3 || number[before.len()..].chars().next().is_some_and(|sign| before.contains(sign))
        }
    }
}

pub(in crate::connector) fn unknown_decimals(page: PageKind) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::RetailerMisconfigured).with_message(format!(
        "An amount of the {page} can be read in two ways: as thousands, or with three decimals. If the shop shows its \
         prices without decimals, set `whole_prices = true` of the retailer. Shops that show three decimals cannot be read."
    ))
}
