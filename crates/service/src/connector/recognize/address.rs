//! The address of a shop as a person types it.

use ordersync_api::look::{CLEAR_TEXT, PRIVATE_NETWORK};
use url::Url;

use crate::connector::egress::{BadAddress, EgressPolicy};

/// The longest address, in bytes.
const MAX_BYTES: usize = 2048;

/// An address that may be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShopAddress {
    pub(super) url: Url,
    pub(super) allow_private_network: bool,
}

/// Why an address is not looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadShopAddress {
    /// It is none.
    #[error("This is not a web address.")]
    Unreadable,
    /// Not a plain one.
    #[error("The address of a shop has to be plain: https, without a user name.")]
    NotPlain,
    /// An address of a private network, which is not allowed.
    #[error("This address is on a private network or on this machine.")]
    Private,
    /// http, although it is not on a private network.
    #[error("This address is http on the public internet, where a password could be read by others.")]
    ClearText,
}

impl BadShopAddress {
    /// The reason for a program, if there is something to do about it.
    pub const fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Unreadable | Self::NotPlain => None,
            Self::Private => Some(PRIVATE_NETWORK),
            Self::ClearText => Some(CLEAR_TEXT),
        }
    }
}

impl ShopAddress {
    /// Reads an address; without a scheme it is https. Its query and fragment are left out. Plain http to the public internet
    /// becomes https: nothing is sent in clear text.
    pub(super) fn parse(text: &str, allow_private_network: bool) -> Result<Self, BadShopAddress> {
        let text = text.trim();
        if text.is_empty() || text.len() > MAX_BYTES {
            return Err(BadShopAddress::Unreadable);
        }
        let text = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let mut url = Url::parse(&text).map_err(|_| BadShopAddress::Unreadable)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(BadShopAddress::NotPlain);
        }
        url.set_query(None);
        url.set_fragment(None);
        match policy(&url, allow_private_network).check() {
            Err(BadAddress::ClearText) if !allow_private_network => {
                url.set_scheme("https").map_err(|()| BadShopAddress::NotPlain)?;
                policy(&url, allow_private_network).check()?;
            }
            checked => checked?,
        }
        Ok(Self { url, allow_private_network })
    }

    /// The address that a redirect leads to, if it is the same shop's: https in place of http, or the same name with or
    /// without `www.`.
    pub(super) fn moved_to(&self, target: &Url) -> Option<Self> {
        let name = |url: &Url| url.host_str().map(|host| host.strip_prefix("www.").unwrap_or(host).to_owned());
        let is_same_name = name(&self.url)? == name(target)?;
        let is_no_address = matches!(target.host(), Some(url::Host::Domain(_))) || self.url.host() == target.host();
        let is_same_port = self.url.port() == target.port() || self.url.scheme() != target.scheme();
        let is_upgrade = self.url.scheme() == target.scheme() || target.scheme() == "https";
        if !is_same_name || !is_no_address || !is_same_port || !is_upgrade {
            return None;
        }
        let mut url = target.clone();
        url.set_query(None);
        url.set_fragment(None);
        policy(&url, self.allow_private_network).check().ok()?;
        Some(Self { url, ..*self })
    }

    pub(super) fn policy(&self) -> EgressPolicy {
        policy(&self.url, self.allow_private_network)
    }
}

impl From<BadAddress> for BadShopAddress {
    fn from(error: BadAddress) -> Self {
        match error {
            BadAddress::Scheme | BadAddress::NotPlain => Self::NotPlain,
            BadAddress::ClearText => Self::ClearText,
            BadAddress::Private => Self::Private,
        }
    }
}

fn policy(url: &Url, allow_private_network: bool) -> EgressPolicy {
    EgressPolicy { allow_private_network, ..EgressPolicy::new(url.clone()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, private: bool) -> Result<String, BadShopAddress> {
        ShopAddress::parse(text, private).map(|address| address.url.to_string())
    }

    #[test]
    fn an_address_is_read_as_it_is_typed_and_nothing_is_sent_in_clear_text() {
        for (text, private, expected) in [
            ("shop.example", false, Ok("https://shop.example/")),
            (" shop.example:8443/fr ", false, Ok("https://shop.example:8443/fr")),
            ("https://shop.example/a?utm=1#top", false, Ok("https://shop.example/a")),
            ("http://shop.example", false, Ok("https://shop.example/")),
            ("http://127.0.0.1:81", true, Ok("http://127.0.0.1:81/")),
            ("127.0.0.1:81", true, Ok("https://127.0.0.1:81/")),
            ("http://127.0.0.1:81", false, Err(BadShopAddress::Private)),
            ("http://[::1]/", false, Err(BadShopAddress::Private)),
            ("http://2130706433/", false, Err(BadShopAddress::Private)),
            ("http://0x7f.1/", false, Err(BadShopAddress::Private)),
            ("169.254.169.254", false, Err(BadShopAddress::Private)),
            ("localhost:8000", false, Err(BadShopAddress::Private)),
            ("http://1.1.1.1", true, Err(BadShopAddress::ClearText)),
            ("ftp://shop.example", false, Err(BadShopAddress::NotPlain)),
            ("file:///etc/passwd", false, Err(BadShopAddress::NotPlain)),
            ("https://me:secret@shop.example", false, Err(BadShopAddress::NotPlain)),
            ("", false, Err(BadShopAddress::Unreadable)),
            ("https://", false, Err(BadShopAddress::Unreadable)),
            ("two words", false, Err(BadShopAddress::Unreadable)),
        ] {
            assert_eq!(parse(text, private), expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn a_redirect_is_the_same_shop_only_with_https_or_www() {
        let from = ShopAddress::parse("https://shop.example", false).unwrap();
        for (target, is_same) in [
            ("https://www.shop.example/", true),
            ("https://shop.example/", true),
            ("https://shop.example:8443/", false),
            ("http://shop.example/", false),
            ("https://shop.example.attacker.test/", false),
            ("https://other.example/", false),
            ("https://shop.www.example/", false),
            ("http://169.254.169.254/latest/", false),
        ] {
            assert_eq!(from.moved_to(&target.parse().unwrap()).is_some(), is_same, "{target}");
        }
        let private = ShopAddress::parse("http://127.0.0.1:81", true).unwrap();
        assert!(private.moved_to(&"https://127.0.0.1/".parse().unwrap()).is_some());
        for target in ["http://127.0.0.1:82/", "http://127.0.0.2:81/", "http://169.254.169.254/"] {
            assert_eq!(private.moved_to(&target.parse().unwrap()), None, "{target}");
        }
    }
}
