//! Pure rules of the service: no I/O, no clock.

pub mod line;
pub mod rendered;
