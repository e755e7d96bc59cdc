//! Values as people and shops write them: amounts, currencies, numbers, dates and time zones in the languages that are read.
//!
//! Nothing is guessed: a text that has no reading, or two, has no value.

pub mod amount;
pub mod cookie_file;
pub mod currency;
pub mod dates;
pub mod locale;
pub mod zone;
