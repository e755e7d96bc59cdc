//! Parsing HTML that a stranger wrote, with bounds on its size, its elements and the time.

mod build;
mod tags;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use scraper::Html;

pub use self::build::{Spent, parse_until};

/// The largest page that is read. The largest of the real shops' pages that we know has 858 kB.
pub const MAX_PAGE_BYTES: usize = 2 * 1024 * 1024;

/// The bounds on one page. Each is far above what pages of shops have, and low enough that a page of any other making
/// takes a fraction of a second. Parsing takes time by the square of the depth, and of the attributes of a tag.
#[derive(Debug, Clone, Copy)]
struct Limits {
    bytes: usize,
    /// Elements within elements.
    depth: u32,
    /// Elements, comments and attributes, those included that the HTML standard repeats for misnested tags.
    nodes: usize,
    /// Attributes of one tag.
    attributes: usize,
    /// Bytes of all attributes, those of repeated elements included.
    attribute_bytes: usize,
    /// Time to parse, without the time to read the parsed page.
    time: Duration,
}

/// The most that 200 recorded pages of real shops have: depth 36, 8,303 nodes and attributes, 23 attributes in a tag.
const LIMITS: Limits = Limits {
    bytes: MAX_PAGE_BYTES,
    depth: 256,
    nodes: 100_000,
    attributes: 256,
    attribute_bytes: 2 * MAX_PAGE_BYTES,
    time: Duration::from_secs(3),
};

/// Why a page was not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "their names say it")]
pub enum Refusal {
    Bytes,
    Depth,
    Nodes,
    Attributes,
    Time,
    /// Reading the parsed page took too long: the caller's own bound.
    Reading,
    /// Nobody waits for the page any more.
    Abandoned,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "is larger than any page of a shop",
            Self::Depth => "is nested more deeply than any page of a shop",
            Self::Nodes => "has more elements than any page of a shop",
            Self::Attributes => "has a tag with more attributes than any page of a shop",
            Self::Time => "takes too long to parse",
            Self::Reading => "takes too long to read",
            Self::Abandoned => "is no longer needed",
        })
    }
}

/// Parses a page on the caller's thread, which nobody stops.
/// Fails if the page exceeds the bounds.
pub fn parse(body: &str) -> Result<Html, Refusal> {
    parse_until(body, &AtomicBool::new(false), &mut Spent::default())
}
