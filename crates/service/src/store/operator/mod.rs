//! What only the operator of the service may see and do: syncs of all users, a user's data as a whole, and the store itself.

pub(crate) mod backup;
pub(crate) mod copy;
pub(crate) mod pauses;
pub(in crate::store) mod positions;
pub(in crate::store) mod prune;
pub(crate) mod reseal;
pub(crate) mod syncs;
pub(crate) mod user_data;
pub(crate) mod user_export;
pub(crate) mod user_import;
pub(crate) mod user_tables;
