//! How a sync is started: by a connect, a fix, or a request to sync. What decides is looked at in the transaction that
//! starts it. That a user has one connection to a retailer, and a connection one sync at a time, is decided by the unique
//! indexes of the tables, as an attempt to insert shows.

use chrono::{DateTime, Utc};
use ordersync_api::connection::IMPORT_ONLY;
use ordersync_api::{ConnectionStatus, EventType, Extra, Id, SyncStarted, SyncStartedStatus, SyncStatus};
use serde::Serialize;

use crate::ids::new_id;
use crate::store::accounts::connections;
use crate::store::accounts::connections::{Access, Made, set_status};
use crate::store::accounts::idempotency::{Answer, IdempotencyKey, Once};
use crate::store::accounts::users::Caller;
use crate::store::db::dialect::sql;
use crate::store::db::{query, query_as, query_scalar};
use crate::store::syncs::sessions::{NewEvent, append_event};
use crate::store::{Store, StoreError, Write, micros, stored};
use crate::traces;

/// A new connection, with its credentials sealed for [`CREDENTIALS`](crate::store::syncs::sessions::CREDENTIALS).
#[derive(Debug)]
pub(crate) struct NewConnection<'a> {
    /// Made by the caller, since the credentials are sealed for it.
    pub id: &'a str,
    /// In a sandbox, the day on which its simulated history ends, in days since 1970-01-01.
    pub history_end: Option<i64>,
    /// The retailer's number.
    pub retailer_id: i64,
    /// The retailer's name.
    pub display_name: &'a str,
    /// Sealed.
    pub credentials: &'a [u8],
    /// The stamp with which the credentials travelled: good for one connection.
    pub stamp: Stamp<'a>,
}

/// New credentials of an existing connection.
pub(crate) struct NewCredentials<'a> {
    pub connection_id: &'a str,
    /// Sealed.
    pub credentials: &'a [u8],
    /// Whether they are of the same user name as the given ones, which are stored (sealed).
    pub is_same_account: &'a (dyn Fn(&[u8]) -> bool + Send + Sync),
    /// The stamp with which they travelled: good for one fix.
    pub stamp: Stamp<'a>,
}

/// How often a connection is inserted beside another one that is being removed and made again.
const INSERTIONS: u32 = 10;

/// A TOTP stamp that is used up by what it comes with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp<'a> {
    /// Its text.
    pub stamp: &'a str,
    /// After which nobody needs to remember it.
    pub expires_at: DateTime<Utc>,
}

/// The outcome of an attempt to start a sync.
#[derive(Debug)]
pub(crate) enum StartOutcome {
    /// It runs, or there is nothing to sync; this is the answer.
    Started(Answer),
    /// The user has a connection to this retailer already.
    Exists(Id),
    /// One runs for this connection already.
    InProgress(Id),
    /// The user has no such connection any more.
    Gone(Id),
    /// The user no longer shares the connection with the client.
    NotShared,
    /// The connection is invalid, for this reason: it has to be fixed first.
    Invalid(Id, Option<String>),
    /// The connection has no account: its orders come from files.
    NoAccount(Id),
    /// The stamp was used before.
    StampUsed,
    /// This request was answered meanwhile: ask again what the answer was.
    AnsweredMeanwhile,
}

/// How the parts of a new session are to be synced.
#[derive(Debug, Clone, Copy, Default)]
struct How<'a> {
    /// Whether settled and unchanged orders are read again.
    full: bool,
    /// Sealed: credentials of another user name than the stored ones.
    staged: Option<&'a [u8]>,
}

impl Store {
    /// Makes a connection, shared with the client, and starts its first sync.
    pub(crate) async fn connect(
        &self,
        caller: &Caller,
        new: &NewConnection<'_>,
        key: Option<&IdempotencyKey>,
    ) -> Result<StartOutcome, StoreError> {
        let Some(mut once) = self.write_once(key, caller.now).await? else {
            return Ok(StartOutcome::AnsweredMeanwhile);
        };
        let tx = &mut once.tx;
        let number = connections::take_number(tx, caller).await?;
        let made = Made {
            id: new.id,
            retailer_id: new.retailer_id,
            display_name: new.display_name,
            status: ConnectionStatus::Pending,
            status_reason: None,
            credentials: new.credentials,
            history_end: new.history_end,
        };
        let mut tries = 0;
        while !connections::make(tx, caller, number, made).await? {
            if let Some(id) = existing_connection(tx, caller, new.retailer_id).await? {
                return Ok(StartOutcome::Exists(id));
            }
            // It was removed since the insertion met it.
            tries += 1;
            if tries == INSERTIONS {
                return Err(StoreError::Corrupt("connection"));
            }
        }
        if !use_stamp(tx, caller, &new.stamp).await? {
            return Ok(StartOutcome::StampUsed);
        }
        connections::share(tx, &caller.user_id, new.id, &caller.client_id, caller.now).await?;
        start(once, caller, &[new.id.to_owned()], How::default()).await
    }

    /// Gives a connection new credentials and starts a sync with them. If they are of another user name, the stored ones stay
    /// until that sync has verified that the account is the same.
    pub(crate) async fn fix(
        &self,
        caller: &Caller,
        new: &NewCredentials<'_>,
        key: Option<&IdempotencyKey>,
    ) -> Result<StartOutcome, StoreError> {
        let Some(mut once) = self.write_once(key, caller.now).await? else {
            return Ok(StartOutcome::AnsweredMeanwhile);
        };
        let tx = &mut once.tx;
        let connection = match connections::access_to_change(tx, caller, new.connection_id).await? {
            Access::Granted(row) => row.into_connection()?,
            Access::NotShared => return Ok(StartOutcome::NotShared),
            Access::Absent => return Ok(StartOutcome::Gone(new.connection_id.into())),
        };
        // Without a stored order, or without an account so far, there is nothing that could belong to another account. The connection
        // of an imported user had one, although its credentials are missing.
        let had_account = !connection.is_import_only();
        let is_same = |stored: &[u8]| !stored.is_empty() && (new.is_same_account)(stored);
        let (stored, has_orders): (Vec<u8>, bool) = query_as(
            "SELECT credentials, EXISTS (SELECT 1 FROM orders o WHERE o.user_id = c.user_id AND o.connection = c.number)
             FROM connections c WHERE id = $1",
        )
        .bind(new.connection_id)
        .fetch_one(&mut *tx)
        .await?;
        let staged = (has_orders && had_account && !is_same(&stored)).then_some(new.credentials);
        let started = match queue(tx, caller, &[new.connection_id.to_owned()], How { full: false, staged }).await? {
            Queued::Started(started) => started,
            Queued::InProgress(running) => return Ok(StartOutcome::InProgress(running)),
        };
        if !use_stamp(tx, caller, &new.stamp).await? {
            return Ok(StartOutcome::StampUsed);
        }
        if staged.is_none() {
            query("UPDATE connections SET credentials = $1, session = NULL WHERE id = $2")
                .bind_all((new.credentials, new.connection_id))
                .execute(&mut *tx)
                .await?;
        }
        if !connection.status.is(&ConnectionStatus::Pending) {
            set_status(tx, new.connection_id, ConnectionStatus::Pending, None).await?;
        }
        begin(once, &started).await
    }

    /// Starts a sync of one connection.
    pub(crate) async fn sync(
        &self,
        caller: &Caller,
        connection_id: &str,
        full: bool,
        key: Option<&IdempotencyKey>,
    ) -> Result<StartOutcome, StoreError> {
        let Some(mut once) = self.write_once(key, caller.now).await? else {
            return Ok(StartOutcome::AnsweredMeanwhile);
        };
        let tx = &mut once.tx;
        let connection = match connections::access_to_change(tx, caller, connection_id).await? {
            Access::Granted(row) => row.into_connection()?,
            Access::NotShared => return Ok(StartOutcome::NotShared),
            Access::Absent => return Ok(StartOutcome::Gone(connection_id.into())),
        };
        if connection.is_import_only() {
            return Ok(StartOutcome::NoAccount(connection_id.into()));
        }
        if connection.status.is(&ConnectionStatus::Invalid) {
            // A sync that runs can be followed, which is the most useful answer.
            return Ok(match running(tx, &caller.user_id, connection_id).await? {
                Some(running) => StartOutcome::InProgress(running),
                None => StartOutcome::Invalid(connection_id.into(), connection.status_reason),
            });
        }
        start(once, caller, &[connection_id.to_owned()], How { full, staged: None }).await
    }

    /// Starts a sync of the user's connections that are valid or pending and not syncing already, if at least one is valid.
    pub(crate) async fn sync_every(
        &self,
        caller: &Caller,
        full: bool,
        key: Option<&IdempotencyKey>,
    ) -> Result<StartOutcome, StoreError> {
        let Some(mut once) = self.write_once(key, caller.now).await? else {
            return Ok(StartOutcome::AnsweredMeanwhile);
        };
        let connections: Vec<(String, String)> = query_as(sql!(
            "SELECT c.id, c.status FROM connections c
             JOIN connection_shares s ON s.user_id = c.user_id AND s.connection_id = c.id AND s.client_id = $1
             WHERE c.user_id = $2 AND c.status IN ($3, $4) AND COALESCE(c.status_reason, '') <> $5 ORDER BY c.created_at, c.id", [lock of "c"]
        ))
        .bind_all((
            &caller.client_id,
            &caller.user_id,
            ConnectionStatus::Valid.as_str(),
            ConnectionStatus::Pending.as_str(),
            IMPORT_ONLY,
        ))
        .fetch_all(&mut once.tx)
        .await?;
        if !connections.iter().any(|(_, status)| status == ConnectionStatus::Valid.as_str()) {
            let none = SyncStarted {
                batch_id: None,
                status: SyncStartedStatus::NoRetailers.into(),
                connection_id: None,
                extra: Extra::new(),
            };
            let answer = answer(200, &none)?;
            once.commit(&answer).await?;
            return Ok(StartOutcome::Started(answer));
        }
        let ids: Vec<String> = connections.into_iter().map(|(id, _)| id).collect();
        start(once, caller, &ids, How { full, staged: None }).await
    }
}

async fn existing_connection(tx: &mut Write, caller: &Caller, retailer_id: i64) -> Result<Option<Id>, StoreError> {
    let id: Option<String> = query_scalar("SELECT id FROM connections WHERE user_id = $1 AND retailer_id = $2")
        .bind_all((&caller.user_id, retailer_id))
        .fetch_optional(&mut *tx)
        .await?;
    Ok(id.map(Id::from))
}

/// Uses up a stamp; false if it was used before.
async fn use_stamp(tx: &mut Write, caller: &Caller, stamp: &Stamp<'_>) -> Result<bool, StoreError> {
    let used = query(
        "INSERT INTO used_stamps (user_id, client_id, stamp, expires_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id, client_id, stamp) DO NOTHING",
    )
    .bind_all((&caller.user_id, &caller.client_id, stamp.stamp, micros(stamp.expires_at)))
    .execute(&mut *tx)
    .await?;
    Ok(used == 1)
}

/// The session in which a user's connection is syncing now.
pub(in crate::store) async fn running(
    tx: &mut Write,
    user_id: &str,
    connection_id: &str,
) -> Result<Option<Id>, StoreError> {
    let batch_id: Option<String> =
        query_scalar("SELECT batch_id FROM retailer_sessions WHERE user_id = $1 AND connection_id = $2 AND active = 1")
            .bind_all((user_id, connection_id))
            .fetch_optional(&mut *tx)
            .await?;
    Ok(batch_id.map(Id::from))
}

/// Queues a session of those of the connections that are not syncing already, keeps the answer, and commits. If all of them
/// are syncing, nothing changes.
async fn start(
    mut once: Once<'_>,
    caller: &Caller,
    connection_ids: &[String],
    how: How<'_>,
) -> Result<StartOutcome, StoreError> {
    match queue(&mut once.tx, caller, connection_ids, how).await? {
        Queued::Started(started) => begin(once, &started).await,
        Queued::InProgress(running) => Ok(StartOutcome::InProgress(running)),
    }
}

/// Keeps the answer to the request that queued a session, and commits.
async fn begin(once: Once<'_>, started: &SyncStarted) -> Result<StartOutcome, StoreError> {
    let answer = answer(202, started)?;
    once.commit(&answer).await?;
    Ok(StartOutcome::Started(answer))
}

/// The outcome of an attempt to queue a session.
enum Queued {
    /// It is queued once the transaction commits.
    Started(SyncStarted),
    /// All of the connections are syncing; this session is one of theirs. The transaction must not commit.
    InProgress(Id),
}

/// Queues a session of those of the connections that are not syncing already.
async fn queue(tx: &mut Write, caller: &Caller, connection_ids: &[String], how: How<'_>) -> Result<Queued, StoreError> {
    let batch_id = new_id("batch")?;
    let now = micros(caller.now);
    // Under a clock that stands still, many are made at the same time: their number says which came later.
    query(
        "INSERT INTO sessions (id, user_id, client_id, created_at, updated_at, number)
         SELECT $1, $2, $3, $4, $4, COALESCE(MAX(number), 0) + 1 FROM sessions WHERE user_id = $2 AND created_at = $4",
    )
    .bind_all((&batch_id, &caller.user_id, &caller.client_id, now))
    .execute(&mut *tx)
    .await?;
    let (mut queued, mut busy) = (Vec::new(), None);
    for connection_id in connection_ids {
        if !queue_part(tx, &batch_id, connection_id, stored(queued.len()), how, now).await? {
            busy = Some(connection_id);
            continue;
        }
        let event =
            NewEvent { event_type: EventType::Status, sync_status: Some(SyncStatus::Queued), ..NewEvent::default() };
        append_event(tx, &batch_id, connection_id, caller.now, &event).await?;
        queued.push(connection_id);
    }
    if let (Some(busy), true) = (busy, queued.is_empty()) {
        let running = running(tx, &caller.user_id, busy).await?.ok_or(StoreError::Corrupt("sync"))?;
        return Ok(Queued::InProgress(running));
    }
    Ok(Queued::Started(SyncStarted {
        batch_id: Some(batch_id.into()),
        status: SyncStartedStatus::Syncing.into(),
        connection_id: match queued[..] {
            [only] => Some(only.clone().into()),
            _ => None,
        },
        extra: Extra::new(),
    }))
}

/// Queues a part of a session. False: the connection is syncing already.
///
/// The constraint decides, but an insert that meets a part waits for the transaction that is changing it, which may be waiting
/// for the connection that this one has locked. So nothing is inserted if a part can be seen.
async fn queue_part(
    tx: &mut Write,
    batch_id: &str,
    connection_id: &str,
    position: i64,
    how: How<'_>,
    now: i64,
) -> Result<bool, StoreError> {
    let queued = query(
        "INSERT INTO retailer_sessions
            (id, batch_id, user_id, connection_id, retailer_id, position, sync_status, active, updated_at, due_at, \"full\",
             staged_credentials, traceparent)
         SELECT $1, $2, c.user_id, c.id, c.retailer_id, $3, $4, 1, $5, $6, $7, $8, $9 FROM connections c WHERE c.id = $10
            AND NOT EXISTS (SELECT 1 FROM retailer_sessions r
                WHERE r.user_id = c.user_id AND r.connection_id = c.id AND r.active = 1)
         ON CONFLICT (user_id, connection_id) WHERE active = 1 DO NOTHING",
    )
    .bind_all((
        new_id("part")?,
        batch_id,
        position,
        SyncStatus::Queued.as_str(),
        now,
        now,
        how.full,
        how.staged,
        traces::current().map(|context| context.to_string()),
        connection_id,
    ))
    .execute(&mut *tx)
    .await?;
    if queued == 0 {
        return Ok(false);
    }
    // Why the last sync failed is of no interest while the next one runs.
    query(
        "UPDATE connections SET last_batch_id = $1,
            status_reason = CASE status WHEN $2 THEN NULL ELSE status_reason END WHERE id = $3",
    )
    .bind_all((batch_id, ConnectionStatus::Pending.as_str(), connection_id))
    .execute(&mut *tx)
    .await?;
    Ok(true)
}

fn answer(status: u16, body: &impl Serialize) -> Result<Answer, StoreError> {
    Ok(Answer { status, body: serde_json::to_vec(body).map_err(|_| StoreError::Corrupt("answer"))? })
}
