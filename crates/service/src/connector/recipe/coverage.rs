//! The check that no row is left out: what is in a table, and is not one of the rows that were read, is a failed page. So is
//! another table or list of the order's page with an amount in it: gifts and add-ons may be there.

use std::collections::{HashMap, HashSet};

use ego_tree::NodeId;
use scraper::ElementRef;

use super::amount::{Amounts, looks_like_amount};
use super::value::Css;
use crate::connector::kit::text::{selector, shape};

/// Whether a row is within another.
pub(super) fn is_nested(rows: &[ElementRef<'_>]) -> bool {
    let ids: HashSet<NodeId> = rows.iter().map(|row| row.id()).collect();
    rows.iter().any(|row| row.ancestors().any(|above| ids.contains(&above.id())))
}

/// Whether a table has rows that are none of these. A list that is no table has its rows beside each other.
pub(super) fn unknown_rows(table: ElementRef<'_>, rows: &[ElementRef<'_>]) -> bool {
    let known: HashSet<NodeId> = rows.iter().map(|row| row.id()).collect();
    if table.value().name() == "table" {
        let is_heading = |row: ElementRef<'_>| {
            row.parent().and_then(ElementRef::wrap).is_some_and(|above| above.value().name() == "thead")
        };
        let is_head = |row: &ElementRef<'_>| is_heading(*row) || is_first_of_headings(*row);
        return table.select(selector!("tr")).any(|row| !known.contains(&row.id()) && !is_head(&row));
    }
    let parents: HashSet<NodeId> = rows.iter().filter_map(|row| Some(row.parent()?.id())).collect();
    let is_element_of = |node: ElementRef<'_>| node.parent().is_some_and(|parent| parents.contains(&parent.id()));
    let is_bare =
        |element: ElementRef<'_>| matches!(element.value().name(), "br" | "hr" | "script" | "style" | "template");
    table
        .descendants()
        .filter_map(ElementRef::wrap)
        .any(|element| is_element_of(element) && !known.contains(&element.id()) && !is_bare(element))
}

/// Whether a row has nothing but headings, and is the first of its table.
fn is_first_of_headings(row: ElementRef<'_>) -> bool {
    let mut cells = row.children().filter_map(ElementRef::wrap).peekable();
    let is_first = row.prev_siblings().filter_map(ElementRef::wrap).next().is_none();
    is_first && cells.peek().is_some() && cells.all(|cell| cell.value().name() == "th")
}

/// Whether a table shows an amount beside these rows.
pub(super) fn shows_amount_beside(table: ElementRef<'_>, rows: &[ElementRef<'_>], amounts: &Amounts<'_>) -> bool {
    let known: HashSet<NodeId> = rows.iter().map(|row| row.id()).collect();
    let mut outside = HashSet::from([table.id()]);
    // Parents come before their children.
    for node in table.descendants().skip(1) {
        let is_outside =
            node.parent().is_some_and(|parent| outside.contains(&parent.id())) && !known.contains(&node.id());
        if !is_outside {
            continue;
        }
        outside.insert(node.id());
        if node.value().as_text().is_some_and(|text| looks_like_amount(text)) {
            return true;
        }
    }
    amounts.marked(table).any(|amount| outside.contains(&amount.id()))
}

/// An amount, disguised, in a table or list of a page beside those that were read and those that the recipe knows.
pub(super) fn amount_in_other_table(
    page: ElementRef<'_>,
    read: &[ElementRef<'_>],
    known: Option<&Css>,
    amounts: &Amounts<'_>,
) -> Option<String> {
    let is_known = |element: ElementRef<'_>| read.contains(&element) || known.is_some_and(|known| known.is(element));
    // Of each element that is looked into: whether it is part of a table or list.
    let mut listed = HashMap::from([(page.id(), false)]);
    // The text of the present cell, whose parts may be marked up.
    let mut cell = String::new();
    // Parents come before their children.
    for node in page.descendants().skip(1) {
        let Some(is_listed) = node.parent().and_then(|parent| listed.get(&parent.id()).copied()) else { continue };
        if let Some(element) = ElementRef::wrap(node) {
            if is_known(element) || matches!(element.value().name(), "script" | "style" | "template") {
                continue;
            }
            if is_listed && amounts.is_mark(element) {
                return Some(shape(&element.text().collect::<String>()));
            }
            listed.insert(node.id(), is_listed || is_table(element));
            if !is_part_of_text(element) {
                let before = std::mem::take(&mut cell);
                if amounts.is_shown_by(&before) {
                    return Some(shape(before.trim()));
                }
            }
        } else if let Some(text) = node.value().as_text().filter(|_| is_listed) {
            cell.push_str(text);
        }
    }
    amounts.is_shown_by(&cell).then(|| shape(cell.trim()))
}

fn is_table(element: ElementRef<'_>) -> bool {
    matches!(element.value().name(), "table" | "ul" | "ol" | "dl")
        || matches!(element.attr("role"), Some("table" | "grid" | "list"))
}

/// Whether an element may stand within an amount: `<b>£</b>5`.
fn is_part_of_text(element: ElementRef<'_>) -> bool {
    matches!(
        element.value().name(),
        "a" | "b" | "bdi" | "em" | "font" | "i" | "small" | "span" | "strong" | "sup" | "u"
    )
}
