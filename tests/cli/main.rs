//! The built binary from outside: as a user would type it, in an empty home folder.

mod failures;
mod help;
mod main_job;
mod peers;
mod serve;
mod support;
#[cfg(unix)]
mod terminal;
