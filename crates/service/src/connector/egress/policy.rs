//! What a retailer's requests may do, and which addresses can be a retailer's.

use std::time::Duration;

use url::Url;

use super::address::Reach;
use crate::connector::html::MAX_PAGE_BYTES;

/// What a retailer's requests may do.
#[derive(Debug, Clone)]
pub(crate) struct EgressPolicy {
    /// The retailer's address; requests go to its scheme, host and port only.
    pub base_url: Url,
    /// Whether addresses outside the public internet may be reached. If so, plain `http` goes to those only.
    pub allow_private_network: bool,
    /// The largest body that is read, in bytes.
    pub max_response_bytes: usize,
    /// How long to connect.
    pub connect_timeout: Duration,
    /// How long a request may take with its redirects, up to the end of the body. Waiting for a turn does not count.
    pub request_timeout: Duration,
    /// The shortest time from one request to the next, over all syncs of this retailer on this node.
    pub min_interval: Duration,
    /// The language to ask for; `None`: the retailer's own choice.
    pub accept_language: Option<String>,
}

impl EgressPolicy {
    /// A policy for a retailer at this address, with the usual bounds.
    pub(crate) const fn new(base_url: Url) -> Self {
        Self {
            base_url,
            allow_private_network: false,
            max_response_bytes: MAX_PAGE_BYTES,
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(30),
            min_interval: Duration::from_millis(20),
            accept_language: None,
        }
    }

    /// Whether the address can be a retailer's, and the policy allows it.
    pub(in crate::connector) fn check(&self) -> Result<(), BadAddress> {
        let base = &self.base_url;
        let host = base.host().ok_or(BadAddress::Scheme)?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(BadAddress::Scheme);
        }
        if !base.username().is_empty()
            || base.password().is_some()
            || base.query().is_some()
            || base.fragment().is_some()
        {
            return Err(BadAddress::NotPlain);
        }
        if !self.reach().allows_host(&host) {
            return Err(if self.allow_private_network { BadAddress::ClearText } else { BadAddress::Private });
        }
        if base.scheme() == "http" && !self.allow_private_network {
            return Err(BadAddress::ClearText);
        }
        Ok(())
    }

    pub(super) fn reach(&self) -> Reach {
        match (self.allow_private_network, self.base_url.scheme()) {
            (false, _) => Reach::Public,
            (true, "https") => Reach::Anywhere,
            (true, _) => Reach::Private,
        }
    }
}

/// Why an address cannot be a retailer's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadAddress {
    /// Not `https`, nor `http`.
    #[error("has to begin with https:// (or http:// on a private network)")]
    Scheme,
    /// A user name, query or fragment.
    #[error("has to be a plain address, without user name, query or fragment")]
    NotPlain,
    /// A password would cross the internet in clear text.
    #[error("is http, but not on a private network that allow_private_network = true allows: use https")]
    ClearText,
    /// An address of a private network, which is not allowed.
    #[error("is on a private network: allow_private_network = true would allow it")]
    Private,
}
