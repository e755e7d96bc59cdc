//! TLS of the service's own, for those who put no proxy in front.

use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::config::TlsFiles;

/// Why certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or holds something else.
    #[error("{path} cannot be read as PEM: {error}")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: rustls::pki_types::pem::Error,
    },
    /// The key is not the certificate's, say.
    #[error("certificate and key cannot be used: {0}")]
    Pair(#[from] rustls::Error),
}

/// What takes TLS connections with this certificate and key.
///
/// # Errors
/// Where one of them cannot be read, or they do not belong together.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, TlsError> {
    let failed = |path: &Path, error| TlsError::File { path: path.display().to_string(), error };
    let chain = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| failed(&files.certificate, error))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| failed(&files.key, error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
