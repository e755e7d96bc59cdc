//! The forms with a password or a code that a sync has sent.

use ordersync_api::SyncErrorCode;

use crate::connector::{ConnectorError, SentForms};
use crate::store::db::query_scalar;
use crate::store::syncs::queue::Claim;
use crate::store::{Store, StoreError};

/// Those of a claimed part.
pub(crate) struct PartForms<'a> {
    pub(crate) store: &'a Store,
    pub(crate) claim: &'a Claim,
}

#[async_trait::async_trait]
impl SentForms for PartForms<'_> {
    async fn count(&self) -> Result<u32, ConnectorError> {
        let failed = ConnectorError::new(SyncErrorCode::InternalError);
        match self.store.count_sent_form(self.claim).await {
            Ok(Some(sent)) => Ok(u32::try_from(sent).unwrap_or(u32::MAX)),
            // Another node has the part: nothing that comes of this step has an effect.
            Ok(None) => Err(failed),
            Err(error) => {
                tracing::error!(%error, "cannot count a form that is to be sent");
                Err(failed.transient())
            }
        }
    }
}

impl Store {
    /// Counts a form of this part before it is sent; `None` if the claim does not hold.
    async fn count_sent_form(&self, claim: &Claim) -> Result<Option<i64>, StoreError> {
        let mut tx = self.write().await?;
        let sent = query_scalar(
            "UPDATE retailer_sessions SET sent_forms = sent_forms + 1
             WHERE id = $1 AND lease_owner = $2 AND epoch = $3 AND active = 1 RETURNING sent_forms",
        )
        .bind_all((&claim.id, &claim.owner, claim.epoch))
        .fetch_optional(&mut tx)
        .await?;
        tx.commit().await?;
        Ok(sent)
    }
}
