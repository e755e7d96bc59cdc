//! The catalog of retailers.

use serde::{Deserialize, Serialize};

use crate::Extra;

/// A retailer that a user can connect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Retailer {
    /// The retailer's number: the one identifier that is an integer.
    pub retailer_id: i64,
    /// The name that people know the retailer by.
    pub display_name: String,
    /// Address of a logo, if there is one.
    pub logo: Option<String>,
    /// How the retailer is synced.
    #[serde(default)]
    pub sync_config: SyncConfig,
    /// The fields that a user has to fill in to sign in there.
    #[serde(default)]
    pub credential_fields: Vec<CredentialField>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// How a retailer is synced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncConfig {
    /// False: listed, but not connectable through the service.
    #[serde(default = "yes")]
    pub server_side: bool,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Default for SyncConfig {
    fn default() -> Self {
        Self { server_side: true, extra: Extra::new() }
    }
}

const fn yes() -> bool {
    true
}

/// A field that a user has to fill in to sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialField {
    /// The key in the sealed credentials.
    pub name: String,
    /// The label to show to the user.
    pub label: String,
    /// Whether the field is typed without echo.
    #[serde(default)]
    pub secret: bool,
    /// The host whose cookies it takes, as the text of a cookie file (Netscape format); none: it is typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookies: Option<String>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

impl CredentialField {
    /// A field with the given name and label.
    pub fn new(name: &str, label: &str, secret: bool) -> Self {
        Self { name: name.to_owned(), label: label.to_owned(), secret, cookies: None, extra: Extra::new() }
    }

    /// A field for the cookies of a host.
    pub fn cookies(name: &str, label: &str, host: &str) -> Self {
        Self { cookies: Some(host.to_owned()), ..Self::new(name, label, true) }
    }
}
