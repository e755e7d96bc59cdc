//! A request before it is sent.

use std::time::Instant;

use bytes::Bytes;
use ordersync_api::hex;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use url::Url;

use super::endpoints::{Endpoints, Operation};
use super::wire::{IDEMPOTENCY_KEY, Outgoing, X_CLIENT_SECRET};
use crate::errors::{Error, Result, codes};

/// Whether a request carries an access token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bearer {
    /// It cannot be sent without one.
    Needed,
    /// Sent with one if available.
    Welcome,
    /// Never.
    Unwanted,
}

/// A request. Every request that may change something carries an `Idempotency-Key`, generated once: however often the
/// request is sent, a service that honours such keys does the work once.
#[derive(Debug)]
pub(crate) struct Call {
    target: RequestTarget,
    parameters: Vec<(&'static str, String)>,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Option<Bytes>,
    poll: Option<Instant>,
}

#[derive(Debug)]
enum RequestTarget {
    /// One of the service's operations.
    Operation(Operation),
    /// Any path below the service's address.
    Path(Method, Url),
}

/// Whether a request may be sent again although the service may have carried it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeatable {
    /// It changes nothing.
    Always,
    /// It carries a key, and the service has said that it does the work of a key only once.
    IfKeysAreHonoured,
    /// It may change something.
    Never,
}

/// The header with which a service says that it honours idempotency keys. The specification has neither this header nor
/// the keys.
const IDEMPOTENCY_KEY_SUPPORTED: &str = "idempotency-key-supported";

/// Whether an answer says that the service honours idempotency keys.
pub(super) fn honours_keys(headers: &HeaderMap) -> bool {
    headers.get(IDEMPOTENCY_KEY_SUPPORTED).is_some_and(|value| value == "true")
}

impl Call {
    pub(crate) fn new(operation: Operation) -> Result<Self> {
        Self::of(RequestTarget::Operation(operation), &operation.entry().method)
    }

    /// Any request, to an address made by [`super::Client::address`].
    pub(crate) fn path(method: Method, url: Url) -> Result<Self> {
        Self::of(RequestTarget::Path(method.clone(), url), &method)
    }

    fn of(target: RequestTarget, method: &Method) -> Result<Self> {
        let mut headers = HeaderMap::new();
        if !method.is_safe() {
            headers.insert(IDEMPOTENCY_KEY, random_key()?);
        }
        Ok(Self { target, parameters: Vec::new(), query: Vec::new(), headers, body: None, poll: None })
    }

    /// Fills a placeholder of the path.
    pub(crate) fn parameter(mut self, name: &'static str, value: &str) -> Self {
        self.parameters.push((name, value.to_owned()));
        self
    }

    /// Adds a query parameter if it has a value.
    pub(crate) fn query(mut self, name: impl Into<String>, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name.into(), value.to_string())));
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Sets a header that holds a secret.
    pub(crate) fn secret(self, name: &'static str, value: &SecretString, what: &str) -> Result<Self> {
        Ok(self.header(HeaderName::from_static(name), sensitive(value.expose_secret().trim(), what)?))
    }

    /// Sets the body, as JSON.
    pub(crate) fn json<T: Serialize>(self, body: &T) -> Result<Self> {
        let body = serde_json::to_vec(body)
            .map_err(|why| Error::of(&codes::command::FAULT, format!("The request cannot be written: {why}.")))?;
        Ok(self.body(body.into()))
    }

    /// Sets the body. Its type is JSON unless a header says otherwise.
    pub(crate) fn body(mut self, body: Bytes) -> Self {
        self.headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        self.body = Some(body);
        self
    }

    /// Marks it as a request that follows a session: it waits for the rate limit until the given time, and shows no wait.
    pub(crate) fn poll(self, until: Instant) -> Self {
        Self { poll: Some(until), ..self }
    }

    /// Whether the answer may be that the client has it already.
    pub(crate) fn is_conditional(&self) -> bool {
        self.headers.contains_key(IF_NONE_MATCH)
    }

    /// Until when the request may wait, if it follows a session.
    pub(crate) const fn polls_until(&self) -> Option<Instant> {
        self.poll
    }

    /// Whether it asks for a list that every service has.
    pub(crate) const fn is_list(&self) -> bool {
        use Operation::{ConnectionsList, OrdersList, RetailersList};
        matches!(self.target, RequestTarget::Operation(ConnectionsList | OrdersList | RetailersList))
    }

    /// Whether it carries an access token.
    pub(crate) fn bearer(&self) -> Bearer {
        match &self.target {
            RequestTarget::Operation(operation) if operation.entry().authenticated => Bearer::Needed,
            RequestTarget::Operation(_) => Bearer::Unwanted,
            RequestTarget::Path(..) => Bearer::Welcome,
        }
    }

    /// Whether and when the request may be sent again although the service may have carried it out.
    pub(crate) fn repeatable(&self) -> Repeatable {
        match self.method().is_safe() {
            true => Repeatable::Always,
            false if self.headers.contains_key(IDEMPOTENCY_KEY) => Repeatable::IfKeysAreHonoured,
            false => Repeatable::Never,
        }
    }

    fn method(&self) -> &Method {
        match &self.target {
            RequestTarget::Operation(operation) => &operation.entry().method,
            RequestTarget::Path(method, _) => method,
        }
    }

    /// The complete request.
    pub(crate) fn outgoing(&self, endpoints: &Endpoints, base: &Url, token: Option<&SecretString>) -> Result<Outgoing> {
        let mut url = match &self.target {
            RequestTarget::Operation(operation) => {
                let parameters: Vec<(&str, &str)> =
                    self.parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
                endpoints.url(base, *operation, &parameters)?
            }
            RequestTarget::Path(_, url) => url.clone(),
        };
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        let mut headers = self.headers.clone();
        if let Some(token) = token {
            headers.insert(AUTHORIZATION, sensitive(&format!("Bearer {}", token.expose_secret()), "The access token")?);
        }
        Ok(Outgoing { method: self.method().clone(), url, headers, body: self.body.clone() })
    }
}

/// Adds the client's secret, unless the request already has one.
pub(super) fn add_secret(outgoing: &mut Outgoing, secret: &SecretString) -> Result<()> {
    let value = sensitive(secret.expose_secret().trim(), "The client secret")?;
    outgoing.headers.entry(X_CLIENT_SECRET).or_insert(value);
    Ok(())
}

/// A header value that is never shown.
fn sensitive(text: &str, what: &str) -> Result<HeaderValue> {
    let mut value =
        HeaderValue::from_str(text).map_err(|_| Error::usage(format!("{what} holds letters that cannot be sent.")))?;
    value.set_sensitive(true);
    Ok(value)
}

fn random_key() -> Result<HeaderValue> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|_| Error::of(&codes::command::SYSTEM, "The system gives no random numbers."))?;
    HeaderValue::from_str(&hex::encode(&bytes))
        .map_err(|_| Error::of(&codes::command::FAULT, "A key of hexadecimal digits cannot be sent."))
}
