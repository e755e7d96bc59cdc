//! The places where a sign-in can be stored.

use std::str::FromStr;

use serde::Deserialize;

/// Where a sign-in is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TokenStore {
    /// The system's keyring, or a private file if there is none; the command says which one.
    Auto,
    /// The system's keyring, with no fallback.
    Keyring,
    /// A private file.
    File,
}

impl TokenStore {
    /// The value as it is written in `config.toml`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Keyring => "keyring",
            Self::File => "file",
        }
    }
}

impl FromStr for TokenStore {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Auto, Self::Keyring, Self::File]
            .into_iter()
            .find(|store| store.as_str() == text)
            .ok_or_else(|| format!("\"{text}\" is not one of auto, keyring, file"))
    }
}
