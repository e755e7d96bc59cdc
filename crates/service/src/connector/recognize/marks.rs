//! What a page says of itself.

use scraper::{ElementRef, Html};

use crate::connector::kit::text::{selector, text};

/// The longest name or version that is taken from a page, in characters.
const MAX_NAME: usize = 80;

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

/// A text in one line, if it is not empty; a page may give any.
pub(super) fn short(text: &str) -> Option<String> {
    let clean = text.replace(char::is_control, " ");
    let words: Vec<&str> = clean.split_whitespace().collect();
    let text: String = words.join(" ").chars().take(MAX_NAME).collect();
    (!text.is_empty()).then_some(text)
}
