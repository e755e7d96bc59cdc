//! What a user sees of their own account: connections, and the clients that have access.

use chrono::{DateTime, Utc};

use crate::store::db::dialect::sql;
use crate::store::db::query_as;
use crate::store::db::row::row;
use crate::store::{Store, StoreError, count, micros, time};

row! {
    struct OwnRow {
        id: String,
        display_name: String,
        status: String,
        last_sync_at: Option<i64>,
        is_complete: bool,
        items: i64,
    }
}

/// A connection, as its user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnConnection {
    pub id: String,
    /// The retailer's name.
    pub display_name: String,
    /// Whether its sign-in works.
    pub is_valid: bool,
    pub last_sync_at: Option<DateTime<Utc>>,
    /// Whether all its orders are known to be stored.
    pub is_complete: bool,
    /// Stored line items.
    pub items: u64,
}

/// A client that has access to something of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientWithAccess {
    pub name: String,
    /// When the user first allowed the access that it has; none: it only has shared connections.
    pub since: Option<DateTime<Utc>>,
    /// The names of the retailers that the user shares with it.
    pub shared: Vec<String>,
}

impl Store {
    /// A user's connections, oldest first.
    pub(crate) async fn own_connections(&self, user_id: &str) -> Result<Vec<OwnConnection>, StoreError> {
        let rows: Vec<OwnRow> = query_as(sql!(
            "SELECT c.id, c.display_name, c.status, c.last_sync_at, ",
            [complete],
            " AS is_complete,
                (SELECT COUNT(*) FROM line_items i WHERE i.user_id = c.user_id AND i.connection = c.number) AS items
             FROM connections c WHERE c.user_id = $1 ORDER BY c.created_at, c.id",
        ))
        .bind(user_id)
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|row| {
                Ok(OwnConnection {
                    id: row.id,
                    display_name: row.display_name,
                    is_valid: row.status != "invalid",
                    last_sync_at: row.last_sync_at.map(time).transpose()?,
                    is_complete: row.is_complete,
                    items: count(row.items),
                })
            })
            .collect()
    }

    /// The clients that hold a token of the user that is good at `now`, the user's time, or that the user shares connections with.
    pub(crate) async fn clients_with_access(
        &self,
        user_id: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<ClientWithAccess>, StoreError> {
        let rows: Vec<(String, String, Option<i64>)> = query_as(
            "SELECT c.id, c.name, (
                SELECT MIN(g.created_at) FROM grants g WHERE g.client_id = c.id AND g.user_id = $1 AND g.revoked_at IS NULL
                    AND (EXISTS (SELECT 1 FROM access_tokens t WHERE t.grant_id = g.id AND t.expires_at > $2)
                        OR EXISTS (SELECT 1 FROM refresh_tokens t
                            WHERE t.grant_id = g.id AND t.expires_at > $2 AND t.rotated_at IS NULL))) AS since
             FROM clients c WHERE c.disabled_at IS NULL ORDER BY c.name, c.id",
        )
        .bind_all((user_id, micros(now)))
        .fetch_all(&self.pool)
        .await?;
        let shares: Vec<(String, String)> = query_as(
            "SELECT s.client_id, c.display_name FROM connection_shares s
             JOIN connections c ON c.user_id = s.user_id AND c.id = s.connection_id
             WHERE s.user_id = $1 ORDER BY c.created_at, c.id",
        )
        .bind(user_id)
        .fetch_all(&self.pool)
        .await?;
        let mut clients = Vec::new();
        for (id, name, since) in rows {
            let of_client = shares.iter().filter(|(client_id, _)| *client_id == id);
            let shared: Vec<String> = of_client.map(|(_, name)| name.clone()).collect();
            if since.is_some() || !shared.is_empty() {
                clients.push(ClientWithAccess { name, since: since.map(time).transpose()?, shared });
            }
        }
        Ok(clients)
    }
}
