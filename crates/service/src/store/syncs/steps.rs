//! What a step of a sync changes in the store. Each method is one transaction that first makes sure the claim still
//! holds; a lost claim changes nothing. The same statement renews the lease.

use std::time::Duration;

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

/// What the next step needs, and when it is due.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Next<'a> {
    /// The connector's.
    pub state: &'a SealedState,
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
    /// Takes a part out of the queue: from here on it is connecting, for at most `limit`.
    pub(crate) async fn begin_part(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        limit: Duration,
    ) -> Result<Held, StoreError> {
        let Some(Guarded { mut tx, now, .. }) = self.guarded(claim, clock).await? else { return Ok(Held::Fenced) };
        step(&mut tx, claim, SyncStatus::Queued, SyncStatus::Connecting, now).await?;
        query("UPDATE retailer_sessions SET started_at = $1, due_at = $1, deadline_at = $2 WHERE id = $3")
            .bind(micros(now))
            .bind(micros(now + limit))
            .bind(&claim.id)
            .execute(&mut tx)
            .await?;
        commit(tx).await
    }

    /// Leaves a part in the queue until then, in the user's time.
    pub(crate) async fn hold_back(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        until: DateTime<Utc>,
    ) -> Result<Held, StoreError> {
        let Some(Guarded { mut tx, .. }) = self.guarded(claim, clock).await? else { return Ok(Held::Fenced) };
        query("UPDATE retailer_sessions SET due_at = $1, lease_owner = NULL, lease_until = NULL WHERE id = $2")
            .bind(micros(until))
            .bind(&claim.id)
            .execute(&mut tx)
            .await?;
        commit(tx).await
    }

    /// Nothing but the connector's state changed.
    pub(crate) async fn commit_state(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        next: Next<'_>,
    ) -> Result<After, StoreError> {
        let Some(mut guarded) = self.guarded(claim, clock).await? else { return Ok(After::Fenced) };
        let after = set_next(&mut guarded, claim, next).await?;
        guarded.tx.commit().await?;
        Ok(after)
    }

    /// The sign-in worked: the connection is valid, the scan begins. With staged credentials the connection stays as it is
    /// until the account is verified.
    pub(crate) async fn commit_signed_in(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        session: Option<&[u8]>,
        next: Next<'_>,
    ) -> Result<After, StoreError> {
        let Some(mut guarded) = self.guarded(claim, clock).await? else { return Ok(After::Fenced) };
        if !claim.other_account {
            set_status(&mut guarded.tx, &claim.connection_id, ConnectionStatus::Valid, None).await?;
        }
        remember(&mut guarded.tx, claim, session).await?;
        if claim.status != SyncStatus::Scanning {
            step(&mut guarded.tx, claim, claim.status, SyncStatus::Scanning, guarded.now).await?;
        }
        let after = set_next(&mut guarded, claim, next).await?;
        guarded.tx.commit().await?;
        Ok(after)
    }

    /// Waits until so many lines may be written. The semaphore is never closed: without a turn they are stored all the same.
    pub(in crate::store) async fn turn_for(&self, lines: usize) -> Option<SemaphorePermit<'_>> {
        if lines > BULK_LINES { self.bulk.acquire().await.ok() } else { None }
    }

    /// Stores a page of orders: each line once, however often the page comes. Staged credentials become the connection's.
    pub(crate) async fn commit_page(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        page: &Page,
        next: Next<'_>,
    ) -> Result<After, StoreError> {
        let lines: usize = page.orders.iter().map(|order| order.items.len()).sum();
        let _turn = self.turn_for(lines).await;
        let Some(mut guarded) = self.guarded(claim, clock).await? else { return Ok(After::Fenced) };
        let now = guarded.now;
        accept_account(&mut guarded.tx, claim).await?;
        let stored = ingest::store_page(&mut guarded.tx, claim.destination(), now, page).await?;
        query(
            "UPDATE retailer_sessions SET items_found = items_found + $1, items_new = items_new + $2,
                items_marked = items_marked + $3, orders_kept_back = orders_kept_back + $4,
                items_renamed = items_renamed + $5, orders_without_items = orders_without_items + $6 WHERE id = $7",
        )
        .bind(stored.found)
        .bind(stored.new)
        .bind(stored.marked)
        .bind(stored.kept_back)
        .bind(stored.renamed)
        .bind(stored.empty)
        .bind(&claim.id)
        .execute(&mut guarded.tx)
        .await?;
        let after = set_next(&mut guarded, claim, next).await?;
        query("UPDATE sessions SET updated_at = $1 WHERE id = $2")
            .bind(micros(now))
            .bind(&claim.batch_id)
            .execute(&mut guarded.tx)
            .await?;
        guarded.tx.commit().await?;
        if stored.new > 0 {
            self.look_at_what_grows().await;
        }
        Ok(after)
    }

    /// Everything was read: what is left is processing. `end_not_proven`: of the list of orders.
    pub(crate) async fn commit_scanned(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        session: Option<&[u8]>,
        end_not_proven: bool,
    ) -> Result<Held, StoreError> {
        let Some(Guarded { mut tx, now, .. }) = self.guarded(claim, clock).await? else { return Ok(Held::Fenced) };
        accept_account(&mut tx, claim).await?;
        remember_verified(&mut tx, claim, session).await?;
        step(&mut tx, claim, claim.status, SyncStatus::Processing, now).await?;
        query(
            "UPDATE retailer_sessions SET state = NULL, state_blocks = 0, answer = NULL, deadline_at = NULL, panics = 0
             WHERE id = $1",
        )
        .bind(&claim.id)
        .execute(&mut tx)
        .await?;
        query("UPDATE connections SET end_not_proven = $1 WHERE id = $2")
            .bind(end_not_proven)
            .bind(&claim.connection_id)
            .execute(&mut tx)
            .await?;
        commit(tx).await
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
        let inline = !again.failed && guarded.is_frozen;
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
        .bind(i64::from(again.failed))
        .bind(micros(due_at))
        .bind(micros(due_at + again.left))
        .bind(span(skipped))
        .bind(span(again.worked))
        .bind(inline)
        .bind(inline)
        .bind(&claim.id)
        .execute(&mut tx)
        .await?;
        leave_alone(&mut tx, claim, now, again.asked).await?;
        tx.commit().await?;
        Ok(if inline { After::On(again.wait) } else { After::Released })
    }
}

/// A step between states that are not final, with its event.
async fn step(
    tx: &mut Write,
    claim: &Claim,
    from: SyncStatus,
    to: SyncStatus,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    check(from, to)?;
    query("UPDATE retailer_sessions SET sync_status = $1, updated_at = $2 WHERE id = $3")
        .bind(to.as_str())
        .bind(micros(now))
        .bind(&claim.id)
        .execute(&mut *tx)
        .await?;
    let event = NewEvent { sync_status: Some(to), ..NewEvent::default() };
    append_event(tx, &claim.batch_id, &claim.connection_id, now, &event).await
}

/// Says when the next step is due. The part first catches up with a clock that a sandbox moved: its waits are over then.
async fn set_next(guarded: &mut Guarded, claim: &Claim, next: Next<'_>) -> Result<After, StoreError> {
    let (skipped, wait) = guarded.catch_up(next.wait, next.by_clock);
    let is_held = guarded.is_frozen && !wait.is_zero();
    let release = next.release || wait > INLINE_WAIT || is_held;
    let due_at = guarded.now + wait;
    next.state.write_blocks(&mut guarded.tx, &claim.user_id, &claim.id).await?;
    query(
        "UPDATE retailer_sessions SET state = $1, answer = NULL, attempt = 0, panics = 0, due_at = $2, deadline_at = $3,
            behind = behind - $4, worked = $5, updated_at = $6,
            lease_owner = CASE WHEN $7 <> 0 THEN NULL ELSE lease_owner END,
            lease_until = CASE WHEN $8 <> 0 THEN NULL ELSE lease_until END, by_clock = $9, state_blocks = $10
         WHERE id = $11",
    )
    .bind(&next.state.rest[..])
    .bind(micros(due_at))
    .bind(micros(due_at + next.left))
    .bind(span(skipped))
    .bind(span(next.worked))
    .bind(micros(guarded.now))
    .bind(release)
    .bind(release)
    .bind(next.by_clock)
    .bind(next.state.count())
    .bind(&claim.id)
    .execute(&mut guarded.tx)
    .await?;
    Ok(if release { After::Released } else { After::On(wait) })
}

/// Keeps what the connector wants to remember: beside staged credentials until the account is verified.
async fn remember(tx: &mut Write, claim: &Claim, session: Option<&[u8]>) -> Result<(), StoreError> {
    if !claim.other_account {
        return remember_verified(tx, claim, session).await;
    }
    query("UPDATE retailer_sessions SET staged_session = COALESCE($1, staged_session) WHERE id = $2")
        .bind(session)
        .bind(&claim.id)
        .execute(&mut *tx)
        .await?;
    Ok(())
}

pub(in crate::store) async fn remember_verified(
    tx: &mut Write,
    claim: &Claim,
    session: Option<&[u8]>,
) -> Result<(), StoreError> {
    if let Some(session) = session {
        query("UPDATE connections SET session = $1 WHERE id = $2")
            .bind(session)
            .bind(&claim.connection_id)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

/// The account of staged credentials is verified: they become the connection's.
pub(in crate::store) async fn accept_account(tx: &mut Write, claim: &Claim) -> Result<(), StoreError> {
    if !claim.other_account {
        return Ok(());
    }
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
            .bind(micros(now + asked))
            .bind(&claim.connection_id)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}
