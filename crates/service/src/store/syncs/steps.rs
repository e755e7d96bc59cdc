//! What steps of a sync change in the store. Each method is one transaction that first makes sure the claim still
//! holds; a lost claim changes nothing. The same statement renews the lease.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::{ConnectionStatus, SyncStatus};

use tokio::sync::SemaphorePermit;

use crate::clock::Clock;
use crate::connector::Page;
use crate::store::accounts::connections::set_status;
use crate::store::db::query;
use crate::store::orders::ingest;
use crate::store::syncs::lease::{Guarded, Held, check, commit};
use crate::store::syncs::queue::Claim;
use crate::store::syncs::sessions::{NewEvent, append_event};
use crate::store::syncs::state::SealedState;
use crate::store::{Store, StoreError, Write, micros, span};

/// Waits up to this are slept through under the claim; for longer ones the claim is given back.
pub(crate) const INLINE_WAIT: Duration = Duration::from_millis(250);
/// A page with more lines than this waits for its turn among such pages, so that small changes wait for one of them at most.
const BULK_LINES: usize = 100;
/// For so long the outcome of a step may wait for that of the next one, to be written with it. A step that uses the network
/// takes about as long; what is lost if the service dies is read again.
const WRITTEN_AFTER: Duration = Duration::from_millis(100);

/// What the driver does after a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum After {
    /// With the next step, under the same claim, after this wait.
    On(Duration),
    /// The claim was given back; the part is due later.
    Released,
    /// The claim did not hold: see [`Held::Fenced`].
    Fenced,
}

/// Changes of a part that the store does not have yet, in their order.
#[derive(Debug, Default)]
pub(crate) struct Unwritten {
    changes: Vec<Change>,
    /// Lines of their pages.
    lines: usize,
    /// Orders of their pages that are as they were.
    unchanged: usize,
    /// When the first of them came.
    since: Option<Instant>,
}

#[derive(Debug)]
struct Change {
    /// The machine's time.
    at: DateTime<Utc>,
    /// The part's state before it.
    from: SyncStatus,
    /// Whether the credentials were staged then.
    other_account: bool,
    what: What,
}

/// What changes.
#[derive(Debug)]
pub(crate) enum What {
    /// The part was taken out of the queue: it is connecting.
    Begun,
    /// Nothing but the connector's state.
    State,
    /// The sign-in worked. With the sealed session that the connector wants to keep.
    SignedIn(Option<Vec<u8>>),
    /// Orders were read.
    Page(Page),
}

impl Unwritten {
    pub(crate) const fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Adds a change, which came at this time of the machine's clock, of a part that was in this state, and whose credentials
    /// were staged or not.
    pub(crate) fn push(&mut self, (from, other_account): (SyncStatus, bool), at: DateTime<Utc>, what: What) {
        if let What::Page(page) = &what {
            self.lines += page.orders.iter().map(|order| order.items.len()).sum::<usize>();
            self.unchanged += page.unchanged.len();
        }
        self.since.get_or_insert_with(Instant::now);
        self.changes.push(Change { at, from, other_account, what });
    }

    /// How many lines they have.
    pub(crate) const fn lines(&self) -> usize {
        self.lines
    }

    fn has_pages(&self) -> bool {
        self.changes.iter().any(|change| matches!(change.what, What::Page(_)))
    }

    /// When they are to be written at the latest: many at once, so that the next step is taken meanwhile. `None`: there are none.
    pub(crate) fn due(&self) -> Option<Instant> {
        let wait = if self.lines + self.unchanged > BULK_LINES { Duration::ZERO } else { WRITTEN_AFTER };
        self.since.map(|since| since + wait)
    }
}

/// What the next step needs, and when it is due.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Next<'a> {
    /// The connector's; none before the first step.
    pub state: Option<&'a SealedState>,
    /// How long to wait before it.
    pub wait: Duration,
    /// How much of the phase is left after the wait; negative if the wait outlasts it.
    pub left: TimeDelta,
    /// How long the sync took so far.
    pub worked: Duration,
    /// Whether the claim is given back even if there is no wait.
    pub release: bool,
    /// Whether the wait stands still while the user's clock does.
    pub by_clock: bool,
}

/// When a step that made no progress is tried again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Again {
    /// How long to wait before it.
    pub wait: Duration,
    /// How much of the phase is left after the wait.
    pub left: Duration,
    /// How long the sync took so far.
    pub worked: Duration,
    /// Whether the step failed. False: it waits for the retailer's pace, which is no failure.
    pub failed: bool,
    /// How long the retailer asked to be left alone.
    pub asked: Option<Duration>,
}

impl Store {
    /// Leaves a part in the queue until then, in the user's time.
    pub(crate) async fn hold_back(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        until: DateTime<Utc>,
    ) -> Result<Held, StoreError> {
        let Some(Guarded { mut tx, .. }) = self.guarded(claim, clock).await? else { return Ok(Held::Fenced) };
        query("UPDATE retailer_sessions SET due_at = $1, lease_owner = NULL, lease_until = NULL WHERE id = $2")
            .bind_all((micros(until), &claim.id))
            .execute(&mut tx)
            .await?;
        commit(tx).await
    }

    /// Waits until so many lines may be written. The semaphore is never closed: without a turn they are stored all the same.
    pub(in crate::store) async fn turn_for(&self, lines: usize) -> Option<SemaphorePermit<'_>> {
        if lines > BULK_LINES { self.bulk.acquire().await.ok() } else { None }
    }

    /// Writes what has changed, and what the next step needs.
    pub(crate) async fn commit_steps(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        unwritten: &Unwritten,
        next: Next<'_>,
    ) -> Result<After, StoreError> {
        let _turn = self.turn_for(unwritten.lines).await;
        let Some(mut guarded) = self.guarded(claim, clock).await? else { return Ok(After::Fenced) };
        let (mut has_grown, mut events, mut started_at) = (false, Vec::new(), None);
        for change in &unwritten.changes {
            let at = guarded.user.time(change.at)?.min(guarded.now);
            let to = match &change.what {
                What::Begun => {
                    started_at = Some(at);
                    SyncStatus::Connecting
                }
                What::State => continue,
                What::SignedIn(session) => {
                    signed_in(&mut guarded.tx, claim, change, session.as_deref()).await?;
                    SyncStatus::Scanning
                }
                What::Page(page) => {
                    has_grown |= store_page(&mut guarded.tx, claim, change, page, at).await?;
                    continue;
                }
            };
            if change.from != to {
                check(change.from, to)?;
                events.push((to, at));
            }
        }
        let status = events.last().map(|(status, _)| *status);
        let after = set_next(&mut guarded, claim, next, status, started_at).await?;
        // The session last, as every change of a sync has it.
        for (status, at) in &events {
            append_event(&mut guarded.tx, &claim.batch_id, &claim.connection_id, *at, &NewEvent::of(*status)).await?;
        }
        if unwritten.has_pages() {
            query("UPDATE sessions SET updated_at = $1 WHERE id = $2")
                .bind_all((micros(guarded.now), &claim.batch_id))
                .execute(&mut guarded.tx)
                .await?;
        }
        guarded.tx.commit().await?;
        if has_grown {
            self.look_at_what_grows().await;
        }
        Ok(after)
    }

    /// The step came to nothing, and is due again later.
    pub(crate) async fn commit_again(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        again: Again,
    ) -> Result<After, StoreError> {
        let Some(guarded) = self.guarded(claim, clock).await? else { return Ok(After::Fenced) };
        // A retailer's pace is real time, however a sandbox moves the clock. If it stands still, no later moment comes, so the
        // wait has to be slept through.
        let inline = !again.failed && guarded.user.is_frozen();
        let (skipped, wait) =
            if again.failed || inline { guarded.catch_up(again.wait, false) } else { (Duration::ZERO, again.wait) };
        let Guarded { mut tx, now, .. } = guarded;
        let due_at = now + wait;
        query(
            "UPDATE retailer_sessions SET attempt = attempt + $1, due_at = $2, deadline_at = $3, behind = behind - $4,
                worked = $5, by_clock = 0, lease_owner = CASE WHEN $6 <> 0 THEN lease_owner END,
                lease_until = CASE WHEN $7 <> 0 THEN lease_until END
             WHERE id = $8",
        )
        .bind_all((
            i64::from(again.failed),
            micros(due_at),
            micros(due_at + again.left),
            span(skipped),
            span(again.worked),
            inline,
            inline,
            &claim.id,
        ))
        .execute(&mut tx)
        .await?;
        leave_alone(&mut tx, claim, now, again.asked).await?;
        tx.commit().await?;
        Ok(if inline { After::On(again.wait) } else { After::Released })
    }
}

/// The connection is valid, the scan begins. With staged credentials the connection stays as it is until the account is
/// verified.
async fn signed_in(tx: &mut Write, claim: &Claim, change: &Change, session: Option<&[u8]>) -> Result<(), StoreError> {
    if change.other_account {
        query("UPDATE retailer_sessions SET staged_session = COALESCE($1, staged_session) WHERE id = $2")
            .bind_all((session, &claim.id))
            .execute(&mut *tx)
            .await?;
    } else {
        set_status(tx, &claim.connection_id, ConnectionStatus::Valid, None).await?;
        remember(tx, claim, session).await?;
    }
    Ok(())
}

/// Stores a page of orders: each line once, however often the page comes. Staged credentials become the connection's.
/// Returns whether there are new lines.
async fn store_page(
    tx: &mut Write,
    claim: &Claim,
    change: &Change,
    page: &Page,
    at: DateTime<Utc>,
) -> Result<bool, StoreError> {
    if change.other_account {
        accept_account(tx, claim).await?;
    }
    let stored = ingest::store_page(tx, claim.destination(), at, page).await?;
    query(
        "UPDATE retailer_sessions SET items_found = items_found + $1, items_new = items_new + $2,
            items_marked = items_marked + $3, orders_kept_back = orders_kept_back + $4,
            items_renamed = items_renamed + $5, orders_without_items = orders_without_items + $6,
            orders_changed = orders_changed + $7 WHERE id = $8",
    )
    .bind_all((stored.found, stored.new, stored.marked, stored.kept_back, stored.renamed, stored.empty))
    .bind_all((stored.orders_changed, &claim.id))
    .execute(tx)
    .await?;
    Ok(stored.new > 0)
}

/// Says when the next step is due, and in which state the part is, if in another one. The part first catches up with a clock that a
/// sandbox moved: its waits are over then.
async fn set_next(
    guarded: &mut Guarded,
    claim: &Claim,
    next: Next<'_>,
    status: Option<SyncStatus>,
    started_at: Option<DateTime<Utc>>,
) -> Result<After, StoreError> {
    let (skipped, wait) = guarded.catch_up(next.wait, next.by_clock);
    let is_held = guarded.user.is_frozen() && !wait.is_zero();
    let release = next.release || wait > INLINE_WAIT || is_held;
    let due_at = guarded.now + wait;
    if let Some(state) = next.state {
        state.write_blocks(&mut guarded.tx, &claim.user_id, &claim.id).await?;
    }
    query(
        "UPDATE retailer_sessions SET state = $1, answer = NULL, attempt = 0, panics = 0, due_at = $2, deadline_at = $3,
            behind = behind - $4, worked = $5, updated_at = $6,
            lease_owner = CASE WHEN $7 <> 0 THEN NULL ELSE lease_owner END,
            lease_until = CASE WHEN $8 <> 0 THEN NULL ELSE lease_until END, by_clock = $9, state_blocks = $10,
            sync_status = COALESCE($11, sync_status), started_at = COALESCE($12, started_at)
         WHERE id = $13",
    )
    .bind_all((
        next.state.map(|state| &state.rest[..]),
        micros(due_at),
        micros(due_at + next.left),
        span(skipped),
        span(next.worked),
        micros(guarded.now),
        release,
        release,
        next.by_clock,
        next.state.map_or(0, SealedState::count),
        status.map(SyncStatus::as_str),
        started_at.map(micros),
        &claim.id,
    ))
    .execute(&mut guarded.tx)
    .await?;
    Ok(if release { After::Released } else { After::On(wait) })
}

/// Keeps what the connector wants to remember of a verified account.
pub(in crate::store) async fn remember(
    tx: &mut Write,
    claim: &Claim,
    session: Option<&[u8]>,
) -> Result<(), StoreError> {
    if let Some(session) = session {
        query("UPDATE connections SET session = $1 WHERE id = $2")
            .bind_all((session, &claim.connection_id))
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

/// The account of staged credentials is verified: they become the connection's.
pub(in crate::store) async fn accept_account(tx: &mut Write, claim: &Claim) -> Result<(), StoreError> {
    query(
        "UPDATE connections SET credentials = r.staged_credentials, session = r.staged_session
         FROM retailer_sessions r WHERE r.id = $1 AND connections.id = r.connection_id AND r.staged_credentials IS NOT NULL",
    )
    .bind(&claim.id)
    .execute(&mut *tx)
    .await?;
    query("UPDATE retailer_sessions SET staged_credentials = NULL, staged_session = NULL WHERE id = $1")
        .bind(&claim.id)
        .execute(&mut *tx)
        .await?;
    set_status(tx, &claim.connection_id, ConnectionStatus::Valid, None).await
}

/// Notes that the retailer asked to be left alone, so that later syncs know it.
pub(in crate::store) async fn leave_alone(
    tx: &mut Write,
    claim: &Claim,
    now: DateTime<Utc>,
    asked: Option<Duration>,
) -> Result<(), StoreError> {
    if let Some(asked) = asked {
        query("UPDATE connections SET not_before = $1 WHERE id = $2")
            .bind_all((micros(now + asked), &claim.connection_id))
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}
