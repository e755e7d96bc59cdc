//! An amount as text: its sign, its number and the symbol of its currency.
//!
//! Every character of an amount has a meaning, or it is no amount. A comma or point is a decimal sign or parts groups
//! only if the language and the decimals of the currency leave no other reading.

use rust_decimal::Decimal;

use crate::currency::Currency;
use crate::locale::Locale;

/// The longest text that may be an amount, in bytes.
const MAX_BYTES: usize = 96;

/// The parts of a text that may be an amount.
#[derive(Debug)]
pub struct Written<'a> {
    /// Whether it has a minus, or is in brackets.
    pub is_negative: bool,
    /// From the first digit to the last.
    pub number: &'a str,
    /// Without white space.
    pub symbol: String,
}

impl<'a> Written<'a> {
    /// Takes a text apart. `None`: it is not an amount.
    pub fn read(text: &'a str) -> Option<Self> {
        let digit = |sign: char| sign.is_ascii_digit();
        if text.len() > MAX_BYTES || text.chars().any(|sign| sign.is_numeric() && !digit(sign)) {
            return None;
        }
        let (start, end) = (text.find(digit)?, text.rfind(digit)? + 1);
        let (before, after) = (&text[..start], &text[end..]);
        // "£.50" has no digit before its point. That of an abbreviation, as in "Rs.50", belongs to the symbol.
        let is_abbreviated =
            before.trim_end().strip_suffix('.').is_none_or(|symbol| symbol.ends_with(char::is_alphabetic));
        if !is_abbreviated || after.starts_with('.') {
            return None;
        }
        let (before, after) = (Side::read(before)?, Side::read(after)?);
        let is_bracketed = match (before.opens, after.closes) {
            (0, 0) => false,
            (1, 1) => true,
            _ => return None,
        };
        if before.closes + after.opens > 0 {
            return None;
        }
        let symbol = symbol_of(&before.symbol, &after.symbol)?;
        let signs = usize::from(is_bracketed) + before.minuses + before.pluses + after.minuses + after.pluses;
        (signs <= 1).then(|| Self {
            is_negative: is_bracketed || before.minuses + after.minuses == 1,
            number: &text[start..end],
            symbol,
        })
    }
}

/// The symbol of an amount; its code, if it has one beside a symbol that may stand for it: `$19.99 USD`.
fn symbol_of(before: &str, after: &str) -> Option<String> {
    let is_code =
        |code: &str, symbol: &str| Currency::from_code(code).is_some() && Currency::of_symbol(symbol).contains(&code);
    match (before, after) {
        ("", symbol) | (symbol, "") => Some(symbol.to_owned()),
        (code, symbol) | (symbol, code) if is_code(code, symbol) => Some(code.to_owned()),
        _ => None,
    }
}

/// The text before the first digit, or after the last.
#[derive(Default)]
struct Side {
    opens: usize,
    closes: usize,
    minuses: usize,
    pluses: usize,
    symbol: String,
}

impl Side {
    fn read(text: &str) -> Option<Self> {
        let mut side = Self::default();
        for sign in text.chars() {
            match sign {
                '(' => side.opens += 1,
                ')' => side.closes += 1,
                // The minus of keyboards, of typography, the dash that some filters make of it, and the hyphen that keeps a line
                // together.
                '-' | '−' | '–' | '\u{2011}' => side.minuses += 1,
                '+' => side.pluses += 1,
                // Marks of the direction of writing, as Arabic and Hebrew formats have them.
                '\u{200e}' | '\u{200f}' | '\u{61c}' => {}
                _ if sign.is_whitespace() => {}
                _ if sign.is_alphabetic() || is_currency_sign(sign) || matches!(sign, '.' | '/') => {
                    side.symbol.push(sign);
                }
                _ => return None,
            }
        }
        Some(side)
    }
}

/// Unicode's category Sc.
const fn is_currency_sign(sign: char) -> bool {
    matches!(sign, '$' | '¢'..='¥' | '֏' | '؋' | '৲' | '৳' | '฿' | '៛' | '\u{20a0}'..='\u{20c1}' | '﷼' | '﹩' | '＄' | '￠' | '￡' | '￥' | '￦')
}

/// The possible values of a number in this currency: without decimals, or with as many as its smallest coin has.
pub fn readings(number: &str, locale: Locale, currency: &Currency) -> Vec<Decimal> {
    let decimals = currency.minor_units();
    let mut readings = locale.readings(number);
    readings.retain(|reading| reading.scale() == 0 || reading.scale() == decimals);
    readings.sort_unstable();
    readings.dedup();
    // `178,590` of a currency with three decimals is a thousand times more in one language than in another, and pages do
    // not always name their language. With its decimals shown, the number has one reading.
    let is_one_group = number.split(|sign: char| !sign.is_ascii_digit()).count() == 2 && number.contains([',', '.']);
    match readings.as_slice() {
        [reading] if decimals == 3 && is_one_group && reading.scale() == 0 => {
            vec![*reading, *reading / Decimal::ONE_THOUSAND]
        }
        _ => readings,
    }
}
/// Digits in threes before the point, and a minus that is as wide as they are.
pub fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("−", digits));
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_threes() {
        for (number, shown) in [("0", "0"), ("999", "999"), ("1430.71", "1,430.71"), ("-1234567", "−1,234,567")] {
            assert_eq!(grouped(number), shown);
        }
    }
}
