//! Orders from files.

use ordersync_api::ImportResult;
use ordersync_import::Request;

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::errors::Result;

impl Client {
    /// Stores orders of a file.
    pub(crate) async fn import(&self, request: &Request) -> Result<ImportResult> {
        self.get(Call::new(Operation::Imports)?.json(request)?).await
    }
}
