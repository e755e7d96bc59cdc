//! The purchase history of a simulated account, made from a seed: the same account has the same orders on every machine. The
//! newest is of the day on which the history ends; all others are as long before as they always are.
//!
//! Any order can be made by its index without those before it, so that a history of ten million items costs no more
//! memory than a page of it. Index 0 is the newest order.

use std::fmt::{Display, Write as _};

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::{Open, ShipmentStatus, hex};
use rust_decimal::{Decimal, RoundingStrategy};
use sha2::{Digest, Sha256};

use super::adjustments;
use super::catalog::Shop;
use super::goods::{self, Good, Shelf, Sold};
use super::numbers::scatter;
use super::parcels;
use super::prng::Prng;
use super::words;
use crate::connector::{LineItem, RetailerOrder};

/// How many line items the orders have, over and over; which comes first depends on the account.
const SIZES: [u32; 12] = [1, 3, 2, 1, 5, 2, 4, 1, 2, 6, 3, 2];
/// How many [`SIZES`] there are.
#[allow(clippy::cast_possible_truncation, reason = "there are twelve")]
const SIZES_COUNT: u32 = SIZES.len() as u32;
/// The sum of [`SIZES`].
const ROUND: u32 = 32;
/// 2026-07-01T00:00:00Z, in seconds: every order was placed before, if no day is known on which the history ends.
const END: i64 = 1_782_864_000;
const DAY: i64 = 86_400;
/// Two years, in seconds: no order was placed earlier before the end.
const SPAN: i64 = 730 * DAY;
/// One order in so many has a second line of the same article as the first.
const TWIN_PERIOD: u32 = 9;

/// What an account bought.
#[derive(Debug)]
pub(super) struct History {
    shop: &'static Shop,
    seed: u64,
    items: u32,
    /// The day of the newest order, in days since 1970-01-01.
    ends_on: Option<i64>,
    /// Whether its orders show adjustments.
    shows_adjustments: bool,
    /// Whether its orders show parcels.
    shows_parcels: bool,
}

impl History {
    /// The history of the account that `seed` stands for, with exactly `items` line items.
    pub(super) const fn new(shop: &'static Shop, seed: u64, items: u32) -> Self {
        Self { shop, seed, items, ends_on: None, shows_adjustments: false, shows_parcels: false }
    }

    /// The same, with the newest order on that day.
    pub(super) const fn ending_on(self, day: Option<i64>) -> Self {
        Self { ends_on: day, ..self }
    }

    /// The same with adjustments of every type.
    pub(super) const fn with_adjustments(self) -> Self {
        Self { shows_adjustments: true, ..self }
    }

    /// The same with parcels.
    pub(super) const fn with_parcels(self) -> Self {
        Self { shows_parcels: true, ..self }
    }

    /// How many line items there are.
    pub(super) const fn items(&self) -> u32 {
        self.items
    }

    /// How many orders there are.
    pub(super) fn orders(&self) -> u32 {
        let mut count = self.items / ROUND * SIZES_COUNT;
        let mut rest = self.items % ROUND;
        while rest > 0 {
            rest = rest.saturating_sub(self.full_size(count));
            count += 1;
        }
        count
    }

    /// The order at `index`, which is below [`History::orders`].
    pub(super) fn order(&self, index: u32) -> RetailerOrder {
        let first_item = self.first_item(index);
        let size = self.full_size(index).min(self.items.saturating_sub(first_item));
        let mut prng = Prng::of_part(self.seed, index);
        let placed_at = self.placed_at(index, &mut prng);
        let stage = self.stage(index, &mut prng);
        let mut articles: Vec<Article> = Vec::new();
        let mut items = Vec::new();
        for line in 0..size {
            let article = match articles.first() {
                Some(first) if line == 1 && index % TWIN_PERIOD == TWIN_PERIOD / 2 => *first,
                _ => self.article_not_among(&articles, &mut prng),
            };
            articles.push(article);
            items.push(self.line(first_item + line, &article, &stage, &mut prng));
        }
        let total = self.total(&items, &mut prng);
        // Counted from the oldest, so that numbers grow with time before they are scattered.
        let order_id = scatter(self.shop.order_number, self.orders() - index, self.seed);
        let currency = self.shop.currency.code.to_owned();
        let mut order = RetailerOrder {
            order_id,
            placed_at: Some(placed_at),
            total: Some(total),
            currency: Some(currency),
            items,
            ..RetailerOrder::default()
        };
        if self.shows_adjustments {
            adjustments::add(&mut order, self.shop, index);
        }
        if self.shows_parcels {
            parcels::add(&mut order, self.shop, index, self.seed);
        }
        order.fingerprint = Some(fingerprint(&order));
        order
    }

    fn full_size(&self, index: u32) -> u32 {
        SIZES[((u64::from(index) + self.seed % u64::from(SIZES_COUNT)) % u64::from(SIZES_COUNT)) as usize]
    }

    /// How many items the orders before `index` have.
    fn first_item(&self, index: u32) -> u32 {
        let begun = index % SIZES_COUNT;
        index / SIZES_COUNT * ROUND + (index - begun..index).map(|before| self.full_size(before)).sum::<u32>()
    }

    /// Orders are spread evenly over the span, each at some moment of its own part.
    fn placed_at(&self, index: u32, prng: &mut Prng) -> DateTime<Utc> {
        let orders = i64::from(self.orders().max(1));
        let part = u32::try_from(SPAN / orders).unwrap_or(u32::MAX);
        let back = |index: u32, prng: &mut Prng| SPAN * i64::from(index) / orders + 1 + i64::from(prng.below(part));
        // The newest order is of the beginning of its day, which is never in the future.
        let end = match self.ends_on {
            Some(day) => day * DAY + back(0, &mut Prng::of_part(self.seed, 0)),
            None => END,
        };
        DateTime::UNIX_EPOCH + TimeDelta::seconds(end - back(index, prng))
    }

    /// How far the order has come: the newest three are under way, all others have ended.
    fn stage(&self, index: u32, prng: &mut Prng) -> Stage {
        match index {
            _ if !self.shop.shipment => Stage::Hidden,
            0 if prng.chance(50) => Stage::At(Open::Known(ShipmentStatus::Pending)),
            0 => Stage::At(Open::Known(ShipmentStatus::Processing)),
            1 => Stage::At(Open::Known(ShipmentStatus::Shipped)),
            // A word that is none of ours, as retailers have them.
            2 => Stage::At(Open::Other(words::ready_for_collection(self.shop.language).to_owned())),
            _ => Stage::Ended,
        }
    }

    fn article_not_among(&self, taken: &[Article], prng: &mut Prng) -> Article {
        let shelves = || self.shop.sells.iter().flat_map(|assortment| goods::of(assortment));
        let count: usize = shelves().map(|shelf| shelf.goods.len()).sum();
        let mut number = prng.below(u32::try_from(count).unwrap_or(u32::MAX));
        while taken.iter().any(|article| article.number == number) && taken.len() < count {
            number = (number + 1) % u32::try_from(count).unwrap_or(u32::MAX);
        }
        let mut goods = shelves().flat_map(|shelf| shelf.goods.iter().map(move |good| (shelf, good)));
        let (shelf, good) = goods.nth(number as usize).unwrap_or((&EMPTY_SHELF, &NOTHING));
        let variant = prng.below(u32::try_from(shelf.variants.len()).unwrap_or(u32::MAX));
        Article { number, variant, shelf, good }
    }

    fn line(&self, item: u32, article: &Article, stage: &Stage, prng: &mut Prng) -> LineItem {
        let status = match stage {
            Stage::Hidden => None,
            Stage::At(status) => Some(status.clone()),
            Stage::Ended => Some(Open::Known(self.ended(prng))),
        };
        let quantity = match article.good.sold {
            Sold::ByKilogram => Decimal::new(i64::from(120 + prng.below(2_280)), 3),
            Sold::ByPiece if prng.chance(75) => Decimal::ONE,
            Sold::ByPiece => Decimal::from(2 + prng.below(3)),
        };
        let unit_price = self.price(article.good, prng);
        let cancelled = status.as_ref().is_some_and(|status| status.is(&ShipmentStatus::Cancelled));
        let quantity = if cancelled { Decimal::ZERO } else { quantity };
        let level = |depth: usize| article.shelf.path.get(depth).map(|&name| name.to_owned());
        LineItem {
            line_id: self.shop.line_ids.then(|| scatter("##########", item, self.seed)),
            title: Some(article.title()),
            brand: article.good.brand.map(ToOwned::to_owned),
            department: level(0),
            category: level(1),
            sub_category: level(2),
            // Not of the account's seed: everybody who buys the article sees the same number.
            sku: self
                .shop
                .sku
                .map(|template| scatter(template, article.number * 8 + article.variant, self.shop.seed())),
            quantity: Some(quantity),
            unit_price: Some(unit_price),
            line_total: Some(self.line_total(quantity, unit_price)),
            shipment_text: status.as_ref().map(|status| words::shipment(self.shop.language, status)),
            shipment_status: status,
            ..LineItem::default()
        }
    }

    /// In what an ended order's line ended: almost always in the retailer's usual way.
    fn ended(&self, prng: &mut Prng) -> ShipmentStatus {
        match prng.below(100) {
            0..90 => self.shop.done,
            90..94 => ShipmentStatus::Cancelled,
            94..97 => ShipmentStatus::Returned,
            _ => ShipmentStatus::Refunded,
        }
    }

    /// The price at that time: a little more or less than today's, and ending as prices do.
    fn price(&self, good: &Good, prng: &mut Prng) -> Decimal {
        let percent = prng.pick(&[90, 95, 100, 100, 100, 105]).unwrap_or(100);
        let minor = (good.price * percent / 100).max(10);
        let ending = if self.shop.currency.decimals == 0 { 0 } else { 9 };
        Decimal::new(minor / 10 * 10 + ending, self.shop.currency.decimals)
    }

    /// What a shop shows as the total of a line: quantity times price, for goods by weight rounded to the currency's
    /// smallest unit (half away from zero).
    fn line_total(&self, quantity: Decimal, unit_price: Decimal) -> Decimal {
        let mut total = self.rounded(quantity * unit_price);
        total.rescale(self.shop.currency.decimals);
        total
    }

    fn rounded(&self, amount: Decimal) -> Decimal {
        amount.round_dp_with_strategy(self.shop.currency.decimals, RoundingStrategy::MidpointAwayFromZero)
    }

    /// The order's total: the sum of its line totals, less ten per cent in some orders, plus shipping where the sum is not worth free shipping.
    fn total(&self, items: &[LineItem], prng: &mut Prng) -> Decimal {
        let decimals = self.shop.currency.decimals;
        let goods: Decimal = items.iter().filter_map(|item| item.line_total).sum();
        let discount = if prng.chance(12) { self.rounded(goods * Decimal::new(1, 1)) } else { Decimal::ZERO };
        let free = goods.is_zero() || goods >= Decimal::new(self.shop.shipping.free_from, decimals);
        let shipping = if free { Decimal::ZERO } else { Decimal::new(self.shop.shipping.fee, decimals) };
        let mut total = goods - discount + shipping;
        total.rescale(decimals);
        total
    }
}

/// Whether the retailer is not expected to change the order any more. A status that is none of ours may still change;
/// if none is shown, none can be seen to change.
pub(super) fn is_settled(order: &RetailerOrder) -> bool {
    let statuses = order.items.iter().filter_map(|item| item.shipment_status.as_ref());
    statuses.into_iter().all(|status| status.known().is_some_and(|known| known.is_settled()))
}

/// How far an order has come.
enum Stage {
    /// The retailer does not say.
    Hidden,
    /// All of it is there.
    At(Open<ShipmentStatus>),
    /// Each line has ended in its own way.
    Ended,
}

/// The substitute for goods in an assortment that has none; no retailer's is empty.
static NOTHING: Good = Good { title: "Gift card", brand: None, price: 2_500, sold: Sold::ByPiece };
static EMPTY_SHELF: Shelf = Shelf { path: Vec::new(), variants: Vec::new(), goods: Vec::new() };

/// A good in one of its variants.
#[derive(Clone, Copy)]
struct Article {
    /// Among all goods of the retailer.
    number: u32,
    variant: u32,
    shelf: &'static Shelf,
    good: &'static Good,
}

impl Article {
    fn title(&self) -> String {
        match self.shelf.variants.get(self.variant as usize) {
            Some(variant) => format!("{}, {variant}", self.good.title),
            None => self.good.title.to_owned(),
        }
    }
}

/// A digest of everything that the order's page shows.
pub(super) fn fingerprint(order: &RetailerOrder) -> String {
    let mut digest = Sha256::new();
    let mut feed = |text: &str| {
        // With its length, so that no two pages read alike; as 64 bits, so that every machine agrees.
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(text);
    };
    let mut shown = String::new();
    let mut show = |value: Option<&dyn Display>| {
        shown.clear();
        // Writing to a string does not fail.
        let _ = value.map(|value| write!(shown, "{value}"));
        feed(&shown);
    };
    fn any(value: Option<&impl Display>) -> Option<&dyn Display> {
        value.map(|value| value as &dyn Display)
    }
    show(any(order.total.as_ref()));
    show(any(order.placed_at.map(|at| at.timestamp()).as_ref()));
    for item in &order.items {
        let texts =
            [&item.line_id, &item.title, &item.brand, &item.department, &item.category, &item.sub_category, &item.sku];
        for text in texts {
            show(any(text.as_ref()));
        }
        show(any(item.quantity.as_ref()));
        show(any(item.unit_price.as_ref()));
        show(any(item.shipment_status.as_ref()));
        show(any(item.shipment_text.as_ref()));
        for parcel in &item.shipments {
            show(any(parcel.carrier.as_ref()));
            show(any(parcel.tracking_number.as_ref()));
        }
    }
    let of_lines = order.items.iter().map(|item| &item.adjustments);
    for adjustment in order.adjustments.iter().chain(of_lines).flatten() {
        show(any(Some(&adjustment.kind)));
        show(any(Some(&adjustment.amount)));
        show(any(adjustment.date.as_ref()));
        show(any(adjustment.text.as_ref()));
    }
    hex::encode(&digest.finalize()[..8])
}
