//! An order as the list shows it: a row of its table.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// An order, as the list shows it. Kept in the state, so in the shortest form that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Kept", into = "Kept")]
pub(super) struct Row {
    pub(super) number: String,
    /// Path of the order's page.
    pub(super) path: String,
    /// Seconds since 1970, UTC.
    pub(super) placed_at: i64,
    pub(super) total: Decimal,
    pub(super) currency: String,
    /// The sum of the quantities.
    pub(super) items: Decimal,
}

type Kept = (String, String, i64, String, String, String);

impl TryFrom<Kept> for Row {
    type Error = rust_decimal::Error;

    fn try_from((number, path, placed_at, total, currency, items): Kept) -> Result<Self, Self::Error> {
        Ok(Self { number, path, placed_at, total: total.parse()?, currency, items: items.parse()? })
    }
}

impl From<Row> for Kept {
    fn from(row: Row) -> Self {
        (row.number, row.path, row.placed_at, row.total.to_string(), row.currency, row.items.to_string())
    }
}

impl Row {
    /// Changes with anything that the list shows of the order, and with what the connector makes of it (`1`).
    pub(super) fn fingerprint(&self) -> String {
        format!("1|{}|{}|{}|{}", self.placed_at, self.items, self.total, self.currency)
    }
}
