//! A session that a sync has to do with.

use ordersync_api::{Id, SyncStarted};

/// A session that is followed, or left to itself.
pub(super) struct Batch {
    pub(super) id: Id,
    /// What the service said when it was started.
    pub(super) started: SyncStarted,
    /// What to say of it if it was not started now, but ran before.
    pub(super) ran_before: Option<String>,
    /// The connections that it was started for one by one, or ran for.
    pub(super) connections: Vec<Id>,
}
