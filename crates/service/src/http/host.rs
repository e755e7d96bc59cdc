//! Which host a request names (RFC 9112 §3.2) and, on a service for its own machine, whether that host is this service.
//!
//! Another site can make its name resolve to 127.0.0.1 (DNS rebinding). The browser then treats this service as part of
//! that site and lets the site's page read the responses. Only the headers Host and Origin still name the site. A
//! loopback address, and the name localhost, cannot be redirected in this way.

use axum::extract::Request;
use axum::http::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{Uri, Version};
use ordersync_api::ErrorCode;
use url::Url;

use super::Problem;
use super::body::is_form;
use super::problem::Answered;
use crate::own_hosts::{Named, OwnHosts};

/// Refuses a request that does not name its host. If this service answers to its own hosts only, also refuses a request
/// for another host or from a page of another host.
pub(super) fn check(own: Option<&OwnHosts>, request: &Request) -> Answered<()> {
    let named = named(request.version(), request.uri(), request.headers())?;
    let Some(own) = own else { return Ok(()) };
    if named.as_ref().is_some_and(|named| !own.has(named)) {
        return Err(foreign(
            "Host",
            "The header Host names another host. Use the address that the service listens on, \
            or start it with --public-url and the address that you use.",
        ));
    }
    if is_from_elsewhere(own, named.as_ref(), request) {
        return Err(foreign(
            "Origin",
            "The request comes from a page of another site (header Origin), which may not use \
            this service.",
        ));
    }
    Ok(())
}

/// The host that a request names, if any. Every HTTP/1.1 request has to name one.
fn named(version: Version, uri: &Uri, headers: &HeaderMap) -> Answered<Option<Named>> {
    let header = match only(headers, &HOST) {
        Ok(Some("")) => None,
        Ok(Some(text)) => Some(authority(text).ok_or_else(|| bad_host("The header Host names no host."))?),
        Ok(None) if version < Version::HTTP_11 => None,
        Ok(None) => return Err(bad_host("The header Host is missing.")),
        Err(()) => return Err(bad_host("The header Host is given twice, or is not text. Send it once.")),
    };
    // The host in the request target takes precedence over the header (RFC 9112 §3.2.2).
    Ok(uri.authority().cloned().or(header).map(|authority| Named::of(&authority)))
}

fn authority(text: &str) -> Option<Authority> {
    let authority: Authority = text.parse().ok()?;
    // With user information (`@`), the host does not end here, and the rest is not a port.
    let rest = text.get(authority.host().len()..)?;
    let is_port = rest.strip_prefix(':').is_some_and(|port| port.is_empty() || port.parse::<u16>().is_ok());
    let is_bare = !text.contains('@') && !authority.host().is_empty() && (rest.is_empty() || is_port);
    is_bare.then_some(authority)
}

fn is_from_elsewhere(own: &OwnHosts, named: Option<&Named>, request: &Request) -> bool {
    let headers = request.headers();
    let Ok(origin) = only(headers, &ORIGIN) else { return true };
    match origin {
        None => false,
        // The origin that forms on our own pages send, because their Referrer-Policy hides where they are. Forms carry
        // their own proof that they are ours.
        Some("null") => !is_form(headers) || is_for_programs(request.uri().path()),
        Some(origin) => {
            let Ok(origin) = Url::parse(origin) else { return true };
            !named.into_iter().chain(&own.public).any(|named| named.has_page_at(&origin))
        }
    }
}

/// Whether no form of our pages leads there, although the path takes forms.
fn is_for_programs(path: &str) -> bool {
    path.starts_with("/oauth/") && !path.starts_with("/oauth/authorize/")
}

/// The header's value, unless it is given more than once or is not text.
pub(super) fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(|text| Some(text.trim())).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

fn bad_host(message: &str) -> Problem {
    Problem::invalid("Host", message)
}

fn foreign(header: &str, message: &str) -> Problem {
    Problem::new(ErrorCode::OriginNotAllowed, message).with_details(serde_json::json!({ "header": header }))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn code(own: Option<&OwnHosts>, headers: &[(&str, &str)]) -> Option<ErrorCode> {
        let request = headers
            .iter()
            .fold(Request::builder().uri("/healthz"), |request, (name, value)| request.header(*name, *value));
        check(own, &request.body(Body::empty()).unwrap()).err().map(|problem| problem.code())
    }

    #[test]
    fn every_http_1_1_request_names_one_host() {
        let bad = Some(ErrorCode::InvalidRequest);
        assert_eq!(code(None, &[]), bad);
        assert_eq!(code(None, &[("host", "a"), ("host", "a")]), bad);
        for host in ["127.0.0.1@evil.example", "a b", "a:99999", "a:x", "http://a", ":80"] {
            assert_eq!(code(None, &[("host", host)]), bad, "{host}");
        }
        for host in ["orders.example", "ORDERS.example:443", "[2001:db8::1]:8080", ""] {
            assert_eq!(code(None, &[("host", host)]), None, "{host}");
        }
        let old = Request::builder().version(Version::HTTP_10).body(Body::empty()).unwrap();
        assert!(check(None, &old).is_ok());
    }

    #[test]
    fn a_service_for_its_own_machine_answers_to_loopback_and_to_its_public_address() {
        let own = OwnHosts::new(Some("https://orders.example:8443"));
        for host in ["127.0.0.1:8080", "127.0.0.2", "localhost:9", "LocalHost", "[::1]:8080", "orders.example:8443"] {
            assert_eq!(code(Some(&own), &[("host", host)]), None, "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "10.0.0.1",
            "[2001:db8::1]",
            "0.0.0.0:8080",
        ] {
            assert_eq!(code(Some(&own), &[("host", host)]), Some(ErrorCode::OriginNotAllowed), "{host}");
        }
        let absolute = Request::builder().uri("http://evil.example/healthz").header("host", "localhost");
        assert!(check(Some(&own), &absolute.body(Body::empty()).unwrap()).is_err());
    }

    #[test]
    fn a_page_of_another_site_is_refused_and_a_page_of_our_own_is_not() {
        let own = OwnHosts::new(Some("https://orders.example"));
        let from = |host: &str, origin: &str| code(Some(&own), &[("host", host), ("origin", origin)]);
        for (host, origin) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("localhost:8080", "http://localhost:8080"),
            ("[::1]:8080", "http://[::1]:8080"),
            ("localhost", "http://localhost"),
            ("127.0.0.1:8080", "https://orders.example"),
        ] {
            assert_eq!(from(host, origin), None, "{host} {origin}");
        }
        for (host, origin) in [
            ("127.0.0.1:8080", "https://evil.example"),
            ("127.0.0.1:8080", "http://127.0.0.1:3000"),
            ("127.0.0.1:8080", "http://localhost:8080"),
            ("127.0.0.1:8080", "null"),
            ("127.0.0.1:8080", "nonsense"),
            ("127.0.0.1:8080", "file://127.0.0.1:8080"),
        ] {
            assert_eq!(from(host, origin), Some(ErrorCode::OriginNotAllowed), "{host} {origin}");
        }
        let form = ("content-type", "application/x-www-form-urlencoded");
        for (path, refused) in [
            ("/sign-in", None),
            ("/oauth/authorize/decision", None),
            ("/oauth/token", Some(ErrorCode::OriginNotAllowed)),
            ("/oauth/device_authorization", Some(ErrorCode::OriginNotAllowed)),
            ("/oauth/revoke", Some(ErrorCode::OriginNotAllowed)),
        ] {
            let request =
                Request::post(path).header("host", "localhost").header("origin", "null").header(form.0, form.1);
            let answered = check(Some(&own), &request.body(Body::empty()).unwrap());
            assert_eq!(answered.err().map(|problem| problem.code()), refused, "{path}");
        }
    }
}
