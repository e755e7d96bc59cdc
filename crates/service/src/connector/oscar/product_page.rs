//! The page of a product: its UPC and its place in the catalogue.

use scraper::{ElementRef, Html};
use serde::{Deserialize, Serialize};

use super::words;
use crate::connector::ConnectorError;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::text::{pieces, selector, text};

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
        return Err(PageKind::Product.lacks("the one article of a product"));
    };
    let rows: Vec<_> = article.select(selector!("table tr")).collect();
    let label = |row: &ElementRef<'_>| row.select(selector!("th")).next().map(text);
    let mut upcs = rows.iter().filter(|row| label(row).is_some_and(|label| words::is_product_code(&label)));
    let (upc, another) = (upcs.next(), upcs.next());
    // Oscar leaves the code out if there is none: the type is then the first row.
    let is_known = upc.is_some() || rows.first().and_then(label).is_some_and(|label| words::is_product_type(&label));
    if another.is_some() || !is_known {
        return Err(PageKind::Product.lacks("the table of product information"));
    }
    let upc = upc.and_then(|row| row.select(selector!("td")).next()).map(single).transpose()?.flatten();
    // Words in place of a code, or beside one: "not available", "5012345678900 (EAN)".
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '.' | '/' | '_');
    let is_code = |upc: &str| upc.contains(|sign: char| sign.is_ascii_digit()) && upc.chars().all(is_part);
    if upc.as_ref().is_some_and(|upc| upc.contains(' ') && !is_code(upc) || is_cut(upc)) {
        return Err(PageKind::Product.unreadable("a code"));
    }
    let categories = categories(document)?;
    let is_text = |text: &String| text.chars().count() <= MAX_TEXT && !text.chars().any(char::is_control);
    if !upc.iter().chain(&categories).all(is_text) {
        return Err(PageKind::Product.unreadable("a text that is too long"));
    }
    let title = article.select(selector!("h1")).next().map(text).filter(|title| title.len() <= MAX_TEXT);
    Ok(Product { upc, categories, title })
}

/// The categories of the breadcrumb, at most three. Their addresses end with their ids; the front page's does not.
fn categories(document: &Html) -> Result<Vec<String>, ConnectorError> {
    let mut breadcrumbs = document.select(selector!("ol.breadcrumb"));
    let (Some(breadcrumb), None) = (breadcrumbs.next(), breadcrumbs.next()) else {
        return Err(PageKind::Product.lacks("the one breadcrumb"));
    };
    if breadcrumb.select(selector!("li")).any(|item| is_cut(&text(item))) {
        return Err(PageKind::Product.unreadable("a breadcrumb that is cut"));
    }
    let path = |link: ElementRef<'_>| {
        link.attr("href").and_then(|href| href.split(['?', '#']).next()).unwrap_or_default().to_owned()
    };
    let links: Vec<ElementRef<'_>> = breadcrumb
        .select(selector!("li.breadcrumb-item a[href]"))
        .filter(|link| {
            let path = path(*link);
            let id = path.trim_end_matches('/').rsplit_once('_').map_or("", |(_, id)| id);
            !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())
        })
        .collect();
    // Brands and the like have addresses of the same form.
    let is_category = |link: &ElementRef<'_>| path(*link).contains("/category/");
    let has_categories = links.iter().any(is_category);
    let names = links.into_iter().filter(|link| !has_categories || is_category(link)).take(3);
    let names: Vec<String> = names.filter_map(|name| single(name).transpose()).collect::<Result<_, _>>()?;
    let is_counted = |name: &String| {
        name.ends_with(')')
            && name.rsplit('(').next().is_some_and(|end| end.trim_end_matches(')').parse::<u32>().is_ok())
    };
    if names.iter().any(is_counted) {
        return Err(PageKind::Product.unreadable("a category"));
    }
    Ok(names)
}

/// The one text of an element; `None` if it is empty.
///
/// # Errors
/// If there are several: a label, a button or an old value is among them.
fn single(element: ElementRef<'_>) -> Result<Option<String>, ConnectorError> {
    match pieces(element) {
        0 => Ok(None),
        1 => Ok(Some(text(element))),
        _ => Err(PageKind::Product.unreadable("a text that is put together of several")),
    }
}

fn is_cut(text: &str) -> bool {
    text.ends_with('…') || text.ends_with("...")
}
