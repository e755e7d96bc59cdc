//! Connections, and the token that seals credentials for them.

use ordersync_api::{ConnectRequest, Connection, ConnectionStatus, SyncStarted, Totp};

use super::endpoints::Operation;
use super::list::Span;
use super::request::Call;
use super::{Client, paging};
use crate::errors::{Hint, Result};

impl Client {
    /// The connections, optionally of one status.
    pub(crate) async fn connections(&self, status: Option<ConnectionStatus>) -> Result<Vec<Connection>> {
        let call = |limit: u32, offset: usize| {
            let call = Call::new(Operation::ConnectionsList)?.query("status", status).query("limit", Some(limit));
            Ok(call.query("offset", (offset > 0).then_some(offset)))
        };
        let same = |one: &Connection, other: &Connection| one.connection_id == other.connection_id;
        let all = Span { start: 0, most: usize::MAX, size: paging::LARGEST };
        Ok(self.rows(call, same, all).await?.rows)
    }

    pub(crate) async fn connection(&self, id: &str) -> Result<Connection> {
        self.get(Call::new(Operation::ConnectionsGet)?.parameter("connectionId", id))
            .await
            .map_err(|error| error.where_unknown(Hint::run("See your connections", "ordersync connections")))
    }

    pub(crate) async fn remove_connection(&self, id: &str) -> Result<()> {
        self.send(Call::new(Operation::ConnectionsRemove)?.parameter("connectionId", id)).await.map(drop)
    }

    /// Fetches the token that seals credentials.
    pub(crate) async fn totp(&self) -> Result<Totp> {
        self.get(Call::new(Operation::Totp)?).await
    }

    /// Connects a retailer, or repairs an existing connection.
    pub(crate) async fn connect(&self, request: &ConnectRequest) -> Result<SyncStarted> {
        self.get(Call::new(Operation::ConnectionsConnect)?.json(request)?).await
    }

    /// Starts a sync of one connection; a full one reads settled and unchanged orders again.
    pub(crate) async fn sync_connection(&self, id: &str, full: bool) -> Result<SyncStarted> {
        let call = Call::new(Operation::ConnectionsSync)?.parameter("connectionId", id);
        self.get(call.query("full", full.then_some(true)))
            .await
            .map_err(|error| error.where_unknown(Hint::run("See your connections", "ordersync connections")))
    }

    /// Starts a sync of every connection; a full one reads settled and unchanged orders again.
    pub(crate) async fn sync_all(&self, full: bool) -> Result<SyncStarted> {
        self.get(Call::new(Operation::ConnectionsSyncAll)?.query("full", full.then_some(true))).await
    }
}
