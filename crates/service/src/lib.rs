//! The whole Retailer Order Sync Service: the HTTP interface, the sync engine, the store and the connectors.
//!
//! [`Service::start`] runs it on a listener until [`Service::stop`]. Nothing in this crate depends on the command line;
//! the contract that both share is `ordersync-api`.

pub mod admin;
mod app;
mod authorization;
mod backoff;
mod catalog;
mod clock;
pub mod config;
mod connector;
mod counters;
pub mod database;
mod delivery;
mod domain;
mod environment;
#[cfg(test)]
mod fuzzing;
mod http;
mod ids;
mod interface;
mod keys;
mod known_clients;
mod limits;
mod links;
mod oauth;
mod own_hosts;
pub mod private_file;
mod reload;
mod retention;
mod router;
mod sealing;
mod seed;
mod service;
mod signin;
pub mod small_file;
mod store;
mod sync;
pub mod telemetry;
mod token;
pub mod traces;
mod web;

pub use crate::seed::SeedError;
pub use clock::SystemClock;
pub use connector::recipe::{Draft, DraftError, DraftRequest, draft_recipe};
pub use connector::recognize::{BadShopAddress, look};
pub use connector::retailers_file::{
    BrokenRetailer, Configured as ConfiguredRetailers, ConfiguredRetailer, MAX_BYTES as MAX_RETAILERS_FILE,
    RetailersFileError, load as load_retailers, parse as parse_retailers,
};
pub use connector::simulated::{SCENARIOS as SIMULATED_USERS, retailers as simulated_retailers};
pub use connector::trial::{
    AnswersChallenge, BadPages, SavedFile, Trial, TrialShop, TriedCheck, TriedItem, TriedList, TriedOrder, UnsafePages,
};
pub use domain::phone::is_e164 as is_phone_number;
pub use http::route::Query;
pub use keys::{Keys, SANDBOX_SECRET_PREFIX};
pub use router::routes;
pub use service::{Service, StartError};
pub use store::accounts::clients::Client;
pub use store::schema::inspect::{Contents, Health, UnfinishedSync, inspect};
pub use store::schema::inspect_postgres::{ServerHealth, inspect_server};
pub use store::{StoreError, StoreTrouble, Version};
