//! Where the access token of a request comes from. The client asks for one when a request needs it, and for another when
//! it was refused; what is behind that is none of its business.

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

    /// The token to send instead of one that the service refused; `None`: there is no better one.
    ///
    /// # Errors
    ///
    /// If a token is needed and none is available.
    async fn replace(&self, refused: &SecretString) -> Result<Option<SecretString>>;

    /// Whose request budget a token is used on.
    async fn budget_key(&self) -> BudgetKey;

    /// What the user does about a token that is missing or refused.
    fn advice(&self) -> Advice;
}

/// A token that is what it is.
pub(crate) struct Fixed {
    token: SecretString,
    budget_key: BudgetKey,
    advice: Advice,
}

impl Fixed {
    /// Always this token.
    #[must_use]
    pub(crate) fn new(token: SecretString, advice: impl Into<Advice>) -> Self {
        Self { budget_key: BudgetKey::of_token(&token), token, advice: advice.into() }
    }

    /// The same, where it is known whose request budget it is used on.
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
