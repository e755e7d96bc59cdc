//! Seed files: what a sandbox begins with. A file is checked as a whole before anything is stored, and applied as a whole or
//! not at all: a start that is interrupted is begun anew by the next one.

mod apply;
mod check;
mod file;

use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDate, Utc};
use ordersync_api::Scope;

use crate::connector::simulated::OwnOrder;

pub(crate) use self::apply::{NotApplied, Site, prepare};

/// The largest file.
const MOST_BYTES: u64 = 1024 * 1024;

/// Why a seed file cannot be applied.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct SeedError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong, and where. Never a secret.
    pub message: String,
}

/// A checked file.
#[derive(Debug)]
struct Seed {
    /// SHA-256 of the text.
    digest: [u8; 32],
    /// The day on which everything is seeded, at 00:00 UTC; none: that of the start.
    today: Option<NaiveDate>,
    clients: Vec<SeedClient>,
    users: Vec<SeedUser>,
    accounts: Vec<OwnAccount>,
}

#[derive(Debug)]
struct SeedClient {
    id: String,
    name: String,
    /// None: public.
    secret_digest: Option<[u8; 32]>,
    redirect_uris: Vec<String>,
    return_urls: Vec<String>,
    frame_ancestors: Vec<String>,
    scopes: Vec<Scope>,
    requests_per_minute: Option<std::num::NonZeroU32>,
}

#[derive(Debug)]
struct SeedUser {
    phone: String,
    name: Option<String>,
    /// Client and external user id.
    bindings: Vec<(String, String)>,
    connections: Vec<SeedConnection>,
}

#[derive(Debug)]
struct SeedConnection {
    retailer_id: i64,
    /// The user name, in lower case.
    account: String,
    shared_with: Vec<String>,
    state: Option<State>,
}

/// An account with its own orders.
#[derive(Debug)]
struct OwnAccount {
    retailer_id: i64,
    username: String,
    orders: Vec<OwnOrder>,
}

/// What a connection is to be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Valid,
    Invalid,
    PendingMfa,
}

/// Reads and checks a file. `now` is the machine's time.
fn read(path: &Path, now: DateTime<Utc>) -> Result<Seed, SeedError> {
    let failed = |message: String| SeedError { path: path.to_owned(), message };
    let text = crate::small_file::read(path, MOST_BYTES).map_err(|error| failed(format!("cannot be read: {error}")))?;
    check::seed(&text, now).map_err(failed)
}
