//! Pure rules of the service: no I/O, no clock.

pub(crate) mod bounds;
pub(crate) mod completeness;
pub(crate) mod imported;
pub(crate) mod line;
pub(crate) mod matching;
pub(crate) mod merge;
pub(crate) mod order;
pub(crate) mod phone;
pub(crate) mod rendered;
