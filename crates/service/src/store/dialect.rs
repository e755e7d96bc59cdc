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

/// The condition of the orders of `$3`, a JSON array of order ids, of the user `$1`'s connection `$2`. It names the whole unique
/// key, so that SQLite looks each order up. With `order_id IN (…)` alone it would read all orders of the connection.
macro_rules! listed_orders {
    () => {
        "(user_id, connection, order_id) IN (SELECT $1, $2, value FROM json_each($3))"
    };
}

pub(super) use listed_orders;
pub(crate) use locking;
