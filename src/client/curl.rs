//! The curl command equivalent to a request (`--curl`), for copying. Secrets are replaced by the environment variables
//! that hold them, or left out.

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use serde_json::Value;

use super::redact::{self, Of};
use super::wire::{IDEMPOTENCY_KEY, Outgoing, X_CLIENT_SECRET, X_LINK_TOKEN};
use crate::env;
use crate::output::Output;
use crate::shell::quoted;

/// Prints the command for a request if `--curl` was given.
pub(super) fn show(output: &Output, request: &Outgoing) {
    if output.curl() {
        for line in command(request) {
            output.verbatim(&line);
        }
    }
}

/// Comments, then the command.
fn command(request: &Outgoing) -> Vec<String> {
    let mut lines = Vec::new();
    let mut words = vec!["curl".to_owned(), "-sS".to_owned()];
    match (&request.method, &request.body) {
        (&Method::HEAD, _) => words.push("--head".to_owned()),
        (&Method::GET, None) | (&Method::POST, Some(_)) => {}
        (method, _) => words.push(format!("-X {}", quoted(method.as_str()))),
    }
    let address = redact::address(request.url.as_str());
    if address.contains(['[', ']', '{', '}']) {
        words.push("--globoff".to_owned());
    }
    words.push(quoted(&address));
    let data = request.body.as_ref().map(|body| data(body, request.headers.get(CONTENT_TYPE)));
    let is_same = data.as_ref().is_none_or(|(data, is_whole)| *is_whole && !data.contains(redact::REDACTED));
    for (name, value) in &request.headers {
        // An idempotency key belongs to one body: the service refuses it with another.
        if is_same || *name != IDEMPOTENCY_KEY {
            words.push(header(name, value));
        }
    }
    if let Some((data, is_whole)) = data {
        if let Some(comment) = comment(&data) {
            lines.push(comment.to_owned());
        }
        if is_whole {
            words.push(format!("--data-raw {}", quoted(&data)));
        } else {
            lines.push(format!("# The body is left out: {data}. Put it into FILE."));
            words.push("--data-binary @FILE".to_owned());
        }
    }
    lines.push(words.join(" "));
    lines
}

/// The body without its secrets and `true`, or a description of a body that cannot be checked for secrets and `false`.
fn data(body: &[u8], kind: Option<&HeaderValue>) -> (String, bool) {
    if let Ok(mut value) = serde_json::from_slice::<Value>(body) {
        redact::json(&mut value, Of::Request);
        return (value.to_string(), true);
    }
    let is_form = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/x-www-form-urlencoded"));
    match std::str::from_utf8(body) {
        Ok(form) if is_form => (redact::address(&format!("?{form}")).split_off(1), true),
        _ => (format!("{} bytes that are not JSON", body.len()), false),
    }
}

fn comment(data: &str) -> Option<&'static str> {
    if !data.contains(redact::REDACTED) {
        None
    } else if data.contains("\"connectionInfo\"") {
        Some("# connectionInfo is left out: sealed credentials, good for one request")
    } else {
        Some("# A secret is left out: put it where [redacted] stands")
    }
}

fn header(name: &HeaderName, value: &HeaderValue) -> String {
    let text = value.to_str().unwrap_or_default();
    let variable = match name.as_str() {
        X_CLIENT_SECRET => Some(("X-Client-Secret:", env::CLIENT_SECRET)),
        X_LINK_TOKEN => Some(("X-Link-Token:", env::LINK_TOKEN)),
        _ if name == AUTHORIZATION && text.starts_with("Bearer ") => Some(("Authorization: Bearer", env::TOKEN)),
        _ => None,
    };
    match variable {
        // Double quotes, so that the shell expands the variable.
        Some((name, variable)) => format!("-H \"{name} ${}\"", variable.name),
        None if name == AUTHORIZATION => format!("-u \"${}:${}\"", env::CLIENT_ID.name, env::CLIENT_SECRET.name),
        None if value.is_sensitive() => format!("-H {}", quoted(&format!("{name}: {}", redact::REDACTED))),
        None => format!("-H {}", quoted(&format!("{name}: {}", redact::tokens(text)))),
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;
    use url::Url;

    use super::*;

    fn request(method: Method, url: &str, headers: &[(&'static str, &str)], body: Option<&str>) -> Outgoing {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).expect("value")))
            .collect();
        let body = body.map(|body| body.to_owned().into());
        Outgoing { method, url: Url::parse(url).expect("url"), headers, body }
    }

    #[test]
    fn no_secret_is_in_a_command() {
        let headers = [
            ("authorization", "Bearer canary"),
            ("x-client-secret", "canary"),
            ("x-link-token", "canary"),
            ("x-other", "it's"),
        ];
        let body = r#"{"connectionInfo": "canary", "retailerId": 1}"#;
        let lines = command(&request(Method::PUT, "https://a.test/x?link_token=canary&y='", &headers, Some(body)));
        assert_eq!(
            lines,
            [
                "# connectionInfo is left out: sealed credentials, good for one request",
                r#"curl -sS -X PUT --globoff 'https://a.test/x?link_token=[redacted]&y=%27' -H "Authorization: Bearer $ORDERSYNC_TOKEN" -H "X-Client-Secret: $ORDERSYNC_CLIENT_SECRET" -H "X-Link-Token: $ORDERSYNC_LINK_TOKEN" -H "x-other: it's" --data-raw '{"connectionInfo":"[redacted]","retailerId":1}'"#,
            ]
        );
    }

    #[test]
    fn a_form_is_shown_without_its_secrets_and_what_is_neither_is_not_shown() {
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("authorization", "Basic canary")];
        let body = "grant_type=refresh_token&refresh_token=canary";
        let lines = command(&request(Method::POST, "https://a.test/t", &headers, Some(body)));
        assert!(lines[1].ends_with("--data-raw 'grant_type=refresh_token&refresh_token=[redacted]'"), "{lines:?}");
        assert!(lines[1].contains("-u \"$ORDERSYNC_CLIENT_ID:$ORDERSYNC_CLIENT_SECRET\""), "{lines:?}");
        let lines = command(&request(Method::POST, "https://a.test/t", &[], Some("canary")));
        assert_eq!(lines[0], "# The body is left out: 6 bytes that are not JSON. Put it into FILE.");
        assert_eq!(lines[1], "curl -sS https://a.test/t --data-binary @FILE");
    }
}
