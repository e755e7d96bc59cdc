//! Headers of a request, and those of an answer.

use std::fmt::Write as _;

use reqwest::header::{HeaderName, HeaderValue};

use crate::client::Answer;
use crate::errors::{Error, Result};

/// Headers in the order in which they were given.
pub(super) type Headers = Vec<(HeaderName, HeaderValue)>;

/// Headers that hold secrets, and where those come from instead: an argument is seen by others on the machine.
const SECRET: [(&str, &str); 4] = [
    ("authorization", "The access token is that of your sign-in, or ORDERSYNC_TOKEN."),
    ("x-client-secret", "The client secret is read from ORDERSYNC_CLIENT_SECRET or the profile's client_secret_file."),
    ("x-link-token", "The link token is read from ORDERSYNC_LINK_TOKEN."),
    ("cookie", "The service takes none."),
];

/// Reads `Name: value`.
pub(super) fn parse(texts: &[String]) -> Result<Headers> {
    texts.iter().map(|text| parse_one(text)).collect()
}

fn parse_one(text: &str) -> Result<(HeaderName, HeaderValue)> {
    let wrong = || Error::usage("A header is \"Name: value\".");
    let (name, value) = text.split_once(':').ok_or_else(wrong)?;
    let name: HeaderName = name.trim().parse().map_err(|_| wrong())?;
    if let Some((name, instead)) = SECRET.iter().find(|(secret, _)| name == *secret) {
        return Err(Error::usage(format!("The header {name} is not taken from an argument.")).hint(*instead));
    }
    Ok((name, value.trim().parse().map_err(|_| wrong())?))
}

/// Status and headers, as HTTP has them.
pub(super) fn shown(answer: &Answer) -> String {
    let mut text = format!("HTTP/1.1 {}\r\n", answer.status());
    for (name, value) in answer.headers() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{name}: {}\r\n", String::from_utf8_lossy(value.as_bytes()));
    }
    text.push_str("\r\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_taken_from_arguments_and_not_repeated() {
        assert!(parse(&["Accept: text/csv".into(), "X-Thing:1".into()]).is_ok_and(|headers| headers.len() == 2));
        for bad in
            ["Authorization: Bearer canary", "x-client-secret: canary", "X-Link-Token:canary", "canary", ": canary"]
        {
            let error = parse(&[bad.to_owned()]).expect_err("refused");
            assert!(!format!("{error:?}").contains("canary"), "{error:?}");
        }
    }
}
