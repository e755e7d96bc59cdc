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
    /// Global status.
    pub status: Open<SessionStatus>,
    /// When it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Open<Timestamp>>,
    /// When anything last happened in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Open<Timestamp>>,
    /// When the last retailer finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Open<Timestamp>>,
    /// The retailers' parts.
    #[serde(default)]
    pub retailer_sync_sessions: Vec<RetailerSyncSession>,
    /// What happened, oldest first.
    #[serde(default)]
    pub events: Vec<Event>,
    /// What else the service said.
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
    /// The connection that is synced.
    pub connection_id: Option<Id>,
    /// Its state.
    pub sync_status: Open<SyncStatus>,
    /// Line items seen so far, those known from earlier syncs included.
    pub items_found: Option<u64>,
    /// Line items stored for the first time.
    pub items_new: Option<u64>,
    /// Line items whose order shows figures that do not agree with each other (`mismatch`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items_marked: Option<u64>,
    /// Orders that were not stored because the retailer's pages contradict themselves about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders_kept_back: Option<u64>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<SyncError>,
    /// When it left the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Open<Timestamp>>,
    /// When anything last happened in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Open<Timestamp>>,
    /// What else the service said.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Why a retailer's part in a session failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncError {
    /// What kind of failure.
    pub code: Open<SyncErrorCode>,
    /// What happened, for a person.
    #[serde(default)]
    pub message: String,
    /// What else the service said.
    #[serde(flatten)]
    pub extra: Extra,
}

text_enum! {
    /// What an event tells.
    pub enum EventType {
        /// A retailer's status changed.
        Status = "status",
        /// A retailer asks for MFA.
        Mfa = "mfa",
        /// A retailer's part failed.
        Error = "error",
    }
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Position among the session's events, from 1, without gaps.
    #[serde(default)]
    pub seq: u64,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Open<Timestamp>>,
    /// What it tells.
    #[serde(rename = "type")]
    pub event_type: Open<EventType>,
    /// The connection that it is about.
    pub connection_id: Option<Id>,
    /// The retailer that it is about.
    pub retailer_id: Option<i64>,
    /// The status that was reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_status: Option<Open<SyncStatus>>,
    /// For a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The MFA request's identifier, sent back as `reqId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub req_id: Option<Id>,
    /// What the retailer asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mfa: Option<MfaRequest>,
    /// What else the service said.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Session {
    /// The newest MFA request of a retailer that waits for an answer to it.
    #[must_use]
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
