//! The catalog, and what only the service inside a command does: looking at a shop, and signing a browser in.

use ordersync_api::look::{BrowserPass, Look, LookRequest};
use ordersync_api::{List, Retailer};

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::errors::Result;

impl Client {
    /// The retailers that a user can connect.
    pub(crate) async fn retailers(&self) -> Result<Vec<Retailer>> {
        self.get::<List<Retailer>>(Call::new(Operation::RetailersList)?).await.map(|list| list.0)
    }

    /// Looks what a shop runs on.
    pub(crate) async fn look(&self, request: &LookRequest) -> Result<Look> {
        self.get(Call::new(Operation::LocalLook)?.json(request)?).await
    }

    /// The path of a page that signs a browser in, once.
    pub(crate) async fn browser_pass(&self) -> Result<BrowserPass> {
        self.get(Call::new(Operation::LocalBrowser)?).await
    }
}
