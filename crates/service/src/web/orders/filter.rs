//! Which orders are shown: the fields of the form, as they were given and as they are meant.

use std::str::FromStr as _;

use chrono::{NaiveDate, NaiveTime, TimeDelta};
use ordersync_api::order::ShipmentStatus;
use ordersync_api::{exact, text_enum};
use rust_decimal::Decimal;

use crate::http::fields::Params;
use crate::http::problem::Answered;
use crate::store::orders::list::Search;
use crate::store::orders::own::{Cursor, LineFacts, OrderNumber, Period, Shop};

/// The longest text that is looked for.
pub(in crate::web) const LONGEST_TEXT: usize = 200;

text_enum! {
    /// A field of the form, by its name in the address.
    pub(in crate::web) enum Field {
        Text = "q",
        Retailer = "retailer",
        From = "from",
        To = "to",
        Status = "status",
        Least = "min",
        Most = "max",
        Currency = "currency",
    }
}

/// The fields as they were given.
#[derive(Debug, Default)]
pub(in crate::web) struct Given {
    fields: Vec<(Field, String)>,
    after: Option<After>,
}

/// Where a page goes on: after this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) struct After {
    pub(super) sort_key: i64,
    pub(super) order: OrderNumber,
}

impl Given {
    pub(super) fn read(params: &Params) -> Answered<Self> {
        let mut fields = Vec::new();
        for field in Field::ALL.iter().copied() {
            if let Some(text) = params.text(field.as_str())?.map(str::trim).filter(|text| !text.is_empty()) {
                fields.push((field, text.to_owned()));
            }
        }
        // An address that was changed by hand begins anew.
        Ok(Self { fields, after: params.text("after")?.and_then(After::parse) })
    }

    /// The retailer, and no other field.
    pub(super) fn retailer_alone(params: &Params) -> Answered<Self> {
        let mut given = Self::read(params)?;
        given.fields.retain(|(field, _)| *field == Field::Retailer);
        Ok(Self { after: None, ..given })
    }

    pub(in crate::web) fn get(&self, field: Field) -> &str {
        self.fields.iter().find(|(known, _)| *known == field).map_or("", |(_, text)| text)
    }

    /// Whether anything is filtered.
    pub(in crate::web) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub(in crate::web) const fn after(&self) -> Option<After> {
        self.after
    }

    /// The query with these fields, and with one more.
    pub(in crate::web) fn query(&self, more: Option<(&str, &str)>) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.fields.iter().map(|(field, text)| (field.as_str(), text)));
        query.extend_pairs(more);
        query.finish()
    }
}

impl After {
    fn parse(text: &str) -> Option<Self> {
        let (sort_key, order) = text.split_once('.')?;
        Some(Self { sort_key: sort_key.parse().ok()?, order: OrderNumber::parse(order)? })
    }

    pub(super) fn text(self) -> String {
        format!("{}.{}", self.sort_key, self.order)
    }
}

/// What is wrong with a field.
#[derive(Debug)]
pub(in crate::web) struct Wrong {
    pub(in crate::web) field: Field,
    pub(in crate::web) why: String,
}

/// Which orders are shown: those with a line that matches all of it. The default shows none.
#[derive(Debug, Default)]
pub(super) struct Filter {
    /// The numbers of the connections.
    connections: Vec<i64>,
    period: Period,
    /// In lower case; each word has to be in the order's number, the title or the SKU.
    words: Vec<String>,
    status: Option<String>,
    least: Option<Decimal>,
    most: Option<Decimal>,
    currency: Option<String>,
}

impl Filter {
    /// Fails with the field that cannot be understood.
    pub(super) fn of(given: &Given, shops: &[Shop]) -> Result<Self, Wrong> {
        let (from, to) = (day(given, Field::From)?, day(given, Field::To)?);
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            return Err(Wrong { field: Field::To, why: "The last day is before the first. Exchange them.".into() });
        }
        let start = |day: NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
        let period = Period { start: from.map(start), end: to.map(|day| start(day) + TimeDelta::days(1)) };
        let (least, most) = (amount(given, Field::Least)?, amount(given, Field::Most)?);
        if let (Some(least), Some(most)) = (least, most)
            && least > most
        {
            return Err(Wrong { field: Field::Most, why: "It is less than the smallest total.".into() });
        }
        let text = given.get(Field::Text);
        if text.chars().count() > LONGEST_TEXT {
            return Err(Wrong { field: Field::Text, why: format!("Look for at most {LONGEST_TEXT} characters.") });
        }
        let some = |field| Some(given.get(field)).filter(|text| !text.is_empty()).map(str::to_owned);
        let status = some(Field::Status);
        if status.as_deref().is_some_and(|word| ShipmentStatus::from_str(word).is_err()) {
            return Err(Wrong { field: Field::Status, why: "Choose one of the list.".into() });
        }
        Ok(Self {
            connections: connections(given, shops)?,
            period,
            words: text.split_whitespace().map(str::to_lowercase).collect(),
            status,
            least,
            most,
            currency: some(Field::Currency).map(|code| code.to_uppercase()),
        })
    }

    /// Before the lines that may match. `from`: the sort key to begin with. `is_rare`: whether a page of them is enough.
    pub(super) fn cursor(&self, from: Option<i64>, is_rare: bool) -> Cursor {
        let texts: Vec<String> = self.words.iter().filter_map(|word| literal(word)).map(str::to_owned).collect();
        let search = (!texts.is_empty()).then_some(Search { texts, is_rare });
        Cursor::new(&self.connections, self.period, from).searching(search)
    }

    /// Whether the line, and what it says of its order, match.
    pub(super) fn matches(&self, line: &LineFacts<'_>) -> bool {
        self.currency.as_ref().is_none_or(|code| line.currency.as_ref() == Some(code))
            && self.status.as_ref().is_none_or(|word| line.shipment_status.as_ref() == Some(word))
            && self.is_within(line)
            && self.has_words(line)
    }

    /// Whether only lines of some orders match.
    pub(super) fn has_text(&self) -> bool {
        !self.words.is_empty()
    }

    fn is_within(&self, line: &LineFacts<'_>) -> bool {
        if self.least.is_none() && self.most.is_none() {
            return true;
        }
        let Some(total) = line.order_total() else { return false };
        self.least.is_none_or(|least| total >= least) && self.most.is_none_or(|most| total <= most)
    }

    fn has_words(&self, line: &LineFacts<'_>) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let texts =
            [&line.order_id, &line.item_name, &line.retailer_sku].map(|text| text.as_deref().map(str::to_lowercase));
        self.words.iter().all(|word| texts.iter().flatten().any(|text| text.contains(word)))
    }
}

/// The longest part of a word in lower case that every text with the word has, apart from the case of ASCII letters.
fn literal(word: &str) -> Option<&str> {
    let parts = word.split(|letter| !is_literal(letter)).filter(|part| !part.is_empty());
    parts.max_by_key(|part| part.len())
}

/// Whether only this letter, or its capital in ASCII, has it in lower case. "İ" has an "i", and the sign of kelvin is a "k".
fn is_literal(letter: char) -> bool {
    match letter {
        'i' | 'k' => false,
        _ if letter.is_ascii() => letter.is_ascii_alphanumeric(),
        _ => letter.is_alphanumeric() && letter.to_lowercase().chain(letter.to_uppercase()).eq([letter, letter]),
    }
}

/// Those of the chosen retailer, or all.
pub(super) fn connections(given: &Given, shops: &[Shop]) -> Result<Vec<i64>, Wrong> {
    let chosen = given.get(Field::Retailer);
    let all = shops.iter().filter(|shop| chosen.is_empty() || shop.connection.retailer_id.to_string() == chosen);
    let numbers: Vec<i64> = all.map(|shop| shop.number).collect();
    if numbers.is_empty() && !chosen.is_empty() {
        let why = "You have no orders of this retailer. Choose one of the list.".to_owned();
        return Err(Wrong { field: Field::Retailer, why });
    }
    Ok(numbers)
}

fn day(given: &Given, field: Field) -> Result<Option<NaiveDate>, Wrong> {
    let text = given.get(field);
    if text.is_empty() {
        return Ok(None);
    }
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
    // Years beyond are no order's, and a time of the store could not hold them.
    let day = day.filter(|day| (1..=9_999).contains(&chrono::Datelike::year(day)));
    day.map(Some).ok_or_else(|| Wrong { field, why: "Write the day like 2026-03-31.".into() })
}

/// "1,000" may be one or a thousand: only a point is understood.
fn amount(given: &Given, field: Field) -> Result<Option<Decimal>, Wrong> {
    let text = given.get(field);
    if text.is_empty() {
        return Ok(None);
    }
    exact::parse(text).map(Some).map_err(|_| Wrong { field, why: "Write the amount like 1250.00.".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_database_looks_for_is_in_every_text_that_has_the_word() {
        for letter in '\0'..=char::MAX {
            for lower in letter.to_lowercase().filter(|lower| *lower != letter && !letter.is_ascii()) {
                assert!(!is_literal(lower), "{letter} {lower}");
            }
        }
        for (word, part) in [
            ("tea", Some("tea")),
            ("größe-3", Some("gr")),
            ("kindle", Some("ndle")),
            ("100%_a", Some("100")),
            ("\"茶壺\"", Some("茶壺")),
            ("чай", None),
            ("kiki", None),
        ] {
            assert_eq!(literal(word), part);
        }
    }
}
