//! The hosts that a service for its own machine answers to.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::http::uri::Authority;
use url::{Host, Url};

/// The hosts that a service for its own machine answers to: every loopback address, and its public address.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnHosts {
    pub(crate) public: Option<Named>,
}

/// A host as a request names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// In lower case; an IPv6 address in brackets.
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
}

impl OwnHosts {
    /// Loopback addresses, and the given one if there is one.
    pub(crate) fn new(public_url: Option<&str>) -> Self {
        Self { public: public_url.and_then(|url| Named::of_url(&Url::parse(url).ok()?)) }
    }

    pub(crate) fn has(&self, named: &Named) -> bool {
        named.is_loopback() || self.public.as_ref().is_some_and(|public| public.host == named.host)
    }
}

impl Named {
    pub(crate) fn of(authority: &Authority) -> Self {
        Self { host: authority.host().to_ascii_lowercase(), port: authority.port_u16() }
    }

    /// The port is the scheme's own if the address has no other.
    pub(crate) fn of_url(url: &Url) -> Option<Self> {
        Some(Self { host: url.host_str()?.to_ascii_lowercase(), port: url.port_or_known_default() })
    }

    pub(crate) fn is_loopback(&self) -> bool {
        let bare = self.host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        match bare {
            Some(address) => address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()),
            None => {
                self.host == "localhost" || self.host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
            }
        }
    }

    /// Whether pages of this host have that origin.
    pub(crate) fn has_page_at(&self, origin: &Url) -> bool {
        let same = |port| Self::of_url(origin) == Some(Self { host: self.host.clone(), port });
        matches!(origin.scheme(), "http" | "https") && same(self.port.or_else(|| known_port(origin)))
    }
}

/// Whether data sent there is protected on the way: https, or http on a loopback address.
pub(crate) fn is_protected(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && is_loopback_address(url))
}

/// Whether the address is this machine's. The name localhost is not enough: it could resolve to another machine.
pub(crate) fn is_loopback_address(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        _ => false,
    }
}

fn known_port(origin: &Url) -> Option<u16> {
    if origin.scheme() == "https" { Some(443) } else { Some(80) }
}
