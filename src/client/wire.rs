//! Requests and answers as they go over the wire, and the names of their headers.

use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use reqwest::header::{HeaderMap, HeaderName, RETRY_AFTER};
use reqwest::{Method, StatusCode};
use url::Url;

use super::redact;

/// The header with the client's secret.
pub(crate) const X_CLIENT_SECRET: &str = "x-client-secret";
/// The header with a link token.
pub(crate) const X_LINK_TOKEN: &str = "x-link-token";

/// The header that makes repeating harmless, at a service that honours it.
pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A request, complete. Headers that hold secrets are marked sensitive.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
}

/// An answer, whatever its status.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Method and path of the request, for messages.
    pub(crate) description: String,
}

impl Outgoing {
    /// Method and path, without secrets.
    pub(crate) fn describe(&self) -> String {
        let query = self.url.query().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{} {}", self.method, redact::address(&format!("{}{query}", self.url.path())))
    }
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// The wait that the service asks for.
pub(super) fn asked_for(headers: &HeaderMap) -> Option<Duration> {
    retry_after(headers.get(RETRY_AFTER)?.to_str().ok()?, crate::clock::now())
}

/// Reads `Retry-After`: seconds, or an HTTP date (RFC 9110 §10.2.3).
fn retry_after(value: &str, now: DateTime<Utc>) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit is more than a century.
        return Some(Duration::from_secs(value.parse::<u32>().unwrap_or(u32::MAX).into()));
    }
    let date = DateTime::parse_from_rfc2822(value).ok()?;
    // A date has whole seconds, so the next second is safe.
    Some((date.with_timezone(&Utc) - now).to_std().unwrap_or_default() + Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = "2026-11-21T08:00:00Z".parse().expect("time");
        let wait = |value| retry_after(value, now).map(|wait| wait.as_secs());
        assert_eq!(wait("7"), Some(7));
        assert_eq!(wait("Sat, 21 Nov 2026 08:00:30 GMT"), Some(31));
        assert_eq!(wait("Sat, 21 Nov 2026 07:00:00 GMT"), Some(1));
        assert_eq!(wait("99999999999999999999"), Some(u32::MAX.into()));
        assert_eq!(wait("soon"), None);
        assert_eq!(wait(""), None);
        assert_eq!(wait("-1"), None);
    }
}
