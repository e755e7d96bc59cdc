//! Where the access token of a request comes from. The client gets a token when a request needs it, and another when
//! the service refuses it; how a source obtains them is hidden from the client.

use async_trait::async_trait;
use secrecy::{ExposeSecret as _, SecretString};

use super::budget::BudgetKey;
use crate::error::Result;
use crate::hint::Advice;

/// A source of access tokens.
#[async_trait]
pub(crate) trait TokenSource: std::fmt::Debug + Send + Sync {
    /// The token to send; `None`: there is none.
    ///
    /// # Errors
    ///
    /// If a token is needed and none is available.
    async fn token(&self) -> Result<Option<SecretString>>;

    /// The token to send instead of one that the service has refused; `None`: no better one is available.
    ///
    /// # Errors
    ///
    /// If a token is needed and none is available.
    async fn replace(&self, refused: &SecretString) -> Result<Option<SecretString>>;

    /// Whose request budget a token is used on.
    async fn budget_key(&self) -> BudgetKey;

    /// What the user can do about a missing or refused token.
    fn advice(&self) -> Advice;
}

/// A token that is never replaced.
pub(crate) struct Fixed {
    token: SecretString,
    budget_key: BudgetKey,
    advice: Advice,
}

impl Fixed {
    #[must_use]
    pub(crate) fn new(token: SecretString, advice: impl Into<Advice>) -> Self {
        Self { budget_key: BudgetKey::of_token(&token), token, advice: advice.into() }
    }

    /// Uses this request budget, if it is known, instead of the token's own.
    #[must_use]
    pub(crate) fn spent_by(self, budget_key: Option<BudgetKey>) -> Self {
        Self { budget_key: budget_key.unwrap_or(self.budget_key), ..self }
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

    async fn budget_key(&self) -> BudgetKey {
        self.budget_key.clone()
    }

    fn advice(&self) -> Advice {
        self.advice.clone()
    }
}
