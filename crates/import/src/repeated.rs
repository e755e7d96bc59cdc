//! Rows of one order that say the same twice, or contradict each other: each is reported.

use std::collections::HashMap;

use crate::checks::Line;
use crate::finding::FindingCode;
use crate::format::Source;
use crate::layout::When;
use crate::reading::{Reading, View};

/// Different lines with one number that a further one is compared with.
const MOST_COMPARED: usize = 16;

impl Reading<'_> {
    /// Takes out lines that are listed again: with the same number, and the same in all that is read. Returns the rows that
    /// are left; of a document, all of them.
    pub(crate) fn listed_once<'v>(&mut self, rows: &[View<'v>], lines: &mut Vec<Line>) -> Vec<View<'v>> {
        if self.format.components.is_some() {
            return rows.to_vec();
        }
        let mut seen: HashMap<&str, Vec<&Line>> = HashMap::new();
        let mut is_new = Vec::with_capacity(lines.len());
        for line in lines.iter() {
            let others = line.item.line_id.as_deref().map(|id| seen.entry(id).or_default());
            let is_repeated = others.as_ref().is_some_and(|others| others.iter().any(|other| is_same(other, line)));
            is_new.push(!is_repeated);
            let Some(others) = others else { continue };
            let (code, message) = if is_repeated {
                let message = "The line is listed again, with the same number, and was counted once.";
                (FindingCode::LineRepeated, message)
            } else {
                let message = "Another line of the order has the same number, but differs. Both were stored: if one of them is \
                               wrong, remove it from the file.";
                (FindingCode::LineDiffers, message)
            };
            if !others.is_empty() {
                let finding = self.finding(code, line.at, message);
                self.findings.add(finding.shown(line.item.line_id.as_deref().unwrap_or_default()));
            }
            if !is_repeated && others.len() < MOST_COMPARED {
                others.push(line);
            }
        }
        let mut is_kept = is_new.iter();
        lines.retain(|_| is_kept.next().is_none_or(|is_new| *is_new));
        // The rows of a table are its lines.
        let is_row = |index: usize| self.format.lines.is_some() || is_new.get(index).is_none_or(|is_new| *is_new);
        rows.iter().enumerate().filter(|(index, _)| is_row(*index)).map(|(_, row)| *row).collect()
    }

    /// Reports rows of one order that have different dates.
    pub(crate) fn compare_dates(&mut self, rows: &[View<'_>], source: &Source) {
        if self.format.date_of_line {
            return;
        }
        let mut first = None;
        for row in rows {
            let Some(text) = self.text(row, Some(source)) else { continue };
            let Some(day) = self.dates.read(&text).map(When::day) else { continue };
            if *first.get_or_insert(day) != day {
                let message = "The rows of the order have different dates: the first counts. If they are of different orders, \
                               correct their numbers.";
                let finding = self.finding(FindingCode::ValuesDiffer, row.at, message);
                self.findings.add(finding.column(source.name()).shown(&text));
                return;
            }
        }
    }
}

/// True if two rows say the same.
fn is_same(one: &Line, other: &Line) -> bool {
    let figures = |line: &Line| (line.row, line.unproven);
    one.item == other.item && figures(one) == figures(other) && one.shared == other.shared
}
