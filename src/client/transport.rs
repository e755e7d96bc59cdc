//! Why no complete answer arrived: name lookup, connection, proxy, TLS or timeout. Errors of the underlying libraries
//! are classified here and nowhere else.

use std::error::Error as StdError;
use std::io;

use rustls::CertificateError;
use url::Url;

use crate::codes::{self, ErrorEntry};
use crate::error::Error;
use crate::net::is_loopback;

/// Why no complete answer arrived.
#[derive(Debug)]
pub(crate) struct TransportError {
    row: &'static ErrorEntry,
    why: String,
    /// Whether the request may have arrived.
    pub(super) sent: bool,
    /// Whether another attempt may succeed.
    pub(super) passing: bool,
    /// Whether this machine itself refused the connection, so that no network lies between that could recover.
    pub(super) refused_here: bool,
}

impl TransportError {
    /// An error of a request that could not be sent, or was not answered.
    pub(super) fn sending(error: &reqwest::Error) -> Self {
        let why = cause(error);
        let (row, passing) = if error.is_timeout() {
            (&codes::service::TIMEOUT, true)
        } else {
            classify(error, &why, error.is_connect())
        };
        let refused_here = error.is_connect() && error.url().is_some_and(is_loopback) && is_refused(error);
        Self { row, why, sent: !error.is_connect(), passing, refused_here }
    }

    /// An error of an answer that began but did not arrive completely.
    pub(super) fn reading(error: &reqwest::Error) -> Self {
        let row = if error.is_timeout() { &codes::service::TIMEOUT } else { &codes::network::ANSWER_CUT };
        Self { row, why: cause(error), sent: true, passing: true, refused_here: false }
    }

    pub(super) fn is_timeout(&self) -> bool {
        *self.row == codes::service::TIMEOUT
    }

    /// The message of the underlying library.
    pub(super) fn why(&self) -> &str {
        &self.why
    }

    /// The failure in the user's terms.
    pub(super) fn into_error(self, base: &Url, description: &str) -> Error {
        let Self { row, why, .. } = self;
        let host = base.host_str().unwrap_or_default();
        let why = why.trim_start_matches("failed to lookup address information: ");
        let message = match row.code {
            "TIMEOUT" => format!("{base} did not answer {description} in time: {why}."),
            "NAME_UNKNOWN" => format!("There is no host {host}: {why}."),
            "ANSWER_CUT" => {
                format!("The connection to {base} ended before the answer to {description} was whole: {why}.")
            }
            "CERTIFICATE_UNTRUSTED" => {
                format!("The certificate of {host} is not signed by a certificate authority that this machine trusts.")
            }
            "CERTIFICATE_EXPIRED" => format!("The certificate of {host} has expired: {why}."),
            "CERTIFICATE_NOT_YET_VALID" => format!("The certificate of {host} is not valid yet: {why}."),
            "CERTIFICATE_WRONG_HOST" => format!("The certificate is not that of {host}: {why}."),
            "NOT_TLS" => format!("The server at {base} does not speak TLS."),
            "NEEDS_TLS" => format!("The server at {base} does not speak plain HTTP; it may speak https."),
            "TLS" => format!("No secure connection to {base} can be made: {why}."),
            "PROXY_UNREACHABLE" => format!("The proxy for {base} cannot be reached: {why}."),
            "PROXY_AUTH" => format!("The proxy for {base} wants a user and a password."),
            "PROXY_REFUSED" => format!("The proxy does not let a connection to {base} through: {why}."),
            _ => format!("{base} cannot be reached for {description}: {why}."),
        };
        let error = Error::of(row, message);
        // Advice on an address is clearest with the address in it.
        match row.code {
            "NOT_TLS" if is_loopback(base) => {
                let address = base.as_str().trim_end_matches('/').replacen("https:", "http:", 1);
                error.hint(format!("Write http:// in the address: --base-url {address}"))
            }
            "NEEDS_TLS" => {
                let address = base.as_str().trim_end_matches('/').replacen("http:", "https:", 1);
                error.hint(format!("Write https:// in the address: --base-url {address}"))
            }
            "PROXY_AUTH" | "PROXY_REFUSED" | "PROXY_UNREACHABLE" => {
                error.hint(row.advice_with(|name| (name == "host").then(|| host.to_owned())))
            }
            _ => error,
        }
    }
}

/// The table row of an error other than a timeout, and whether another attempt may succeed.
fn classify(error: &reqwest::Error, why: &str, connecting: bool) -> (&'static ErrorEntry, bool) {
    use codes::network as row;

    if let Some(tls) = find_tls(error) {
        return (of_tls(tls), false);
    }
    let said = |words: &str| chain(error).any(|cause| cause.to_string().contains(words));
    // Before the name check: with a proxy, the name that is looked up is the proxy's.
    if said("tunnel error: failed to create underlying connection") || said("proxy connect") {
        return (&row::PROXY_UNREACHABLE, !said("dns error"));
    }
    if said("dns error") {
        // "Temporary failure in name resolution".
        return (&row::NAME_UNKNOWN, why.contains("emporary"));
    }
    if said("proxy authorization required") {
        return (&row::PROXY_AUTH, false);
    }
    if said("tunnel error") {
        return (&row::PROXY_REFUSED, false);
    }
    if said("invalid HTTP version") {
        // A TLS server answers plain text with a TLS alert, which is not HTTP.
        return (&row::NEEDS_TLS, false);
    }
    if connecting { (&row::UNREACHABLE, true) } else { (&row::ANSWER_CUT, true) }
}

fn is_refused(error: &reqwest::Error) -> bool {
    chain(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::ConnectionRefused)
}

fn of_tls(error: &rustls::Error) -> &'static ErrorEntry {
    use codes::network as row;

    match error {
        rustls::Error::InvalidCertificate(why) => match why {
            CertificateError::UnknownIssuer => &row::CERTIFICATE_UNTRUSTED,
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => &row::CERTIFICATE_EXPIRED,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                &row::CERTIFICATE_NOT_YET_VALID
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                &row::CERTIFICATE_WRONG_HOST
            }
            _ => &row::TLS,
        },
        rustls::Error::InvalidMessage(_) => &row::NOT_TLS,
        _ => &row::TLS,
    }
}

fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// The first TLS error in the chain. An I/O error's `source` skips the error that it wraps, so this looks inside.
pub(crate) fn find_tls<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    chain(error).find_map(|cause| {
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            return Some(tls);
        }
        let inner: &'a (dyn StdError + 'static) = cause.downcast_ref::<io::Error>()?.get_ref()?;
        find_tls(inner)
    })
}

/// The innermost cause; the outer ones repeat what the message already says.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "time is over".to_owned();
    }
    let innermost = chain(error).last().map(ToString::to_string).unwrap_or_default();
    innermost.trim_end_matches('.').to_owned()
}
