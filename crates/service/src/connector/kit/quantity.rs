//! Numbers of pieces.

use rust_decimal::Decimal;

use super::locale::Locale;

/// A number of pieces. `None` for `1.000`, which is one with three decimals or a thousand.
pub(in crate::connector) fn count(text: &str, locale: Locale) -> Option<Decimal> {
    let digits = |part: &str| part.trim().bytes().all(|byte| byte.is_ascii_digit());
    let is_ambiguous = text.rsplit_once(['.', ',']).is_some_and(|(_, last)| last.trim().len() == 3 && digits(last));
    if is_ambiguous { None } else { locale.number(text) }
}
