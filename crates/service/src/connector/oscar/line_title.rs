//! The title of a line: the text of the link to its product, or the only text of its cell.

use scraper::ElementRef;
use scraper::node::Node;
use url::Url;

use crate::connector::kit::check::{Check, Failure};
use crate::connector::kit::figures::Title;
use crate::connector::kit::text::{collapsed, selector};
use crate::connector::kit::title;

/// Reads the cell of the row that names the product. The page came from `page`.
///
/// # Errors
/// If it is not certain which of the cell's texts is the title, or if the title is cut.
pub(super) fn read(cell: ElementRef<'_>, row: ElementRef<'_>, page: &Url) -> Result<Title, Failure> {
    let mut products: Vec<String> = row
        .select(selector!("a[href]"))
        .filter_map(|link| page.join(link.attr("href")?).ok())
        .filter(|url| url.origin() == page.origin() && is_product(url.path()))
        .map(|url| url.path().to_owned())
        .collect();
    products.sort_unstable();
    products.dedup();
    if products.len() > 1 {
        return Err(failed("a line links to several products."));
    }
    let all = texts(cell, cell);
    let mut links: Vec<(String, Vec<String>)> = cell
        .select(selector!("a[href]"))
        .filter(|link| !is_aside(*link, cell))
        .filter_map(|link| {
            let url = page.join(link.attr("href")?).ok()?;
            let texts = texts(link, cell);
            let is_own = url.origin() == page.origin() && !texts.is_empty();
            (is_own && (is_product(url.path()) || texts == all)).then(|| (url.path().to_owned(), texts))
        })
        .collect();
    links.dedup();
    let is_linked = !links.is_empty();
    let (texts, product) = match links.pop() {
        Some((path, texts)) if links.is_empty() => (texts, Some(path)),
        Some(_) => return Err(unclear()),
        // The link may be on a picture, or in another column: the text may then be another one than the title.
        None => (all.clone(), products.pop()),
    };
    let [text] = texts.as_slice() else { return Err(unclear()) };
    title::check(cell, text)?;
    if text.trim_end_matches([']', ')']).ends_with('…') || text.ends_with("...") {
        return Err(failed("the title of a line is cut."));
    }
    let is_name = text.chars().any(char::is_alphabetic) && !text.contains('…') && !text.ends_with("..");
    let is_doubtful = all.len() > 1 || !is_name || product.is_some() && !is_linked;
    Ok(Title { text: text.clone(), product, is_doubtful, others: Vec::new(), is_cut: false })
}

/// Whether a path is that of a product's page: Oscar's end with the product's name and id.
fn is_product(path: &str) -> bool {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let id = last.rsplit_once('_').map_or("", |(_, id)| id);
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) && !path.contains("/category/")
}

fn failed(found: &str) -> Failure {
    Failure::new(Check::Lines, found)
}

fn unclear() -> Failure {
    failed("it is not clear which text is the title of a line.")
}

/// The texts below an element of the cell, each without the white space around it.
fn texts(element: ElementRef<'_>, cell: ElementRef<'_>) -> Vec<String> {
    element
        .descendants()
        .filter_map(|node| match node.value() {
            Node::Text(text) => Some((node, text.trim())),
            _ => None,
        })
        .filter(|(node, text)| {
            !text.is_empty() && node.parent().and_then(ElementRef::wrap).is_none_or(|parent| !is_aside(parent, cell))
        })
        .map(|(_, text)| collapsed(text))
        .filter(|text| !text.is_empty())
        .collect()
}

/// Whether an element is a button, a form or a table in the cell, or is in one.
fn is_aside(element: ElementRef<'_>, cell: ElementRef<'_>) -> bool {
    std::iter::once(element)
        .chain(element.ancestors().filter_map(ElementRef::wrap))
        .take_while(|above| *above != cell)
        .any(|above| {
            matches!(above.value().name(), "table" | "form" | "button" | "script" | "style" | "template" | "select")
                || above.value().classes().any(|class| class == "btn")
        })
}
