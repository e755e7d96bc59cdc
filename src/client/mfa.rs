//! Answers to MFA requests.

use ordersync_api::MfaSubmission;

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::errors::Result;

impl Client {
    /// Answers an MFA request.
    pub(crate) async fn submit_mfa(&self, submission: &MfaSubmission) -> Result<()> {
        self.send(Call::new(Operation::MfaSubmit)?.json(submission)?).await.map(|_| ())
    }
}
