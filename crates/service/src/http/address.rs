//! The address that a request comes from.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Once;

use axum::extract::ConnectInfo;
use axum::http::Extensions;
use axum::http::header::HeaderMap;

use crate::app::App;
use crate::limits::Network;

/// The address that a request comes from. A proxy appends it to `X-Forwarded-For`. The client controls the addresses
/// before it, and without a declared proxy the whole header.
fn ip(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Option<IpAddr> {
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back().filter(|_| app.behind_proxy);
    let last = forwarded.and_then(|value| {
        let address = value.to_str().ok()?.rsplit(',').next().and_then(|last| forwarded_ip(last.trim()));
        if address.is_none() {
            UNREADABLE.call_once(|| {
                tracing::warn!(
                    "the proxy's X-Forwarded-For does not end with an address: its clients share one limit, that of its own address"
                );
            });
        }
        address
    });
    last.or_else(|| extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip()))
}

/// Says it once: a proxy writes the header in one way.
static UNREADABLE: Once = Once::new();

/// An address as proxies write it: bare, in brackets, or with the port that it came from.
fn forwarded_ip(text: &str) -> Option<IpAddr> {
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    text.parse().ok().or_else(with_port).or_else(bracketed)
}

/// The client's network, which is what limits count by.
pub(super) fn network(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Network {
    Network::of(ip(app, headers, extensions).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
}

/// The client's address as text; empty if it is unknown.
pub(crate) fn client_address(app: &App, headers: &HeaderMap, extensions: &Extensions) -> String {
    ip(app, headers, extensions).map_or_else(String::new, |address| address.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_proxies_write_them() {
        for (text, address) in [
            ("203.0.113.7", Some("203.0.113.7")),
            ("203.0.113.7:40001", Some("203.0.113.7")),
            ("2001:db8::1", Some("2001:db8::1")),
            ("[2001:db8::1]", Some("2001:db8::1")),
            ("[2001:db8::1]:4001", Some("2001:db8::1")),
            ("unknown", None),
            ("_hidden", None),
            ("", None),
            ("203.0.113.7:", None),
            ("[203.0.113.7]", None),
            ("203.0.113.7:99999", None),
        ] {
            assert_eq!(forwarded_ip(text), address.map(|address| address.parse().unwrap()), "{text}");
        }
    }
}
