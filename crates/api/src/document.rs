//! Invoices, receipts and mails that are kept with their orders: `/sync/documents`.

use serde::{Deserialize, Serialize};

use crate::open::{Id, Open};
use crate::strict;
use crate::timestamp::Timestamp;

/// Documents in one request at most.
pub const MOST_DOCUMENTS: usize = 100;
/// The longest document, in bytes.
pub const LONGEST_DOCUMENT: usize = 10 << 20;

/// Documents to be kept with orders of a connection. Sending them again changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentsRequest {
    /// The connection that has the orders.
    pub connection_id: String,
    /// At most [`MOST_DOCUMENTS`].
    #[serde(deserialize_with = "strict::objects")]
    pub documents: Vec<NewDocument>,
}

/// A document to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewDocument {
    /// The retailer's own number of the order.
    pub order_id: String,
    /// The name of its file.
    pub name: String,
    /// Such as `application/pdf`.
    pub media_type: String,
    /// In base64, at most [`LONGEST_DOCUMENT`] bytes.
    pub content: String,
}

/// The outcome of a request to keep documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentsResult {
    /// Documents that were added.
    pub documents_new: u64,
    /// Documents that their orders had already.
    pub documents_unchanged: u64,
    /// Orders that the connection does not have: their documents were not kept.
    pub orders_unknown: Vec<String>,
}

/// A document that is kept with an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderDocument {
    /// Identifier.
    pub document_id: Id,
    /// The connection that has the order.
    pub connection_id: Id,
    /// The retailer.
    pub retailer_id: i64,
    /// The name of the retailer.
    pub retailer_name: String,
    /// The retailer's own number of the order.
    pub order_id: Id,
    /// The name of its file.
    pub name: String,
    /// Such as `application/pdf`.
    pub media_type: String,
    /// In bytes.
    pub size: u64,
    /// When it was added.
    pub added_at: Open<Timestamp>,
    /// In base64; a list leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}
