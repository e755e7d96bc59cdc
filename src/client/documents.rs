//! Documents of orders.

use ordersync_api::{DocumentsRequest, DocumentsResult, OrderDocument};

use super::endpoints::Operation;
use super::list::Span;
use super::request::Call;
use super::{Client, paging};
use crate::errors::{Hint, Result};

impl Client {
    /// Keeps documents with their orders.
    pub(crate) async fn keep_documents(&self, request: &DocumentsRequest) -> Result<DocumentsResult> {
        self.get(Call::new(Operation::DocumentsKeep)?.json(request)?).await
    }

    /// The documents, without their content, those that were added last first.
    pub(crate) async fn documents(
        &self,
        retailer_id: Option<i64>,
        order_id: Option<&str>,
    ) -> Result<Vec<OrderDocument>> {
        let call = |limit: u32, offset: usize| {
            let call =
                Call::new(Operation::DocumentsList)?.query("retailer_id", retailer_id).query("order_id", order_id);
            Ok(call.query("limit", Some(limit)).query("offset", (offset > 0).then_some(offset)))
        };
        let same = |one: &OrderDocument, other: &OrderDocument| one.document_id == other.document_id;
        let all = Span { start: 0, most: usize::MAX, size: paging::LARGEST };
        Ok(self.rows(call, same, all).await?.rows)
    }

    /// A document with its content.
    pub(crate) async fn document(&self, id: &str) -> Result<OrderDocument> {
        self.get(Call::new(Operation::DocumentsGet)?.parameter("documentId", id))
            .await
            .map_err(|error| error.where_unknown(Hint::run("See your documents", "ordersync orders documents")))
    }
}
