//! Whether what is stored of a connection is all that its retailer has, and if not, why.

use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::open::{Id, Open};
use crate::text_enum::text_enum;
use crate::timestamp::Timestamp;

/// Orders that were kept back are listed up to so many.
pub const LISTED_ORDERS: usize = 20;

/// What the service knows about the completeness of a connection's orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completeness {
    /// Whether the last sync that ended read everything, and the connection works.
    pub complete: bool,
    /// Since when it is not: the first moment after the last complete sync; if there was none, when it was connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete_since: Option<Open<Timestamp>>,
    /// Why it is not, the most telling reason first; empty if it is.
    #[serde(default)]
    pub reasons: Vec<Incompleteness>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

text_enum! {
    /// Why a connection is not complete.
    pub enum IncompleteReason {
        /// The retailer does not accept the sign-in any more.
        ConnectionInvalid = "connection_invalid",
        /// Orders failed a check, and were not stored or not brought up to date.
        OrdersKeptBack = "orders_kept_back",
        /// The last sync that ended did not complete.
        SyncFailed = "sync_failed",
        /// The list of orders was read, but nothing proves that it was read to its end.
        EndNotProven = "end_not_proven",
        /// An import of a file began, and was not finished.
        ImportUnfinished = "import_unfinished",
        /// No sync has ever completed.
        NeverCompleted = "never_completed",
    }
}

/// A reason why a connection is not complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Incompleteness {
    /// The kind of reason.
    pub reason: Open<IncompleteReason>,
    /// The error code of the sync, or why the connection is invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What is missing, in a sentence for a person.
    #[serde(default)]
    pub message: String,
    /// When the sync ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Open<Timestamp>>,
    /// The sync's session, which may be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<Id>,
    /// How many orders were kept back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders_kept_back: Option<u64>,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<KeptBackOrder>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// An order that failed a check. What was stored of it before, if anything, is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptBackOrder {
    /// The retailer's own number of the order.
    pub order_id: Id,
    /// Which check failed, and how.
    #[serde(default)]
    pub reason: String,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Orders that a message names, at most.
const NAMED: usize = 3;

/// Names the first of so many orders: `A-1, A-2, A-3 and 4 more`.
pub fn name_orders<'a>(orders: impl IntoIterator<Item = &'a str>, all: u64) -> String {
    let named: Vec<&str> = orders.into_iter().take(NAMED).collect();
    match all.saturating_sub(named.len() as u64) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
