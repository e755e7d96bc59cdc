//! Tables for people: no borders, as wide as the terminal, never wider than their contents need.

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row};

use super::clean::clean;

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    title: &'static str,
    whole: bool,
    right: bool,
}

impl Column {
    /// A column of text, cut where the terminal is too narrow.
    #[must_use]
    pub const fn text(title: &'static str) -> Self {
        Self { title, whole: false, right: false }
    }

    /// A column that is never cut: identifiers, states.
    #[must_use]
    pub const fn whole(title: &'static str) -> Self {
        Self { title, whole: true, right: false }
    }

    /// A column of numbers, never cut.
    #[must_use]
    pub const fn number(title: &'static str) -> Self {
        Self { title, whole: true, right: true }
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
        table.set_header(self.columns.iter().map(|column| Cell::new(column.title)).collect::<Vec<_>>());
        for cells in &self.rows {
            let mut row = Row::from(cells.iter().map(|cell| Cell::new(clean(cell))).collect::<Vec<_>>());
            if width.is_some() {
                row.max_height(1);
            }
            table.add_row(row);
        }
        for (column, spec) in table.column_iter_mut().zip(&self.columns) {
            column.set_padding((0, 2));
            if spec.whole {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
            if spec.right {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
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
}
