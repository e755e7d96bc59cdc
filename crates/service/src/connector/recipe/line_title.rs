//! The name of a line's product: the text of the link to it, or the only text of its cell. If the cell has further texts, the
//! shop's own record or the page of the product has to name one of them.

use scraper::ElementRef;
use url::Url;

use super::cell::{Cell, Row, lines_failed as failed, only};
use super::format::{Order, ProductPage, Recipe};
use super::value::is_one_of;
use crate::connector::kit::check::Unread;
use crate::connector::kit::figures::Title;
use crate::connector::kit::text::{collapsed, selector, text};
use crate::connector::kit::{quantity, title};

/// Texts of a cell that may be the title.
const MAX_TITLES: usize = 8;

/// Reads the title of a line on the page that came from `page`. `quantity`: may be in the same cell.
pub(super) fn read<'a>(
    (row, cell): (&Row<'a, '_>, Cell<'a>),
    quantity: Option<ElementRef<'a>>,
    recipe: &Recipe,
    page: &Url,
) -> Result<Title, Unread> {
    let order = &recipe.order;
    let reader = Reader { cell: cell.element, quantity, order };
    let path_of = |link: ElementRef<'_>| recipe.product_page.as_ref()?.path_of(link, page);
    let own_link = cell.link().filter(|link| *link == cell.element);
    let below = cell.element.select(selector!("a[href]"));
    let below = below.filter(|link| !reader.is_aside(*link) && !text(*link).is_empty());
    let mut links: Vec<ElementRef<'a>> = own_link.into_iter().chain(below).collect();
    let all = reader.texts(&|element| !reader.is_aside(element));
    if recipe.product_page.is_some() {
        // Other links may lead to reviews.
        links.retain(|link| path_of(*link).is_some() || all == [text(*link)]);
    }
    let is_own = |element: ElementRef<'_>| element == cell.element;
    let text_of = match links.as_slice() {
        _ if order.title_joined => Some(all.join(" ")),
        [link] if recipe.product_page.is_some() => Some(text(*link)),
        [link] => (own_link.is_some() || reader.texts(&is_own).is_empty()).then(|| text(*link)),
        // Part of a name may be emphasized, which makes an element of it.
        [] => {
            only(reader.texts(&|element| reader.is_inline(element)).into_iter()).or_else(|| only(all.iter().cloned()))
        }
        _ => None,
    };
    let mut is_doubtful = text_of.is_none();
    let own = || reader.texts(&is_own).into_iter().chain([all.join(" ")]);
    let mut names =
        text_of.map_or_else(|| links.iter().map(|link| text(*link)).chain(own()).collect(), |text| vec![text]);
    names.dedup();
    names.truncate(MAX_TITLES);
    if names.iter().all(String::is_empty) || is_doubtful && !order.has_record() {
        return Err(failed(if is_doubtful { "a line does not have one name." } else { "a line has no name." }));
    }
    let (first, others) = (names.remove(0), names);
    title::check(cell.element, &first)?;
    let product = match &recipe.product_page {
        None => links.first().and_then(|link| link.attr("href")).map(str::to_owned),
        Some(_) => {
            if is_cut(first.trim_end_matches([']', ')'])) {
                return Err(failed("the title of a line is cut."));
            }
            let product = product_of(row, path_of)?;
            let is_linked = links.iter().any(|link| path_of(*link).is_some());
            // The link may be on a picture, or in another column: the text may then be another one than the title.
            is_doubtful |= all.len() > 1 || !is_name(&first) || product.is_some() && !is_linked;
            product
        }
    };
    is_doubtful |= row.headings().any(|heading| is_one_of(&order.other_titles, heading));
    let is_cut = is_cut(&first);
    Ok(Title { text: first, product, is_doubtful, others, is_cut })
}

/// The path of the one product to which a line links.
fn product_of(row: &Row<'_, '_>, path_of: impl Fn(ElementRef<'_>) -> Option<String>) -> Result<Option<String>, Unread> {
    let mut products: Vec<String> = row.element.select(selector!("a[href]")).filter_map(path_of).collect();
    products.sort_unstable();
    products.dedup();
    if products.len() > 1 {
        return Err(failed("a line links to several products."));
    }
    Ok(products.pop())
}

fn is_cut(text: &str) -> bool {
    ["…", "..."].iter().any(|end| text.ends_with(end))
}

/// Whether a text may be a whole name.
fn is_name(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) && !text.contains('…') && !text.ends_with("..")
}

impl ProductPage {
    /// The path of the product's page to which a link leads.
    fn path_of(&self, link: ElementRef<'_>, page: &Url) -> Option<String> {
        let url = page.join(link.attr("href").filter(|_| self.link.is(link))?).ok()?;
        let is_product = self.path.as_ref().is_none_or(|path| path.fits(url.path()));
        (is_product && url.origin() == page.origin()).then(|| url.path().to_owned())
    }
}

struct Reader<'a, 'r> {
    cell: ElementRef<'a>,
    quantity: Option<ElementRef<'a>>,
    order: &'r Order,
}

impl<'a> Reader<'a, '_> {
    /// The texts of the cell in elements that are meant.
    fn texts(&self, is: &dyn Fn(ElementRef<'a>) -> bool) -> Vec<String> {
        let is_quantity = |text: &str| self.quantity == Some(self.cell) && quantity::is_marked(text);
        let nodes = self.cell.descendants().filter_map(|node| Some((node.value().as_text()?.trim(), node)));
        let shown = nodes.filter(|(text, node)| {
            !text.is_empty() && !is_quantity(text) && node.parent().and_then(ElementRef::wrap).is_some_and(is)
        });
        shown.map(|(text, _)| collapsed(text)).filter(|text| !text.is_empty()).collect()
    }

    fn is_aside(&self, element: ElementRef<'_>) -> bool {
        let mut within = std::iter::once(element)
            .chain(element.ancestors().filter_map(ElementRef::wrap))
            .take_while(|above| *above != self.cell);
        self.order.title_aside.as_ref().is_some_and(|aside| within.any(|above| aside.is(above)))
            || self.quantity.is_some_and(|quantity| is_within(element, quantity) && quantity != self.cell)
    }

    /// Whether an element is the cell, or marks a part of its text.
    fn is_inline(&self, element: ElementRef<'_>) -> bool {
        let within = std::iter::once(element).chain(element.ancestors().filter_map(ElementRef::wrap));
        within.take_while(|above| *above != self.cell).all(is_inline) && !self.is_aside(element)
    }
}

/// Whether an element is another, or in it.
fn is_within(element: ElementRef<'_>, other: ElementRef<'_>) -> bool {
    element == other || element.ancestors().any(|above| above.id() == other.id())
}

/// Whether an element marks a part of a text (HTML, section 4.5).
fn is_inline(element: ElementRef<'_>) -> bool {
    matches!(
        element.value().name(),
        "abbr"
            | "b"
            | "bdi"
            | "cite"
            | "code"
            | "del"
            | "em"
            | "font"
            | "i"
            | "ins"
            | "mark"
            | "q"
            | "s"
            | "small"
            | "span"
            | "strong"
            | "sub"
            | "sup"
            | "u"
    )
}
