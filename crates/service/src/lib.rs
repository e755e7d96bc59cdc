//! The whole Retailer Order Sync Service: the HTTP interface, the sync engine, the store and the connectors.
//!
//! [`Service::start`] runs it on a listener until [`Service::stop`]. Nothing in here knows of the command line; the
//! contract that both share is `ordersync-api`.

pub mod admin;
mod app;
mod authorization;
mod backoff;
pub mod catalog;
pub mod clock;
pub mod config;
pub mod connector;
mod counters;
pub mod delivery;
pub mod domain;
pub mod environment;
#[cfg(test)]
mod fuzzing;
pub mod http;
pub mod ids;
mod interface;
pub mod keys;
mod known_clients;
mod limits;
mod links;
mod oauth;
mod own_hosts;
pub mod private_file;
mod reload;
mod retention;
pub mod router;
mod sealing;
mod service;
mod signin;
pub mod store;
pub mod sync;
pub mod telemetry;
mod token;
mod web;

pub use service::{Service, StartError};
