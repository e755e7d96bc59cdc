//! The whole Retailer Order Sync Service: the HTTP interface, the sync engine, the store and the connectors.
//!
//! [`Service::start`] runs it on a listener until [`Service::stop`]. Nothing in here knows of the command line; the
//! contract that both share is `ordersync-api`.

pub mod clock;
pub mod config;
pub mod connector;
