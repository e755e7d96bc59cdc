//! Numbers of pieces.

use rust_decimal::Decimal;

use super::locale::Locale;
use super::text::quoted;

/// A number of pieces: 0 of a line that was cancelled, less of one that was sent back. `None` for `1.000`, which is one with
/// three decimals or a thousand.
pub(in crate::connector) fn count(text: &str, locale: Locale) -> Option<Decimal> {
    if let Some(number) = text.trim().strip_prefix(['-', '−', '–', '\u{2011}']) {
        return count(number, locale).filter(|count| *count > Decimal::ZERO).map(|count| -count);
    }
    let digits = |part: &str| part.trim().bytes().all(|byte| byte.is_ascii_digit());
    let is_ambiguous = text.rsplit_once(['.', ',']).is_some_and(|(_, last)| last.trim().len() == 3 && digits(last));
    if is_ambiguous { None } else { locale.number(text) }
}

/// The number that a text of a quantity begins with, and whether it is the only one that may be meant: `3` of `× 3 pack` and of
/// `× 3 (2 shipped)`, but not of `3 × 2`.
pub(in crate::connector) fn first(text: &str) -> Option<(&str, bool)> {
    let is_of_number = |sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ',');
    let (from, bracket) = (text.find(|sign: char| sign.is_ascii_digit())?, text.find('(').unwrap_or(text.len()));
    let rest = text.get(from..bracket)?;
    let end = rest.find(|sign| !is_of_number(sign)).unwrap_or(rest.len());
    let (number, unit) = rest.split_at(end);
    let is_plain =
        |words: &str| !words.contains(|sign: char| sign.is_ascii_digit() || "%/-−\u{2011}+×*".contains(sign));
    let before = text.get(..from)?.trim_start().trim_start_matches(['×', 'x']);
    Some((number.trim_end_matches(['.', ',']), is_plain(unit) && is_plain(before)))
}

/// Whether a text is no more than a marked quantity: `× 3`.
pub(in crate::connector) fn is_marked(text: &str) -> bool {
    let mut words = text.trim().chars().filter(|sign| !sign.is_whitespace());
    matches!(words.next(), Some('×' | 'x')) && words.all(|sign| sign.is_ascii_digit())
}

/// What is said of a text that is no number of pieces.
pub(in crate::connector) fn unreadable(text: &str) -> String {
    format!(
        "the quantity of a line, {}, cannot be read. If only a part of it is the quantity, a `pattern` can say which.",
        quoted(text)
    )
}
