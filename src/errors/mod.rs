//! What goes wrong, in words: the error that travels to the one place that prints it, its code, exit code and hints, and
//! what a mistyped command line and a failed connection mean. An answer that is an error becomes one in
//! `client/api_error.rs`; `cli/advised.rs` fits its hints to the command line that failed.

pub mod codes;
pub(crate) mod did_you_mean;
mod error;
mod exit;
mod hint;
pub(crate) mod suggestions;
pub(crate) mod transport;
pub(crate) mod usage;

pub(crate) use error::{Error, Result};
pub use exit::Exit;
pub(crate) use hint::{Advice, Hint, run, say};
