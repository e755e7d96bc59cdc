//! The status of an order below a heading such as "Status", for shops whose pages have no better mark of it. No status is better
//! than a wrong one, and a status that is shown in another way is a failed page.

use std::collections::HashSet;

use ego_tree::NodeId;
use ordersync_api::ShipmentStatus;
use scraper::{ElementRef, Html};

use super::value::{Word, is_one_of};
use crate::connector::kit::check::{Check, Failure};
use crate::connector::kit::table::is_shown;
use crate::connector::kit::text::{is_directional, pieces, quoted, selector, text};

/// What a word for a status means; `None`: it is not known.
type Meaning<'a> = &'a dyn Fn(&str) -> Option<ShipmentStatus>;

/// The longest word for a status that nobody has explained, in characters.
const MAX_UNKNOWN: usize = 40;
const MAX_WORDS: usize = 4;
/// The longest word for a status that may be known, in bytes.
const MAX_KNOWN: usize = 64;

/// Reads the status below one of these headings; `None` if the page shows none.
/// Fails if the page shows a status that is not clear.
pub(super) fn read(document: &Html, headings: &[Word], means: Meaning<'_>) -> Result<Option<String>, Failure> {
    let layouts = layout_tables(document);
    let mut found: Vec<String> = Vec::new();
    for heading in document.select(selector!("h1, h2, h3, h4, h5, h6, dt, strong, b, label, span, p, div")) {
        if !is_content(heading, &layouts) {
            continue;
        }
        let words_of_heading = own_text(heading);
        let inline = words_of_heading.split_once([':', '：']).filter(|(label, _)| is_one_of(headings, label));
        if let Some((_, value)) = inline.filter(|(_, value)| !value.trim().is_empty()) {
            found.push(value.trim().to_owned());
        } else if is_one_of(headings, &words_of_heading) {
            found.push(below(heading, means)?);
        }
    }
    found.dedup();
    let mentioned = mentioned(document, means, &layouts);
    let differs = |status: &str| mentioned.iter().any(|other| means(status) != Some(*other));
    match found.as_slice() {
        [] if !mentioned.is_empty() => Err(failed("the page shows it in an unknown place.")),
        [] => Ok(None),
        [status] if differs(status) => Err(failed("the page shows several.")),
        [status] if is_plausible(status, means) => Ok(Some(status.clone())),
        [text] => {
            let text = quoted(text);
            Err(failed(&format!("the text in its place, {text}, is no status; `statuses` can say what it means.")))
        }
        _ => Err(failed("the page shows several.")),
    }
}

fn failed(found: &str) -> Failure {
    Failure::new(Check::Status, found)
}

/// The status below its heading: the only text before the next heading, rule or table, or the only known status there.
fn below(heading: ElementRef<'_>, means: Meaning<'_>) -> Result<String, Failure> {
    let texts: Vec<(String, usize)> = heading
        .next_siblings()
        .filter_map(ElementRef::wrap)
        .filter(|element| !is_hidden(*element))
        .take_while(|element| {
            !matches!(element.value().name(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "hr" | "table" | "dt" | "form")
        })
        .map(|element| (text(element), pieces(element)))
        .filter(|(text, _)| !text.is_empty())
        .collect();
    let mixed = texts.iter().any(|(text, pieces)| *pieces > 1 && !is_known(text, means));
    let texts: Vec<String> = texts.into_iter().map(|(text, _)| text).collect();
    match texts.as_slice() {
        [_] if mixed => Err(failed("several texts are in its place.")),
        [only] => Ok(only.clone()),
        _ => {
            let mut known = texts.into_iter().filter(|text| is_known(text, means));
            match (known.next(), known.next()) {
                (Some(status), None) => Ok(status),
                _ => Err(failed("it is not clear which text below its heading it is.")),
            }
        }
    }
}

/// The known statuses that are the text of an element somewhere in the page.
fn mentioned(document: &Html, means: Meaning<'_>, layouts: &HashSet<NodeId>) -> Vec<ShipmentStatus> {
    document
        .select(selector!("h1, h2, h3, h4, h5, h6, dd, strong, b, em, span, p, div, li"))
        .filter(|element| is_content(*element, layouts) && !is_hidden(*element))
        .map(own_text)
        .filter(|text| text.len() <= MAX_KNOWN)
        .filter_map(|text| means(&text))
        .collect()
}

/// Whether the page itself says that nobody is to see the element, or that it does not hold any more.
fn is_hidden(element: ElementRef<'_>) -> bool {
    let style = element.attr("style").unwrap_or_default().replace(' ', "").to_ascii_lowercase();
    matches!(element.value().name(), "del" | "s" | "script" | "style")
        || element.attr("hidden").is_some()
        || style.contains("display:none")
}

fn is_known(text: &str, means: Meaning<'_>) -> bool {
    text.len() <= MAX_KNOWN && means(text).is_some()
}

fn is_plausible(text: &str, means: Meaning<'_>) -> bool {
    // What is decoration of a word, and no sign of a date, an amount or a text that is cut.
    let is_picture = |sign: char| {
        !sign.is_ascii() && !sign.is_numeric() && !sign.is_control() && !is_directional(sign) && !"£€¥…".contains(sign)
    };
    let is_word = |sign: char| sign.is_alphabetic() || " -'/()<>&".contains(sign) || is_picture(sign);
    is_known(text, means)
        || (text.chars().count() <= MAX_UNKNOWN
            && text.split_whitespace().count() <= MAX_WORDS
            && text.chars().all(is_word))
}

/// The text of an element itself, without that of the elements in it.
fn own_text(element: ElementRef<'_>) -> String {
    let texts = element.children().filter_map(|child| child.value().as_text().map(|text| text.trim()));
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The tables that have further tables in them, looked for once: a page may have many elements in one table.
fn layout_tables(document: &Html) -> HashSet<NodeId> {
    let inner = document.select(selector!("table table"));
    let around = inner.flat_map(|table| table.ancestors().filter_map(ElementRef::wrap));
    around.filter(|above| above.value().name() == "table").map(|table| table.id()).collect()
}

/// Whether an element is part of what the page is about: no link, no navigation, and in no table but one that lays out the
/// page, which has further tables in it.
fn is_content(element: ElementRef<'_>, layouts: &HashSet<NodeId>) -> bool {
    is_shown(element)
        && !element.ancestors().filter_map(ElementRef::wrap).any(|above| match above.value().name() {
            "a" | "nav" | "footer" | "button" | "select" => true,
            "table" => !layouts.contains(&above.id()),
            _ => false,
        })
}
