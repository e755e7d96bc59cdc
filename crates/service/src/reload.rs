//! The settings that can be replaced while the service runs: certificate and key, and the operator's retailers.
//! Requests and syncs that have begun end with the old ones.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use ordersync_api::retailer::SyncConfig;
use ordersync_api::{Extra, Retailer};
use url::Url;

use crate::catalog::{Catalog, DuplicateRetailer};
use crate::config::{Config, SandboxConfig, TlsFiles};
use crate::connector::retailers_file::{self, RetailersFileError};
use crate::connector::simulated;
use crate::http::tls::{self, Certificate, TlsError};

/// The settings read at the start, and where they came from.
pub(crate) struct Reloadable {
    tls: Option<(TlsFiles, Arc<Certificate>)>,
    /// The host in the address that clients use.
    host: Option<String>,
    sandbox: Option<SandboxConfig>,
    retailers: Option<PathBuf>,
    /// The retailers as last read: while they do not change, their connectors keep their pace.
    text: Mutex<Vec<u8>>,
    catalog: Arc<Catalog>,
}

/// Why something cannot be replaced.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReloadError {
    /// The certificate or the key is invalid.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The operator's retailers cannot be read.
    #[error(transparent)]
    RetailersFile(#[from] RetailersFileError),
    /// Two retailers share a number.
    #[error(transparent)]
    Retailers(#[from] DuplicateRetailer),
}

impl Reloadable {
    /// Reads everything for the first time.
    pub(crate) fn load(config: &Config, now: DateTime<Utc>) -> Result<Self, ReloadError> {
        let host = config.public_url.as_deref().and_then(|url| Url::parse(url).ok()?.host_str().map(str::to_owned));
        let tls = match &config.tls {
            None => None,
            Some(files) => {
                let pair = tls::load(files)?;
                warn_of(&tls::doubts(&pair, host.as_deref(), now));
                Some((files.clone(), Certificate::new(pair)))
            }
        };
        let text = Mutex::new(text_of(config.retailers.as_ref()));
        let catalog = Arc::new(catalog(config.sandbox.clone(), config.retailers.as_deref())?);
        Ok(Self { tls, host, sandbox: config.sandbox.clone(), retailers: config.retailers.clone(), text, catalog })
    }

    /// The current certificate, if the service terminates TLS itself.
    pub(crate) fn certificate(&self) -> Option<Arc<Certificate>> {
        self.tls.as_ref().map(|(_, certificate)| Arc::clone(certificate))
    }

    /// The current retailers.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog)
    }

    /// Reads everything again. If anything is invalid, nothing is replaced.
    pub(crate) fn reload(&self, now: DateTime<Utc>) -> Result<(), ReloadError> {
        let pair = self.tls.as_ref().map(|(files, _)| tls::load(files)).transpose()?;
        let text = text_of(self.retailers.as_ref());
        let mut known = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        if *known != text {
            self.catalog.replace(catalog(self.sandbox.clone(), self.retailers.as_deref())?);
            *known = text;
        }
        if let (Some(pair), Some((_, certificate))) = (pair, &self.tls) {
            warn_of(&tls::doubts(&pair, self.host.as_deref(), now));
            certificate.replace(pair);
        }
        Ok(())
    }
}

/// The retailers of the sandbox, if it is one, and the operator's.
fn catalog(sandbox: Option<SandboxConfig>, retailers: Option<&Path>) -> Result<Catalog, ReloadError> {
    let mut catalog = Catalog::default();
    if let Some(sandbox) = sandbox {
        for (retailer, connector) in simulated::retailers(sandbox.speed) {
            catalog.add(retailer, connector)?;
        }
    }
    if let Some(file) = retailers {
        for configured in retailers_file::load(file)? {
            let retailer = Retailer {
                retailer_id: configured.id,
                display_name: configured.display_name,
                logo: configured.logo,
                sync_config: SyncConfig::default(),
                credential_fields: configured.connector.credential_fields(),
                extra: Extra::new(),
            };
            catalog.add(retailer, configured.connector)?;
        }
    }
    Ok(catalog)
}

/// The content of a file; empty if there is no file or it cannot be read, which is reported when it is parsed.
fn text_of(path: Option<&PathBuf>) -> Vec<u8> {
    path.and_then(|path| std::fs::read(path).ok()).unwrap_or_default()
}

fn warn_of(doubts: &[String]) {
    for doubt in doubts {
        tracing::warn!("clients will refuse this service: {doubt}");
    }
}
