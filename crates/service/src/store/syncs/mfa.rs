//! Answers to MFA requests. Answering is compare-and-swap on the request: of two answers one is taken, and any node
//! continues the sync.

use chrono::{DateTime, Utc};
use ordersync_api::{Id, MfaEventType, SyncStatus};

use crate::store::accounts::idempotency::{Answer, IdempotencyKey};
use crate::store::accounts::users::Caller;
use crate::store::db::row::row;
use crate::store::db::{query, query_as};
use crate::store::syncs::sessions::{NewEvent, append_event};
use crate::store::{Store, StoreError, micros};

/// The column in which an answer rests until the retailer gets it.
pub(crate) const ANSWER: &str = "retailer_sessions.answer";

/// An MFA request, as far as answering it needs to know.
#[derive(Debug)]
pub(crate) struct PendingMfa {
    /// The part of a session that waits: what an answer is sealed for.
    pub part_id: String,
    /// The session.
    pub batch_id: Id,
    /// The retailer's number.
    pub retailer_id: i64,
    /// The kind of the question.
    pub kind: MfaEventType,
    /// The methods that may be chosen.
    pub options: Vec<String>,
}

/// What there is under a request id.
#[derive(Debug)]
pub(crate) enum MfaLookup {
    /// It waits for an answer.
    Pending(PendingMfa),
    /// It was answered, or has expired.
    Expired,
    /// There is none, or none that this caller may see.
    Absent,
}

/// The outcome of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerOutcome {
    /// The sync goes on.
    Taken,
    /// Somebody else answered first, or it expired meanwhile.
    Expired,
    /// This request was answered meanwhile: ask again what the answer was.
    AnsweredMeanwhile,
}

row! {
    struct MfaRow {
        kind: String,
        options: String,
        expires_at: i64,
        answered_at: Option<i64>,
        retailer_session_id: String,
        batch_id: String,
        retailer_id: i64,
    }
}

impl Store {
    /// What there is under a request id.
    pub(crate) async fn mfa_request(&self, caller: &Caller, req_id: &str) -> Result<MfaLookup, StoreError> {
        let row: Option<MfaRow> = query_as(
            "SELECT m.kind, m.options, m.expires_at, m.answered_at, m.retailer_session_id, r.batch_id, c.retailer_id FROM mfa_requests m
             JOIN retailer_sessions r ON r.id = m.retailer_session_id
             JOIN connections c ON c.id = r.connection_id
             JOIN connection_shares h ON h.user_id = c.user_id AND h.connection_id = c.id AND h.client_id = $1
             WHERE m.user_id = $2 AND m.id = $3",
        )
        .bind_all((&caller.client_id, &caller.user_id, req_id))
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(MfaLookup::Absent) };
        if row.answered_at.is_some() || row.expires_at <= micros(caller.now) {
            return Ok(MfaLookup::Expired);
        }
        Ok(MfaLookup::Pending(PendingMfa {
            part_id: row.retailer_session_id,
            batch_id: row.batch_id.into(),
            retailer_id: row.retailer_id,
            kind: row.kind.parse()?,
            options: serde_json::from_str(&row.options).map_err(|_| StoreError::Corrupt("MFA options"))?,
        }))
    }

    /// Takes an answer, sealed for [`ANSWER`], and lets the sync go on.
    pub(crate) async fn answer_mfa(
        &self,
        caller: &Caller,
        req_id: &str,
        sealed: &[u8],
        deadline_at: DateTime<Utc>,
        kept: (Option<&IdempotencyKey>, &Answer),
    ) -> Result<AnswerOutcome, StoreError> {
        let Some(mut once) = self.write_once(kept.0, caller.now).await? else {
            return Ok(AnswerOutcome::AnsweredMeanwhile);
        };
        let tx = &mut once.tx;
        // The part first, as in every change of a sync. Whether the client may still see the connection is part of the same
        // transaction.
        let part: Option<(String, String, String)> = query_as(
            "UPDATE retailer_sessions AS r SET sync_status = resume_status, resume_status = NULL, answer = $1, due_at = $2,
                deadline_at = $3, updated_at = $2
             WHERE id = (SELECT retailer_session_id FROM mfa_requests WHERE user_id = $6 AND id = $4)
                AND sync_status = $5 AND active = 1 AND user_id = $6 AND EXISTS (SELECT 1 FROM connection_shares h
                    WHERE h.user_id = $6 AND h.connection_id = r.connection_id AND h.client_id = $7)
             RETURNING batch_id, connection_id, sync_status",
        )
        .bind_all((
            sealed,
            micros(caller.now),
            micros(deadline_at),
            req_id,
            SyncStatus::UserIntervention.as_str(),
            &caller.user_id,
            &caller.client_id,
        ))
        .fetch_optional(&mut *tx)
        .await?;
        let Some((batch_id, connection_id, status)) = part else { return Ok(AnswerOutcome::Expired) };
        let answered = query(
            "UPDATE mfa_requests SET answered_at = $1
             WHERE user_id = $2 AND id = $3 AND answered_at IS NULL AND expires_at > $1",
        )
        .bind_all((micros(caller.now), &caller.user_id, req_id))
        .execute(&mut *tx)
        .await?;
        if answered == 0 {
            return Ok(AnswerOutcome::Expired);
        }
        let event = NewEvent { sync_status: Some(status.parse()?), ..NewEvent::default() };
        append_event(tx, &batch_id, &connection_id, caller.now, &event).await?;
        once.commit(kept.1).await?;
        Ok(AnswerOutcome::Taken)
    }
}
