//! Accounts with orders of their own, which a seed file gives them: read as every other history is, page by page.

use chrono::DateTime;
use ordersync_api::order::{Adjustment, AdjustmentType};
use ordersync_api::{Open, ShipmentStatus, SyncErrorCode};
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Serialize};

use super::catalog::Shop;
use super::history::fingerprint;
use super::words;
use crate::connector::{ConnectorError, LineItem, RetailerOrder};

/// An order, as the store has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnOrder {
    pub(crate) id: String,
    /// Seconds since 1970-01-01.
    pub(crate) placed_at: i64,
    /// ISO 4217; none: the retailer's.
    pub(crate) currency: Option<String>,
    /// None: the sum of the lines and adjustments.
    pub(crate) total: Option<String>,
    pub(crate) items: Vec<OwnItem>,
    #[serde(default)]
    pub(crate) adjustments: Vec<OwnAdjustment>,
}

/// An amount of the order beside the prices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnAdjustment {
    pub(crate) kind: AdjustmentType,
    pub(crate) amount: String,
    pub(crate) text: Option<String>,
}

/// A line of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnItem {
    pub(crate) name: String,
    pub(crate) brand: Option<String>,
    pub(crate) department: Option<String>,
    pub(crate) category: Option<String>,
    pub(crate) sub_category: Option<String>,
    pub(crate) sku: Option<String>,
    pub(crate) quantity: String,
    /// Of one.
    pub(crate) price: Option<String>,
    /// None: price times quantity.
    pub(crate) line_total: Option<String>,
    pub(crate) status: ShipmentStatus,
}

/// The orders of an account, newest first, from what the store has of them (JSON).
pub(super) fn read(shop: &Shop, stored: &str) -> Result<Vec<RetailerOrder>, ConnectorError> {
    let mut orders: Vec<OwnOrder> =
        serde_json::from_str(stored).map_err(|_| ConnectorError::new(SyncErrorCode::InternalError))?;
    orders.sort_by(|one, other| other.placed_at.cmp(&one.placed_at).then_with(|| one.id.cmp(&other.id)));
    orders.iter().map(|order| shown(shop, order)).collect()
}

/// As the retailer's page shows it.
fn shown(shop: &Shop, order: &OwnOrder) -> Result<RetailerOrder, ConnectorError> {
    let placed_at = DateTime::from_timestamp(order.placed_at, 0);
    let items = order.items.iter().enumerate().map(|(place, item)| line(shop, place, item));
    let items = items.collect::<Result<Vec<_>, _>>()?;
    let total = order.total.as_deref().map(decimal).transpose()?;
    let currency = order.currency.clone().unwrap_or_else(|| shop.currency.code.to_owned());
    let adjustments = order.adjustments.iter().map(|one| adjustment(one, &currency));
    let adjustments = adjustments.collect::<Result<Vec<_>, _>>()?;
    let lines: Decimal = items.iter().filter_map(|item| item.line_total).sum();
    let sum = lines + adjustments.iter().map(|one| one.amount).sum::<Decimal>();
    let mut order = RetailerOrder {
        order_id: order.id.clone(),
        placed_at: Some(placed_at.ok_or_else(|| ConnectorError::new(SyncErrorCode::InternalError))?),
        total: Some(total.unwrap_or(sum)),
        currency: Some(currency),
        adjustments: (!adjustments.is_empty()).then_some(adjustments),
        items,
        ..RetailerOrder::default()
    };
    order.fingerprint = Some(fingerprint(&order));
    Ok(order)
}

fn line(shop: &Shop, place: usize, item: &OwnItem) -> Result<LineItem, ConnectorError> {
    let status = Open::Known(item.status);
    let quantity = decimal(&item.quantity)?;
    let price = item.price.as_deref().map(decimal).transpose()?;
    let line_total = match (&item.line_total, price) {
        (Some(total), _) => Some(decimal(total)?),
        (None, Some(price)) => Some(total(quantity, price)?),
        (None, None) => None,
    };
    Ok(LineItem {
        line_id: Some((place + 1).to_string()),
        title: Some(item.name.clone()),
        brand: item.brand.clone(),
        department: item.department.clone(),
        category: item.category.clone(),
        sub_category: item.sub_category.clone(),
        sku: item.sku.clone(),
        quantity: Some(quantity),
        unit_price: price,
        line_total,
        shipment_text: Some(words::shipment(shop.language, &status)),
        shipment_status: Some(status),
        ..LineItem::default()
    })
}

/// What is charged; money back is negative, whichever of the two has the sign.
fn total(quantity: Decimal, price: Decimal) -> Result<Decimal, ConnectorError> {
    let size = quantity.abs().checked_mul(price.abs());
    let size = size.ok_or_else(|| ConnectorError::new(SyncErrorCode::InternalError))?;
    let mut size = size.round_dp_with_strategy(price.scale(), RoundingStrategy::MidpointAwayFromZero);
    size.rescale(price.scale());
    Ok(if quantity < Decimal::ZERO || price < Decimal::ZERO { -size } else { size })
}

fn adjustment(of: &OwnAdjustment, currency: &str) -> Result<Adjustment, ConnectorError> {
    Ok(Adjustment {
        kind: Open::Known(of.kind),
        amount: decimal(&of.amount)?,
        currency: Some(currency.to_owned()),
        date: None,
        text: of.text.clone(),
        included: false,
    })
}

fn decimal(text: &str) -> Result<Decimal, ConnectorError> {
    Decimal::from_str_exact(text).map_err(|_| ConnectorError::new(SyncErrorCode::InternalError))
}
