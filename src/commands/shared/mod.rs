//! What several commands have in common. Nothing here names a command.

pub(super) mod active_sessions;
pub(super) mod added_shop;
pub(super) mod back_end;
pub(super) mod broken_shops;
pub(super) mod busy;
pub(super) mod completeness;
pub(super) mod confirm;
pub(super) mod connect_flow;
mod cookies;
pub(super) mod credentials;
pub(super) mod diagnostics;
pub(super) mod display_name;
pub(super) mod removed_shop;
pub(super) mod resolve;
pub(super) mod resolve_session;
pub(super) mod run_sync;
pub(super) mod skipped;
pub(super) mod sync_report;
