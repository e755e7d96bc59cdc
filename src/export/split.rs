//! Which file an item goes to where an export is split, and what the files are called: names that are safe on every
//! system. `orders.csv.gz` makes `orders-2026-01.csv.gz` and `orders-merribazaar.csv.gz`.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};

use chrono::{Datelike as _, NaiveDate};
use ordersync_api::Timestamp;

use super::choices::SplitBy;
use super::row::{Column, Row};
use super::spool::Spool;
use crate::errors::Result;
use crate::names::slug;
use crate::time_zone::TimeZone;

/// Where the retailer is not known.
const UNKNOWN: &str = "unknown";
/// Where the date is not known.
const UNDATED: &str = "undated";

/// A file that is to be made of a spool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where it is to be.
    pub path: PathBuf,
    /// Where in the spool its rows are; other rows may be between them.
    pub range: Range<u64>,
}

/// The pieces of an export.
#[derive(Debug)]
pub(crate) struct Split {
    by: SplitBy,
    zone: TimeZone,
    numbers: HashMap<String, usize>,
    pieces: Vec<Piece>,
}

impl Split {
    /// Finds the pieces of the export to `out`, in the order in which they begin. `turn` is called after each page.
    pub(crate) fn find(
        spool: &mut Spool,
        (by, zone): (SplitBy, TimeZone),
        out: &Path,
        mut turn: impl FnMut() -> Result<()>,
    ) -> Result<Self> {
        let (mut numbers, mut groups) = (HashMap::new(), Vec::new());
        spool.pages(0..spool.length(), |page| {
            for (at, row) in &page {
                let key = key(by, zone, row);
                match numbers.get(&key).and_then(|number: &usize| groups.get_mut(*number)) {
                    Some(PieceGroup { range, .. }) => range.end = at + 1,
                    None => {
                        numbers.insert(key, groups.len());
                        groups.push(PieceGroup::new(row, zone, *at));
                    }
                }
            }
            turn()
        })?;
        let names = match by {
            SplitBy::Month => groups.iter().map(|group| group.month.clone().unwrap_or(UNDATED.to_owned())).collect(),
            SplitBy::Retailer => names(&groups),
        };
        let pieces = groups.into_iter().zip(names);
        let pieces = pieces.map(|(group, name)| Piece { path: path(out, &name), range: group.range }).collect();
        Ok(Self { by, zone, numbers, pieces })
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Which of them a row belongs to.
    pub(crate) fn of(&self, row: &Row<'_>) -> Option<usize> {
        self.numbers.get(&key(self.by, self.zone, row)).copied()
    }
}

/// The place of a piece, beside that of the whole.
pub(crate) fn path(out: &Path, name: &str) -> PathBuf {
    let whole = Path::new(out.file_name().unwrap_or_default());
    let is = |ending: &str| whole.extension().is_some_and(|known| known.eq_ignore_ascii_case(ending));
    let packed = whole.extension().filter(|_| is("gz") || is("zst"));
    let inner = if packed.is_some() { Path::new(whole.file_stem().unwrap_or_default()) } else { whole };
    let mut text = inner.file_stem().unwrap_or_default().to_owned();
    text.push(format!("-{name}"));
    for ending in [inner.extension(), packed].into_iter().flatten() {
        text.push(OsStr::new("."));
        text.push(ending);
    }
    out.with_file_name(text)
}

/// What is known of a group from its first row.
#[derive(Debug, Default)]
struct PieceGroup {
    range: Range<u64>,
    month: Option<String>,
    id: Option<String>,
    name: Option<String>,
}

impl PieceGroup {
    fn new(row: &Row<'_>, zone: TimeZone, at: u64) -> Self {
        let owned = |column| text(row, column).map(str::to_owned);
        let (id, name) = (owned(Column::RetailerId), owned(Column::RetailerName));
        Self { range: at..at + 1, month: month(row, zone), id, name }
    }
}

/// What the rows of a group have in common; nothing where that is not known.
fn key(by: SplitBy, zone: TimeZone, row: &Row<'_>) -> String {
    match by {
        SplitBy::Month => month(row, zone).unwrap_or_default(),
        // A name may change, or be that of two.
        SplitBy::Retailer => {
            text(row, Column::RetailerId).or(text(row, Column::RetailerName)).unwrap_or_default().to_owned()
        }
    }
}

fn text<'a>(row: &'a Row<'_>, column: Column) -> Option<&'a str> {
    row.text(column).map(str::trim).filter(|text| !text.is_empty())
}

/// `2026-01`.
fn month(row: &Row<'_>, zone: TimeZone) -> Option<String> {
    let text = text(row, Column::OrderDate)?;
    let day = match text.parse::<Timestamp>() {
        Ok(at) => zone.day(at.0),
        Err(_) => text.parse::<NaiveDate>().ok()?,
    };
    Some(format!("{:04}-{:02}", day.year(), day.month()))
}

/// A name for each retailer; where two would get the same, each gets its id, too.
fn names(groups: &[PieceGroup]) -> Vec<String> {
    let slugs: Vec<String> = groups.iter().map(of_retailer).collect();
    // A retailer that is called so would be taken for none.
    let mut counts = HashMap::from([(UNKNOWN, 1)]);
    for (slug, group) in slugs.iter().zip(groups) {
        let is_known = group.id.is_some() || group.name.is_some();
        *counts.entry(slug).or_default() += i32::from(is_known);
    }
    let mut taken = HashSet::new();
    let name = |(slug, group): (&String, &PieceGroup)| {
        let mut name = match &group.id {
            Some(id) if counts.get(slug.as_str()).is_some_and(|count| *count > 1) => {
                format!("{slug}-{}", crate::names::slug(id))
            }
            _ => slug.clone(),
        };
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{slug}-{number}");
        }
        name
    };
    slugs.iter().zip(groups).map(name).collect()
}

fn of_retailer(group: &PieceGroup) -> String {
    let slug_of = |text: &Option<String>| text.as_deref().map(slug).filter(|slug| !slug.is_empty());
    match (slug_of(&group.name), slug_of(&group.id)) {
        (Some(name), _) => name,
        // A name without a letter that every system knows.
        (None, Some(id)) => format!("retailer-{id}"),
        (None, None) => UNKNOWN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn found(by: SplitBy, rows: &[&str]) -> Vec<(String, Range<usize>)> {
        let mut file = tempfile::tempfile().expect("file");
        let mut places = Vec::new();
        for row in rows {
            places.push(file.metadata().expect("length").len());
            writeln!(file, "{row}").expect("write");
        }
        let mut spool = Spool::new(file).expect("spool");
        let split =
            Split::find(&mut spool, (by, TimeZone::UTC), Path::new("to/orders.csv.gz"), || Ok(())).expect("split");
        let number = |at: u64| places.iter().position(|place| *place == at).expect("a row");
        for (index, row) in rows.iter().enumerate() {
            let piece = split.of(&Row::read(row).expect("JSON")).expect("a piece");
            assert!(split.pieces()[piece].range.contains(&places[index]));
        }
        let named = |piece: &Piece| {
            let name = piece.path.to_str().expect("text").strip_prefix("to/orders-").expect("its folder");
            let name = name.strip_suffix(".csv.gz").expect("its endings").to_owned();
            (name, number(piece.range.start)..number(piece.range.end - 1) + 1)
        };
        split.pieces().iter().map(named).collect()
    }

    #[test]
    fn a_month_is_that_of_the_order_in_utc() {
        let rows = [
            r#"{"id":1,"orderDate":"2026-02-01T00:30:00+01:00"}"#,
            r#"{"id":2,"orderDate":"2026-01-31T23:59:59Z"}"#,
            r#"{"id":3}"#,
            r#"{"id":4,"orderDate":"2026-01-01"}"#,
            r#"{"id":5,"orderDate":"some day"}"#,
            r#"{"id":6,"orderDate":"2025-12-31T23:00:00-01:00"}"#,
        ];
        let expected = [("2026-01".to_owned(), 0..6), ("undated".to_owned(), 2..5)];
        assert_eq!(found(SplitBy::Month, &rows), expected);
    }

    #[test]
    fn retailers_get_names_that_every_system_takes_and_none_shares() {
        let rows = [
            r#"{"id":1,"retailerId":7,"retailerName":"Merri Bazaar!"}"#,
            r#"{"id":2,"retailerId":8,"retailerName":"merri/bazaar"}"#,
            r#"{"id":3,"retailerId":9,"retailerName":"Café Müßig & Co."}"#,
            r#"{"id":4,"retailerId":7,"retailerName":"Another name"}"#,
            r#"{"id":5,"retailerId":10,"retailerName":"東京"}"#,
            r#"{"id":6}"#,
            r#"{"id":7,"retailerId":"../11","retailerName":"Unknown"}"#,
            r#"{"id":8,"retailerName":"..\\.."}"#,
            r#"{"id":9,"retailerName":"Harbor's"}"#,
        ];
        let names: Vec<String> = found(SplitBy::Retailer, &rows).into_iter().map(|(name, _)| name).collect();
        let expected = [
            "merri-bazaar-7",
            "merri-bazaar-8",
            "cafe-mussig-co",
            "retailer-10",
            "unknown",
            "unknown-11",
            "unknown-2",
            "harbors",
        ];
        assert_eq!(names, expected);
        assert!(slug(&"long name ".repeat(40)).len() <= 60);
    }

    #[test]
    fn endings_stay_at_the_end() {
        for (out, expected) in [
            ("a.b/orders.csv", "a.b/orders-x.csv"),
            ("orders.jsonl.zst", "orders-x.jsonl.zst"),
            ("orders", "orders-x"),
            ("my.orders.GZ", "my-x.orders.GZ"),
            ("orders.2026.xlsx", "orders.2026-x.xlsx"),
        ] {
            assert_eq!(path(Path::new(out), "x"), Path::new(expected));
        }
    }
}
