//! Connections, and the token that seals credentials for them.

use std::collections::HashSet;

use ordersync_api::{ConnectRequest, Connection, ConnectionStatus, List, SyncStarted, Totp};

use super::endpoints::Operation;
use super::request::Call;
use super::{Client, paging};
use crate::codes;
use crate::error::{Error, Result};

/// More pages than this are no list of connections.
const MOST_PAGES: usize = 1000;

impl Client {
    /// The connections, of one status or of any.
    ///
    /// # Errors
    /// Where the service cannot be reached or refuses.
    pub async fn connections(&self, status: Option<ConnectionStatus>) -> Result<Vec<Connection>> {
        let (mut all, mut known) = (Vec::new(), HashSet::new());
        let (mut size, mut offset) = (paging::LARGEST, 0);
        for _ in 0..MOST_PAGES {
            let call = Call::new(Operation::ConnectionsList)?
                .query("status", status)
                .query("limit", Some(size))
                .query("offset", (offset > 0).then_some(offset));
            let answer = match self.send(call).await {
                Err(refused) => {
                    size = paging::smaller(size, &refused).ok_or(refused)?;
                    continue;
                }
                Ok(answer) => answer,
            };
            let page = answer.json::<List<Connection>>()?.0;
            offset += page.len();
            let before = all.len();
            all.extend(page.into_iter().filter(|connection| known.insert(connection.connection_id.clone())));
            // Nothing new: the list is at its end, or the service gives the same page whatever is asked for.
            if all.len() == before || answer.counts_to(offset) {
                return Ok(all);
            }
        }
        Err(Error::of(&codes::network::UNEXPECTED_ANSWER, "The service lists connections without end."))
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
