//! The whole Retailer Order Sync Service: the HTTP interface, the sync engine, the store and the connectors.
//!
//! [`Service::start`] runs it on a listener until [`Service::stop`]. Nothing in here knows of the command line; the
//! contract that both share is `ordersync-api`.

pub mod admin;
mod backoff;
pub mod catalog;
pub mod clock;
pub mod config;
pub mod connector;
pub mod domain;
#[cfg(test)]
mod fuzzing;
pub mod http;
pub mod ids;
pub mod keys;
mod links;
pub mod oauth;
pub mod private_file;
mod reload;
mod retention;
mod service;
pub mod store;
pub mod sync;
pub mod telemetry;
mod web;

pub use service::{Service, StartError};
