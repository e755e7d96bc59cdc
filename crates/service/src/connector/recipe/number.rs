//! Which order a page is about.

use scraper::{ElementRef, Html};
use url::Url;

use super::cell::{Cell, elements};
use super::format::Recipe;
use super::value::Css;
use crate::connector::kit::check::{Check, Failure};
use crate::connector::kit::figures::{Doubt, Proof};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::source;
use crate::connector::kit::text::{selector, shape, text};

/// The longest text that may name an order, in bytes.
const MAX_NAME: usize = 500;

/// Checks that the page that came from `url` names the order of the list's row, and no other. One that names none is in doubt.
pub(super) fn check(
    document: &Html,
    recipe: &Recipe,
    (url, row): (&Url, &ListedOrder),
) -> Result<Option<Doubt>, Failure> {
    let order = &recipe.order;
    let doubt = match (&order.number, &order.named_in) {
        (Some(place), _) => names_all(elements(document, place), &row.number, order.has_record())?,
        (None, Some(css)) if !names_among(document, css, (url, row))? => {
            return Err(failed("the page does not name the order that was asked for.".to_owned()));
        }
        (None, _) => None,
    };
    Ok(doubt)
}

fn failed(found: String) -> Failure {
    Failure::new(Check::OrderNumber, found)
}

/// Checks that every one of the places names the order.
fn names_all<'a>(
    places: impl Iterator<Item = Cell<'a>>,
    number: &str,
    has_record: bool,
) -> Result<Option<Doubt>, Failure> {
    let mut places = places.peekable();
    if places.peek().is_none() {
        let failure = failed("the page has nothing where `order.number` is.".to_owned());
        return if has_record { Ok(Some(Doubt::new(failure, Proof::Record))) } else { Err(failure) };
    }
    for cell in places {
        match cell.words() {
            Ok(named) if named == number => {}
            Ok(named) => {
                let shape = shape(&named);
                return Err(failed(format!(
                    "the page names another order than the one that was asked for: \"{shape}\"."
                )));
            }
            Err(misfit) => return Err(failed(format!("of `order.number`, {misfit}"))),
        }
    }
    Ok(None)
}

/// Whether one of these elements names the order as a word among others. A number like it, of another order, fails the page.
pub(super) fn names_among(document: &Html, css: &Css, (url, row): (&Url, &ListedOrder)) -> Result<bool, Failure> {
    let number = row.number.as_str();
    let other = || failed("the page is another order's.".to_owned());
    // The addresses of orders begin like that of this one.
    let path = row.path.trim_end_matches('/');
    let list = path.rfind('/').map_or("", |end| &path[..=end]);
    let is_other_order = |form: ElementRef<'_>| {
        let action = form.attr("action").and_then(|action| url.join(action).ok());
        let action = action.filter(|action| action.origin() == url.origin());
        let found = action.and_then(|url| source::number_at(url.path().strip_prefix(list)?));
        found.is_some_and(|found| found != number)
    };
    if document.select(selector!("form[action]")).any(is_other_order) {
        return Err(other());
    }
    let titles: Vec<String> = document.select(css.get()).map(text).filter(|title| title.len() < MAX_NAME).collect();
    let is_like = |word: &str| {
        word.len() == number.len()
            && word.len() >= 4
            && word != number
            && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let names_other = titles.iter().any(|title| title.split(|sign: char| !sign.is_alphanumeric()).any(is_like));
    // Other headings may have numbers of other things; those of orders lie close to each other.
    let own = number.parse::<u64>().ok();
    let is_near = |word: &str| is_like(word) && own.is_some_and(|own| source::is_like(word, own, own));
    let names_near = document
        .select(selector!("h2, h3, h4, h5, h6, caption"))
        .map(text)
        .any(|heading| heading.split(|sign: char| !sign.is_alphanumeric()).any(is_near));
    if (names_other || names_near) && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(other());
    }
    Ok(titles.iter().any(|title| source::names(title, number)))
}
