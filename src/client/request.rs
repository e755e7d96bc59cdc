//! A request before it is sent.

use bytes::Bytes;
use reqwest::Method;
use serde::Serialize;
use url::Url;

use super::endpoints::{Endpoints, Operation};
use crate::error::{Error, Result};
use crate::exit::Exit;

/// A request. Everything but a GET carries an `Idempotency-Key`, made once: however often the request is sent, the
/// service does its work once.
pub(super) struct Call {
    pub(super) operation: Operation,
    parameters: Vec<(&'static str, String)>,
    query: Vec<(&'static str, String)>,
    pub(super) body: Option<Bytes>,
    pub(super) idempotency_key: Option<String>,
}

impl Call {
    pub(super) fn new(operation: Operation) -> Result<Self> {
        let idempotency_key = match operation.entry().method {
            Method::GET => None,
            _ => Some(random_key()?),
        };
        Ok(Self { operation, parameters: Vec::new(), query: Vec::new(), body: None, idempotency_key })
    }

    /// Fills a placeholder of the path.
    pub(super) fn parameter(mut self, name: &'static str, value: &str) -> Self {
        self.parameters.push((name, value.to_owned()));
        self
    }

    /// Adds to the query, where there is a value.
    pub(super) fn query(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Gives it a body.
    pub(super) fn json<T: Serialize>(mut self, body: &T) -> Result<Self> {
        let body = serde_json::to_vec(body)
            .map_err(|why| Error::new(Exit::Failed, "REQUEST", format!("The request cannot be written: {why}.")))?;
        self.body = Some(body.into());
        Ok(self)
    }

    pub(super) fn url(&self, endpoints: &Endpoints, base: &Url) -> Result<Url> {
        let parameters: Vec<(&str, &str)> =
            self.parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut url = endpoints.url(base, self.operation, &parameters)?;
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Ok(url)
    }

    /// Method and path, for messages.
    pub(super) fn describe(&self, url: &Url) -> String {
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{} {}{query}", self.operation.entry().method, url.path())
    }
}

fn random_key() -> Result<String> {
    use std::fmt::Write as _;

    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|_| Error::new(Exit::Failed, "RANDOMNESS", "The system gives no random numbers."))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}
