//! The address that a request comes from.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::Extensions;
use axum::http::header::HeaderMap;

use crate::app::App;
use crate::limits::Network;

/// The address that a request comes from. A proxy appends it to `X-Forwarded-For`. The client controls the addresses
/// before it, and without a declared proxy the whole header.
fn ip(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Option<IpAddr> {
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
    let last = forwarded
        .filter(|_| app.behind_proxy)
        .and_then(|value| value.to_str().ok()?.rsplit(',').next()?.trim().parse::<IpAddr>().ok());
    last.or_else(|| extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip()))
}

/// The client's network, which is what limits count by.
pub(super) fn network(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Network {
    Network::of(ip(app, headers, extensions).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
}

/// The client's address as text; empty if it is unknown.
pub(crate) fn client_address(app: &App, headers: &HeaderMap, extensions: &Extensions) -> String {
    ip(app, headers, extensions).map_or_else(String::new, |address| address.to_string())
}
