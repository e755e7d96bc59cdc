//! How many forms with a password or a code a sync has sent.

use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;

use super::ConnectorError;

/// The forms with a password or a code that this sync has sent.
#[async_trait]
pub trait SentForms: Send + Sync {
    /// Counts one more, before it is sent: no crash and no repeated step forgets one. How many it is.
    async fn count(&self) -> Result<u32, ConnectorError>;
}

/// Those of a sync that is gone with its process.
#[derive(Default)]
pub(super) struct SentHere(AtomicU32);

#[async_trait]
impl SentForms for SentHere {
    async fn count(&self) -> Result<u32, ConnectorError> {
        Ok(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
