//! Rows on their way: checked, in columns as PostgreSQL takes them; and digests of rows, by which the two databases are compared.

use futures::{Stream, TryStreamExt as _};
use sha2::{Digest as _, Sha256};
use sqlx::sqlite::SqliteRow;
use sqlx::{ColumnIndex, Decode, Row};

use crate::store::operator::copy::error::{CopyError, RowName};
use crate::store::operator::copy::plan::{Kind, Table};
use crate::store::operator::copy::report::Content;

/// The values of a column, a row each.
#[derive(Debug)]
pub(super) enum Cells {
    Integers(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
    Blobs(Vec<Option<Vec<u8>>>),
}

/// Rows that are written in one transaction.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) columns: Vec<Cells>,
    pub(super) rows: u64,
    /// About how much memory they take.
    pub(super) bytes: usize,
}

impl Batch {
    pub(super) fn new(table: &Table) -> Self {
        let empty = |kind| match kind {
            Kind::Integer => Cells::Integers(Vec::new()),
            Kind::Text => Cells::Texts(Vec::new()),
            Kind::Blob => Cells::Blobs(Vec::new()),
        };
        Self { columns: table.columns.iter().map(|column| empty(column.kind)).collect(), rows: 0, bytes: 0 }
    }

    /// Takes a row of the file, whose columns are typed (STRICT): a value is of the column's kind, or NULL.
    /// Fails with [`CopyError::Row`] with the row's key if PostgreSQL cannot hold it.
    pub(super) fn push(&mut self, row: &SqliteRow, table: &Table) -> Result<(), CopyError> {
        for (index, cells) in self.columns.iter_mut().enumerate() {
            let bytes = |index| row.try_get_unchecked::<Option<Vec<u8>>, _>(index).map_err(CopyError::source);
            let bad = |why: &str| {
                let column = table.columns[index].name.clone();
                CopyError::Row { row: name(row, table), column, why: format!("{why}, which PostgreSQL cannot hold") }
            };
            match cells {
                Cells::Integers(values) => {
                    values.push(row.try_get_unchecked(index).map_err(CopyError::source)?);
                    self.bytes += size_of::<i64>();
                }
                Cells::Texts(values) => {
                    let text = bytes(index)?.map(String::from_utf8).transpose().map_err(|_| bad("is not UTF-8"))?;
                    if text.as_ref().is_some_and(|text| text.contains('\0')) {
                        return Err(bad("has a NUL character"));
                    }
                    self.bytes += text.as_ref().map_or(0, String::len);
                    values.push(text);
                }
                Cells::Blobs(values) => {
                    let blob = bytes(index)?;
                    self.bytes += blob.as_ref().map_or(0, Vec::len);
                    values.push(blob);
                }
            }
        }
        self.rows += 1;
        Ok(())
    }
}

/// The row's key, as an operator finds it.
fn name(row: &SqliteRow, table: &Table) -> RowName {
    let columns = table.columns.iter().enumerate().filter(|(_, column)| table.key.contains(&column.name));
    let key = columns.map(|(index, column)| {
        let value = match column.kind {
            Kind::Integer => row.try_get_unchecked::<i64, _>(index).unwrap_or_default().to_string(),
            Kind::Text => {
                let bytes = row.try_get_unchecked::<&[u8], _>(index).unwrap_or_default();
                format!("'{}'", String::from_utf8_lossy(bytes).escape_debug())
            }
            Kind::Blob => {
                let bytes = row.try_get_unchecked::<&[u8], _>(index).unwrap_or_default();
                format!("x'{}'", ordersync_api::hex::encode(bytes))
            }
        };
        format!("{} = {value}", column.name)
    });
    RowName { table: table.name.clone(), key: key.collect::<Vec<_>>().join(" AND ") }
}

/// What rows are, whatever their order: how many, and the sum of the SHA-256 of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct RowDigest {
    sum: [u64; 4],
    rows: u64,
}

impl RowDigest {
    fn add(&mut self, row: &[u8]) {
        let digest = Sha256::digest(row);
        for (lane, bytes) in self.sum.iter_mut().zip(digest.as_chunks::<8>().0) {
            *lane = lane.wrapping_add(u64::from_be_bytes(*bytes));
        }
        self.rows += 1;
    }
}

/// What rows of either database are.
pub(super) async fn content<R: Row>(
    mut rows: impl Stream<Item = sqlx::Result<R>> + Unpin,
    table: &Table,
) -> sqlx::Result<Content>
where
    usize: ColumnIndex<R>,
    for<'r> i64: Decode<'r, R::Database>,
    for<'r> &'r [u8]: Decode<'r, R::Database>,
{
    let (mut digest, mut bytes) = (RowDigest::default(), Vec::new());
    let put = |bytes: &mut Vec<u8>, value: Option<&[u8]>| {
        bytes.extend(value.map(<[u8]>::len).map_or([u8::MAX; 8], usize::to_be_bytes));
        bytes.extend(value.unwrap_or_default());
    };
    while let Some(row) = rows.try_next().await? {
        bytes.clear();
        for (index, column) in table.columns.iter().enumerate() {
            match column.kind {
                Kind::Integer => {
                    let value = row.try_get_unchecked::<Option<i64>, _>(index)?.map(i64::to_be_bytes);
                    put(&mut bytes, value.as_ref().map(<[u8; 8]>::as_slice));
                }
                Kind::Text | Kind::Blob => put(&mut bytes, row.try_get_unchecked(index)?),
            }
        }
        digest.add(&bytes);
    }
    let hex = digest.sum.iter().map(|lane| format!("{lane:016x}")).collect();
    Ok(Content { rows: digest.rows, digest: hex })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_does_not_depend_on_the_order_but_on_every_row() {
        let of = |rows: &[&[u8]]| {
            let mut digest = RowDigest::default();
            rows.iter().for_each(|row| digest.add(row));
            digest
        };
        assert_eq!(of(&[b"a", b"b", b"b"]), of(&[b"b", b"a", b"b"]));
        assert_ne!(of(&[b"a", b"b"]).sum, of(&[b"a", b"c"]).sum);
        assert_ne!(of(&[b"a", b"b"]), of(&[b"a", b"b", b"b"]));
        // Two equal rows do not cancel each other.
        assert_ne!(of(&[b"a", b"a"]).sum, of(&[]).sum);
    }
}
