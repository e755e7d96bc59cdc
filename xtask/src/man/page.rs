//! What all man pages have in common.

use clap_mangen::roff::{Roff, bold, roman};

/// The day on which the pages were last changed in what they say.
pub(crate) const DATE: &str = "2026-11-21";
/// What the pages belong to.
pub(crate) const SOURCE: &str = concat!("ordersync ", env!("CARGO_PKG_VERSION"));

/// References to other pages, by name and section.
pub(crate) fn see_also(pages: impl IntoIterator<Item = (String, &'static str)>) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    let mut pages = pages.into_iter().peekable();
    while let Some((name, section)) = pages.next() {
        let comma = if pages.peek().is_some() { "," } else { "" };
        roff.text([bold(name), roman(format!("({section}){comma}"))]);
    }
    roff
}
