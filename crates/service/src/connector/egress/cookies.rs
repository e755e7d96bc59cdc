//! The cookies of one retailer, as a browser would keep them (RFC 6265), or the token that it gives in their place, for one
//! origin only.
//!
//! They are secrets: they sign the user in. They are written only into a connector's sealed state and never shown.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use cookie::Cookie;
use ordersync_values::cookie_file;
use serde::{Deserialize, Serialize};
use url::Url;

/// Bounds that a shop has no reason to exceed (RFC 6265 §6.1 asks for 50 and 4096 at least).
const MAX_COOKIES: usize = 50;
const MAX_COOKIE_BYTES: usize = 4096;
/// Of all names and values together: they go out in one header, and into the state of a sync.
const MAX_JAR_BYTES: usize = 16 * 1024;

/// A jar that can be kept between steps.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CookieJar {
    cookies: Vec<Stored>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stored {
    name: String,
    value: String,
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    secure: bool,
}

impl CookieJar {
    /// Whether there is neither a cookie nor a token.
    pub(crate) const fn is_empty(&self) -> bool {
        self.cookies.is_empty() && self.token.is_none()
    }

    /// The token that the retailer gave for the signed-in customer.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Takes up the token of a sign-in, or forgets the one before.
    pub(crate) fn set_token(&mut self, token: Option<String>) {
        self.token = token;
    }

    /// The cookies of a browser that are for this host and have not expired.
    /// Fails if they are more than a jar holds: what is wrong.
    pub(crate) fn lent(text: &str, host: &str, now: DateTime<Utc>) -> Result<Self, &'static str> {
        let cookies = cookie_file::parse(text).map_err(|_| "They are not in the Netscape format.")?;
        let usable = cookies.iter().filter(|cookie| cookie.is_for(host) && cookie.is_valid(now.timestamp()));
        let stored = usable.map(|cookie| Stored {
            name: cookie.name.to_owned(),
            value: cookie.value.to_owned(),
            path: cookie.path.to_owned(),
            expires: cookie.expires.and_then(|at| DateTime::from_timestamp(at, 0)),
            secure: cookie.secure,
        });
        let jar = Self { cookies: stored.collect(), token: None };
        if jar.cookies.len() > MAX_COOKIES || jar.bytes() > MAX_JAR_BYTES {
            return Err("They are too many, or too long.");
        }
        Ok(jar)
    }

    fn bytes(&self) -> usize {
        self.cookies.iter().map(|cookie| cookie.name.len() + cookie.value.len()).sum()
    }

    /// The value of the `Cookie` header for a request to `url`, which must be of the jar's origin.
    pub(super) fn header(&self, url: &Url, now: DateTime<Utc>) -> Option<String> {
        let mut matching: Vec<&Stored> = self
            .cookies
            .iter()
            .filter(|cookie| cookie.expires.is_none_or(|at| at > now))
            .filter(|cookie| !cookie.secure || url.scheme() == "https")
            .filter(|cookie| path_matches(url.path(), &cookie.path))
            .collect();
        // Longer paths first (RFC 6265 §5.4); the sort is stable, so that older ones stay before newer ones.
        matching.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<String> = matching.iter().map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// Takes up a `Set-Cookie` header of a response from `url`. What is malformed, foreign or too large is ignored.
    pub(super) fn store(&mut self, header: &str, url: &Url, now: DateTime<Utc>) {
        let Ok(cookie) = Cookie::parse(header) else { return };
        if header.len() > MAX_COOKIE_BYTES || !cookie.domain().is_none_or(|domain| domain_covers(domain, url)) {
            return;
        }
        let path = match cookie.path() {
            Some(path) if path.starts_with('/') => path.to_owned(),
            _ => default_path(url),
        };
        let expires = cookie
            .max_age()
            .map(|age| now.checked_add_signed(TimeDelta::seconds(age.whole_seconds().clamp(-1, 400 * 86_400))))
            .or_else(|| cookie.expires_datetime().map(|at| DateTime::from_timestamp(at.unix_timestamp(), 0)))
            .flatten();
        self.cookies.retain(|stored| stored.name != cookie.name() || stored.path != path);
        if expires.is_some_and(|at| at <= now) {
            return;
        }
        let room = MAX_JAR_BYTES - (cookie.name().len() + cookie.value().len());
        while self.cookies.len() >= MAX_COOKIES || self.bytes() > room {
            self.cookies.remove(0);
        }
        self.cookies.push(Stored {
            name: cookie.name().to_owned(),
            value: cookie.value().to_owned(),
            path,
            expires,
            secure: cookie.secure().unwrap_or(false),
        });
    }
}

impl fmt::Debug for CookieJar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CookieJar({} cookies)", self.cookies.len())
    }
}

/// RFC 6265 §5.1.3, for a jar that belongs to one host.
fn domain_covers(domain: &str, url: &Url) -> bool {
    url.host_str().is_some_and(|host| cookie_file::covers(domain, host))
}

/// RFC 6265 §5.1.4.
fn default_path(url: &Url) -> String {
    match url.path().rfind('/') {
        Some(end) if end > 0 => url.path()[..end].to_owned(),
        _ => "/".to_owned(),
    }
}

/// RFC 6265 §5.1.4.
fn path_matches(path: &str, cookie: &str) -> bool {
    path.strip_prefix(cookie).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || cookie.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("http://shop.test").unwrap().join(path).unwrap()
    }

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    #[test]
    fn a_cookie_goes_back_where_it_belongs_until_it_expires() {
        let mut jar = CookieJar::default();
        jar.store("a=1; Path=/; Max-Age=60", &url("/x"), NOW);
        jar.store("b=2; Path=/accounts", &url("/x"), NOW);
        jar.store("c=3", &url("/accounts/login/"), NOW);
        jar.store("d=4; Secure; Path=/", &url("/"), NOW);
        jar.store("e=5; Expires=Thu, 01 Jan 1970 00:01:00 GMT", &url("/"), NOW);
        assert_eq!(jar.header(&url("/accounts/orders/"), NOW).as_deref(), Some("b=2; a=1; e=5"));
        assert_eq!(jar.header(&url("/accounts/login/"), NOW).as_deref(), Some("c=3; b=2; a=1; e=5"));
        assert_eq!(jar.header(&url("/accountsX"), NOW).as_deref(), Some("a=1; e=5"));
        assert_eq!(jar.header(&url("/"), NOW + TimeDelta::seconds(60)), None);
    }

    #[test]
    fn a_cookie_is_replaced_and_deleted_by_its_name_and_path() {
        let mut jar = CookieJar::default();
        jar.store("s=1; Path=/", &url("/"), NOW);
        jar.store("s=2; Path=/", &url("/"), NOW);
        assert_eq!(jar.header(&url("/"), NOW).as_deref(), Some("s=2"));
        jar.store("s=; Path=/; Max-Age=0", &url("/"), NOW);
        assert!(jar.is_empty());
    }

    #[test]
    fn what_is_foreign_or_too_large_is_ignored() {
        let mut jar = CookieJar::default();
        jar.store("a=1; Domain=other.test", &url("/"), NOW);
        jar.store("a=1; Domain=op.test", &url("/"), NOW);
        jar.store(&format!("a={}", "x".repeat(5000)), &url("/"), NOW);
        jar.store("nonsense", &url("/"), NOW);
        assert!(jar.is_empty());
        jar.store("a=1; Domain=.test", &url("/"), NOW);
        assert!(!jar.is_empty());
        for n in 0..100 {
            jar.store(&format!("n{n}=1"), &url("/"), NOW);
        }
        assert_eq!(jar.cookies.len(), MAX_COOKIES);
        for n in 0..10 {
            jar.store(&format!("large{n}={}", "x".repeat(3000)), &url("/"), NOW);
        }
        assert!(jar.bytes() <= MAX_JAR_BYTES && jar.cookies.last().is_some_and(|cookie| cookie.name == "large9"));
    }

    #[test]
    fn no_cookie_breaks_the_jar_or_leaves_its_place() {
        let seeds: [&[u8]; 3] = [
            b"sessionid=abc; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
            b"a=1; Domain=.shop.test; Expires=Thu, 01 Jan 2026 00:01:00 GMT; Path=/accounts",
            b"b=\"x y\"",
        ];
        let words =
            ["; Max-Age=-9999999999999999999", "; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "; Domain=", ";", "=", "\n"];
        let mut jar = CookieJar::default();
        crate::fuzzing::fuzz("cookies", &seeds, &words, |input, random| {
            let Ok(value) = reqwest::header::HeaderValue::from_bytes(input) else { return };
            let Ok(text) = value.to_str() else { return };
            jar.store(text, &url(random.pick(&["/", "/accounts/login/", "/x"])), NOW);
            assert!(jar.cookies.len() <= MAX_COOKIES && jar.bytes() <= MAX_JAR_BYTES);
            assert!(jar.cookies.iter().all(|cookie| cookie.path.starts_with('/')));
            if let Some(header) = jar.header(&url("/accounts/orders/"), NOW) {
                assert!(!header.contains(['\r', '\n']) && header.len() <= 2 * MAX_JAR_BYTES);
            }
        });
    }

    #[test]
    fn values_are_not_shown() {
        let mut jar = CookieJar::default();
        jar.store("sessionid=canary", &url("/"), NOW);
        assert_eq!(format!("{jar:?}"), "CookieJar(1 cookies)");
    }
}
