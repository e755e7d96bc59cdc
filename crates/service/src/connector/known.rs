//! What a connector may ask of the orders that are stored already.

use std::collections::HashMap;

use async_trait::async_trait;

use super::ConnectorError;

/// The orders of this connection that are stored already.
#[async_trait]
pub trait KnownOrders: Send + Sync {
    /// The fingerprints under which these orders were stored last, by order id; orders that are not stored are absent.
    async fn fingerprints(&self, order_ids: &[String]) -> Result<HashMap<String, String>, ConnectorError>;

    /// The stored orders that have a fingerprint and were read longest ago, at most `limit`, the oldest reading first.
    async fn longest_unread(&self, limit: u32) -> Result<Vec<String>, ConnectorError>;

    /// Whether any of these orders is stored.
    async fn overlap(&self, order_ids: &[String]) -> Result<Overlap, ConnectorError>;

    /// The stored orders that are not marked as missing, compared with these. Orders that came from files alone do not count.
    async fn compared(&self, _order_ids: &[String]) -> Result<Compared, ConnectorError> {
        Ok(Compared::default())
    }
}

/// How many of the stored orders a list shows, and how many it lacks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compared {
    /// Stored orders that it shows.
    pub listed: usize,
    /// Stored orders that it does not show.
    pub unlisted: usize,
    /// Whether the end of the list was not proven in the last sync either.
    pub was_not_proven: bool,
}

/// How a list of orders compares with those that are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// No order is stored yet.
    NothingStored,
    /// Orders are stored, but none of the list.
    Disjoint,
    /// At least one of the list is stored.
    Shared,
}
