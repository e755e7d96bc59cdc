//! The websites that Amazon's files name. A file that ends within its last cell names the beginning of one, which must not
//! become a retailer: all of its orders would count twice. Any other text may be a website that is not known yet.

/// The marketplaces.
const MARKETPLACES: &[&str] = &[
    "amazon.ae",
    "amazon.ca",
    "amazon.cn",
    "amazon.co.jp",
    "amazon.co.uk",
    "amazon.co.za",
    "amazon.com",
    "amazon.com.au",
    "amazon.com.be",
    "amazon.com.br",
    "amazon.com.mx",
    "amazon.com.tr",
    "amazon.de",
    "amazon.eg",
    "amazon.es",
    "amazon.fr",
    "amazon.ie",
    "amazon.in",
    "amazon.it",
    "amazon.nl",
    "amazon.pl",
    "amazon.sa",
    "amazon.se",
    "amazon.sg",
];
/// Shops for groceries, as the files name them.
const GROCERIES: &[&str] = &["amazon go", "amazonfresh", "panda01", "primenow-us"];

/// The kinds of text that a file may have in place of a website.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Website,
    /// The beginning of one.
    Beginning,
    No,
}

/// A website in lower case, without its prefix.
pub(crate) fn bare(text: &str) -> String {
    text.to_lowercase().trim_start_matches("www.").to_owned()
}

pub(crate) fn known(text: &str) -> Known {
    let site = bare(text);
    let mut all = MARKETPLACES.iter().chain(GROCERIES);
    if all.clone().any(|known| *known == site) {
        Known::Website
    } else if all.any(|known| known.starts_with(&site)) || "www.amazon.".starts_with(&site) {
        Known::Beginning
    } else {
        Known::No
    }
}
