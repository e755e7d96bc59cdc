//! A page of line items: what the service says about the list, an item's position in it, and the lines of CSV.

use ordersync_api::Timestamp;
use serde::{Deserialize, Serialize};

/// What the service says about the list along with a page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ListHeaders<'a> {
    /// How many rows match.
    pub total: Option<u64>,
    /// Which version of the list the page is of.
    pub version: Option<&'a str>,
    /// How many rows were asked for.
    pub asked: u64,
}

/// What the pages of a list say of the connections whose items it lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Incomplete {
    /// Of how many it is not known that all their items are listed: the most that a page said.
    pub most: u64,
    /// Whether every page said a number.
    pub is_said: bool,
    /// How many have orders whose figures do not agree with each other: the most that a page said.
    #[serde(default)]
    pub mismatched: u64,
}

impl Default for Incomplete {
    fn default() -> Self {
        Self { most: 0, is_said: true, mismatched: 0 }
    }
}

impl Incomplete {
    /// Whether the pages report neither incomplete connections nor mismatches.
    pub(crate) const fn reports_nothing(self) -> bool {
        self.most == 0 && self.mismatched == 0
    }

    /// With what another page says.
    pub(crate) fn and(self, page: Self) -> Self {
        Self {
            most: self.most.max(page.most),
            is_said: self.is_said && page.is_said,
            mismatched: self.mismatched.max(page.mismatched),
        }
    }
}

/// The position of a line item in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Key {
    /// When it was ordered, in microseconds since 1970.
    pub date: Option<i64>,
    pub id: String,
}

/// A [`Key`], borrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place<'a> {
    /// When it was ordered, in microseconds since 1970.
    pub date: Option<i64>,
    pub id: &'a str,
}

impl Key {
    pub(crate) fn place(&self) -> Place<'_> {
        Place { date: self.date, id: &self.id }
    }
}

impl Place<'_> {
    pub(crate) fn to_key(self) -> Key {
        Key { date: self.date, id: self.id.to_owned() }
    }
}

/// Converts a point in time to microseconds since 1970.
pub(crate) fn micros(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(|at| at.0.timestamp_micros())
}

/// The header line, with the specification's columns.
pub(crate) fn header() -> String {
    ordersync_api::order::CSV_COLUMNS.join(",") + "\n"
}

/// How many records of so many fields the lines contain (RFC 4180 §2). `None`: a record has another number of fields, or is
/// incomplete.
pub(crate) fn count(lines: &[u8], fields: usize) -> Option<u64> {
    let (mut count, mut is_quoted, mut end, mut found) = (0, false, 0, 1);
    for at in memchr::memchr3_iter(b'"', b'\n', b',', lines) {
        match lines.get(at) {
            Some(b'"') => is_quoted = !is_quoted,
            _ if is_quoted => {}
            Some(b',') => found += 1,
            _ if found != fields => return None,
            _ => (count, end, found) = (count + 1, at + 1, 1),
        }
    }
    (end == lines.len()).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_whatever_stands_in_them() {
        for (lines, records) in [
            ("", Some(0)),
            ("a,b\n", Some(1)),
            ("a,\"b\n\"\",\n\"\nc,d\n", Some(2)),
            ("a,b\nc", None),
            ("a,\"b\n", None),
            ("a,b\nc,d,e\n", None),
            ("a;b\n", None),
            ("a,b\n\nc,d\n", None),
        ] {
            assert_eq!(count(lines.as_bytes(), 2), records, "{lines:?}");
        }
    }

    #[test]
    fn fuzz_pages_of_csv() {
        let seeds: [&[u8]; 3] = [b"a,b\n", b"a,\"b\n\"\"\n\"\nc,d\n", b"\"Caf\xc3\xa9, 27\"\"\",,1.50\r\n,,\n"];
        crate::fuzzing::fuzz("pages of csv", &seeds, &["\"", "\n", "\r\n", ",", "\"\"", "\0"], |input, random| {
            let whole = count(input, 2);
            // Repeating complete lines doubles the count; an incomplete record does not count.
            let Some(records) = whole else { return };
            let twice = [input, input].concat();
            assert_eq!(count(&twice, 2), Some(records * 2));
            let cut = random.below(input.len() + 1);
            assert!(count(&input[..cut], 2).is_none_or(|first| first <= records));
        });
    }
}
