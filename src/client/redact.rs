//! Leaves secrets out of output: by the names of fields and parameters, and by the form of tokens anywhere.

use std::borrow::Cow;

use serde_json::Value;
use url::form_urlencoded;

/// The text that replaces a secret.
pub(super) const REDACTED: &str = "[redacted]";
/// Fields that hold a secret although their names do not say so; in lower case, without `_` and `-`.
const SECRET_FIELDS: [&str; 20] = [
    "connectioninfo",
    "otpvalue",
    "codeverifier",
    "devicecode",
    "otp",
    "csrf",
    "pin",
    "pwd",
    "passcode",
    "authcode",
    "authorizationcode",
    "verificationcode",
    "securitycode",
    "onetimecode",
    "otpcode",
    "mfacode",
    "smscode",
    "totpcode",
    "recoverycode",
    "backupcode",
];
/// A name that contains one of these is a secret's, in whatever spelling: `accessToken`, `CLIENT_SECRET_VALUE`.
const SECRET_WORDS: [&str; 7] = ["token", "secret", "password", "passwd", "passphrase", "credential", "cookie"];
/// A name that ends in one of these is a secret's.
const SECRET_ENDS: [&str; 3] = ["key", "keys", "authorization"];
/// Unless it ends in one of these: then the value is about a secret and not one itself.
const ABOUT_SECRETS: [&str; 9] =
    ["type", "hint", "endpoint", "supported", "expiresin", "expiresat", "uri", "store", "count"];
/// The name of one-time codes, of authorization codes, and of error codes.
const CODE: &str = "code";
/// Fields that accompany an error code.
const BESIDE_ERRORS: [&str; 6] = ["message", "error", "error_description", "detail", "details", "title"];
/// Query parameters that hold a secret, in addition to the names of fields.
const SECRET_PARAMETERS: [&str; 3] = [CODE, "state", "code_challenge"];
/// The prefix of every token of the service.
const TOKEN_PREFIX: &str = "ordersync_";
/// Shorter words with that prefix are not tokens.
const TOKEN_LENGTH: usize = 32;

/// The kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// A `code` in it is always a secret.
    Request,
    /// A `code` in it may be an error code.
    Answer,
}

/// Leaves secrets out of JSON at any depth.
pub(super) fn json(value: &mut Value, of: Of) {
    match value {
        Value::Object(object) => {
            let is_beside_errors = BESIDE_ERRORS.iter().any(|name| object.contains_key(*name));
            for (name, value) in object {
                let is_code = folded(name) == CODE && !(of == Of::Answer && is_error_code(value, is_beside_errors));
                // Booleans and null are not secrets.
                if (is_code || names_secret(name)) && !matches!(value, Value::Bool(_) | Value::Null) {
                    *value = Value::String(REDACTED.to_owned());
                } else {
                    json(value, of);
                }
            }
        }
        Value::Array(array) => array.iter_mut().for_each(|value| json(value, of)),
        Value::String(text) => {
            if let Some(clean) = without_secrets(text, of) {
                *text = clean;
            }
        }
        _ => {}
    }
}

/// Whether a `code` names an error: `NOT_FOUND` anywhere, `invalid_grant` and 404 only beside an error's other fields.
fn is_error_code(code: &Value, is_beside_errors: bool) -> bool {
    match code {
        Value::Number(number) => is_beside_errors && number.as_u64().is_some_and(|number| number < 1000),
        Value::String(text) => {
            let first = text.split('_').next().unwrap_or_default();
            let is_constant =
                text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
                    && !first.is_empty()
                    && first.bytes().all(|byte| byte.is_ascii_uppercase());
            let is_word = text.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.'));
            is_constant || (is_beside_errors && is_word)
        }
        _ => false,
    }
}

/// The text without its secrets; `None` if it has none. JSON inside the text is searched too. If that JSON cannot be
/// parsed and mentions a secret, nothing of the text is shown.
fn without_secrets(text: &str, of: Of) -> Option<String> {
    let begin = text.trim_start();
    if begin.starts_with(['{', '[', '"'])
        && let Ok(before) = serde_json::from_str::<Value>(text)
    {
        let mut after = before.clone();
        json(&mut after, of);
        return (after != before).then(|| after.to_string());
    }
    // Truncated, or in the notation of another language.
    let mut words = text.split(['"', '\'', '\\']);
    if begin.starts_with(['{', '[']) && words.any(|word| folded(word) == CODE || names_secret(word)) {
        return Some(REDACTED.to_owned());
    }
    match tokens(text) {
        Cow::Owned(clean) => Some(clean),
        Cow::Borrowed(_) => None,
    }
}

/// Leaves secrets out of the query and fragment of an address, which may be relative.
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
    // The name itself may be percent-encoded.
    let name = form_urlencoded::parse(name.as_bytes()).next().map(|(name, _)| name).unwrap_or_default();
    names_secret(&name) || SECRET_PARAMETERS.contains(&name.to_ascii_lowercase().as_str())
}

/// The name in lower case, with letters and digits only (no `_`, `-` or space).
fn folded(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a field of this name holds a secret.
fn names_secret(name: &str) -> bool {
    let name = folded(name);
    SECRET_FIELDS.contains(&name.as_str())
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
        || (SECRET_WORDS.iter().any(|word| name.contains(word)) && !ABOUT_SECRETS.iter().any(|end| name.ends_with(end)))
}

/// Leaves out everything that looks like a token of the service.
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
    use proptest::prelude::*;
    use serde_json::json;

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
            let mut body = json!({ "a": [{ name: "canary" }] });
            json(&mut body, Of::Answer);
            assert!(!body.to_string().contains("canary"), "{name}: {body}");
            assert!(!address(&format!("/x?{name}=canary&b=1")).contains("canary"), "{name}");
        }
        assert_eq!(address("/x?access%5Ftoken=canary"), "/x?access%5Ftoken=[redacted]");
        for name in ["token_type", "tokenEndpoint", "expiresIn", "retailerId", "scope", "monkeys_count"] {
            let mut body = json!({ name: "shown" });
            json(&mut body, Of::Answer);
            assert!(body.to_string().contains("shown"), "{name}");
        }
        let mut body = json!({ "passwordNeeded": true, "token": null });
        json(&mut body, Of::Answer);
        assert_eq!(body.to_string(), r#"{"passwordNeeded":true,"token":null}"#);
    }

    #[test]
    fn a_code_is_shown_only_where_it_is_an_errors() {
        let shown = |of: Of, mut body: Value| {
            json(&mut body, of);
            !body.to_string().contains(REDACTED)
        };
        for (answer, body) in [
            (true, json!({"code": "NOT_FOUND", "message": "No such order"})),
            (true, json!([{"error": {"code": "HTTP_502"}}])),
            (true, json!({"code": "invalid_grant", "error": "x"})),
            (true, json!({"code": 404, "message": "No such order"})),
            (false, json!({"code": "424242", "message": "Your code"})),
            (false, json!({"code": 424_242, "message": "Your code"})),
            (false, json!({"code": "SplxlOBeZQQYbYS6WxSbIA", "message": "x"})),
            (false, json!({"code": "splxlobezqqybys"})),
            (false, json!({"CODE": "12-34", "state": "x"})),
            (false, json!({"code": ["ABC"]})),
            (false, json!({"code": "ABC123"})),
        ] {
            assert_eq!(shown(Of::Answer, body.clone()), answer, "{body}");
            assert!(!shown(Of::Request, body.clone()), "{body}");
        }
        for body in [json!({"currencyCode": "EUR", "errorCode": "x", "statusCode": 5}), json!({"code": null})] {
            assert!(shown(Of::Request, body.clone()), "{body}");
        }
    }

    #[test]
    fn json_in_a_text_is_looked_through_and_what_cannot_be_read_is_not_shown() {
        let deep = format!("{}{{\"token\":\"canary\"}}{}", "[".repeat(200), "]".repeat(200));
        for text in [r#"{"token":"canary"#, "{'password': 'canary'}", r#"[{\"code\":\"canary\"}]"#, &deep] {
            let mut body = json!({"log": text});
            json(&mut body, Of::Answer);
            assert_eq!(body, json!({"log": REDACTED}), "{text}");
        }
        for text in [r#"{ "a": [1.50] }"#, "[note] the item is gone", r#""password" is needed"#, "{", ""] {
            let mut body = json!({"log": text});
            json(&mut body, Of::Answer);
            assert_eq!(body, json!({"log": text}));
        }
    }

    /// A secret's name in the spellings that services use.
    fn spelt() -> impl Strategy<Value = String> {
        let names = ["access token", "client secret", "authorization", "proxy authorization", "cookie", "set cookie"];
        let more =
            ["one time code", "authorization code", "new password", "x api key", "otp value", "user credentials"];
        (prop::sample::select([names, more].concat()), 0..5_u8).prop_map(|(name, style)| match style {
            0 => name.replace(' ', "_"),
            1 => name.replace(' ', "-"),
            2 => name.replace(' ', ""),
            3 => name.replace(' ', "_").to_uppercase(),
            _ => {
                let word = |word: &str| word[..1].to_uppercase() + &word[1..];
                name.split(' ').map(word).collect()
            }
        })
    }

    /// The value nested in others; a text is nested as JSON in a text.
    fn within(value: Value, steps: &[u8]) -> Value {
        steps.iter().fold(value, |value, step| match step {
            0 => json!([1, value]),
            1 => json!({"a": value, "b": true}),
            _ => Value::String(value.to_string()),
        })
    }

    proptest! {
        #[test]
        fn no_secret_is_shown_wherever_it_stands_and_all_else_is(
            name in spelt(),
            steps in prop::collection::vec(0..3_u8, 0..7),
            number in any::<bool>(),
        ) {
            let secret = if number { json!(8_675_309) } else { json!("canary") };
            let name = name.as_str();
            for (of, code) in [(Of::Request, "code"), (Of::Answer, "shown")] {
                let mut body = within(json!({name: secret, "b": "visible", code: "424242"}), &steps);
                json(&mut body, of);
                let text = body.to_string();
                prop_assert!(!text.contains("canary") && !text.contains("8675309"), "{}", text);
                prop_assert!(text.contains("visible"), "{}", text);
                prop_assert_eq!(text.contains("424242"), of == Of::Answer);
            }
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
