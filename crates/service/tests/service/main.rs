//! The service from outside: started for real, on a database file of its own, and asked over HTTP.

#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod account;
mod adjustments;
mod backend;
mod clock;
mod completeness;
mod contract;
mod documents;
mod engine;
mod environments;
mod failures;
mod fixes;
mod following;
mod front;
mod fuzz;
#[path = "../../src/fuzzing.rs"]
mod fuzzing;
mod harness;
mod idempotency;
mod imports;
mod isolation;
mod links;
mod mfa;
mod orders;
mod own_orders;
mod pages;
mod query;
mod removal;
mod requests;
mod root_keys;
mod sandbox;
mod sealing;
