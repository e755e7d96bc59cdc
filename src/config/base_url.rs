//! The address of a service. It must be https except on this machine, so that no token is sent unencrypted.

use url::Url;

use super::value::{Origin, Value};
use crate::errors::{Error, Hint, Result};
use crate::net::is_loopback;

/// Parses an address.
pub(crate) fn parse(text: &str, origin: Origin) -> Result<Value<Url>> {
    let refuse = |why: &str| {
        let error = Error::usage(format!("{origin}: \"{}\" {why}.", without_user(text)));
        Err(match &origin {
            Origin::Environment(name) => error.hint(Hint::run("Correct it, or do without it", format!("unset {name}"))),
            _ => error,
        })
    };
    let Ok(mut url) = Url::parse(text) else {
        return refuse("is not an address: write it like https://api.example.com");
    };
    match url.scheme() {
        "https" => {}
        "http" if is_loopback(&url) => {}
        "http" => return refuse("is not https: plain http is allowed only on this machine (127.0.0.1)"),
        _ => return refuse("does not begin with https:// or http://"),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("contains a user or a password: put an access token in ORDERSYNC_TOKEN");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("contains a query or a fragment: give only the address");
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(Value::new(url, origin))
}

/// The given text with a possible user and password masked.
fn without_user(text: &str) -> String {
    match (text.find("://"), text.rfind('@')) {
        (Some(scheme), Some(at)) if scheme < at => format!("{}://…{}", &text[..scheme], &text[at..]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_this_machine_alone() {
        for good in
            ["https://a.test", "https://a.test/api/", "http://127.0.0.1:8080", "http://[::1]:1", "http://localhost"]
        {
            assert!(parse(good, Origin::Default).is_ok(), "{good}");
        }
        for bad in ["http://a.test", "http://127.0.0.1.a.test", "ftp://a.test", "a.test", "", "https://a.test?x=1"] {
            assert!(parse(bad, Origin::Default).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_not_repeated() {
        let error = parse("https://me:canary@a.test", Origin::Default).expect_err("refused");
        assert!(!error.message().contains("canary"), "{}", error.message());
    }
}
