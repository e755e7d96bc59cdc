//! What a page shows of a platform.

use scraper::{ElementRef, Html};
use url::Url;

use crate::connector::kit::text::{selector, text};

/// The longest name or version that is taken from a page, in characters.
const MAX_NAME: usize = 80;

/// What a page shows of one platform.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// The page is the platform's sign-in.
    pub(super) is_sign_in: bool,
    /// The page is a sign-in that the platform shares with others.
    pub(super) is_shared_sign_in: bool,
    /// Other signs of the platform, in words.
    pub(super) signs: Vec<String>,
    pub(super) version: Option<String>,
    /// Links of the page that may lead to the sign-in, on its own origin.
    pub(super) sign_in_links: Vec<Url>,
}

impl Marks {
    /// Whether the page says that it is one of this platform's.
    pub(super) const fn is_named(&self) -> bool {
        self.is_sign_in || !self.signs.is_empty()
    }
}

/// What the page says that it was made with: `WooCommerce 9.2.5`.
pub(super) fn generators(document: &Html) -> Vec<String> {
    let metas = document.select(selector!("meta[name=generator][content]"));
    metas.filter_map(|meta| short(meta.attr("content")?)).collect()
}

/// The name that the page gives the shop.
pub(super) fn name(document: &Html) -> Option<String> {
    let of_meta = |meta: ElementRef<'_>| short(meta.attr("content")?);
    let metas = selector!("meta[property='og:site_name'][content], meta[name='application-name'][content]");
    let home = selector!(".wp-block-site-title, .site-title, a[rel=home], .navbar-brand");
    let shown = || document.select(home).find_map(|element| short(&text(element)));
    document.select(metas).find_map(of_meta).or_else(shown)
}

/// The addresses on the page's own origin that its links lead to.
pub(super) fn links<'a>(document: &'a Html, url: &'a Url) -> impl Iterator<Item = Url> + 'a {
    let links = document.select(selector!("a[href]")).filter_map(|link| url.join(link.attr("href")?).ok());
    links.filter(|link| link.origin() == url.origin()).map(|mut link| {
        link.set_query(None);
        link.set_fragment(None);
        link
    })
}

/// A text in one line, if it is not empty; a page may give any.
pub(super) fn short(text: &str) -> Option<String> {
    let clean = text.replace(char::is_control, " ");
    let words: Vec<&str> = clean.split_whitespace().collect();
    let text: String = words.join(" ").chars().take(MAX_NAME).collect();
    (!text.is_empty()).then_some(text)
}
