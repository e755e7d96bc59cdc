//! A lock between processes: the process that holds it renews, the others wait and then use the result.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::errors::{Error, Result, codes};
use crate::files::{access, private};

/// Longer than any renewal takes: a process that holds the lock for longer is hanging.
const PATIENCE: Duration = Duration::from_secs(90);

/// A lock, released when dropped, and by the system when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Waits for the lock, until `deadline` at the latest. Fails if another process keeps it locked until then.
pub(crate) async fn acquire(path: &Path, deadline: Option<Instant>) -> Result<Lock> {
    let path = path.to_owned();
    let name = path.display().to_string();
    let locked = tokio::task::spawn_blocking(move || lock(&path));
    let left = deadline.map_or(PATIENCE, |deadline| deadline.saturating_duration_since(Instant::now()));
    match tokio::time::timeout(left.min(PATIENCE), locked).await {
        Ok(Ok(lock)) => lock,
        _ => Err(Error::of(&codes::command::LOCKED, "Another command has been renewing the sign-in for too long.")
            .hint(format!("Is one hanging? It holds {name}."))),
    }
}

fn lock(path: &Path) -> Result<Lock> {
    let explained = |error| access::explained(error, path);
    if let Some(folder) = path.parent() {
        private::create_private_folder(folder).map_err(explained)?;
    }
    private::lock(path).map(|file| Lock { _file: file }).map_err(explained)
}
