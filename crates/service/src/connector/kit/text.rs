//! Constant selectors, and the text of elements.

use scraper::{ElementRef, Selector};

/// A constant selector, parsed once.
macro_rules! selector {
    ($css:literal) => {{
        static SELECTOR: std::sync::LazyLock<scraper::Selector> =
            std::sync::LazyLock::new(|| $crate::connector::kit::text::parse_selector($css));
        &*SELECTOR
    }};
}
pub(in crate::connector) use selector;

#[allow(clippy::expect_used, reason = "given constants only, each of which the tests of its page use")]
pub(in crate::connector) fn parse_selector(css: &'static str) -> Selector {
    Selector::parse(css).expect("a constant selector")
}

/// The text of an element and of all below it, without the white space around it.
///
/// Digits of two elements stay apart, although nothing but their looks parts them: `1` in a badge before `8 Aug` is no 18.
pub(in crate::connector) fn text(element: ElementRef<'_>) -> String {
    let mut text = String::new();
    for part in element.text() {
        let is_digit = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_digit());
        if is_digit(text.chars().next_back()) && is_digit(part.chars().next()) {
            text.push(' ');
        }
        text.push_str(part);
    }
    if text.contains(is_invisible) {
        text.retain(|sign| !is_invisible(sign));
    }
    text.trim().to_owned()
}

/// What a text of the page looks like, for messages, without saying what it is: `Order #0000` for `Order #1001`.
pub(in crate::connector) fn shape(text: &str) -> String {
    const MAX: usize = 60;
    let hidden = text.chars().take(MAX).map(|sign| match sign {
        _ if sign.is_numeric() => '0',
        _ if sign.is_uppercase() => 'X',
        _ if sign.is_alphabetic() => 'x',
        _ if sign.is_control() || sign.is_whitespace() => ' ',
        _ => sign,
    });
    let end = if text.chars().nth(MAX).is_some() { "…" } else { "" };
    hidden.collect::<String>() + end
}

/// How many texts an element is put together of.
pub(in crate::connector) fn pieces(element: ElementRef<'_>) -> usize {
    element.text().filter(|text| !text.trim().is_empty()).count()
}

/// The signs that say where a word may be parted, which nobody sees.
pub(in crate::connector) const fn is_invisible(sign: char) -> bool {
    matches!(sign, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// The signs that change the direction of writing, which may make a text look like another (Unicode, UAX 9).
pub(in crate::connector) const fn is_directional(sign: char) -> bool {
    matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text in lower case, with single spaces, straight apostrophes, and without a colon or full stop at its end.
pub(in crate::connector) fn normalised(text: &str) -> String {
    let text = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches([':', '.', '。', '：', ' ']).to_owned()
}
