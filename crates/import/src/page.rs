//! Elements of a page, and their text.

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use ordersync_values::dates::NumericDates;
use ordersync_values::locale::Locale;
use scraper::node::Element;
use scraper::{ElementRef, Html, Node, Selector};

/// Where mail programs put what they quote.
const QUOTES: [&str; 6] =
    ["gmail_quote", "yahoo_quoted", "moz-forward-container", "moz-cite-prefix", "protonmail_quote", "ms-outlook-quote"];

/// The elements that a selector of ours names, in the page's order.
pub(crate) fn all<'a>(page: &'a Html, css: &str) -> Vec<ElementRef<'a>> {
    Selector::parse(css).map_or_else(|_| Vec::new(), |selector| page.select(&selector).collect())
}

/// The elements within one that a selector of ours names.
pub(crate) fn inside<'a>(element: ElementRef<'a>, css: &str) -> Vec<ElementRef<'a>> {
    Selector::parse(css).map_or_else(|_| Vec::new(), |selector| element.select(&selector).collect())
}

/// The elements within one.
pub(crate) fn within(element: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    element.descendants().skip(1).filter_map(ElementRef::wrap)
}

/// The elements directly within one.
pub(crate) fn children(element: ElementRef<'_>) -> Vec<ElementRef<'_>> {
    element.children().filter_map(ElementRef::wrap).collect()
}

pub(crate) fn has_class(element: ElementRef<'_>, class: &str) -> bool {
    element.value().classes().any(|own| own == class)
}

/// Whether it is in a quote of another mail.
pub(crate) fn is_quoted(element: &ElementRef<'_>) -> bool {
    element.ancestors().filter_map(ElementRef::wrap).any(|around| {
        around.value().name() == "blockquote" || around.value().classes().any(|class| QUOTES.contains(&class))
    })
}

/// The text of an element, without elements within it that `skips` names.
pub(crate) fn text(element: ElementRef<'_>, skips: impl Fn(&Element) -> bool) -> String {
    let own = element.id();
    collected(*element, |node| node.id() != own && node.value().as_element().is_some_and(&skips), |_| false)
}

/// The text of the page before an element, without quotes, such as a note of the shop.
pub(crate) fn text_before(page: &Html, end: ElementRef<'_>) -> String {
    let is_aside = |inner: &Element| matches!(inner.name(), "style" | "blockquote" | "script");
    let skips = |node: NodeRef<'_, Node>| node.value().as_element().is_some_and(is_aside);
    collected(page.tree.root(), skips, |node| node.id() == end.id())
}

fn collected<'a>(
    from: NodeRef<'a, Node>,
    skips: impl Fn(NodeRef<'a, Node>) -> bool,
    ends: impl Fn(NodeRef<'a, Node>) -> bool,
) -> String {
    let (mut text, mut skipped) = (String::new(), 0_u32);
    for edge in from.traverse() {
        match edge {
            Edge::Open(node) if ends(node) => break,
            Edge::Open(node) => match node.value() {
                Node::Text(part) if skipped == 0 => text.push_str(part),
                Node::Element(_) if skipped > 0 || skips(node) => skipped += 1,
                Node::Element(inner) if matches!(inner.name(), "br" | "p" | "div" | "td" | "h3") => text.push(' '),
                _ => {}
            },
            Edge::Close(node) if node.value().is_element() => skipped = skipped.saturating_sub(1),
            Edge::Close(_) => {}
        }
    }
    spaced(&text)
}

/// A text without line breaks, and with single spaces.
pub(crate) fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A day in one of the languages that are read, if it has one reading in all of them.
pub(crate) fn day_in_words(text: &str) -> Option<String> {
    let locales = Locale::KNOWN.split(", ").filter_map(Locale::from_tag);
    let mut days: Vec<_> = locales.filter_map(|locale| locale.day(text, NumericDates::Unknown)).collect();
    days.dedup();
    match days.as_slice() {
        [only] => Some(only.to_string()),
        _ => None,
    }
}
