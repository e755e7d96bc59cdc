//! A page of the list apart from its elements: its address, its source, and the meaning of its links.

use url::Url;

use super::RecipeShop;
use super::paging::PageAddress;
use crate::connector::kit::site::SignInShop as _;
use crate::connector::kit::source;

/// A page of the list, apart from its elements.
pub(super) struct Source {
    pub(super) url: Url,
    /// Its number in the list, from 1.
    pub(super) number: u32,
    /// Whether it ends as pages end.
    pub(super) is_whole: bool,
    /// The beginning of the addresses of orders, unless the rows show another.
    pub(super) order_page: String,
    /// The order numbers that follow it anywhere in the source.
    pub(super) mentioned: Vec<String>,
    /// The first page of the list, and how its other pages are addressed.
    pub(super) list: Url,
    pub(super) paging: Option<PageAddress>,
}

impl Source {
    /// `shop`: the shop. The page came from `url`.
    pub(super) fn of(shop: &RecipeShop, url: Url, number: u32, body: &str) -> Self {
        let (mut list, mut order_page) = (shop.orders(), shop.order_page.clone());
        // The shop may lead to its list at another path, which names the language.
        let mut paging = shop.page_address();
        if shop.recipe.list.number_in_address && url.origin() == list.origin() && url.path() != list.path() {
            if let Some(rest) = order_page.strip_prefix(list.path()) {
                order_page = format!("{}{rest}", url.path());
            }
            paging = paging.map(|paging| paging.moved(list.path(), url.path()));
            list.set_path(url.path());
        }
        let mut mentioned = source::mentioned_after(&order_page, body);
        if order_page.contains('&') {
            mentioned.extend(source::mentioned_after(&order_page.replace('&', "&amp;"), body));
        }
        Self { url, number, is_whole: source::is_whole(body), order_page, mentioned, list, paging }
    }

    /// The number of the page of the list that an address leads to.
    pub(super) fn page_of(&self, url: &Url) -> Option<u32> {
        let paging = self.paging.as_ref().filter(|_| url.origin() == self.list.origin())?;
        paging.number_in(url)
    }

    /// What an address of the shop has after the beginning of an order's page; `None`: it is no order's.
    pub(super) fn order_in<'t>(&self, address: &'t str) -> Option<&'t str> {
        address.strip_prefix(&self.order_page).filter(|rest| !rest.is_empty() && !rest.starts_with(['?', '#']))
    }
}
