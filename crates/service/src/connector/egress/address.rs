//! Which addresses a request may reach. Judged on the resolved address that is connected to, so that a name which
//! points elsewhere the second time it is asked for (DNS rebinding) gets no further than one which does so at once.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

/// What a retailer's addresses have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// On the public internet.
    Public,
    Anywhere,
    /// Anywhere but on the public internet: for plain `http`, which must not cross it.
    Private,
}

impl Reach {
    const fn allows(self, address: IpAddr) -> bool {
        match self {
            Self::Public => is_public(address),
            Self::Anywhere => true,
            Self::Private => !is_public(address),
        }
    }

    /// Whether this host may be connected to, as far as its text says. A name is judged when it is resolved; `localhost`
    /// and the names below it are loopback (RFC 6761 §6.3).
    pub(super) fn allows_host(self, host: &Host<&str>) -> bool {
        match host {
            Host::Ipv4(address) => self.allows(IpAddr::V4(*address)),
            Host::Ipv6(address) => self.allows(IpAddr::V6(*address)),
            Host::Domain(name) => {
                let name = name.trim_end_matches('.');
                !(name == "localhost" || name.ends_with(".localhost")) || self != Self::Public
            }
        }
    }
}

/// A name resolved to no address that may be reached.
#[derive(Debug, thiserror::Error)]
#[error("the name resolves to no address that may be reached")]
pub(super) struct AddressRefused;

/// The system's resolver, less the addresses that may not be reached.
pub(super) struct GuardedResolver(pub(super) Reach);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let nothing_found = found.is_empty();
            let allowed: Vec<SocketAddr> = found.into_iter().filter(|address| reach.allows(address.ip())).collect();
            if allowed.is_empty() && !nothing_found {
                return Err(AddressRefused.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// Whether an address is one of the public internet, after the special-purpose registries of IANA (RFC 6890).
const fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

const fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = a == 0
        || address.is_private()
        || address.is_loopback()
        // Also where clouds keep their metadata service (169.254.169.254).
        || address.is_link_local()
        // Carrier-grade NAT (RFC 6598).
        || (a == 100 && b & 0b1100_0000 == 64)
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        // The 6to4 relay anycast, now void.
        || (a == 192 && b == 88 && c == 99)
        // Benchmarks (RFC 2544).
        || (a == 198 && b & 0xfe == 18)
        || address.is_documentation()
        || address.is_multicast()
        // 240.0.0.0/4, with the broadcast address.
        || a >= 240;
    !special
}

const fn is_public_v6(address: Ipv6Addr) -> bool {
    let [s0, s1, s2, s3, s4, s5, s6, s7] = address.segments();
    // What carries an IPv4 address inside is as public as that one: mapped, NAT64 (RFC 6052), 6to4.
    match (s0, s1, s2, s3, s4, s5) {
        (0, 0, 0, 0, 0, 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) => return is_public_v4(v4(s6, s7)),
        (0x2002, high, low, _, _, _) => return is_public_v4(v4(high, low)),
        _ => {}
    }
    // Global unicast is 2000::/3; in it, 2001::/23 is for protocols (Teredo, ORCHID), 2001:db8::/32 and 3fff::/20 for
    // documentation.
    s0 & 0xe000 == 0x2000
        && !(s0 == 0x2001 && s1 < 0x200)
        && !(s0 == 0x2001 && s1 == 0xdb8)
        && !(s0 == 0x3fff && s1 < 0x1000)
}

const fn v4(high: u16, low: u16) -> Ipv4Addr {
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    Ipv4Addr::new(a, b, c, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn localhost_is_loopback_by_its_name() {
        for name in ["localhost", "shop.localhost", "localhost."] {
            assert!(!Reach::Public.allows_host(&Host::Domain(name)), "{name}");
            assert!(Reach::Anywhere.allows_host(&Host::Domain(name)), "{name}");
        }
        assert!(Reach::Public.allows_host(&Host::Domain("shop.example")));
    }
}
