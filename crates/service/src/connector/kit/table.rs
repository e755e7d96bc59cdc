//! Tables as rows of cells. Nothing is skipped here: each row of a table is a row of the model.

use scraper::ElementRef;

use super::text::text;

/// A table, without the tables that its cells contain: those are tables of their own.
pub(in crate::connector) struct Table<'a> {
    /// The words above the columns, if the table has them.
    pub(in crate::connector) headings: Option<Vec<String>>,
    /// The rows below the headings.
    pub(in crate::connector) rows: Vec<TableRow<'a>>,
}

pub(in crate::connector) struct TableRow<'a> {
    pub(in crate::connector) element: ElementRef<'a>,
    pub(in crate::connector) cells: Vec<ElementRef<'a>>,
    /// Whether a cell covers more than its own column and row.
    pub(in crate::connector) is_merged: bool,
}

/// Why a table has no such model: more than one row of headings, or headings over several columns.
#[derive(Debug)]
pub(in crate::connector) struct UnknownLayout;

impl<'a> Table<'a> {
    pub(in crate::connector) fn read(table: ElementRef<'a>) -> Result<Self, UnknownLayout> {
        let mut rows: Vec<(TableRow<'a>, bool)> = Vec::new();
        for (row, in_head) in own_rows(table) {
            let cells: Vec<ElementRef<'a>> = children(row, |name| matches!(name, "td" | "th")).collect();
            if cells.is_empty() {
                continue;
            }
            let is_heading = in_head || cells.iter().all(|cell| cell.value().name() == "th");
            rows.push((TableRow { element: row, is_merged: cells.iter().any(is_merged), cells }, is_heading));
        }
        let headings = rows.iter().take_while(|(_, is_heading)| *is_heading).count();
        let mut rows = rows.into_iter().map(|(row, _)| row);
        let headings = match headings {
            0 => None,
            1 => match rows.next() {
                Some(row) if !row.is_merged => Some(row.cells.iter().map(|cell| text(*cell)).collect()),
                _ => return Err(UnknownLayout),
            },
            _ => return Err(UnknownLayout),
        };
        Ok(Self { headings, rows: rows.collect() })
    }
}

/// Whether an element is no part of a template's content.
pub(in crate::connector) fn is_shown(element: ElementRef<'_>) -> bool {
    !element.ancestors().filter_map(ElementRef::wrap).any(|above| above.value().name() == "template")
}

/// The rows of the table itself, and whether each is in its head.
fn own_rows<'a>(table: ElementRef<'a>) -> impl Iterator<Item = (ElementRef<'a>, bool)> {
    children(table, |name| matches!(name, "tr" | "thead" | "tbody" | "tfoot")).flat_map(|child| {
        let name = child.value().name();
        let rows: Vec<ElementRef<'a>> =
            if name == "tr" { vec![child] } else { children(child, |name| name == "tr").collect() };
        rows.into_iter().map(move |row| (row, name == "thead"))
    })
}

fn children<'a>(element: ElementRef<'a>, is: impl Fn(&str) -> bool) -> impl Iterator<Item = ElementRef<'a>> {
    element.children().filter_map(ElementRef::wrap).filter(move |child| is(child.value().name()))
}

fn is_merged(cell: &ElementRef<'_>) -> bool {
    ["colspan", "rowspan"].iter().any(|name| cell.attr(name).is_some_and(|span| span.trim() != "1"))
}

#[cfg(test)]
mod tests {
    use scraper::Html;

    use super::super::text::selector;
    use super::*;

    fn shape(html: &str) -> Option<(Option<usize>, Vec<usize>)> {
        let document = Html::parse_document(html);
        let table = Table::read(document.select(selector!("table")).next().unwrap()).ok()?;
        Some((table.headings.map(|headings| headings.len()), table.rows.iter().map(|row| row.cells.len()).collect()))
    }

    #[test]
    fn a_table_has_its_own_rows_only_and_at_most_one_row_of_headings() {
        let nested = "<table><tr><th>A<th>B<tr><td><table><tr><td>x<td>y<td>z</table><td>2<tr><td>3<td>4</table>";
        assert_eq!(shape(nested), Some((Some(2), vec![2, 2])));
        assert_eq!(shape("<table><tr><td>1<td>2<tfoot><tr><td>3</table>"), Some((None, vec![2, 1])));
        assert_eq!(shape("<table><thead><tr><th>A<tr><th>B<tbody><tr><td>1</table>"), None);
        assert_eq!(shape("<table><tr><th colspan=2>A<tr><td>1<td>2</table>"), None);
    }

    #[test]
    fn what_a_template_holds_is_not_shown() {
        let document = Html::parse_document("<template><table><tr><td>1</table></template><table><tr><td>2</table>");
        assert_eq!(document.select(selector!("table")).filter(|table| is_shown(*table)).count(), 1);
    }
}
