//! How parts of sessions end: by their driver, by their deadline, or because their tasks die.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::{ConnectionStatus, EventType, SyncErrorCode, SyncStatus, TraceContext};

use crate::clock::Clock;
use crate::store::accounts::connections::set_status;
use crate::store::db::dialect::{by_environment, sql};
use crate::store::db::row::row;
use crate::store::db::{ByEnvironment, Sql, query, query_as, query_scalar};
use crate::store::orders::kept_back;
use crate::store::syncs::lease::{Guarded, Held, check, commit};
use crate::store::syncs::queue::Claim;
use crate::store::syncs::sessions::{NewEvent, append_event};
use crate::store::syncs::state::delete_blocks;
use crate::store::syncs::steps::{accept_account, leave_alone, remember};
use crate::store::{Store, StoreError, Write, count, micros};

/// How many overdue parts are ended in one go.
const BATCH: i64 = 100;
/// How often a step may panic before its part ends.
const MOST_PANICS: i64 = 3;
/// The wait after the first panic; doubled with each.
const AFTER_PANIC: TimeDelta = TimeDelta::seconds(1);

/// How a part ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End<'a> {
    /// Everything was read.
    Completed,
    Failed(SyncErrorCode, &'a str),
    /// It took too long.
    TimedOut(SyncErrorCode),
}

impl End<'_> {
    /// The operator ended it.
    pub(crate) const fn cancelled() -> Self {
        Self::Failed(SyncErrorCode::Cancelled, SyncErrorCode::Cancelled.message())
    }
}

/// Data kept for the connection's next sync.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Leftover<'a> {
    /// Sealed: what the connector remembers. The account is verified then.
    pub session: Option<&'a [u8]>,
    /// How long the retailer asked to be left alone.
    pub asked: Option<Duration>,
    /// Whether every order was seen that the retailer lists.
    pub listed_all: bool,
}

/// A part that was ended by its deadline.
#[derive(Debug)]
pub(crate) struct Overdue {
    /// The session.
    pub batch_id: String,
    pub connection_id: String,
    /// The retailer's number.
    pub retailer_id: i64,
    /// What it ended in.
    pub code: SyncErrorCode,
}

/// How far a part came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Figures {
    pub items_found: u64,
    pub items_new: u64,
    /// From its first step to its last change, with everything that it waited for.
    pub duration: Duration,
    /// The same from the request that started it.
    pub since_request: Duration,
    /// The trace of that request.
    pub trace: Option<TraceContext>,
}

row! {
    struct FiguresRow {
        items_found: i64,
        items_new: i64,
        started_at: Option<i64>,
        updated_at: i64,
        created_at: i64,
        traceparent: Option<String>,
    }
}

/// The part `$1`, if it is not over.
const ACTIVE_PART: Sql = sql!(
    "SELECT user_id, batch_id, connection_id, retailer_id, sync_status, due_at, deadline_at
     FROM retailer_sessions WHERE id = $1 AND active = 1",
    [lock]
);

row! {
    struct ActiveRow {
        user_id: String,
        batch_id: String,
        connection_id: String,
        retailer_id: i64,
        sync_status: String,
        due_at: Option<i64>,
        deadline_at: Option<i64>,
    }
}

impl ActiveRow {
    /// The part, whose id is `id`.
    fn part<'a>(&'a self, id: &'a str) -> Result<Part<'a>, StoreError> {
        let Self { user_id, batch_id, connection_id, sync_status, .. } = self;
        Ok(Part { id, user_id, batch_id, connection_id, status: sync_status.parse()? })
    }

    /// Whether its deadline is over: as [`OVERDUE`] finds it.
    fn is_overdue(&self, now: i64) -> bool {
        self.deadline_at.is_some_and(|deadline| deadline <= now && self.due_at.is_none_or(|due| deadline < due))
    }
}

/// The outcome of noting that a step panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Panicked {
    /// It is taken again later.
    Again,
    /// That was once too often: the part has ended.
    Ended,
    /// The claim did not hold any more.
    Fenced,
}

/// Parts whose deadline is over, without those in `$2` (a JSON array). A part whose next step was due before its deadline is
/// not among them: it waits for a node to work on it, or one does, and that is not its fault.
const OVERDUE: ByEnvironment = by_environment!(
    "SELECT r.id FROM retailer_sessions r ",
    [sandbox user of "r"],
    "WHERE r.active = 1 AND ",
    [sandbox over "r.deadline_at"],
    "
        AND (r.due_at IS NULL OR r.deadline_at < r.due_at) AND r.id NOT IN (",
    [texts "$2"],
    ") ORDER BY r.deadline_at LIMIT $3"
);

impl Store {
    /// How far a part came. None: it is gone, with its user or connection.
    pub(crate) async fn figures(&self, part_id: &str) -> Result<Option<Figures>, StoreError> {
        let row: Option<FiguresRow> = query_as(
            "SELECT r.items_found, r.items_new, r.started_at, r.updated_at, s.created_at, r.traceparent
             FROM retailer_sessions r JOIN sessions s ON s.id = r.batch_id WHERE r.id = $1",
        )
        .bind(part_id)
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(|row| Figures {
            items_found: count(row.items_found),
            items_new: count(row.items_new),
            duration: Duration::from_micros(count(row.updated_at - row.started_at.unwrap_or(row.updated_at))),
            since_request: Duration::from_micros(count(row.updated_at - row.created_at)),
            trace: row.traceparent.and_then(|text| text.parse().ok()),
        }))
    }

    /// Ends the part.
    pub(crate) async fn finish(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        end: End<'_>,
        leftover: Leftover<'_>,
    ) -> Result<Held, StoreError> {
        let Some(Guarded { mut tx, now, .. }) = self.guarded(claim, clock).await? else { return Ok(Held::Fenced) };
        if leftover.session.is_some() {
            verified(&mut tx, claim, leftover.session).await?;
        }
        if leftover.listed_all {
            kept_back::forget_unlisted(&mut tx, claim).await?;
        }
        leave_alone(&mut tx, claim, now, leftover.asked).await?;
        let part = Part::of(claim, claim.status);
        finish_part(&mut tx, &part, now, end).await?;
        commit(tx).await
    }

    /// Everything was read: the part is completed. `end_not_proven`: of the list of orders.
    pub(crate) async fn complete(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        session: Option<&[u8]>,
        end_not_proven: bool,
    ) -> Result<Held, StoreError> {
        let Some(Guarded { mut tx, now, .. }) = self.guarded(claim, clock).await? else { return Ok(Held::Fenced) };
        verified(&mut tx, claim, session).await?;
        query("UPDATE connections SET end_not_proven = $1 WHERE id = $2")
            .bind_all((end_not_proven, &claim.connection_id))
            .execute(&mut tx)
            .await?;
        finish_part(&mut tx, &Part::of(claim, claim.status), now, End::Completed).await?;
        commit(tx).await
    }

    /// Parts whose phase or MFA request lasted too long, without those that are in `except` (a JSON array).
    pub(crate) async fn overdue(&self, now: DateTime<Utc>, except: &str) -> Result<Vec<String>, StoreError> {
        Ok(query_scalar(self.sql(OVERDUE)).bind_all((micros(now), except, BATCH)).fetch_all(&self.pool).await?)
    }

    /// Ends a part whose phase or MFA request lasted too long, no matter which node works on it; none if it does not
    /// any more.
    /// Fails if the store fails, or the part is in a state that has no such end.
    pub(crate) async fn end_overdue(&self, part_id: &str, clock: &dyn Clock) -> Result<Option<Overdue>, StoreError> {
        let mut tx = self.write().await?;
        let row: Option<ActiveRow> = query_as(ACTIVE_PART).bind(part_id).fetch_optional(&mut tx).await?;
        let Some(row) = row else { return Ok(None) };
        let now = self.clock_of(&row.user_id, &mut tx).await?.time(clock.now())?;
        if !row.is_overdue(micros(now)) {
            return Ok(None);
        }
        let part = row.part(part_id)?;
        let code = if part.status == SyncStatus::UserIntervention {
            SyncErrorCode::MfaExpired
        } else {
            SyncErrorCode::RetailerTimeout
        };
        finish_part(&mut tx, &part, now, End::TimedOut(code)).await?;
        tx.commit().await?;
        let ActiveRow { batch_id, connection_id, retailer_id, .. } = row;
        Ok(Some(Overdue { batch_id, connection_id, retailer_id, code }))
    }

    /// Ends a part, no matter which node works on it: its next commit fails. False: it is over already.
    pub(in crate::store) async fn end_part(
        &self,
        part_id: &str,
        clock: &dyn Clock,
        end: End<'_>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let is_ended = self.end_part_in(&mut tx, part_id, clock, end).await?;
        tx.commit().await?;
        Ok(is_ended)
    }

    /// As [`Self::end_part`], as a part of a larger change.
    pub(in crate::store) async fn end_part_in(
        &self,
        tx: &mut Write,
        part_id: &str,
        clock: &dyn Clock,
        end: End<'_>,
    ) -> Result<bool, StoreError> {
        let row: Option<ActiveRow> = query_as(ACTIVE_PART).bind(part_id).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(false) };
        let part = row.part(part_id)?;
        let now = self.clock_of(&row.user_id, &mut *tx).await?.time(clock.now())?;
        finish_part(tx, &part, now, end).await?;
        Ok(true)
    }

    /// Notes that the task of a claim panicked: the part is due again after a while, or ends if that happened too often on
    /// the same step.
    pub(crate) async fn note_panic(&self, claim: &Claim, clock: &dyn Clock) -> Result<Panicked, StoreError> {
        let mut tx = self.write().await?;
        // The task may have died after a commit that changed the status.
        let part: Option<(i64, String)> = query_as(
            "UPDATE retailer_sessions SET panics = panics + 1, lease_owner = NULL, lease_until = NULL
             WHERE id = $1 AND lease_owner = $2 AND epoch = $3 AND active = 1 RETURNING panics, sync_status",
        )
        .bind_all((&claim.id, &claim.owner, claim.epoch))
        .fetch_optional(&mut tx)
        .await?;
        let Some((panics, status)) = part else { return Ok(Panicked::Fenced) };
        let user = self.clock_of(&claim.user_id, &mut tx).await?;
        let now = user.time(clock.now())?;
        if panics >= MOST_PANICS {
            let part = Part::of(claim, status.parse()?);
            let code = SyncErrorCode::InternalError;
            finish_part(&mut tx, &part, now, End::Failed(code, code.message())).await?;
            tx.commit().await?;
            return Ok(Panicked::Ended);
        }
        let wait = AFTER_PANIC * 2_i32.pow(u32::try_from(panics - 1).unwrap_or(0));
        // Under a clock that a sandbox stopped, no later moment comes.
        let due_at = if user.is_frozen() { now } else { now + wait };
        query("UPDATE retailer_sessions SET deadline_at = deadline_at + ($1 - due_at), due_at = $1 WHERE id = $2")
            .bind_all((micros(due_at), &claim.id))
            .execute(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(Panicked::Again)
    }
}

/// The account is verified, and this is what the connector remembers of it.
async fn verified(tx: &mut Write, claim: &Claim, session: Option<&[u8]>) -> Result<(), StoreError> {
    if claim.other_account {
        accept_account(tx, claim).await?;
    }
    remember(tx, claim, session).await
}

struct Part<'a> {
    id: &'a str,
    user_id: &'a str,
    batch_id: &'a str,
    connection_id: &'a str,
    status: SyncStatus,
}

impl<'a> Part<'a> {
    fn of(claim: &'a Claim, status: SyncStatus) -> Self {
        let Claim { id, user_id, batch_id, connection_id, .. } = claim;
        Self { id, user_id, batch_id, connection_id, status }
    }
}

/// Ends a part, and the session with its last part. Staged credentials that were not verified are dropped.
///
/// The order is that of every change of a sync: the part, its connection, then the session, which its parts share. A session
/// whose last two parts end at the same time ends with one of them, although neither transaction sees what the other has not
/// committed: the event's number locks the session's row, so that the later one asks for active parts when the earlier one has
/// ended. (With snapshots of statements, that is: "read committed". A snapshot of the transaction would be too old.)
async fn finish_part(tx: &mut Write, part: &Part<'_>, now: DateTime<Utc>, end: End<'_>) -> Result<(), StoreError> {
    let (status, failure) = match end {
        End::Completed => (SyncStatus::Completed, None),
        End::Failed(code, message) => (SyncStatus::Error, Some((code, message))),
        End::TimedOut(code) => (SyncStatus::TimedOut, Some((code, code.message()))),
    };
    // What was read is stored already: nothing is left to process.
    let is_processed = end == End::Completed && part.status == SyncStatus::Scanning;
    let before = if is_processed { SyncStatus::Processing } else { part.status };
    check(before, status)?;
    query(
        "UPDATE retailer_sessions SET sync_status = $1, active = 0, updated_at = $2, error_code = $3, error_message = $4,
            state = NULL, state_blocks = 0, answer = NULL, staged_credentials = NULL, staged_session = NULL, due_at = NULL,
            deadline_at = NULL, lease_owner = NULL, lease_until = NULL
         WHERE id = $5",
    )
    .bind_all((
        status.as_str(),
        micros(now),
        failure.map(|(code, _)| code.as_str()),
        failure.map(|(_, message)| message),
        part.id,
    ))
    .execute(&mut *tx)
    .await?;
    delete_blocks(tx, part.user_id, part.id).await?;
    query(
        "UPDATE mfa_requests SET answered_at = $1 WHERE user_id = $2 AND retailer_session_id = $3 AND answered_at IS NULL",
    )
    .bind_all((micros(now), part.user_id, part.id))
    .execute(&mut *tx)
    .await?;
    let event = NewEvent {
        event_type: if failure.is_some() { EventType::Error } else { EventType::Status },
        sync_status: Some(status),
        message: failure.map(|(_, message)| message),
        ..NewEvent::default()
    };
    settle_connection(tx, part, now, failure.map(|(code, _)| code)).await?;
    if is_processed {
        append_event(tx, part.batch_id, part.connection_id, now, &NewEvent::of(before)).await?;
    }
    append_event(tx, part.batch_id, part.connection_id, now, &event).await?;
    query(
        "UPDATE sessions SET completed_at = $1
         WHERE id = $2 AND NOT EXISTS (SELECT 1 FROM retailer_sessions WHERE batch_id = $2 AND active = 1)",
    )
    .bind_all((micros(now), part.batch_id))
    .run(&mut *tx)
    .await
}

/// What the end of a sync means for its connection.
async fn settle_connection(
    tx: &mut Write,
    part: &Part<'_>,
    now: DateTime<Utc>,
    failure: Option<SyncErrorCode>,
) -> Result<(), StoreError> {
    let connection_id = part.connection_id;
    let Some(code) = failure else {
        query(
            "UPDATE connections SET last_sync_at = $1, failed_at = NULL, failure_code = NULL, failed_batch_id = NULL,
                incomplete_since = CASE WHEN end_not_proven = 0 AND import_unfinished = 0 THEN NULL
                    WHEN last_sync_at IS NULL THEN created_at ELSE COALESCE(incomplete_since, $1) END WHERE id = $2",
        )
        .bind_all((micros(now), connection_id))
        .execute(&mut *tx)
        .await?;
        return kept_back::forget_all(tx, part.user_id, connection_id).await;
    };
    // A connection that never worked says why it is still pending.
    query(
        "UPDATE connections SET failed_at = $1, failure_code = $2, failed_batch_id = $3,
            incomplete_since = COALESCE(incomplete_since, $1),
            status_reason = CASE status WHEN $4 THEN $2 ELSE status_reason END WHERE id = $5",
    )
    .bind_all((micros(now), code.as_str(), part.batch_id, ConnectionStatus::Pending.as_str(), connection_id))
    .execute(&mut *tx)
    .await?;
    if code.invalidates_connection() {
        set_status(tx, connection_id, ConnectionStatus::Invalid, Some(code.as_str())).await?;
    }
    Ok(())
}
