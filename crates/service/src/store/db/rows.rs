//! Inserting many rows with one statement.

use sqlx::{AssertSqlSafe, SqlSafeStr as _};

use super::argument::Argument;
use super::query::Query;
use super::{On, Tx};

/// Inserts rows. `into` is the statement up to its columns, `after` what follows the rows.
pub(crate) async fn insert_rows<const N: usize>(
    tx: &mut Tx,
    into: &str,
    rows: Vec<[Argument; N]>,
    after: &str,
) -> Result<(), sqlx::Error> {
    // Without numbers: SQLite looks each numbered argument up by its name, which takes the longer the more there are.
    let row = format!("({})", ["?"; N].join(", "));
    let values = vec![row; rows.len()].join(", ");
    let sql = AssertSqlSafe(format!("{into} VALUES {values} {after}")).into_sql_str();
    Query::<()>::new(sql, rows.into_iter().flatten().collect()).execute(On::from(tx)).await?;
    Ok(())
}
