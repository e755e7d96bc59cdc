//! What the simulated retailers sell.
//!
//! Every name and brand is invented. Prices are in minor units (cents, yen) of whatever currency the retailer takes;
//! weighed goods are priced by the kilogram.

mod everyday;
mod house;
mod leisure;

pub(super) use everyday::{GROCERIES, KONBINI, LEBENSMITTEL, PETS, PHARMACY};
pub(super) use house::{DIY, ELECTRONICS, GARDEN, HOME};
pub(super) use leisure::{BOOKS, FASHION, OUTDOOR, RECORDS, TOYS};

/// Goods that stand together in a retailer's catalog.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shelf {
    /// Department, category and sub-category, as many of them as the retailer gives.
    pub(super) path: &'static [&'static str],
    /// Sizes, colours and the like in which each of the goods is sold; empty where there is but one.
    pub(super) variants: &'static [&'static str],
    /// The goods on sale.
    pub(super) goods: &'static [Good],
}

/// An article, whatever its variant.
#[derive(Debug, Clone, Copy)]
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

const fn shelf(path: &'static [&'static str], goods: &'static [Good]) -> Shelf {
    Shelf { path, variants: &[], goods }
}

impl Shelf {
    const fn in_variants(mut self, variants: &'static [&'static str]) -> Self {
        self.variants = variants;
        self
    }
}

const fn piece(title: &'static str, brand: &'static str, price: i64) -> Good {
    Good { title, brand: Some(brand), price, sold: Sold::ByPiece }
}

const fn unbranded(title: &'static str, price: i64) -> Good {
    Good { title, brand: None, price, sold: Sold::ByPiece }
}

const fn weighed(title: &'static str, price: i64) -> Good {
    Good { title, brand: None, price, sold: Sold::ByKilogram }
}
