//! Amounts, as WooCommerce marks them on every page: `<span class="woocommerce-Price-amount">`. After a refund, the page shows
//! what was ordered and what is left: `<del>10.00</del> <ins>0.00</ins>`.

use ordersync_api::SyncErrorCode;
use scraper::{ElementRef, Html};

use crate::connector::ConnectorError;
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::currency::Currency;
use crate::connector::kit::locale::Locale;
use crate::connector::kit::money::Money;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::text::{selector, text};

/// What reading amounts needs to know.
#[derive(Clone, Copy)]
pub(super) struct Amounts<'a> {
    pub(super) page: PageKind,
    pub(super) check: Check,
    pub(super) locale: Locale,
    pub(super) currency: Option<&'a Currency>,
    pub(super) decimals: Decimals,
}

/// What is known of the decimals of a page's amounts: all have the same number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decimals {
    /// The operator says that there are none.
    None,
    /// The page shows how many there are, as `1,234.50`, `999` and `1,234,567` do.
    Shown,
    /// Each amount is like `1,234`: thousands, or three decimals.
    Unknown,
}

impl Decimals {
    pub(super) fn of(page: &Html, settings: &Settings) -> Self {
        if settings.whole_prices { Self::None } else { Self::shown_by(page) }
    }

    fn shown_by(page: &Html) -> Self {
        let mut amounts = page.select(selector!(".woocommerce-Price-amount"));
        if amounts.any(|amount| says_decimals(&text(amount))) { Self::Shown } else { Self::Unknown }
    }
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

/// What a cell shows.
pub(super) struct Shown {
    /// As it was ordered.
    pub(super) ordered: Money,
    /// What is left of it after refunds, if there were any.
    pub(super) left: Option<Money>,
}

impl Amounts<'_> {
    /// The one amount of a cell; a `<small>` explains it. `None`: the cell has none.
    pub(super) fn read(&self, cell: ElementRef<'_>) -> Result<Option<Shown>, Unread> {
        let mut marked = cell.select(selector!(".woocommerce-Price-amount")).filter(|amount| !is_in(*amount, "small"));
        let (first, second) = (marked.next(), marked.next());
        let mut struck = cell.select(selector!("del")).filter(|del| !is_in(*del, "small"));
        let inserted = cell.select(selector!("ins")).filter(|ins| !is_in(*ins, "small")).count();
        let (del, second_del) = (struck.next(), struck.next());
        let Some(amount) = first else { return Ok(None) };
        match (del, second) {
            (None, None) if inserted == 0 => {
                let ordered = self.money(&format!("{}{}", sign_before(cell), text(amount)))?;
                Ok(Some(Shown { ordered, left: None }))
            }
            // The struck amount has the mark in some versions, and is a plain text in others.
            (Some(del), _) if inserted == 1 && second_del.is_none() => {
                let mut left =
                    cell.select(selector!("ins .woocommerce-Price-amount")).filter(|left| !is_in(*left, "small"));
                let (Some(only), None) = (left.next(), left.next()) else {
                    return Err(self.failed("amounts that contradict each other."));
                };
                Ok(Some(Shown { ordered: self.money(&text(del))?, left: Some(self.money(&text(only))?) }))
            }
            _ => Err(self.failed("several amounts in one place.")),
        }
    }

    /// The amounts that explain another, with their labels: `(includes $1.60 VAT)`.
    pub(super) fn included(&self, cell: ElementRef<'_>) -> Result<Vec<(String, Money)>, Unread> {
        let marked = cell.select(selector!("small.includes_tax .woocommerce-Price-amount"));
        marked.map(|amount| Ok((label_after(amount), self.money(&text(amount))?))).collect()
    }

    fn money(&self, words: &str) -> Result<Money, Unread> {
        let read = |locale| Money::read(words, locale, self.currency, (self.page, "an amount"));
        let read = match read(self.locale) {
            Ok(money) => self.certain(words, money),
            // The shop chooses the signs of its amounts, whatever its language. Only decimals show which sign is which.
            Err(error) => match read(self.locale.with_either_sign()) {
                Ok(money) if money.amount().scale() == money.currency().minor_units() => Ok(money),
                Ok(money) if self.decimals == Decimals::None => Ok(money),
                Ok(_) => Err(unknown_decimals(self.page)),
                Err(_) => Err(error),
            },
        };
        read.map_err(|error| match error.code {
            SyncErrorCode::RetailerMisconfigured => Unread::Other(error),
            _ => Failure::new(self.check, error.message).into(),
        })
    }

    /// An amount that was read, unless nothing shows whether it has decimals.
    fn certain(&self, words: &str, money: Money) -> Result<Money, ConnectorError> {
        let is_doubtful =
            self.decimals == Decimals::Unknown && money.currency().minor_units() > 0 && !says_decimals(words);
        if is_doubtful { Err(unknown_decimals(self.page)) } else { Ok(money) }
    }

    pub(super) fn failed(&self, found: &str) -> Unread {
        Failure::new(self.check, format!("the page shows {found}")).into()
    }
}

fn unknown_decimals(page: PageKind) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::RetailerMisconfigured).with_message(format!(
        "An amount of the {page} can be read in two ways: as thousands, or with three decimals. If the shop shows its \
         prices without decimals, set `whole_prices = true` of the retailer. Shops that show three decimals cannot be read."
    ))
}

/// Whether an element is in one of this name.
pub(super) fn is_in(element: ElementRef<'_>, name: &str) -> bool {
    element.ancestors().filter_map(ElementRef::wrap).any(|above| above.value().name() == name)
}

/// Whether a text holds a number with decimals, or one beside the sign of a currency: an amount without its mark.
pub(super) fn looks_like_amount(text: &str) -> bool {
    let signs: Vec<char> = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    let is_digit = |sign: &char| sign.is_ascii_digit();
    let is_symbol =
        |sign: &char| matches!(sign, '$' | '£' | '€' | '¥' | '₹' | '₩' | '₽' | '₺' | '₪' | '฿' | '₫' | '￥');
    signs.windows(3).any(|part| is_digit(&part[0]) && matches!(part[1], '.' | ',') && is_digit(&part[2]))
        || signs
            .windows(2)
            .any(|part| is_digit(&part[0]) && is_symbol(&part[1]) || is_symbol(&part[0]) && is_digit(&part[1]))
}

/// Discounts have their minus before the mark.
fn sign_before(cell: ElementRef<'_>) -> &'static str {
    let own = cell.children().find_map(|child| {
        let text = child.value().as_text()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    });
    if own.is_some_and(|own| own.starts_with(['-', '–', '−'])) { "-" } else { "" }
}

/// The words between an amount and the next one.
fn label_after(amount: ElementRef<'_>) -> String {
    let words: String = amount
        .next_siblings()
        .take_while(|next| !next.value().is_element())
        .filter_map(|next| next.value().as_text().map(|text| text.to_string()))
        .collect();
    words.trim_matches(|sign: char| sign.is_whitespace() || matches!(sign, ',' | ')' | '(')).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shop_chooses_the_signs_of_its_amounts_but_nothing_is_guessed() {
        let currency = Currency::from_code("EUR");
        let read = |decimals: Decimals, tag: &str, text: &str| {
            let locale = Locale::from_tag(tag).unwrap();
            let amounts =
                Amounts { page: PageKind::Order, check: Check::Lines, locale, currency: currency.as_ref(), decimals };
            amounts.money(text).ok().map(|money| money.amount().to_string())
        };
        for (tag, text, expected) in [
            ("en", "1,234.50 €", Some("1234.50")),
            ("en", "1.234,50 €", Some("1234.50")),
            ("de", "€1,234.50", Some("1234.50")),
            ("en", "12,50 €", Some("12.50")),
            ("en", "-€0,50", Some("-0.50")),
            // A thousand, or three decimals?
            ("en", "€1.234", None),
            ("de", "€1,234", None),
        ] {
            assert_eq!(read(Decimals::Shown, tag, text).as_deref(), expected, "{tag} {text}");
        }
        for (tag, text) in [("de", "€1,234"), ("de", "1.234 €"), ("en", "€1,234")] {
            assert_eq!(read(Decimals::None, tag, text).as_deref(), Some("1234"), "{tag} {text}");
            assert_eq!(read(Decimals::Unknown, tag, text), None, "{tag} {text}");
        }
    }

    #[test]
    fn an_amount_with_one_group_needs_another_that_shows_the_decimals() {
        for (amounts, known) in [
            (&["$1,234", "$22,500"][..], false),
            (&["1.234 €"], false),
            (&["$1,234", "$999"], true),
            (&["$1,234", "$0"], true),
            (&["$1,234", "$1,234,567"], true),
            (&["$1,234", "$1,234.50"], true),
            (&["12 990 Ft"], true),
            (&["1 234,500 €"], false),
            (&["1,234.500 €", "€"], false),
        ] {
            let marked = |amount: &&str| format!("<span class='woocommerce-Price-amount'>{amount}</span>");
            let page = Html::parse_document(&amounts.iter().map(marked).collect::<String>());
            assert_eq!(Decimals::shown_by(&page) == Decimals::Shown, known, "{amounts:?}");
        }
    }

    #[test]
    fn an_amount_without_its_mark_is_noticed() {
        for text in ["Flat rate: 4.50", "$ 5", "5 €", "from 1,5"] {
            assert!(looks_like_amount(text), "{text}");
        }
        for text in ["Flat rate 2", "Free shipping", "DHL 2-3 days", ""] {
            assert!(!looks_like_amount(text), "{text}");
        }
    }
}
