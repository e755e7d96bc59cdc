//! What the title of a line must not be, whichever shop shows it.

use scraper::ElementRef;

use super::check::{Check, Failure};
use super::text::selector;

/// The longest title that is taken, in bytes.
const MAX_TITLE: usize = 2048;

/// Checks the title that a cell shows.
/// Fails if it is too long, holds control characters, or is cut: a tooltip then goes on where it ends.
pub(in crate::connector) fn check(cell: ElementRef<'_>, title: &str) -> Result<(), Failure> {
    let failed = |found: &str| Err(Failure::new(Check::Lines, found));
    if title.len() > MAX_TITLE || title.chars().any(|sign| sign.is_control() && !sign.is_whitespace()) {
        return failed("the title of a line is too long, or holds control characters.");
    }
    let mut tooltips =
        std::iter::once(cell).chain(cell.select(selector!("[title]"))).filter_map(|element| element.attr("title"));
    let begins_like = title.trim_end_matches(['…', '.', ' ']);
    if tooltips.any(|tooltip| tooltip.len() > title.len() && tooltip.starts_with(begins_like)) {
        return failed("the title of a line is cut.");
    }
    Ok(())
}
