//! Numbers of orders and lines, and what spreadsheets make of them. A number whose digits are lost is none.

use crate::finding::FindingCode;
use crate::format::Field;
use crate::reading::{Reading, View};

/// A number without what spreadsheets write around it so that it stays a text: `'123` and `="123"`.
pub(crate) fn bare(text: &str) -> Option<String> {
    let formula = text.strip_prefix("=\"").and_then(|text| text.strip_suffix('"'));
    let bare = formula.unwrap_or_else(|| text.trim_start_matches('\'')).trim();
    (!bare.is_empty()).then(|| bare.to_owned())
}

/// True if a spreadsheet rounded a number, as in `3.3E+09`.
pub(crate) fn is_rounded(number: &str) -> bool {
    let are_digits = |text: &str, others: &[char]| {
        text.starts_with(|sign: char| sign.is_ascii_digit())
            && text.chars().all(|sign| sign.is_ascii_digit() || others.contains(&sign))
    };
    let parts = number.split_once("E+").or_else(|| number.split_once("e+"));
    parts.is_some_and(|(digits, exponent)| are_digits(digits, &['.', ',']) && are_digits(exponent, &[]))
}

impl Reading<'_> {
    /// The number of a line, unless a spreadsheet rounded it.
    pub(crate) fn line_id(&self, view: &View<'_>) -> Option<String> {
        let number = self.text(view, self.format.source(Field::LineId))?;
        bare(&number).filter(|number| !is_rounded(number))
    }

    /// Reports the number of a line that a spreadsheet rounded.
    pub(crate) fn report_rounded(&mut self, view: &View<'_>) {
        let number = self.text(view, self.format.source(Field::LineId));
        let Some(number) = number.filter(|number| is_rounded(number)) else { return };
        let message = format!(
            "The number of the line is \"{number}\": a spreadsheet rounded it, and its digits are lost. The line was stored \
             without it."
        );
        self.findings.add(self.finding(FindingCode::LineNumberRounded, view.at, message).shown(number));
    }
}
