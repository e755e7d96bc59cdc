//! Recognizes shops that run on WooCommerce by their pages.

use scraper::Html;
use url::Url;

use super::Recognizer;
use super::marks::{Marks, generators, links};
use crate::connector::kit::text::selector;

pub(super) const RECOGNIZER: Recognizer = Recognizer {
    connector: "woocommerce",
    platform: "WooCommerce",
    sign_in: &["my-account/"],
    shows: "the sign-in form of WooCommerce",
};

/// The oldest version that can be read.
const OLDEST: u32 = 7;
/// The ends of addresses that shops give the page of the account, in the languages that are read.
const ACCOUNT: &[&str] = &[
    "my-account",
    "account",
    "myaccount",
    "mein-konto",
    "konto",
    "mon-compte",
    "compte",
    "mijn-account",
    "mi-cuenta",
    "cuenta",
    "mio-account",
    "il-mio-account",
    "moje-konto",
    "minha-conta",
    "a-minha-conta",
    "conta",
];

pub(super) fn marks(document: &Html, url: &Url) -> Marks {
    let has = |css: &'static scraper::Selector| document.select(css).next().is_some();
    let is_sign_in = has(selector!("form input[name=woocommerce-login-nonce]"))
        && has(selector!("form input[type=password][name=password]"));
    let mut signs = Vec::new();
    let named = generators(document).into_iter().find(|name| name.starts_with("WooCommerce"));
    let of_generator = named.as_deref().and_then(|name| name.split(' ').nth(1)).and_then(version);
    if named.is_some() {
        signs.push("the pages name WooCommerce as their generator".to_owned());
    }
    let assets =
        document.select(selector!("link[href*='/plugins/woocommerce/'], script[src*='/plugins/woocommerce/']"));
    let mut assets = assets.filter_map(|element| element.attr("href").or_else(|| element.attr("src"))).peekable();
    if assets.peek().is_some() {
        signs.push("scripts or styles of WooCommerce".to_owned());
    }
    // Scripts of others that WooCommerce brings carry versions of their own.
    let of_assets = assets.filter(|address| address.contains("/woocommerce")).find_map(|address| {
        version(address.split_once(".css?ver=").or_else(|| address.split_once("/woocommerce.min.js?ver="))?.1)
    });
    let is_account = |link: &Url| {
        let mut segments = link.path().trim_matches('/').rsplit('/');
        segments.next().is_some_and(|last| ACCOUNT.contains(&last))
    };
    let mut sign_in_links: Vec<Url> = links(document, url).filter(is_account).collect();
    sign_in_links.dedup();
    Marks { is_sign_in, signs, version: of_generator.or(of_assets), sign_in_links, ..Marks::default() }
}

/// Digits and points: `9.2.5`.
fn version(text: &str) -> Option<String> {
    let version: String = text.chars().take_while(|sign| sign.is_ascii_digit() || *sign == '.').take(20).collect();
    version.starts_with(|sign: char| sign.is_ascii_digit()).then_some(version)
}

pub(super) fn is_too_old(version: Option<&str>) -> bool {
    let major = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    major.is_some_and(|major| major < OLDEST)
}

/// Where a shop is, and where in it the page of the account is.
pub(super) struct Place {
    pub(super) base: Url,
    pub(super) account_path: String,
}

/// The place of a shop whose sign-in was found, if it was looked for at `start`. Everything below `start` belongs to the shop.
pub(super) fn place(start: &Url, sign_in: &Url) -> Place {
    let path = sign_in.path().trim_matches('/');
    let below = format!("{}/", start.path().trim_matches('/'));
    let (folder, account) = match path.strip_prefix(below.as_str()) {
        Some(account) if start.path() != "/" => (below.as_str(), account),
        // The given address is that of the account itself.
        _ if start.path().trim_matches('/') == path => path.rsplit_once('/').unwrap_or(("", path)),
        _ => ("", path),
    };
    let mut base = sign_in.clone();
    base.set_query(None);
    base.set_fragment(None);
    base.set_path(&format!(
        "/{}",
        if folder.is_empty() { String::new() } else { format!("{}/", folder.trim_matches('/')) }
    ));
    Place { base, account_path: account.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_shop_follows_from_its_sign_in() {
        for (start, sign_in, base, account) in [
            ("https://a.test/", "https://a.test/my-account/", "https://a.test/", "my-account"),
            ("https://a.test/", "https://a.test/shop/konto/", "https://a.test/", "shop/konto"),
            ("https://a.test/shop", "https://a.test/shop/konto/", "https://a.test/shop/", "konto"),
            ("https://a.test/de/mein-konto/", "https://a.test/de/mein-konto/", "https://a.test/de/", "mein-konto"),
            ("https://a.test/my-account", "https://a.test/my-account/", "https://a.test/", "my-account"),
            ("https://a.test/about/", "https://a.test/my-account/", "https://a.test/", "my-account"),
        ] {
            let place = place(&start.parse().unwrap(), &sign_in.parse().unwrap());
            assert_eq!((place.base.as_str(), place.account_path.as_str()), (base, account), "{start} {sign_in}");
        }
    }

    #[test]
    fn versions_before_the_first_that_is_read_are_known() {
        for (version, is_old) in [(Some("6.9.4"), true), (Some("7.0"), false), (Some("10.1"), false), (None, false)] {
            assert_eq!(is_too_old(version), is_old, "{version:?}");
        }
    }
}
