//! The values of a recipe: selectors, patterns, addresses and places. Each is checked when the recipe is loaded.
//!
//! A page is written by a stranger, and may be as large as pages may be. So nothing is allowed here whose time grows by the
//! square of a page: no selector that looks at all siblings or descendants of an element, and no pattern but of the `regex`
//! crate, whose time is bounded by pattern and text.

use std::fmt;

use regex::{Regex, RegexBuilder};
use scraper::selector::ToCss as _;
use scraper::{ElementRef, Selector};
use serde::de::{self, Deserializer, IntoDeserializer as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::connector::kit::text::{normalised, quoted};

const MAX_SELECTOR: usize = 400;
const MAX_PATTERN: usize = 200;
/// How large a pattern may become when it is compiled, in bytes.
const MAX_COMPILED: usize = 256 * 1024;
/// The longest text that a pattern is applied to, in bytes.
const MAX_TEXT: usize = 4096;
const MAX_ADDRESS: usize = 400;
const MAX_WORD: usize = 100;

/// Implements that a type is read from a text with its own `parse`.
macro_rules! parsed {
    ($($name:ident),+) => { $(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
            }
        }
    )+ };
}

parsed!(Css, Pattern, Address);

/// A CSS selector.
#[derive(Debug, Clone)]
pub(super) struct Css(Selector);

impl Css {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_SELECTOR {
            return Err(format!("the selector has more than {MAX_SELECTOR} characters"));
        }
        let example = "write one such as \"table.orders tr\"";
        let selector = Selector::parse(text).map_err(|_| format!("\"{text}\" is no CSS selector; {example}"))?;
        match slow_part(&selector.to_css_string()) {
            Some(slow) => Err(format!("a selector may not use {slow}, which takes too long on large pages")),
            None => Ok(Self(selector)),
        }
    }

    pub(super) const fn get(&self) -> &Selector {
        &self.0
    }

    pub(super) fn is(&self, element: ElementRef<'_>) -> bool {
        self.0.matches(&element)
    }

    /// Whether an element is one of these, or is in one.
    pub(super) fn holds(&self, element: ElementRef<'_>) -> bool {
        self.is(element) || element.ancestors().filter_map(ElementRef::wrap).any(|above| self.is(above))
    }
}

/// What of a selector may take time by the square of a page, or worse. `css`: as the parser writes it, without escapes that
/// hide anything.
fn slow_part(css: &str) -> Option<&'static str> {
    // Lists in brackets of `:is()`, `:where()` and `:not()` may hold nothing that looks further than at one element.
    const LISTS: [&str; 4] = [":is", ":where", ":not", ":matches"];
    let (mut bare, mut quote, mut in_attribute) = (String::new(), None, false);
    let mut signs = css.chars();
    while let Some(sign) = signs.next() {
        match (sign, quote) {
            ('\\', _) => drop(signs.next()),
            (_, Some(end)) if sign == end => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(sign),
            ('[', None) => in_attribute = true,
            (']', None) => in_attribute = false,
            _ if in_attribute => {}
            _ => bare.push(sign),
        }
    }
    let bare = bare.to_ascii_lowercase().replace(", ", ",");
    if let Some(slow) = ["~", ":has(", ":nth-", "-of-type", ":only-"].into_iter().find(|slow| bare.contains(slow)) {
        return Some(slow);
    }
    let mut within = bare.split('(');
    let mut before = within.next()?;
    for part in within {
        let list = part.split(')').next().unwrap_or_default();
        let is_list = LISTS.iter().any(|name| before.ends_with(name));
        if is_list && (list.contains([' ', '>', '+']) || !part.contains(')')) {
            return Some("a combinator or brackets within \":is()\", \":where()\" or \":not()\"");
        }
        before = part;
    }
    None
}

/// A regular expression with one group, which is what is read.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Regex);

impl Pattern {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_PATTERN {
            return Err(format!("the pattern has more than {MAX_PATTERN} characters"));
        }
        let regex =
            RegexBuilder::new(text).size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).build().map_err(|_| {
                format!("\"{text}\" is no regular expression, or is too large; write one such as \"#(\\\\d+)\"")
            })?;
        if regex.captures_len() != 2 {
            return Err(format!("\"{text}\" has to have exactly one group (...), which is what is read"));
        }
        Ok(Self(regex))
    }

    /// Whether it fits the text once.
    pub(super) fn fits(&self, text: &str) -> bool {
        self.around(text).is_ok()
    }

    /// What the group holds, and what is around it, if the pattern fits the text in one place only.
    fn around<'t>(&self, text: &'t str) -> Result<(&'t str, &'t str, &'t str), Misfit> {
        if text.len() > MAX_TEXT {
            return Err(self.misfit(text, "it has more than 4096 bytes"));
        }
        let mut found = self.0.captures_iter(text);
        let group = found.next().and_then(|first| first.get(1));
        match (group, found.next()) {
            (Some(group), None) => Ok((&text[..group.start()], group.as_str(), &text[group.end()..])),
            (None, None) => Err(self.misfit(text, "it does not match")),
            (_, Some(_)) => Err(self.misfit(text, "it matches more than once")),
        }
    }

    fn misfit(&self, text: &str, rule: &'static str) -> Misfit {
        Misfit { pattern: self.0.as_str().to_owned(), text: text.to_owned(), rule }
    }

    /// The group must not be a part of a word or a number.
    pub(super) fn read(&self, text: &str) -> Result<String, Misfit> {
        let (before, found, after) = self.around(text)?;
        let is_cut = before.ends_with(char::is_alphanumeric) && found.starts_with(char::is_alphanumeric)
            || after.starts_with(char::is_alphanumeric) && found.ends_with(char::is_alphanumeric);
        if is_cut {
            return Err(self.misfit(text, "a letter or digit is right beside its group"));
        }
        Ok(found.trim().to_owned())
    }

    /// The same for a date: the word before it and the one after it have no digit, and are no half of the day.
    pub(super) fn read_date(&self, text: &str) -> Result<String, Misfit> {
        let (before, _, after) = self.around(text)?;
        let bare = |word: &str| word.replace(|sign: char| !sign.is_alphanumeric(), "").to_lowercase();
        let is_part = |word: String| matches!(&*word, "am" | "pm") || word.contains(|sign: char| sign.is_ascii_digit());
        let is_word = |word: &String| !word.is_empty();
        let beside =
            [before.split_whitespace().rev().map(bare).find(is_word), after.split_whitespace().map(bare).find(is_word)];
        if beside.into_iter().flatten().any(is_part) {
            return Err(self.misfit(text, "a number, \"AM\" or \"PM\" is beside the date"));
        }
        self.read(text)
    }

    /// The same for a number or an amount. It has to be a whole one: a pattern must not cut off a digit or a minus.
    pub(super) fn read_number(&self, text: &str) -> Result<String, Misfit> {
        let (before, found, after) = self.around(text)?;
        let before = before.trim_end().chars().next_back();
        let after = after.trim_start().chars().next();
        let is_part = |sign: char| sign.is_ascii_digit() || ".,'’-−–\u{2011}+%/".contains(sign) || is_currency(sign);
        let is_cut = before.is_some_and(|sign| is_part(sign) || sign == '(')
            || after.is_some_and(|sign| is_part(sign) || sign == ')');
        if is_cut {
            return Err(self.misfit(text, "a digit, a sign or the sign of a currency is beside the number"));
        }
        Ok(found.trim().to_owned())
    }
}

/// A text that a pattern does not fit.
#[derive(Debug)]
pub(super) struct Misfit {
    pattern: String,
    text: String,
    rule: &'static str,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pattern, text, rule } = self;
        write!(f, "the pattern {pattern} does not fit {}: {rule}.", quoted(text))
    }
}

pub(super) const fn is_currency(sign: char) -> bool {
    matches!(sign, '$' | '£' | '€' | '¥' | '₹' | '₩' | '₽' | '₺' | '₪' | '฿' | '₫' | '￥')
}

/// An address below that of the shop. `{account}`, `{page}`, `{from}` and `{to}` in it are replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Address(String);

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let right = "write it from the address of the shop on, such as \"account/orders/\"";
        let is_odd = |sign: char| sign.is_whitespace() || sign.is_control() || matches!(sign, '\\' | '#' | ':');
        let path = text.split('?').next().unwrap_or_default();
        let leaves = path.split('/').any(|part| {
            let part = part.to_ascii_lowercase().replace("%2e", ".");
            part == "." || part == ".."
        });
        if text.is_empty()
            || text.len() > MAX_ADDRESS
            || text.starts_with(['/', '?'])
            || text.contains(is_odd)
            || leaves
        {
            return Err(format!("\"{text}\" is no address below that of the shop; {right}"));
        }
        let names = ["{account}", "{page}", "{from}", "{to}"];
        let rest = names.iter().fold(text.to_owned(), |rest, name| rest.replace(name, ""));
        if rest.contains(['{', '}']) {
            return Err(format!(
                "\"{text}\" has a name in braces that is not known; known are {{account}}, {{page}}, {{from}} and {{to}}"
            ));
        }
        Ok(Self(text.to_owned()))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    pub(super) fn with(&self, name: &str, value: &str) -> Self {
        Self(self.0.replace(name, value))
    }

    /// With the path of the account, which may be the whole shop.
    pub(super) fn with_account(&self, account: &str) -> Self {
        Self(self.0.replace("{account}", account).trim_start_matches('/').to_owned())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// An address within the shop: path and query.
pub(super) fn address_of(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

/// Whether a text is one of these words.
pub(super) fn is_one_of(words: &[Word], text: &str) -> bool {
    let text = normalised(text);
    words.iter().any(|word| *word == *text)
}

/// A word or a label of the shop, as it is compared: in lower case, with single spaces, without a colon at its end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Word(String);

impl Word {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Word {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = normalised(&String::deserialize(deserializer)?);
        if word.is_empty() || word.chars().count() > MAX_WORD {
            return Err(de::Error::custom(format!("a word has to have 1 to {MAX_WORD} characters")));
        }
        Ok(Self(word))
    }
}

/// Where a value is in a row, and what of its text is read.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) at: At,
    /// Only the text of the element itself, and not that of the elements in it.
    pub(super) own_text: bool,
    pub(super) pattern: Option<Pattern>,
}

/// Where a value is in a row.
#[derive(Debug, Clone)]
pub(super) enum At {
    Select(Css),
    /// The column with one of these headings.
    Heading(Vec<Word>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceTable {
    select: Option<Css>,
    heading: Option<Vec<Word>>,
    #[serde(default)]
    own_text: bool,
    pattern: Option<Pattern>,
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyPlace;

        impl<'de> Visitor<'de> for AnyPlace {
            type Value = Place;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a selector, or a table such as { heading = [\"Total\"] }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Place, E> {
                let at = At::Select(Css::parse(text).map_err(E::custom)?);
                Ok(Place { at, own_text: false, pattern: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Place, A::Error> {
                let table = PlaceTable::deserialize(de::value::MapAccessDeserializer::new(map))?;
                let at = match (table.select, table.heading) {
                    (Some(select), None) => At::Select(select),
                    (None, Some(words)) if !words.is_empty() => At::Heading(words),
                    _ => {
                        return Err(de::Error::custom(
                            "a place has either `select` or `heading`, with at least one word",
                        ));
                    }
                };
                Ok(Place { at, own_text: table.own_text, pattern: table.pattern })
            }
        }

        deserializer.deserialize_any(AnyPlace)
    }
}

/// A place, or a list of places, of which the first that a row has is meant.
#[derive(Debug)]
pub(super) struct Places(pub(super) Vec<Place>);

impl<'de> Deserialize<'de> for Places {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyPlaces;

        impl<'de> Visitor<'de> for AnyPlaces {
            type Value = Places;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a place, or a list of places")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Places, E> {
                Place::deserialize(text.into_deserializer()).map(|place| Places(vec![place]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Places, A::Error> {
                let place = Place::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Places(vec![place]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Places, A::Error> {
                let mut places = Vec::new();
                while let Some(place) = all.next_element()? {
                    places.push(place);
                }
                if places.is_empty() {
                    Err(de::Error::custom("has to have one place at least"))
                } else {
                    Ok(Places(places))
                }
            }
        }

        deserializer.deserialize_any(AnyPlaces)
    }
}
