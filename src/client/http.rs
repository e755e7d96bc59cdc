//! One exchange with a service, or several if the first ones fail and repeating is safe. All HTTP requests go through
//! [`Http`]: redirects are not followed, so no secret leaves its intended origin; an answer is read whole, up to a
//! limit; each exchange is traced without its secrets.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use ordersync_api::TraceContext;
use ordersync_api::trace_context::TRACEPARENT;
use reqwest::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Version};
use serde::de::IgnoredAny;
use url::Url;

use super::api_error::Failure;
use super::rate_limit::RateLimit;
use super::request::{self, Repeatable};
use super::wire::{Outgoing, Reply};
use super::{curl, retry, trace};
use crate::errors::transport::{self, TransportError};
use crate::errors::{Error, Result, codes};
use crate::net::is_loopback;
use crate::output::Output;

/// The size limit of an answer, in bytes.
const MAX_ANSWER: usize = 64 << 20;
/// The time limit of a single attempt.
const ATTEMPT: Duration = Duration::from_secs(60);
/// The least time that an attempt gets, however near the deadline is.
const SHORTEST_ATTEMPT: Duration = Duration::from_secs(1);
/// How long a rate limit or an unavailable service is waited out without `--timeout`.
const PATIENCE: Duration = Duration::from_secs(180);

/// The HTTP client for services at one origin.
#[derive(Debug)]
pub(crate) struct Http {
    client: reqwest::Client,
    output: Output,
    deadline: Option<Instant>,
    /// The trace that the requests continue.
    trace: Option<TraceContext>,
    /// The limit of the client, which counts requests with a token.
    of_client: RateLimit,
    /// The limit of this address, which counts the other ones.
    of_address: RateLimit,
    /// Whether the service has said that it does the work of an idempotency key only once.
    honours_keys: AtomicBool,
}

/// How a request is sent.
#[derive(Debug, Clone)]
pub(crate) struct Sending {
    /// Whether it may be sent again although the service may have carried it out.
    pub(crate) repeatable: Repeatable,
    /// Which rate limit counts it; `None`: none does.
    pub(crate) counted_by: Option<CountedBy>,
    /// Until when a request that follows a session may wait. Its waits are not shown.
    pub(crate) poll: Option<Instant>,
}

/// A rate limit of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountedBy {
    /// Of the client that the token was issued to.
    Client,
    /// Of the address from which requests without a token come.
    Address,
}

impl Http {
    /// A client for services at the origin of `base`. Nothing waits beyond `deadline`.
    pub(crate) fn new(
        base: &Url,
        output: Output,
        deadline: Option<Instant>,
        trace: Option<TraceContext>,
    ) -> Result<Self> {
        let (of_client, of_address) = (RateLimit::default(), RateLimit::default());
        let honours_keys = AtomicBool::new(false);
        Ok(Self { client: built(builder(base))?, output, deadline, trace, of_client, of_address, honours_keys })
    }

    /// The rate limit that counts requests with a token.
    pub(crate) const fn rate_limit(&self) -> &RateLimit {
        &self.of_client
    }

    /// When waiting ends.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Sends a request that carries no access token, and repeats it if that may help.
    pub(crate) async fn send(&self, request: &Outgoing, repeatable: bool) -> Result<Reply, Failure> {
        let repeatable = if repeatable { Repeatable::Always } else { Repeatable::Never };
        self.send_as(request, &Sending { repeatable, counted_by: Some(CountedBy::Address), poll: None }).await
    }

    /// Sends a request, and repeats it if that may help. A request that the service may have carried out is repeated
    /// only if it is repeatable. Every attempt waits until the rate limit has room.
    pub(crate) async fn send_as(&self, request: &Outgoing, how: &Sending) -> Result<Reply, Failure> {
        let rate_limit = how.counted_by.map(|counted_by| match counted_by {
            CountedBy::Client => &self.of_client,
            CountedBy::Address => &self.of_address,
        });
        curl::show(&self.output, request);
        let give_up = how.poll.or(self.deadline).unwrap_or_else(|| Instant::now() + PATIENCE);
        let mut attempt = 0;
        let mut refusal = None;
        loop {
            let outcome = match (self.exchange(request, rate_limit, how.poll).await, refusal.take()) {
                // Too little time was left to learn anything new, so the earlier refusal is more useful.
                (Err(failure), Some(refusal)) if failure.is_for_want_of_time() => return Ok(refusal),
                (outcome, _) => outcome,
            };
            let Some(wait) = retry::wait(&outcome, self.may_repeat(how.repeatable), how.poll.is_some(), attempt) else {
                return outcome;
            };
            if Instant::now() + wait > give_up {
                return outcome;
            }
            let text = retry::explanation(&outcome, wait);
            let text = text.map(|text| move |seconds: u64| format!("{text} in {seconds} s."));
            rate_limit.unwrap_or(&self.of_address).pause(&self.output, wait, text).await;
            refusal = outcome.ok();
            attempt += 1;
        }
    }

    /// Whether a request may be sent again now although the service may have carried it out.
    fn may_repeat(&self, repeatable: Repeatable) -> bool {
        match repeatable {
            Repeatable::Always => true,
            Repeatable::IfKeysAreHonoured => self.honours_keys.load(Ordering::Relaxed),
            Repeatable::Never => false,
        }
    }

    async fn exchange(
        &self,
        outgoing: &Outgoing,
        rate_limit: Option<&RateLimit>,
        poll: Option<Instant>,
    ) -> Result<Reply, Failure> {
        let description = outgoing.describe();
        let permit = match rate_limit {
            None => None,
            Some(limit) => match limit.permit(&self.output, poll.or(self.deadline), poll.is_some()).await {
                Ok(permit) => Some(permit),
                Err(wait) => return Err(Failure::rate_limit(&description, wait)),
            },
        };
        trace::request(&self.output, &description, outgoing);
        let mut request = self
            .client
            .request(outgoing.method.clone(), outgoing.url.clone())
            .headers(outgoing.headers.clone())
            .timeout(self.attempt_time());
        if let Some(trace) = self.trace.filter(|_| !outgoing.headers.contains_key(TRACEPARENT)) {
            self.output.trace(2, &format!("> {TRACEPARENT}: {trace}"));
            request = request.header(TRACEPARENT, trace.to_string());
        }
        if let Some(body) = &outgoing.body {
            request = request.body(body.clone());
        }
        let started = Instant::now();
        let failed = |trouble: TransportError| {
            trace::failure(&self.output, &description, trouble.why(), started.elapsed());
            Failure::transport(&description, trouble)
        };
        let waits = |seconds| format!("Waiting for the service: {seconds} s.");
        let sent = match poll {
            // It may wait for a change, which is no news.
            Some(_) => request.send().await,
            None => self.output.while_waiting(request.send(), waits).await,
        };
        let response = match sent {
            Ok(response) => response,
            Err(why) => return Err(failed(TransportError::sending(&why))),
        };
        let (status, headers) = (response.status(), response.headers().clone());
        // Of any other answer, the end of the connection is the end (RFC 9112 §6.3), be it early.
        let is_framed = response.version() > Version::HTTP_11
            || [CONTENT_LENGTH, TRANSFER_ENCODING].iter().any(|name| headers.contains_key(name));
        // An answer without the header may be a proxy's, so it does not reset the flag.
        self.honours_keys.fetch_or(request::honours_keys(&headers), Ordering::Relaxed);
        if let Some(permit) = permit {
            permit.answered(&headers, retry::refused_for(status, &headers));
        }
        let body = match self.output.while_waiting(read(response), waits).await {
            Ok(Some(body)) => body,
            Ok(None) => return Err(Failure::too_large(&description)),
            Err(why) => return Err(failed(TransportError::reading(&why))),
        };
        if status.is_success() && !is_framed && is_cut(&body) {
            return Err(failed(TransportError::cut()));
        }
        let reply = Reply { status, headers, body, description };
        trace::answer(&self.output, &reply, started.elapsed());
        Ok(reply)
    }

    fn attempt_time(&self) -> Duration {
        let left = self.deadline.map_or(ATTEMPT, |deadline| deadline.saturating_duration_since(Instant::now()));
        left.clamp(SHORTEST_ATTEMPT, ATTEMPT)
    }
}

/// The client settings for a service at `base`.
pub(crate) fn builder(base: &Url) -> ClientBuilder {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("ordersync/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .connect_timeout(Duration::from_secs(10));
    if is_loopback(base) {
        // Compression gains nothing on the loopback interface.
        builder = builder.no_proxy().no_gzip();
    }
    if base.scheme() == "http" {
        // Plain HTTP needs no certificates, and reading the system's takes longer than the request.
        builder = builder.tls_certs_only([]);
    }
    builder
}

/// Builds the client.
pub(crate) fn built(builder: ClientBuilder) -> Result<reqwest::Client> {
    builder.build().map_err(|why| {
        let why = transport::cause(&why);
        Error::of(&codes::network::TLS, format!("The system's certificates cannot be used: {why}."))
    })
}

/// Whether a body is JSON that ends too early.
fn is_cut(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start().first(), Some(b'[' | b'{'))
        && serde_json::from_slice::<IgnoredAny>(body).is_err_and(|why| why.is_eof())
}

/// Reads the body; `None`: it exceeds the size limit.
async fn read(mut response: reqwest::Response) -> Result<Option<Bytes>, reqwest::Error> {
    if response.content_length().is_some_and(|length| length > MAX_ANSWER as u64) {
        return Ok(None);
    }
    let length = response.content_length().and_then(|length| usize::try_from(length).ok());
    let mut body = BytesMut::with_capacity(length.unwrap_or_default());
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body.freeze()))
}
