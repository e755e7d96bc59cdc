//! Tables for people: no borders, as wide as the terminal, never wider than their contents need.

use chrono::SecondsFormat;
use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row};
use console::measure_text_width;
use ordersync_api::{Open, Timestamp};

use super::clean::clean;

/// Text is cut to no less than this before whole columns are left out.
const READABLE: usize = 16;

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    title: &'static str,
    whole: bool,
    right: bool,
    optional: Option<u8>,
}

impl Column {
    /// A column of text, cut where the terminal is too narrow.
    #[must_use]
    pub const fn text(title: &'static str) -> Self {
        Self { title, whole: false, right: false, optional: None }
    }

    /// A column that is never cut: identifiers, states.
    #[must_use]
    pub const fn whole(title: &'static str) -> Self {
        Self { title, whole: true, right: false, optional: None }
    }

    /// A column of numbers, never cut.
    #[must_use]
    pub const fn number(title: &'static str) -> Self {
        Self { title, whole: true, right: true, optional: None }
    }

    /// The same, left out where the terminal is too narrow for the others; the lowest rank goes first.
    #[must_use]
    pub const fn optional(mut self, rank: u8) -> Self {
        self.optional = Some(rank);
        self
    }
}

/// A point in time for people: whole seconds.
#[must_use]
pub fn time(at: Option<&Open<Timestamp>>) -> String {
    match at {
        None => String::new(),
        Some(Open::Known(at)) => at.0.to_rfc3339_opts(SecondsFormat::Secs, true),
        Some(Open::Other(text)) => text.clone(),
    }
}

/// A table.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    /// The table as text, no line wider than `width`; `None`: as wide as it gets.
    #[must_use]
    pub fn render(&self, width: Option<u16>, colour: bool) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING).force_no_tty();
        if let Some(width) = width {
            table.set_width(width).set_content_arrangement(ContentArrangement::Dynamic);
        }
        let one_line = |cells: Vec<Cell>| {
            let mut row = Row::from(cells);
            if width.is_some() {
                row.max_height(1);
            }
            row
        };
        table.set_header(one_line(self.columns.iter().map(|column| Cell::new(column.title)).collect()));
        for cells in &self.rows {
            table.add_row(one_line(cells.iter().map(|cell| Cell::new(clean(cell))).collect()));
        }
        let hidden = width.map(|width| self.left_out(width.into())).unwrap_or_default();
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            let Some(spec) = self.columns.get(index) else { continue };
            if hidden.contains(&index) {
                column.set_constraint(ColumnConstraint::Hidden);
            } else if spec.whole {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
            if spec.right {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        lines(&table, colour)
    }

    /// The columns to leave out, so that the others are readable in `width`.
    fn left_out(&self, width: usize) -> Vec<usize> {
        let mut optional: Vec<(u8, usize)> = self
            .columns
            .iter()
            .enumerate()
            .filter_map(|(index, column)| column.optional.map(|rank| (rank, index)))
            .collect();
        optional.sort_unstable();
        let mut needed: usize = (0..self.columns.len()).map(|index| self.needed(index)).sum();
        let mut hidden = Vec::new();
        for (_, index) in optional {
            if needed <= width {
                break;
            }
            needed -= self.needed(index);
            hidden.push(index);
        }
        hidden
    }

    /// The width that a column needs to be readable, with the space after it.
    fn needed(&self, index: usize) -> usize {
        let Some(column) = self.columns.get(index) else { return 0 };
        let cells = self.rows.iter().filter_map(|row| row.get(index)).map(|cell| measure_text_width(cell));
        let widest = cells.chain([column.title.len()]).max().unwrap_or_default();
        if column.whole { widest + 2 } else { widest.min(READABLE) + 2 }
    }
}

fn lines(table: &comfy_table::Table, colour: bool) -> String {
    let heading = console::Style::new().force_styling(colour).dim();
    let mut text = String::new();
    for (number, line) in table.lines().enumerate() {
        let line = line.trim_end();
        if number == 0 {
            text.push_str(&heading.apply_to(line).to_string());
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[Column::whole("ID"), Column::text("NAME"), Column::number("ITEMS")]);
        table.row(["con_1234567890".into(), "A retailer with a rather long name".into(), "7".into()]);
        table.row(["con_2".into(), "B".into(), "1200".into()]);
        table
    }

    #[test]
    fn a_pipe_gets_every_letter() {
        assert_eq!(
            table().render(None, false),
            "ID              NAME                                ITEMS\n\
             con_1234567890  A retailer with a rather long name      7\n\
             con_2           B                                    1200\n"
        );
    }

    #[test]
    fn a_narrow_terminal_cuts_text_and_never_identifiers() {
        let text = table().render(Some(36), false);
        assert!(text.lines().all(|line| line.chars().count() <= 36), "{text}");
        assert!(text.contains("con_1234567890") && text.contains("1200") && text.contains('…'), "{text}");
    }

    #[test]
    fn a_narrow_terminal_leaves_out_what_matters_least() {
        let mut table = Table::new(&[
            Column::whole("ID").optional(1),
            Column::text("NAME"),
            Column::whole("DATE").optional(0),
            Column::whole("STATUS"),
        ]);
        table.row(["item_1234567890".into(), "Salmon".into(), "2026-01-01".into(), "shipped".into()]);
        let shown = |width| table.render(Some(width), false).lines().next().unwrap_or_default().to_owned();
        assert_eq!(shown(80).split_whitespace().collect::<Vec<_>>(), ["ID", "NAME", "DATE", "STATUS"]);
        assert_eq!(shown(40).split_whitespace().collect::<Vec<_>>(), ["ID", "NAME", "STATUS"]);
        assert_eq!(shown(20).split_whitespace().collect::<Vec<_>>(), ["NAME", "STATUS"]);
    }
}
