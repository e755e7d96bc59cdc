//! The settings that can be replaced while the service runs: certificate and key, and the operator's retailers.
//! Requests and syncs that have begun end with the old ones.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use ordersync_api::Retailer;
use ordersync_api::retailer::SyncConfig;
use url::Url;

use crate::catalog::{Catalog, DuplicateRetailer};
use crate::config::{Config, SandboxConfig, TlsFiles};
use crate::connector::retailers_file::{self, BrokenRetailer, Configured, ConfiguredRetailer, RetailersFileError};
use crate::connector::{Unusable, simulated};
use crate::http::tls::{self, Certificate, TlsError};

/// The settings read at the start, and where they came from.
pub(crate) struct Reloadable {
    tls: Option<(TlsFiles, Arc<Certificate>)>,
    /// The host in the address that clients use.
    host: Option<String>,
    sandbox: Option<SandboxConfig>,
    retailers: Option<PathBuf>,
    /// The operator's retailers as last read: one that does not change keeps its connector.
    known: Mutex<Vec<ConfiguredRetailer>>,
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
        let read = config.retailers.as_deref().map(retailers_file::load).transpose()?.unwrap_or_default();
        let catalog = Arc::new(catalog(config.sandbox.as_ref(), &read)?);
        for broken in &read.broken {
            say_broken(broken, "a retailer cannot be used: correct its recipe, then send SIGHUP");
        }
        let (sandbox, retailers) = (config.sandbox.clone(), config.retailers.clone());
        let known = Mutex::new(read.retailers);
        warn_if_empty(&catalog);
        Ok(Self { tls, host, sandbox, retailers, known, catalog })
    }

    /// The current certificate, if the service terminates TLS itself.
    pub(crate) fn certificate(&self) -> Option<Arc<Certificate>> {
        self.tls.as_ref().map(|(_, certificate)| Arc::clone(certificate))
    }

    /// The current retailers.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog)
    }

    /// Reads everything again. If anything is invalid, nothing is replaced; if it is one retailer's recipe, that retailer stays
    /// as it was.
    pub(crate) fn reload(&self, now: DateTime<Utc>) -> Result<Reloaded, ReloadError> {
        let pair = self.tls.as_ref().map(|(files, _)| tls::load(files)).transpose()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reloaded = Reloaded::default();
        if let Some(path) = &self.retailers {
            let mut read = retailers_file::load_again(path, &known)?;
            let before = |id: i64| known.iter().find(|known| known.id == id);
            read.broken.retain(|broken| {
                let Some(known) = before(broken.id) else {
                    say_broken(broken, "a retailer cannot be used: correct its recipe, then send SIGHUP");
                    return true;
                };
                say_broken(broken, "a retailer was not reloaded: its previous recipe and settings stay in force");
                read.retailers.push(known.clone());
                false
            });
            for retailer in &read.retailers {
                match before(retailer.id) {
                    None => reloaded.added += 1,
                    Some(known) if known.digest == retailer.digest => reloaded.unchanged += 1,
                    Some(_) => reloaded.changed += 1,
                }
            }
            for gone in known.iter().filter(|known| read.retailers.iter().all(|retailer| retailer.id != known.id)) {
                tracing::warn!(
                    retailer_id = gone.id,
                    "a retailer is gone from the file: its connections are not synced"
                );
                reloaded.removed += 1;
            }
            reloaded.broken = read.broken.len();
            self.catalog.replace(catalog(self.sandbox.as_ref(), &read)?);
            *known = read.retailers;
        }
        if let (Some(pair), Some((_, certificate))) = (pair, &self.tls) {
            warn_of(&tls::doubts(&pair, self.host.as_deref(), now));
            reloaded.certificate = if certificate.replace(pair) { "changed" } else { "unchanged" };
        }
        warn_if_empty(&self.catalog);
        Ok(reloaded)
    }
}

/// What a reload found.
#[derive(Debug, Default)]
pub(crate) struct Reloaded {
    /// `changed`, `unchanged`, or nothing if the service has none.
    pub(crate) certificate: &'static str,
    /// The operator's retailers by what became of them.
    pub(crate) added: usize,
    pub(crate) changed: usize,
    pub(crate) removed: usize,
    pub(crate) unchanged: usize,
    /// Those that cannot be used.
    pub(crate) broken: usize,
}

/// The retailers of the sandbox, if it is one, and the operator's.
fn catalog(sandbox: Option<&SandboxConfig>, read: &Configured) -> Result<Catalog, DuplicateRetailer> {
    let mut catalog = Catalog::default();
    if let Some(sandbox) = sandbox {
        for (retailer, connector) in simulated::retailers(sandbox.speed) {
            catalog.add(retailer, connector)?;
        }
    }
    for configured in &read.retailers {
        let retailer = Retailer {
            retailer_id: configured.id,
            display_name: configured.display_name.clone(),
            logo: configured.logo.clone(),
            credential_fields: configured.connector.credential_fields(),
            ..Retailer::default()
        };
        catalog.add(retailer, Arc::clone(&configured.connector))?;
    }
    for broken in &read.broken {
        let retailer = Retailer {
            retailer_id: broken.id,
            display_name: broken.display_name.clone(),
            logo: broken.logo.clone(),
            sync_config: SyncConfig { server_side: false, ..SyncConfig::default() },
            ..Retailer::default()
        };
        catalog.add(retailer, Arc::new(Unusable))?;
    }
    Ok(catalog)
}

fn say_broken(broken: &BrokenRetailer, consequence: &str) {
    let BrokenRetailer { id, message, .. } = broken;
    tracing::error!(retailer_id = id, error = message, "{consequence}");
}

fn warn_if_empty(catalog: &Catalog) {
    if catalog.list().is_empty() {
        tracing::warn!(
            "no retailer is configured, so users can connect none: name a file of retailers with --retailers"
        );
    }
}

fn warn_of(doubts: &[String]) {
    for doubt in doubts {
        tracing::warn!("clients will refuse this service: {doubt}");
    }
}
