//! The metadata of an authorization server (RFC 8414).

use reqwest::Method;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use serde::Deserialize;
use url::Url;

use crate::client::api_error::Failure;
use crate::client::http::Http;
use crate::client::wire::Outgoing;
use crate::errors::{Error, Hint, Result, codes};
use crate::net::is_loopback;
use crate::shell;

/// The metadata of an authorization server.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Metadata {
    /// The server's identity.
    pub issuer: String,
    /// The page where a user signs in.
    pub authorization_endpoint: Option<Url>,
    /// Issues tokens.
    pub token_endpoint: Url,
    /// Revokes tokens (RFC 7009).
    pub revocation_endpoint: Option<Url>,
    /// Starts a sign-in on another device (RFC 8628).
    pub device_authorization_endpoint: Option<Url>,
    /// Whether the server names itself when it sends the user back (RFC 9207).
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
}

impl Metadata {
    /// The path of the metadata, below the service's address.
    pub(crate) const PATH: &str = ".well-known/oauth-authorization-server";

    /// Fetches the metadata from the service at `base`.
    pub(crate) async fn discover(http: &Http, base: &Url) -> Result<Self> {
        let url = Url::parse(&format!("{}/{}", base.as_str().trim_end_matches('/'), Self::PATH))
            .map_err(|why| Error::usage(format!("{base} cannot have a path: {why}.")))?;
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
        let request = Outgoing { method: Method::GET, url, headers, body: None };
        let reply = http.send(&request, true).await.map_err(|failure| failure.into_error(base))?;
        if reply.status.as_u16() == 404 {
            return Err(unknown(&format!("{base} has no authorization server: {} was not found.", reply.description)));
        }
        if !reply.status.is_success() {
            return Err(Failure::refusal(reply).into_error(base));
        }
        let metadata: Self = serde_json::from_slice(&reply.body).map_err(|why| {
            unknown(&format!("What {base} says of its authorization server cannot be understood: {why}."))
        })?;
        metadata.check(base)?;
        Ok(metadata)
    }

    /// RFC 8414 §3.3: the issuer must be `base`. Endpoints must use https, except on this machine.
    pub(crate) fn check(&self, base: &Url) -> Result<()> {
        if self.issuer.trim_end_matches('/') != base.as_str().trim_end_matches('/') {
            return Err(Error::of(&codes::command::WRONG_ISSUER, format!("{base} says that it is {}.", self.issuer))
                .hint(Hint::run(
                    "If you trust that one, sign in there",
                    shell::command(["auth", "login", "--base-url", &self.issuer], &[]),
                )));
        }
        let endpoints = [
            self.authorization_endpoint.as_ref(),
            Some(&self.token_endpoint),
            self.revocation_endpoint.as_ref(),
            self.device_authorization_endpoint.as_ref(),
        ];
        for url in endpoints.into_iter().flatten() {
            if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback(url) && is_loopback(base)) {
                return Err(unknown(&format!("{base} names {url}, which is not https.")));
            }
        }
        Ok(())
    }
}

/// The error for a server that lacks what signing in needs.
pub(super) fn unknown(message: &str) -> Error {
    Error::of(&codes::command::NO_AUTHORIZATION_SERVER, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, issuer: &str, token_endpoint: &str) -> Result<()> {
        let metadata: Metadata =
            serde_json::from_value(serde_json::json!({ "issuer": issuer, "token_endpoint": token_endpoint }))
                .expect("metadata");
        metadata.check(&Url::parse(base).expect("url"))
    }

    #[test]
    fn the_issuer_is_the_one_that_was_asked_and_takes_no_secrets_in_the_clear() {
        assert!(check("https://a.test", "https://a.test", "https://a.test/t").is_ok());
        assert!(check("https://a.test/x", "https://a.test/x/", "https://login.a.test/t").is_ok());
        assert!(check("http://127.0.0.1:1", "http://127.0.0.1:1", "http://127.0.0.1:1/t").is_ok());
        for (base, issuer, token_endpoint) in [
            ("https://a.test", "https://b.test", "https://a.test/t"),
            ("https://a.test", "https://a.test/x", "https://a.test/t"),
            ("https://a.test", "https://a.test", "http://a.test/t"),
            ("https://a.test", "https://a.test", "http://127.0.0.1/t"),
            ("https://a.test", "https://a.test", "file:///etc/passwd"),
        ] {
            assert!(check(base, issuer, token_endpoint).is_err(), "{base} {issuer} {token_endpoint}");
        }
    }
}
