//! The page of a product: its UPC and its place in the catalogue.

use scraper::Html;
use serde::{Deserialize, Serialize};

use super::html::{Page, selector, text};
use super::words;
use crate::connector::ConnectorError;

/// The longest UPC or name of a category that is kept, in characters.
const MAX_TEXT: usize = 256;

/// What the page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Product {
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub(super) upc: Option<String>,
    /// From the top of the catalogue down, three levels at most.
    #[serde(rename = "c", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) categories: Vec<String>,
    /// The title at the head of the page.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
}

/// Reads the page of a product.
///
/// # Errors
/// `retailer_changed` if the page is not as it was.
pub(super) fn read(document: &Html) -> Result<Product, ConnectorError> {
    let rows: Vec<_> = document.select(selector!(".product_page table tr")).collect();
    if rows.is_empty() {
        return Err(Page::Product.lacks("the table of product information"));
    }
    let mut upcs = rows.iter().filter_map(|row| {
        let label = text(row.select(selector!("th")).next()?);
        words::is_product_code(&label).then(|| row.select(selector!("td")).next().map(text))?
    });
    let upc = upcs.next().filter(|upc| !upc.is_empty());
    if upcs.next().is_some() {
        return Err(Page::Product.unreadable("several product codes"));
    }
    // The first link is the shop's own front page; the product itself, at the end, is none.
    let categories: Vec<String> = document
        .select(selector!("ol.breadcrumb li.breadcrumb-item a"))
        .skip(1)
        .take(3)
        .map(text)
        .filter(|name| !name.is_empty())
        .collect();
    let is_text = |text: &String| text.chars().count() <= MAX_TEXT && !text.chars().any(char::is_control);
    if !upc.iter().chain(&categories).all(is_text) {
        return Err(Page::Product.unreadable("a text that is too long"));
    }
    let title = document.select(selector!(".product_page h1")).next().map(text).filter(|title| title.len() <= MAX_TEXT);
    Ok(Product { upc, categories, title })
}
