//! Controls of a sandbox.

use ordersync_api::sandbox::{
    BreakRequest, ClockRequest, ClockResponse, FailRequest, ResetRequest, SentPassword, TokenRequest, TokenResponse,
    UnbindRequest,
};

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::errors::Result;

impl Client {
    /// Gets an access token without the sign-in page.
    pub(crate) async fn sandbox_token(&self, request: &TokenRequest) -> Result<TokenResponse> {
        self.get(Call::new(Operation::SandboxToken)?.json(request)?).await
    }

    /// Deletes the data of one user, or of every user.
    pub(crate) async fn sandbox_reset(&self, request: &ResetRequest) -> Result<()> {
        self.send(Call::new(Operation::SandboxReset)?.json(request)?).await.map(|_| ())
    }

    /// Unbinds a client's identifier from its user.
    pub(crate) async fn sandbox_unbind(&self, request: &UnbindRequest) -> Result<()> {
        self.send(Call::new(Operation::SandboxUnbind)?.json(request)?).await.map(|_| ())
    }

    /// Makes a connection invalid.
    pub(crate) async fn sandbox_break(&self, request: &BreakRequest) -> Result<()> {
        self.send(Call::new(Operation::SandboxBreak)?.json(request)?).await.map(|_| ())
    }

    /// Moves or stops the user's time.
    pub(crate) async fn sandbox_clock(&self, request: &ClockRequest) -> Result<ClockResponse> {
        self.get(Call::new(Operation::SandboxClock)?.json(request)?).await
    }

    /// The one-time passwords that were sent to the user's phone, newest first.
    pub(crate) async fn sandbox_otp(&self, phone: &str) -> Result<Vec<SentPassword>> {
        self.get(Call::new(Operation::SandboxOtp)?.query("phone", Some(phone))).await
    }

    /// Makes the user's next requests fail. Returns what will happen.
    pub(crate) async fn sandbox_fail(&self, request: &FailRequest) -> Result<FailRequest> {
        self.get(Call::new(Operation::SandboxFail)?.json(request)?).await
    }

    /// Removes the failures that are still pending for the user, or for a client.
    pub(crate) async fn sandbox_clear_failures(&self, client_id: Option<&str>) -> Result<()> {
        self.send(Call::new(Operation::SandboxClearFailures)?.query("client_id", client_id)).await.map(|_| ())
    }
}
