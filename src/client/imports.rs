//! Orders from files.

use ordersync_api::{ImportRequest, ImportResult};

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::errors::Result;

impl Client {
    /// Stores orders of a file.
    pub(crate) async fn import(&self, request: &ImportRequest) -> Result<ImportResult> {
        self.get(Call::new(Operation::Imports)?.json(request)?).await
    }
}
