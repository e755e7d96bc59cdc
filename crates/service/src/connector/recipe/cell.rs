//! The place of a value in a row: by a selector, or by the heading of its column.

use ego_tree::NodeId;
use scraper::{ElementRef, Html};

use super::value::{At, Misfit, Pattern, Place};
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::table::Table;
use crate::connector::kit::text::{normalised, own_text, selector, text};

/// A row, and the headings above its columns if places are named by them.
pub(super) struct Row<'a, 'h> {
    pub(super) element: ElementRef<'a>,
    headings: Option<&'h [String]>,
}

/// The headings of tables, each read once.
#[derive(Default)]
pub(super) struct Headings(Vec<(NodeId, Option<Vec<String>>)>);

/// The element in which a value is, with what the recipe says of its text.
#[derive(Clone, Copy)]
pub(super) struct Cell<'a> {
    pub(super) element: ElementRef<'a>,
    place: &'a Place,
}

impl Headings {
    /// A row with the headings of its table.
    pub(super) fn row<'a, 'h>(&'h mut self, element: ElementRef<'a>) -> Row<'a, 'h> {
        let mut above = element.ancestors().filter_map(ElementRef::wrap);
        let Some(table) = above.find(|above| above.value().name() == "table") else {
            return Row { element, headings: None };
        };
        if !self.0.iter().any(|(known, _)| *known == table.id()) {
            let headings = Table::read(table).ok().and_then(|table| table.headings);
            self.0.push((table.id(), headings.map(|all| all.iter().map(|heading| normalised(heading)).collect())));
        }
        let headings =
            self.0.iter().find(|(known, _)| *known == table.id()).and_then(|(_, headings)| headings.as_deref());
        Row { element, headings }
    }
}

impl<'a> Row<'a, '_> {
    /// The headings of the row's table.
    pub(super) fn headings(&self) -> impl Iterator<Item = &str> {
        self.headings.into_iter().flatten().map(String::as_str)
    }

    /// The heading that names a place, and the cells of all other columns.
    pub(super) fn beside(&self, place: &'a Place) -> Option<(&str, Vec<ElementRef<'a>>)> {
        let (At::Heading(words), Some(own)) = (&place.at, self.cell(place)) else { return None };
        let heading = self.headings().find(|heading| words.iter().any(|word| *word == **heading))?;
        Some((heading, self.cells().filter(|cell| *cell != own.element).collect()))
    }

    fn cells(&self) -> impl Iterator<Item = ElementRef<'a>> + use<'a> {
        let cells = self.element.children().filter_map(ElementRef::wrap);
        cells.filter(|cell| matches!(cell.value().name(), "td" | "th"))
    }

    /// The one cell of the row that is meant. `None`: there is none, or there are several.
    pub(super) fn cell(&self, place: &'a Place) -> Option<Cell<'a>> {
        let element = match &place.at {
            At::Select(css) => one_shown(self.element.select(css.get()))?,
            At::Heading(words) => self.column(|heading| words.iter().any(|word| *word == *heading))?,
        };
        Some(Cell { element, place })
    }

    fn column(&self, is: impl Fn(&str) -> bool) -> Option<ElementRef<'a>> {
        let headings = self.headings?;
        let cells: Vec<ElementRef<'a>> = self.cells().collect();
        let is_merged =
            cells.iter().any(|cell| cell.attr("colspan").or(cell.attr("rowspan")).is_some_and(|span| span != "1"));
        let column = only(headings.iter().enumerate().filter(|(_, heading)| is(heading)).map(|(column, _)| column))?;
        (!is_merged && cells.len() == headings.len()).then(|| cells.get(column).copied())?
    }
}

impl<'a> Cell<'a> {
    pub(super) const fn new(element: ElementRef<'a>, place: &'a Place) -> Self {
        Self { element, place }
    }

    /// The words that are meant.
    /// Fails if the pattern does not fit.
    pub(super) fn words(&self) -> Result<String, Misfit> {
        self.read(Pattern::read)
    }

    /// The same for a date.
    pub(super) fn date(&self) -> Result<String, Misfit> {
        self.read(Pattern::read_date)
    }

    /// The same for a number or an amount, of which a pattern must not leave out a part.
    pub(super) fn number(&self) -> Result<String, Misfit> {
        self.read(Pattern::read_number)
    }

    fn read(&self, read: fn(&Pattern, &str) -> Result<String, Misfit>) -> Result<String, Misfit> {
        let words = if self.place.own_text { own_text(self.element) } else { text(self.element) };
        self.place.pattern.as_ref().map_or_else(|| Ok(words.clone()), |pattern| read(pattern, &words))
    }

    /// The one link of the cell, or the cell itself if it is a link.
    pub(super) fn link(&self) -> Option<ElementRef<'a>> {
        let own = self.links().next().filter(|link| *link == self.element);
        own.or_else(|| only(self.links()))
    }

    /// The links of the cell, itself included.
    pub(super) fn links(&self) -> impl Iterator<Item = ElementRef<'a>> + use<'a> {
        let is_link = self.element.value().name() == "a" && self.element.attr("href").is_some();
        is_link.then_some(self.element).into_iter().chain(self.element.select(selector!("a[href]")))
    }
}

/// The elements of a page that a place means.
pub(super) fn elements<'a>(document: &'a Html, place: &'a Place) -> impl Iterator<Item = Cell<'a>> {
    let css = match &place.at {
        At::Select(css) => Some(css),
        At::Heading(_) => None,
    };
    css.into_iter().flat_map(|css| document.select(css.get())).map(move |element| Cell::new(element, place))
}

/// The only one, or of several the only one that has a text: beside it there may be a picture.
fn one_shown<'a>(found: impl Iterator<Item = ElementRef<'a>>) -> Option<ElementRef<'a>> {
    let found: Vec<ElementRef<'a>> = found.collect();
    match found.as_slice() {
        [one] => Some(*one),
        several => only(several.iter().copied().filter(|element| !text(*element).is_empty())),
    }
}

/// The only one; `None` for none and for several.
pub(super) fn only<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The check of the lines has failed.
pub(super) fn lines_failed(found: impl Into<String>) -> Unread {
    Failure::new(Check::Lines, found).into()
}

/// The one cell of a line or a figure.
/// Fails if the row has none, or several.
pub(super) fn cell_of_line<'a>(row: &Row<'a, '_>, place: &'a Place, what: &str) -> Result<Cell<'a>, Unread> {
    row.cell(place).ok_or_else(|| lines_failed(format!("a row does not have one {what}.")))
}
