//! The queue at a retailer, in a store that several nodes share: together they keep the pace that the retailer was promised.

use std::time::Duration;

use async_trait::async_trait;

use crate::connector::queue::{Change, Queue, QueueLost, SharedQueue};
use crate::store::db::{query, query_as};
use crate::store::{Store, StoreError, count};

/// The queue at one retailer.
pub(crate) struct RetailerQueue<'a> {
    store: &'a Store,
    retailer_id: i64,
}

impl<'a> RetailerQueue<'a> {
    /// The queue, if other nodes may serve the same store. The only node keeps it in memory.
    pub(crate) fn of(store: &'a Store, retailer_id: i64) -> Option<Self> {
        store.is_shared().then_some(Self { store, retailer_id })
    }

    async fn change_stored(&self, change: &mut Change<'_>) -> Result<(), StoreError> {
        let mut tx = self.store.writer.begin_write().await?;
        let (stored, now): (String, i64) = query_as("SELECT queue, now FROM lock_retailer_queue($1)")
            .bind(self.retailer_id)
            .fetch_one(&mut tx)
            .await?;
        // One that this version cannot read begins again: nobody loses more than a place.
        let before: Queue = serde_json::from_str(&stored).unwrap_or_default();
        let mut queue = before.clone();
        change(&mut queue, Duration::from_micros(count(now)));
        if queue != before {
            query("UPDATE retailer_queues SET queue = $2 WHERE retailer_id = $1")
                .bind_all((self.retailer_id, serde_json::to_string(&queue).map_err(|_| StoreError::Corrupt("queue"))?))
                .execute(&mut tx)
                .await?;
        }
        Ok(tx.commit().await?)
    }
}

#[async_trait]
impl SharedQueue for RetailerQueue<'_> {
    async fn change(&self, change: &mut Change<'_>) -> Result<(), QueueLost> {
        self.change_stored(change).await.map_err(|error| {
            tracing::warn!(retailer = self.retailer_id, %error, "cannot read the queue at a retailer");
            QueueLost
        })
    }
}
