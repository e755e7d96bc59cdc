//! Why no complete answer arrived: name lookup, connection, proxy, TLS or timeout. Errors of the underlying libraries
//! are classified here and nowhere else.

use std::error::Error as StdError;
use std::io;

use rustls::CertificateError;
use url::Url;

use crate::errors::codes::{self, ErrorEntry};
use crate::errors::{Advice, Error, Hint};
use crate::net::is_loopback;

/// What went wrong on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Timeout,
    NameUnknown,
    Unreachable,
    AnswerCut,
    CertificateUntrusted,
    CertificateExpired,
    CertificateNotYetValid,
    CertificateWrongHost,
    CertificateOfAuthority,
    NotTls,
    NeedsTls,
    Tls,
    ProxyUnreachable,
    ProxyAuth,
    ProxyRefused,
}

/// Why no complete answer arrived.
#[derive(Debug)]
pub(crate) struct TransportError {
    kind: Kind,
    why: String,
    /// Whether the request may have arrived.
    pub(crate) sent: bool,
    /// Whether another attempt may succeed.
    pub(crate) passing: bool,
    /// Whether this machine itself refused the connection, so that no network lies between that could recover.
    pub(crate) refused_here: bool,
}

impl TransportError {
    /// An error of a request that could not be sent, or was not answered.
    pub(crate) fn sending(error: &reqwest::Error) -> Self {
        let why = cause(error);
        let (kind, passing) =
            if error.is_timeout() { (Kind::Timeout, true) } else { classify(error, &why, error.is_connect()) };
        let refused_here = error.is_connect() && error.url().is_some_and(is_loopback) && is_refused(error);
        Self { kind, why, sent: !error.is_connect(), passing, refused_here }
    }

    /// An error of an answer that began but did not arrive completely.
    pub(crate) fn reading(error: &reqwest::Error) -> Self {
        let kind = if error.is_timeout() { Kind::Timeout } else { Kind::AnswerCut };
        Self { kind, why: cause(error), sent: true, passing: true, refused_here: false }
    }

    /// An answer that ended within its JSON.
    pub(crate) fn cut() -> Self {
        let why = "it ends within its JSON".to_owned();
        Self { kind: Kind::AnswerCut, why, sent: true, passing: true, refused_here: false }
    }

    pub(crate) fn is_timeout(&self) -> bool {
        self.kind == Kind::Timeout
    }

    /// The message of the underlying library.
    pub(crate) fn why(&self) -> &str {
        &self.why
    }

    /// The failure in the user's terms.
    pub(crate) fn into_error(self, base: &Url, description: &str) -> Error {
        let Self { kind, why, .. } = self;
        let host = base.host_str().unwrap_or_default();
        let why = why.trim_start_matches("failed to lookup address information: ");
        let message = match kind {
            Kind::Timeout => format!("{base} did not answer {description} in time: {why}."),
            Kind::NameUnknown => format!("There is no host {host}: {why}."),
            Kind::Unreachable => format!("{base} cannot be reached for {description}: {why}."),
            Kind::AnswerCut => {
                format!("The connection to {base} ended before the answer to {description} was whole: {why}.")
            }
            Kind::CertificateUntrusted => {
                format!("The certificate of {host} is not signed by a certificate authority that this machine trusts.")
            }
            Kind::CertificateExpired => format!("The certificate of {host} has expired: {why}."),
            Kind::CertificateNotYetValid => format!("The certificate of {host} is not valid yet: {why}."),
            Kind::CertificateWrongHost => format!("The certificate is not that of {host}: {why}."),
            Kind::CertificateOfAuthority => format!(
                "The server at {base} uses the certificate of a certificate authority (CA:TRUE) as its own, which is not accepted."
            ),
            Kind::NotTls => format!("The server at {base} does not speak TLS."),
            Kind::NeedsTls => format!("The server at {base} does not speak plain HTTP; it may speak https."),
            Kind::Tls => format!("No secure connection to {base} can be made: {why}."),
            Kind::ProxyUnreachable => format!("The proxy for {base} cannot be reached: {why}."),
            Kind::ProxyAuth => format!("The proxy for {base} wants a user and a password."),
            Kind::ProxyRefused => format!("The proxy does not let a connection to {base} through: {why}."),
        };
        let error = Error::of(kind.row(), message);
        // Advice on an address is clearest with the address in it.
        match kind {
            Kind::NotTls if is_loopback(base) => {
                let address = base.as_str().trim_end_matches('/').replacen("https:", "http:", 1);
                error.hint(format!("Write http:// in the address: --base-url {address}"))
            }
            Kind::NeedsTls => {
                let address = base.as_str().trim_end_matches('/').replacen("http:", "https:", 1);
                error.hint(format!("Write https:// in the address: --base-url {address}"))
            }
            Kind::CertificateOfAuthority => error.hint(replace_authority()),
            Kind::ProxyAuth | Kind::ProxyRefused | Kind::ProxyUnreachable => {
                error.hint(kind.row().advice_with(|name| (name == "host").then(|| host.to_owned())))
            }
            _ => error,
        }
    }
}

impl Kind {
    /// The entry in the table of codes.
    const fn row(self) -> &'static ErrorEntry {
        use codes::network as row;

        match self {
            Self::Timeout => &codes::service::TIMEOUT,
            Self::NameUnknown => &row::NAME_UNKNOWN,
            Self::Unreachable => &row::UNREACHABLE,
            Self::AnswerCut => &row::ANSWER_CUT,
            Self::CertificateUntrusted => &row::CERTIFICATE_UNTRUSTED,
            Self::CertificateExpired => &row::CERTIFICATE_EXPIRED,
            Self::CertificateNotYetValid => &row::CERTIFICATE_NOT_YET_VALID,
            Self::CertificateWrongHost => &row::CERTIFICATE_WRONG_HOST,
            Self::CertificateOfAuthority | Self::Tls => &row::TLS,
            Self::NotTls => &row::NOT_TLS,
            Self::NeedsTls => &row::NEEDS_TLS,
            Self::ProxyUnreachable => &row::PROXY_UNREACHABLE,
            Self::ProxyAuth => &row::PROXY_AUTH,
            Self::ProxyRefused => &row::PROXY_REFUSED,
        }
    }
}

/// What an error other than a timeout is, and whether another attempt may succeed. Behind what reqwest and its connectors
/// report of names, proxies and HTTP there is no public type, so their words decide; tests provoke each.
fn classify(error: &reqwest::Error, why: &str, connecting: bool) -> (Kind, bool) {
    if let Some(tls) = find_tls(error) {
        return (of_tls(tls), false);
    }
    let said = |words: &str| chain(error).any(|cause| cause.to_string().contains(words));
    // Before the name check: with a proxy, the name that is looked up is the proxy's.
    if said("tunnel error: failed to create underlying connection") || said("proxy connect") {
        return (Kind::ProxyUnreachable, !said("dns error"));
    }
    if said("dns error") {
        // "Temporary failure in name resolution".
        return (Kind::NameUnknown, why.contains("emporary"));
    }
    if said("proxy authorization required") {
        return (Kind::ProxyAuth, false);
    }
    if said("tunnel error") {
        return (Kind::ProxyRefused, false);
    }
    if said("invalid HTTP version") {
        // A TLS server answers plain text with a TLS alert, which is not HTTP.
        return (Kind::NeedsTls, false);
    }
    if connecting { (Kind::Unreachable, true) } else { (Kind::AnswerCut, true) }
}

fn is_refused(error: &reqwest::Error) -> bool {
    chain(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::ConnectionRefused)
}

fn of_tls(error: &rustls::Error) -> Kind {
    match error {
        rustls::Error::InvalidCertificate(why) => match why {
            // The signature is bad if a trusted certificate has the name of the issuer, but another key.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => Kind::CertificateUntrusted,
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Kind::CertificateExpired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Kind::CertificateNotYetValid,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Kind::CertificateWrongHost
            }
            other if is_of_authority(other) => Kind::CertificateOfAuthority,
            _ => Kind::Tls,
        },
        rustls::Error::InvalidMessage(_) => Kind::NotTls,
        _ => Kind::Tls,
    }
}

/// True if a server uses the certificate of an authority as its own: OpenSSL makes such ones by default. Only
/// the words of the underlying error say so.
pub(crate) fn is_of_authority(why: &CertificateError) -> bool {
    matches!(why, CertificateError::Other(_)) && format!("{why:?}").contains("CaUsedAsEndEntity")
}

/// How to replace it.
pub(crate) fn replace_authority() -> Advice {
    [
        Hint::say(
            "Its operator has to replace it. If it signs itself, make it with -addext basicConstraints=CA:FALSE (openssl req).",
        ),
        Hint::run("Then trust the new one", "export SSL_CERT_FILE=/path/to/certificate.pem"),
    ]
    .into()
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
