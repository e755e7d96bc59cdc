//! Sync sessions: how they are read, and their events.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use ordersync_api::{
    Event, EventType, Extra, RetailerSyncSession, Session, SessionStatus, SyncError, SyncErrorCode, SyncStatus,
    Timestamp,
};

use crate::store::accounts::users::Caller;
use crate::store::db::row::row;
use crate::store::db::{Tx, query, query_as, query_scalar};
use crate::store::{Store, StoreError, Write, count, micros, time};

/// The column in which credentials rest.
pub(crate) const CREDENTIALS: &str = "connections.credentials";
/// The column in which rests what a connector remembers.
pub(crate) const CONNECTOR_SESSION: &str = "connections.session";

row! {
    struct SessionRow {
        id: String,
        created_at: i64,
    }
}

row! {
    struct PartRow {
        connection_id: String,
        retailer_id: i64,
        display_name: String,
        sync_status: String,
        items_found: i64,
        items_new: i64,
        items_marked: i64,
        orders_kept_back: i64,
        orders_without_items: i64,
        orders_missing: i64,
        items_renamed: i64,
        orders_changed: i64,
        error_code: Option<String>,
        error_message: Option<String>,
        started_at: Option<i64>,
        updated_at: i64,
    }
}

row! {
    struct EventRow {
        seq: i64,
        at: i64,
        event_type: String,
        connection_id: String,
        retailer_id: i64,
        sync_status: Option<String>,
        message: Option<String>,
        req_id: Option<String>,
        mfa: Option<String>,
    }
}

impl Store {
    /// The newest session that holds a connection the client may see.
    pub(crate) async fn latest_session(&self, caller: &Caller) -> Result<Option<Session>, StoreError> {
        let mut tx = self.pool.begin().await?;
        let latest: Option<SessionRow> = query_as(
            "SELECT s.id, s.created_at FROM sessions s
             WHERE s.user_id = $1 AND EXISTS (
                SELECT 1 FROM retailer_sessions r
                JOIN connection_shares h
                    ON h.user_id = r.user_id AND h.connection_id = r.connection_id AND h.client_id = $2
                WHERE r.batch_id = s.id)
             ORDER BY s.created_at DESC, s.number DESC, s.id DESC LIMIT 1",
        )
        .bind_all((&caller.user_id, &caller.client_id))
        .fetch_optional(&mut tx)
        .await?;
        match latest {
            None => Ok(None),
            Some(session) => whole(tx, caller, session).await,
        }
    }

    /// A session, with those of its parts that the client may see; none where there is nothing to see.
    pub(crate) async fn session(&self, caller: &Caller, batch_id: &str) -> Result<Option<Session>, StoreError> {
        let mut tx = self.pool.begin().await?;
        let session: Option<SessionRow> =
            query_as("SELECT id, created_at FROM sessions WHERE id = $1 AND user_id = $2")
                .bind_all((batch_id, &caller.user_id))
                .fetch_optional(&mut tx)
                .await?;
        match session {
            None => Ok(None),
            Some(session) => whole(tx, caller, session).await,
        }
    }
}

/// A session with its parts and events. They are read in one snapshot, so that they belong together.
async fn whole(mut tx: Tx, caller: &Caller, session: SessionRow) -> Result<Option<Session>, StoreError> {
    let parts: Vec<PartRow> = query_as(
        "SELECT r.connection_id, c.retailer_id, c.display_name, r.sync_status, r.items_found, r.items_new, r.items_marked,
            r.orders_kept_back, r.orders_without_items, r.orders_missing, r.items_renamed, r.orders_changed, r.error_code,
            r.error_message, r.started_at, r.updated_at FROM retailer_sessions r
         JOIN connections c ON c.id = r.connection_id
         JOIN connection_shares h ON h.user_id = r.user_id AND h.connection_id = r.connection_id AND h.client_id = $1
         WHERE r.batch_id = $2 ORDER BY r.position",
    )
    .bind_all((&caller.client_id, &session.id))
    .fetch_all(&mut tx)
    .await?;
    if parts.is_empty() {
        return Ok(None);
    }
    let events: Vec<EventRow> = query_as(
        "SELECT e.seq, e.at, e.type AS event_type, e.connection_id, e.retailer_id, e.sync_status, e.message, e.req_id, e.mfa
         FROM events e
         JOIN connection_shares h ON h.user_id = e.user_id AND h.connection_id = e.connection_id AND h.client_id = $1
         WHERE e.user_id = $2 AND e.batch_id = $3 ORDER BY e.seq",
    )
    .bind_all((&caller.client_id, &caller.user_id, &session.id))
    .fetch_all(&mut tx)
    .await?;
    tx.commit().await?;
    assemble(session, parts, events).map(Some)
}

/// An event to be appended to a session.
#[derive(Debug, Clone)]
pub(in crate::store) struct NewEvent<'a> {
    pub(in crate::store) event_type: EventType,
    pub(in crate::store) sync_status: Option<SyncStatus>,
    pub(in crate::store) message: Option<&'a str>,
    pub(in crate::store) req_id: Option<&'a str>,
    pub(in crate::store) mfa: Option<&'a str>,
}

impl NewEvent<'_> {
    /// That a part has come to this state.
    pub(in crate::store) fn of(status: SyncStatus) -> Self {
        Self { sync_status: Some(status), ..Self::default() }
    }
}

impl Default for NewEvent<'_> {
    fn default() -> Self {
        Self { event_type: EventType::Status, sync_status: None, message: None, req_id: None, mfa: None }
    }
}

/// Appends an event, as part of a larger change.
pub(in crate::store) async fn append_event(
    tx: &mut Write,
    batch_id: &str,
    connection_id: &str,
    now: DateTime<Utc>,
    event: &NewEvent<'_>,
) -> Result<(), StoreError> {
    let seq: i64 =
        query_scalar("UPDATE sessions SET last_seq = last_seq + 1, updated_at = $1 WHERE id = $2 RETURNING last_seq")
            .bind_all((micros(now), batch_id))
            .fetch_one(&mut *tx)
            .await?;
    query(
        "INSERT INTO events
            (user_id, batch_id, seq, at, type, connection_id, retailer_id, sync_status, message, req_id, mfa)
         SELECT c.user_id, $1, $2, $3, $4, c.id, c.retailer_id, $5, $6, $7, $8 FROM connections c WHERE c.id = $9",
    )
    .bind_all((
        batch_id,
        seq,
        micros(now),
        event.event_type.as_str(),
        event.sync_status.map(SyncStatus::as_str),
        event.message,
        event.req_id,
        event.mfa,
        connection_id,
    ))
    .run(&mut *tx)
    .await
}

fn assemble(session: SessionRow, parts: Vec<PartRow>, events: Vec<EventRow>) -> Result<Session, StoreError> {
    let stamp = |at: i64| time(at).map(|at| Timestamp(at).into());
    // Of the parts that the client sees; those of other clients, and their times, stay hidden.
    let updated_at = parts.iter().map(|part| part.updated_at).max().unwrap_or(session.created_at);
    let mut seen = HashMap::new();
    let parts = parts
        .into_iter()
        .map(|row| {
            let status: SyncStatus = row.sync_status.parse()?;
            seen.insert(row.connection_id.clone(), status);
            let error = row.error_code.map(|code| code.parse::<SyncErrorCode>()).transpose()?.map(|code| SyncError {
                code: code.into(),
                message: row.error_message.unwrap_or_else(|| code.message().to_owned()),
                extra: Extra::new(),
            });
            Ok(RetailerSyncSession {
                retailer_id: row.retailer_id,
                display_name: Some(row.display_name),
                connection_id: Some(row.connection_id.into()),
                sync_status: status.into(),
                items_found: Some(count(row.items_found)),
                items_new: Some(count(row.items_new)),
                orders_changed: Some(count(row.orders_changed)).filter(|changed| *changed > 0),
                items_marked: Some(count(row.items_marked)).filter(|marked| *marked > 0),
                orders_kept_back: Some(count(row.orders_kept_back)).filter(|kept| *kept > 0),
                orders_without_items: Some(count(row.orders_without_items)).filter(|orders| *orders > 0),
                orders_missing: Some(count(row.orders_missing)).filter(|missing| *missing > 0),
                items_renamed: Some(count(row.items_renamed)).filter(|renamed| *renamed > 0),
                error,
                started_at: row.started_at.map(stamp).transpose()?,
                updated_at: Some(stamp(row.updated_at)?),
                extra: Extra::new(),
            })
        })
        .collect::<Result<_, StoreError>>()?;
    let status = SessionStatus::of(seen.into_values());
    let events = events
        .into_iter()
        .map(|row| {
            Ok(Event {
                seq: count(row.seq),
                at: Some(stamp(row.at)?),
                event_type: row.event_type.parse::<EventType>()?.into(),
                connection_id: Some(row.connection_id.into()),
                retailer_id: Some(row.retailer_id),
                sync_status: row.sync_status.map(|word| word.parse::<SyncStatus>()).transpose()?.map(Into::into),
                message: row.message,
                req_id: row.req_id.map(Into::into),
                mfa: row
                    .mfa
                    .map(|json| serde_json::from_str(&json).map_err(|_| StoreError::Corrupt("MFA request")))
                    .transpose()?,
                extra: Extra::new(),
            })
        })
        .collect::<Result<_, StoreError>>()?;
    Ok(Session {
        batch_id: session.id.into(),
        status: status.into(),
        created_at: Some(stamp(session.created_at)?),
        updated_at: Some(stamp(updated_at)?),
        // The last change of a part that has ended is its end.
        completed_at: (status == SessionStatus::Normal).then(|| stamp(updated_at)).transpose()?,
        retailer_sync_sessions: parts,
        events,
        extra: Extra::new(),
    })
}
