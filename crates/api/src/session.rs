//! Sync sessions (batches) and their events.

use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::error::SyncErrorCode;
use crate::mfa::MfaRequest;
use crate::open::{Id, Open};
use crate::status::{SessionStatus, SyncStatus};
use crate::text_enum::text_enum;
use crate::timestamp::Timestamp;

/// A sync session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Identifier.
    pub batch_id: Id,
    /// The status of the whole session.
    pub status: Open<SessionStatus>,
    /// When it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Open<Timestamp>>,
    /// When the session last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Open<Timestamp>>,
    /// When the last retailer finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Open<Timestamp>>,
    /// The retailers' parts.
    #[serde(default)]
    pub retailer_sync_sessions: Vec<RetailerSyncSession>,
    /// The events so far, oldest first.
    #[serde(default)]
    pub events: Vec<Event>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// One retailer's part in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetailerSyncSession {
    /// The retailer's number.
    pub retailer_id: i64,
    /// The retailer's name.
    pub display_name: Option<String>,
    /// The connection being synced.
    pub connection_id: Option<Id>,
    /// Its status.
    pub sync_status: Open<SyncStatus>,
    /// Line items seen so far, including those known from earlier syncs.
    pub items_found: Option<u64>,
    /// Line items stored for the first time.
    pub items_new: Option<u64>,
    /// Orders of earlier syncs that are different now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders_changed: Option<u64>,
    /// Line items whose order has figures that do not agree with each other (`mismatch`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items_marked: Option<u64>,
    /// Orders that were not stored because the retailer's pages contradict themselves about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders_kept_back: Option<u64>,
    /// Orders without a line item, such as cancelled ones, which no list of line items shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders_without_items: Option<u64>,
    /// Orders of earlier syncs that the retailer no longer lists, as this sync was the first to find.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders_missing: Option<u64>,
    /// Line items of earlier syncs whose name is another one at the retailer now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items_renamed: Option<u64>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<SyncError>,
    /// When it left the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Open<Timestamp>>,
    /// When it last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Open<Timestamp>>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Why a retailer's part in a session failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncError {
    /// The kind of failure.
    pub code: Open<SyncErrorCode>,
    /// What happened, for a person.
    #[serde(default)]
    pub message: String,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

text_enum! {
    /// The kind of an event.
    pub enum EventType {
        /// A retailer's status changed.
        Status = "status",
        /// A retailer asks for MFA.
        Mfa = "mfa",
        /// A retailer's part failed.
        Error = "error",
    }
}

/// An event in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Position among the session's events, from 1, without gaps.
    #[serde(default)]
    pub seq: u64,
    /// When it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Open<Timestamp>>,
    /// Its kind.
    #[serde(rename = "type")]
    pub event_type: Open<EventType>,
    /// The connection that it concerns.
    pub connection_id: Option<Id>,
    /// The retailer that it concerns.
    pub retailer_id: Option<i64>,
    /// The new status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_status: Option<Open<SyncStatus>>,
    /// A description for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The MFA request's identifier, sent back as `reqId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub req_id: Option<Id>,
    /// The retailer's MFA request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mfa: Option<MfaRequest>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Session {
    /// The newest MFA request of a retailer whose part is waiting for the answer.
    pub fn open_mfa(&self, retailer: &RetailerSyncSession) -> Option<(&Id, &MfaRequest)> {
        if !retailer.sync_status.is(&SyncStatus::UserIntervention) {
            return None;
        }
        self.events
            .iter()
            .rev()
            .filter(|event| match (&event.connection_id, &retailer.connection_id) {
                (Some(of_event), Some(of_retailer)) => of_event == of_retailer,
                _ => event.retailer_id == Some(retailer.retailer_id),
            })
            .find_map(|event| Some((event.req_id.as_ref()?, event.mfa.as_ref()?)))
    }
}
