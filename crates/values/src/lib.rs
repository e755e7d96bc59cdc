//! Values as people and shops write them: amounts, currencies, numbers and dates in the languages that are read.
//!
//! Nothing is guessed: a text that has no reading, or two, is an error of whoever reads it.

pub mod amount;
pub mod currency;
pub mod dates;
pub mod locale;
