//! What every surface of the service shares: the gate in front of the routes, the caller's identity, extractors, and
//! how a failure becomes a response. It depends on none of the surfaces.

pub(crate) mod address;
mod arriving;
mod basic;
pub(crate) mod body;
pub(crate) mod chunks;
pub(crate) mod conditional;
pub(crate) mod extract;
pub(crate) mod fields;
pub(crate) mod gate;
mod host;
pub(crate) mod idempotency;
pub(crate) mod identity;
mod limit;
pub(crate) mod linked;
pub(crate) mod lost;
mod paced;
pub(crate) mod problem;
mod query;
pub(crate) mod removal;
pub(crate) mod route;
pub(crate) mod scoped;
mod server;
mod sockets;
pub(crate) mod tls;

pub(crate) use basic::{Shown, basic_credentials};
pub(crate) use problem::Problem;
pub(crate) use server::Server;
pub(crate) use sockets::SocketLimits;
pub(crate) use tls::TlsError;
