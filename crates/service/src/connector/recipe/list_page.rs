//! What a page of the list shows beside its rows.

use ego_tree::NodeRef;
use scraper::{ElementRef, Html, Node};

use super::format::Recipe;
use super::value::Css;
use crate::connector::kit::table::Table;
use crate::connector::kit::text::{selector, text};

/// Whether a table has headings, and nothing below them.
pub(super) fn has_headings_only(table: ElementRef<'_>) -> bool {
    let headings = Table::read(table).ok().filter(|table| table.rows.is_empty()).and_then(|table| table.headings);
    let Some(headings) = headings else { return false };
    let shown: usize = headings.iter().map(|heading| heading.split_whitespace().map(str::len).sum::<usize>()).sum();
    let all: usize = text(table).split_whitespace().map(str::len).sum();
    shown == all && table.select(selector!("tbody *, tfoot *")).next().is_none()
}

/// Whether the content has words beside a table, its headings and what leads elsewhere.
pub(super) fn says_more(document: &Html, content: &Css, table: ElementRef<'_>) -> bool {
    const ALLOWED: [&str; 12] = ["h1", "h2", "h3", "h4", "h5", "h6", "a", "button", "label", "nav", "script", "style"];
    let is_other = |node: &NodeRef<'_, Node>| {
        let mut above = node.ancestors().filter_map(ElementRef::wrap);
        above.all(|above| above != table && !ALLOWED.contains(&above.value().name()))
    };
    let mut texts = document.select(content.get()).flat_map(|content| content.descendants());
    texts.any(|node| node.value().as_text().is_some_and(|text| !text.trim().is_empty()) && is_other(&node))
}

/// The text of a notice, whose link to the shop may stand before or after its words.
fn without_links(notice: ElementRef<'_>) -> String {
    let in_link = |node: &NodeRef<'_, Node>| {
        let mut above = node.ancestors().filter_map(ElementRef::wrap).take_while(|above| *above != notice);
        above.any(|above| above.value().name() == "a")
    };
    let texts = notice.descendants().filter(|node| !in_link(node));
    texts.filter_map(|node| node.value().as_text().map(|text| text.to_string())).collect()
}

/// The elements that are in none of the others.
pub(super) fn outermost<'a>(document: &'a Html, css: &Css) -> Vec<ElementRef<'a>> {
    let mut end = None;
    let mut found: Vec<ElementRef<'a>> = Vec::new();
    for element in document.select(css.get()) {
        // Elements come in the order of the page: what is in the last one found comes right after it.
        let is_within = end.is_some_and(|last| element.ancestors().any(|above| above.id() == last));
        if !is_within {
            end = Some(element.id());
            found.push(element);
        }
    }
    found
}

/// Whether a notice says that there are no orders.
pub(super) fn says_none(document: &Html, recipe: &Recipe) -> bool {
    let list = &recipe.list;
    let is_aside = |notice: &ElementRef<'_>| list.empty_aside.as_ref().is_some_and(|aside| aside.holds(*notice));
    let notices = list.empty.iter().flat_map(|empty| document.select(empty.get()));
    let mut says = notices.filter(|notice| !is_aside(notice)).map(without_links);
    says.any(|text| recipe.words.says_no_orders(&text))
}
