//! The page of a product: its UPC and its place in the catalogue.

use scraper::Html;
use serde::{Deserialize, Serialize};

use super::html::{Page, selector, text};
use crate::connector::ConnectorError;

/// What the page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Product {
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub(super) upc: Option<String>,
    /// From the top of the catalogue down, three levels at most.
    #[serde(rename = "c", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) categories: Vec<String>,
}

/// Oscar's words for UPC, in the languages that are read.
const UPC_LABELS: [&str; 2] = ["UPC", "Product code"];

/// Reads the page of a product.
///
/// # Errors
/// `retailer_changed` where the page is not as it was.
pub(super) fn read(body: &str) -> Result<Product, ConnectorError> {
    let document = Html::parse_document(body);
    let rows: Vec<_> = document.select(selector!(".product_page table tr")).collect();
    if rows.is_empty() {
        return Err(Page::Product.lacks("the table of product information"));
    }
    let upc = rows.iter().find_map(|row| {
        let label = text(row.select(selector!("th")).next()?);
        UPC_LABELS.contains(&label.as_str()).then(|| row.select(selector!("td")).next().map(text))?
    });
    // The first link is the shop's own front page; the product itself, at the end, is none.
    let categories = document
        .select(selector!("ol.breadcrumb li.breadcrumb-item a"))
        .skip(1)
        .take(3)
        .map(text)
        .filter(|name| !name.is_empty())
        .collect();
    Ok(Product { upc: upc.filter(|upc| !upc.is_empty()), categories })
}
