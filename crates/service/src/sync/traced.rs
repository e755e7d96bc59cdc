//! The spans of a sync: its wait in the queue, its steps, what they write, its end, and all of it. They have ids, codes and counts.

use std::time::Duration;

use ordersync_api::{SyncErrorCode, SyncStatus};

use crate::store::StoreError;
use crate::store::syncs::finish::Figures;
use crate::store::syncs::queue::Claim;
use crate::traces::{Span, Value};

pub(super) type Attributes = Vec<(&'static str, Value)>;

/// How a step or a sync that failed ended.
pub(super) const FAILED: &str = "failed";

/// How a step ended, in a word; what it counted; the code of a failure.
pub(super) type Told = (&'static str, Attributes, Option<SyncErrorCode>);

/// The span of what is done next of a sync; `None` if it is not recorded.
pub(super) fn span(claim: &Claim) -> Option<Span> {
    Span::in_sync(claim.trace, &claim.id)
}

/// A part waited so long until it was taken out of the queue.
pub(super) fn queued(span: Span, claim: &Claim, waited: Duration) {
    span.end_after(waited, "sync.queued", of(claim), None);
}

/// Does something in the store as a span of the sync.
pub(super) async fn in_store<T>(
    claim: &Claim,
    name: &'static str,
    more: impl FnOnce() -> Attributes,
    work: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let Some(span) = span(claim) else { return work.await };
    let attributes = [of(claim), more()].concat();
    let done = work.await;
    span.end(name, attributes, done.is_err().then(|| "store".to_owned()));
    done
}

/// A step was taken.
pub(super) fn step(span: Span, claim: &Claim, status: SyncStatus, (outcome, counts, failed): Told) {
    let name = if status == SyncStatus::Connecting { "sync.sign_in" } else { "sync.read" };
    let attributes = [of(claim), vec![("ordersync.outcome", outcome.into())], counts].concat();
    span.end(name, attributes, failed.map(|code| code.as_str().to_owned()));
}

/// A whole sync has ended.
pub(super) fn whole(part_id: &str, ids: Attributes, figures: &Figures, code: Option<SyncErrorCode>) {
    let Some(span) = Span::of_sync(figures.trace, part_id) else { return };
    let number = |figure: u64| Value::from(i64::try_from(figure).unwrap_or(i64::MAX));
    let counts = vec![
        ("ordersync.outcome", if code.is_none() { "completed" } else { FAILED }.into()),
        ("ordersync.items_found", number(figures.items_found)),
        ("ordersync.items_new", number(figures.items_new)),
    ];
    span.end_after(figures.since_request, "sync", [ids, counts].concat(), code.map(|code| code.as_str().to_owned()));
}

fn of(claim: &Claim) -> Attributes {
    ids(&claim.batch_id, &claim.connection_id, claim.retailer_id)
}

pub(super) fn ids(batch_id: &str, connection_id: &str, retailer_id: i64) -> Attributes {
    vec![
        ("ordersync.batch_id", batch_id.to_owned().into()),
        ("ordersync.connection_id", connection_id.to_owned().into()),
        ("ordersync.retailer_id", retailer_id.into()),
    ]
}
