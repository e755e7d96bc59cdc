//! Rows on their way into a table, many with one statement. If the database refuses some, they are tried one by one, so that the
//! error names the row.

use std::cmp::Ordering;

use sqlx::error::ErrorKind;

use super::check::Named;
use super::lines::{Lines, shown};
use super::refusal::{ImportError, ImportRefusal};
use crate::store::Write;
use crate::store::db::{Argument, insert_rows, query};
use crate::store::operator::user_tables::Column;

/// How many rows go into a statement, at most.
const ROWS: usize = 256;
/// How many bytes of texts, about.
const BYTES: usize = 1 << 20;

/// The rows of a table that are not stored yet.
pub(super) struct Writer {
    into: String,
    rows: Vec<Vec<Argument>>,
    bytes: usize,
}

impl Writer {
    /// `added`: a column that is not among the exported ones, and whose value each row ends with.
    pub(super) fn new(table: &str, columns: &[Column], added: Option<&str>) -> Self {
        let names = columns.iter().map(|column| &*column.name).chain(added);
        let names = names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        Self { into: format!("INSERT INTO {table} ({names})"), rows: Vec::new(), bytes: 0 }
    }

    /// Takes the row that was read last.
    pub(super) async fn push(
        &mut self,
        tx: &mut Write,
        row: Vec<Argument>,
        from: &Lines<'_>,
    ) -> Result<(), ImportError> {
        let text = |value: &Argument| match value {
            Argument::Text(Some(text)) => text.len(),
            _ => 8,
        };
        self.bytes += row.iter().map(text).sum::<usize>();
        self.rows.push(row);
        if self.rows.len() >= ROWS || self.bytes >= BYTES { self.end(tx, from).await } else { Ok(()) }
    }

    /// Stores the rows that are left.
    pub(super) async fn end(&mut self, tx: &mut Write, from: &Lines<'_>) -> Result<(), ImportError> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let Err(error) = self.try_to_store(tx, rows.clone()).await else { return Ok(()) };
        if !is_about_rows(&error) {
            return Err(error.into());
        }
        for (row, number) in rows.iter().zip(from.row + 1 - rows.len() as u64..) {
            if let Err(error) = self.try_to_store(tx, vec![row.clone()]).await {
                let why = error.as_database_error().map_or_else(|| error.to_string(), |said| said.message().to_owned());
                let why = format!("the database refuses the row: {why}");
                return Err(ImportRefusal::Archive { file: from.file.clone(), row: Some(number), why }.into());
            }
        }
        Err(error.into())
    }

    /// Stores rows. If the database refuses them, the transaction is as before.
    async fn try_to_store(&self, tx: &mut Write, rows: Vec<Vec<Argument>>) -> Result<(), sqlx::Error> {
        if rows.is_empty() {
            return Ok(());
        }
        query("SAVEPOINT imported").execute(&mut *tx).await?;
        let stored = insert_rows(tx, &self.into, rows, "").await;
        if stored.as_ref().is_err_and(is_about_rows) {
            query("ROLLBACK TO SAVEPOINT imported").execute(&mut *tx).await?;
        }
        stored?;
        query("RELEASE SAVEPOINT imported").run(&mut *tx).await
    }
}

/// Whether an error is one of the rows' values: PostgreSQL's class 22 (data), or a constraint.
fn is_about_rows(error: &sqlx::Error) -> bool {
    let Some(said) = error.as_database_error() else { return false };
    said.kind() != ErrorKind::Other || said.code().is_some_and(|code| code.len() == 5 && code.starts_with("22"))
}

/// Whether a row comes before another one by their keys, as databases compare them: texts by their octets.
pub(super) fn is_before(one: &[Argument], other: &[Argument]) -> bool {
    let compared = one.iter().zip(other).map(|both| match both {
        (Argument::Integer(one), Argument::Integer(other)) => one.cmp(other),
        (Argument::Text(one), Argument::Text(other)) => one.cmp(other),
        _ => Ordering::Equal,
    });
    compared.fold(Ordering::Equal, Ordering::then) == Ordering::Less
}

/// Fails if the store has something with an id of this row, which then is another user's.
pub(super) async fn is_new(tx: &mut Write, table: &str, row: &Named<'_>) -> Result<(), ImportError> {
    let sql = match table {
        "connections" => "SELECT 1 FROM connections WHERE id = $1",
        "sessions" => "SELECT 1 FROM sessions WHERE id = $1",
        "retailer_sessions" => "SELECT 1 FROM retailer_sessions WHERE id = $1",
        "grants" => "SELECT 1 FROM grants WHERE id = $1",
        _ => return Ok(()),
    };
    let id = row.text("id");
    if query(sql).bind(id).exists(tx).await? {
        return Err(ImportRefusal::Exists(format!("the id {} of {table}", shown(id.unwrap_or_default()))).into());
    }
    Ok(())
}
