//! The only way out for connectors: HTTP to one retailer, and to nothing else.
//!
//! Whatever a page says, a request goes to the configured origin or not at all; redirects are followed by hand and
//! judged again at each hop, addresses are judged when they are connected to, and size, time and pace are bounded.

mod address;
mod cookies;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use address::{AddressRefused, GuardedResolver, Reach};
use chrono::{DateTime, Utc};
use ordersync_api::SyncErrorCode;
use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, COOKIE, DATE, HeaderMap, HeaderValue, LOCATION, REFERER, RETRY_AFTER};
use reqwest::header::{CONTENT_TYPE, SET_COOKIE};
use reqwest::{Method, StatusCode};
use tokio::sync::{Mutex, OnceCell};
use tokio::time::Instant;
use url::Url;
use zeroize::Zeroizing;

pub use cookies::CookieJar;

use super::ConnectorError;

const USER_AGENT: &str = concat!("ordersync/", env!("CARGO_PKG_VERSION"));
const MAX_REDIRECTS: usize = 10;
/// More than this is no answer to how long to wait.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// What a retailer's requests may do.
#[derive(Debug, Clone)]
pub struct EgressPolicy {
    /// The retailer's address; requests go to its scheme, host and port only.
    pub base_url: Url,
    /// Whether addresses that are not of the public internet may be reached. Plain `http` then goes to them only.
    pub allow_private_network: bool,
    /// The largest body that is read, in bytes.
    pub max_response_bytes: usize,
    /// How long to connect.
    pub connect_timeout: Duration,
    /// How long one request may take, from its start to the end of its body.
    pub request_timeout: Duration,
    /// The shortest time from one request to the next, over all syncs of this retailer on this node.
    pub min_interval: Duration,
    /// The language to ask for; `None`: the retailer's own choice.
    pub accept_language: Option<String>,
}

impl EgressPolicy {
    /// A policy for a retailer at this address, with the usual bounds.
    #[must_use]
    pub const fn new(base_url: Url) -> Self {
        Self {
            base_url,
            allow_private_network: false,
            max_response_bytes: 4 * 1024 * 1024,
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(30),
            min_interval: Duration::from_millis(20),
            accept_language: None,
        }
    }

    fn reach(&self) -> Reach {
        match (self.allow_private_network, self.base_url.scheme()) {
            (false, _) => Reach::Public,
            (true, "https") => Reach::Anywhere,
            (true, _) => Reach::Private,
        }
    }
}

/// Why an address cannot be a retailer's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// Not `https`, nor `http`.
    #[error("has to begin with https:// (or http:// on a private network)")]
    Scheme,
    /// A user name, query or fragment.
    #[error("has to be a plain address, without user name, query or fragment")]
    NotPlain,
    /// A password would cross the internet in clear text.
    #[error("is http, but not on a private network that allow_private_network = true allows: use https")]
    ClearText,
    /// An address of a private network, which is not allowed.
    #[error("is on a private network: allow_private_network = true would allow it")]
    Private,
}

/// A request. Only what connectors need: a page, or a form.
#[derive(Debug)]
pub struct Request<'a> {
    /// Where to.
    pub url: Url,
    /// The page that it comes from, in the retailer's origin; Django's CSRF check wants it.
    pub referer: Option<&'a Url>,
    /// The encoded form to post; `None`: GET.
    pub form: Option<Zeroizing<String>>,
    /// Whether redirects are followed; where not, the redirect itself is the answer, its body unread.
    pub follow_redirects: bool,
}

impl Request<'_> {
    /// GET.
    #[must_use]
    pub const fn get(url: Url) -> Self {
        Self { url, referer: None, form: None, follow_redirects: true }
    }
}

/// The answer: neither a server failure nor a 429, which are errors.
#[derive(Debug)]
pub struct Response {
    /// Where it came from in the end.
    pub url: Url,
    /// HTTP status.
    pub status: u16,
    /// The page.
    pub body: String,
}

/// The way out to one retailer. Syncs of the same retailer share it, and so its pace.
#[derive(Debug)]
pub struct Egress {
    policy: EgressPolicy,
    client: OnceCell<reqwest::Client>,
    next_slot: Mutex<Option<Instant>>,
}

impl Egress {
    /// A way out under this policy.
    ///
    /// # Errors
    /// Where the address cannot be a retailer's, or the policy does not allow it.
    pub fn new(policy: EgressPolicy) -> Result<Self, BadAddress> {
        let base = &policy.base_url;
        let host = base.host().ok_or(BadAddress::Scheme)?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(BadAddress::Scheme);
        }
        if !base.username().is_empty()
            || base.password().is_some()
            || base.query().is_some()
            || base.fragment().is_some()
        {
            return Err(BadAddress::NotPlain);
        }
        if !policy.reach().allows_host(&host) {
            return Err(if policy.allow_private_network { BadAddress::ClearText } else { BadAddress::Private });
        }
        if base.scheme() == "http" && !policy.allow_private_network {
            return Err(BadAddress::ClearText);
        }
        Ok(Self { policy, client: OnceCell::new(), next_slot: Mutex::new(None) })
    }

    /// Sends a request and follows its redirects. Cookies are taken from the jar and put into it.
    ///
    /// # Errors
    /// `egress_refused` for an address that the policy does not allow, `retailer_unavailable`, `retailer_timeout` and
    /// `retailer_rate_limited` (all three transient) where the retailer cannot answer, `retailer_changed` for an answer
    /// that is no page.
    pub async fn send(
        &self,
        request: Request<'_>,
        jar: &mut CookieJar,
        now: DateTime<Utc>,
    ) -> Result<Response, ConnectorError> {
        let Request { mut url, referer, mut form, follow_redirects } = request;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.exchange(&url, referer, form.as_ref(), jar, now).await?;
            let status = response.status();
            if let Some(failure) = failure(status, response.headers(), now) {
                return Err(failure);
            }
            let Some(target) = redirect_target(&response, &url)? else {
                let body = self.read(response).await?;
                return Ok(Response { url, status: status.as_u16(), body });
            };
            if !follow_redirects {
                return Ok(Response { url, status: status.as_u16(), body: String::new() });
            }
            if !matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT) {
                form = None;
            }
            url = target;
        }
        Err(changed("The retailer redirected in a circle."))
    }

    /// One request and the head of its answer.
    async fn exchange(
        &self,
        url: &Url,
        referer: Option<&Url>,
        form: Option<&Zeroizing<String>>,
        jar: &mut CookieJar,
        now: DateTime<Utc>,
    ) -> Result<reqwest::Response, ConnectorError> {
        // The origin is compared whole, so that host literals need no further look: the base's own was judged in `new`.
        if url.origin() != self.policy.base_url.origin() {
            return Err(refused(
                "A request was stopped: it would have gone to another address than the configured one.",
            ));
        }
        let client = self.client.get_or_try_init(|| async { self.build_client() }).await?;
        let method = if form.is_some() { Method::POST } else { Method::GET };
        let mut builder = client.request(method, url.clone());
        if let Some(header) = jar.header(url, now) {
            builder = builder.header(COOKIE, sensitive(&header)?);
        }
        if let Some(referer) = referer {
            builder = builder.header(REFERER, referer.as_str());
        }
        if let Some(form) = form {
            builder = builder.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form.to_string());
        }
        self.keep_pace().await;
        let response = builder.send().await.map_err(|error| connection_failure(&error))?;
        for header in response.headers().get_all(SET_COOKIE) {
            if let Ok(text) = header.to_str() {
                jar.store(text, url, now);
            }
        }
        Ok(response)
    }

    /// Waits for this request's turn.
    async fn keep_pace(&self) {
        let mut next = self.next_slot.lock().await;
        let now = Instant::now();
        let slot = next.map_or(now, |next| next.max(now));
        *next = Some(slot + self.policy.min_interval);
        drop(next);
        tokio::time::sleep_until(slot).await;
    }

    async fn read(&self, mut response: reqwest::Response) -> Result<String, ConnectorError> {
        let too_large = || {
            let limit = self.policy.max_response_bytes;
            changed(format!("The retailer answered with a page of more than {limit} bytes."))
        };
        let limit = self.policy.max_response_bytes;
        if response.content_length().is_some_and(|length| usize::try_from(length).is_ok_and(|length| length > limit)) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| connection_failure(&error))? {
            if body.len() + chunk.len() > limit {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        String::from_utf8(body).map_err(|_| changed("The retailer answered with text that is not UTF-8."))
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
            .timeout(self.policy.request_timeout)
            .build()
            .map_err(|_| {
                ConnectorError::new(SyncErrorCode::InternalError)
                    .with_message("The HTTP client could not be set up (are there certificates of authorities?).")
            })
    }
}

/// Where a redirect leads; `None`: the response is none.
fn redirect_target(response: &reqwest::Response, url: &Url) -> Result<Option<Url>, ConnectorError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    response
        .headers()
        .get(LOCATION)
        .and_then(|location| location.to_str().ok())
        .and_then(|location| url.join(location).ok())
        .map(Some)
        .ok_or_else(|| changed("The retailer redirected to no readable address."))
}

/// The answers that say that the retailer cannot answer now.
fn failure(status: StatusCode, headers: &HeaderMap, now: DateTime<Utc>) -> Option<ConnectorError> {
    let mut error = if status == StatusCode::TOO_MANY_REQUESTS {
        ConnectorError::new(SyncErrorCode::RetailerRateLimited).transient()
    } else if status.is_server_error() {
        ConnectorError::new(SyncErrorCode::RetailerUnavailable)
            .with_message(format!("The retailer answers with a failure of its own (status {}).", status.as_u16()))
            .transient()
    } else {
        return None;
    };
    error.retry_after = retry_after(headers, now);
    Some(error)
}

/// RFC 9110 §10.2.3: seconds, or a date, which is set against the answer's own `Date` so that our clock has no part in it.
fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let date = |text: &str| DateTime::parse_from_rfc2822(text).ok().map(|at| at.to_utc());
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = if let Ok(seconds) = text.parse() {
        Duration::from_secs(seconds)
    } else {
        let from = headers.get(DATE).and_then(|value| value.to_str().ok()).and_then(date).unwrap_or(now);
        (date(text)? - from).to_std().unwrap_or_default()
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

fn connection_failure(error: &reqwest::Error) -> ConnectorError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(inner) = cause {
        if inner.is::<AddressRefused>() {
            return refused("A request was stopped: the retailer's name leads to an address that may not be reached.");
        }
        cause = inner.source();
    }
    if error.is_timeout() {
        return ConnectorError::new(SyncErrorCode::RetailerTimeout).transient();
    }
    let message = if error.is_connect() {
        "The retailer cannot be reached: no connection could be made."
    } else {
        "The retailer cannot be reached: the connection broke."
    };
    ConnectorError::new(SyncErrorCode::RetailerUnavailable).with_message(message).transient()
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
