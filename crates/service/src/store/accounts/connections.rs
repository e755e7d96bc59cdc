//! Connections, and who may see them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use ordersync_api::connection::IMPORT_ONLY;
use ordersync_api::{Connection, ConnectionStatus, Extra, ListCompleteness, Timestamp};

use crate::domain::completeness::StoredCompleteness;
use crate::store::accounts::users::Caller;
use crate::store::db::dialect::sql;
use crate::store::db::row::row;
use crate::store::db::{On, query, query_as, query_scalar};
use crate::store::{Store, StoreError, Write, count, micros, time};

/// What a caller gets of a connection that it asked for by id.
#[derive(Debug)]
pub(crate) enum Access<T> {
    /// Here it is.
    Granted(T),
    /// It is the caller's user's, who has not shared it with this client.
    NotShared,
    /// The caller's user has none with this id; another user may.
    Absent,
}

/// A page of a list, with the number of all that match.
#[derive(Debug)]
pub(crate) struct Listed<T> {
    /// The page.
    pub rows: Vec<T>,
    /// How many there are in all.
    pub total: u64,
}

/// Where a list starts, and how long it may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    /// At most so many.
    pub limit: u32,
    /// After so many.
    pub offset: u64,
}

row! {
    pub(in crate::store) struct ConnectionRow {
        id: String,
        retailer_id: i64,
        display_name: String,
        status: String,
        status_reason: Option<String>,
        created_at: i64,
        last_sync_at: Option<i64>,
        last_batch_id: Option<String>,
        failed_at: Option<i64>,
        failure_code: Option<String>,
        failed_batch_id: Option<String>,
        incomplete_since: Option<i64>,
        end_not_proven: i64,
        import_unfinished: i64,
        kept_back: i64,
        first_kept_back: Option<String>,
    }
}

impl ConnectionRow {
    pub(in crate::store) fn into_connection(self) -> Result<Connection, StoreError> {
        let stamp = |at: i64| time(at).map(|at| Timestamp(at).into());
        let completeness = self.stored_completeness()?.completeness();
        Ok(Connection {
            connection_id: self.id.into(),
            retailer_id: self.retailer_id,
            display_name: Some(self.display_name),
            status: self.status.parse::<ConnectionStatus>()?.into(),
            status_reason: self.status_reason,
            created_at: Some(stamp(self.created_at)?),
            last_sync_at: self.last_sync_at.map(stamp).transpose()?,
            last_batch_id: self.last_batch_id.map(Into::into),
            completeness: Some(completeness),
            extra: Extra::new(),
        })
    }

    fn stored_completeness(&self) -> Result<StoredCompleteness<'_>, StoreError> {
        let instant = |at: Option<i64>| at.map(time).transpose();
        let kept_back = match &self.first_kept_back {
            Some(list) => serde_json::from_str(list).map_err(|_| StoreError::Corrupt("orders kept back"))?,
            None => Vec::new(),
        };
        Ok(StoredCompleteness {
            created_at: time(self.created_at)?,
            last_sync_at: instant(self.last_sync_at)?,
            failed_at: instant(self.failed_at)?,
            failure_code: self.failure_code.as_deref(),
            failed_batch_id: self.failed_batch_id.as_deref(),
            incomplete_since: instant(self.incomplete_since)?,
            is_import_only: self.status_reason.as_deref() == Some(IMPORT_ONLY),
            end_not_proven: self.end_not_proven != 0,
            import_unfinished: self.import_unfinished != 0,
            is_invalid: self.status == ConnectionStatus::Invalid.as_str(),
            status_reason: self.status_reason.as_deref(),
            kept_back: count(self.kept_back),
            first_kept_back: kept_back,
        })
    }
}

impl Store {
    /// The user's connections that are shared with the client, oldest first.
    pub(crate) async fn connections(
        &self,
        caller: &Caller,
        status: Option<ConnectionStatus>,
        window: Window,
    ) -> Result<Listed<Connection>, StoreError> {
        let total: i64 = query_scalar(
            "SELECT COUNT(*) FROM connections c
             JOIN connection_shares s ON s.user_id = c.user_id AND s.connection_id = c.id AND s.client_id = $1
             WHERE c.user_id = $2 AND ($3 IS NULL OR c.status = $3)",
        )
        .bind_all((&caller.client_id, &caller.user_id, status.map(ConnectionStatus::as_str)))
        .fetch_one(&self.pool)
        .await?;
        let rows: Vec<ConnectionRow> = query_as(sql!(
            "SELECT ",
            [connection],
            " FROM connections c
             JOIN connection_shares s ON s.user_id = c.user_id AND s.connection_id = c.id AND s.client_id = $1
             WHERE c.user_id = $2 AND ($3 IS NULL OR c.status = $3)
             ORDER BY c.created_at, c.id LIMIT $4 OFFSET $5",
        ))
        .bind_all((
            &caller.client_id,
            &caller.user_id,
            status.map(ConnectionStatus::as_str),
            i64::from(window.limit),
            i64::try_from(window.offset).unwrap_or(i64::MAX),
        ))
        .fetch_all(&self.pool)
        .await?;
        let rows = rows.into_iter().map(ConnectionRow::into_connection).collect::<Result<_, _>>()?;
        Ok(Listed { rows, total: count(total) })
    }

    /// What is known of the completeness of the connections whose items the client may list, oldest first.
    pub(crate) async fn completeness(
        &self,
        caller: &Caller,
        retailer_id: Option<i64>,
    ) -> Result<ListCompleteness, StoreError> {
        let mut tx = self.pool.begin().await?;
        let rows: Vec<ConnectionRow> = query_as(sql!(
            "SELECT ",
            [connection],
            " FROM connections c
             JOIN connection_shares s ON s.user_id = c.user_id AND s.connection_id = c.id AND s.client_id = $1
             WHERE c.user_id = $2 AND ($3 IS NULL OR c.retailer_id = $3) ORDER BY c.created_at, c.id",
        ))
        .bind_all((&caller.client_id, &caller.user_id, retailer_id))
        .fetch_all(&mut tx)
        .await?;
        let marked: Vec<(String, i64)> = query_as(sql!(
            "SELECT c.id, COUNT(*) FROM connections c JOIN ",
            [marked orders],
            " ON o.user_id = c.user_id AND o.connection = c.number AND o.marked <> 0
             WHERE c.user_id = $1 GROUP BY c.id",
        ))
        .bind(&caller.user_id)
        .fetch_all(&mut tx)
        .await?;
        let marked: HashMap<String, i64> = marked.into_iter().collect();
        let with_marked = |row: ConnectionRow| {
            let marked = marked.get(&row.id).copied().unwrap_or_default();
            row.into_connection().map(|connection| (connection, count(marked)))
        };
        Ok(ListCompleteness::of(rows.into_iter().map(with_marked).collect::<Result<Vec<_>, _>>()?))
    }

    pub(crate) async fn connection(&self, caller: &Caller, id: &str) -> Result<Access<Connection>, StoreError> {
        match access(On::from(&self.pool), caller, id).await? {
            Access::Granted(row) => row.into_connection().map(Access::Granted),
            Access::NotShared => Ok(Access::NotShared),
            Access::Absent => Ok(Access::Absent),
        }
    }

    /// The ids of all users' connections to a retailer, oldest first.
    pub(crate) async fn connections_of(&self, retailer_id: i64) -> Result<Vec<String>, StoreError> {
        let ids = query_scalar("SELECT id FROM connections WHERE retailer_id = $1 ORDER BY created_at, id");
        Ok(ids.bind(retailer_id).fetch_all(&self.pool).await?)
    }

    /// The retailer of the user's connection that has orders of files alone, and this name.
    pub(crate) async fn retailer_of_files(&self, caller: &Caller, name: &str) -> Result<Option<i64>, StoreError> {
        let named: Vec<(i64, String)> =
            query_as("SELECT retailer_id, display_name FROM connections WHERE user_id = $1 AND status_reason = $2")
                .bind_all((&caller.user_id, IMPORT_ONLY))
                .fetch_all(&self.pool)
                .await?;
        let is_named = |known: &str| known.to_lowercase() == name.to_lowercase();
        Ok(named.into_iter().find(|(_, known)| is_named(known)).map(|(retailer_id, _)| retailer_id))
    }

    /// The user's connection to a retailer, shared with this client or not.
    pub(crate) async fn connection_to(
        &self,
        caller: &Caller,
        retailer_id: i64,
    ) -> Result<Option<Connection>, StoreError> {
        let row: Option<ConnectionRow> =
            query_as(sql!("SELECT ", [connection], " FROM connections c WHERE c.user_id = $1 AND c.retailer_id = $2"))
                .bind_all((&caller.user_id, retailer_id))
                .fetch_optional(&self.pool)
                .await?;
        row.map(ConnectionRow::into_connection).transpose()
    }
}

/// A connection that is to be made.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Made<'a> {
    pub(in crate::store) id: &'a str,
    pub(in crate::store) retailer_id: i64,
    pub(in crate::store) display_name: &'a str,
    pub(in crate::store) status: ConnectionStatus,
    pub(in crate::store) status_reason: Option<&'a str>,
    /// Sealed; empty: it has no account.
    pub(in crate::store) credentials: &'a [u8],
    /// In a sandbox, the day on which its simulated history ends, in days since 1970-01-01.
    pub(in crate::store) history_end: Option<i64>,
}

/// Takes a number for a connection that is to be made: greater than that of a removed one whose rows are not deleted yet,
/// since a user who was deleted may be back under the same id.
pub(in crate::store) async fn take_number(tx: &mut Write, caller: &Caller) -> Result<i64, StoreError> {
    let number = query_scalar(sql!(
        "UPDATE users SET connections_made = ",
        [greatest],
        "(connections_made,
            COALESCE((SELECT MAX(connection) FROM removed_connections r WHERE r.user_id = users.id), 0)) + 1
         WHERE id = $1 RETURNING connections_made"
    ));
    Ok(number.bind(&caller.user_id).fetch_one(&mut *tx).await?)
}

/// Makes a connection under a number of its own. False: the user has one to the retailer.
pub(in crate::store) async fn make(
    tx: &mut Write,
    caller: &Caller,
    number: i64,
    new: Made<'_>,
) -> Result<bool, StoreError> {
    let made = query(
        "INSERT INTO connections (id, user_id, number, retailer_id, display_name, status, status_reason, credentials,
            created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
    )
    .bind_all((
        new.id,
        &caller.user_id,
        number,
        new.retailer_id,
        new.display_name,
        new.status.as_str(),
        new.status_reason,
        new.credentials,
        micros(caller.now),
    ))
    .execute(&mut *tx)
    .await?;
    if let Some(day) = new.history_end.filter(|_| made == 1) {
        query("UPDATE connections SET history_end = $1 WHERE id = $2")
            .bind_all((day, new.id))
            .execute(&mut *tx)
            .await?;
    }
    Ok(made == 1)
}

/// Whether the user has this connection, no matter which clients it is shared with. The transaction changes it, if so.
pub(in crate::store) async fn owns(tx: &mut Write, user_id: &str, connection_id: &str) -> Result<bool, StoreError> {
    let own = query(sql!("SELECT 1 FROM connections WHERE id = $1 AND user_id = $2", [lock]))
        .bind_all((connection_id, user_id))
        .exists(&mut *tx)
        .await?;
    Ok(own)
}

/// All connections of a user, oldest first.
pub(in crate::store) async fn all_of(user_id: &str, on: impl Into<On<'_>>) -> Result<Vec<ConnectionRow>, sqlx::Error> {
    query_as(sql!("SELECT ", [connection], " FROM connections c WHERE c.user_id = $1 ORDER BY c.created_at, c.id"))
        .bind(user_id)
        .fetch_all(on)
        .await
}

/// Lets nobody else change the connection, or start a sync of it, until the transaction ends.
pub(in crate::store) async fn lock(tx: &mut Write, connection_id: &str) -> Result<(), StoreError> {
    query(sql!("SELECT 1 FROM connections WHERE id = $1", [lock])).bind(connection_id).run(&mut *tx).await
}

/// What the caller gets of a connection. Another user's connection is as absent as one that does not exist.
pub(in crate::store) async fn access(
    mut on: On<'_>,
    caller: &Caller,
    id: &str,
) -> Result<Access<ConnectionRow>, StoreError> {
    let row = query_as(sql!("SELECT ", [connection], " FROM connections c WHERE c.id = $1 AND c.user_id = $2"));
    let row = row.bind_all((id, &caller.user_id)).fetch_optional(on.again()).await?;
    if_shared(on, caller, id, row).await
}

/// As [`access`], for a transaction that changes the connection or starts its sync.
pub(in crate::store) async fn access_to_change(
    tx: &mut Write,
    caller: &Caller,
    id: &str,
) -> Result<Access<ConnectionRow>, StoreError> {
    let row = query_as(sql!("SELECT ", [connection], " FROM connections c WHERE c.id = $1 AND c.user_id = $2", [lock]));
    let row = row.bind_all((id, &caller.user_id)).fetch_optional(&mut *tx).await?;
    if_shared(On::from(tx), caller, id, row).await
}

async fn if_shared(
    on: On<'_>,
    caller: &Caller,
    id: &str,
    row: Option<ConnectionRow>,
) -> Result<Access<ConnectionRow>, StoreError> {
    let Some(row) = row else { return Ok(Access::Absent) };
    let shared = query("SELECT 1 FROM connection_shares WHERE user_id = $1 AND connection_id = $2 AND client_id = $3")
        .bind_all((&caller.user_id, id, &caller.client_id))
        .exists(on)
        .await?;
    Ok(if shared { Access::Granted(row) } else { Access::NotShared })
}

/// Moves a connection to another status, as part of a larger change.
pub(in crate::store) async fn set_status(
    tx: &mut Write,
    connection_id: &str,
    next: ConnectionStatus,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    let present: String = query_scalar(sql!("SELECT status FROM connections WHERE id = $1", [lock]))
        .bind(connection_id)
        .fetch_one(&mut *tx)
        .await?;
    let present: ConnectionStatus = present.parse()?;
    if !present.can_become(next) {
        return Err(StoreError::IllegalStep { from: present.as_str(), to: next.as_str() });
    }
    query("UPDATE connections SET status = $1, status_reason = $2 WHERE id = $3")
        .bind_all((next.as_str(), reason, connection_id))
        .run(&mut *tx)
        .await
}

/// Shares a user's connection with a client: connecting through a client does so.
pub(in crate::store) async fn share(
    tx: &mut Write,
    user_id: &str,
    connection_id: &str,
    client_id: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO connection_shares (user_id, connection_id, client_id, shared_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id, connection_id, client_id) DO NOTHING",
    )
    .bind_all((user_id, connection_id, client_id, micros(now)))
    .run(&mut *tx)
    .await
}
