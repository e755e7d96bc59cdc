//! What is wrong with a TLS handshake, and until when a certificate is good.

use chrono::{DateTime, Utc};
use rustls::CertificateError;
use url::Url;

use super::Check;
use crate::errors::{Advice, Exit, Hint, transport};

/// A certificate that ends sooner than this is worth a word.
const SOON: chrono::TimeDelta = chrono::TimeDelta::days(14);

/// The check of a request that failed, if TLS is why.
pub(super) fn failure(error: &reqwest::Error, base: &Url) -> Option<Check> {
    let why = transport::find_tls(error)?;
    let failed = |text: String, advice: Advice| Some(Check::failed("tls", Exit::Network, text).hint(advice));
    let place = format!("{}:{}", base.host_str().unwrap_or_default(), base.port_or_known_default().unwrap_or(443));
    let see = |words: &str| Hint::run(words, format!("openssl s_client -connect {place} -showcerts </dev/null"));
    let rustls::Error::InvalidCertificate(certificate) = why else {
        return failed(format!("no TLS connection: {why}"), see("Is it an https address? See it").into());
    };
    match certificate {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => failed(
            "the certificate has expired".into(),
            [
                Hint::run("Look at this machine's clock first", "date"),
                see("If it is right, tell the operator of the service. See it"),
            ]
            .into(),
        ),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => failed(
            "the certificate is not valid yet".into(),
            Hint::run("This machine's clock is probably wrong", "date").into(),
        ),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => failed(
            format!("the certificate is for another name than {}", base.host_str().unwrap_or_default()),
            [Hint::run("Check the address", "ordersync config get base_url"), see("See it")].into(),
        ),
        CertificateError::UnknownIssuer | CertificateError::BadSignature => failed(
            "the certificate is not signed by a certificate authority that this system trusts (self-signed, or a proxy's)".into(),
            [
                see("See it"),
                Hint::run(
                    "If you trust who signed it, add it to the system's certificates, or",
                    "SSL_CERT_FILE=ca.pem ordersync doctor",
                ),
            ]
            .into(),
        ),
        other if transport::is_of_authority(other) => failed(
            "the server uses the certificate of a certificate authority (CA:TRUE) as its own".into(),
            transport::replace_authority(),
        ),
        other => failed(format!("the certificate is not accepted: {other}"), see("See it").into()),
    }
}

/// The check of a handshake that went well.
pub(super) fn success(certificate: Option<&[u8]>, now: DateTime<Utc>) -> Check {
    let Some(end) = certificate.and_then(end) else {
        return Check::ok("tls", "the certificate is trusted");
    };
    let until = end.format("%Y-%m-%d");
    if end - now < SOON {
        return Check::warning("tls", format!("the certificate is trusted, but ends on {until}"))
            .hint("Tell the operator of the service to renew it.");
    }
    Check::ok("tls", format!("the certificate is trusted, and good until {until}"))
}

fn end(certificate: &[u8]) -> Option<DateTime<Utc>> {
    let (_, certificate) = x509_parser::parse_x509_certificate(certificate).ok()?;
    DateTime::from_timestamp(certificate.validity().not_after.timestamp(), 0)
}
