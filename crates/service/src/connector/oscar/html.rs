//! Small helpers for reading pages: selectors, text, and the one way to say that a page is not as it was.

use std::fmt;

use ordersync_api::SyncErrorCode;
use scraper::{ElementRef, Selector};

use crate::connector::ConnectorError;

/// A constant selector, parsed once.
macro_rules! selector {
    ($css:literal) => {{
        static SELECTOR: std::sync::LazyLock<scraper::Selector> =
            std::sync::LazyLock::new(|| $crate::connector::oscar::html::parse_selector($css));
        &*SELECTOR
    }};
}
pub(super) use selector;

#[allow(clippy::expect_used, reason = "given constants only, each of which the tests of its page use")]
pub(super) fn parse_selector(css: &'static str) -> Selector {
    Selector::parse(css).expect("a constant selector")
}

/// The kinds of page that the connector reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    SignIn,
    Code,
    OrderList,
    Order,
    Product,
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SignIn => "sign-in page",
            Self::Code => "verification code page",
            Self::OrderList => "order list",
            Self::Order => "page of an order",
            Self::Product => "page of a product",
        })
    }
}

impl Page {
    /// An element that was always there is not.
    pub(super) fn lacks(self, element: &str) -> ConnectorError {
        changed(format!("The {self} lacks {element}."))
    }

    /// An element is there, but does not say what it always said.
    pub(super) fn unreadable(self, element: &str) -> ConnectorError {
        changed(format!("The {self} has {element} that cannot be read."))
    }

    /// The page is answered with a status that it never had.
    pub(super) fn answered(self, status: u16) -> ConnectorError {
        changed(format!("The {self} is answered with status {status}."))
    }
}

fn changed(message: String) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::RetailerChanged).with_message(message)
}

/// The text of an element and of all below it, without the white space around it.
///
/// Digits of two elements stay apart, although nothing but their looks parts them: `1` in a badge before `8 Aug` is no 18.
pub(super) fn text(element: ElementRef<'_>) -> String {
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

/// How many texts an element is put together of.
pub(super) fn pieces(element: ElementRef<'_>) -> usize {
    element.text().filter(|text| !text.trim().is_empty()).count()
}

/// The signs that say where a word may be parted, which nobody sees.
pub(super) const fn is_invisible(sign: char) -> bool {
    matches!(sign, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}
