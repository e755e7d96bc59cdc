//! Link tokens, and the connections that a user shares with a client.

use serde::{Deserialize, Serialize};

use crate::connection::Connection;
use crate::open::{Id, Open};
use crate::timestamp::Timestamp;

/// The longest `external_user_id`, in characters. A longer one is refused, never truncated.
pub const EXTERNAL_USER_ID_LENGTH: usize = 255;

/// Body of `POST /v1/link/token`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkTokenRequest {
    /// The client's own identifier of the user, 1 to 255 characters.
    pub external_user_id: String,
    /// Where the widget leads its user back to: one of the client's registered addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_url: Option<String>,
}

/// Answer to `POST /v1/link/token`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkToken {
    /// Opens the widget; sent as `X-Link-Token`.
    pub link_token: String,
    /// The identifier from the request.
    pub external_user_id: String,
    /// Until when it is valid.
    pub expires_at: Open<Timestamp>,
}

impl std::fmt::Debug for LinkToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinkToken")
            .field("link_token", &"[redacted]")
            .field("external_user_id", &self.external_user_id)
            .field("expires_at", &self.expires_at)
            .finish()
    }
}

/// Answer to `GET /v1/users/share`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The client's own identifier of the user.
    pub external_user_id: String,
    /// The user to whom it is bound.
    pub user_id: Id,
    /// The connections that the user shared with this client, in the same shape as under /sync.
    pub connections: Vec<Connection>,
}
