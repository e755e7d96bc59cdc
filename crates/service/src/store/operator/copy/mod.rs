//! Moving a whole store from an SQLite file into an empty PostgreSQL database.
//!
//! Rows are copied in batches, each a transaction that also notes how far it came, so that a copy which was killed continues
//! where it was. Until both databases were read back and have the same rows, the store is marked, and nobody serves it.

mod error;
mod plan;
mod report;
mod rows;
mod source;
mod target;

use std::path::Path;

use futures::{TryFutureExt as _, TryStreamExt as _};
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection as _};
use tokio::sync::mpsc;

pub use self::error::{CopyError, RowName};
use self::plan::Table;
pub use self::report::{Compared, Content, Copied, Step};
use self::rows::Batch;
use crate::database::PostgresAddress;

/// About how many bytes are written in a transaction. With the next batch, which is read meanwhile, this is what the copy needs
/// of memory.
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Copies the store in this file into the empty database, or continues to.
/// Fails if the file is in use or of another version, if the database has rows of something else, if either fails, and
/// if a row cannot be copied. Then the same call continues.
pub async fn copy(from: &Path, to: &PostgresAddress, told: &mut dyn FnMut(Step<'_>)) -> Result<Copied, CopyError> {
    copy_in_batches(from, to, BATCH_BYTES, told).await
}

/// Copies with batches of another size.
pub(in crate::store) async fn copy_in_batches(
    from: &Path,
    to: &PostgresAddress,
    batch_bytes: usize,
    told: &mut dyn FnMut(Step<'_>),
) -> Result<Copied, CopyError> {
    let mut file = source::lock(from).await?;
    let copied = copy_locked(from, &mut file, to, batch_bytes, told).await;
    // Whatever came of it, nothing is left beside the file.
    file.close().await.map_err(CopyError::source)?;
    copied
}

async fn copy_locked(
    from: &Path,
    file: &mut SqliteConnection,
    to: &PostgresAddress,
    batch_bytes: usize,
    told: &mut dyn FnMut(Step<'_>),
) -> Result<Copied, CopyError> {
    let mut server = target::connect(to).await?;
    let copied = copy_between(from, file, &mut server, batch_bytes, told).await?;
    server.close().await.map_err(CopyError::target)?;
    Ok(copied)
}

async fn copy_between(
    from: &Path,
    file: &mut SqliteConnection,
    server: &mut PgConnection,
    batch_bytes: usize,
    told: &mut dyn FnMut(Step<'_>),
) -> Result<Copied, CopyError> {
    let state = source::state(from)?;
    let mut earlier = target::progress(server).await?;
    if earlier.is_none() {
        match target::mark(server).await {
            Ok(()) => target::begin_again(server, &state).await?,
            // Perhaps by this very copy, whose end nobody saw.
            Err(CopyError::NotEmpty(filled)) => return was_done(file, server, filled).await,
            Err(error) => return Err(error),
        }
    } else if let Some(other) = earlier.take_if(|earlier| earlier.source != state) {
        target::begin_again(server, &state).await?;
        // Without a state, it had copied nothing, or found differences.
        if !other.source.is_empty() {
            told(Step::BegunAgain);
        }
    } else {
        told(Step::Resumed);
    }
    let tables = plan::plan(file, server).await?;
    for table in &tables {
        let done = earlier.as_ref().and_then(|earlier| earlier.copied.get(&table.name)).copied().unwrap_or_default();
        copy_table(file, server, table, done, batch_bytes, told).await?;
    }
    let mut compared = Vec::new();
    for table in &tables {
        told(Step::Comparing(&table.name));
        compared.push(compare(file, server, table).await?);
    }
    if !compared.iter().all(Compared::is_equal) {
        // So that the next one begins again.
        target::begin_again(server, "").await?;
        return Err(CopyError::Different(compared));
    }
    target::finish(server, &tables).await?;
    compared.sort_by(|one, other| one.table.cmp(&other.table));
    Ok(Copied { tables: compared, was_done: false })
}

/// Copies a table, but for its first `done` rows. The next batch is read while one is written.
async fn copy_table(
    file: &mut SqliteConnection,
    server: &mut PgConnection,
    table: &Table,
    done: u64,
    batch_bytes: usize,
    told: &mut dyn FnMut(Step<'_>),
) -> Result<(), CopyError> {
    let (batches, mut taken) = mpsc::channel::<Batch>(1);
    let read = async move {
        let mut batch = Batch::new(table);
        let mut rows = source::rows(file, table, done);
        // If nobody takes it, the other side failed, and says why.
        while let Some(row) = rows.try_next().await.map_err(CopyError::source)? {
            batch.push(&row, table)?;
            if batch.bytes >= batch_bytes {
                let _ = batches.send(std::mem::replace(&mut batch, Batch::new(table))).await;
            }
        }
        if batch.rows > 0 {
            let _ = batches.send(batch).await;
        }
        Ok(())
    };
    let write = async {
        let mut copied = done;
        while let Some(batch) = taken.recv().await {
            copied += batch.rows;
            target::write(server, table, batch).await?;
            told(Step::Copied(&table.name, copied));
        }
        Ok(())
    };
    // Of two failures, that of the reader: it has the row.
    futures::try_join!(read, write).map(|_| ())
}

async fn compare(file: &mut SqliteConnection, server: &mut PgConnection, table: &Table) -> Result<Compared, CopyError> {
    let there = sqlx::query(AssertSqlSafe(table.select_all())).fetch(server);
    let (source, target) = futures::try_join!(
        rows::content(source::rows(file, table, 0), table).map_err(CopyError::source),
        rows::content(there, table).map_err(CopyError::target),
    )?;
    Ok(Compared { table: table.name.clone(), source, target })
}

/// Whether a store that has rows has exactly those of the file: then there is nothing to do.
async fn was_done(
    file: &mut SqliteConnection,
    server: &mut PgConnection,
    filled: Vec<String>,
) -> Result<Copied, CopyError> {
    let tables = match plan::plan(file, server).await {
        // It is of another version.
        Err(CopyError::Schema(_)) => return Err(CopyError::NotEmpty(filled)),
        tables => tables?,
    };
    let mut compared = Vec::new();
    for table in tables {
        let both = compare(file, server, &table).await?;
        if !both.is_equal() {
            return Err(CopyError::NotEmpty(filled));
        }
        compared.push(both);
    }
    compared.sort_by(|one, other| one.table.cmp(&other.table));
    Ok(Copied { tables: compared, was_done: true })
}
