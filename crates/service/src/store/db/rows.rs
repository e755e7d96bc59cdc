//! Inserting many rows with one statement.

use sqlx::AssertSqlSafe;

use super::answer::in_time;
use super::argument::{Argument, arrays};
use super::query::Query;
use super::{On, Tx};

/// Inserts rows. `into` is the statement up to its columns, `after` what follows the rows.
pub(crate) async fn insert_rows<R: AsRef<[Argument]> + IntoIterator<Item = Argument>>(
    tx: &mut Tx,
    into: &str,
    rows: Vec<R>,
    after: &str,
) -> Result<(), sqlx::Error> {
    match tx {
        // Without numbers: SQLite looks each numbered argument up by its name, which takes the longer the more there are.
        Tx::Sqlite(..) | Tx::Reading(_) => {
            let columns = rows.first().map_or(0, |first| first.as_ref().len());
            let values = vec![format!("({})", vec!["?"; columns].join(", ")); rows.len()].join(", ");
            let sql = AssertSqlSafe(format!("{into} VALUES {values} {after}"));
            Query::<()>::new(sql.into(), rows.into_iter().flatten().collect()).execute(On::from(tx)).await?;
        }
        // One array for each column: thousands of arguments would take the server longer than storing the rows, and each number of
        // rows would be a statement of its own.
        Tx::Postgres(tx) => {
            let (columns, types) = arrays(rows)?;
            let arrays = types.iter().zip(1..).map(|(kind, number)| format!("${number}::{kind}[]"));
            let arrays = arrays.collect::<Vec<_>>().join(", ");
            let sql = AssertSqlSafe(format!("{into} SELECT * FROM unnest({arrays}) {after}"));
            in_time(sqlx::query_with(sql, columns).execute(&mut **tx)).await?;
        }
    }
    Ok(())
}
