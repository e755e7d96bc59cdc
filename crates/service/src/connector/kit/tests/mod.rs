//! What the kit proves and refuses, on orders that no page was needed for.

mod due;
mod figures;
mod fuzz;
mod list;
mod orders;
mod placed;
mod scan;
mod sign_in;
mod unanswered;

use super::currency::Currencies;
use super::locale::Locale;
use super::money::Money;
use super::page::PageKind;

fn money(text: &str) -> Money {
    Money::read(text, Locale::from_tag("en").unwrap(), &Currencies::default(), (PageKind::Order, "a price")).unwrap()
}
