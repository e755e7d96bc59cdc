//! Connections of a user to retailers, and the requests that create, repair and sync them.

use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::completeness::Completeness;
use crate::open::{Id, Open};
use crate::status::ConnectionStatus;
use crate::text_enum::text_enum;
use crate::timestamp::Timestamp;

/// The `statusReason` of a connection without an account: its orders come from files, and no sync fetches them.
pub const IMPORT_ONLY: &str = "import_only";

/// One user's link to one retailer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// Identifier.
    pub connection_id: Id,
    /// The retailer's number.
    pub retailer_id: i64,
    /// The retailer's name.
    pub display_name: Option<String>,
    /// Its status: pending, valid or invalid.
    pub status: Open<ConnectionStatus>,
    /// Why it is broken: an error code of the last sync.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Open<Timestamp>>,
    /// When a sync last completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_sync_at: Option<Open<Timestamp>>,
    /// The session that synced it last, or is syncing it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_batch_id: Option<Id>,
    /// Whether what is stored of it is all that the retailer has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completeness: Option<Completeness>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Connection {
    /// Whether it has no account to sync.
    pub fn is_import_only(&self) -> bool {
        self.status_reason.as_deref() == Some(IMPORT_ONLY)
    }
}

text_enum! {
    /// The purpose of a connect request.
    pub enum ConnectMode {
        /// A new connection.
        Connect = "CONNECT",
        /// Repair of a broken connection.
        Fix = "FIX",
    }
}

/// Body of `POST /sync/connections/connect`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectRequest {
    /// Retailer to connect, from the catalog.
    pub retailer_id: i64,
    /// Credentials, sealed with the token from the TOTP endpoint: see [`crate::seal`].
    pub connection_info: String,
    /// Timestamp returned by the TOTP endpoint.
    pub current_stamp: String,
    /// New connection, or repair of a broken one.
    pub mode: ConnectMode,
}

/// Body of `PUT /sync/connections/{connectionId}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FixRequest {
    /// Credentials, sealed with the token from the TOTP endpoint: see [`crate::seal`].
    pub connection_info: String,
    /// Timestamp returned by the TOTP endpoint.
    pub current_stamp: String,
}

text_enum! {
    /// The outcome of an attempt to start a sync.
    pub enum SyncStartedStatus {
        /// A session is running.
        Syncing = "syncing",
        /// There is no valid connection to sync.
        NoRetailers = "no_retailers",
    }
}

/// Answer to connect, fix and every other way to start a sync.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncStarted {
    /// The session to follow; absent if there was nothing to sync.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<Id>,
    /// Whether a session is running.
    pub status: Open<SyncStartedStatus>,
    /// The connection, if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_id: Option<Id>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Answer to `GET /sync/completeness`: whether what `GET /sync/orders` lists is complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListCompleteness {
    /// Whether every connection is.
    pub complete: bool,
    /// The connections whose items are listed, complete or not, oldest first.
    #[serde(default)]
    pub connections: Vec<ConnectionCompleteness>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A connection whose items are listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionCompleteness {
    /// Identifier.
    pub connection_id: Id,
    /// The retailer's number.
    pub retailer_id: i64,
    /// The retailer's name.
    pub display_name: Option<String>,
    /// Its status: pending, valid or invalid.
    pub status: Open<ConnectionStatus>,
    /// Whether its orders are complete.
    pub completeness: Completeness,
    /// How many of its stored orders have `mismatch`: figures that do not agree with each other.
    #[serde(default)]
    pub orders_with_mismatch: u64,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ListCompleteness {
    /// Lists the completeness of connections, each with its number of orders that have `mismatch`. A connection without a
    /// statement counts as incomplete.
    pub fn of(connections: impl IntoIterator<Item = (Connection, u64)>) -> Self {
        let connections: Vec<ConnectionCompleteness> = connections
            .into_iter()
            .map(|(connection, orders_with_mismatch)| ConnectionCompleteness {
                orders_with_mismatch,
                ..connection.into()
            })
            .collect();
        let complete = connections.iter().all(|connection| connection.completeness.complete);
        Self { complete, connections, extra: Extra::new() }
    }
}

impl From<Connection> for ConnectionCompleteness {
    fn from(connection: Connection) -> Self {
        Self {
            connection_id: connection.connection_id,
            retailer_id: connection.retailer_id,
            display_name: connection.display_name,
            status: connection.status,
            completeness: connection.completeness.unwrap_or_else(|| Completeness {
                complete: false,
                incomplete_since: None,
                reasons: Vec::new(),
                extra: Extra::new(),
            }),
            orders_with_mismatch: 0,
            extra: Extra::new(),
        }
    }
}
