//! The page of a product: its SKU and its place in the catalogue, as a recipe describes them.

use scraper::{ElementRef, Html};
use serde::{Deserialize, Serialize};

use super::cell::only;
use super::format::ProductPage;
use super::value::{Css, Word, is_one_of};
use crate::connector::ConnectorError;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::text::{pieces, selector, text};

/// The longest SKU or name of a category that is kept, in characters.
const MAX_TEXT: usize = 256;
/// Levels of the catalogue that are kept.
const MAX_CATEGORIES: usize = 3;

/// What the page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Product {
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub(super) sku: Option<String>,
    /// From the top of the catalogue down, three levels at most.
    #[serde(rename = "c", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) categories: Vec<String>,
    /// The title at the head of the page.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
}

/// Reads the page of a product.
/// Fails with `retailer_changed` if the page is not as the recipe says.
pub(super) fn read(document: &Html, recipe: &ProductPage) -> Result<Product, ConnectorError> {
    let content = only(document.select(recipe.content.get()))
        .ok_or_else(|| PageKind::Product.lacks("the one part that is about the product"))?;
    let sku = sku(content, recipe)?;
    let categories = categories(document, recipe)?;
    let is_text = |text: &String| text.chars().count() <= MAX_TEXT && !text.chars().any(char::is_control);
    if !sku.iter().chain(&categories).all(is_text) {
        return Err(PageKind::Product.unreadable("a text that is too long"));
    }
    let title = content.select(recipe.title.get()).next().map(text).filter(|title| title.len() <= MAX_TEXT);
    Ok(Product { sku, categories, title })
}

/// The SKU: the cell beside its heading.
fn sku(content: ElementRef<'_>, recipe: &ProductPage) -> Result<Option<String>, ConnectorError> {
    if recipe.sku.is_empty() {
        return Ok(None);
    }
    let rows: Vec<ElementRef<'_>> = content.select(selector!("table tr")).collect();
    let is = |row: &ElementRef<'_>, words: &[Word]| {
        row.select(selector!("th")).next().is_some_and(|heading| is_one_of(words, &text(heading)))
    };
    let mut skus = rows.iter().filter(|row| is(row, &recipe.sku));
    let (row, another) = (skus.next(), skus.next());
    let is_known = row.is_some() || rows.first().is_some_and(|row| is(row, &recipe.without_sku));
    if another.is_some() || !is_known {
        return Err(PageKind::Product.lacks("the one row with the SKU"));
    }
    let sku = row.and_then(|row| row.select(selector!("td")).next()).map(single).transpose()?.flatten();
    // Words in place of a code, or beside one: "not available", "5012345678900 (EAN)".
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '.' | '/' | '_');
    let is_code = |sku: &str| sku.contains(|sign: char| sign.is_ascii_digit()) && sku.chars().all(is_part);
    if sku.as_ref().is_some_and(|sku| sku.contains(' ') && !is_code(sku) || is_cut(sku)) {
        return Err(PageKind::Product.unreadable("a code"));
    }
    Ok(sku)
}

/// The categories of the breadcrumb, at most three.
fn categories(document: &Html, recipe: &ProductPage) -> Result<Vec<String>, ConnectorError> {
    let breadcrumb =
        only(document.select(recipe.breadcrumb.get())).ok_or_else(|| PageKind::Product.lacks("the one breadcrumb"))?;
    if breadcrumb.select(selector!("li")).any(|item| is_cut(&text(item))) {
        return Err(PageKind::Product.unreadable("a breadcrumb that is cut"));
    }
    let is_category = |link: &ElementRef<'_>| {
        let path = link.attr("href").and_then(|href| href.split(['?', '#']).next()).unwrap_or_default();
        recipe.category_path.as_ref().is_none_or(|pattern| pattern.fits(path))
    };
    let links = |css: &Css| breadcrumb.select(css.get()).filter(is_category).collect::<Vec<_>>();
    let links = recipe.categories.iter().map(links).find(|links| !links.is_empty()).unwrap_or_default();
    let names = links.into_iter().take(MAX_CATEGORIES);
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
/// Fails if there are several: a label, a button or an old value is among them.
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
