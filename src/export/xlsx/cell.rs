//! A cell of a sheet: a number or a date where Excel's numbers hold it exactly, else text. Nothing is a formula.

use std::io::Write as _;

use chrono::{DateTime, Utc};
use ordersync_api::Timestamp;

use super::super::columns::{is_decimal, is_identifier, is_integer, is_time};
use super::super::excel::DIGITS;
use super::super::row::Column;
use super::book::Style;
use crate::errors::{Error, Hint, codes};
use crate::time_zone::TimeZone;

/// A cell can hold no longer text, in units of UTF-16.
const LONGEST: usize = 32_767;
/// The day of Excel that 1970-01-01 is.
const EPOCH: i64 = 25_569;
const DAY: i64 = 86_400_000;
/// Before it Excel counts a day that there never was: 1900-02-29.
const FIRST_DAY: i64 = 61;
/// The day after 9999-12-31, which is Excel's last.
const END_OF_DAYS: i64 = 2_958_466;

/// A text that no cell can hold.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong(usize);

impl TooLong {
    /// The error that names its item.
    pub(super) fn of_item(self, id: Option<&str>, column: Column) -> Error {
        let id = id.unwrap_or("without an id");
        Error::of(
            &codes::network::UNEXPECTED_ANSWER,
            format!(
                "Excel cannot hold {} of item {id}: it has {} characters, and a cell at most {LONGEST}.",
                column.name(),
                self.0
            ),
        )
        .hint(Hint::run("Export it as text", "ordersync orders export --format csv"))
    }
}

/// The one or two letters of a column.
struct Letters(usize);

impl std::fmt::Display for Letters {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const { assert!(Column::ALL.len() <= 26 * 26) };
        let letter = |number: usize| char::from(b'A'.saturating_add(u8::try_from(number).unwrap_or(u8::MAX)));
        if let Some(first) = (self.0 / 26).checked_sub(1) {
            write!(to, "{}", letter(first))?;
        }
        write!(to, "{}", letter(self.0 % 26))
    }
}

pub(super) fn begin_row(page: &mut Vec<u8>, number: u32) {
    push_text(page, format_args!("<row r=\"{number}\">"));
}

pub(super) fn end_row(page: &mut Vec<u8>) {
    page.extend_from_slice(b"</row>");
}

pub(super) fn push_heading(page: &mut Vec<u8>, index: usize, row: u32, text: &str) {
    push_string(page, index, row, Style::Heading, text);
}

/// A cell of this row, its time in a zone; none if the text is empty.
pub(super) fn push(
    page: &mut Vec<u8>,
    column: Column,
    index: usize,
    row: u32,
    text: &str,
    zone: TimeZone,
) -> Result<(), TooLong> {
    if text.is_empty() {
        return Ok(());
    }
    if is_time(column)
        && let Some((serial, style)) = text.parse().ok().and_then(|at: Timestamp| serial(zone.time(at.0).and_utc()))
    {
        push_number(page, index, row, style, &serial.to_string());
        return Ok(());
    }
    if (is_decimal(column) || is_integer(column))
        && let Some(number) = number(text)
    {
        push_number(page, index, row, Style::Plain, number);
        return Ok(());
    }
    // A text has at least as many bytes as units.
    if text.len() > LONGEST {
        let length = text.encode_utf16().count();
        if length > LONGEST {
            return Err(TooLong(length));
        }
    }
    push_string(page, index, row, if is_identifier(column) { Style::Text } else { Style::Plain }, text);
    Ok(())
}

fn push_number(page: &mut Vec<u8>, index: usize, row: u32, style: Style, number: &str) {
    push_text(page, format_args!("<c r=\"{}{row}\"", Letters(index)));
    push_style(page, style);
    push_text(page, format_args!("><v>{number}</v></c>"));
}

fn push_string(page: &mut Vec<u8>, index: usize, row: u32, style: Style, text: &str) {
    push_text(page, format_args!("<c r=\"{}{row}\"", Letters(index)));
    push_style(page, style);
    page.extend_from_slice(b" t=\"inlineStr\"><is><t");
    let is_blank = |one: char| one.is_whitespace();
    if text.starts_with(is_blank) || text.ends_with(is_blank) || text.contains('\n') {
        page.extend_from_slice(b" xml:space=\"preserve\"");
    }
    page.push(b'>');
    push_escaped(page, text);
    page.extend_from_slice(b"</t></is></c>");
}

fn push_style(page: &mut Vec<u8>, style: Style) {
    if style != Style::Plain {
        push_text(page, format_args!(" s=\"{}\"", style as u8));
    }
}

fn push_text(page: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing into memory does not fail.
    let _ = page.write_fmt(text);
}

/// Escapes what XML needs, and as Excel does, `_x000D_`, what XML cannot hold or would change; so also what looks like it.
fn push_escaped(page: &mut Vec<u8>, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(is_special) {
        let (plain, from) = rest.split_at(at);
        page.extend_from_slice(plain.as_bytes());
        let Some(one) = from.chars().next() else { return };
        rest = &from[one.len_utf8()..];
        match one {
            '&' => page.extend_from_slice(b"&amp;"),
            '<' => page.extend_from_slice(b"&lt;"),
            '>' => page.extend_from_slice(b"&gt;"),
            '_' if !looks_escaped(from) => page.push(b'_'),
            one => push_text(page, format_args!("_x{:04X}_", u32::from(one))),
        }
    }
    page.extend_from_slice(rest.as_bytes());
}

fn is_special(one: char) -> bool {
    match one {
        '&' | '<' | '>' | '_' | '\u{fffe}' | '\u{ffff}' => true,
        '\t' | '\n' => false,
        one => one < ' ',
    }
}

/// Whether it begins as `_x000D_` does.
fn looks_escaped(text: &str) -> bool {
    matches!(text.as_bytes(), [b'_', b'x', digits @ .., ] if digits.len() > 4
        && digits[..4].iter().all(u8::is_ascii_hexdigit) && digits[4] == b'_')
}

/// A decimal as Excel's numbers hold it, if no digit is lost: they hold fifteen.
fn number(text: &str) -> Option<&str> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    // Zeros before a number belong to a text: 007.
    let is_number = is_plain(whole) && is_plain(fraction) && (whole == "0" || !whole.starts_with('0'));
    let significant = whole.trim_start_matches('0').len() + fraction.trim_end_matches('0').len();
    (is_number && !whole.is_empty() && significant <= DIGITS).then_some(text)
}

/// The days since the end of 1899 that Excel counts, where they and the time of day are exact.
fn serial(at: DateTime<Utc>) -> Option<(f64, Style)> {
    let millis = at.timestamp_millis();
    let (day, time) = (millis.div_euclid(DAY) + EPOCH, millis.rem_euclid(DAY));
    if !at.timestamp_subsec_nanos().is_multiple_of(1_000_000) || !(FIRST_DAY..END_OF_DAYS).contains(&day) {
        return None;
    }
    let style = if time % 1000 == 0 { Style::Time } else { Style::Millis };
    Some(((day * DAY + time) as f64 / DAY as f64, style))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(column: Column, text: &str) -> String {
        let mut page = Vec::new();
        push(&mut page, column, 2, 7, text, TimeZone::UTC).expect("a cell");
        String::from_utf8(page).expect("text")
    }

    #[test]
    fn columns_after_the_twenty_sixth_have_two_letters() {
        let names = [0, 25, 26, 51, 52].map(|index| Letters(index).to_string());
        assert_eq!(names, ["A", "Z", "AA", "AZ", "BA"]);
    }

    fn string(text: &str) -> String {
        let mut page = Vec::new();
        push_escaped(&mut page, text);
        String::from_utf8(page).expect("text")
    }

    #[test]
    fn numbers_are_numbers_where_no_digit_is_lost() {
        let price = |text| cell(Column::Price, text);
        for exact in ["0", "1430.71", "-0.50", "123456789012345", "1234567890123.4500", "0.00000012345"] {
            assert_eq!(price(exact), format!("<c r=\"C7\"><v>{exact}</v></c>"));
        }
        for text in ["1234567890123456", "12345678901234.56", "007", "1E5", ".5", "-", "1.2.3"] {
            assert!(price(text).contains(&format!("<t>{text}</t>")), "{text}");
        }
        assert_eq!(cell(Column::RetailerId, "12"), "<c r=\"C7\"><v>12</v></c>");
        assert!(cell(Column::RetailerSku, "12").contains("s=\"4\" t=\"inlineStr\"><is><t>12</t>"));
        assert_eq!(price(""), "");
    }

    #[test]
    fn times_are_days_where_excel_counts_them() {
        let time = |text| cell(Column::OrderDate, text);
        assert_eq!(time("2025-10-16T12:00:00Z"), "<c r=\"C7\" s=\"2\"><v>45946.5</v></c>");
        assert_eq!(time("2025-10-16T14:00:00+02:00"), time("2025-10-16T12:00:00Z"));
        assert_eq!(time("1900-03-01T00:00:00Z"), "<c r=\"C7\" s=\"2\"><v>61</v></c>");
        assert!(time("2025-10-16T12:00:00.125Z").contains("s=\"3\"><v>45946.500001446"));
        for text in ["1900-02-28T00:00:00Z", "2025-10-16T12:00:00.000001Z", "yesterday", "+10000-01-01T00:00:00Z"] {
            assert!(time(text).contains(&format!("<t>{text}</t>")), "{text}");
        }
    }

    #[test]
    fn texts_are_escaped_and_never_cut() {
        assert_eq!(string("a<b>&\"c\""), "a&lt;b&gt;&amp;\"c\"");
        assert_eq!(string("\u{0}\r\n\t\u{1f}\u{ffff}"), "_x0000__x000D_\n\t_x001F__xFFFF_");
        assert_eq!(string("_x000D_ _x00d_ __x12aF_"), "_x005F_x000D_ _x00d_ __x005F_x12aF_");
        assert!(cell(Column::ItemName, " a").contains("<t xml:space=\"preserve\"> a</t>"));
        assert!(cell(Column::ItemName, "=1+1").contains("t=\"inlineStr\"><is><t>=1+1</t>"));
        let long = "ü".repeat(LONGEST);
        assert!(cell(Column::ItemName, &long).contains(&long));
        let longer = "😀".repeat(LONGEST / 2 + 1);
        assert_eq!(push(&mut Vec::new(), Column::ItemName, 0, 2, &longer, TimeZone::UTC), Err(TooLong(LONGEST + 1)));
    }
}
