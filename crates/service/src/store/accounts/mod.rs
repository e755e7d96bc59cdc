//! Users, clients, connections, and who may see what.

pub(crate) mod account;
pub(crate) mod audit;
pub(crate) mod clients;
pub(crate) mod connections;
pub(crate) mod idempotency;
pub(crate) mod links;
pub(crate) mod oauth;
pub(crate) mod users;
