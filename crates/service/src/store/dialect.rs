//! Fragments of SQL that differ between databases.

/// A query whose rows the same transaction changes afterwards: until it ends, nobody else may change them. SQLite has no row
/// locks and needs none, because only one transaction writes at a time, so nothing is appended there. `of` names the table of a
/// join whose rows change.
macro_rules! locking {
    ($sql:literal) => {
        concat!($sql, "")
    };
    ($sql:literal, of $table:literal) => {
        concat!($sql, "")
    };
}

pub(crate) use locking;
