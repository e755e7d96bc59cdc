//! Opening a database file such that neither it nor anything beside it is changed.

use std::path::Path;
use std::time::Duration;

use rusqlite::OpenFlags;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use url::Url;

use crate::store::StoreError;
use crate::store::db::ReadOptions;

/// How long another's lock is waited for.
const LOCKED: Duration = Duration::from_millis(500);

/// Whether there is a log beside the file: a process works on it, or one ended without tidying up.
fn is_in_use(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    Path::new(&log).exists()
}

/// How a file is opened so that neither it nor anything beside it is changed.
pub(in crate::store) fn read_only(path: &Path) -> Result<ReadOptions, StoreError> {
    let (mut file, mut flags) = (path.to_owned(), OpenFlags::SQLITE_OPEN_READ_ONLY);
    if !is_in_use(path) {
        let path = std::path::absolute(path).map_err(sqlx::Error::Io)?;
        if let Ok(uri) = Url::from_file_path(path) {
            file = format!("{uri}?immutable=1").into();
            flags |= OpenFlags::SQLITE_OPEN_URI;
        }
    }
    Ok(ReadOptions { file, flags, lock_wait: LOCKED })
}

/// If nobody works on it (`immutable`), no lock is taken: even a reader's lock makes files beside the database.
fn reading(path: &Path, immutable: bool) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(path).read_only(true).immutable(immutable).busy_timeout(LOCKED)
}

/// Examines a database. Looks again if it does not seem sound because another process began to write meanwhile.
pub(in crate::store) async fn look<T>(
    path: &Path,
    examine: impl AsyncFn(&mut SqliteConnection) -> Result<T, StoreError>,
    is_sound: impl Fn(&T) -> bool,
) -> Result<T, StoreError> {
    let once = async |immutable| {
        let mut connection = reading(path, immutable).connect().await?;
        let found = examine(&mut connection).await;
        connection.close().await?;
        found
    };
    let found = once(!is_in_use(path)).await;
    if !found.as_ref().is_ok_and(is_sound) && is_in_use(path) { once(false).await } else { found }
}
