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
    /// What the user is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The phone number's last four digits, which is all that anybody is shown; null for the one local user, who has none.
    pub phone_last4: Option<String>,
    /// Since when the service knows the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Open<Timestamp>>,
    /// What else the service said.
    #[serde(flatten)]
    pub extra: Extra,
}
