//! The addresses of the list's other pages.

use url::Url;

use super::value::{Address, address_of};

/// How the pages of a list are addressed.
pub(super) enum PageAddress {
    /// By a part of the path: what addresses have before and after the number.
    Path { before: String, after: String },
    /// By a parameter, beside others that tell the list from other pages of the same path.
    Parameter { path: String, name: String, others: Vec<(String, String)> },
}

impl PageAddress {
    /// `next_page`: the recipe's address, with `{page}` in it.
    pub(super) fn of(base: &Url, next_page: &Address) -> Option<Self> {
        const NUMBER: &str = "4294967295";
        let url = base.join(next_page.with("{page}", NUMBER).as_str()).ok()?;
        if url.path().contains(NUMBER) {
            let address = address_of(&url);
            let (before, after) = address.split_once(NUMBER)?;
            return Some(Self::Path { before: before.to_owned(), after: after.to_owned() });
        }
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let (pages, others): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(_, value)| value == NUMBER);
        let (name, _) = pages.into_iter().next()?;
        Some(Self::Parameter { path: url.path().to_owned(), name, others })
    }

    /// The number of the page to which an address of the shop leads.
    pub(super) fn number_in(&self, url: &Url) -> Option<u32> {
        match self {
            Self::Path { before, after } => {
                address_of(url).strip_prefix(before.as_str())?.strip_suffix(after.as_str())?.parse().ok()
            }
            Self::Parameter { path, name, others } => {
                let has = |(name, value): &(String, String)| {
                    url.query_pairs().any(|(other, its)| other == name.as_str() && its == value.as_str())
                };
                let is_list = url.path() == path && others.iter().all(has);
                let page = url.query_pairs().find(|(other, _)| other == name.as_str()).filter(|_| is_list)?;
                page.1.parse().ok()
            }
        }
    }

    /// With another path, for a shop that shows its list there, such as at a path that names the language.
    pub(super) fn moved(self, from: &str, to: &str) -> Self {
        match self {
            Self::Parameter { path, name, others } if path == from => {
                Self::Parameter { path: to.to_owned(), name, others }
            }
            other => other,
        }
    }
}
