//! JSONPath (RFC 9535), as recipes use it, and the values that it leads to.
//!
//! The answer of a shop is written by a stranger, so nothing is allowed here whose time grows faster than the answer: no
//! descendants (`..`), and one filter at most.

use std::ops::Range;

use chrono::format::{Fixed, Item, Numeric, Parsed, StrftimeItems};
use chrono::{DateTime, NaiveTime, Utc};
use ordersync_values::zone::Tz;
use regex::Regex;
use rust_decimal::Decimal;
use serde::Deserialize;
use serde::de::{self, Deserializer};
use serde_json::Value;
use serde_json_path::JsonPath;

use crate::connector::kit::currency::Currency;
use crate::connector::kit::dates::instant;
use crate::connector::kit::money::Money;
use crate::connector::kit::text::quoted;

const MAX_PATH: usize = 200;
/// The longest text that is read, in bytes.
const MAX_TEXT: usize = 4096;
/// A binary float holds every number of so many digits exactly (IEEE 754, binary64). A JSON number with more is the result of a
/// computation, and is rounded to `ROUNDED_DECIMALS`.
const FLOAT_DIGITS: usize = 15;
const ROUNDED_DECIMALS: u32 = 8;

/// Where a value is.
#[derive(Debug, Clone)]
pub(in crate::connector::recipe) struct Path {
    path: JsonPath,
    text: String,
    /// The lists on the way of whose elements it selects some, the outermost first. None: it leads to one value.
    selections: Vec<Selection>,
    /// The elements that the last selection selects.
    elements: JsonPath,
}

/// A wildcard, a filter, a slice or a choice of elements within a path.
#[derive(Debug, Clone)]
struct Selection {
    /// The values that have the list.
    holders: JsonPath,
    list: JsonPath,
    /// The part of the path that leads to the list.
    text: String,
    /// The figures and words of an element that a filter compares.
    compared: Vec<JsonPath>,
    /// Whether the filter compares with null, so that null says something.
    compares_null: bool,
}

/// A value is not as the recipe says: what is wrong, as the end of "The order list has …".
pub(in crate::connector::recipe) type Wrong = String;

impl Path {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_PATH {
            return Err(format!("the path has more than {MAX_PATH} characters"));
        }
        if text.contains("..") || text.matches('?').count() > 1 {
            return Err(format!(
                "\"{text}\" may take too long on large answers: leave out \"..\", and write one filter at most"
            ));
        }
        let parse = |text: &str| {
            JsonPath::parse(text)
                .map_err(|error| format!("\"{text}\" is no JSONPath ({error}); write one such as \"$.order.total\""))
        };
        let path = parse(text)?;
        let mut selections = Vec::new();
        let mut holders = "$";
        for selector in selectors(text) {
            let list = &text[..selector.start];
            let filter = Some(&text[selector.clone()]).filter(|selector| selector.contains('?')).unwrap_or_default();
            selections.push(Selection {
                holders: parse(holders)?,
                list: parse(list)?,
                text: list.to_owned(),
                compared: compared(filter)?.iter().map(|key| parse(&format!("${key}"))).collect::<Result<_, _>>()?,
                compares_null: filter.contains("null"),
            });
            holders = &text[..selector.end];
        }
        Ok(Self { path, text: text.to_owned(), selections, elements: parse(holders)? })
    }

    /// As the recipe has it.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// All values there that are not null.
    pub(super) fn all<'v>(&self, of: &'v Value) -> impl Iterator<Item = &'v Value> {
        self.path.query(of).all().into_iter().filter(|value| !value.is_null())
    }

    /// True if there is a value, which may be null.
    pub(super) fn is_there(&self, of: &Value) -> bool {
        !self.path.query(of).is_empty()
    }

    /// The one value there; `None`: there is none, or it is null.
    pub(super) fn get<'v>(&self, of: &'v Value) -> Result<Option<&'v Value>, Wrong> {
        let mut all = self.all(of);
        match (all.next(), all.next()) {
            (first, None) => Ok(first),
            (_, Some(_)) => Err(format!("several values at `{}`", self.text)),
        }
    }

    /// The elements of the list there; `None`: there is no list. A path to several values gives those values.
    pub(super) fn each<'v>(&self, of: &'v Value) -> Result<Option<Vec<&'v Value>>, Wrong> {
        if self.selections.is_empty() {
            return match self.get(of)? {
                None => Ok(None),
                Some(_) => Ok(Some(self.list(of)?.iter().collect())),
            };
        }
        self.several(of)
    }

    /// The values of a path to several; `None`: there is no outermost list. Another list on the way that is missing or something
    /// else is an error, because nothing would tell it from a list without such elements; null is no element.
    fn several<'v>(&self, of: &'v Value) -> Result<Option<Vec<&'v Value>>, Wrong> {
        for (place, Selection { holders, list, text, compared, compares_null }) in self.selections.iter().enumerate() {
            let lists = list.query(of).all();
            if place == 0 && lists.is_empty() {
                return Ok(None);
            }
            if lists.len() < holders.query(of).len() {
                return Err(format!("nothing at `{text}`"));
            }
            for list in lists.into_iter().filter(|list| !list.is_null()) {
                let elements = list.as_array().ok_or_else(|| format!("something else than a list at `{text}`"))?;
                let says = |element, key: &JsonPath| match key.query(element).exactly_one() {
                    Ok(Value::Null) => *compares_null,
                    Ok(value) => !value.is_array() && !value.is_object(),
                    Err(_) => false,
                };
                if !elements.iter().all(|element| compared.iter().all(|key| says(element, key))) {
                    return Err(format!("an element of `{text}` that `{}` cannot judge", self.text));
                }
            }
        }
        let found = self.path.query(of).all();
        if found.len() < self.elements.query(of).len() { Err(self.lacking()) } else { Ok(Some(found)) }
    }

    /// The one list there.
    pub(super) fn list<'v>(&self, of: &'v Value) -> Result<&'v [Value], Wrong> {
        match self.get(of)? {
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(format!("something else than a list at `{}`", self.text)),
            None => Err(self.lacking()),
        }
    }

    /// A text that is not empty.
    pub(in crate::connector::recipe) fn text<'v>(&self, of: &'v Value) -> Result<Option<&'v str>, Wrong> {
        self.get(of)?.map_or(Ok(None), |value| self.text_of(value))
    }

    /// The same, of one value or of several equal ones.
    fn common_text<'v>(&self, of: &'v Value) -> Result<Option<&'v str>, Wrong> {
        let mut all = self.all(of);
        match all.next() {
            Some(first) if all.all(|other| other == first) => self.text_of(first),
            _ => self.text(of),
        }
    }

    fn text_of<'v>(&self, value: &'v Value) -> Result<Option<&'v str>, Wrong> {
        match value {
            Value::String(text) if text.len() > MAX_TEXT => Err(format!("a text that is too long at `{}`", self.text)),
            Value::String(text) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            _ => Err(format!("something else than a text at `{}`", self.text)),
        }
    }

    /// An identifier: a text or a whole number. Control characters are refused, because an address would lose them.
    pub(super) fn id(&self, of: &Value) -> Result<Option<String>, Wrong> {
        match self.get(of)? {
            Some(Value::Number(number)) if number.as_str().bytes().all(|digit| digit.is_ascii_digit()) => {
                Ok(Some(number.to_string()))
            }
            _ => match self.text(of)? {
                Some(text) if text.contains(char::is_control) => {
                    Err(format!("a text with control characters at `{}`", self.text))
                }
                text => Ok(text.map(str::to_owned)),
            },
        }
    }

    /// A number, or a text that is one.
    pub(super) fn decimal(&self, of: &Value) -> Result<Option<Decimal>, Wrong> {
        self.get(of)?.map(|value| self.number(value)).transpose()
    }

    /// A value that was found there, as a number.
    fn number(&self, value: &Value) -> Result<Decimal, Wrong> {
        let text = match value {
            Value::Number(number) => number.as_str(),
            Value::String(text) => text.trim(),
            _ => return Err(format!("something else than a number at `{}`", self.text)),
        };
        let unreadable = || format!("{} at `{}`, which is no number", quoted(text), self.text);
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
        let number = match (is_plain, value) {
            (true, _) => Decimal::from_str_exact(text).or_else(|_| text.parse()),
            (false, Value::Number(_)) => Decimal::from_scientific(text),
            (false, _) => return Err(unreadable()),
        };
        let number = number.map_err(|_| unreadable())?;
        Ok(if value.is_number() { without_noise(number) } else { number.normalize() })
    }

    /// A number of pieces, which has to be there. A path to several values gives their sum.
    pub(super) fn pieces(&self, of: &Value) -> Result<Decimal, Wrong> {
        if self.selections.is_empty() {
            return needed(self.decimal(of), self);
        }
        needed(self.several(of), self)?.into_iter().try_fold(Decimal::ZERO, |sum, one| {
            let number = self.number(one)?;
            sum.checked_add(number).ok_or_else(|| format!("{number} at `{}`, which is too large", self.text))
        })
    }

    /// An amount.
    pub(super) fn money(&self, of: &Value, currency: &Currency, minor: MinorUnits) -> Result<Option<Money>, Wrong> {
        let Some(number) = self.decimal(of)? else { return Ok(None) };
        let unit = match minor {
            MinorUnits::None => Decimal::ONE,
            MinorUnits::Coins => currency.smallest_coin(),
            MinorUnits::Decimals(decimals) => Decimal::new(1, decimals),
        };
        if minor != MinorUnits::None && !number.fract().is_zero() {
            return Err(format!("{number} at `{}`, which is no whole number of coins", self.text));
        }
        let amount = number.checked_mul(unit);
        let amount = amount.ok_or_else(|| format!("{number} at `{}`, which is too large", self.text))?;
        Ok(Some(Money::exact(amount, currency)))
    }

    /// What to say if the value is missing.
    pub(super) fn lacking(&self) -> Wrong {
        format!("nothing at `{}`", self.text)
    }
}

/// A value that has to be there.
pub(in crate::connector::recipe) fn needed<T>(value: Result<Option<T>, Wrong>, path: &Path) -> Result<T, Wrong> {
    value?.ok_or_else(|| path.lacking())
}

/// Where a valid path selects several values: wildcards, filters, slices, and several keys or numbers.
fn selectors(path: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(sign) = path[at..].chars().next() {
        let rest = &path[at..];
        let (length, selects_several) = match sign {
            '[' => {
                let length = bracketed(rest);
                (length, !is_one(rest[1..length].trim_end_matches(']').trim()))
            }
            '.' if rest.starts_with(".*") => (2, true),
            _ => (sign.len_utf8(), false),
        };
        if selects_several {
            found.push(at..at + length);
        }
        at += length;
    }
    found
}

/// Whether what a bracket holds is one key or number.
fn is_one(inside: &str) -> bool {
    inside.parse::<i64>().is_ok() || (inside.starts_with(['\'', '"']) && quoted_key(inside) == inside.len())
}

/// The length of the bracket that a text begins with.
fn bracketed(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(sign) = text[at..].chars().next() {
        match sign {
            '[' => depth += 1,
            ']' if depth == 1 => return at + 1,
            ']' => depth -= 1,
            _ => {}
        }
        at += if matches!(sign, '\'' | '"') { quoted_key(&text[at..]) } else { sign.len_utf8() };
    }
    text.len()
}

/// The length of the quoted text that a text begins with.
fn quoted_key(text: &str) -> usize {
    let quote = text.chars().next();
    let mut is_escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        if !is_escaped && Some(sign) == quote {
            return at + 1;
        }
        is_escaped = !is_escaped && sign == '\\';
    }
    text.len()
}

/// The keys of an element that a filter compares, each as the end of a path.
fn compared(filter: &str) -> Result<Vec<String>, String> {
    let key = r#"@((?:\.\w+|\['[^']*'\]|\["[^"]*"\])+)"#;
    let pattern = Regex::new(&format!(r"{key}\s*[=!<>]|[=<>]\s*{key}")).map_err(|error| error.to_string())?;
    let keys = pattern.captures_iter(filter).filter_map(|all| all.get(1).or_else(|| all.get(2)));
    Ok(keys.map(|key| key.as_str().to_owned()).collect())
}

impl<'de> Deserialize<'de> for Path {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// The most decimals that an amount without a point may have.
const MAX_DECIMALS: u32 = 8;

/// Whether amounts are whole numbers, and of what.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WrittenUnits")]
pub(super) enum MinorUnits {
    /// They have a point.
    #[default]
    None,
    /// Of the smallest coins of the currency.
    Coins,
    /// They have so many decimals in every currency, also in those without coins.
    Decimals(u32),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "true, false, or the number of decimals that all amounts have")]
enum WrittenUnits {
    AreCoins(bool),
    Decimals(u32),
}

impl TryFrom<WrittenUnits> for MinorUnits {
    type Error = String;

    fn try_from(written: WrittenUnits) -> Result<Self, String> {
        match written {
            WrittenUnits::AreCoins(false) => Ok(Self::None),
            WrittenUnits::AreCoins(true) => Ok(Self::Coins),
            WrittenUnits::Decimals(decimals) if decimals <= MAX_DECIMALS => Ok(Self::Decimals(decimals)),
            WrittenUnits::Decimals(_) => Err(format!("has to be at most {MAX_DECIMALS}")),
        }
    }
}

/// Where a word may be: one path, or several, of which the first counts that has one.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(from = "Written")]
pub(super) struct Paths(Vec<Choice>);

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    path: Path,
    /// The only words that count here.
    #[serde(default)]
    only: Vec<String>,
    /// Whether something has to be there.
    #[serde(default)]
    required: bool,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a path such as \"$.status\", `{ path, only, required }`, or a list of these")]
enum Written {
    Plain(Path),
    One(Choice),
    Several(Vec<Choice>),
}

impl From<Written> for Paths {
    fn from(written: Written) -> Self {
        match written {
            Written::Plain(path) => Self(vec![Choice { path, only: Vec::new(), required: false }]),
            Written::One(choice) => Self(vec![choice]),
            Written::Several(choices) => Self(choices),
        }
    }
}

impl Paths {
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn text<'v>(&self, of: &'v Value) -> Result<Option<&'v str>, Wrong> {
        for Choice { path, only, required } in &self.0 {
            let text = match path.common_text(of)? {
                None if *required => return Err(path.lacking()),
                text => text,
            };
            if text.is_some_and(|text| only.is_empty() || only.iter().any(|word| word == text)) {
                return Ok(text);
            }
        }
        Ok(None)
    }
}

/// Rounds the result of a computation in binary floats: `0.30000000000000004` is 0.3. Every other number stays exact.
fn without_noise(number: Decimal) -> Decimal {
    let is_noisy =
        number.scale() > ROUNDED_DECIMALS && number.mantissa().unsigned_abs().to_string().len() > FLOAT_DIGITS;
    if is_noisy { number.round_dp(ROUNDED_DECIMALS) } else { number }.normalize()
}

/// How a date is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DateFormat {
    /// RFC 3339, with its offset.
    Rfc3339,
    /// Seconds since 1970, or thousandths of them.
    Unix { is_milli: bool },
    /// As the text says, in the given zone.
    Text(String),
}

impl DateFormat {
    /// Whether it has no time of day.
    pub(super) fn is_day(&self) -> bool {
        let is_time = |item: &Item<'_>| {
            matches!(
                item,
                Item::Numeric(Numeric::Hour | Numeric::Hour12 | Numeric::Timestamp, _)
                    | Item::Fixed(Fixed::RFC2822 | Fixed::RFC3339)
            )
        };
        matches!(self, Self::Text(format) if !StrftimeItems::new(format).any(|item| is_time(&item)))
    }

    /// When that is. `zone`: of a text without an offset.
    pub(super) fn read(&self, value: &Value, zone: Tz) -> Option<DateTime<Utc>> {
        match (self, value) {
            (Self::Rfc3339, Value::String(text)) => {
                DateTime::parse_from_rfc3339(text.trim()).ok().map(|at| at.to_utc())
            }
            (Self::Unix { is_milli }, Value::Number(number)) => {
                let number = number.as_i64()?;
                if *is_milli { DateTime::from_timestamp_millis(number) } else { DateTime::from_timestamp(number, 0) }
            }
            (Self::Text(format), Value::String(text)) => {
                let mut parsed = Parsed::new();
                chrono::format::parse(&mut parsed, text.trim(), StrftimeItems::new(format)).ok()?;
                if self.is_day() {
                    let noon = NaiveTime::from_hms_opt(12, 0, 0)?;
                    return instant(parsed.to_naive_date().ok()?.and_time(noon), zone);
                }
                match (parsed.offset(), parsed.timestamp()) {
                    (Some(_), _) => parsed.to_datetime().ok().map(|at| at.to_utc()),
                    (None, Some(_)) => parsed.to_naive_datetime_with_offset(0).ok().map(|at| at.and_utc()),
                    (None, None) => instant(parsed.to_naive_datetime_with_offset(0).ok()?, zone),
                }
            }
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for DateFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_str() {
            "rfc3339" => Ok(Self::Rfc3339),
            "unix" => Ok(Self::Unix { is_milli: false }),
            "unix_ms" => Ok(Self::Unix { is_milli: true }),
            _ if text.contains('%') => {
                let mut items = StrftimeItems::new(&text);
                if items.clone().any(|item| matches!(item, Item::Error)) {
                    return Err(de::Error::custom(format!("\"{text}\" is no format of dates")));
                }
                if items.any(|item| item == Item::Fixed(Fixed::TimezoneName)) {
                    let message = format!(
                        "\"{text}\" has the name of a zone (%Z), which does not say its offset; name the zone with `zone`"
                    );
                    return Err(de::Error::custom(message));
                }
                Ok(Self::Text(text))
            }
            _ => Err(de::Error::custom(format!(
                "\"{text}\" is no format of dates; write \"rfc3339\", \"unix\", \"unix_ms\" or one such as \"%Y-%m-%d %H:%M:%S\""
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(text: &str) -> Path {
        Path::parse(text).unwrap()
    }

    #[test]
    fn numbers_are_exact_however_they_are_written() {
        for (json, expected) in [
            ("3663.02", "3663.02"),
            ("5", "5"),
            ("\"12.50\"", "12.5"),
            ("1e3", "1000"),
            ("0.30000000000000004", "0.3"),
            ("-113.29999999999998", "-113.3"),
            ("12345678901234567890.12", "12345678901234567890.12"),
            ("0.123456789", "0.123456789"),
            ("1e-12", "0.000000000001"),
            ("\"0.30000000000000004\"", "0.30000000000000004"),
        ] {
            let value: Value = serde_json::from_str(json).unwrap();
            assert_eq!(path("$").decimal(&value).unwrap().unwrap().to_string(), expected, "{json}");
        }
        for json in ["\"12,50\"", "\"EUR 5\"", "true", "[1]", "{}", "\"1e3\"", "\"\"", "\"1.2.3\"", "\"-\""] {
            let value: Value = serde_json::from_str(json).unwrap();
            assert!(path("$").decimal(&value).is_err(), "{json}");
        }
        assert_eq!(path("$.a").decimal(&json!({ "a": null })), Ok(None));
    }

    #[test]
    fn amounts_have_the_decimals_of_their_currency() {
        let money = |code: &str, json: Value, minor| {
            let currency = Currency::from_code(code).unwrap();
            path("$").money(&json, &currency, minor).map(|money| money.unwrap().amount().to_string())
        };
        assert_eq!(money("USD", json!(5), MinorUnits::None).unwrap(), "5.00");
        assert_eq!(money("USD", json!(500), MinorUnits::Coins).unwrap(), "5.00");
        assert_eq!(money("JPY", json!(500), MinorUnits::Coins).unwrap(), "500");
        assert_eq!(money("KWD", json!(5), MinorUnits::Coins).unwrap(), "0.005");
        assert_eq!(money("USD", json!("129.9000"), MinorUnits::None).unwrap(), "129.90");
        assert_eq!(money("USD", json!(1.2345), MinorUnits::None).unwrap(), "1.2345");
        assert!(money("USD", json!(5.5), MinorUnits::Coins).is_err());
        let hundredths = MinorUnits::Decimals(2);
        assert_eq!(money("USD", json!(500), hundredths).unwrap(), "5.00");
        assert_eq!(money("JPY", json!(500), hundredths).unwrap(), "5");
        assert_eq!(money("JPY", json!(550), hundredths).unwrap(), "5.5");
        assert_eq!(money("KWD", json!(5), hundredths).unwrap(), "0.050");
        assert!(money("JPY", json!(5.5), hundredths).is_err());
    }

    #[test]
    fn dates_are_read_in_the_format_and_zone_that_the_recipe_names() {
        let at = |format: &str, value: Value| {
            let format = DateFormat::deserialize(de::value::StrDeserializer::<de::value::Error>::new(format)).unwrap();
            format.read(&value, "America/Los_Angeles".parse().unwrap()).map(|at| at.to_rfc3339())
        };
        assert_eq!(at("rfc3339", json!("2026-01-02T03:04:05.678+02:00")).unwrap(), "2026-01-02T01:04:05.678+00:00");
        assert_eq!(at("rfc3339", json!("2026-01-02 03:04:05")), None);
        assert_eq!(at("%Y-%m-%d %H:%M:%S", json!("2026-01-02 03:04:05")).unwrap(), "2026-01-02T11:04:05+00:00");
        assert_eq!(at("%d.%m.%Y", json!("02.01.2026")).unwrap(), "2026-01-02T20:00:00+00:00");
        assert_eq!(at("unix", json!(1_767_323_045)).unwrap(), "2026-01-02T03:04:05+00:00");
        assert_eq!(at("unix_ms", json!(1_767_323_045_678_i64)).unwrap(), "2026-01-02T03:04:05.678+00:00");
        assert_eq!(at("unix", json!("1767323045")), None);
        assert_eq!(at("%s", json!("1767323045")).unwrap(), "2026-01-02T03:04:05+00:00");
        for (format, text) in [
            ("%Y-%m-%dT%H:%M:%S%:z", "2026-01-02T05:04:00+02:00"),
            ("%Y-%m-%d %R %#z", "2026-01-02 05:04 +02"),
            ("%d/%m/%y %k:%M %z", "02/01/26  5:04 +0200"),
            ("%+", "2026-01-02T03:04:00Z"),
            ("%a, %d %b %Y %I:%M %p %z", "Fri, 02 Jan 2026 05:04 AM +0200"),
        ] {
            assert_eq!(at(format, json!(text)).unwrap(), "2026-01-02T03:04:00+00:00", "{format}");
        }
        assert_eq!(at("%Y-%m-%d %R", json!("2026-01-02 03:04")).unwrap(), "2026-01-02T11:04:00+00:00");
        let named = toml::from_str::<std::collections::BTreeMap<String, DateFormat>>("f = '%F %T %Z'").unwrap_err();
        assert!(named.to_string().contains("name the zone with `zone`"), "{named}");
    }

    #[test]
    fn a_path_that_may_be_slow_or_is_none_is_refused() {
        for text in ["$..a", "$[?@.a[?@.b]]", "a.b", "", "$.", &format!("$.{}", "a".repeat(300))] {
            assert!(Path::parse(text).is_err(), "{text}");
        }
        let orders = json!({ "o": [{ "n": 1, "k": "a" }, { "n": 2, "k": "b" }] });
        assert_eq!(path("$.o[?@.k == 'b'].n").id(&orders).unwrap().unwrap(), "2");
        assert!(path("$.o[*].n").id(&orders).is_err());
        assert!(path("$").id(&json!("7\r\n8")).unwrap_err().contains("control characters"));
    }

    #[test]
    fn a_path_to_several_values_is_a_list_and_a_sum() {
        let line = json!({ "sent": [{ "n": 2, "s": "out" }, { "n": 1, "s": "lost" }, { "n": 3, "s": "out" }], "all": 4, "no": null });
        assert_eq!(path("$.sent").each(&line).unwrap().unwrap().len(), 3);
        assert_eq!(
            path("$.sent[?@.s == 'out']").each(&line).unwrap().unwrap(),
            [&json!({ "n": 2, "s": "out" }), &json!({ "n": 3, "s": "out" })]
        );
        for none in ["$.none", "$.none[*]", "$.no"] {
            assert_eq!(path(none).each(&line).unwrap(), None, "{none}");
        }
        assert!(path("$.no[?@.n == 1]").each(&line).unwrap().unwrap().is_empty());
        assert!(path("$.all").each(&line).is_err());
        let sums = [
            ("$.all", 4),
            ("$.sent[?@.s == 'out'].n", 5),
            ("$.sent[*].n", 6),
            ("$.sent.*.n", 6),
            ("$.sent[1:].n", 4),
            ("$.sent[0,1].n", 3),
            ("$.sent[?@.s == 'gone'].n", 0),
            ("$.no[*]", 0),
        ];
        for (text, sum) in sums {
            assert_eq!(path(text).pieces(&line).unwrap(), Decimal::from(sum), "{text}");
        }
        for text in ["$.none", "$.none[*]", "$.sent[*].s", "$.sent[*]", "$.sent[*].m"] {
            assert!(path(text).pieces(&line).is_err(), "{text}");
        }
    }

    #[test]
    fn a_list_of_another_shape_is_no_list_without_such_elements() {
        let refunds = path("$.payments[*].refunds[?@.state == 'Settled' && @.of.kind != 'x']");
        let refund = json!({ "state": "Settled", "of": { "kind": "y" } });
        let right = json!({ "payments": [{ "refunds": [refund] }, { "refunds": null }] });
        assert_eq!(refunds.each(&right).unwrap().unwrap(), [&refund]);
        for payments in [
            json!({ "refunds": [refund] }),
            json!([{ "refunds": refund }]),
            json!([{ "refunds": [refund] }, {}]),
            json!([{ "refunds": [{ "status": "Settled", "of": { "kind": "y" } }] }]),
            json!([{ "refunds": [{ "state": ["Settled"], "of": { "kind": "y" } }] }]),
            json!([{ "refunds": [{ "state": null, "of": { "kind": "y" } }] }]),
            json!([{ "refunds": [{ "state": "Settled", "of": null }] }]),
        ] {
            assert!(refunds.each(&json!({ "payments": payments })).is_err(), "{payments}");
        }
        // Whether a key is there, and whether it is null, are questions that have an answer.
        let orders = json!({ "o": [{ "a": null }, { "b": 1, "a": 1 }] });
        assert_eq!(path("$.o[?@.b]").each(&orders).unwrap().unwrap().len(), 1);
        assert_eq!(path("$.o[?@.a == null]").each(&orders).unwrap().unwrap().len(), 1);
    }

    #[test]
    fn signs_in_a_key_select_nothing() {
        for (text, expected) in [
            ("$['a*b?c:d'].e", 0),
            ("$['it\\'s [*]'][0]", 0),
            ("$[\"a,b\"][-1]", 0),
            ("$['a','b']", 1),
            ("$.a[?@['x]'] == 'y[*]'].b[*].c", 2),
        ] {
            assert_eq!(path(text).selections.len(), expected, "{text}");
        }
        let order = json!({ "gift?": [1, 2] });
        assert!(path("$['gift?']").decimal(&order).is_err());
        assert_eq!(path("$['gift?']").each(&order).unwrap().unwrap().len(), 2);
    }

    #[test]
    fn minor_units_are_the_coins_of_the_currency_or_a_number_of_decimals() {
        let read =
            |text: &str| toml::from_str::<std::collections::BTreeMap<String, MinorUnits>>(text).map(|all| all["m"]);
        assert_eq!(read("m = true"), Ok(MinorUnits::Coins));
        assert_eq!(read("m = false"), Ok(MinorUnits::None));
        assert_eq!(read("m = 2"), Ok(MinorUnits::Decimals(2)));
        assert!(read("m = 9").unwrap_err().to_string().contains("has to be at most 8"));
        assert!(read("m = \"2\"").unwrap_err().to_string().contains("the number of decimals"));
    }
}
