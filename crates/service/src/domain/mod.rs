//! Pure rules of the service: no I/O, no clock.

pub mod bounds;
pub mod line;
pub mod matching;
pub mod order;
pub mod rendered;
