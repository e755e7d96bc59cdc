//! Sync sessions: how one is started, and how it is read.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use ordersync_api::{
    Connection, ConnectionStatus, Event, EventType, Extra, Id, RetailerSyncSession, Session, SessionStatus, SyncError,
    SyncErrorCode, SyncStarted, SyncStartedStatus, SyncStatus, Timestamp,
};
use sqlx::FromRow;

use super::connections::{self, Access, set_status};
use super::idempotency::{self, Answer, IdempotencyKey};
use super::{Store, StoreError, Write, count, micros, stored, time};
use crate::ids::new_id;
use crate::store::users::Caller;

/// A new connection, with its credentials sealed for [`CREDENTIALS`].
#[derive(Debug)]
pub struct NewConnection<'a> {
    /// Made by the caller, since the credentials are sealed for it.
    pub id: &'a str,
    /// The retailer's number.
    pub retailer_id: i64,
    /// The retailer's name.
    pub display_name: &'a str,
    /// Sealed.
    pub credentials: &'a [u8],
    /// The stamp with which the credentials travelled: good for one connection.
    pub stamp: Stamp<'a>,
}

/// New credentials of a connection that there is.
#[derive(Debug)]
pub struct NewCredentials<'a> {
    /// The connection.
    pub connection_id: &'a str,
    /// Sealed.
    pub credentials: &'a [u8],
    /// The stamp with which they travelled: good for one fix.
    pub stamp: Stamp<'a>,
}

/// A TOTP stamp that is used up by what it comes with.
#[derive(Debug, Clone, Copy)]
pub struct Stamp<'a> {
    /// Its text.
    pub stamp: &'a str,
    /// After which nobody needs to remember it.
    pub expires_at: DateTime<Utc>,
}

/// The column in which credentials rest.
pub const CREDENTIALS: &str = "connections.credentials";
/// The column in which rests what a connector remembers.
pub const CONNECTOR_SESSION: &str = "connections.session";

/// What came of an attempt to start a sync.
#[derive(Debug)]
pub enum Start {
    /// It runs; this is the answer.
    Started(Answer),
    /// The user has a connection to this retailer already.
    Exists(Id),
    /// One runs for this connection already.
    InProgress(Id),
    /// The stamp was used before.
    StampUsed,
    /// The user has no such connection any more.
    Gone(Id),
    /// The user no longer shares the connection with the client.
    NotShared,
    /// The connection became invalid, for this reason.
    Invalid(Id, Option<String>),
    /// The same request was answered meanwhile: ask again what the answer was.
    AnsweredMeanwhile,
}

#[derive(FromRow)]
struct SessionRow {
    id: String,
    created_at: i64,
    updated_at: i64,
    completed_at: Option<i64>,
}

#[derive(FromRow)]
struct PartRow {
    connection_id: String,
    retailer_id: i64,
    display_name: String,
    sync_status: String,
    items_found: i64,
    items_new: i64,
    items_marked: i64,
    orders_kept_back: i64,
    error_code: Option<String>,
    error_message: Option<String>,
    started_at: Option<i64>,
    updated_at: i64,
}

#[derive(FromRow)]
struct EventRow {
    seq: i64,
    at: i64,
    #[sqlx(rename = "type")]
    event_type: String,
    connection_id: String,
    retailer_id: i64,
    sync_status: Option<String>,
    message: Option<String>,
    req_id: Option<String>,
    mfa: Option<String>,
}

impl Store {
    /// Makes a connection, shared with the client, and starts its first sync.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn connect(
        &self,
        caller: &Caller,
        new: &NewConnection<'_>,
        key: Option<&IdempotencyKey>,
    ) -> Result<Start, StoreError> {
        let Some(mut tx) = self.write_once(key, caller.now).await? else { return Ok(Start::AnsweredMeanwhile) };
        if let Some(existing) = existing_connection(&mut tx, caller, new.retailer_id).await? {
            return Ok(Start::Exists(existing));
        }
        if !use_stamp(&mut tx, caller, &new.stamp).await? {
            return Ok(Start::StampUsed);
        }
        sqlx::query(
            "INSERT INTO connections (id, user_id, retailer_id, display_name, status, credentials, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(new.id)
        .bind(&caller.user_id)
        .bind(new.retailer_id)
        .bind(new.display_name)
        .bind(ConnectionStatus::Pending.as_str())
        .bind(new.credentials)
        .bind(micros(caller.now))
        .execute(&mut *tx)
        .await?;
        connections::share(&mut tx, new.id, &caller.client_id, caller.now).await?;
        start(tx, caller, &[new.id.to_owned()], key).await
    }

    /// Gives a connection new credentials and starts a sync with them.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn fix(
        &self,
        caller: &Caller,
        new: &NewCredentials<'_>,
        key: Option<&IdempotencyKey>,
    ) -> Result<Start, StoreError> {
        let Some(mut tx) = self.write_once(key, caller.now).await? else { return Ok(Start::AnsweredMeanwhile) };
        match connections::access(&mut tx, caller, new.connection_id).await? {
            Access::Granted(_) => {}
            Access::NotShared => return Ok(Start::NotShared),
            Access::Absent => return Ok(Start::Gone(new.connection_id.into())),
        }
        if let Some(running) = running(&mut tx, new.connection_id).await? {
            return Ok(Start::InProgress(running));
        }
        if !use_stamp(&mut tx, caller, &new.stamp).await? {
            return Ok(Start::StampUsed);
        }
        sqlx::query("UPDATE connections SET credentials = ?, session = NULL WHERE id = ?")
            .bind(new.credentials)
            .bind(new.connection_id)
            .execute(&mut *tx)
            .await?;
        let status: String = sqlx::query_scalar("SELECT status FROM connections WHERE id = ?")
            .bind(new.connection_id)
            .fetch_one(&mut *tx)
            .await?;
        if status.parse::<ConnectionStatus>()? != ConnectionStatus::Pending {
            set_status(&mut tx, new.connection_id, ConnectionStatus::Pending, None).await?;
        }
        start(tx, caller, &[new.connection_id.to_owned()], key).await
    }

    /// Starts a sync of those of the given connections that can still be synced and are not syncing already. What the
    /// caller read of them before may have changed since: it is looked at again in the transaction.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn sync(
        &self,
        caller: &Caller,
        connections: &[Connection],
        key: Option<&IdempotencyKey>,
    ) -> Result<Start, StoreError> {
        let Some(mut tx) = self.write_once(key, caller.now).await? else { return Ok(Start::AnsweredMeanwhile) };
        let (mut idle, mut refused) = (Vec::new(), None);
        for connection in connections {
            match refusal(&mut tx, caller, &connection.connection_id).await? {
                None => idle.push(connection.connection_id.to_string()),
                // A sync that runs can be followed, which is the most useful answer.
                Some(why) if matches!(refused, Some(Start::InProgress(_))) => drop(why),
                Some(why) => refused = Some(why),
            }
        }
        match refused {
            Some(why) if idle.is_empty() => Ok(why),
            _ => start(tx, caller, &idle, key).await,
        }
    }

    /// The newest session that holds a connection the client may see.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn latest_session(&self, caller: &Caller) -> Result<Option<Session>, StoreError> {
        let row: Option<SessionRow> = sqlx::query_as(
            "SELECT s.* FROM sessions s
             WHERE s.user_id = ?1 AND EXISTS (
                SELECT 1 FROM retailer_sessions r
                JOIN connection_shares h ON h.connection_id = r.connection_id AND h.client_id = ?2
                WHERE r.batch_id = s.id)
             ORDER BY s.created_at DESC, s.id DESC LIMIT 1",
        )
        .bind(&caller.user_id)
        .bind(&caller.client_id)
        .fetch_optional(&self.pool)
        .await?;
        match row {
            None => Ok(None),
            Some(row) => self.session(caller, &row.id).await,
        }
    }

    /// A session, with those of its parts that the client may see; none where there is nothing to see.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn session(&self, caller: &Caller, batch_id: &str) -> Result<Option<Session>, StoreError> {
        // One snapshot, so that status, parts and events belong together.
        let mut tx = self.pool.begin().await?;
        let session: Option<SessionRow> = sqlx::query_as("SELECT * FROM sessions WHERE id = ? AND user_id = ?")
            .bind(batch_id)
            .bind(&caller.user_id)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(session) = session else { return Ok(None) };
        let parts: Vec<PartRow> = sqlx::query_as(
            "SELECT r.*, c.retailer_id, c.display_name FROM retailer_sessions r
             JOIN connections c ON c.id = r.connection_id
             JOIN connection_shares h ON h.connection_id = r.connection_id AND h.client_id = ?
             WHERE r.batch_id = ? ORDER BY r.position",
        )
        .bind(&caller.client_id)
        .bind(batch_id)
        .fetch_all(&mut *tx)
        .await?;
        if parts.is_empty() {
            return Ok(None);
        }
        let events: Vec<EventRow> = sqlx::query_as(
            "SELECT e.* FROM events e
             JOIN connection_shares h ON h.connection_id = e.connection_id AND h.client_id = ?
             WHERE e.batch_id = ? ORDER BY e.seq",
        )
        .bind(&caller.client_id)
        .bind(batch_id)
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        assemble(session, parts, events).map(Some)
    }
}

async fn existing_connection(tx: &mut Write, caller: &Caller, retailer_id: i64) -> Result<Option<Id>, StoreError> {
    let id: Option<String> = sqlx::query_scalar("SELECT id FROM connections WHERE user_id = ? AND retailer_id = ?")
        .bind(&caller.user_id)
        .bind(retailer_id)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(id.map(Id::from))
}

/// Uses up a stamp; false where it was used before.
async fn use_stamp(tx: &mut Write, caller: &Caller, stamp: &Stamp<'_>) -> Result<bool, StoreError> {
    let used = sqlx::query(
        "INSERT INTO used_stamps (user_id, client_id, stamp, expires_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (user_id, client_id, stamp) DO NOTHING",
    )
    .bind(&caller.user_id)
    .bind(&caller.client_id)
    .bind(stamp.stamp)
    .bind(micros(stamp.expires_at))
    .execute(&mut **tx)
    .await?;
    Ok(used.rows_affected() == 1)
}

/// Why a connection cannot be synced now.
async fn refusal(tx: &mut Write, caller: &Caller, id: &Id) -> Result<Option<Start>, StoreError> {
    let connection = match connections::access(tx, caller, id.as_str()).await? {
        Access::Granted(row) => row.into_connection()?,
        Access::NotShared => return Ok(Some(Start::NotShared)),
        Access::Absent => return Ok(Some(Start::Gone(id.clone()))),
    };
    if let Some(batch_id) = running(tx, id.as_str()).await? {
        return Ok(Some(Start::InProgress(batch_id)));
    }
    let is_invalid = connection.status.is(&ConnectionStatus::Invalid);
    Ok(is_invalid.then(|| Start::Invalid(id.clone(), connection.status_reason)))
}

/// The session in which a connection is syncing now.
pub(super) async fn running(tx: &mut Write, connection_id: &str) -> Result<Option<Id>, StoreError> {
    let batch_id: Option<String> =
        sqlx::query_scalar("SELECT batch_id FROM retailer_sessions WHERE connection_id = ? AND active = 1")
            .bind(connection_id)
            .fetch_optional(&mut **tx)
            .await?;
    Ok(batch_id.map(Id::from))
}

/// Queues a session of the given connections, keeps the answer, and commits.
async fn start(
    mut tx: Write,
    caller: &Caller,
    connection_ids: &[String],
    key: Option<&IdempotencyKey>,
) -> Result<Start, StoreError> {
    let batch_id = new_id("batch")?;
    let now = micros(caller.now);
    sqlx::query("INSERT INTO sessions (id, user_id, client_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?)")
        .bind(&batch_id)
        .bind(&caller.user_id)
        .bind(&caller.client_id)
        .bind(now)
        .bind(now)
        .execute(&mut *tx)
        .await?;
    for (position, connection_id) in connection_ids.iter().enumerate() {
        let part_id = new_id("part")?;
        sqlx::query(
            "INSERT INTO retailer_sessions
                (id, batch_id, user_id, connection_id, position, sync_status, active, updated_at, due_at)
             VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)",
        )
        .bind(&part_id)
        .bind(&batch_id)
        .bind(&caller.user_id)
        .bind(connection_id)
        .bind(stored(position))
        .bind(SyncStatus::Queued.as_str())
        .bind(now)
        .bind(now)
        .execute(&mut *tx)
        .await?;
        sqlx::query("UPDATE connections SET last_batch_id = ? WHERE id = ?")
            .bind(&batch_id)
            .bind(connection_id)
            .execute(&mut *tx)
            .await?;
        let event =
            NewEvent { event_type: EventType::Status, sync_status: Some(SyncStatus::Queued), ..NewEvent::default() };
        append_event(&mut tx, &batch_id, connection_id, caller.now, &event).await?;
    }
    let answer = Answer {
        status: 202,
        body: serde_json::to_vec(&SyncStarted {
            batch_id: Some(batch_id.into()),
            status: SyncStartedStatus::Syncing.into(),
            connection_id: match connection_ids {
                [only] => Some(only.clone().into()),
                _ => None,
            },
            extra: Extra::new(),
        })
        .map_err(|_| StoreError::Corrupt("answer"))?,
    };
    idempotency::keep(&mut tx, key, &answer, caller.now).await?;
    tx.commit().await?;
    Ok(Start::Started(answer))
}

/// An event to be appended to a session.
#[derive(Debug, Clone)]
pub(super) struct NewEvent<'a> {
    pub(super) event_type: EventType,
    pub(super) sync_status: Option<SyncStatus>,
    pub(super) message: Option<&'a str>,
    pub(super) req_id: Option<&'a str>,
    pub(super) mfa: Option<&'a str>,
}

impl Default for NewEvent<'_> {
    fn default() -> Self {
        Self { event_type: EventType::Status, sync_status: None, message: None, req_id: None, mfa: None }
    }
}

/// Appends an event, as part of a larger change.
pub(super) async fn append_event(
    tx: &mut Write,
    batch_id: &str,
    connection_id: &str,
    now: DateTime<Utc>,
    event: &NewEvent<'_>,
) -> Result<(), StoreError> {
    let seq: i64 = sqlx::query_scalar(
        "UPDATE sessions SET last_seq = last_seq + 1, updated_at = ? WHERE id = ? RETURNING last_seq",
    )
    .bind(micros(now))
    .bind(batch_id)
    .fetch_one(&mut **tx)
    .await?;
    sqlx::query(
        "INSERT INTO events (batch_id, seq, at, type, connection_id, retailer_id, sync_status, message, req_id, mfa)
         SELECT ?, ?, ?, ?, c.id, c.retailer_id, ?, ?, ?, ? FROM connections c WHERE c.id = ?",
    )
    .bind(batch_id)
    .bind(seq)
    .bind(micros(now))
    .bind(event.event_type.as_str())
    .bind(event.sync_status.map(SyncStatus::as_str))
    .bind(event.message)
    .bind(event.req_id)
    .bind(event.mfa)
    .bind(connection_id)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

fn assemble(session: SessionRow, parts: Vec<PartRow>, events: Vec<EventRow>) -> Result<Session, StoreError> {
    let stamp = |at: i64| time(at).map(|at| Timestamp(at).into());
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
                items_marked: Some(count(row.items_marked)).filter(|marked| *marked > 0),
                orders_kept_back: Some(count(row.orders_kept_back)).filter(|kept| *kept > 0),
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
        updated_at: Some(stamp(session.updated_at)?),
        completed_at: session.completed_at.map(stamp).transpose()?,
        retailer_sync_sessions: parts,
        events,
        extra: Extra::new(),
    })
}
