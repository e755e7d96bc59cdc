//! What a step of a sync changes in the store. Each method is one transaction that first makes sure the claim still
//! holds; a lost claim changes nothing.

use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::{
    ConnectionStatus, EventType, Extra, MfaEventType, MfaRequest, SyncErrorCode, SyncStatus, Timestamp,
};

use super::connections::set_status;
use super::queue::Claim;
use super::sessions::{NewEvent, append_event};
use super::{Store, StoreError, Write, count, micros, stored};
use crate::connector::{Challenge, ChallengeKind, Page};
use crate::ids::new_id;
use crate::store::ingest;

/// Whether the claim held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Held {
    /// The change is made.
    Yes,
    /// Another node has the work now, or it is gone: nothing was changed, and nothing more is to be done.
    Fenced,
}

/// What the next step needs, and when it is due.
#[derive(Debug, Clone, Copy)]
pub struct Next<'a> {
    /// Sealed: the connector's state.
    pub state: &'a [u8],
    /// In the user's time.
    pub due_at: DateTime<Utc>,
    /// In the user's time.
    pub deadline_at: DateTime<Utc>,
    /// Whether the claim is given up until then.
    pub release: bool,
}

/// How a part ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End<'a> {
    /// Everything was read.
    Completed,
    /// It failed.
    Failed(SyncErrorCode, &'a str),
    /// It took too long.
    TimedOut(SyncErrorCode),
}

/// How long an MFA request waits for its answer.
pub const MFA_EXPIRY: Duration = Duration::from_secs(300);

impl Store {
    /// Takes a part out of the queue: from here on it is connecting.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn begin_part(
        &self,
        claim: &Claim,
        now: DateTime<Utc>,
        deadline_at: DateTime<Utc>,
    ) -> Result<Held, StoreError> {
        let Some(mut tx) = self.guarded(claim).await? else { return Ok(Held::Fenced) };
        step(&mut tx, claim, SyncStatus::Queued, SyncStatus::Connecting, now).await?;
        sqlx::query("UPDATE retailer_sessions SET started_at = ?, deadline_at = ? WHERE id = ?")
            .bind(micros(now))
            .bind(micros(deadline_at))
            .bind(&claim.id)
            .execute(&mut *tx)
            .await?;
        commit(tx).await
    }

    /// Nothing but the connector's state changed.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn commit_state(&self, claim: &Claim, now: DateTime<Utc>, next: Next<'_>) -> Result<Held, StoreError> {
        let Some(mut tx) = self.guarded(claim).await? else { return Ok(Held::Fenced) };
        set_next(&mut tx, claim, now, next).await?;
        commit(tx).await
    }

    /// The sign-in worked: the connection is valid, the scan begins.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn commit_signed_in(
        &self,
        claim: &Claim,
        now: DateTime<Utc>,
        session: Option<&[u8]>,
        next: Next<'_>,
    ) -> Result<Held, StoreError> {
        let Some(mut tx) = self.guarded(claim).await? else { return Ok(Held::Fenced) };
        set_status(&mut tx, &claim.connection_id, ConnectionStatus::Valid, None).await?;
        remember(&mut tx, claim, session).await?;
        if claim.status != SyncStatus::Scanning {
            step(&mut tx, claim, claim.status, SyncStatus::Scanning, now).await?;
        }
        set_next(&mut tx, claim, now, next).await?;
        commit(tx).await
    }

    /// Stores a page of orders: each line once, however often the page comes.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn commit_page(
        &self,
        claim: &Claim,
        now: DateTime<Utc>,
        page: &Page,
        next: Next<'_>,
    ) -> Result<Held, StoreError> {
        let Some(mut tx) = self.guarded(claim).await? else { return Ok(Held::Fenced) };
        let stored = ingest::store_page(&mut tx, claim, now, page).await?;
        sqlx::query(
            "UPDATE retailer_sessions SET items_found = items_found + ?, items_new = items_new + ?,
                items_marked = items_marked + ?, orders_kept_back = orders_kept_back + ? WHERE id = ?",
        )
        .bind(stored.found)
        .bind(stored.new)
        .bind(stored.marked)
        .bind(stored.kept_back)
        .bind(&claim.id)
        .execute(&mut *tx)
        .await?;
        set_next(&mut tx, claim, now, next).await?;
        sqlx::query("UPDATE sessions SET updated_at = ? WHERE id = ?")
            .bind(micros(now))
            .bind(&claim.batch_id)
            .execute(&mut *tx)
            .await?;
        commit(tx).await
    }

    /// Everything was read: what is left is processing.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn commit_scanned(
        &self,
        claim: &Claim,
        now: DateTime<Utc>,
        session: Option<&[u8]>,
    ) -> Result<Held, StoreError> {
        let Some(mut tx) = self.guarded(claim).await? else { return Ok(Held::Fenced) };
        remember(&mut tx, claim, session).await?;
        step(&mut tx, claim, claim.status, SyncStatus::Processing, now).await?;
        sqlx::query("UPDATE retailer_sessions SET state = NULL, answer = NULL, deadline_at = NULL WHERE id = ?")
            .bind(&claim.id)
            .execute(&mut *tx)
            .await?;
        commit(tx).await
    }

    /// Parks the part until somebody answers the retailer's challenge.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn commit_challenge(
        &self,
        claim: &Claim,
        now: DateTime<Utc>,
        challenge: &Challenge,
        codes_left: u32,
        state: &[u8],
    ) -> Result<Held, StoreError> {
        let Some(mut tx) = self.guarded(claim).await? else { return Ok(Held::Fenced) };
        let req_id = new_id("mfa")?;
        let expires_at = now + MFA_EXPIRY;
        let request = served(challenge, codes_left, expires_at);
        let option_ids: Vec<&str> = request.options.iter().map(|option| option.id.as_str()).collect();
        let json = |value: Result<String, serde_json::Error>| value.map_err(|_| StoreError::Corrupt("MFA request"));
        sqlx::query(
            "INSERT INTO mfa_requests (id, retailer_session_id, kind, options, expires_at) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(&req_id)
        .bind(&claim.id)
        .bind(kind(challenge).as_str())
        .bind(json(serde_json::to_string(&option_ids))?)
        .bind(micros(expires_at))
        .execute(&mut *tx)
        .await?;
        check(claim.status, SyncStatus::UserIntervention)?;
        sqlx::query(
            "UPDATE retailer_sessions SET sync_status = ?, resume_status = ?, updated_at = ?, state = ?, answer = NULL,
                attempt = 0, codes_left = ?, due_at = NULL, deadline_at = ?, lease_owner = NULL, lease_until = NULL
             WHERE id = ?",
        )
        .bind(SyncStatus::UserIntervention.as_str())
        .bind(claim.status.as_str())
        .bind(micros(now))
        .bind(state)
        .bind(i64::from(codes_left))
        .bind(micros(expires_at))
        .bind(&claim.id)
        .execute(&mut *tx)
        .await?;
        let mfa = json(serde_json::to_string(&request))?;
        let event = NewEvent {
            event_type: EventType::Mfa,
            sync_status: Some(SyncStatus::UserIntervention),
            message: Some(&challenge.prompt),
            req_id: Some(&req_id),
            mfa: Some(&mfa),
        };
        append_event(&mut tx, &claim.batch_id, &claim.connection_id, now, &event).await?;
        commit(tx).await
    }

    /// The step failed in a way that may pass: it is due again later.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn commit_retry(&self, claim: &Claim, due_at: DateTime<Utc>) -> Result<Held, StoreError> {
        let Some(mut tx) = self.guarded(claim).await? else { return Ok(Held::Fenced) };
        sqlx::query(
            "UPDATE retailer_sessions SET attempt = attempt + 1, due_at = ?, lease_owner = NULL, lease_until = NULL
             WHERE id = ?",
        )
        .bind(micros(due_at))
        .bind(&claim.id)
        .execute(&mut *tx)
        .await?;
        commit(tx).await
    }

    /// Ends the part.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn finish(&self, claim: &Claim, now: DateTime<Utc>, end: End<'_>) -> Result<Held, StoreError> {
        let Some(mut tx) = self.guarded(claim).await? else { return Ok(Held::Fenced) };
        let part = Part {
            id: &claim.id,
            batch_id: &claim.batch_id,
            connection_id: &claim.connection_id,
            status: claim.status,
        };
        finish_part(&mut tx, &part, now, end).await?;
        commit(tx).await
    }

    /// Ends every part whose phase or MFA request lasted too long, whoever works on it. Returns how many.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn end_overdue(&self, now: DateTime<Utc>) -> Result<u64, StoreError> {
        const OVERDUE: &str = "SELECT r.id, r.batch_id, r.connection_id, r.sync_status,
                COALESCE(u.clock_frozen_at, ?1 + u.clock_offset)
             FROM retailer_sessions r JOIN users u ON u.id = r.user_id
             WHERE r.active = 1 AND r.deadline_at <= COALESCE(u.clock_frozen_at, ?1 + u.clock_offset)";
        type Overdue = (String, String, String, String, i64);
        let overdue: Vec<Overdue> = sqlx::query_as(OVERDUE).bind(micros(now)).fetch_all(&self.pool).await?;
        if overdue.is_empty() {
            return Ok(0);
        }
        let mut tx = self.write().await?;
        let overdue: Vec<Overdue> = sqlx::query_as(OVERDUE).bind(micros(now)).fetch_all(&mut *tx).await?;
        for (id, batch_id, connection_id, status, user_now) in &overdue {
            let status: SyncStatus = status.parse()?;
            let code = if status == SyncStatus::UserIntervention {
                SyncErrorCode::MfaExpired
            } else {
                SyncErrorCode::RetailerTimeout
            };
            let part = Part { id, batch_id, connection_id, status };
            finish_part(&mut tx, &part, super::time(*user_now)?, End::TimedOut(code)).await?;
        }
        tx.commit().await?;
        Ok(count(stored(overdue.len())))
    }

    /// A transaction in which the claim is known to hold; none where it does not.
    pub(super) async fn guarded(&self, claim: &Claim) -> Result<Option<Write>, StoreError> {
        let mut tx = self.write().await?;
        let held = sqlx::query(
            "UPDATE retailer_sessions SET epoch = epoch
             WHERE id = ? AND lease_owner = ? AND epoch = ? AND active = 1 AND sync_status = ?",
        )
        .bind(&claim.id)
        .bind(&claim.owner)
        .bind(claim.epoch)
        .bind(claim.status.as_str())
        .execute(&mut *tx)
        .await?;
        Ok((held.rows_affected() == 1).then_some(tx))
    }
}

async fn commit(tx: Write) -> Result<Held, StoreError> {
    tx.commit().await?;
    Ok(Held::Yes)
}

struct Part<'a> {
    id: &'a str,
    batch_id: &'a str,
    connection_id: &'a str,
    status: SyncStatus,
}

const fn check(from: SyncStatus, to: SyncStatus) -> Result<(), StoreError> {
    if from.can_become(to) { Ok(()) } else { Err(StoreError::IllegalStep { from: from.as_str(), to: to.as_str() }) }
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
    sqlx::query("UPDATE retailer_sessions SET sync_status = ?, updated_at = ? WHERE id = ?")
        .bind(to.as_str())
        .bind(micros(now))
        .bind(&claim.id)
        .execute(&mut **tx)
        .await?;
    let event = NewEvent { sync_status: Some(to), ..NewEvent::default() };
    append_event(tx, &claim.batch_id, &claim.connection_id, now, &event).await
}

async fn set_next(tx: &mut Write, claim: &Claim, now: DateTime<Utc>, next: Next<'_>) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE retailer_sessions SET state = ?, answer = NULL, attempt = 0, due_at = ?, deadline_at = ?, updated_at = ?,
            lease_owner = CASE WHEN ? THEN NULL ELSE lease_owner END,
            lease_until = CASE WHEN ? THEN NULL ELSE lease_until END
         WHERE id = ?",
    )
    .bind(next.state)
    .bind(micros(next.due_at))
    .bind(micros(next.deadline_at))
    .bind(micros(now))
    .bind(next.release)
    .bind(next.release)
    .bind(&claim.id)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

async fn remember(tx: &mut Write, claim: &Claim, session: Option<&[u8]>) -> Result<(), StoreError> {
    if let Some(session) = session {
        sqlx::query("UPDATE connections SET session = ? WHERE id = ?")
            .bind(session)
            .bind(&claim.connection_id)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// Ends a part, and the session with its last part.
async fn finish_part(tx: &mut Write, part: &Part<'_>, now: DateTime<Utc>, end: End<'_>) -> Result<(), StoreError> {
    let (status, failure) = match end {
        End::Completed => (SyncStatus::Completed, None),
        End::Failed(code, message) => (SyncStatus::Error, Some((code, message))),
        End::TimedOut(code) => (SyncStatus::TimedOut, Some((code, code.message()))),
    };
    check(part.status, status)?;
    sqlx::query(
        "UPDATE retailer_sessions SET sync_status = ?, active = 0, updated_at = ?, error_code = ?, error_message = ?,
            state = NULL, answer = NULL, due_at = NULL, deadline_at = NULL, lease_owner = NULL, lease_until = NULL
         WHERE id = ?",
    )
    .bind(status.as_str())
    .bind(micros(now))
    .bind(failure.map(|(code, _)| code.as_str()))
    .bind(failure.map(|(_, message)| message))
    .bind(part.id)
    .execute(&mut **tx)
    .await?;
    sqlx::query("UPDATE mfa_requests SET answered_at = ? WHERE retailer_session_id = ? AND answered_at IS NULL")
        .bind(micros(now))
        .bind(part.id)
        .execute(&mut **tx)
        .await?;
    let event = NewEvent {
        event_type: if failure.is_some() { EventType::Error } else { EventType::Status },
        sync_status: Some(status),
        message: failure.map(|(_, message)| message),
        ..NewEvent::default()
    };
    append_event(tx, part.batch_id, part.connection_id, now, &event).await?;
    match failure {
        None => {
            sqlx::query("UPDATE connections SET last_sync_at = ? WHERE id = ?")
                .bind(micros(now))
                .bind(part.connection_id)
                .execute(&mut **tx)
                .await?;
        }
        Some((code, _)) if code.invalidates_connection() => {
            set_status(tx, part.connection_id, ConnectionStatus::Invalid, Some(code.as_str())).await?;
        }
        Some(_) => {}
    }
    sqlx::query(
        "UPDATE sessions SET completed_at = ?1
         WHERE id = ?2 AND NOT EXISTS (SELECT 1 FROM retailer_sessions WHERE batch_id = ?2 AND active = 1)",
    )
    .bind(micros(now))
    .bind(part.batch_id)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

const fn kind(challenge: &Challenge) -> MfaEventType {
    match challenge.kind {
        ChallengeKind::Choose(_) => MfaEventType::Choose,
        ChallengeKind::Enter => MfaEventType::Enter,
    }
}

/// The challenge as clients see it.
fn served(challenge: &Challenge, codes_left: u32, expires_at: DateTime<Utc>) -> MfaRequest {
    let options = match &challenge.kind {
        ChallengeKind::Enter => Vec::new(),
        ChallengeKind::Choose(options) => options
            .iter()
            .map(|option| ordersync_api::mfa::MfaOption {
                id: option.id.clone().into(),
                label: Some(option.label.clone()),
                extra: Extra::new(),
            })
            .collect(),
    };
    MfaRequest {
        event_type: kind(challenge).into(),
        attempts_left: matches!(challenge.kind, ChallengeKind::Enter).then_some(codes_left),
        options,
        prompt: Some(challenge.prompt.clone()),
        expires_at: Some(Timestamp(expires_at).into()),
        extra: Extra::new(),
    }
}
