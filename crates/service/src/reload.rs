//! What can be exchanged while the service runs: certificate and key, and the operator's retailers. Requests and steps of
//! syncs that have begun end with what they began with.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use url::Url;

use crate::catalog::Catalog;
use crate::config::{Config, SandboxConfig, TlsFiles};
use crate::http::tls::{self, Certificate};
use crate::service::{StartError, catalog};

/// What was read at the start, and where from.
pub(crate) struct Reloadable {
    tls: Option<(TlsFiles, Arc<Certificate>)>,
    /// The host that clients name.
    host: Option<String>,
    sandbox: Option<SandboxConfig>,
    retailers: Option<PathBuf>,
    /// The retailers as they were read last: as long as they do not change, their connectors keep their pace.
    text: Mutex<Vec<u8>>,
    catalog: Arc<Catalog>,
}

impl Reloadable {
    /// Reads everything for the first time.
    pub(crate) fn load(config: &Config, now: DateTime<Utc>) -> Result<Self, StartError> {
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
        let catalog = Arc::new(catalog(config.sandbox, config.retailers.as_deref())?);
        Ok(Self { tls, host, sandbox: config.sandbox, retailers: config.retailers.clone(), text, catalog })
    }

    /// The certificate in force, if the service ends TLS itself.
    pub(crate) fn certificate(&self) -> Option<Arc<Certificate>> {
        self.tls.as_ref().map(|(_, certificate)| Arc::clone(certificate))
    }

    /// The retailers in force.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog)
    }

    /// Reads everything again. If anything cannot be used, all of what was in force stays so.
    pub(crate) fn reload(&self, now: DateTime<Utc>) -> Result<(), StartError> {
        let pair = self.tls.as_ref().map(|(files, _)| tls::load(files)).transpose()?;
        let text = text_of(self.retailers.as_ref());
        let mut known = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        if *known != text {
            self.catalog.replace(catalog(self.sandbox, self.retailers.as_deref())?);
            *known = text;
        }
        if let (Some(pair), Some((_, certificate))) = (pair, &self.tls) {
            warn_of(&tls::doubts(&pair, self.host.as_deref(), now));
            certificate.replace(pair);
        }
        Ok(())
    }
}

/// What a file holds. One that cannot be read differs from one that could be, and is reported when it is parsed.
fn text_of(path: Option<&PathBuf>) -> Vec<u8> {
    path.and_then(|path| std::fs::read(path).ok()).unwrap_or_default()
}

fn warn_of(doubts: &[String]) {
    for doubt in doubts {
        tracing::warn!("clients will refuse this service: {doubt}");
    }
}
