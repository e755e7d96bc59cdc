//! CSV that Excel opens without changing it: identifiers stay text, nothing becomes a formula, umlauts are read.
//!
//! Sources: OWASP, "CSV Injection"; Excel shows `="007"` as the text 007.

use std::borrow::Cow;

use ordersync_api::Timestamp;

use super::columns::{is_decimal, is_identifier, is_integer, is_time};
use super::row::Column;
use crate::time_zone::TimeZone;

/// Tells Excel that the file is UTF-8.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";
/// A formula can hold no longer text.
const LONGEST_LITERAL: usize = 255;
/// Excel's numbers have no more digits.
pub(crate) const DIGITS: usize = 15;

/// The cell as Excel has to be given it; times are those of a zone.
pub(crate) fn safe(column: Column, text: Cow<'_, str>, zone: TimeZone) -> Cow<'_, str> {
    if text.is_empty() {
        return text;
    }
    if (is_decimal(column) || is_integer(column)) && is_number(&text) {
        return if digits(&text) <= DIGITS { text } else { literal(&text) };
    }
    if is_time(column)
        && let Some(time) = time(&text, zone)
    {
        return time.into();
    }
    let fits = text.encode_utf16().count() <= LONGEST_LITERAL && !text.contains(char::is_control);
    if fits && (is_identifier(column) || looks_like_a_value(&text)) {
        return literal(&text);
    }
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        return format!("'{text}").into();
    }
    text
}

/// The digits that count: without zeros in front.
pub(crate) fn digits(number: &str) -> usize {
    let digits = number.chars().filter(char::is_ascii_digit);
    digits.skip_while(|digit| *digit == '0').count()
}

fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b','))
}

fn literal(text: &str) -> Cow<'static, str> {
    format!("=\"{}\"", text.replace('"', "\"\"")).into()
}

/// `2025-10-16T13:50:00Z` without what makes Excel take it for text.
fn time(text: &str, zone: TimeZone) -> Option<String> {
    let there = zone.time(text.parse::<Timestamp>().ok()?.0);
    let text = Timestamp(there.and_utc()).to_string();
    let (day, time) = text.strip_suffix('Z')?.split_once('T')?;
    let plain = |text: &str, mark: char| text.chars().all(|one| one.is_ascii_digit() || one == mark || one == '.');
    (plain(day, '-') && plain(time, ':')).then(|| format!("{day} {time}"))
}

/// Whether an Excel might take a text for a number, a date, a time or a truth: 1E5, 007, 3-12, 12:30, Mar 1, 3. Mai. Months
/// are in the languages whose spreadsheets are common.
fn looks_like_a_value(text: &str) -> bool {
    const TRUTHS: [&str; 12] = [
        "true",
        "false",
        "wahr",
        "falsch",
        "vrai",
        "faux",
        "vero",
        "falso",
        "waar",
        "onwaar",
        "verdadero",
        "verdadeiro",
    ];
    const MONTHS: &str = "jan feb mär mrz märz apr mai jun jul aug sep okt nov dez januar februar april juni juli august \
        september oktober november dezember janv févr mars avr juin juil août sept oct déc janvier février avril juillet \
        octobre novembre décembre gen mag giu lug ago set ott dic gennaio febbraio marzo aprile maggio giugno luglio \
        agosto settembre ottobre dicembre mrt mei maart januari februari augustus ene abr enero febrero abril mayo junio \
        julio septiembre octubre noviembre diciembre fev out janeiro fevereiro março maio junho julho setembro outubro \
        novembro dezembro";
    const WORDS: [&str; 28] = [
        "e",
        "am",
        "pm",
        "a",
        "p",
        "jan",
        "feb",
        "mar",
        "apr",
        "may",
        "jun",
        "jul",
        "aug",
        "sep",
        "oct",
        "nov",
        "dec",
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let lower = text.to_lowercase();
    TRUTHS.contains(&lower.as_str())
        || text.contains(|one: char| one.is_ascii_digit())
            && lower.chars().all(|one| one.is_alphabetic() || one.is_ascii_digit() || " .,:/+-%$€£¥()'".contains(one))
            && lower
                .split(|one: char| !one.is_alphabetic())
                .filter(|word| !word.is_empty())
                .all(|word| WORDS.contains(&word) || MONTHS.split(' ').any(|known| known == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_reaches_excel_as_it_is() {
        let cases = [
            (Column::RetailerSku, "00123", r#"="00123""#),
            (Column::RetailerSku, "12345678901234567890", r#"="12345678901234567890""#),
            (Column::RetailerSku, "1E5", r#"="1E5""#),
            (Column::RetailerSku, "ABC-1", r#"="ABC-1""#),
            (Column::RetailerSku, "3-12", r#"="3-12""#),
            (Column::OrderId, "=1+1", r#"="=1+1""#),
            (Column::OrderId, "a\"&CMD()&\"", r#"="a""&CMD()&""""#),
            (Column::OrderId, "-1\r", "'-1\r"),
            (Column::ItemName, "=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            (Column::ItemName, "+49 screws", "'+49 screws"),
            (Column::ItemName, "-x", "'-x"),
            (Column::ItemName, "@SUM(A1)", "'@SUM(A1)"),
            (Column::ItemName, "\t=1", "'\t=1"),
            (Column::ItemName, "\r=1", "'\r=1"),
            (Column::ItemName, "＝1+1", "'＝1+1"),
            (Column::ItemName, "007", r#"="007""#),
            (Column::ItemName, "-1+1", r#"="-1+1""#),
            (Column::ItemName, "Mar 1", r#"="Mar 1""#),
            (Column::ItemName, "TRUE", r#"="TRUE""#),
            (Column::ItemName, "3. Mai", r#"="3. Mai""#),
            (Column::ItemName, "1 août", r#"="1 août""#),
            (Column::ItemName, "Wahr", r#"="Wahr""#),
            (Column::ItemName, "3 Öfen", "3 Öfen"),
            (Column::Price, "-12,50", "-12,50"),
            (Column::ItemName, "Market 1", "Market 1"),
            (Column::ItemName, "Straße, 27\"", "Straße, 27\""),
            (Column::ItemName, "", ""),
            (Column::Price, "-12.50", "-12.50"),
            (Column::Price, "1234567890123.45", "1234567890123.45"),
            (Column::Price, "12345678901234.56", r#"="12345678901234.56""#),
            (Column::Quantity, "0.001", "0.001"),
            (Column::OrderDate, "2025-10-16T13:50:00Z", "2025-10-16 13:50:00"),
            (Column::OrderDate, "=yesterday", "'=yesterday"),
        ];
        for (column, text, expected) in cases {
            assert_eq!(safe(column, text.into(), TimeZone::UTC), expected, "{text:?}");
        }
        let long = format!("={}", "1".repeat(300));
        assert_eq!(safe(Column::RetailerSku, long.as_str().into(), TimeZone::UTC), format!("'{long}"));
        let new_york = TimeZone::named("TZ", "America/New_York").expect("a zone");
        let there = |text: &'static str| safe(Column::OrderDate, text.into(), new_york);
        assert_eq!(there("2026-01-01T04:30:00.568881Z"), "2025-12-31 23:30:00.568881");
        assert_eq!(there("2026-01-01T00:00:00Z"), "2026-01-01 00:00:00");
    }
}
