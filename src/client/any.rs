//! Any request at all, below the service's address.

use secrecy::SecretString;
use url::Url;

use super::Client;
use super::http::{Reply, Sending};
use super::request::{Call, Repeatable};
use crate::config::base_url::is_same_origin;
use crate::error::{Error, Result};

impl Client {
    /// The address of a path below the service's; the path may have a query. A whole address is taken where it is the
    /// service's own, so that what the service names can be asked for.
    ///
    /// # Errors
    /// Where it leads elsewhere, or is none.
    pub(crate) fn address(&self, path: &str) -> Result<Url> {
        if path.contains("://") {
            let url = Url::parse(path).map_err(|why| Error::usage(format!("\"{path}\" is no address: {why}.")))?;
            if !is_same_origin(&url, &self.base) {
                return Err(Error::usage(format!("\"{path}\" leads away from {}.", self.base))
                    .hint("The access token goes nowhere else. Name another service with --base-url."));
            }
            return Ok(url);
        }
        let base = self.base.as_str().trim_end_matches('/');
        let url = Url::parse(&format!("{base}/{}", path.trim_start_matches('/')))
            .map_err(|why| Error::usage(format!("\"{path}\" is no path: {why}.")))?;
        if is_same_origin(&url, &self.base) {
            return Ok(url);
        }
        Err(Error::usage(format!("\"{path}\" is no path.")))
    }

    /// The answer to a request with this token, whatever it is: for those who judge the service itself. A rate limit is
    /// waited out; what fails is not tried again.
    ///
    /// # Errors
    /// Where no whole answer comes.
    pub(crate) async fn observe(&self, call: &Call, token: Option<&SecretString>) -> Result<Reply> {
        let outgoing = call.outgoing(&self.endpoints, &self.base, token)?;
        let how =
            Sending { repeatable: Repeatable::Never, spender: self.spender(&outgoing.url, token).await, poll: false };
        self.http.send_as(&outgoing, &how).await.map_err(|failure| failure.into_error(&self.base))
    }

    /// The access token that requests carry; `None`: there is none.
    ///
    /// # Errors
    /// Where there should be one, and it cannot be had.
    pub(crate) async fn access_token(&self) -> Result<Option<SecretString>> {
        self.tokens.token().await
    }

    /// What the user does about a token that is missing or refused.
    pub(crate) fn token_advice(&self) -> String {
        self.tokens.advice()
    }
}
