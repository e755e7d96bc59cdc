//! Orders and their line items: how they are stored, listed, and removed.

pub(in crate::store) mod adjustments;
pub(in crate::store) mod counts;
pub(crate) mod documents;
mod elsewhere;
pub(crate) mod import;
pub(in crate::store) mod ingest;
pub(in crate::store) mod kept_back;
pub(in crate::store) mod lines;
pub(crate) mod list;
pub(in crate::store) mod missing;
pub(crate) mod own;
pub(in crate::store) mod owner;
pub(in crate::store) mod positions;
pub(crate) mod removal;
pub(in crate::store) mod renumbered;
