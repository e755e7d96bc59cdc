//! Sync sessions.

use std::time::Instant;

use ordersync_api::Session;

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::errors::{Hint, Result};

impl Client {
    /// The most recent session.
    pub(crate) async fn latest_session(&self) -> Result<Session> {
        self.get(Call::new(Operation::SessionsLatest)?).await
    }

    pub(crate) async fn session(&self, batch: &str) -> Result<Session> {
        self.get(Call::new(Operation::SessionsGet)?.parameter("batchId", batch))
            .await
            .map_err(|error| error.where_unknown(Hint::run("See the latest session", "ordersync sessions")))
    }

    /// Fetches a session that is being followed. Rate limits are waited out until the given time.
    pub(crate) async fn poll_session(&self, batch: &str, until: Instant) -> Result<Session> {
        self.get(Call::new(Operation::SessionsGet)?.parameter("batchId", batch).poll(until)).await
    }
}
