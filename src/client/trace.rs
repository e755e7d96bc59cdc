//! What `-v` and `-vv` show of an exchange. Secrets are left out. A body that is not JSON cannot be checked for
//! secrets, so only its size is shown.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::Value;

use super::redact::{self, Of};
use super::wire::{Outgoing, Reply};
use crate::output::Output;

/// The response headers that are shown, since they describe the answer.
const SHOWN_HEADERS: [&str; 12] = [
    "x-request-id",
    "content-type",
    "content-length",
    "retry-after",
    "ratelimit-policy",
    "ratelimit",
    "x-total-count",
    "x-list-version",
    "x-incomplete-connections",
    "x-last-id",
    "location",
    "www-authenticate",
];
const MAX_SHOWN: usize = 4000;

pub(super) fn request(output: &Output, description: &str, request: &Outgoing) {
    if output.verbosity() < 2 {
        return;
    }
    output.trace(2, &format!("> {description}"));
    for (name, value) in &request.headers {
        let text = match value.to_str() {
            Ok(text) if !value.is_sensitive() => redact::tokens(text).into_owned(),
            _ if name == AUTHORIZATION => scheme(&request.headers),
            _ => redact::REDACTED.to_owned(),
        };
        output.trace(2, &format!("> {name}: {text}"));
    }
    if let Some(body) = &request.body {
        output.trace(2, &format!("> {}", shown(body, Of::Request)));
    }
}

/// The authorization header without its secret: `Bearer [redacted]`, `Basic [redacted]`.
fn scheme(headers: &HeaderMap) -> String {
    let text = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match text.split_once(' ') {
        Some((scheme, _)) => format!("{scheme} {}", redact::REDACTED),
        None => redact::REDACTED.to_owned(),
    }
}

pub(super) fn answer(output: &Output, reply: &Reply, took: Duration) {
    match output.verbosity() {
        0 => {}
        1 => {
            let id = reply.header("x-request-id").unwrap_or("without a request id");
            let (status, took) = (reply.status.as_u16(), took.as_millis());
            output.trace(1, &format!("{} {status} {took} ms {id}", reply.description));
        }
        _ => {
            output.trace(2, &format!("< {} ({} ms)", reply.status, took.as_millis()));
            for name in SHOWN_HEADERS {
                if let Some(value) = reply.header(name) {
                    output.trace(2, &format!("< {name}: {}", redact::address(value)));
                }
            }
            if !reply.body.is_empty() {
                output.trace(2, &format!("< {}", shown(&reply.body, Of::Answer)));
            }
        }
    }
}

/// An exchange that failed.
pub(super) fn failure(output: &Output, description: &str, why: &str, took: Duration) {
    let text = format!("{description} failed after {} ms: {why}", took.as_millis());
    output.trace(1, &if output.verbosity() > 1 { format!("< {text}") } else { text });
}

fn shown(body: &[u8], of: Of) -> String {
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        return format!("[{} bytes that are not JSON]", body.len());
    };
    redact::json(&mut value, of);
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}… [{} bytes in all]", &text[..end], body.len()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out_at_any_depth() {
        for body in [
            r#"{"connectionInfo":"canary","currentStamp":"s"}"#,
            r#"{"a":[{"otpValue":"canary"}],"token":"canary"}"#,
            r#"{"data":{"Access_Token":{"x":"canary"}}}"#,
            r#"{"message":"ordersync_at_canary0123456789012345678901234567890123"}"#,
            "canary, not JSON",
        ] {
            assert!(!shown(body.as_bytes(), Of::Answer).contains("canary"), "{body}");
        }
    }
}
