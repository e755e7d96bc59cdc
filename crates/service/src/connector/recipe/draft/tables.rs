//! The tables of a page as a person sees them, and selectors for what was found.

use std::collections::HashMap;

use scraper::{ElementRef, Html, Selector};
use url::Url;

use crate::connector::kit::table::{Table, is_shown};
use crate::connector::kit::text::{selector, text};
use crate::connector::recipe::amount::looks_like_amount;

/// A table with headings, or of labels and amounts.
#[derive(Debug, Clone)]
pub(super) struct SeenTable {
    /// A selector for it, and whether it selects nothing else.
    pub(super) css: String,
    pub(super) is_only: bool,
    pub(super) headings: Vec<String>,
    pub(super) rows: Vec<SeenRow>,
    /// A selector for the part of the page that it is in.
    pub(super) around: String,
}

#[derive(Debug, Clone)]
pub(super) struct SeenRow {
    pub(super) cells: Vec<SeenCell>,
}

#[derive(Debug, Clone)]
pub(super) struct SeenCell {
    pub(super) text: String,
    /// `td` or `th`.
    pub(super) tag: String,
    pub(super) links: Vec<Url>,
    /// The value of `<time datetime>` in it.
    pub(super) time: Option<String>,
    /// Selectors for what is beside a link in it, and has a text of its own.
    pub(super) aside: Vec<String>,
}

impl SeenTable {
    /// The texts of a column, of the rows that have a cell for each heading.
    pub(super) fn column(&self, index: usize) -> Vec<&SeenCell> {
        self.full_rows().filter_map(|row| row.cells.get(index)).collect()
    }

    pub(super) fn full_rows(&self) -> impl Iterator<Item = &SeenRow> {
        self.rows.iter().filter(|row| row.cells.len() == self.headings.len())
    }

    /// The rows with a label and an amount, and nothing else.
    pub(super) fn figures(&self) -> impl Iterator<Item = (&SeenCell, &SeenCell)> {
        let of = |row: &'_ SeenRow| row.cells.len() >= 2 && row.cells.len() != self.headings.len();
        self.rows.iter().filter(move |row| of(row)).filter_map(|row| {
            let shown: Vec<&SeenCell> = row.cells.iter().filter(|cell| !cell.text.is_empty()).collect();
            match shown[..] {
                [label, amount] if looks_like_amount(&amount.text) && !looks_like_amount(&label.text) => {
                    Some((label, amount))
                }
                _ => None,
            }
        })
    }
}

/// All tables of a page.
pub(super) fn tables(page: &Html, url: &Url) -> Vec<SeenTable> {
    let shown = page.select(selector!("table")).filter(|table| is_shown(*table));
    shown.filter_map(|table| seen(page, table, url)).collect()
}

fn seen(page: &Html, element: ElementRef<'_>, url: &Url) -> Option<SeenTable> {
    let table = Table::read(element).ok()?;
    let rows =
        table.rows.iter().map(|row| SeenRow { cells: row.cells.iter().map(|cell| cell_of(*cell, url)).collect() });
    let (css, is_only) = css_of(page, element);
    let around = element.ancestors().filter_map(ElementRef::wrap).find_map(|above| {
        let own = own_css(above).into_iter().find(|css| count(page, css) == 1);
        own.or_else(|| (above.value().name() == "main").then(|| "main".to_owned()))
    });
    Some(SeenTable {
        css,
        is_only,
        headings: table.headings.unwrap_or_default(),
        rows: rows.collect(),
        around: around.unwrap_or_else(|| "body".to_owned()),
    })
}

fn cell_of(cell: ElementRef<'_>, url: &Url) -> SeenCell {
    let links = cell.select(selector!("a[href]")).filter_map(|link| url.join(link.attr("href")?).ok());
    SeenCell {
        text: text(cell),
        tag: cell.value().name().to_owned(),
        links: links.filter(|link| link.origin() == url.origin()).collect(),
        aside: aside(cell),
        time: cell.select(selector!("time[datetime]")).next().and_then(|time| time.attr("datetime")).map(str::to_owned),
    }
}

/// The elements of a cell that are neither its first link nor hold that, and have a text.
fn aside(cell: ElementRef<'_>) -> Vec<String> {
    let Some(name) = cell.select(selector!("a[href]")).find(|link| !text(*link).is_empty()) else { return Vec::new() };
    let is_above = |element: ElementRef<'_>| name.ancestors().any(|above| above.id() == element.id());
    let others = cell.select(selector!("*")).filter(|element| {
        let is_inside = element.ancestors().any(|above| above.id() == name.id());
        *element != name && !is_above(*element) && !is_inside && !text(*element).is_empty()
    });
    let mut found: Vec<String> = Vec::new();
    for element in others {
        let css = own_css(element).pop().unwrap_or_else(|| element.value().name().to_owned());
        if !found.contains(&css) {
            found.push(css);
        }
    }
    found
}

/// A heading that names an order: a selector for it, and its text.
pub(super) fn naming(page: &Html, number: &str) -> Option<(String, String)> {
    ["h1", "h2", "h3", "h4", "title"].into_iter().find_map(|name| {
        let names = Selector::parse(name).ok()?;
        let element = page.select(&names).find(|element| text(*element).contains(number))?;
        let text = text(element);
        let css = if count(page, name) == 1 { name.to_owned() } else { css_of(page, element).0 };
        Some((css, text))
    })
}

/// A selector for an element, and whether it selects nothing else.
fn css_of(page: &Html, element: ElementRef<'_>) -> (String, bool) {
    let name = element.value().name().to_owned();
    let mut found = own_css(element);
    let above = element.ancestors().filter_map(ElementRef::wrap).flat_map(own_css);
    found.extend(above.map(|above| format!("{above} {name}")));
    found.push(name.clone());
    match found.into_iter().find(|css| count(page, css) == 1) {
        Some(css) => (css, true),
        None => (name, false),
    }
}

/// Selectors by id and classes, the plainest first. Numbers in them are those of this one element.
fn own_css(element: ElementRef<'_>) -> Vec<String> {
    let is_plain = |word: &&str| {
        word.starts_with(|sign: char| sign.is_ascii_alphabetic())
            && word.chars().all(|sign| sign.is_ascii_alphabetic() || matches!(sign, '-' | '_'))
    };
    let id = element.value().id().filter(is_plain).map(|id| format!("#{id}"));
    let name = element.value().name();
    id.into_iter().chain(element.value().classes().filter(is_plain).map(|class| format!("{name}.{class}"))).collect()
}

fn count(page: &Html, css: &str) -> usize {
    Selector::parse(css).map_or(0, |css| page.select(&css).count())
}

/// The links of a page to further pages of a list, with `{page}` for their number.
pub(super) fn next_page(page: &Html, url: &Url) -> Option<String> {
    let links = page.select(selector!("a[href]")).filter_map(|link| url.join(link.attr("href")?).ok());
    let begin = url.path().trim_end_matches('/').to_owned();
    let mut found = links.filter(|link| link.origin() == url.origin() && link.path().starts_with(&begin));
    found.find_map(|link| {
        let (path, query) = (link.path().trim_start_matches('/'), link.query().unwrap_or_default());
        let mut pairs: HashMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        pairs.retain(|_, value| *value == "2");
        let name = ["page", "p", "pg", "seite", "pagina"].into_iter().find(|name| pairs.contains_key(name));
        if let Some(name) = name {
            let query = query
                .split('&')
                .map(|pair| if pair == format!("{name}=2") { format!("{name}={{page}}") } else { pair.to_owned() });
            return Some(format!("{path}?{}", query.collect::<Vec<_>>().join("&")));
        }
        let parts: Vec<&str> = path.split('/').collect();
        let place = parts.iter().rposition(|part| *part == "2")?;
        let of = |(index, part): (usize, &&str)| if index == place { "{page}".to_owned() } else { (*part).to_owned() };
        Some(parts.iter().enumerate().map(of).collect::<Vec<_>>().join("/"))
    })
}
