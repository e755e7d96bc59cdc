//! Sync sessions: how they start, wait in the queue, go on and end.

pub(in crate::store) mod challenge;
pub(in crate::store) mod clock_set_back;
pub(crate) mod finish;
pub(crate) mod lease;
pub(crate) mod mfa;
pub(crate) mod queue;
pub(crate) mod sent_forms;
pub(crate) mod sessions;
pub(crate) mod start;
pub(crate) mod state;
pub(crate) mod steps;
