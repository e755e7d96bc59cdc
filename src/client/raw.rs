//! Arbitrary requests below the service's address.

use secrecy::SecretString;
use url::Url;

use super::Client;
use super::http::Sending;
use super::request::{Call, Repeatable};
use super::wire::Reply;
use crate::errors::{Advice, Error, Result};
use crate::net::is_same_origin;

impl Client {
    /// The address of a path below the service's address; the path may have a query. Full addresses are accepted if
    /// they are the service's own, so that addresses from its answers can be used.
    pub(crate) fn address(&self, path: &str) -> Result<Url> {
        let base = self.base.as_str().trim_end_matches('/');
        let (text, what) = match is_address(path) {
            true => (path.to_owned(), "address"),
            false => (format!("{base}/{}", path.trim_start_matches('/')), "path"),
        };
        let url = Url::parse(&text).map_err(|why| Error::usage(format!("\"{path}\" is no {what}: {why}.")))?;
        // `..` may have led out of the service's own path, to another service on the same host.
        let below = url.path().strip_prefix(self.base.path().trim_end_matches('/'));
        if is_same_origin(&url, &self.base) && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            return Ok(url);
        }
        Err(Error::usage(format!("\"{path}\" leads away from {}.", self.base))
            .hint("The access token goes nowhere else. Name another service with --base-url."))
    }

    /// Sends a request with this token and returns the answer whatever its status: for commands that check the service
    /// itself. Rate limits are waited out, and a request that could not be sent is retried; other failures are not.
    pub(crate) async fn observe(&self, call: &Call, token: Option<&SecretString>) -> Result<Reply> {
        let outgoing = call.outgoing(&self.endpoints, &self.base, token)?;
        let how =
            Sending { repeatable: Repeatable::Never, counted_by: self.counted_by(&outgoing.url, token), poll: None };
        self.http.send_as(&outgoing, &how).await.map_err(|failure| failure.into_error(&self.base))
    }

    /// The access token that requests carry; `None`: there is none.
    pub(crate) async fn access_token(&self) -> Result<Option<SecretString>> {
        self.tokens.token().await
    }

    /// What the user can do about a missing or refused token.
    pub(crate) fn token_advice(&self) -> Advice {
        self.tokens.advice()
    }
}

/// Whether it begins with a scheme (RFC 3986 §3.1). An address elsewhere in it, such as in a query, does not count.
fn is_address(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        let is_of_scheme = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        scheme.starts_with(|letter: char| letter.is_ascii_alphabetic()) && scheme.chars().all(is_of_scheme)
    })
}
