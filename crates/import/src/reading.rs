//! Values of a record: texts, amounts with their currency, quantities and times. A value that cannot be read, or that has two
//! readings, is unknown, and a finding says so.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use ordersync_api::{DatePrecision, Timestamp};
use ordersync_values::amount::Written;
use ordersync_values::currency::{Currencies, Currency};
use ordersync_values::dates::instant;
use ordersync_values::locale::{self, Locale};
use ordersync_values::zone::Tz;
use rust_decimal::Decimal;
use serde_json::Value;

use crate::Options;
use crate::finding::{Finding, FindingCode, Findings};
use crate::format::{Base, Format, Place, Source};
use crate::layout::{Dates, When};

/// The largest amount or quantity: sums and products of such stay exact.
pub(crate) const LARGEST: Decimal = Decimal::from_parts(2_764_472_320, 232_830, 0, false, 0);
const MAX_DECIMALS: u32 = 12;
/// A binary float holds every number of so many digits exactly (IEEE 754, binary64). A JSON number with more is the result of
/// a computation, and is rounded to `ROUNDED_DECIMALS`.
const FLOAT_DIGITS: usize = 15;
const ROUNDED_DECIMALS: u32 = 8;

/// Where a record is, in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) row: u32,
    pub(crate) line: u32,
}

/// A record, or a line within one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) at: At,
    pub(crate) data: Data<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Data<'a> {
    Cells(&'a [String], &'a HashMap<String, usize>),
    Json { order: &'a Value, group: &'a Value, line: &'a Value },
}

impl View<'_> {
    /// The value at a source: trimmed, and without line breaks.
    pub(crate) fn text(&self, source: &Source, format: &Format) -> Option<String> {
        self.figure(source, format).map(|(text, _)| text)
    }

    /// The values at a source, one for each node: of all places if `everywhere`, otherwise of the first that has any.
    pub(crate) fn texts(&self, source: &Source, format: &Format, everywhere: bool) -> Vec<String> {
        if let Some(text) = &source.value {
            return vec![text.clone()];
        }
        let of = |place| -> Vec<String> {
            let found = self.at_place(place, format);
            found.into_iter().filter_map(|(text, _)| present(&text, format)).collect()
        };
        let mut places = source.places.iter().map(of).filter(|texts| !texts.is_empty());
        if everywhere { places.flatten().collect() } else { places.next().unwrap_or_default() }
    }

    /// The value at a source, and its decimal sign, if that is known.
    fn figure(&self, source: &Source, format: &Format) -> Option<(String, Option<char>)> {
        let value = |place| {
            let found = self.at_place(place, format);
            let (_, sign) = *found.first()?;
            let mut texts: Vec<String> = found.into_iter().map(|(text, _)| text).collect();
            texts.dedup();
            Some((present(&texts.join(" "), format)?, sign))
        };
        let fixed = source.value.clone().map(|text| (text, format.decimal));
        fixed.or_else(|| source.places.iter().find_map(value))
    }

    /// The texts at a place, one for each node, and their decimal signs, if these are known.
    fn at_place(&self, place: &Place, format: &Format) -> Vec<(String, Option<char>)> {
        // The decimal sign of a JSON number is a point, even if that of the texts is a comma.
        let sign = |value: &Value| if value.is_number() { Some('.') } else { format.decimal };
        let of = |node: &Value| scalar(node).map(|text| (text, sign(node)));
        match (place, self.data) {
            (Place::Column(name), Data::Cells(cells, columns)) => {
                let cell = columns.get(name).and_then(|index| cells.get(*index));
                cell.map(|cell| (cell.clone(), format.decimal)).into_iter().collect()
            }
            (Place::Column(name), Data::Json { line, .. }) => line.get(name).and_then(of).into_iter().collect(),
            (Place::Path(base, path, _), Data::Json { order, group, line }) => {
                let value = match base {
                    Base::Line => line,
                    Base::Group => group,
                    Base::Order => order,
                };
                path.query(value).iter().filter_map(|node| of(node)).collect()
            }
            (Place::Path(..), Data::Cells(..)) => Vec::new(),
        }
    }
}

/// A text in one line, with single spaces; none for a text that stands for no value.
fn present(text: &str, format: &Format) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_missing = text.is_empty() || format.missing.iter().any(|word| text.eq_ignore_ascii_case(word));
    (!is_missing).then_some(text)
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => {
            // With arbitrary precision, the digits of the file.
            let digits = number.to_string();
            let is_computed = digits.contains('.') && digits.bytes().filter(u8::is_ascii_digit).count() > FLOAT_DIGITS;
            Some(match ordersync_api::exact::parse(&digits) {
                Ok(exact) if is_computed => exact.round_dp(ROUNDED_DECIMALS).normalize().to_string(),
                Ok(exact) => exact.to_string(),
                Err(_) => digits,
            })
        }
        Value::Bool(is) => Some(is.to_string()),
        _ => None,
    }
}

/// Reads the values of an order.
pub(crate) struct Reading<'a> {
    pub(crate) format: &'a Format,
    pub(crate) dates: &'a Dates,
    pub(crate) options: &'a Options,
    pub(crate) shown: &'a str,
    pub(crate) order_id: String,
    pub(crate) findings: &'a mut Findings,
    /// The currency of amounts without a symbol, and of those whose symbol may stand for several.
    own: Currencies,
    /// The currencies that symbols name.
    pub(crate) named: BTreeSet<String>,
    /// Symbols that may stand for several currencies, but not for the one of amounts without a symbol.
    pub(crate) open: BTreeSet<String>,
}

impl<'a> Reading<'a> {
    /// `own`: the currency of the order, if its rows or its format say it.
    pub(crate) fn new(
        (format, dates, shown): (&'a Format, &'a Dates, &'a str),
        (options, findings): (&'a Options, &'a mut Findings),
        order_id: String,
    ) -> Self {
        let (own, named, open) = (Currencies::default(), BTreeSet::new(), BTreeSet::new());
        Self { format, dates, options, shown, order_id, findings, own, named, open }
    }

    /// The currency of amounts without a symbol.
    pub(crate) fn presume(&mut self, code: Option<&str>) {
        self.own = Currencies::new(code, &HashMap::new()).unwrap_or_default();
    }

    pub(crate) fn finding(&self, code: FindingCode, at: At, message: impl Into<String>) -> Finding {
        let finding = Finding::new(code, self.shown, message).at(at.row, at.line);
        if self.order_id.is_empty() { finding } else { finding.order(&self.order_id) }
    }

    pub(crate) fn text(&self, view: &View<'_>, source: Option<&Source>) -> Option<String> {
        view.text(source?, self.format)
    }

    /// An amount.
    pub(crate) fn amount(&mut self, view: &View<'_>, source: &Source) -> Option<Decimal> {
        let (text, sign) = view.figure(source, self.format)?;
        let bare = text.trim_matches('\'');
        let read = Written::read(bare).and_then(|written| {
            let currency = self.currency(&written.symbol, bare, view.at)?;
            let number = self.number(written.number, sign, currency.as_ref())?;
            let number = if self.format.micros { micros(number, currency.as_ref())? } else { number };
            Some(if written.is_negative { -number } else { number })
        });
        if read.is_none() {
            self.unreadable("amount", (&text, sign), view.at, source);
        }
        read
    }

    /// A quantity.
    pub(crate) fn quantity(&mut self, view: &View<'_>, source: &Source) -> Option<Decimal> {
        let (text, sign) = view.figure(source, self.format)?;
        let read = Written::read(text.trim_matches('\'')).filter(|written| written.symbol.is_empty());
        let read = read.and_then(|written| {
            let number = within_bounds(one(&readings(written.number, sign))?)?;
            Some(if written.is_negative { -number } else { number })
        });
        if read.is_none() {
            self.unreadable("quantity", (&text, sign), view.at, source);
        }
        read
    }

    fn unreadable(&mut self, what: &str, (text, sign): (&str, Option<char>), at: At, source: &Source) {
        let number = Written::read(text.trim_matches('\'')).map(|written| written.number);
        let remedy = if number.is_some_and(|number| readings(number, sign).len() > 1) {
            let like = match self.format.is_own {
                true => "the mapping".to_owned(),
                false => format!("a mapping, beside `like = \"{}\"`", self.format.name),
            };
            format!(" Name the decimal sign in {like}: `decimal = \".\"` or `decimal = \",\"`.")
        } else {
            String::new()
        };
        let message = format!("The {what} \"{text}\" cannot be read in one way, and is left out.{remedy}");
        let finding = self.finding(FindingCode::AmountUnreadable, at, message);
        self.findings.add(finding.column(source.name()).shown(text));
    }

    /// The currency of a symbol. Some(None): it is not known. None: the symbol is none.
    fn currency(&mut self, symbol: &str, text: &str, at: At) -> Option<Option<Currency>> {
        // The symbols of these formats are those of English; the language only matters for the yuan.
        let english = Locale::from_tag("en")?;
        match self.own.of_symbol(symbol, english) {
            Ok(currency) => {
                if !symbol.is_empty() {
                    self.named.insert(currency.code().to_owned());
                }
                Some(Some(currency))
            }
            Err(ordersync_values::currency::Unsettled::NoSymbol) => None,
            // A refund is in the currency of its order.
            Err(_) if symbol.is_empty() && self.format.adds.is_some() => Some(None),
            Err(_) => {
                let (what, symbol) = match symbol {
                    "" => ("The amounts have no currency".to_owned(), "none"),
                    symbol => (format!("\"{symbol}\" in \"{text}\" may be several currencies"), symbol),
                };
                if Currency::of_symbol(symbol).len() > 1 {
                    self.open.insert(symbol.to_owned());
                }
                let message = format!("{what}: name the currency with --currency, such as --currency USD.");
                let finding = self.finding(FindingCode::CurrencyUnknown, at, message);
                self.findings.add_once(finding.shown(symbol));
                Some(None)
            }
        }
    }

    fn number(&self, text: &str, sign: Option<char>, currency: Option<&Currency>) -> Option<Decimal> {
        let mut readings = readings(text, sign);
        // The formats of shops show amounts with the decimals of their currency or none. In any other file, a price may
        // have three, unless its currency has no smaller coin.
        let decimals = currency.map_or(2, Currency::minor_units);
        if readings.len() > 1 && (!self.format.is_own || decimals == 0) {
            readings.retain(|reading| reading.scale() == 0 || reading.scale() == decimals);
        }
        within_bounds(one(&readings)?)
    }

    /// A time, and its precision.
    pub(crate) fn time(&mut self, view: &View<'_>, source: &Source) -> Option<(Timestamp, Option<DatePrecision>)> {
        let text = view.text(source, self.format)?;
        let zone = self.options.time_zone.or(self.format.time_zone);
        let read = match (self.dates.read(&text), zone) {
            (Some(When::Instant(at)), _) => Some((at.into(), None)),
            (Some(When::Local(at)), Some(zone)) => instant(at, zone).map(|at| (at.into(), None)),
            (Some(When::Local(at)), None) => {
                let message = "The times in this file have no time zone, so that only their day is kept. Name the zone with \
                               --time-zone, such as --time-zone Europe/Berlin.";
                let finding = self.finding(FindingCode::TimeZoneUnknown, view.at, message);
                self.findings.add_once(finding.column(source.name()));
                noon(at.date(), None).map(|at| (at, Some(DatePrecision::Day)))
            }
            (Some(When::Day(day)), _) => noon(day, zone).map(|at| (at, Some(DatePrecision::Day))),
            (None, _) => None,
        };
        if read.is_none() {
            let (code, message) = if self.dates.is_in_doubt(&text) {
                let message = format!(
                    "The date \"{text}\" may be two days, and is left out: another date of the file has the day and the month \
                     the other way round. Correct the dates, or name their form in a mapping (`date_format`)."
                );
                (FindingCode::DateOrderUnknown, message)
            } else {
                let message = format!("The date \"{text}\" cannot be read, and is left out.");
                (FindingCode::DateUnreadable, message)
            };
            let finding = self.finding(code, view.at, message);
            self.findings.add(finding.column(source.name()).shown(&text));
        }
        read
    }
}

/// The different values of an unsigned number.
fn readings(text: &str, sign: Option<char>) -> Vec<Decimal> {
    let signs = sign.map_or_else(|| vec!['.', ','], |sign| vec![sign]);
    let mut readings: Vec<Decimal> = signs.into_iter().filter_map(|sign| locale::number(text, sign)).collect();
    readings.dedup();
    readings
}

fn one(readings: &[Decimal]) -> Option<Decimal> {
    match readings {
        [only] => Some(*only),
        _ => None,
    }
}

fn within_bounds(number: Decimal) -> Option<Decimal> {
    (number <= LARGEST && number.scale() <= MAX_DECIMALS).then_some(number)
}

/// Noon of a day: in UTC, if no zone is known.
fn noon(day: NaiveDate, zone: Option<Tz>) -> Option<Timestamp> {
    let noon = day.and_hms_opt(12, 0, 0)?;
    Some(Timestamp(match zone {
        Some(zone) => instant(noon, zone)?,
        None => noon.and_utc(),
    }))
}

/// Millionths as an amount, with the decimals of its currency or more.
fn micros(count: Decimal, currency: Option<&Currency>) -> Option<Decimal> {
    let mut amount = count.checked_div(Decimal::from(1_000_000))?.normalize();
    let decimals = currency.map_or(0, Currency::minor_units);
    if amount.scale() < decimals {
        amount.rescale(decimals);
    }
    Some(amount)
}
