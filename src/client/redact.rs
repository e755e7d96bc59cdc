//! Secrets left out of what is shown: by name wherever they have one, and by their look wherever they stand.

use std::borrow::Cow;

use serde_json::Value;
use url::form_urlencoded;

/// What stands in a secret's place.
pub(super) const REDACTED: &str = "[redacted]";
/// Names of fields of a body that hold a secret and do not say so, in small letters without `_` and `-`.
const SECRET_FIELDS: [&str; 8] =
    ["connectioninfo", "otpvalue", "codeverifier", "devicecode", "otp", "csrf", "pin", "pwd"];
/// What the name of a secret has in it, however it is spelt: `accessToken`, `CLIENT_SECRET_VALUE`.
const SECRET_WORDS: [&str; 7] = ["token", "secret", "password", "passwd", "passphrase", "credential", "cookie"];
/// What it ends with.
const SECRET_ENDS: [&str; 2] = ["key", "keys"];
/// What is said about a secret and is none.
const ABOUT_SECRETS: [&str; 9] =
    ["type", "hint", "endpoint", "supported", "expiresin", "expiresat", "uri", "store", "count"];
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
                // Yes and no are no secrets.
                if names_secret(name) && !matches!(value, Value::Bool(_) | Value::Null) {
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
    // The name itself may be escaped.
    let name = form_urlencoded::parse(name.as_bytes()).next().map(|(name, _)| name).unwrap_or_default();
    names_secret(&name) || SECRET_PARAMETERS.contains(&name.to_ascii_lowercase().as_str())
}

/// Whether what has this name is a secret.
fn names_secret(name: &str) -> bool {
    let name: String = name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    SECRET_FIELDS.contains(&name.as_str())
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
        || (SECRET_WORDS.iter().any(|word| name.contains(word)) && !ABOUT_SECRETS.iter().any(|end| name.ends_with(end)))
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
    fn a_secret_is_left_out_however_its_name_is_spelt() {
        for name in [
            "accessToken",
            "access_token",
            "ACCESS-TOKEN",
            "refreshToken",
            "linkToken",
            "idToken",
            "token",
            "clientSecret",
            "apiKey",
            "x-api-key",
            "privateKey",
            "newPassword",
            "user_password",
            "passwordHash",
            "secretValue",
            "otpValue",
            "sessionCookie",
            "Credentials",
        ] {
            let mut body = serde_json::json!({ "a": [{ name: "canary" }] });
            json(&mut body);
            assert!(!body.to_string().contains("canary"), "{name}: {body}");
            assert!(!address(&format!("/x?{name}=canary&b=1")).contains("canary"), "{name}");
        }
        assert_eq!(address("/x?access%5Ftoken=canary"), "/x?access%5Ftoken=[redacted]");
        for name in ["token_type", "tokenEndpoint", "expiresIn", "retailerId", "scope", "monkeys_count"] {
            let mut body = serde_json::json!({ name: "shown" });
            json(&mut body);
            assert!(body.to_string().contains("shown"), "{name}");
        }
        let mut body = serde_json::json!({ "passwordNeeded": true, "token": null });
        json(&mut body);
        assert_eq!(body.to_string(), r#"{"passwordNeeded":true,"token":null}"#);
    }

    #[test]
    fn what_looks_like_a_token_is_left_out_anywhere() {
        let token = "ordersync_sandbox_rt_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
        assert_eq!(tokens(&format!("a {token}, b \"{token}\"")), "a [redacted], b \"[redacted]\"");
        assert_eq!(tokens("the ordersync_at token"), "the ordersync_at token");
        assert_eq!(tokens(""), "");
    }
}
