//! The queue of parts of sessions: claiming those that are due with a lease, keeping the lease, giving it back.
//!
//! A claim raises the row's epoch; everything that is written under the claim names owner and epoch, so that a node which
//! lost its lease without noticing writes nothing (it is fenced).

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::{SyncStatus, TraceContext};

use crate::clock::Clock;
use crate::store::db::dialect::{by_environment, sql};
use crate::store::db::row::row;
use crate::store::db::{ByEnvironment, On, Sql, query, query_as, query_scalar};
use crate::store::orders::owner::{Destination, Owner};
use crate::store::syncs::state::{SealedState, blocks_of};
use crate::store::{Store, StoreError, Write, count, micros, span};

/// How long a claim holds without being renewed. A node that dies gives its work back after that.
pub(crate) const LEASE: TimeDelta = TimeDelta::seconds(10);
/// How many parts one transaction claims at most.
const BATCH: usize = 32;

/// A claimed part of a session.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    /// The part.
    pub id: String,
    /// The session.
    pub batch_id: String,
    pub connection_id: String,
    /// The connection's number among the user's.
    pub connection: i64,
    /// The retailer's number.
    pub retailer_id: i64,
    pub retailer_name: String,
    pub user_id: String,
    /// Its state, as the store has it.
    pub status: SyncStatus,
    /// How often the present step failed before.
    pub attempt: u32,
    /// How many leases ran out in a row before this claim, without a commit.
    pub lost: u32,
    /// Whether settled and unchanged orders are read again.
    pub full: bool,
    /// How many MFA codes may still be tried.
    pub codes_left: u32,
    /// How much longer the present phase may take. Time in which nobody works on the part does not count.
    pub left: Duration,
    /// How long this sync took so far: its steps, and the waits that they asked for.
    pub worked: Duration,
    /// In the user's time: until then the retailer asked for no requests.
    pub not_before: Option<DateTime<Utc>>,
    /// What the connector left.
    pub state: Option<SealedState>,
    /// Sealed: what the user answered.
    pub answer: Option<Vec<u8>>,
    /// Sealed: the user's credentials; those that are staged, if there are any.
    pub credentials: Vec<u8>,
    /// Sealed: what the connector remembers from sync to sync.
    pub session: Option<Vec<u8>>,
    /// Whether the credentials are staged: of another user name than the stored ones, and not verified yet.
    pub other_account: bool,
    /// In a sandbox, the day on which the simulated history ends, in days since 1970-01-01.
    pub history_end: Option<i64>,
    /// The trace of the request that started the sync.
    pub trace: Option<TraceContext>,
    /// Since when the present step is due, in the user's time.
    pub due_at: Option<DateTime<Utc>>,
    /// Whose claim it is.
    pub owner: String,
    /// Which claim it is.
    pub epoch: i64,
}

impl Claim {
    /// Whose orders it syncs.
    pub(crate) fn orders(&self) -> Owner<'_> {
        Owner { user_id: &self.user_id, connection: self.connection }
    }

    /// The id of its trace, for the log.
    pub(crate) fn trace_id(&self) -> Option<String> {
        self.trace.map(|trace| trace.trace())
    }

    /// Where the orders are stored that it reads.
    pub(in crate::store) fn destination(&self) -> Destination<'_> {
        Destination {
            user_id: &self.user_id,
            connection_id: &self.connection_id,
            connection: self.connection,
            retailer_id: self.retailer_id,
            retailer_name: &self.retailer_name,
            batch_id: &self.batch_id,
        }
    }
}

row! {
    struct ClaimRow {
        id: String,
        batch_id: String,
        connection_id: String,
        connection: i64,
        retailer_id: i64,
        display_name: String,
        user_id: String,
        sync_status: String,
        attempt: i64,
        claims_without_commit: i64,
        full: i64,
        codes_left: i64,
        due_at: Option<i64>,
        deadline_at: Option<i64>,
        worked: i64,
        not_before: Option<i64>,
        state: Option<Vec<u8>>,
        state_blocks: i64,
        answer: Option<Vec<u8>>,
        credentials: Vec<u8>,
        staged_credentials: Option<Vec<u8>>,
        session: Option<Vec<u8>>,
        staged_session: Option<Vec<u8>>,
        history_end: Option<i64>,
        traceparent: Option<String>,
        epoch: i64,
    }
}

impl ClaimRow {
    fn into_claim(self, owner: &str, blocks: Vec<Vec<u8>>) -> Result<Claim, StoreError> {
        let left = self.deadline_at.zip(self.due_at).map_or(0, |(deadline, due)| deadline.saturating_sub(due));
        let other_account = self.staged_credentials.is_some();
        Ok(Claim {
            id: self.id,
            batch_id: self.batch_id,
            connection_id: self.connection_id,
            connection: self.connection,
            retailer_id: self.retailer_id,
            retailer_name: self.display_name,
            user_id: self.user_id,
            status: self.sync_status.parse()?,
            attempt: u32::try_from(self.attempt).unwrap_or(u32::MAX),
            lost: u32::try_from(self.claims_without_commit).unwrap_or(u32::MAX),
            full: self.full != 0,
            codes_left: u32::try_from(self.codes_left).unwrap_or(0),
            left: Duration::from_micros(count(left)),
            worked: Duration::from_micros(count(self.worked)),
            not_before: self.not_before.map(crate::store::time).transpose()?,
            state: self.state.map(|rest| SealedState::of_stored(rest, blocks, self.state_blocks)).transpose()?,
            answer: self.answer,
            credentials: self.staged_credentials.unwrap_or(self.credentials),
            session: if other_account { self.staged_session } else { self.session },
            other_account,
            history_end: self.history_end,
            trace: self.traceparent.and_then(|text| text.parse().ok()),
            due_at: self.due_at.map(crate::store::time).transpose()?,
            owner: owner.to_owned(),
            epoch: self.epoch,
        })
    }
}

/// How much work a node can take on, and what it works on already.
pub(crate) struct Room<'a> {
    /// How many parts it can take on in all.
    pub parts: usize,
    /// How many parts of one user it works on at a time.
    pub per_user: usize,
    /// For so much of its work a part that has begun is claimed before those that have not.
    pub begun_first: Duration,
    /// How many parts of a retailer it works on at a time.
    pub per_retailer: &'a (dyn Fn(i64) -> usize + Send + Sync),
    /// How many parts it works on, by user.
    pub users: HashMap<String, usize>,
    /// How many parts it works on, by retailer.
    pub retailers: HashMap<i64, usize>,
}

impl Room<'_> {
    fn full_users(&self) -> Result<String, StoreError> {
        let full: Vec<&String> =
            self.users.iter().filter(|(_, parts)| **parts >= self.per_user).map(|(user, _)| user).collect();
        serde_json::to_string(&full).map_err(|_| StoreError::Corrupt("user"))
    }

    fn full_retailers(&self) -> Result<String, StoreError> {
        let is_full = |(retailer, parts): &(&i64, &usize)| **parts >= (self.per_retailer)(**retailer);
        let full: Vec<&i64> = self.retailers.iter().filter(is_full).map(|(retailer, _)| retailer).collect();
        serde_json::to_string(&full).map_err(|_| StoreError::Corrupt("retailer"))
    }

    fn take(&mut self, due: &Due) {
        *self.users.entry(due.user_id.clone()).or_default() += 1;
        *self.retailers.entry(due.retailer_id).or_default() += 1;
    }
}

/// Whether work is due, and when more falls due.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outlook {
    /// When something will next fall due, in the machine's time; none if nothing waits for the time alone. What is due already
    /// does not count.
    pub(crate) next: Option<DateTime<Utc>>,
    /// Whether something may be due or overdue already.
    pub(crate) is_due: bool,
}

row! {
    struct Due {
        id: String,
        user_id: String,
        retailer_id: i64,
        epoch: i64,
    }
}

/// The part that is due longest, at `$1` (the machine's time), of a user that is not in `$2` and a retailer that is not in
/// `$3` (JSON arrays) and not paused. One that has begun comes first, as long as it has worked for less than `$4` microseconds: of many
/// syncs at once, the first are then done early, and a long one still gives way. It looks at the first due parts of each retailer, so
/// that the many parts of a retailer that is full cost nothing. A part whose leases run out again and again is claimed after growing
/// waits.
pub(crate) const DUE: ByEnvironment = by_environment!(
    "WITH RECURSIVE open (retailer) AS (
        SELECT MIN(retailer_id) FROM retailer_sessions WHERE active = 1
        UNION ALL
        SELECT (SELECT MIN(n.retailer_id) FROM retailer_sessions n WHERE n.active = 1 AND n.retailer_id > open.retailer)
        FROM open WHERE open.retailer IS NOT NULL)
     SELECT r.id, r.user_id, r.retailer_id, r.epoch FROM open ",
    [ordered join],
    " retailer_sessions r ON r.id = COALESCE(",
    [sandbox first due "d.sync_status <> 'queued' AND d.worked < $4"],
    ", ",
    [sandbox first due "TRUE"],
    ")
     WHERE open.retailer IS NOT NULL AND open.retailer NOT IN (",
    [numbers "$3"],
    ")
        AND NOT EXISTS (SELECT 1 FROM paused_retailers p WHERE p.retailer_id = open.retailer)
     ORDER BY CASE WHEN r.sync_status <> 'queued' AND r.worked < $4 THEN 0 ELSE 1 END, r.due_at, r.id LIMIT 1"
);

/// When something falls due after `$1`, in the machine's time: of users whose clock runs with the machine's, and of those
/// whose clock a sandbox moved; and whether anything is due or overdue then, of a user whose clock was not moved.
const OUTLOOK: ByEnvironment = by_environment!(
    "SELECT MIN(at), EXISTS (SELECT 1 FROM retailer_sessions WHERE active = 1 AND due_at <= $1)
        OR EXISTS (SELECT 1 FROM retailer_sessions WHERE active = 1 AND deadline_at <= $1) FROM (
        SELECT MIN(due_at) AS at FROM retailer_sessions WHERE active = 1 AND due_at > $1
        UNION ALL
        SELECT MIN(deadline_at) FROM retailer_sessions WHERE active = 1 AND deadline_at > $1
        UNION ALL
        SELECT MIN(lease_until) FROM retailer_sessions WHERE active = 1 AND lease_until > $1",
    [sandbox next "due_at"],
    [sandbox next "deadline_at"],
    ") falling_due"
);

/// The part `$1`, which was claimed.
const CLAIMED: ByEnvironment = by_environment!(
    "SELECT r.id, r.batch_id, r.connection_id, c.number AS connection, r.retailer_id, c.display_name, r.user_id,
        r.sync_status, r.attempt, r.claims_without_commit, r.full, r.codes_left, r.due_at, r.deadline_at, r.worked,
        c.not_before, r.state, r.state_blocks, r.answer, c.credentials, r.staged_credentials, c.session, r.staged_session,
        r.traceparent, r.epoch, ",
    [sandbox history_end of "c"],
    " FROM retailer_sessions r JOIN connections c ON c.id = r.connection_id WHERE r.id = $1"
);

impl Store {
    /// Claims the parts that are due, in the order of [`DUE`], until there is no more room.
    pub(crate) async fn claim(
        &self,
        owner: &str,
        clock: &dyn Clock,
        room: &mut Room<'_>,
    ) -> Result<Vec<Claim>, StoreError> {
        // Looked up first without the write lock: mostly there is nothing.
        if room.parts == 0 || first_due(self.sql(DUE), &self.pool, clock.now(), room).await?.is_none() {
            return Ok(Vec::new());
        }
        let mut tx = self.write().await?;
        let now = clock.now();
        let mut claims = Vec::new();
        for _ in 0..room.parts.min(BATCH) {
            let Some(due) = first_due(self.sql(DUE), &mut tx, now, room).await? else { break };
            // Another node has it, or has just had it: that one works on what is due, and this one looks again later.
            let Some((row, blocks)) = take(&mut tx, self.sql(CLAIMED), owner, now, &due).await? else { break };
            room.take(&due);
            match row.into_claim(owner, blocks) {
                Ok(claim) => claims.push(claim),
                // Its lease keeps it out of the way of the others for a while.
                Err(error) => tracing::error!(%error, part = due.id, "cannot read a part of a sync; it is skipped"),
            }
        }
        tx.commit().await?;
        Ok(claims)
    }

    /// Renews a claim; false if it was lost.
    pub(crate) async fn renew(&self, claim: &Claim, clock: &dyn Clock) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let renewed = query(
            "UPDATE retailer_sessions SET lease_until = $1 WHERE id = $2 AND lease_owner = $3 AND epoch = $4 AND active = 1",
        )
        .bind_all((micros(clock.now() + LEASE), &claim.id, &claim.owner, claim.epoch))
        .execute(&mut tx)
        .await?;
        tx.commit().await?;
        Ok(renewed == 1)
    }

    /// Gives back everything that a node has claimed.
    pub(crate) async fn release_all(&self, owner: &str) -> Result<u64, StoreError> {
        let held: i64 = query_scalar("SELECT COUNT(*) FROM retailer_sessions WHERE active = 1 AND lease_owner = $1")
            .bind(owner)
            .fetch_one(&self.pool)
            .await?;
        if held > 0 {
            let mut tx = self.write().await?;
            query("UPDATE retailer_sessions SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = $1")
                .bind(owner)
                .execute(&mut tx)
                .await?;
            tx.commit().await?;
        }
        Ok(count(held))
    }

    /// Looks whether work is due, and when more falls due. A node without work makes no other query.
    pub(crate) async fn outlook(&self, now: DateTime<Utc>) -> Result<Outlook, StoreError> {
        let (next, is_due): (Option<i64>, bool) =
            query_as(self.sql(OUTLOOK)).bind(micros(now)).fetch_one(&self.pool).await?;
        // A clock that a sandbox moved may have made something due.
        Ok(Outlook { next: next.map(crate::store::time).transpose()?, is_due: is_due || !self.is_live() })
    }

    /// Whether anything of a user could be done at once: what a sandbox waits for after it moved the user's clock.
    pub(crate) async fn has_due_work(&self, user_id: &str, clock: &dyn Clock) -> Result<bool, StoreError> {
        let next: Option<i64> = query_scalar(
            "SELECT MIN(CASE WHEN due_at IS NULL OR deadline_at < due_at THEN deadline_at ELSE due_at END)
             FROM retailer_sessions r WHERE r.user_id = $1 AND r.active = 1
                AND NOT EXISTS (SELECT 1 FROM paused_retailers p WHERE p.retailer_id = r.retailer_id)",
        )
        .bind(user_id)
        .fetch_one(&self.pool)
        .await?;
        // Read after the rows: a part in progress is due when its last step was committed, which is before now.
        let now = micros(self.clock_of(user_id, &self.pool).await?.time(clock.now())?);
        Ok(next.is_some_and(|next| next <= now))
    }
}

async fn first_due(
    due: Sql,
    on: impl Into<On<'_>>,
    now: DateTime<Utc>,
    room: &Room<'_>,
) -> Result<Option<Due>, StoreError> {
    let due = query_as(due).bind_all((micros(now), room.full_users()?, room.full_retailers()?));
    Ok(due.bind(span(room.begun_first)).fetch_optional(on).await?)
}

/// Puts a lease on a part. An owner that is still there held a lease that ran out: who gives a part back leaves none.
/// None: another node has claimed it since it was looked up, or is about to.
async fn take(
    tx: &mut Write,
    claimed: Sql,
    owner: &str,
    now: DateTime<Utc>,
    due: &Due,
) -> Result<Option<(ClaimRow, Vec<Vec<u8>>)>, StoreError> {
    let is_ours = query(sql!("SELECT 1 FROM retailer_sessions WHERE id = $1 AND epoch = $2", [lock or skip]))
        .bind_all((&due.id, due.epoch))
        .exists(&mut *tx)
        .await?;
    if !is_ours {
        return Ok(None);
    }
    query(
        "UPDATE retailer_sessions SET claims_without_commit =
                claims_without_commit + CASE WHEN lease_owner IS NULL THEN 0 ELSE 1 END,
            lease_owner = $1, lease_until = $2, epoch = epoch + 1 WHERE id = $3",
    )
    .bind_all((owner, micros(now + LEASE), &due.id))
    .execute(&mut *tx)
    .await?;
    let row: ClaimRow = query_as(claimed).bind(&due.id).fetch_one(&mut *tx).await?;
    let blocks = blocks_of(tx, &row.user_id, &row.id, row.state_blocks).await?;
    Ok(Some((row, blocks)))
}
