//! What `-v` and `-vv` show of an exchange. Secrets are left out by name, at whatever depth they stand; a body that is
//! not JSON is not shown at all, since nobody can say what is in it.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::request::Call;
use crate::output::Output;

const SECRET_FIELDS: [&str; 12] = [
    "connectioninfo",
    "otpvalue",
    "token",
    "access_token",
    "refresh_token",
    "link_token",
    "client_secret",
    "password",
    "secret",
    "code_verifier",
    "device_code",
    "otp",
];
/// Headers that tell what an answer is; others are not shown.
const SHOWN_HEADERS: [&str; 7] =
    ["x-request-id", "content-type", "content-length", "retry-after", "x-total-count", "location", "www-authenticate"];
const MAX_SHOWN: usize = 4000;

pub(super) fn request(output: &Output, description: &str, call: &Call) {
    if output.verbosity() < 2 {
        return;
    }
    output.trace(2, &format!("> {description}"));
    if call.operation.entry().authenticated {
        output.trace(2, "> authorization: Bearer [redacted]");
    }
    if let Some(key) = &call.idempotency_key {
        output.trace(2, &format!("> idempotency-key: {key}"));
    }
    if let Some(body) = &call.body {
        output.trace(2, &format!("> {}", shown(body)));
    }
}

pub(super) fn answer(
    output: &Output,
    description: &str,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    took: Duration,
) {
    match output.verbosity() {
        0 => {}
        1 => output.trace(1, &format!("{description}: {status}, {} ms", took.as_millis())),
        _ => {
            output.trace(2, &format!("< {status} ({} ms)", took.as_millis()));
            for name in SHOWN_HEADERS {
                if let Some(value) = headers.get(name).and_then(|value| value.to_str().ok()) {
                    output.trace(2, &format!("< {name}: {value}"));
                }
            }
            if !body.is_empty() {
                output.trace(2, &format!("< {}", shown(body)));
            }
        }
    }
}

fn shown(body: &[u8]) -> String {
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        return format!("[{} bytes that are not JSON]", body.len());
    };
    redact(&mut value);
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}… [{} bytes in all]", &text[..end], body.len()),
        None => text,
    }
}

fn redact(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                if SECRET_FIELDS.contains(&name.to_ascii_lowercase().as_str()) {
                    *value = Value::String("[redacted]".to_owned());
                } else {
                    redact(value);
                }
            }
        }
        Value::Array(array) => array.iter_mut().for_each(redact),
        _ => {}
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
            "canary, not JSON",
        ] {
            assert!(!shown(body.as_bytes()).contains("canary"), "{body}");
        }
    }
}
