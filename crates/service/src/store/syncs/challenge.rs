//! Parking a part until somebody answers the retailer's challenge.

use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::mfa::MfaOption;
use ordersync_api::{EventType, Extra, MfaEventType, MfaRequest, SyncStatus, Timestamp};

use crate::clock::Clock;
use crate::connector::{Challenge, ChallengeKind};
use crate::ids::new_id;
use crate::store::db::query;
use crate::store::syncs::lease::{Guarded, Held, check, commit};
use crate::store::syncs::queue::Claim;
use crate::store::syncs::sessions::{NewEvent, append_event};
use crate::store::syncs::state::SealedState;
use crate::store::{Store, StoreError, micros};

/// How long an MFA request waits for its answer.
const MFA_EXPIRY: Duration = Duration::from_secs(300);

impl Store {
    /// Parks the part until somebody answers the retailer's challenge.
    pub(crate) async fn commit_challenge(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
        challenge: &Challenge,
        codes_left: u32,
        state: &SealedState,
    ) -> Result<Held, StoreError> {
        let Some(Guarded { mut tx, now, .. }) = self.guarded(claim, clock).await? else { return Ok(Held::Fenced) };
        let req_id = new_id("mfa")?;
        let expires_at = now + MFA_EXPIRY;
        let request = served(challenge, codes_left, expires_at);
        let option_ids: Vec<&str> = request.options.iter().map(|option| option.id.as_str()).collect();
        let json = |value: Result<String, serde_json::Error>| value.map_err(|_| StoreError::Corrupt("MFA request"));
        query(
            "INSERT INTO mfa_requests (user_id, id, retailer_session_id, kind, options, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind_all((
            &claim.user_id,
            &req_id,
            &claim.id,
            kind(challenge).as_str(),
            json(serde_json::to_string(&option_ids))?,
            micros(expires_at),
        ))
        .execute(&mut tx)
        .await?;
        check(claim.status, SyncStatus::UserIntervention)?;
        state.write_blocks(&mut tx, &claim.user_id, &claim.id).await?;
        // However far the clock was moved before: the user has the whole time to answer.
        query(
            "UPDATE retailer_sessions SET sync_status = $1, resume_status = $2, updated_at = $3, state = $4, answer = NULL,
                attempt = 0, panics = 0, behind = 0, codes_left = $5, due_at = NULL, deadline_at = $6, lease_owner = NULL,
                lease_until = NULL, state_blocks = $7
             WHERE id = $8",
        )
        .bind_all((
            SyncStatus::UserIntervention.as_str(),
            claim.status.as_str(),
            micros(now),
            &state.rest[..],
            i64::from(codes_left),
            micros(expires_at),
            state.count(),
            &claim.id,
        ))
        .execute(&mut tx)
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
            .map(|option| MfaOption {
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
