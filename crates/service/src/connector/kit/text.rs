//! Constant selectors, and the text of elements.

use ego_tree::iter::Edge;
use scraper::{ElementRef, Node, Selector};

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

/// The text of an element and of all below it, as a browser shows it: runs of white space are one space, line breaks and the
/// bounds of blocks are white space, and there is none around it.
///
/// Digits of two elements stay apart, although nothing but their looks parts them: `1` in a badge before `8 Aug` is no 18.
pub(in crate::connector) fn text(element: ElementRef<'_>) -> String {
    let mut text = String::new();
    for edge in element.traverse() {
        match edge {
            Edge::Open(node) | Edge::Close(node) if node.value().as_element().is_some_and(|it| is_block(it.name())) => {
                text.push(' ');
            }
            Edge::Open(node) => push_text(&mut text, node.value()),
            Edge::Close(_) => {}
        }
    }
    collapsed(&text)
}

/// The text of an element itself, without that of the elements in it.
pub(in crate::connector) fn own_text(element: ElementRef<'_>) -> String {
    let mut text = String::new();
    for child in element.children() {
        if child.value().as_element().is_some_and(|it| is_block(it.name())) {
            text.push(' ');
        }
        push_text(&mut text, child.value());
    }
    collapsed(&text)
}

fn push_text(text: &mut String, node: &Node) {
    let Some(part) = node.as_text() else { return };
    let is_digit = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_digit());
    if is_digit(text.chars().next_back()) && is_digit(part.chars().next()) {
        text.push(' ');
    }
    text.push_str(part);
}

/// Whether an element begins a line of its own, or breaks one (HTML, section 15.3).
fn is_block(name: &str) -> bool {
    const BLOCKS: [&str; 41] = [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "caption",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "th",
        "tr",
        "ul",
    ];
    BLOCKS.contains(&name)
}

/// A text without signs that nobody sees, with single spaces, and without white space around it.
pub(in crate::connector) fn collapsed(text: &str) -> String {
    let shown: String = text.chars().filter(|sign| !is_invisible(*sign)).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text without the pictures and arrows that a shop puts around a word: `✅ Completed`.
pub(in crate::connector) fn undecorated(text: &str) -> &str {
    text.trim_matches(|sign: char| sign.is_whitespace() || !sign.is_ascii() && !sign.is_alphanumeric())
}

/// A value of the page that cannot be read, for messages: at most 80 characters of it, none of which does anything to a
/// terminal. Nothing else of a page may be in a message.
pub(in crate::connector) fn quoted(value: &str) -> String {
    const MAX: usize = 80;
    let mut shown = String::from('"');
    for sign in value.trim().chars().take(MAX) {
        if sign.is_control() || is_directional(sign) || is_invisible(sign) {
            shown.extend(sign.escape_unicode());
        } else {
            shown.push(sign);
        }
    }
    shown.push_str(if value.trim().chars().nth(MAX).is_some() { "…\"" } else { "\"" });
    shown
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
