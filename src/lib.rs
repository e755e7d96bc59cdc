//! The command line of the Retailer Order Sync Service, with the whole service inside.
//!
//! Imports run downwards: `commands` use `cli`, which uses `follow`, `export` and `summary`, and these `context`, `client`,
//! `output` and `error`. The whole list is in `xtask/src/floors/mod.rs`, and a test keeps it.

mod access;
pub mod atomic_file;
pub mod auth;
pub mod cli;
pub mod client;
pub mod clock;
pub mod codes;
pub mod commands;
pub mod complete;
pub mod config;
pub mod context;
pub mod env;
pub mod error;
pub mod exit;
pub mod export;
pub mod flags;
pub mod follow;
pub mod hint;
// One fuzzer for both: the service's.
#[cfg(test)]
#[path = "../crates/service/src/fuzzing.rs"]
mod fuzzing;
pub mod local;
pub mod names;
pub mod net;
pub mod output;
pub mod policy;
pub mod prompt;
mod run;
pub mod secret_file;
pub mod shell;
pub mod signals;
pub mod similar;
pub mod summary;
pub mod values;

pub use run::run;
