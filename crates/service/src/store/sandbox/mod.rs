//! What only a sandbox has.

pub(crate) mod control;
pub(crate) mod failures;
pub(crate) mod seed;
