//! Inserting many rows with one statement.

use std::fmt::Write as _;

use sqlx::AssertSqlSafe;

use super::argument::Argument;
use super::query::Query;
use super::{Dialect, On, Tx};

/// Inserts rows. `into` is the statement up to its columns, `after` what follows the rows.
pub(crate) async fn insert_rows<const N: usize>(
    tx: &mut Tx,
    into: &str,
    rows: Vec<[Argument; N]>,
    after: &str,
) -> Result<(), sqlx::Error> {
    let values = match tx.dialect() {
        // Without numbers: SQLite looks each numbered argument up by its name, which takes the longer the more there are.
        Dialect::Sqlite => vec![format!("({})", ["?"; N].join(", ")); rows.len()].join(", "),
        Dialect::Postgres => numbered(rows.len(), N),
    };
    let sql = AssertSqlSafe(format!("{into} VALUES {values} {after}"));
    Query::<()>::new(sql.into(), rows.into_iter().flatten().collect()).execute(On::from(tx)).await?;
    Ok(())
}

/// Rows of numbered arguments.
fn numbered(rows: usize, columns: usize) -> String {
    let mut values = String::new();
    for argument in 0..rows * columns {
        let before = match argument {
            0 => "(",
            _ if argument % columns == 0 => "), (",
            _ => ", ",
        };
        // Writing to a string does not fail.
        let _ = write!(values, "{before}${}", argument + 1);
    }
    values.push(')');
    values
}
