//! The result of a sync as JSON: one document, however many sessions there are, with what was skipped.

use ordersync_api::{Session, SyncStartedStatus};
use serde_json::{Value, json};

use super::batch::Batch;
use crate::commands::shared::skipped::Skipped;

/// The result of sessions that have ended: one session with every retailer's part. What is of another session than the first
/// one names it.
pub(super) fn ended(sessions: &[Session], batches: &[Batch], skipped: Option<&[Skipped]>) -> Value {
    let mut sessions = sessions.iter().map(|session| json!(session));
    let Some(mut document) = sessions.next() else { return with_skipped(begun(batches), skipped) };
    for mut session in sessions {
        let batch = session["batchId"].take();
        for list in ["retailerSyncSessions", "events"] {
            let mut items = session[list].take();
            let items = items.as_array_mut().map(std::mem::take).unwrap_or_default().into_iter().map(|mut item| {
                item["batchId"] = batch.clone();
                item
            });
            if let Some(all) = document[list].as_array_mut() {
                all.extend(items);
            }
        }
    }
    with_skipped(document, skipped)
}

/// The result of sessions that are left to themselves: each is in `started`.
pub(super) fn started(batches: &[Batch], skipped: Option<&[Skipped]>) -> Value {
    let mut document = begun(batches);
    document["started"] = batches.iter().map(|batch| json!(batch.started)).collect();
    with_skipped(document, skipped)
}

fn begun(batches: &[Batch]) -> Value {
    match batches {
        [] => json!({ "status": SyncStartedStatus::NoRetailers }),
        [only] => json!(only.started),
        [first, ..] => {
            let ids: Vec<_> = batches.iter().map(|batch| &batch.id).collect();
            json!({ "status": SyncStartedStatus::Syncing, "batchId": first.id, "batchIds": ids })
        }
    }
}

fn with_skipped(mut document: Value, skipped: Option<&[Skipped]>) -> Value {
    document["skipped"] = json!(skipped);
    document
}
