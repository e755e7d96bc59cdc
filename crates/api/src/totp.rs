//! The time-based token that seals credentials.

use serde::{Deserialize, Serialize};

use crate::open::Open;
use crate::timestamp::Timestamp;

/// Answer to `GET /sync/auth/totp`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Totp {
    /// 32 bytes, base64url without padding: the key that seals the credentials.
    pub token: String,
    /// Sent back as `currentStamp`.
    pub current_stamp: String,
    /// Until when a connect or fix request sealed with it is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Open<Timestamp>>,
}

impl std::fmt::Debug for Totp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Totp")
            .field("token", &"[redacted]")
            .field("current_stamp", &self.current_stamp)
            .field("expires_at", &self.expires_at)
            .finish()
    }
}
