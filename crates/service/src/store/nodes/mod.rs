//! What the nodes of a service agree on: whose store it is, its keys, its time, and limits that they share.

pub(crate) mod environment;
pub(crate) mod page_files;
pub(in crate::store) mod probe;
pub(crate) mod rate;
pub(crate) mod readiness;
pub(crate) mod retailer_queue;
pub(crate) mod root_keys;
pub(crate) mod shared_clock;
