//! The readers of amounts and dates, with inputs that were changed at random: they refuse, and read no other figure than the one
//! that is written.

use ordersync_values::zone::Tz;
use std::collections::HashMap;

use chrono::{Datelike, NaiveDate, Timelike};
use proptest::prelude::*;
use rust_decimal::Decimal;

use super::super::currency::{Currencies, Currency};
use super::super::locale::Locale;
use super::super::money::Money;
use super::super::page::PageKind;
use crate::fuzzing::fuzz;

const TAGS: [&str; 16] = [
    "en", "en-in", "en-za", "de", "de-ch", "fr", "fr-ca", "fr-ch", "nl", "es", "es-mx", "it", "pl", "pt", "pt-br", "ja",
];
const CODES: [&str; 10] = ["GBP", "EUR", "USD", "JPY", "KWD", "CLF", "INR", "PLN", "CHF", "BRL"];

/// The digits of a text, without zeros in front.
fn digits(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').to_owned()
}

#[test]
fn an_amount_has_the_digits_of_its_text_or_is_refused() {
    let seeds: [&[u8]; 8] = [
        "£6,024.42".as_bytes(),
        "-6.024,42\u{a0}€".as_bytes(),
        "(1\u{202f}234,50\u{a0}€)".as_bytes(),
        "₹1,00,000.00".as_bytes(),
        "CHF 6’024.42".as_bytes(),
        "KWD178,590".as_bytes(),
        "1,234円".as_bytes(),
        "20.00- zł".as_bytes(),
    ];
    let words =
        ["£", "€", "KWD", "-", "−", "(", ")", ".", ",", "’", "\u{a0}", "\u{202f}", "٣", "３", "²", "00", "000", "1"];
    fuzz("amounts", &seeds, &words, |input, random| {
        let text = String::from_utf8_lossy(input);
        let locale = Locale::from_tag(random.pick(&TAGS)).unwrap();
        let own = random.pick(&[None, Some("GBP"), Some("KWD"), Some("JPY"), Some("EUR")]);
        let currencies = Currencies::new(own, &HashMap::new()).unwrap();
        let Ok(money) = Money::read(&text, locale, &currencies, (PageKind::Order, "a price")) else { return };
        assert_eq!(digits(&money.amount().to_string()), digits(&text));
        let scale = money.amount().scale();
        assert!(scale == 0 || Decimal::new(1, scale) == money.currency().smallest_coin());
        assert!(!text.chars().any(|sign| sign.is_numeric() && !sign.is_ascii_digit()));
    });
}

#[test]
fn a_date_has_the_numbers_of_its_text_or_is_refused() {
    let seeds: [&[u8]; 7] = [
        b"8 Oct 2025, 6:20 p.m.",
        b"Sept. 9, 2025, noon",
        "8 de octubre de 2025 a las 18:20".as_bytes(),
        "Mercoledì 08 Ottobre 2025 18:20".as_bytes(),
        "8 października 2025 18:20".as_bytes(),
        "2025年10月8日18:20".as_bytes(),
        "8 août 2025, 18\u{a0}06\u{a0}20".as_bytes(),
    ];
    let words = ["a.m.", "p.m.", "midnight", " de ", "年", "月", "日", ":", ",", "99", "31", "février", "٣", "8"];
    let zones: Vec<Tz> = Tz::all().collect();
    fuzz("dates", &seeds, &words, |input, random| {
        let text = String::from_utf8_lossy(input);
        let locale = Locale::from_tag(random.pick(&TAGS)).unwrap();
        let Some(at) = locale.date_time(&text) else { return };
        let numbers: Vec<u32> = text
            .split(|sign: char| !sign.is_ascii_digit())
            .filter(|number| !number.is_empty())
            .map(|number| number.parse().unwrap())
            .collect();
        assert!(numbers.contains(&at.day()) && numbers.contains(&at.year().unsigned_abs()), "{text} {at}");
        assert!(at.minute() == 0 || numbers.contains(&at.minute()), "{text} {at}");
        let _instant = crate::connector::kit::dates::instant(at, random.pick(&zones));
    });
}

/// As Babel writes an amount: sign of decimals, sign of groups, lengths of the groups before the last, symbol in front.
fn style(tag: &str) -> (char, char, usize, bool) {
    match tag {
        "en" | "ja" | "es-mx" => ('.', ',', 3, true),
        "en-in" => ('.', ',', 2, true),
        "en-za" => (',', '\u{a0}', 3, true),
        "de-ch" => ('.', '’', 3, true),
        "fr" | "fr-ch" => (',', '\u{202f}', 3, false),
        "fr-ca" | "pl" => (',', '\u{a0}', 3, false),
        "nl" | "pt" | "pt-br" => (',', '.', 3, true),
        _ => (',', '.', 3, false),
    }
}

fn rendered(units: u64, decimals: usize, (point, group, length, _): (char, char, usize, bool)) -> String {
    let digits = format!("{units:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        let left = whole.len() - index;
        if index > 0 && (left == 3 || left > 3 && (left - 3).is_multiple_of(length)) {
            grouped.push(group);
        }
        grouped.push(digit);
    }
    if decimals > 0 { format!("{grouped}{point}{fraction}") } else { grouped }
}

fn amount() -> impl Strategy<Value = (&'static str, &'static str, u64, usize)> {
    let units = prop_oneof![0..1000_u64, 0..10_000_000_u64, 0..100_000_000_000_000_u64];
    (prop::sample::select(TAGS.to_vec()), prop::sample::select(CODES.to_vec()), units, 0..6_usize)
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_nothing_else((tag, code, units, sign) in amount()) {
        let currency = Currency::from_code(code).unwrap();
        let decimals = currency.smallest_coin().scale();
        let style = style(tag);
        let number = rendered(units, decimals as usize, style);
        let plain = if style.3 { format!("{code}\u{a0}{number}") } else { format!("{number}\u{a0}{code}") };
        let text = match sign {
            0 => format!("-{plain}"),
            1 => format!("({plain})"),
            2 => format!("{plain}-"),
            _ => plain,
        };
        let mut written = Decimal::from_i128_with_scale(i128::from(units), decimals);
        if sign < 3 && units > 0 {
            written = -written;
        }
        let read = Money::read(&text, Locale::from_tag(tag).unwrap(), &Currencies::default(), (PageKind::Order, "a price"));
        match read {
            Ok(money) => prop_assert_eq!((money.amount(), money.currency().clone()), (written, currency), "{}", text),
            // Of regions that write both ways, and currencies of three decimals.
            Err(error) => prop_assert!(decimals == 3 && error.message.contains("two ways"), "{text}: {error}"),
        }
        // In any other language it is the same amount, or none.
        for other in TAGS {
            if let Ok(money) = Money::read(&text, Locale::from_tag(other).unwrap(), &Currencies::default(), (PageKind::Order, "a price")) {
                prop_assert_eq!(money.amount(), written, "{} as {}", text, other);
            }
        }
    }

    #[test]
    fn a_date_is_read_as_it_is_written(days in 0..20_000_i64, hour in 0..24_u32, minute in 0..60_u32) {
        let date = NaiveDate::from_ymd_opt(1990, 1, 1).unwrap() + chrono::TimeDelta::days(days);
        let at = date.and_hms_opt(hour, minute, 0).unwrap();
        let (day, year) = (at.day(), at.year());
        let month = |names: [&'static str; 12]| names[at.month0() as usize];
        let es = month(["enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
            "noviembre", "diciembre"]);
        let pl = month(["stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia", "września",
            "października", "listopada", "grudnia"]);
        for (tag, text) in [
            ("en-gb", at.format("%-d %b %Y, %-I:%M %P").to_string().replace("am", "a.m.").replace("pm", "p.m.")),
            ("en", at.format("%B %-d, %Y, %-I:%M %P").to_string()),
            ("es", format!("{day} de {es} de {year} a las {hour:02}:{minute:02}")),
            ("pl", format!("{day} {pl} {year} {hour:02}:{minute:02}")),
            ("ja", format!("{year}年{}月{day}日{hour}:{minute:02}", at.month())),
        ] {
            prop_assert_eq!(Locale::from_tag(tag).unwrap().date_time(&text), Some(at), "{} {}", tag, text);
        }
    }
}
