//! Where the access token of a request comes from. The client gets a token when a request needs it, and another when
//! the service refuses it; how a source obtains them is hidden from the client.

use async_trait::async_trait;
use secrecy::{ExposeSecret as _, SecretString};

use crate::errors::{Advice, Result};

/// A source of access tokens.
#[async_trait]
pub(crate) trait TokenSource: std::fmt::Debug + Send + Sync {
    /// The token to send; `None`: there is none.
    async fn token(&self) -> Result<Option<SecretString>>;

    /// The token to send instead of one that the service has refused; `None`: no better one is available.
    async fn replace(&self, refused: &SecretString) -> Result<Option<SecretString>>;

    /// What the user can do about a missing or refused token.
    fn advice(&self) -> Advice;
}

/// A token that is never replaced.
pub(crate) struct Fixed {
    token: SecretString,
    advice: Advice,
}

impl Fixed {
    pub(crate) fn new(token: SecretString, advice: impl Into<Advice>) -> Self {
        Self { token, advice: advice.into() }
    }
}

impl std::fmt::Debug for Fixed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fixed")
    }
}

#[async_trait]
impl TokenSource for Fixed {
    async fn token(&self) -> Result<Option<SecretString>> {
        Ok(Some(SecretString::from(self.token.expose_secret().trim())))
    }

    async fn replace(&self, _refused: &SecretString) -> Result<Option<SecretString>> {
        Ok(None)
    }

    fn advice(&self) -> Advice {
        self.advice.clone()
    }
}
