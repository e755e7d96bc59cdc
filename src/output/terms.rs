//! Words with their meanings, in lines of a given width.

use std::io::IsTerminal as _;

use console::{Alignment, measure_text_width, pad_str};

use super::stdout_width;
use super::wrap::hanging;
use crate::errors::Hint;

/// The columns before a meaning, in addition to the widest word.
const INDENT: usize = 4;
/// The least room for a meaning beside its word; with less, it is placed below.
const ROOM: usize = 30;

/// Words with their meanings, at the width of standard output.
pub(crate) fn for_stdout<T: AsRef<str>>(rows: &[(String, T)]) -> String {
    lines(rows, std::io::stdout().is_terminal().then(stdout_width))
}

/// One word per line, with its meaning beside it if there is room, otherwise below it. Without a width, there is always
/// room.
fn lines<T: AsRef<str>>(rows: &[(String, T)], width: Option<usize>) -> String {
    let widest = rows.iter().map(|(word, _)| measure_text_width(word)).max().unwrap_or_default();
    let is_beside = width.is_none_or(|width| width >= widest + INDENT + ROOM);
    let mut text = String::new();
    for (word, meaning) in rows {
        // The prefix of a line is followed by a space.
        let begin = if is_beside {
            format!("  {} ", pad_str(word, widest, Alignment::Left, None))
        } else {
            text.push_str(&format!("  {word}\n"));
            " ".repeat(INDENT - 1)
        };
        text.push_str(&hanging(&begin, &Hint::say(meaning.as_ref()), width));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meaning_is_beside_its_word_or_below_it_and_no_word_is_cut() {
        let rows = [
            ("ordersync fix".to_owned(), "Repair an invalid connection"),
            ("ordersync orders export".to_owned(), "Export every line item as CSV, JSON, an Excel workbook or Parquet"),
        ];
        assert_eq!(
            lines(&rows, Some(60)),
            "  ordersync fix            Repair an invalid connection\n  ordersync orders export  Export every line item as CSV,\n                           JSON, an Excel workbook or\n                           Parquet\n"
        );
        assert_eq!(
            lines(&rows, Some(50)),
            "  ordersync fix\n    Repair an invalid connection\n  ordersync orders export\n    Export every line item as CSV, JSON, an Excel\n    workbook or Parquet\n"
        );
        assert!(
            lines(&rows, None).contains("export  Export every line item as CSV, JSON, an Excel workbook or Parquet\n")
        );
    }
}
