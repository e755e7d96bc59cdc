//! The thin HTTP layer. Every request passes `Client::send`: the bearer token, repetition, waiting out a rate limit,
//! the trace. The typed endpoints are one file per resource.
//!
//! What holds: no redirect is followed, so that the token never leaves its origin; an answer is read whole and capped;
//! a request is repeated only if a repetition cannot do its work twice: it changes nothing, it was not sent, or the service
//! has said that it honours idempotency keys; a token that is refused is replaced once.

pub(crate) mod api_error;
pub(crate) mod clock_skew;
mod connections;
mod curl;
mod documents;
pub(crate) mod endpoints;
pub(crate) mod http;
mod imports;
pub(crate) mod link_tokens;
pub(crate) mod list;
mod mfa;
mod orders;
pub(crate) mod page;
pub(crate) mod paging;
mod profile;
mod rate_limit;
pub(crate) mod rate_limit_headers;
mod raw;
pub(crate) mod redact;
pub(crate) mod request;
mod retailers;
pub(crate) mod retry;
pub(crate) mod row;
mod sandbox;
mod secret;
mod sessions;
pub(crate) mod token;
mod trace;
pub(crate) mod wire;

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use ordersync_api::{ErrorCode, TraceContext};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use url::Url;

use crate::errors::{Error, Hint, Result, codes, run};
use crate::output::Output;
use api_error::Failure;
use endpoints::Endpoints;
use http::{CountedBy, Http, Sending};
pub(crate) use orders::{Lines, OrderFilter, PageForm, WirePage, adjustments_not_reported, typed};
pub(crate) use page::Incomplete;
use rate_limit::RateLimit;
use request::{Bearer, Call, Repeatable};
#[cfg(test)]
use retry::refused_for;
use secret::ClientSecret;
use token::TokenSource;
use wire::{Outgoing, Reply};

/// How bytes begin that gzip has made (RFC 1952, 2.3.1).
const GZIP: &[u8] = &[0x1f, 0x8b];
/// UTF-8 that marks its byte order; RFC 8259, 8.1, forbids it in JSON.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];
/// What to do about a request that may have been carried out, and was not repeated for that reason.
const MAY_BE_DONE: Hint =
    run("The service may have carried it out. Look before you repeat it", "ordersync sessions list");

/// A connection to a service.
#[derive(Debug)]
pub(crate) struct Client {
    http: Http,
    base: Url,
    tokens: Arc<dyn TokenSource>,
    endpoints: Endpoints,
    secret: ClientSecret,
}

/// A successful answer.
#[derive(Debug)]
pub(crate) struct Answer(Reply);

impl Client {
    /// A client of the service at `base`. Nothing waits beyond `deadline`. Its requests continue the trace.
    pub(crate) fn new(
        base: Url,
        tokens: Arc<dyn TokenSource>,
        endpoints: Endpoints,
        output: Output,
        deadline: Option<Instant>,
        trace: Option<TraceContext>,
    ) -> Result<Self> {
        let http = Http::new(&base, output, deadline, trace)?;
        Ok(Self { http, base, tokens, endpoints, secret: ClientSecret::new(None) })
    }

    /// How to find the client secret if the service asks for it.
    pub(crate) fn with_secret(self, find: secret::Find) -> Self {
        Self { secret: ClientSecret::new(Some(find)), ..self }
    }

    /// The service's address.
    pub(crate) const fn base(&self) -> &Url {
        &self.base
    }

    /// Sends a request, again and again where that is safe and may help, and gives the answer if it is a success.
    pub(crate) async fn send(&self, call: Call) -> Result<Answer> {
        let mut token = match call.bearer() {
            Bearer::Unwanted => None,
            Bearer::Welcome => self.tokens.token().await?,
            Bearer::Needed => match self.tokens.token().await? {
                None => return Err(api_error::no_token(self.tokens.advice())),
                token => token,
            },
        };
        let mut reply = self.attempt(&call, token.as_ref()).await?;
        if reply.status == StatusCode::UNAUTHORIZED
            && let Some(refused) = token
        {
            token = self.tokens.replace(&refused).await?;
            if token.is_some() {
                // Refused, so nothing was done: this is no repetition.
                reply = self.attempt(&call, token.as_ref()).await?;
            }
        }
        if reply.status.is_success() || reply.status == StatusCode::NOT_MODIFIED && call.is_conditional() {
            return Ok(Answer(reply));
        }
        let skew = clock_skew::told(&reply.headers);
        let is_refused_token = reply.status == StatusCode::UNAUTHORIZED;
        let error = Failure::refusal(reply).into_error(&self.base);
        // A 401 may be about another token, which has a remedy of its own.
        let has_own_remedy = error.is(ErrorCode::LinkTokenInvalid);
        let error = if is_refused_token && !has_own_remedy { error.hint(self.tokens.advice()) } else { error };
        let error = if call.is_list() { error.where_unknown(codes::service::HTTP_STATUS.advice()) } else { error };
        // If two clocks differ, tokens that are valid for a limited time are refused.
        Err(match skew {
            Some(skew) if is_refused_token || error.is(ErrorCode::SealRejected) => error.also(skew),
            _ => error,
        })
    }

    async fn attempt(&self, call: &Call, token: Option<&SecretString>) -> Result<Reply> {
        let mut outgoing = call.outgoing(&self.endpoints, &self.base, token)?;
        let path = outgoing.url.path().to_owned();
        if let Some(secret) = self.secret.at(&path).await? {
            request::add_secret(&mut outgoing, &secret)?;
        }
        let reply = self.attempt_as(call, &outgoing, token).await?;
        let Some(secret) = self.secret.after(&reply, &path).await? else { return Ok(reply) };
        // Refused, so nothing was done: this is no repetition.
        request::add_secret(&mut outgoing, &secret)?;
        self.attempt_as(call, &outgoing, token).await
    }

    async fn attempt_as(&self, call: &Call, outgoing: &Outgoing, token: Option<&SecretString>) -> Result<Reply> {
        let how = Sending {
            repeatable: call.repeatable(),
            counted_by: self.counted_by(&outgoing.url, token),
            poll: call.polls_until(),
        };
        self.http.send_as(outgoing, &how).await.map_err(|failure| {
            let may_be_done = failure.may_be_done() && how.repeatable != Repeatable::Always;
            let error = failure.into_error(&self.base);
            if may_be_done { error.also(MAY_BE_DONE) } else { error }
        })
    }

    /// Which rate limit counts a request; `None`: it is outside of what a service limits.
    fn counted_by(&self, url: &Url, token: Option<&SecretString>) -> Option<CountedBy> {
        let path = url.path().strip_prefix(self.base.path().trim_end_matches('/')).unwrap_or_default();
        let is_limited = !path.starts_with("/sandbox/") && !matches!(path, "/healthz" | "/readyz" | "/metrics");
        is_limited.then_some(if token.is_some() { CountedBy::Client } else { CountedBy::Address })
    }

    /// The rate limit of the current sign-in.
    pub(crate) const fn rate_limit(&self) -> &RateLimit {
        self.http.rate_limit()
    }

    /// Sends a request and reads its answer.
    async fn get<T: DeserializeOwned>(&self, call: Call) -> Result<T> {
        self.send(call).await?.json()
    }
}

impl Answer {
    pub(crate) fn status(&self) -> StatusCode {
        self.0.status
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    pub(crate) fn body(&self) -> &Bytes {
        &self.0.body
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.0.header(name)
    }

    /// Which version of the list it is of, if the service says so.
    pub(crate) fn version(&self) -> Option<&str> {
        self.header("x-list-version")
    }

    /// How many rows the list has in all, if the service says so.
    pub(crate) fn total(&self) -> Option<u64> {
        self.header("x-total-count")?.trim().parse().ok()
    }

    /// What a page of a list says of the connections whose items it lists.
    pub(crate) fn incomplete(&self) -> Incomplete {
        let number = |name| self.header(name)?.trim().parse::<u64>().ok();
        let incomplete = number("x-incomplete-connections");
        Incomplete {
            most: incomplete.unwrap_or_default(),
            is_said: incomplete.is_some(),
            mismatched: number("x-mismatch-connections").unwrap_or_default(),
        }
    }

    /// Whether the service proves that a list ends at this row: its count belongs to a version of the list. Without one,
    /// it is unknown what it counts.
    pub(crate) fn counts_to(&self, end: usize) -> bool {
        self.version().is_some() && self.total() == Some(end as u64)
    }

    /// Whether the body says that it is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.contains("json"))
    }

    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T> {
        let read = std::str::from_utf8(self.body()).map(row::json);
        read.unwrap_or_else(|_| serde_json::from_slice(self.body())).map_err(|why| self.unreadable(&why))
    }

    /// What is wrong with a body that should have been JSON of a certain form.
    pub(crate) fn unreadable(&self, why: &serde_json::Error) -> Error {
        let Reply { headers, body, description, .. } = &self.0;
        let kind = self.header("content-type").unwrap_or_default();
        let (row, what) = if api_error::is_html(headers, body) {
            (&codes::network::WEB_PAGE, "it is a web page".to_owned())
        } else if body.is_empty() {
            (&codes::network::UNEXPECTED_ANSWER, "it is empty".to_owned())
        } else if !kind.is_empty() && !self.is_json() {
            (&codes::network::WRONG_CONTENT_TYPE, format!("its content type is {kind}, not JSON"))
        } else if body.starts_with(GZIP) {
            (&codes::network::UNEXPECTED_ANSWER, "it is compressed with gzip, which was not requested".to_owned())
        } else if body.starts_with(BYTE_ORDER_MARK) {
            (
                &codes::network::UNEXPECTED_ANSWER,
                "it begins with a byte order mark, which JSON does not allow".to_owned(),
            )
        } else {
            (&codes::network::UNEXPECTED_ANSWER, why.to_string())
        };
        Error::of(row, format!("The answer to {description} cannot be understood: {what}.")).with_response(
            self.0.status.as_u16(),
            self.header("x-request-id"),
            None,
        )
    }
}
