//! Tables for people: no borders, as wide as their contents need, and no wider than the terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Row, Width};
use console::measure_text_width;
use serde_json::Value;

pub(crate) use super::column::Column;
use super::column::Content;
use super::sanitize::clean;
use super::{Mark, human};

/// The space between two columns.
const GAP: u16 = 2;

/// The meaning of a state, which determines its colour.
fn meaning(state: &str) -> Option<Mark> {
    Some(match state {
        "valid" | "completed" | "delivered" | "enabled" | "normal" | "ok" | "passed" => Mark::Good,
        "invalid" | "error" | "timed out" | "cancelled" | "returned" | "refunded" | "disabled" | "failed" => Mark::Bad,
        "pending" | "queued" | "syncing" | "waiting for verification" | "warning" | "processing" | "shipped" => {
            Mark::Attention
        }
        _ => return None,
    })
}

#[derive(Debug)]
pub(crate) struct Table {
    titles: Vec<String>,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: &[Column]) -> Self {
        let titles = columns.iter().map(|column| column.title.to_owned()).collect();
        Self { titles, columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Replaces the title of a column.
    pub(crate) fn titled(mut self, column: usize, title: String) -> Self {
        if let Some(known) = self.titles.get_mut(column) {
            *known = title;
        }
        self
    }

    /// A table of chosen fields of JSON objects.
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
            table.rows.push(row.values().map(human::cell).collect());
        }
        table
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row with a cell for each column.
    pub(crate) fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.rows.push(cells.into());
    }

    /// The table as text. No line is wider than `width`, except for values to be copied; `None`: unlimited.
    pub(crate) fn render(&self, width: Option<u16>, colour: bool) -> String {
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
        let widths = width.map(|width| self.widths(width.into()));
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, GAP));
            let Some(spec) = self.columns.get(index) else { continue };
            match widths.as_ref().map(|widths| widths.get(index).copied().flatten()) {
                None => {
                    column.set_constraint(ColumnConstraint::ContentWidth);
                }
                Some(None) => {
                    column.set_constraint(ColumnConstraint::Hidden);
                }
                Some(Some(width)) => {
                    let width = u16::try_from(width).unwrap_or(u16::MAX).saturating_add(GAP);
                    column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
                }
            }
            if matches!(spec.kind, Content::Number | Content::Amount) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        lines(&table, colour)
    }

    /// The titles of columns that a terminal of this width has no room for, if that is to be said.
    pub(super) fn left_out(&self, width: u16) -> impl Iterator<Item = &str> {
        let columns = self.columns.iter().zip(self.widths(width.into()));
        columns.filter(|(column, width)| column.noted && width.is_none()).map(|(column, _)| column.title)
    }

    /// The longest decimal part of each column, including the point but not the currency.
    fn fractions(&self) -> Vec<usize> {
        let widest =
            |index: usize| self.rows.iter().filter_map(|row| row.get(index)).map(|cell| fraction(cell).len()).max();
        (0..self.columns.len()).map(|index| widest(index).unwrap_or_default()).collect()
    }

    /// The widths of the columns within `total`; `None`: the column is left out. Which columns are left out depends on
    /// their purpose, and not on the contents of the page, except that columns that fit are always shown.
    fn widths(&self, total: usize) -> Vec<Option<usize>> {
        let natural: Vec<usize> = (0..self.columns.len()).map(|index| self.natural(index)).collect();
        let counted = |index: usize, width: usize| match self.columns.get(index) {
            // Such a column may exceed the width, so it takes no room from the others.
            Some(column) if column.copied => self.titles.get(index).map_or(0, |title| measure_text_width(title)),
            _ => width,
        };
        let mut widths: Vec<Option<usize>> =
            natural.iter().enumerate().map(|(index, width)| Some(counted(index, *width))).collect();
        self.fit(&mut widths, &natural, total);
        for ((width, natural), column) in widths.iter_mut().zip(natural).zip(&self.columns) {
            if column.copied {
                *width = Some(natural);
            }
        }
        widths
    }

    /// Leaves columns out and cuts the others until all fit.
    fn fit(&self, widths: &mut [Option<usize>], natural: &[usize], total: usize) {
        for index in self.least_first() {
            if taken(widths) <= total {
                return;
            }
            let needed = |(index, width): (usize, &Option<usize>)| width.map(|_| self.needed(index, natural[index]));
            if taken(&widths.iter().enumerate().map(needed).collect::<Vec<_>>()) <= total {
                break;
            }
            widths[index] = None;
        }
        self.cut(widths, total);
    }

    /// The optional columns, the least important first.
    fn least_first(&self) -> Vec<usize> {
        let ranked = self.columns.iter().enumerate().filter_map(|(index, column)| Some((column.optional?, index)));
        let mut ranked: Vec<(u8, usize)> = ranked.collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, index)| index).collect()
    }

    /// Cuts the widest columns until all fit: first texts, as long as they stay readable; if necessary, any column that
    /// is not to be copied.
    fn cut(&self, widths: &mut [Option<usize>], total: usize) {
        let least: [fn(&Column) -> usize; 3] = [
            |column| if column.whole { usize::MAX } else { column.readable },
            |column| if column.whole { usize::MAX } else { 4 },
            |_| 1,
        ];
        for least in least {
            while taken(widths) > total {
                let can_be_cut = self.columns.iter().zip(widths.iter_mut()).filter(|(column, _)| !column.copied);
                let widest = can_be_cut
                    .filter_map(|(column, width)| width.as_mut().filter(|width| **width > least(column)))
                    .max_by_key(|width| **width);
                let Some(width) = widest else { break };
                *width -= 1;
            }
        }
    }

    /// The width of a column's contents and title.
    fn natural(&self, index: usize) -> usize {
        let is_amount = self.columns.get(index).is_some_and(|column| column.kind == Content::Amount);
        let most = self.rows.iter().filter_map(|row| row.get(index)).map(|cell| fraction(cell).len()).max();
        let width = |cell: &String| match is_amount {
            true => measure_text_width(&padded(&clean(cell), most.unwrap_or_default())),
            false => measure_text_width(&clean(cell)),
        };
        let title = self.titles.get(index).map(|title| measure_text_width(title));
        self.rows.iter().filter_map(|row| row.get(index)).map(width).chain(title).max().unwrap_or_default()
    }

    /// The width that a column needs to be readable: all of it if the column is never cut, and only the title if the
    /// column is empty.
    fn needed(&self, index: usize, natural: usize) -> usize {
        let Some(column) = self.columns.get(index) else { return 0 };
        let is_empty = self.rows.iter().all(|row| row.get(index).is_none_or(String::is_empty));
        let title = self.titles.get(index).map_or(0, |title| measure_text_width(title));
        match () {
            () if column.whole => natural,
            () if is_empty || column.copied => title,
            () => column.readable,
        }
    }
}

/// The width of the columns side by side, with gaps.
fn taken(widths: &[Option<usize>]) -> usize {
    let shown = || widths.iter().flatten();
    shown().sum::<usize>() + shown().count().saturating_sub(1) * usize::from(GAP)
}

/// A field name as a title: `CONNECTION ID` for `connectionId`.
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

/// The decimal part of an amount, including the point.
fn fraction(amount: &str) -> &str {
    let number = amount.split(' ').next().unwrap_or_default();
    number.find('.').map_or("", |at| &number[at..])
}

/// An amount padded after its digits, so that the decimal points of a column are aligned.
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

/// Splits a line into its text, without the blanks that fill the last cell, and the sequence that ends the cell's
/// colour, which follows those blanks.
fn ended(line: &str) -> (&str, &str) {
    match line.rfind('\u{1b}') {
        Some(start) if console::measure_text_width(&line[start..]) == 0 => {
            let (text, style) = line.split_at(start);
            (text.trim_end(), style)
        }
        _ => (line, ""),
    }
}

fn lines(table: &comfy_table::Table, colour: bool) -> String {
    let heading = console::Style::new().force_styling(colour).dim();
    let mut text = String::new();
    for (number, line) in table.lines().enumerate() {
        if number == 0 {
            text.push_str(&heading.apply_to(line.trim_end()).to_string());
        } else {
            let (line, style) = ended(line.trim_end());
            text.push_str(line);
            text.push_str(style);
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
        assert!(without.lines().eq(table.render(Some(80), false).lines()), "{without}");
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
    fn nothing_is_wider_than_the_terminal_but_values_to_copy() {
        let columns = [
            Column::whole("ID").optional(0),
            Column::whole("DATE"),
            Column::text("ITEM").at_least(20),
            Column::amount("PRICE"),
            Column::state("STATUS").optional(1),
        ];
        let mut table = Table::new(&columns);
        let row = |item: &str| {
            ["item_0123456789abcdef01234567890", "2026-01-01", item, "1430.71 EUR", "Ready for collection"]
                .map(str::to_owned)
        };
        table.row(row("Chicken thighs of the best sort, with a long name, from far away"));
        for width in 10..140 {
            let text = table.render(Some(width), false);
            assert!(text.lines().all(|line| measure_text_width(line) <= width.into()), "{width}: {text}");
        }
        assert!(table.render(Some(50), false).contains("Chicken thighs of th"), "{}", table.render(Some(50), false));
        // A page of short names leaves out the same columns, unless all of them fit.
        let mut short = Table::new(&columns);
        short.row(row("Tea"));
        let titles =
            |table: &Table, width| table.render(Some(width), false).lines().next().unwrap_or_default().to_owned();
        assert!(!titles(&table, 86).contains("ID") && titles(&short, 86).contains("ID"));
        assert!(!titles(&table, 80).contains("ID") && !titles(&short, 80).contains("ID"));
        let mut values = Table::new(&[Column::whole("FIELD"), Column::copied("VALUE")]);
        values.row(["Kept in".to_owned(), "/a/very/long/path".repeat(9)]);
        assert!(values.render(Some(40), false).contains(&"/a/very/long/path".repeat(9)));
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
