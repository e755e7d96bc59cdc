//! The network that a request comes from, for limits: one machine may have a whole /64 of IPv6 addresses, so a /64
//! counts as one address.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An IPv4 address, or the first half of an IPv6 address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Network {
    V4(Ipv4Addr),
    /// The first half of an IPv6 address.
    V6([u16; 4]),
}

impl Network {
    pub(crate) fn of(address: IpAddr) -> Self {
        // An IPv4 client of a listener on [::] has a mapped address (RFC 4291 §2.5.5.2): all of those share a /64.
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Self::V6([a, b, c, d])
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V4(address) => address.fmt(f),
            Self::V6([a, b, c, d]) => write!(f, "{}/64", Ipv6Addr::new(*a, *b, *c, *d, 0, 0, 0, 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_64_is_one_network_and_a_mapped_address_is_the_ipv4_address() {
        let network = |text: &str| Network::of(text.parse().unwrap()).to_string();
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert_eq!(network("2001:db8:1:2::9"), network("2001:db8:1:2:ffff::"));
        assert_ne!(network("2001:db8:1:2::9"), network("2001:db8:1:3::9"));
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
