//! The page of a product: its UPC and its place in the catalogue.

use scraper::{ElementRef, Html};
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
    let mut articles = document.select(selector!(".product_page"));
    let (Some(article), None) = (articles.next(), articles.next()) else {
        return Err(Page::Product.lacks("the one article of a product"));
    };
    let rows: Vec<_> = article.select(selector!("table tr")).collect();
    let label = |row: &ElementRef<'_>| row.select(selector!("th")).next().map(text);
    let mut upcs = rows.iter().filter(|row| label(row).is_some_and(|label| words::is_product_code(&label)));
    let (upc, another) = (upcs.next(), upcs.next());
    // Oscar leaves the code out if there is none: the type is then the first row.
    let is_known = upc.is_some() || rows.first().and_then(label).is_some_and(|label| words::is_product_type(&label));
    if another.is_some() || !is_known {
        return Err(Page::Product.lacks("the table of product information"));
    }
    let upc = upc.and_then(|row| row.select(selector!("td")).next()).map(text).filter(|upc| !upc.is_empty());
    let categories = categories(document)?;
    let is_text = |text: &String| text.chars().count() <= MAX_TEXT && !text.chars().any(char::is_control);
    if !upc.iter().chain(&categories).all(is_text) {
        return Err(Page::Product.unreadable("a text that is too long"));
    }
    let title = article.select(selector!("h1")).next().map(text).filter(|title| title.len() <= MAX_TEXT);
    Ok(Product { upc, categories, title })
}

/// The categories of the breadcrumb, at most three. Their addresses end with their ids; the front page's does not.
fn categories(document: &Html) -> Result<Vec<String>, ConnectorError> {
    let mut breadcrumbs = document.select(selector!("ol.breadcrumb"));
    let (Some(breadcrumb), None) = (breadcrumbs.next(), breadcrumbs.next()) else {
        return Err(Page::Product.lacks("the one breadcrumb"));
    };
    let names = breadcrumb.select(selector!("li.breadcrumb-item a[href]")).filter(|link| {
        let path = link.attr("href").and_then(|href| href.split(['?', '#']).next()).unwrap_or_default();
        let id = path.trim_end_matches('/').rsplit_once('_').map_or("", |(_, id)| id);
        !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())
    });
    Ok(names.map(text).filter(|name| !name.is_empty()).take(3).collect())
}
