//! Connections, and the token that seals credentials for them.

use ordersync_api::{ConnectRequest, Connection, ConnectionStatus, Id, List, SyncStarted, Totp};

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::error::Result;

fn id(connection: &Connection) -> &Id {
    &connection.connection_id
}

/// As many as a page may have.
const PAGE: usize = 1000;

impl Client {
    /// The connections, of one status or of any.
    ///
    /// # Errors
    /// Where the service cannot be reached or refuses.
    pub async fn connections(&self, status: Option<ConnectionStatus>) -> Result<Vec<Connection>> {
        let mut all: Vec<Connection> = Vec::new();
        loop {
            let call = Call::new(Operation::ConnectionsList)?
                .query("status", status)
                .query("limit", Some(PAGE))
                .query("offset", (!all.is_empty()).then_some(all.len()));
            let page = self.get::<List<Connection>>(call).await?.0;
            // A service that ignores the offset gives its first page again, for ever.
            if !page.is_empty() && page.first().map(id) == all.first().map(id) {
                return Ok(all);
            }
            let is_last = page.len() < PAGE;
            all.extend(page);
            if is_last {
                return Ok(all);
            }
        }
    }

    /// One connection.
    ///
    /// # Errors
    /// Where there is none, or the service cannot be reached or refuses.
    pub async fn connection(&self, id: &str) -> Result<Connection> {
        self.get(Call::new(Operation::ConnectionsGet)?.parameter("connectionId", id))
            .await
            .map_err(|error| error.where_unknown("See your connections: ordersync connections"))
    }

    /// Removes a connection.
    ///
    /// # Errors
    /// If there is none, it is syncing, or the service cannot be reached or refuses.
    pub async fn remove_connection(&self, id: &str) -> Result<()> {
        self.send(Call::new(Operation::ConnectionsRemove)?.parameter("connectionId", id)).await.map(drop)
    }

    /// The token that seals credentials.
    ///
    /// # Errors
    /// Where the service cannot be reached or refuses.
    pub async fn totp(&self) -> Result<Totp> {
        self.get(Call::new(Operation::Totp)?).await
    }

    /// Connects a retailer, or repairs its connection.
    ///
    /// # Errors
    /// Where the service cannot be reached or refuses.
    pub async fn connect(&self, request: &ConnectRequest) -> Result<SyncStarted> {
        self.get(Call::new(Operation::ConnectionsConnect)?.json(request)?).await
    }

    /// Starts a sync of one connection; a full one reads settled and unchanged orders again.
    ///
    /// # Errors
    /// If the service cannot be reached or refuses.
    pub async fn sync_connection(&self, id: &str, full: bool) -> Result<SyncStarted> {
        let call = Call::new(Operation::ConnectionsSync)?.parameter("connectionId", id);
        self.get(call.query("full", full.then_some(true)))
            .await
            .map_err(|error| error.where_unknown("See your connections: ordersync connections"))
    }

    /// Starts a sync of every connection; a full one reads settled and unchanged orders again.
    ///
    /// # Errors
    /// If the service cannot be reached or refuses.
    pub async fn sync_all(&self, full: bool) -> Result<SyncStarted> {
        self.get(Call::new(Operation::ConnectionsSyncAll)?.query("full", full.then_some(true))).await
    }
}
