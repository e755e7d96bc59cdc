//! Controls of a sandbox.

use ordersync_api::sandbox::{BreakRequest, ClockRequest, ClockResponse, ResetRequest, TokenRequest, TokenResponse};

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::error::Result;

impl Client {
    /// An access token without the sign-in page.
    ///
    /// # Errors
    /// Where this is no sandbox, or it cannot be reached or refuses.
    pub async fn sandbox_token(&self, request: &TokenRequest) -> Result<TokenResponse> {
        self.get(Call::new(Operation::SandboxToken)?.json(request)?).await
    }

    /// Forgets what a user, or every user, has.
    ///
    /// # Errors
    /// Where this is no sandbox, or it cannot be reached or refuses.
    pub async fn sandbox_reset(&self, request: &ResetRequest) -> Result<()> {
        self.send(Call::new(Operation::SandboxReset)?.json(request)?).await.map(|_| ())
    }

    /// Makes a connection invalid.
    ///
    /// # Errors
    /// Where this is no sandbox, or it cannot be reached or refuses.
    pub async fn sandbox_break(&self, request: &BreakRequest) -> Result<()> {
        self.send(Call::new(Operation::SandboxBreak)?.json(request)?).await.map(|_| ())
    }

    /// Moves or stops the user's time.
    ///
    /// # Errors
    /// Where this is no sandbox, or it cannot be reached or refuses.
    pub async fn sandbox_clock(&self, request: &ClockRequest) -> Result<ClockResponse> {
        self.get(Call::new(Operation::SandboxClock)?.json(request)?).await
    }
}
