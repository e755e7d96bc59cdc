//! For whom requests are sent.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::connector::StepContext;
use crate::connector::queue::SharedQueue;

/// A turn that is no further away is waited for in place; for a later one the caller comes back.
pub(super) const PATIENCE: Duration = Duration::from_millis(250);

/// For whom a request is sent.
#[derive(Clone, Copy)]
pub(crate) struct Visitor<'a> {
    /// The connection. It keeps the place in the queue if the retailer's pace asks for a wait.
    pub key: &'a str,
    /// The user's time, for cookies.
    pub now: DateTime<Utc>,
    /// How far away a turn may be that is waited for in place.
    pub patience: Duration,
    /// The queue that all nodes share; `None`: this node has its own.
    pub shared_queue: Option<&'a dyn SharedQueue>,
}

impl<'a> Visitor<'a> {
    /// A visitor that comes back for a turn that is not near: the caller passes [`ConnectorError::paced`](crate::connector::ConnectorError::paced) on.
    pub(crate) const fn of(context: &StepContext<'a>) -> Self {
        Self { key: context.connection_id, now: context.now, patience: PATIENCE, shared_queue: context.shared_queue }
    }
}
