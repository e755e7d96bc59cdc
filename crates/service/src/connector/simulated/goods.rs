//! What the simulated retailers sell, from `goods.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Goods that stand together in a retailer's catalog.
#[derive(Debug)]
pub(super) struct Shelf {
    /// Department, category and sub-category, as many of them as the retailer gives.
    pub(super) path: Vec<&'static str>,
    /// Sizes, colours and the like in which each of the goods is sold; empty where there is but one.
    pub(super) variants: Vec<&'static str>,
    /// The goods on sale.
    pub(super) goods: Vec<Good>,
}

/// An article, with all its variants.
#[derive(Debug)]
pub(super) struct Good {
    pub(super) title: &'static str,
    pub(super) brand: Option<&'static str>,
    /// In minor units, for one or for a kilogram.
    pub(super) price: i64,
    pub(super) sold: Sold,
}

/// How a quantity of it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sold {
    ByPiece,
    ByKilogram,
}

static ASSORTMENTS: LazyLock<HashMap<&str, Vec<Shelf>>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Vec<Shelf>> = HashMap::new();
    let mut name = "";
    for line in include_str!("goods.txt").lines().filter(|line| !line.starts_with(';')) {
        if let Some(next) = line.strip_prefix('[') {
            name = next.trim_end_matches(']');
        } else if let Some(shelf) = line.strip_prefix('#') {
            all.entry(name).or_default().push(Shelf::read(shelf));
        } else if let Some(shelf) = all.get_mut(name).and_then(|shelves| shelves.last_mut()) {
            shelf.goods.extend(Good::read(line));
        }
    }
    all
});

/// The shelves of an assortment.
pub(super) fn of(assortment: &str) -> &'static [Shelf] {
    ASSORTMENTS.get(assortment).map_or(&[], Vec::as_slice)
}

impl Shelf {
    fn read(line: &'static str) -> Self {
        let (path, variants) = line.split_once(" | ").unwrap_or((line, ""));
        let parts =
            |text: &'static str, sign: &str| text.split(sign).map(str::trim).filter(|part| !part.is_empty()).collect();
        Self { path: parts(path, " / "), variants: parts(variants, ","), goods: Vec::new() }
    }
}

impl Good {
    fn read(line: &'static str) -> Option<Self> {
        let mut parts = line.split('|').map(str::trim);
        let (title, brand, price) = (parts.next()?, parts.next()?, parts.next()?);
        let (price, sold) = match price.strip_suffix(" / kg") {
            Some(price) => (price, Sold::ByKilogram),
            None => (price, Sold::ByPiece),
        };
        Some(Self { title, brand: Some(brand).filter(|brand| !brand.is_empty()), price: price.parse().ok()?, sold })
    }
}
