//! The products of orders: their pages, and what is remembered of them in a scan.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::RecipeShop;
use super::format::ProductPage;
use super::product_page::{self, Product};
use crate::connector::ConnectorError;
use crate::connector::kit::breaker::Breaker;
use crate::connector::kit::check::Unread;
use crate::connector::kit::checked_order::ProductFacts;
use crate::connector::kit::order_proof::ProvenOrder;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::site::Fetched;
use crate::connector::kit::source;
use crate::connector::kit::turn::Turn;

/// Products that are remembered within a sync; one that is shown again after so many others is fetched again.
pub(super) const MAX_PRODUCTS: usize = 800;

/// The products that were fetched in this sync.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Products {
    /// By the path of their pages; the oldest make room.
    seen: VecDeque<(String, Seen)>,
    /// Pages in a row that could not be read.
    broken: Breaker,
}

/// The outcome of reading a product's page.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Seen {
    Read(Product),
    /// It has no page.
    Gone,
    /// Its page could not be read this time.
    Broken,
}

impl Products {
    fn get(&self, path: &str) -> Option<&Seen> {
        self.seen.iter().find(|(known, _)| known == path).map(|(_, product)| product)
    }

    pub(super) fn insert(&mut self, path: String, product: Seen) {
        self.broken.count(product == Seen::Broken);
        if self.seen.len() >= MAX_PRODUCTS {
            self.seen.pop_front();
        }
        self.seen.push_back((path, product));
    }

    /// What is known of the product at this path.
    pub(super) fn facts(&self, path: Option<&str>) -> ProductFacts<'_> {
        match path.and_then(|path| self.get(path)) {
            None => ProductFacts::Unlinked,
            Some(Seen::Read(Product { sku, categories, title })) => {
                ProductFacts::Read { title: title.as_deref(), sku: sku.as_deref(), categories }
            }
            Some(Seen::Gone) => ProductFacts::Gone,
            Some(Seen::Broken) => ProductFacts::Broken,
        }
    }
}

impl RecipeShop {
    /// Reads the pages of an order's products that were not read before. `None`: the sign-in has ended.
    pub(super) async fn read_pages(
        &self,
        turn: &mut Turn<'_, '_>,
        products: &mut Products,
        order: &ProvenOrder,
        recipe: &ProductPage,
    ) -> Result<Option<()>, ConnectorError> {
        for path in order.lines().iter().filter_map(|line| line.product()) {
            if products.get(path).is_none() {
                let Some(seen) = self.read_page(turn, path, products.broken, recipe).await? else { return Ok(None) };
                products.insert(path.to_owned(), seen);
            }
        }
        Ok(Some(()))
    }

    /// Reads the page of a product. What is wrong with it costs its own data only. `None`: the sign-in has ended.
    async fn read_page(
        &self,
        turn: &mut Turn<'_, '_>,
        path: &str,
        broken: Breaker,
        recipe: &ProductPage,
    ) -> Result<Option<Seen>, ConnectorError> {
        if !broken.asks(path, turn.context.now) {
            return Ok(Some(Seen::Broken));
        }
        let seen = match self.fetch_page(turn, path, recipe).await {
            Ok(Some(Ok(product))) => Seen::Read(product),
            Ok(Some(Err(seen))) => seen,
            // This customer may not see it, if the sign-in was just renewed.
            Ok(None) if turn.renewals.is_idle() => Seen::Broken,
            Ok(None) => return Ok(None),
            Err(error) if broken.ends_step(&error, turn.context.attempt) => return Err(error),
            Err(_) => Seen::Broken,
        };
        turn.read_on();
        Ok(Some(seen))
    }

    async fn fetch_page(
        &self,
        turn: &mut Turn<'_, '_>,
        path: &str,
        recipe: &ProductPage,
    ) -> Result<Option<Result<Product, Seen>>, ConnectorError> {
        let url = self.site.orders.join(path).map_err(|_| PageKind::Product.unreadable("an address"))?;
        let response = match self.site.fetch(turn, &url, PageKind::Product).await? {
            Fetched::Page(response) => response,
            Fetched::Missing => return Ok(Some(Err(Seen::Gone))),
            Fetched::SignedOut => return Ok(None),
        };
        if !source::is_whole(&response.body) {
            return Ok(Some(Err(Seen::Broken)));
        }
        let (recipe, pages) = (recipe.clone(), Arc::clone(&self.site.pages));
        let read = self.site.egress.pages.read(response.body, move |document| {
            Ok(product_page::read(document, &recipe).map_err(|_| pages.instead(document)))
        });
        match read.await? {
            Ok(product) => Ok(Some(Ok(product))),
            Err(Unread::SignedOut) => Ok(None),
            Err(_) => Ok(Some(Err(Seen::Broken))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_products_that_were_read_longest_ago_make_room() {
        let mut products = Products::default();
        for number in 0..MAX_PRODUCTS + 2 {
            products.insert(format!("/{number:04}"), Seen::Gone);
        }
        assert_eq!(products.seen.len(), MAX_PRODUCTS);
        assert!(products.get("/0001").is_none() && products.get("/0002").is_some());
    }
}
