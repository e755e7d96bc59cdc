//! The contract of the Retailer Order Sync Service, as types: what travels over the wire, the states and their legal
//! transitions, the error codes, the sealing of credentials. No I/O happens here.
//!
//! The rule that holds throughout: tolerant in reading (unknown fields are kept, unknown values carried as text),
//! exact in writing. Orders that are sent to be stored are read exactly ([`strict`]). Both the service and the command line use this
//! crate, and neither imports the other's types.

pub mod charged;
pub mod completeness;
pub mod connection;
pub mod document;
pub mod error;
pub mod exact;
pub mod hex;
pub mod import;
pub mod list;
pub mod look;
pub mod mfa;
pub mod open;
pub mod order;
pub mod profile;
pub mod retailer;
pub mod sandbox;
pub mod scope;
pub mod seal;
pub mod session;
pub mod share;
pub mod status;
pub mod strict;
mod text_enum;
pub mod timestamp;
pub mod totp;
pub mod trace_context;

pub use completeness::{Completeness, IncompleteReason, Incompleteness, KeptBackOrder};
pub use connection::{
    ConnectMode, ConnectRequest, Connection, ConnectionCompleteness, FixRequest, ListCompleteness, SyncStarted,
    SyncStartedStatus,
};
pub use document::{DocumentsRequest, DocumentsResult, NewDocument, OrderDocument};
pub use error::{ErrorBody, ErrorCode, SyncErrorCode};
pub use import::{
    Contradiction, ImportRequest, ImportResult, ImportedItem, ImportedOrder, OrderElsewhere, OrderLeftOut,
};
pub use list::List;
pub use mfa::{MfaEventType, MfaRequest, MfaSubmission};
pub use open::{Id, Open};
pub use order::{Adjustment, AdjustmentType, DatePrecision, Mismatch, OrderItem, Shipment, ShipmentStatus};
pub use profile::Profile;
pub use retailer::{CredentialField, Retailer};
pub use scope::Scope;
pub use session::{Event, EventType, RetailerSyncSession, Session, SyncError};
pub use status::{ConnectionStatus, SessionStatus, SyncStatus};
pub use timestamp::Timestamp;
pub use totp::Totp;
pub use trace_context::TraceContext;

/// Fields that this version of the contract does not know: kept as received, written back as they were.
pub type Extra = serde_json::Map<String, serde_json::Value>;
