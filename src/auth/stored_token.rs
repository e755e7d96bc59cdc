//! The stored record of a sign-in.

use chrono::{DateTime, TimeDelta, Utc};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use url::Url;
use zeroize::Zeroizing;

/// A token that expires within this time is renewed before it is sent.
const RENEWED_BEFORE: TimeDelta = TimeDelta::seconds(30);

/// How the user signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum GrantType {
    /// On a page in a browser here (RFC 8252).
    Browser,
    /// On a page on another device (RFC 8628).
    Device,
    /// With a token obtained elsewhere.
    Token,
    /// As the client itself, with its secret (RFC 6749 §4.4).
    ClientCredentials,
}

impl GrantType {
    /// A description for the user.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::Device => "code on another device",
            Self::Token => "token from elsewhere",
            Self::ClientCredentials => "client credentials",
        }
    }
}

/// The stored record of a sign-in. In serialised form it holds secrets, and goes only into a [`super::SignInStore`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredToken {
    /// The service that the tokens are for.
    pub base_url: Url,
    /// How the user signed in.
    pub way: GrantType,
    /// The OAuth client.
    pub client_id: String,
    #[serde(with = "secret")]
    pub access_token: SecretString,
    /// The token that renews the sign-in.
    #[serde(default, with = "optional_secret", skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<SecretString>,
    /// The client's secret, if it has one.
    #[serde(default, with = "optional_secret", skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<SecretString>,
    /// When the access token expires; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// The granted scopes, separated by spaces; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<String>,
    /// Where tokens are renewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint: Option<Url>,
    /// Where tokens are revoked (RFC 7009).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revocation_endpoint: Option<Url>,
}

impl StoredToken {
    /// Whether the access token can be sent without renewing it first.
    pub(crate) fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_none_or(|end| now + RENEWED_BEFORE < end)
    }

    pub(crate) fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// Whether another access token is available without asking a person.
    pub(crate) fn is_renewable(&self) -> bool {
        self.token_endpoint.is_some() && (self.refresh_token.is_some() || self.way == GrantType::ClientCredentials)
    }

    /// Whether this is the access token.
    pub(crate) fn has_token(&self, token: &SecretString) -> bool {
        self.access_token.expose_secret() == token.expose_secret()
    }

    /// The record in the form in which it is stored.
    pub(crate) fn to_text(&self) -> serde_json::Result<Zeroizing<String>> {
        serde_json::to_string(self).map(Zeroizing::new)
    }
}

/// Serialises a secret for a sign-in store.
mod secret {
    use secrecy::{ExposeSecret as _, SecretString};
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(secret.expose_secret())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretString, D::Error> {
        String::deserialize(deserializer).map(SecretString::from)
    }
}

/// An optional secret, as text.
mod optional_secret {
    use secrecy::{ExposeSecret as _, SecretString};
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[allow(clippy::ref_option, reason = "the signature that serde calls")]
    pub(super) fn serialize<S: Serializer>(secret: &Option<SecretString>, serializer: S) -> Result<S::Ok, S::Error> {
        secret.as_ref().map(|secret| secret.expose_secret()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SecretString>, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.map(SecretString::from))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn record(expires_in: i64) -> StoredToken {
        StoredToken {
            base_url: Url::parse("https://a.test").expect("url"),
            way: GrantType::Browser,
            client_id: "c".into(),
            access_token: "canary_at".into(),
            refresh_token: Some("canary_rt".into()),
            client_secret: None,
            expires_at: Some(crate::clock::now() + TimeDelta::seconds(expires_in)),
            scopes: None,
            token_endpoint: Some(Url::parse("https://a.test/token").expect("url")),
            revocation_endpoint: None,
        }
    }

    #[test]
    fn a_token_is_renewed_half_a_minute_early() {
        let now = crate::clock::now();
        assert!(record(60).is_fresh(now) && !record(60).is_expired(now));
        assert!(!record(25).is_fresh(now) && !record(25).is_expired(now));
        assert!(!record(-1).is_fresh(now) && record(-1).is_expired(now));
        assert!(StoredToken { expires_at: None, ..record(0) }.is_fresh(now));
    }

    #[test]
    fn only_the_vault_sees_the_secrets() {
        let record = record(60);
        assert!(!format!("{record:?}").contains("canary"));
        let kept = record.to_text().expect("text");
        let back: StoredToken = serde_json::from_str(&kept).expect("record");
        assert!(back.has_token(&"canary_at".into()) && back.is_renewable());
    }
}
