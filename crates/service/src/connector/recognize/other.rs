//! What a page is that is no shop which can be read: for an answer that helps, and for nothing else.

use scraper::Html;

use super::marks::generators;
use crate::connector::kit::text::selector;

/// Platforms without a connector, by what their pages contain.
const PLATFORMS: &[(&str, &[&str])] = &[
    ("Shopify", &["cdn.shopify.com", "Shopify.theme"]),
    ("Magento", &["Magento_", "/static/version", "mage/cookies"]),
    ("OpenCart", &["route=common/home", "route=account/login", "catalog/view/"]),
    ("PrestaShop", &["prestashop"]),
    ("Shopware", &["shopware"]),
    ("BigCommerce", &["cdn11.bigcommerce.com", "bigcommerce.com/s-"]),
    ("Squarespace", &["static1.squarespace.com"]),
    ("Wix", &["static.wixstatic.com"]),
];

/// The name of a platform that cannot be read.
pub(super) fn platform(document: &Html, source: &str) -> Option<&'static str> {
    let generators = generators(document);
    let is_named = |name: &str| generators.iter().any(|made| made.to_lowercase().starts_with(&name.to_lowercase()));
    let found = PLATFORMS.iter().find(|(name, texts)| is_named(name) || texts.iter().any(|text| source.contains(text)));
    found.map(|(name, _)| *name).or_else(|| is_named("WordPress").then_some("WordPress without WooCommerce"))
}

/// Whether the page has what pages of shops have: a basket, or products for search engines.
pub(super) fn looks_like_shop(document: &Html) -> bool {
    let basket = selector!(
        "a[href*=cart], a[href*=basket], a[href*=warenkorb], a[href*=panier], a[href*=carrito], a[href*=carrello], \
         a[href*=winkelwagen], a[href*=koszyk], a[href*=carrinho], a[href*=checkout], [itemtype*='schema.org/Product'], \
         meta[property='og:type'][content=product], form[action*=cart]"
    );
    document.select(basket).next().is_some()
}
