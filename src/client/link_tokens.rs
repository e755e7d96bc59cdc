//! Requests of a client's back end, which authenticate with the client's secret.

use ordersync_api::share::{LinkToken, LinkTokenRequest, Share};
use secrecy::SecretString;

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use super::wire::{X_CLIENT_SECRET, X_LINK_TOKEN};
use crate::errors::Result;

impl Client {
    /// Creates a link token for one of the client's users.
    pub(crate) async fn create_link_token(
        &self,
        request: &LinkTokenRequest,
        secret: Option<&SecretString>,
    ) -> Result<LinkToken> {
        self.get(with_secret(Call::new(Operation::LinkTokenCreate)?, secret)?.json(request)?).await
    }

    /// Fetches what the user of a link token shares with the client.
    pub(crate) async fn share(
        &self,
        link_token: Option<&SecretString>,
        secret: Option<&SecretString>,
    ) -> Result<Share> {
        let mut call = with_secret(Call::new(Operation::UsersShare)?, secret)?;
        if let Some(token) = link_token {
            call = call.secret(X_LINK_TOKEN, token, "The link token")?;
        }
        self.get(call).await
    }
}

/// A missing secret is not an error here: the service says what it needs.
fn with_secret(call: Call, secret: Option<&SecretString>) -> Result<Call> {
    match secret {
        Some(secret) => call.secret(X_CLIENT_SECRET, secret, "The client secret"),
        None => Ok(call),
    }
}
