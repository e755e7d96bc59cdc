//! The client's secret, for endpoints that ask for it. The specification does not say which ones do, so a path gets the
//! secret only after it has answered `CLIENT_SECRET_REQUIRED`, and from then on until the command ends.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use ordersync_api::ErrorCode;
use reqwest::StatusCode;
use secrecy::SecretString;

use super::api_error;
use super::wire::Reply;
use crate::errors::{Error, Result, codes};

/// Finds the secret. It may read files, so it runs on a blocking thread.
pub(crate) type Find = Arc<dyn Fn() -> Result<Option<SecretString>> + Send + Sync>;

/// The secret of a client, and the paths that ask for it.
pub(super) struct ClientSecret {
    find: Option<Find>,
    wanted_at: Mutex<HashSet<String>>,
}

impl std::fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClientSecret")
    }
}

impl ClientSecret {
    pub(super) fn new(find: Option<Find>) -> Self {
        Self { find, wanted_at: Mutex::default() }
    }

    /// The secret for a path that has asked for it.
    pub(super) async fn at(&self, path: &str) -> Result<Option<SecretString>> {
        let is_wanted = self.wanted_at.lock().unwrap_or_else(PoisonError::into_inner).contains(path);
        if is_wanted { self.find().await } else { Ok(None) }
    }

    /// The secret, if the service has just refused a request because it was missing.
    pub(super) async fn after(&self, reply: &Reply, path: &str) -> Result<Option<SecretString>> {
        let code = (reply.status == StatusCode::FORBIDDEN).then(|| api_error::decode(&reply.body).0).flatten();
        if code.as_deref() != Some(ErrorCode::ClientSecretRequired.as_str()) {
            return Ok(None);
        }
        let is_new = self.wanted_at.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        // If the path already had the secret, sending it again does not help.
        if is_new { self.find().await } else { Ok(None) }
    }

    async fn find(&self) -> Result<Option<SecretString>> {
        let Some(find) = self.find.clone() else { return Ok(None) };
        let found = tokio::task::spawn_blocking(move || find()).await;
        found.unwrap_or_else(|why| Err(Error::of(&codes::command::FAULT, format!("A thread failed: {why}."))))
    }
}
