//! Tables for people: no borders, as wide as the terminal, never wider than their contents need.

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Row, Width};
use console::measure_text_width;
use serde_json::Value;

use super::clean::clean;
use super::{Mark, people};

/// What text is cut to at least, where a column does not say more.
const READABLE: usize = 16;

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    title: &'static str,
    whole: bool,
    kind: Content,
    optional: Option<u8>,
    /// Text is cut to no less than this before whole columns are left out.
    readable: usize,
}

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Text,
    /// To the right.
    Number,
    /// To the right, the points below one another.
    Amount,
    /// In the colour of what it means.
    State,
    /// A bar, drawn of block characters.
    Bar,
}

impl Column {
    /// A column of text, cut where the terminal is too narrow.
    #[must_use]
    pub const fn text(title: &'static str) -> Self {
        Self { title, whole: false, kind: Content::Text, optional: None, readable: READABLE }
    }

    /// A column that is never cut: identifiers, dates.
    #[must_use]
    pub const fn whole(title: &'static str) -> Self {
        Self { title, whole: true, kind: Content::Text, optional: None, readable: READABLE }
    }

    /// A column of states, never cut, in the colour of what they mean.
    #[must_use]
    pub const fn state(title: &'static str) -> Self {
        Self { title, whole: true, kind: Content::State, optional: None, readable: READABLE }
    }

    /// A column of amounts, with or without a currency behind, never cut, the points below one another.
    #[must_use]
    pub const fn amount(title: &'static str) -> Self {
        Self { title, whole: true, kind: Content::Amount, optional: None, readable: READABLE }
    }

    /// A column of numbers, never cut.
    #[must_use]
    pub const fn number(title: &'static str) -> Self {
        Self { title, whole: true, kind: Content::Number, optional: None, readable: READABLE }
    }

    /// The same, cut to no less than this many letters: what a row is recognised by.
    #[must_use]
    pub const fn at_least(mut self, letters: usize) -> Self {
        self.readable = letters;
        self
    }

    /// A column of bars, never cut.
    #[must_use]
    pub const fn bar() -> Self {
        Self { title: "", whole: true, kind: Content::Bar, optional: None, readable: READABLE }
    }

    /// The same, left out where the terminal is too narrow for the others; the lowest rank goes first.
    #[must_use]
    pub const fn optional(mut self, rank: u8) -> Self {
        self.optional = Some(rank);
        self
    }
}

/// What a state means, for its colour.
fn meaning(state: &str) -> Option<Mark> {
    Some(match state {
        "valid" | "completed" | "delivered" | "enabled" | "normal" | "ok" | "passed" => Mark::Good,
        "invalid" | "error" | "timedout" | "cancelled" | "returned" | "refunded" | "disabled" | "failed" => Mark::Bad,
        "pending" | "queued" | "syncing" | "userintervention" | "warning" | "processing" | "shipped" => Mark::Attention,
        _ => return None,
    })
}

/// A table.
#[derive(Debug)]
pub struct Table {
    titles: Vec<String>,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(columns: &[Column]) -> Self {
        let titles = columns.iter().map(|column| column.title.to_owned()).collect();
        Self { titles, columns: columns.to_vec(), rows: Vec::new() }
    }

    /// A table of fields of JSON objects.
    pub(super) fn of_fields<'a>(rows: &[Value], fields: impl Iterator<Item = &'a str>) -> Self {
        let mut table = Self::new(&[]);
        for field in fields {
            let values: Vec<&Value> =
                rows.iter().filter_map(|row| row.get(field)).filter(|value| !value.is_null()).collect();
            let are = |test: fn(&Value) -> bool| !values.is_empty() && values.iter().all(|value| test(value));
            table.titles.push(title(field));
            table.columns.push(match () {
                () if are(Value::is_number) => Column::amount(""),
                () if are(|value| value.as_str().is_some_and(|text| meaning(text).is_some())) => Column::state(""),
                () if field.ends_with("Id") || field == "id" => Column::whole(""),
                () => Column::text(""),
            });
        }
        for row in rows.iter().filter_map(Value::as_object) {
            table.rows.push(row.values().map(people::cell).collect());
        }
        table
    }

    /// Whether it has no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row with a cell for each column.
    pub fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.rows.push(cells.into());
    }

    /// The table as text, no line wider than `width`; `None`: as wide as it gets.
    #[must_use]
    pub fn render(&self, width: Option<u16>, colour: bool) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING).force_no_tty();
        if colour {
            table.enforce_styling();
        }
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
        table.set_header(one_line(self.titles.iter().map(Cell::new).collect()));
        let fractions = self.fractions();
        for cells in &self.rows {
            let cell = |(index, text): (usize, &String)| {
                let text = clean(text);
                match self.columns.get(index).map(|column| column.kind) {
                    Some(Content::Amount) => {
                        Cell::new(padded(&text, fractions.get(index).copied().unwrap_or_default()))
                    }
                    Some(Content::State) => match meaning(&text).filter(|_| colour) {
                        Some(mark) => Cell::new(&text).fg(colour_of(mark)),
                        None => Cell::new(text),
                    },
                    Some(Content::Bar) if colour => Cell::new(text).fg(Color::DarkCyan),
                    _ => Cell::new(text),
                }
            };
            table.add_row(one_line(cells.iter().enumerate().map(cell).collect()));
        }
        let hidden = width.map(|width| self.left_out(width.into())).unwrap_or_default();
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            let Some(spec) = self.columns.get(index) else { continue };
            if hidden.contains(&index) {
                column.set_constraint(ColumnConstraint::Hidden);
            } else if spec.whole {
                column.set_constraint(ColumnConstraint::ContentWidth);
            } else if width.is_some() && spec.readable > READABLE {
                let least = u16::try_from(self.needed(index)).unwrap_or(u16::MAX);
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
            }
            if matches!(spec.kind, Content::Number | Content::Amount) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        lines(&table, colour)
    }

    /// How much stands behind the point, currency included, at most: for each column of amounts.
    fn fractions(&self) -> Vec<usize> {
        let widest =
            |index: usize| self.rows.iter().filter_map(|row| row.get(index)).map(|cell| fraction(cell).len()).max();
        (0..self.columns.len()).map(|index| widest(index).unwrap_or_default()).collect()
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
        let title = self.titles.get(index).map(|title| measure_text_width(title));
        let widest = cells.chain(title).max().unwrap_or_default();
        if column.whole { widest + 2 } else { widest.min(column.readable) + 2 }
    }
}

/// `connectionId` as a title.
fn title(field: &str) -> String {
    let mut title = String::new();
    for letter in field.chars() {
        if letter.is_uppercase() {
            title.push(' ');
        }
        title.extend(letter.to_uppercase());
    }
    title
}

/// The digits of an amount behind its point, with the point.
fn fraction(amount: &str) -> &str {
    let number = amount.split(' ').next().unwrap_or_default();
    number.find('.').map_or("", |at| &number[at..])
}

/// An amount with as much behind its digits as makes the points of a column stand below one another.
fn padded(amount: &str, widest: usize) -> String {
    let space = " ".repeat(widest.saturating_sub(fraction(amount).len()));
    match amount.split_once(' ') {
        Some((number, currency)) => format!("{number}{space} {currency}"),
        None => format!("{amount}{space}"),
    }
}

fn colour_of(mark: Mark) -> Color {
    match mark {
        Mark::Good => Color::DarkGreen,
        Mark::Bad => Color::DarkRed,
        Mark::Attention => Color::DarkYellow,
        Mark::Skipped => Color::DarkGrey,
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
    fn the_points_of_amounts_stand_below_one_another_and_states_have_colours() {
        let mut table = Table::new(&[Column::amount("PRICE"), Column::state("STATUS")]);
        for (price, status) in [("1430.710 EUR", "valid"), ("2980 JPY", "invalid"), ("0.5", "odd")] {
            table.row([price.into(), status.into()]);
        }
        let plain = "       PRICE  STATUS\n1430.710 EUR  valid\n2980     JPY  invalid\n   0.5        odd\n";
        let text = table.render(None, false);
        assert!(text.contains("1430.710 EUR  valid") && text.contains("2980     JPY  invalid"), "{text}{plain}");
        let coloured = table.render(Some(80), true);
        assert!(coloured.contains("\u{1b}["), "{coloured:?}");
        let without = console::strip_ansi_codes(&coloured);
        assert!(without.lines().map(str::trim_end).eq(table.render(Some(80), false).lines()), "{without}");
    }

    #[test]
    fn what_a_row_is_recognised_by_stays_readable() {
        let columns = [Column::whole("ID"), Column::text("NAME").at_least(20), Column::text("REASON").optional(0)];
        let mut table = Table::new(&columns);
        table.row(["conn_1234567890".into(), "Marrowby Market of Harbor".into(), "The password is wrong today".into()]);
        let shown = |width| table.render(Some(width), false);
        assert!(shown(60).contains("Marrowby Market of") && shown(60).contains("The pass"), "{}", shown(60));
        assert!(shown(40).contains("Marrowby Market of") && !shown(40).contains("The"), "{}", shown(40));
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
