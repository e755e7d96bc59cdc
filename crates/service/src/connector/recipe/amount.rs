//! Amounts: elements with the mark that a shop gives them, or else the whole text of their place. After a refund, a page may
//! show what was ordered and what is left: `<del>10.00</del> <ins>0.00</ins>`.

use ordersync_api::SyncErrorCode;
use rust_decimal::Decimal;
use scraper::{ElementRef, Html};

use super::cell::Cell;
use super::format;
use super::value::{Word, is_currency};
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::currency::{Currencies, Currency};
pub(super) use crate::connector::kit::decimals::Decimals;
use crate::connector::kit::decimals::unknown_decimals;
use crate::connector::kit::locale::Locale;
use crate::connector::kit::money::Money;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::text::{normalised, quoted, selector, text};
use crate::connector::kit::twice;

/// What reading amounts needs to know.
#[derive(Clone, Copy)]
pub(super) struct Amounts<'a> {
    pub(super) recipe: &'a format::Amounts,
    /// Whether refunds strike amounts.
    pub(super) struck: bool,
    pub(super) page: PageKind,
    pub(super) check: Check,
    pub(super) locale: Locale,
    pub(super) currencies: &'a Currencies,
    /// What amounts of nothing may say, and the currency that they are in; `None`: the shop's own.
    pub(super) zero: (&'a [Word], Option<&'a Currency>),
    pub(super) decimals: Decimals,
}

impl Decimals {
    /// Without a mark, amounts are the texts with the sign of a currency.
    pub(super) fn of(page: &Html, recipe: &format::Amounts, settings: &Settings) -> Self {
        match &recipe.mark {
            Some(mark) => Self::of_amounts(settings, page.select(mark.get()).map(text)),
            None => {
                let texts = page.root_element().text().filter(|text| text.contains(is_currency));
                Self::of_amounts(settings, texts.map(str::to_owned))
            }
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
    /// The one amount of a cell. `None`: the cell has none.
    pub(super) fn read(&self, cell: Cell<'_>) -> Result<Option<Shown>, Unread> {
        let shown = if self.recipe.mark.is_some() { self.read_marked(cell.element)? } else { self.read_whole(cell)? };
        let shown = if shown.is_none() { self.read_zero(cell)? } else { shown };
        if let Some(Shown { ordered, left: None }) = &shown
            && !twice::agrees_with_amount(cell.element, ordered.amount())
        {
            return Err(self.failed("an amount twice, and differently."));
        }
        Ok(shown)
    }

    /// The text of a cell, all of which is the amount.
    fn read_whole(&self, cell: Cell<'_>) -> Result<Option<Shown>, Unread> {
        if cell.element.select(selector!("del, ins")).next().is_some() {
            return Err(self.failed("an amount that is struck."));
        }
        if !text(cell.element).contains(|sign: char| sign.is_ascii_digit()) {
            return Ok(None);
        }
        let words = cell.number().map_err(|misfit| Failure::new(self.check, misfit.to_string()))?;
        Ok(Some(Shown { ordered: self.money(&words)?, left: None }))
    }

    /// An amount of nothing, as `words.zero` says it.
    fn read_zero(&self, cell: Cell<'_>) -> Result<Option<Shown>, Unread> {
        let words = normalised(&text(cell.element));
        if !self.zero.0.iter().any(|zero| *zero == *words) {
            return Ok(None);
        }
        let currency = self.zero.1.or_else(|| self.currencies.own());
        let found = "an amount in words says nothing of its currency. Set `currency` of the retailer.";
        let currency = currency.ok_or_else(|| Failure::new(Check::Currency, found))?;
        Ok(Some(Shown { ordered: Money::zero(currency), left: None }))
    }

    fn read_marked(&self, cell: ElementRef<'_>) -> Result<Option<Shown>, Unread> {
        let mut marked = self.marked(cell).filter(|amount| !self.is_aside(*amount));
        let (first, second) = (marked.next(), marked.next());
        let mut struck = cell.select(selector!("del")).filter(|del| !self.is_aside(*del));
        let inserted = cell.select(selector!("ins")).filter(|ins| !self.is_aside(*ins)).count();
        let (del, second_del) = (struck.next(), struck.next());
        let Some(amount) = first else { return Ok(None) };
        match (del, second) {
            (None, None) if inserted == 0 => {
                let ordered = self.money(&format!("{}{}", sign_before(cell), text(amount)))?;
                Ok(Some(Shown { ordered, left: None }))
            }
            // The struck amount has the mark in some versions, and is a plain text in others.
            (Some(del), _) if self.struck && inserted == 1 && second_del.is_none() => {
                let mut left = self.marked(cell).filter(|left| !self.is_aside(*left) && is_in(*left, "ins"));
                let (Some(only), None) = (left.next(), left.next()) else {
                    return Err(self.failed("amounts that contradict each other."));
                };
                Ok(Some(Shown { ordered: self.money(&text(del))?, left: Some(self.money(&text(only))?) }))
            }
            _ => Err(self.failed("several amounts in one place.")),
        }
    }

    /// What a line's cell may mean, if it has more than its total: its first amount, its last one with and without those
    /// that explain another, and the first as the price of one. A cell without an amount may mean nothing.
    pub(super) fn candidates(&self, cell: ElementRef<'_>, quantity: Decimal, currency: &Currency) -> Vec<Money> {
        let all: Vec<ElementRef<'_>> = self.marked(cell).collect();
        if all.is_empty() && !looks_like_amount(&text(cell)) {
            return vec![Money::zero(currency); 4];
        }
        let money = |amount: Option<&ElementRef<'_>>| amount.and_then(|amount| self.money(&text(*amount)).ok());
        let plain = all.iter().rfind(|amount| !self.is_aside(**amount));
        let first = money(all.first());
        let of_one = first.as_ref().and_then(|first| first.times(quantity));
        let found = [first, money(plain), money(all.last()), of_one];
        if found.iter().any(Option::is_none) { Vec::new() } else { found.into_iter().flatten().collect() }
    }

    /// The tax that an amount contains, with its label: `(includes $1.60 VAT)`, and whether it is that of what is left.
    pub(super) fn included(&self, cell: ElementRef<'_>) -> Result<Vec<(String, Money, bool)>, Unread> {
        let Some(included) = &self.recipe.included_tax else { return Ok(Vec::new()) };
        let marked = self.marked(cell).filter(|amount| included.holds(*amount));
        marked.map(|amount| Ok((label_after(amount), self.money(&text(amount))?, is_in(amount, "ins")))).collect()
    }

    /// Whether an element that is no amount holds one.
    pub(super) fn is_hidden_in(&self, element: ElementRef<'_>) -> bool {
        self.marked(element).next().is_some() || self.recipe.mark.is_none() && looks_like_amount(&text(element))
    }

    /// Whether an element is an amount by its mark.
    pub(super) fn is_mark(&self, element: ElementRef<'_>) -> bool {
        self.recipe.mark.as_ref().is_some_and(|mark| mark.is(element))
    }

    /// Whether a text is an amount, or has a number beside a currency. A date, a plain number or a weight is none.
    pub(super) fn is_shown_by(&self, text: &str) -> bool {
        let is_of_number =
            |sign: char| sign.is_ascii_digit() || sign.is_whitespace() || "-–−\u{2011}+.,'’×x()#".contains(sign);
        let letters = text.trim_matches(is_of_number);
        let has_decimals = text.contains(['.', ',']);
        let is_amount = match letters {
            "" => has_decimals,
            _ => Currency::from_code(letters).is_some() || !Currency::of_symbol(letters).is_empty(),
        };
        has_price(text) || has_code(text) || is_amount && self.money(text.trim()).is_ok()
    }

    /// Every element with the mark.
    pub(super) fn marked<'a>(&self, element: ElementRef<'a>) -> impl Iterator<Item = ElementRef<'a>> {
        self.recipe.mark.iter().flat_map(move |mark| element.select(mark.get()))
    }

    fn is_aside(&self, element: ElementRef<'_>) -> bool {
        self.recipe.aside.as_ref().is_some_and(|aside| aside.holds(element))
    }

    fn money(&self, words: &str) -> Result<Money, Unread> {
        let read = |locale| Money::read(words, locale, self.currencies, (self.page, "an amount"));
        let read = match read(self.locale) {
            Ok(money) => self.decimals.certain(words, money, self.page),
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

    pub(super) fn failed(&self, found: &str) -> Unread {
        Failure::new(self.check, format!("the page shows {found}")).into()
    }
}

/// What is said of a place that has no amount.
pub(super) fn no_amount(element: ElementRef<'_>) -> String {
    format!("{} is no amount. If it stands for nothing, say so with `words.zero`.", quoted(&text(element)))
}

/// Whether an element is in one of this name.
fn is_in(element: ElementRef<'_>, name: &str) -> bool {
    element.ancestors().filter_map(ElementRef::wrap).any(|above| above.value().name() == name)
}

/// Whether a text holds a number with decimals, or one beside the sign of a currency: an amount without its mark.
pub(super) fn looks_like_amount(text: &str) -> bool {
    let signs: Vec<char> = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    let is_digit = |sign: &char| sign.is_ascii_digit();
    signs.windows(3).any(|part| is_digit(&part[0]) && matches!(part[1], '.' | ',') && is_digit(&part[2]))
        || has_price(text)
}

/// Whether a text holds a number beside the sign of a currency.
pub(super) fn has_price(text: &str) -> bool {
    let signs: Vec<char> = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    let is_price = |one: char, other: char| one.is_ascii_digit() && is_currency(other);
    signs.windows(2).any(|part| is_price(part[0], part[1]) || is_price(part[1], part[0]))
}

/// Whether a text holds a number with decimals beside the code of a currency.
fn has_code(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(['(', ')', ':', ';'])).collect();
    let is_number = |word: &str| {
        word.contains(['.', ',']) && word.chars().all(|sign| sign.is_ascii_digit() || "-–−\u{2011}+.,'’".contains(sign))
    };
    let is_code = |word: &str| Currency::from_code(word).is_some();
    words.windows(2).any(|pair| is_number(pair[0]) && is_code(pair[1]) || is_code(pair[0]) && is_number(pair[1]))
}

/// Discounts have their minus before the mark.
fn sign_before(cell: ElementRef<'_>) -> &'static str {
    let own = cell.children().find_map(|child| {
        let text = child.value().as_text()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    });
    if own.is_some_and(|own| own.starts_with(['-', '–', '−', '\u{2011}'])) { "-" } else { "" }
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
    use super::super::value::Css;
    use super::*;

    #[test]
    fn a_shop_chooses_the_signs_of_its_amounts_but_nothing_is_guessed() {
        let currencies = Currencies::new(Some("EUR"), &std::collections::HashMap::new()).unwrap();
        let recipe = format::Amounts::default();
        let read = |decimals: Decimals, tag: &str, text: &str| {
            let locale = Locale::from_tag(tag).unwrap();
            let (page, check, zero) = (PageKind::Order, Check::Lines, (&[][..], None));
            let currencies = &currencies;
            let amounts = Amounts { recipe: &recipe, struck: false, page, check, locale, currencies, zero, decimals };
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
        let settings = crate::connector::recipe::tests::settings();
        for (amounts, known) in [
            (&["$1,234", "$22,500"][..], false),
            (&["1.234 €"], false),
            (&["$1,234", "$999"], true),
            (&["$1,234", "$0"], true),
            (&["$1,234", "$1,234,567"], true),
            (&["$1,234", "$1,234.50"], true),
            (&["12 990 €"], true),
            (&["1 234,500 €"], false),
            (&["1,234.500 €", "€"], false),
        ] {
            let marked = |amount: &&str| format!("<span class='amount'>{amount}</span>");
            let page = Html::parse_document(&amounts.iter().map(marked).collect::<String>());
            for mark in [None, Some(Css::parse(".amount").unwrap())] {
                let recipe = format::Amounts { mark, ..format::Amounts::default() };
                assert_eq!(Decimals::of(&page, &recipe, &settings) == Decimals::Shown, known, "{amounts:?}");
            }
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
