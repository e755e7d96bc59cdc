//! The command line of the Retailer Order Sync Service, with the whole service inside.
//!
//! Imports run downwards: `commands` use `cli`, which uses `follow`, `export` and `summary`, and these `context`, `client`,
//! `output` and `errors`. The whole list is in `xtask/src/floors/mod.rs`, and a test keeps it.

mod auth;
mod cli;
mod client;
mod clock;
mod commands;
mod complete;
mod config;
mod context;
mod env;
mod errors;
mod export;
mod files;
mod flags;
mod follow;
mod input;
// One fuzzer for both: the service's.
#[cfg(test)]
#[path = "../crates/service/src/fuzzing.rs"]
mod fuzzing;
mod local;
mod names;
mod net;
mod output;
mod policy;
mod prompt;
mod run;
mod shell;
mod signals;
mod summary;
mod time_zone;
mod values;

pub use errors::codes;
pub use run::run;

/// What the reference documentation, the man pages and the completions are made from.
pub mod reference {
    pub use ordersync_service::SIMULATED_USERS;

    pub use crate::cli::{command, with_own_options};
    pub use crate::client::endpoints::TABLE as OPERATIONS;
    pub use crate::config::keys;
    pub use crate::env::ALL as VARIABLES;
    pub use crate::errors::Exit;
}
