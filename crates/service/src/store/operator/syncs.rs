//! Syncs of all users: which are not over, since when, and what they wait for.

use chrono::{DateTime, Utc};
use ordersync_api::SyncStatus;
use serde::Serialize;
use sqlx::AssertSqlSafe;

use super::super::{Store, StoreError, count, micros, time};
use crate::counters::QueueLevel;
use crate::store::accounts::audit::{Action, Entry, Operator};
use crate::store::accounts::users::{Caller, UserClock};
use crate::store::db::dialect::by_environment;
use crate::store::db::row::row;
use crate::store::db::{ByEnvironment, query, query_as, query_scalar};
use crate::store::syncs::finish::End;
use crate::store::syncs::start::StartOutcome;

/// What a sync may wait for.
const REASONS: [&str; 6] = ["user", "pause", "step", "lost_process", "time", "process"];
/// The most syncs that are listed.
const MOST: i64 = 500;

row! {
    struct PartRow {
        batch_id: String,
        user_id: String,
        connection_id: String,
        retailer_id: i64,
        display_name: String,
        sync_status: String,
        active: i64,
        items_found: i64,
        queued_at: i64,
        updated_at: i64,
        due_at: Option<i64>,
        deadline_at: Option<i64>,
        lease_owner: Option<String>,
        lease_until: Option<i64>,
        attempt: i64,
        claims_without_commit: i64,
        panics: i64,
        error_code: Option<String>,
        error_message: Option<String>,
        paused_since: Option<i64>,
    }
}

/// The sync of a connection.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperatedSync {
    /// Its session, which may have other connections' syncs, too.
    pub batch_id: String,
    /// Whose it is.
    pub user_id: String,
    /// The connection.
    pub connection_id: String,
    /// The retailer's number.
    pub retailer_id: i64,
    /// Its name when the user connected it.
    pub display_name: String,
    /// Its state.
    pub sync_status: SyncStatus,
    /// When it was asked for.
    pub queued_at: DateTime<Utc>,
    /// When it last came further.
    pub updated_at: DateTime<Utc>,
    /// Line items found so far.
    pub items_found: u64,
    /// What it waits for; none if it is over.
    pub waits_for: Option<WaitsFor>,
    /// When it is ended, if it does not come further.
    pub deadline_at: Option<DateTime<Utc>>,
    /// Failures of its present step, and leases of it that ran out.
    pub failures: u64,
    /// Why it failed.
    pub error_code: Option<String>,
    /// In words.
    pub error_message: Option<String>,
}

/// What a sync waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum WaitsFor {
    /// For the user's answer to the retailer's verification.
    User,
    /// The operator has paused its retailer.
    Pause {
        /// Since when.
        since: DateTime<Utc>,
    },
    /// A process of the service works on it.
    Step {
        /// The process.
        node: String,
    },
    /// The process that worked on it does not renew its claim: it hangs, or is dead.
    LostProcess {
        /// The process.
        node: String,
        /// Since when.
        since: DateTime<Utc>,
    },
    /// Its next step has a time: the retailer's pace, or a pause after a failure.
    Time {
        /// When that is.
        until: DateTime<Utc>,
    },
    /// It could go on, and no process of the service has taken it.
    Process {
        /// Since when.
        since: DateTime<Utc>,
    },
}

/// Which syncs are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed<'a> {
    /// Those that are not over, the one that has not come further for longest first.
    Unfinished,
    /// The newest ones that failed.
    Failed,
    /// Those of a session.
    Session(&'a str),
}

/// What an attempt to start a session's syncs again led to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Retried {
    /// Syncs that are due at once.
    pub hurried: u64,
    /// Sessions that were started for connections whose sync had failed.
    pub started: Vec<String>,
    /// Connections that only their users can do something about: they are invalid, or wait for a code.
    pub left: Vec<String>,
}

/// What the active parts wait for at `$1`, as [`WaitsFor`] has it; how many, and for how long the first of each, in microseconds.
const QUEUE: ByEnvironment = by_environment!(
    "SELECT waits_for, COUNT(*) AS parts, MAX(age) AS oldest FROM (
        SELECT CASE WHEN lease_until > $1 THEN 'step' WHEN lease_until IS NOT NULL THEN 'lost_process'
                WHEN due_at IS NULL THEN 'user' WHEN is_paused THEN 'pause' WHEN due_at > now THEN 'time' ELSE 'process' END
                AS waits_for,
            now - CASE WHEN lease_until IS NULL AND due_at <= now AND NOT is_paused THEN due_at ELSE updated_at END AS age
        FROM (SELECT r.lease_until, r.due_at, r.updated_at, ",
    [sandbox now],
    " AS now,
                EXISTS (SELECT 1 FROM paused_retailers p WHERE p.retailer_id = r.retailer_id) AS is_paused
            FROM retailer_sessions r",
    [sandbox user of "r"],
    " WHERE r.active = 1) parts) waiting
     GROUP BY waits_for"
);

impl Store {
    /// How many syncs wait, and what for.
    pub(crate) async fn queue_level(&self, now: DateTime<Utc>) -> Result<QueueLevel, StoreError> {
        let rows: Vec<(String, i64, i64)> = query_as(self.sql(QUEUE)).bind(micros(now)).fetch_all(&self.pool).await?;
        let found = |name: &str| rows.iter().find(|(waits_for, ..)| waits_for == name);
        let waiting = REASONS.map(|reason| {
            let (parts, oldest) = found(reason).map_or((0, 0), |(_, parts, oldest)| (*parts, oldest / 1_000_000));
            (reason, parts, oldest)
        });
        Ok(QueueLevel { waiting: waiting.to_vec() })
    }

    /// The pools of connections: how many there are in each, and how many of them are idle.
    pub(crate) fn connections_in_use(&self) -> [(&'static str, u32, usize); 2] {
        let ((readers, idle_readers), (writers, idle_writers)) = (self.pool.level(), self.writer.level());
        [("read", readers, idle_readers), ("write", writers, idle_writers)]
    }

    /// Syncs of all users.
    pub(crate) async fn operated_syncs(
        &self,
        which: Listed<'_>,
        now: DateTime<Utc>,
    ) -> Result<Vec<OperatedSync>, StoreError> {
        let (condition, order) = match which {
            Listed::Unfinished => ("r.active = 1 AND $1 = ''", "r.updated_at, r.id"),
            Listed::Failed => ("r.active = 0 AND r.error_code IS NOT NULL AND $1 = ''", "r.updated_at DESC, r.id"),
            Listed::Session(_) => ("r.batch_id = $1", "r.position"),
        };
        let sql = format!(
            "SELECT r.batch_id, r.user_id, r.connection_id, r.retailer_id, c.display_name, r.sync_status, r.active, r.items_found,
                s.created_at AS queued_at, r.updated_at, r.due_at, r.deadline_at, r.lease_owner, r.lease_until, r.attempt,
                r.claims_without_commit, r.panics, r.error_code, r.error_message,
                (SELECT p.since FROM paused_retailers p WHERE p.retailer_id = r.retailer_id) AS paused_since
             FROM retailer_sessions r JOIN connections c ON c.id = r.connection_id
             JOIN sessions s ON s.id = r.batch_id
             WHERE {condition} ORDER BY {order} LIMIT $2"
        );
        let batch_id = if let Listed::Session(id) = which { id } else { "" };
        let rows: Vec<PartRow> = query_as(AssertSqlSafe(sql)).bind_all((batch_id, MOST)).fetch_all(&self.pool).await?;
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let clock = self.clock_of(&row.user_id, &self.pool).await?;
            found.push(row.into_sync(now, clock)?);
        }
        Ok(found)
    }

    /// Ends what is left of a session, no matter which process works on it, and says how much that was.
    pub(crate) async fn cancel_session(&self, batch_id: &str, by: Operator<'_>) -> Result<u64, StoreError> {
        let parts: Vec<String> = query_scalar("SELECT id FROM retailer_sessions WHERE batch_id = $1 AND active = 1")
            .bind(batch_id)
            .fetch_all(&self.pool)
            .await?;
        if parts.is_empty() {
            return Ok(0);
        }
        self.audit_session(by.begins(Action::SessionCancel), batch_id).await?;
        let mut ended = 0;
        for part in parts {
            ended += u64::from(self.end_part(&part, by.clock, End::cancelled()).await?);
        }
        self.audit_session(by.did(Action::SessionCancel), batch_id).await?;
        Ok(ended)
    }

    /// Writes what was done to a session, about its user.
    async fn audit_session(&self, entry: Entry<'_>, batch_id: &str) -> Result<(), StoreError> {
        let user: Option<String> = query_scalar("SELECT user_id FROM sessions WHERE id = $1")
            .bind(batch_id)
            .fetch_optional(&self.pool)
            .await?;
        self.audit(&Entry { user: user.as_deref(), target: Some(batch_id), ..entry }).await
    }

    /// Makes what is left of a session due at once, and starts new syncs of its connections whose syncs failed.
    pub(crate) async fn retry_session(&self, batch_id: &str, by: Operator<'_>) -> Result<Retried, StoreError> {
        let now = by.now();
        self.audit_session(by.begins(Action::SessionRetry), batch_id).await?;
        let mut retried = Retried::default();
        for sync in self.operated_syncs(Listed::Session(batch_id), now).await? {
            match &sync.waits_for {
                Some(WaitsFor::User) => retried.left.push(sync.connection_id),
                Some(_) => retried.hurried += self.hurry(&sync, now).await?,
                None if sync.error_code.is_none() => {}
                None => match self.start_again(&sync, batch_id, now).await? {
                    Some(session) => retried.started.push(session),
                    None => retried.left.push(sync.connection_id),
                },
            }
        }
        self.audit_session(by.did(Action::SessionRetry), batch_id).await?;
        Ok(retried)
    }

    /// Makes a part due, and forgets how often it failed. A claim that still holds is left alone.
    async fn hurry(&self, sync: &OperatedSync, now: DateTime<Utc>) -> Result<u64, StoreError> {
        let now = self.now_for(&sync.user_id, now).await?;
        let mut tx = self.write().await?;
        let hurried = query(
            "UPDATE retailer_sessions SET attempt = 0, panics = 0, claims_without_commit = 0,
                deadline_at = deadline_at - CASE WHEN due_at > $1 THEN due_at - $1 ELSE 0 END,
                due_at = CASE WHEN due_at > $1 THEN $1 ELSE due_at END
             WHERE batch_id = $2 AND connection_id = $3 AND active = 1 AND due_at IS NOT NULL",
        )
        .bind_all((micros(now), &sync.batch_id, &sync.connection_id))
        .execute(&mut tx)
        .await?;
        tx.commit().await?;
        Ok(hurried)
    }

    /// Starts a sync of a connection, for the client that asked for the session.
    async fn start_again(
        &self,
        sync: &OperatedSync,
        batch_id: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<String>, StoreError> {
        let client_id: String =
            query_scalar("SELECT client_id FROM sessions WHERE id = $1").bind(batch_id).fetch_one(&self.pool).await?;
        let now = self.now_for(&sync.user_id, now).await?;
        let caller = Caller { user_id: sync.user_id.clone(), client_id, scopes: Vec::new(), now, widget: false };
        Ok(match self.sync(&caller, &sync.connection_id, false, None).await? {
            StartOutcome::Started(answer) => {
                let started: serde_json::Value =
                    serde_json::from_slice(&answer.body).map_err(|_| StoreError::Corrupt("answer"))?;
                started["batchId"].as_str().map(str::to_owned)
            }
            _ => None,
        })
    }
}

impl PartRow {
    /// Times are those of the user, whose clock a sandbox may have moved.
    fn into_sync(self, machine: DateTime<Utc>, clock: UserClock) -> Result<OperatedSync, StoreError> {
        let now = clock.time(machine)?;
        let sync_status: SyncStatus = self.sync_status.parse()?;
        let waits_for = if self.active != 0 { Some(self.waits_for(sync_status, machine, now)?) } else { None };
        Ok(OperatedSync {
            batch_id: self.batch_id,
            user_id: self.user_id,
            connection_id: self.connection_id,
            retailer_id: self.retailer_id,
            display_name: self.display_name,
            sync_status,
            queued_at: time(self.queued_at)?,
            updated_at: time(self.updated_at)?,
            items_found: count(self.items_found),
            waits_for,
            deadline_at: self.deadline_at.map(time).transpose()?,
            failures: count(self.attempt) + count(self.panics) + count(self.claims_without_commit),
            error_code: self.error_code,
            error_message: self.error_message,
        })
    }

    fn waits_for(
        &self,
        status: SyncStatus,
        machine: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<WaitsFor, StoreError> {
        if let (Some(node), Some(lease)) = (&self.lease_owner, self.lease_until) {
            let (node, since) = (node.clone(), time(lease)?);
            return Ok(if since > machine { WaitsFor::Step { node } } else { WaitsFor::LostProcess { node, since } });
        }
        match self.due_at.map(time).transpose()? {
            None if status == SyncStatus::UserIntervention => Ok(WaitsFor::User),
            _ if self.paused_since.is_some() => {
                Ok(WaitsFor::Pause { since: self.paused_since.map(time).transpose()?.unwrap_or(now) })
            }
            Some(until) if until > now => Ok(WaitsFor::Time { until }),
            since => Ok(WaitsFor::Process { since: since.unwrap_or(now) }),
        }
    }
}
