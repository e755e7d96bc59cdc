//! The thin HTTP layer. Every request passes [`Client::send`]: the bearer token, repetition, waiting out a rate limit,
//! the trace. The typed endpoints are one file per resource.
//!
//! What holds: no redirect is followed, so that the token never leaves its origin; an answer is read whole and capped;
//! a request is repeated only where a repetition cannot do its work twice.

mod connections;
pub mod endpoints;
mod mfa;
mod orders;
mod problem;
mod request;
mod retailers;
mod retry;
mod sandbox;
mod sessions;
mod trace;

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use url::Url;

use crate::config::base_url::is_loopback;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::Output;
use endpoints::Endpoints;
pub use orders::OrderFilter;
use request::Call;

/// The most that is read of an answer.
const MAX_ANSWER: usize = 64 << 20;
/// The most that a single attempt may take.
const ATTEMPT: Duration = Duration::from_secs(60);
/// A request that is sent at all gets this long, however near the deadline is.
const SHORTEST_ATTEMPT: Duration = Duration::from_secs(1);
/// How long a rate limit or an unavailable service is waited out where no `--timeout` is given.
const PATIENCE: Duration = Duration::from_secs(180);

/// A connection to a service.
#[derive(Debug)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    bearer: Option<HeaderValue>,
    endpoints: Endpoints,
    output: Output,
    deadline: Option<Instant>,
}

/// A successful answer.
#[derive(Debug)]
pub(crate) struct Answer {
    headers: HeaderMap,
    body: Bytes,
    description: String,
}

impl Client {
    /// A client of the service at `base`. Nothing may be waited for after `deadline`.
    ///
    /// # Errors
    /// Where the token cannot travel in a header, or the system's certificates cannot be read.
    pub fn new(
        base: Url,
        token: Option<&SecretString>,
        endpoints: Endpoints,
        output: Output,
        deadline: Option<Instant>,
    ) -> Result<Self> {
        let bearer = token.map(bearer).transpose()?;
        Ok(Self { http: http(&base)?, base, bearer, endpoints, output, deadline })
    }

    /// Sends a request, again and again where that is safe and may help, and gives the answer if it is a success.
    async fn send(&self, call: Call) -> Result<Answer> {
        let entry = call.operation.entry();
        let url = call.url(&self.endpoints, &self.base)?;
        if entry.authenticated && self.bearer.is_none() {
            return Err(problem::no_token());
        }
        let give_up = self.deadline.unwrap_or_else(|| Instant::now() + PATIENCE);
        let mut attempt = 0;
        loop {
            let error = match self.exchange(&call, &url).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let Some(wait) = retry::wait(&error, &call, attempt) else { return Err(error.into_error(&self.base)) };
            if Instant::now() + wait > give_up {
                return Err(error.into_error(&self.base));
            }
            if let Some(text) = retry::explanation(&error, wait) {
                self.output.note(&text);
            }
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn exchange(&self, call: &Call, url: &Url) -> Result<Answer, problem::Failure> {
        let entry = call.operation.entry();
        let mut request = self.http.request(entry.method.clone(), url.clone()).timeout(self.attempt_time());
        if entry.authenticated
            && let Some(bearer) = &self.bearer
        {
            request = request.header(AUTHORIZATION, bearer);
        }
        if let Some(key) = &call.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = &call.body {
            request = request.header("content-type", "application/json").body(body.clone());
        }
        let description = call.describe(url);
        trace::request(&self.output, &description, call);
        let started = Instant::now();
        let response = request.send().await.map_err(|why| problem::Failure::transport(&description, &why))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = read(response, &description).await?;
        trace::answer(&self.output, &description, status, &headers, &body, started.elapsed());
        if status.is_success() {
            return Ok(Answer { headers, body, description });
        }
        Err(problem::Failure::refusal(description, status, &headers, &body))
    }

    fn attempt_time(&self) -> Duration {
        let left = self.deadline.map_or(ATTEMPT, |deadline| deadline.saturating_duration_since(Instant::now()));
        left.clamp(SHORTEST_ATTEMPT, ATTEMPT)
    }

    /// Sends a request and reads its answer.
    async fn get<T: DeserializeOwned>(&self, call: Call) -> Result<T> {
        self.send(call).await?.json()
    }
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    fn json<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(&self.body).map_err(|why| {
            let what = if problem::is_html(&self.headers, &self.body) {
                "it is a web page".to_owned()
            } else if self.body.is_empty() {
                "it is empty".to_owned()
            } else {
                why.to_string()
            };
            Error::new(
                Exit::Failed,
                "UNEXPECTED_ANSWER",
                format!("The answer to {} cannot be understood: {what}.", self.description),
            )
            .hint("Is this the address of the service? A proxy may stand in between; -vv shows what came.")
            .from_response(200, self.header("x-request-id"), None)
        })
    }
}

fn bearer(token: &SecretString) -> Result<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret().trim())).map_err(|_| {
        Error::usage("The access token holds letters that cannot be sent.").hint("Check ORDERSYNC_TOKEN.")
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn http(base: &Url) -> Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("ordersync/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .connect_timeout(Duration::from_secs(10));
    if is_loopback(base) {
        builder = builder.no_proxy();
    }
    if base.scheme() == "http" {
        // No certificate is ever checked on such an address, and reading the system's costs more than the request.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|why| {
        Error::new(Exit::Failed, "TLS", format!("The system's certificates cannot be used: {}.", retry::cause(&why)))
    })
}

async fn read(mut response: reqwest::Response, description: &str) -> Result<Bytes, problem::Failure> {
    if response.content_length().is_some_and(|length| length > MAX_ANSWER as u64) {
        return Err(problem::Failure::too_large(description));
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|why| problem::Failure::transport(description, &why))? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Err(problem::Failure::too_large(description));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}
