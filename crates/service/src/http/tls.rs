//! The service's own TLS, for installations without a proxy in front. Certificate and key can be replaced while it
//! runs.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, Utc};
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::{ClientHello, ParsedCertificate, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::config::TlsFiles;
use crate::private_file::{self, PrivateFileError};

/// Why certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or does not contain the expected PEM data.
    #[error("{path} cannot be read as PEM: {error}")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: rustls::pki_types::pem::Error,
    },
    /// The key file cannot be read, or others can read it.
    #[error(transparent)]
    Key(#[from] PrivateFileError),
    /// The file of the chain holds no certificate.
    #[error("{0} holds no certificate: it needs the chain in PEM, which begins with -----BEGIN CERTIFICATE-----")]
    NoCertificate(String),
    /// For example, the key does not belong to the certificate.
    #[error("the certificate in {certificate} and the key in {key} cannot be used together: {error}")]
    Pair {
        /// The file of the chain.
        certificate: String,
        /// The file of the key.
        key: String,
        /// Why.
        error: rustls::Error,
    },
    /// TLS cannot be set up at all.
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}

/// The current certificate and key.
#[derive(Debug)]
pub(crate) struct Certificate(RwLock<Arc<CertifiedKey>>);

impl Certificate {
    pub(crate) fn new(pair: CertifiedKey) -> Arc<Self> {
        Arc::new(Self(RwLock::new(Arc::new(pair))))
    }

    /// Replaces them for new connections. False: it is the certificate that was there.
    pub(crate) fn replace(&self, pair: CertifiedKey) -> bool {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = current.cert != pair.cert;
        *current = Arc::new(pair);
        is_new
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Reads certificate and key.
/// Fails if one of them cannot be read, others can read the key, or they do not belong together.
pub(crate) fn load(files: &TlsFiles) -> Result<CertifiedKey, TlsError> {
    let named = |path: &Path| path.display().to_string();
    let failed = |path: &Path, error| TlsError::File { path: named(path), error };
    let chain = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| failed(&files.certificate, error))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(named(&files.certificate)));
    }
    let key = private_file::read(&files.key)?;
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|error| failed(&files.key, error))?;
    CertifiedKey::from_der(chain, key, &provider()).map_err(|error| {
        let (certificate, key) = (named(&files.certificate), named(&files.key));
        TlsError::Pair { certificate, key, error }
    })
}

/// An acceptor of TLS connections that uses the current certificate.
pub(crate) fn acceptor(certificate: Arc<Certificate>) -> Result<TlsAcceptor, TlsError> {
    let config = ServerConfig::builder_with_provider(Arc::new(provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(certificate);
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// The faults that clients will find in a certificate: its validity period, or the host. It is used all the same, since
/// a service that does not restart is worse.
pub(crate) fn doubts(pair: &CertifiedKey, host: Option<&str>, now: DateTime<Utc>) -> Vec<String> {
    let Some(own) = pair.cert.first() else { return vec!["the certificate's file holds none".to_owned()] };
    let mut doubts = Vec::new();
    match X509Certificate::from_der(own) {
        Ok((_, parsed)) => {
            let time = |seconds| DateTime::from_timestamp(seconds, 0).unwrap_or_default().to_rfc3339();
            let validity = parsed.validity();
            if validity.not_after.timestamp() < now.timestamp() {
                doubts.push(format!("the certificate expired at {}", time(validity.not_after.timestamp())));
            }
            if validity.not_before.timestamp() > now.timestamp() {
                doubts.push(format!("the certificate is not valid before {}", time(validity.not_before.timestamp())));
            }
        }
        Err(_) => doubts.push("the certificate cannot be read as X.509".to_owned()),
    }
    if let Some(host) = host
        && let Ok(name) = ServerName::try_from(host.trim_start_matches('[').trim_end_matches(']'))
    {
        let is_for_host = ParsedCertificate::try_from(own)
            .is_ok_and(|parsed| rustls::client::verify_server_name(&parsed, &name).is_ok());
        if !is_for_host {
            doubts.push(format!("the certificate is not for {host}, the host of --public-url"));
        }
    }
    doubts
}

fn provider() -> CryptoProvider {
    rustls::crypto::ring::default_provider()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_that_clients_will_refuse_is_told_with_its_reason() {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(["orders.example".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2026, 1, 1);
        params.not_after = rcgen::date_time_ymd(2026, 12, 31);
        let certificate = params.self_signed(&key).unwrap();
        let der = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let pair = CertifiedKey::from_der(vec![certificate.der().clone()], der, &provider()).unwrap();
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let (within, later) = (at("2026-06-01T00:00:00Z"), at("2027-01-01T00:00:00Z"));
        for host in [None, Some("orders.example"), Some("127.0.0.1")] {
            assert_eq!(doubts(&pair, host, within), Vec::<String>::new());
        }
        assert_eq!(doubts(&pair, None, later), ["the certificate expired at 2026-12-31T00:00:00+00:00"]);
        let early = doubts(&pair, None, at("2025-12-31T00:00:00Z"));
        assert_eq!(early, ["the certificate is not valid before 2026-01-01T00:00:00+00:00"]);
        for host in ["shop.example", "a.orders.example", "127.0.0.2", "[::1]"] {
            let wrong = doubts(&pair, Some(host), within);
            assert_eq!(wrong, [format!("the certificate is not for {host}, the host of --public-url")]);
        }
    }
}
