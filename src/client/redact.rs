//! Secrets left out of what is shown: by name wherever they have one, and by their look wherever they stand.

use std::borrow::Cow;

use serde_json::Value;

/// What stands in a secret's place.
pub(super) const REDACTED: &str = "[redacted]";
/// Names of fields of a body.
const SECRET_FIELDS: [&str; 14] = [
    "connectioninfo",
    "otpvalue",
    "token",
    "access_token",
    "refresh_token",
    "id_token",
    "link_token",
    "client_secret",
    "password",
    "secret",
    "code_verifier",
    "device_code",
    "otp",
    "csrf",
];
/// Names of parameters of an address, besides those of fields: a `code` in a body is an error's.
const SECRET_PARAMETERS: [&str; 3] = ["code", "state", "code_challenge"];
/// What every token of the service begins with.
const TOKEN_PREFIX: &str = "ordersync_";
/// Shorter words with that beginning are no tokens.
const TOKEN_LENGTH: usize = 32;

/// Leaves secrets out of JSON, at whatever depth they stand.
pub(super) fn json(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                if SECRET_FIELDS.contains(&name.to_ascii_lowercase().as_str()) {
                    *value = Value::String(REDACTED.to_owned());
                } else {
                    json(value);
                }
            }
        }
        Value::Array(array) => array.iter_mut().for_each(json),
        Value::String(text) => {
            if let Cow::Owned(clean) = tokens(text) {
                *text = clean;
            }
        }
        _ => {}
    }
}

/// Leaves secrets out of the query and the fragment of an address, which may be relative.
pub(crate) fn address(address: &str) -> String {
    let mut shown = String::with_capacity(address.len());
    for part in address.split_inclusive(['?', '#', '&']) {
        let (pair, end) = match part.char_indices().last() {
            Some((index, '?' | '#' | '&')) => part.split_at(index),
            _ => (part, ""),
        };
        match pair.split_once('=') {
            Some((name, _)) if is_secret(name) => {
                shown.push_str(name);
                shown.push('=');
                shown.push_str(REDACTED);
            }
            _ => shown.push_str(pair),
        }
        shown.push_str(end);
    }
    tokens(&shown).into_owned()
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_FIELDS.contains(&name.as_str()) || SECRET_PARAMETERS.contains(&name.as_str())
}

/// Leaves out whatever looks like a token of the service.
pub(super) fn tokens(text: &str) -> Cow<'_, str> {
    let mut rest = text;
    let mut shown = String::new();
    while let Some(start) = rest.find(TOKEN_PREFIX) {
        let word = &rest[start..];
        let end = word.find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')));
        let (word, after) = word.split_at(end.unwrap_or(word.len()));
        shown.push_str(&rest[..start]);
        shown.push_str(if word.len() >= TOKEN_LENGTH { REDACTED } else { word });
        rest = after;
    }
    if shown.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out_of_addresses() {
        for (given, shown) in [
            ("/sync/orders?limit=5&offset=0", "/sync/orders?limit=5&offset=0"),
            (
                "http://127.0.0.1:1/callback?code=canary&state=canary&iss=https%3A%2F%2Fa",
                "http://127.0.0.1:1/callback?code=[redacted]&state=[redacted]&iss=https%3A%2F%2Fa",
            ),
            ("/widget?link_token=canary", "/widget?link_token=[redacted]"),
            ("https://a/#access_token=canary&x=1", "https://a/#access_token=[redacted]&x=1"),
            ("/x?q=ordersync_at_0123456789012345678901234567890123", "/x?q=[redacted]"),
            ("/x?a==&&?", "/x?a==&&?"),
        ] {
            assert_eq!(address(given), shown);
        }
    }

    #[test]
    fn what_looks_like_a_token_is_left_out_anywhere() {
        let token = "ordersync_sandbox_rt_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
        assert_eq!(tokens(&format!("a {token}, b \"{token}\"")), "a [redacted], b \"[redacted]\"");
        assert_eq!(tokens("the ordersync_at token"), "the ordersync_at token");
        assert_eq!(tokens(""), "");
    }
}
