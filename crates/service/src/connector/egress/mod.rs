//! The only way out for connectors: HTTP to one retailer, and to nothing else.
//!
//! Whatever a page says, a request goes to the configured origin or not at all; redirects are followed by hand and
//! judged again at each hop, addresses are judged when they are connected to, and size, time and pace are bounded.

mod address;
mod answer;
mod cookies;
mod pace;
mod policy;
mod secure;
pub(crate) mod tape;
#[cfg(test)]
mod tests;
mod visitor;

use std::sync::Arc;
use std::time::Duration;

use address::{AddressRefused, GuardedResolver};
use chrono::{DateTime, Utc};
use ordersync_api::SyncErrorCode;
use pace::Pace;
use reqwest::Method;
use reqwest::header::SET_COOKIE;
use reqwest::header::{
    ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue, LOCATION, REFERER,
};
use tape::{Asked, Tape};
use tokio::sync::OnceCell;
use tokio::time::Instant;
use url::Url;
use zeroize::Zeroizing;

pub(crate) use cookies::CookieJar;
pub(crate) use pace::NodeQueue;
pub(crate) use policy::{BadAddress, EgressPolicy};
pub(crate) use visitor::Visitor;

use super::ConnectorError;
use super::html::Reader;
use crate::traces::{self, Kind, Span};

const USER_AGENT: &str = concat!("ordersync/", env!("CARGO_PKG_VERSION"));
const MAX_REDIRECTS: usize = 10;
/// Servers accept 8 KiB at most, as a rule.
const MAX_URL_BYTES: usize = 8 * 1024;

/// A request. Only what connectors need: a page, a form, or JSON.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// Where to.
    pub url: Url,
    /// The page that it comes from, in the retailer's origin; Django's CSRF check wants it.
    pub referer: Option<&'a Url>,
    /// The body to post; `None` sends a GET.
    pub body: Option<Body>,
    /// Further headers. They may hold what signs the user in, so they are treated as secrets.
    pub headers: &'a [(HeaderName, HeaderValue)],
    /// Whether redirects are followed. If not, the redirect itself is the answer, with an empty body.
    pub follow_redirects: bool,
    /// Headers in which the answer may have a token for the customer.
    pub token_headers: &'a [HeaderName],
}

/// The body of a POST.
pub(crate) enum Body {
    /// The encoded fields of a form.
    Form(Zeroizing<String>),
    Json {
        text: Zeroizing<String>,
        /// The same with names in place of the user's secrets, which tells it apart from other requests to the same address.
        named: String,
    },
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Form(_) => f.write_str("Form"),
            Self::Json { named, .. } => f.debug_tuple("Json").field(named).finish(),
        }
    }
}

impl Request<'_> {
    pub(crate) const fn get(url: Url) -> Self {
        Self { url, referer: None, body: None, headers: &[], follow_redirects: true, token_headers: &[] }
    }

    /// The key under which a tape stores the request.
    fn asked(&self) -> Asked {
        let (form, json) = match &self.body {
            None => (false, None),
            Some(Body::Form(_)) => (true, None),
            Some(Body::Json { named, .. }) => (false, Some(named.clone())),
        };
        Asked { url: self.url.clone(), form, json }
    }
}

/// The answer: neither a server failure nor a 429, which are errors.
#[derive(Debug)]
pub(crate) struct Response {
    /// The address that answered in the end.
    pub url: Url,
    /// HTTP status.
    pub status: u16,
    /// The page; empty if the media type is not one of text.
    pub body: String,
    /// Where it redirects to, if redirects are not followed. Nothing is known of that address yet.
    pub location: Option<Box<Url>>,
    /// The values of the request's `token_headers`. They are secrets.
    pub tokens: Vec<(HeaderName, HeaderValue)>,
}

/// The way out to one retailer. Syncs of the same retailer share it, and so its pace.
#[derive(Debug)]
pub(crate) struct Egress {
    policy: EgressPolicy,
    client: OnceCell<reqwest::Client>,
    pace: Pace,
    tape: Option<Arc<Tape>>,
    /// Reads the pages that it fetches.
    pub(crate) pages: Reader,
}

impl Egress {
    /// A way out under this policy.
    /// Fails if the address cannot be a retailer's, or the policy does not allow it.
    pub(crate) fn new(policy: EgressPolicy) -> Result<Self, BadAddress> {
        policy.check()?;
        let pace = Pace::new(policy.min_interval, Arc::default());
        let pages = Reader::new(policy.base_url.host_str().unwrap_or_default());
        Ok(Self { policy, client: OnceCell::new(), pace, tape: None, pages })
    }

    /// The same with the queue of an earlier way out to the same shop.
    #[must_use]
    pub(crate) fn with_queue(self, queue: Arc<NodeQueue>) -> Self {
        Self { pace: Pace::new(self.policy.min_interval, queue), ..self }
    }

    /// The same with a tape, which records every exchange, or answers in place of the retailer.
    #[must_use]
    pub(crate) fn with_tape(self, tape: Option<Arc<Tape>>) -> Self {
        Self { tape, ..self }
    }

    /// Sends a request and follows its redirects. Cookies are taken from the jar and put into it.
    /// Fails with [`ConnectorError::paced`] if the request's turn is further away than the visitor waits: the same
    /// visitor is served when it comes back after that time. `retailer_rate_limited` without a request while a
    /// `Retry-After` of the retailer lasts, whichever sync it was said to.
    ///
    /// `egress_refused` for an address that the policy does not allow, `retailer_unavailable`, `retailer_timeout` and
    /// `retailer_rate_limited` (all three transient) if the retailer cannot answer, `retailer_changed` for an answer
    /// that is not a page.
    pub(crate) async fn send(
        &self,
        request: Request<'_>,
        jar: &mut CookieJar,
        visitor: Visitor<'_>,
    ) -> Result<Response, ConnectorError> {
        self.turn(&request.url, visitor).await?;
        self.send_in_turn(request, jar, visitor).await
    }

    /// Waits until a request to this address may be sent.
    /// Fails as for [`send`](Self::send), before anything is sent.
    pub(crate) async fn turn(&self, url: &Url, visitor: Visitor<'_>) -> Result<(), ConnectorError> {
        self.check_origin(url)?;
        if !self.tape.as_ref().is_some_and(|tape| tape.is_playing()) {
            tokio::time::sleep_until(self.pace.turn(visitor).await?).await;
        }
        Ok(())
    }

    /// Sends a request whose [`turn`](Self::turn) has come.
    /// Fails as for [`send`](Self::send).
    pub(crate) async fn send_in_turn(
        &self,
        request: Request<'_>,
        jar: &mut CookieJar,
        visitor: Visitor<'_>,
    ) -> Result<Response, ConnectorError> {
        let span = Span::below(traces::current(), Kind::Client);
        let method = if request.body.is_some() { "POST" } else { "GET" };
        let taped = self.tape.as_ref().map(|tape| (tape, request.asked()));
        let answer = match taped.as_ref().and_then(|(tape, asked)| tape.answer(asked)) {
            Some(played) => played,
            None => self.send_out(request, jar, visitor).await,
        };
        if let Some((tape, asked)) = taped {
            tape.record(asked, &answer);
        }
        if let Some(span) = span {
            let mut attributes = vec![("http.request.method", method.into())];
            attributes.extend(answer.iter().map(|it| ("http.response.status_code", i64::from(it.status).into())));
            span.end("retailer.request", attributes, answer.as_ref().err().map(|why| why.code.as_str().to_owned()));
        }
        answer
    }

    async fn send_out(
        &self,
        request: Request<'_>,
        jar: &mut CookieJar,
        visitor: Visitor<'_>,
    ) -> Result<Response, ConnectorError> {
        let Request { mut url, referer, mut body, headers, follow_redirects, token_headers } = request;
        let mut left = self.policy.request_timeout;
        for _ in 0..=MAX_REDIRECTS {
            let started = Instant::now();
            let response = self.exchange(&url, (referer, body.as_ref(), headers), jar, visitor.now, left).await?;
            let status = response.status();
            if let Some(failure) = answer::failure(status, response.headers(), visitor.now) {
                if let Some(wait) = failure.retry_after {
                    self.pace.hold_off(visitor, wait).await;
                }
                return Err(failure);
            }
            let Some(target) = redirect_target(&response, &url)? else {
                let tokens = answer::secrets(response.headers(), token_headers);
                let body = answer::read(response, self.policy.max_response_bytes).await?;
                return Ok(Response { url, status: status.as_u16(), body, location: None, tokens });
            };
            if !follow_redirects {
                return Ok(Response {
                    url,
                    status: status.as_u16(),
                    body: String::new(),
                    location: Some(Box::new(target)),
                    tokens: Vec::new(),
                });
            }
            if !matches!(status.as_u16(), 307 | 308) {
                body = None;
            }
            url = target;
            self.check_origin(&url)?;
            left = left.saturating_sub(started.elapsed());
            // A redirect is part of the request that began: giving it up for the pace would repeat that request.
            tokio::time::sleep_until(self.pace.next(visitor).await).await;
        }
        Err(changed("The retailer redirected in a circle."))
    }

    /// The origin that every request goes to.
    pub(crate) fn origin(&self) -> String {
        self.policy.base_url.origin().ascii_serialization()
    }

    /// The origin is compared as a whole, so host literals need no further look: the base's own was judged in `new`.
    fn check_origin(&self, url: &Url) -> Result<(), ConnectorError> {
        if url.origin() == self.policy.base_url.origin() {
            return Ok(());
        }
        Err(refused("A request was stopped: it would have gone to another address than the configured one."))
    }

    /// One request and the head of its answer.
    async fn exchange(
        &self,
        url: &Url,
        (referer, body, headers): (Option<&Url>, Option<&Body>, &[(HeaderName, HeaderValue)]),
        jar: &mut CookieJar,
        now: DateTime<Utc>,
        timeout: Duration,
    ) -> Result<reqwest::Response, ConnectorError> {
        let client = self.client.get_or_try_init(|| async { self.build_client() }).await?;
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let mut builder = client.request(method, url.clone()).timeout(timeout);
        if let Some(header) = jar.header(url, now) {
            builder = builder.header(COOKIE, sensitive(&header)?);
        }
        if let Some(referer) = referer {
            builder = builder.header(REFERER, referer.as_str());
        }
        for (name, value) in headers {
            builder = builder.header(name, value);
        }
        builder = match body {
            None => builder,
            Some(Body::Form(form)) => {
                builder.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form.to_string())
            }
            Some(Body::Json { text, .. }) => builder.header(CONTENT_TYPE, "application/json").body(text.to_string()),
        };
        let response = builder.send().await.map_err(|error| connection_failure(&error))?;
        for header in response.headers().get_all(SET_COOKIE) {
            if let Ok(text) = header.to_str() {
                jar.store(text, url, now);
            }
        }
        Ok(response)
    }

    fn build_client(&self) -> Result<reqwest::Client, ConnectorError> {
        // An error says that a provider is installed already, which serves as well.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/html"));
        if let Some(language) = self.policy.accept_language.as_deref().and_then(|tag| HeaderValue::from_str(tag).ok()) {
            headers.insert(ACCEPT_LANGUAGE, language);
        }
        reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .default_headers(headers)
            .no_proxy()
            .referer(false)
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(Arc::new(GuardedResolver(self.policy.reach())))
            .connect_timeout(self.policy.connect_timeout)
            .build()
            .map_err(|_| {
                ConnectorError::new(SyncErrorCode::InternalError)
                    .with_message("The HTTP client could not be set up (are there certificates of authorities?).")
            })
    }
}

/// The target of a redirect; `None`: the response is not a redirect.
fn redirect_target(response: &reqwest::Response, url: &Url) -> Result<Option<Url>, ConnectorError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    response
        .headers()
        .get(LOCATION)
        .and_then(|location| location.to_str().ok())
        .filter(|location| location.len() <= MAX_URL_BYTES)
        .and_then(|location| url.join(location).ok())
        .map(Some)
        .ok_or_else(|| changed("The retailer redirected to no readable address."))
}

fn connection_failure(error: &reqwest::Error) -> ConnectorError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(inner) = cause {
        if inner.is::<AddressRefused>() {
            return refused("A request was stopped: the retailer's name leads to an address that may not be reached.");
        }
        if inner.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse_too_large) {
            return changed("The retailer answered with headers that are too large.");
        }
        cause = inner.source();
    }
    if let Some(failure) = secure::failure(error) {
        return failure;
    }
    if error.is_timeout() {
        return ConnectorError::unreachable(SyncErrorCode::RetailerTimeout).transient();
    }
    let message = if error.is_connect() && secure::is_broken_off(error) {
        "The retailer cannot be reached: it ended the connection early. If it is a shop on this machine or on a private network \
         that speaks http only, use its address with http://."
    } else if error.is_connect() {
        "The retailer cannot be reached: no connection could be made."
    } else {
        "The retailer cannot be reached: the connection broke."
    };
    ConnectorError::unreachable(SyncErrorCode::RetailerUnavailable).with_message(message).transient()
}

fn refused(message: &str) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::EgressRefused).with_message(message)
}

fn changed(message: impl Into<String>) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::RetailerChanged).with_message(message)
}

fn sensitive(text: &str) -> Result<HeaderValue, ConnectorError> {
    let mut value =
        HeaderValue::from_str(text).map_err(|_| changed("The retailer set a cookie that no header can carry."))?;
    value.set_sensitive(true);
    Ok(value)
}
