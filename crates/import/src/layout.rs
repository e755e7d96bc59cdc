//! Which format a file has, by the names of its columns or keys, and what is known of the file: how its text is encoded, and
//! which way of writing dates all of its dates prove.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, Utc};
use serde_json::Value;

use crate::document::{self, Records};
use crate::finding::{Finding, FindingCode, Findings, Refused};
use crate::format::{Field, Format, Place, Source};
use crate::input::{Input, is_text, not_recognised, not_text};
use crate::saved::Periods;
use crate::table::{Charset, Table, delimiter};
use crate::{mail, mailbox, saved};

/// A file in a known format.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Which of the inputs.
    pub(crate) input: usize,
    pub(crate) format: Arc<Format>,
    pub(crate) kind: Kind,
    pub(crate) dates: Dates,
    pub(crate) rows: u64,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Csv {
        delimiter: u8,
        charset: Charset,
        columns: HashMap<String, usize>,
        width: usize,
    },
    Json,
    /// A mail, or a mailbox, and how many of its mails have no order.
    Mails {
        is_mbox: bool,
        without_orders: u64,
    },
    /// A page that was saved from the browser.
    Page,
}

/// The result of recognising a file.
pub(crate) enum Known {
    Layout(Layout),
    /// It has all columns of a format but one or a few, or it is JSON that is not read.
    Almost(Refused),
    /// A mail without an order: it is not read again.
    OtherMail,
    No,
}

/// Recognises a file. `formats`: the first one that fits best wins.
pub(crate) fn recognise(
    (index, input): (usize, &Input),
    formats: &[Arc<Format>],
    periods: &mut Periods,
    findings: &mut Findings,
) -> Result<Known, Refused> {
    let start = input.start()?;
    if !is_text(&start) {
        findings.add(not_text(&input.shown, &start));
        return Ok(Known::No);
    }
    if formats.iter().any(|format| format.pages) && (saved::is_page(&start) || saved::is_any_archive(&start)) {
        return page(index, input, formats, periods);
    }
    if let Some(is_mbox) = mailbox::recognise(&start) {
        return mails(index, input, is_mbox, formats);
    }
    let found = if document::is_json(&start) {
        match json(input, formats) {
            Ok(found) => found.map(|format| (format, Kind::Json)),
            // Beside other files, it may be anything: it is named and left out. One that is cut off is not.
            Err(refused) if refused.code == FindingCode::CutOff => return Err(refused),
            Err(refused) => return Ok(Known::Almost(refused)),
        }
    } else {
        match csv(input, &start, formats)? {
            Ok(found) => Some(found),
            Err(Some(almost)) => return Ok(Known::Almost(almost)),
            Err(None) => None,
        }
    };
    let Some((format, kind)) = found else {
        findings.add(not_recognised(&input.shown));
        return Ok(Known::No);
    };
    if let Some(why) = &format.refuse {
        return Err(Finding::new(FindingCode::NoLinesInFile, &input.shown, why).into());
    }
    if let Kind::Csv { columns, .. } = &kind {
        columns_in_doubt(columns, &format, &input.shown, findings);
    }
    let dates = Dates::new(&format);
    Ok(Known::Layout(Layout { input: index, format, kind, dates, rows: 0 }))
}

fn mails(index: usize, input: &Input, is_mbox: bool, formats: &[Arc<Format>]) -> Result<Known, Refused> {
    let Some(format) = formats.iter().find(|format| format.mails) else { return Ok(Known::No) };
    if !is_mbox {
        let bytes = mailbox::again(input.open()?, &input.shown, is_mbox, 0)?;
        let told = bytes.map(|bytes| mail::read(&bytes, format));
        if told.is_some_and(|told| told.orders.is_empty() && told.problems.is_empty()) {
            return Ok(Known::OtherMail);
        }
    }
    let (kind, dates) = (Kind::Mails { is_mbox, without_orders: 0 }, Dates::new(format));
    Ok(Known::Layout(Layout { input: index, format: Arc::clone(format), kind, dates, rows: 0 }))
}

/// A page of orders. One of a known other kind is named and left out if others have orders; any other one is refused.
fn page(index: usize, input: &Input, formats: &[Arc<Format>], periods: &mut Periods) -> Result<Known, Refused> {
    let page = match saved::open(input)? {
        Ok(page) => page,
        Err((code, message)) => {
            let refused = Finding::new(code, &input.shown, message).into();
            let is_known = !matches!(code, FindingCode::CutOff | FindingCode::PageUnknown | FindingCode::SiteUnproven);
            return if is_known { Ok(Known::Almost(refused)) } else { Err(refused) };
        }
    };
    let is_of = |format: &&Arc<Format>| format.pages && format.name == page.format;
    let Some(format) = formats.iter().find(is_of) else { return Ok(Known::No) };
    periods.add(&input.shown, &page);
    let (kind, dates) = (Kind::Page, Dates::new(format));
    Ok(Known::Layout(Layout { input: index, format: Arc::clone(format), kind, dates, rows: 0 }))
}

fn json(input: &Input, formats: &[Arc<Format>]) -> Result<Option<Arc<Format>>, Refused> {
    let Some((_, record)) = Records::of(input)?.next()? else { return Ok(None) };
    let fits = |format: &&Arc<Format>| {
        let orders = format.orders(&record);
        orders.first().is_some_and(|order| {
            format.needs.iter().all(|need| match need.places.first() {
                Some(Place::Column(name)) => order.get(name).is_some(),
                Some(Place::Path(_, path, _)) => !path.query(order).is_empty(),
                None => true,
            })
        })
    };
    // The mapping, or the one that needs most.
    Ok(formats.iter().filter(fits).max_by_key(|format| (format.is_own, format.needs.len())).cloned())
}

type Found = Result<(Arc<Format>, Kind), Option<Refused>>;

fn csv(input: &Input, start: &[u8], formats: &[Arc<Format>]) -> Result<Found, Refused> {
    let guessed = delimiter(start);
    let header = |delimiter: u8, label: Option<&str>| -> Result<(Vec<String>, Charset), Refused> {
        let mut table = Table::new(input.open()?, &input.shown, delimiter, Charset::new(label))?;
        // No table of ours has a header that is no text.
        let names = table.next().ok().flatten().map_or_else(Vec::new, |row| row.cells);
        Ok((names.iter().map(|name| name.trim().to_owned()).collect(), table.charset))
    };
    let mut fitting: Vec<(&Arc<Format>, Kind)> = Vec::new();
    let mut almost: Option<(usize, Refused)> = None;
    for format in formats.iter().filter(|format| !format.is_document()) {
        let delimiter = format.delimiter.and_then(|sign| u8::try_from(sign).ok()).unwrap_or(guessed);
        let (names, charset) = header(delimiter, format.encoding.as_deref())?;
        let is_there = |source: &&Source| source.names().any(|name| names.iter().any(|known| known == name));
        let missing: Vec<&Source> = format.needs.iter().filter(|need| !is_there(need)).collect();
        let present = format.needs.len() - missing.len();
        if let Some(first) = missing.first() {
            if present >= 3
                && present * 10 >= format.needs.len() * 6
                && almost.as_ref().is_none_or(|(most, _)| present > *most)
            {
                let missing: Vec<&str> = missing.iter().map(|source| source.name()).collect();
                let message = format!(
                    "The file looks like {title}, but it has no column \"{missing}\". Its columns are: {present}. Get the \
                     file again, or write a mapping (--explain proposes one, --map uses it). Nothing was stored.",
                    title = format.title,
                    missing = missing.join("\", \""),
                    present = names.join(", ")
                );
                let finding = Finding::new(FindingCode::MissingColumn, &input.shown, message).column(first.name());
                almost = Some((present, finding.into()));
            }
            continue;
        }
        let mut columns = HashMap::new();
        for (index, name) in names.iter().enumerate() {
            let is_read = || format.sources().any(|source| source.names().any(|read| read == name));
            if columns.insert(name.clone(), index).is_some() && is_read() {
                let message = format!("The file has two columns named \"{name}\". Rename the one that is not meant.");
                return Err(Finding::new(FindingCode::ValuesDiffer, &input.shown, message).column(name).into());
            }
        }
        fitting.push((format, Kind::Csv { delimiter, charset, columns, width: names.len() }));
    }
    let best = fitting.into_iter().max_by_key(|(format, _)| (format.is_own, format.needs.len()));
    Ok(best.map(|(format, kind)| (Arc::clone(format), kind)).ok_or(almost.map(|(_, refused)| refused)))
}

/// Reports unknown columns, and those of amounts that are missing: one may be the other under a new name.
fn columns_in_doubt(columns: &HashMap<String, usize>, format: &Format, shown: &str, findings: &mut Findings) {
    let is_read =
        |name: &str| format.sources().chain(&format.needs).any(|source| source.names().any(|read| read == name));
    let is_unknown = |name: &str| !name.is_empty() && !format.known.iter().any(|known| known == name) && !is_read(name);
    let mut unknown: Vec<(&String, &usize)> = columns.iter().filter(|(name, _)| is_unknown(name)).collect();
    unknown.sort_by_key(|(_, index)| **index);
    // A file whose columns are all known may have fewer of them.
    if format.is_own || format.known.is_empty() || !unknown.is_empty() {
        let fields = [Field::OrderTotal, Field::Price, Field::LineTotal].map(|field| format.source(field));
        let amounts = fields.into_iter().flatten().chain(format.adjustments.iter().map(|rule| &rule.amount));
        let is_missing =
            |source: &&Source| source.value.is_none() && !source.names().any(|name| columns.contains_key(name));
        for source in amounts.filter(is_missing) {
            let message = format!(
                "The file has no column \"{}\", so its amounts are missing. If the column has another name here, name it in \
                 a mapping (--explain proposes one, --map uses it).",
                source.name()
            );
            findings.add_once(Finding::new(FindingCode::MissingColumn, shown, message).column(source.name()));
        }
    }
    if format.known.is_empty() {
        return;
    }
    for (name, _) in unknown {
        let message = format!("The column \"{name}\" is not known, and is not imported.");
        findings.add(Finding::new(FindingCode::UnknownColumn, shown, message).column(name));
    }
}

/// A date as a file has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Instant(DateTime<Utc>),
    /// A time whose zone the file does not say.
    Local(NaiveDateTime),
    Day(NaiveDate),
}

/// The ways of writing dates that are still possible in a file.
#[derive(Debug, Clone)]
pub(crate) struct Dates {
    forms: Vec<String>,
    /// Those that some date is not written in.
    others: Vec<String>,
    /// Whether some date is another day in each of two forms.
    differ: Vec<(String, String)>,
    /// True if a date is written with day and month the other way round.
    is_mixed: bool,
    /// The newest day, in days since the beginning of the calendar.
    pub(crate) newest: i32,
}

impl Dates {
    pub(crate) fn new(format: &Format) -> Self {
        let forms = match format.date_format.0.as_slice() {
            [] => vec!["iso".to_owned()],
            forms => forms.to_vec(),
        };
        Self { forms, others: Vec::new(), differ: Vec::new(), is_mixed: false, newest: i32::MIN }
    }

    /// Takes a date as a proof: forms that do not read it are out, unless none reads it.
    pub(crate) fn prove(&mut self, text: &str) {
        let readings: Vec<Option<When>> = self.forms.iter().map(|form| read_date(text, form)).collect();
        if let Some(when) = readings.iter().flatten().next().copied().or_else(|| self.reading(text)) {
            self.newest = self.newest.max(when.day().num_days_from_ce());
        } else {
            let mut swapped = self.forms.iter().filter_map(|form| swapped(form));
            self.is_mixed |= swapped.any(|form| read_date(text, &form).is_some());
        }
        if self.forms.len() == 1 || readings.iter().all(Option::is_none) {
            return;
        }
        for (index, one) in readings.iter().enumerate() {
            for (other_index, other) in readings.iter().enumerate().skip(index + 1) {
                let pair = (self.forms[index].clone(), self.forms[other_index].clone());
                if one.zip(*other).is_some_and(|(one, other)| one != other) && !self.differ.contains(&pair) {
                    self.differ.push(pair);
                }
            }
        }
        let mut reads = readings.iter().map(Option::is_some);
        self.others.extend(self.forms.extract_if(.., |_| !reads.next().unwrap_or_default()));
    }

    /// The two forms that both read all dates, and read them differently.
    pub(crate) fn doubt(&self) -> Option<&(String, String)> {
        self.differ.iter().find(|(one, other)| self.forms.contains(one) && self.forms.contains(other))
    }

    pub(crate) fn forms(&self) -> &[String] {
        &self.forms
    }

    /// A date, unless it may be two days.
    pub(crate) fn read(&self, text: &str) -> Option<When> {
        self.reading(text).filter(|_| !self.is_in_doubt(text))
    }

    /// A date, in a form that all are written in, or in another one that has the day and the month in the same order.
    pub(crate) fn reading(&self, text: &str) -> Option<When> {
        let is_opposite = |other: &str| {
            let same_year = |form: &str| form.replace("%Y", "%y");
            let other = swapped(other).map(|other| same_year(&other));
            other.is_some_and(|other| self.forms.iter().any(|form| same_year(form) == other))
        };
        let others = || self.others.iter().filter(|other| !is_opposite(other));
        let read = |form: &String| read_date(text, form);
        self.forms.iter().find_map(read).or_else(|| others().find_map(read))
    }

    /// True if a date may be two days, in a file that has dates of either order.
    pub(crate) fn is_in_doubt(&self, text: &str) -> bool {
        let is_open = |form: &String| {
            let other = swapped(form).and_then(|other| read_date(text, &other));
            read_date(text, form).zip(other).is_some_and(|(one, other)| one != other)
        };
        self.is_mixed && self.forms.iter().chain(&self.others).any(is_open)
    }
}

impl When {
    pub(crate) fn day(self) -> NaiveDate {
        match self {
            Self::Instant(at) => at.date_naive(),
            Self::Local(at) => at.date(),
            Self::Day(day) => day,
        }
    }
}

/// The form with day and month the other way round.
fn swapped(form: &str) -> Option<String> {
    let is_open = form.contains("%m") && form.contains("%d");
    is_open.then(|| form.replace("%m", "%\0").replace("%d", "%m").replace("%\0", "%d"))
}

fn read_date(text: &str, form: &str) -> Option<When> {
    let text = text.trim_matches('\'');
    let epoch = |unit: i64| text.parse::<i64>().ok().and_then(|count| count.checked_mul(unit));
    let when = match form {
        "usec" => When::Instant(DateTime::from_timestamp_micros(epoch(1)?)?),
        "msec" => When::Instant(DateTime::from_timestamp_micros(epoch(1_000)?)?),
        "sec" => When::Instant(DateTime::from_timestamp_micros(epoch(1_000_000)?)?),
        "iso" => DateTime::parse_from_rfc3339(text)
            .map(|at| When::Instant(at.to_utc()))
            .or_else(|_| text.parse::<NaiveDateTime>().map(When::Local))
            .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f").map(When::Local))
            .or_else(|_| NaiveDate::parse_from_str(text, "%Y-%m-%d").map(When::Day))
            .ok()?,
        _ => DateTime::parse_from_str(text, form)
            .map(|at| When::Instant(at.to_utc()))
            .or_else(|_| NaiveDateTime::parse_from_str(text, form).map(When::Local))
            .or_else(|_| NaiveDate::parse_from_str(text, form).map(When::Day))
            .ok()?,
    };
    // A year of two digits, read as if it had four, is none of an order.
    (1990..2100).contains(&when.day().year()).then_some(when)
}

impl Format {
    /// The orders of a record: what `records` leads to, or the record itself.
    pub(crate) fn orders<'a>(&self, record: &'a Value) -> Vec<&'a Value> {
        match &self.records {
            Some(source) => nodes(source, record),
            None => vec![record],
        }
    }
}

/// The values that the paths of a source lead to.
pub(crate) fn nodes<'a>(source: &Source, value: &'a Value) -> Vec<&'a Value> {
    let paths = source.places.iter().filter_map(|place| match place {
        Place::Path(_, path, _) => Some(path),
        Place::Column(_) => None,
    });
    paths.flat_map(|path| path.query(value).all()).collect()
}
