//! The profile of the signed-in user.

use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::open::{Id, Open};
use crate::timestamp::Timestamp;

/// Answer to `GET /sync/profile`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// Identifier.
    pub user_id: Id,
    /// The user's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The user's e-mail address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The phone number's last four digits, the only ones that are ever shown; null for the single local user, who has
    /// no phone.
    pub phone_last4: Option<String>,
    /// Since when the service knows the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Open<Timestamp>>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}
