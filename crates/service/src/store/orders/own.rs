//! A user's own orders, whichever clients they are shared with: for the user's pages.
//!
//! All of a page is read in one snapshot. Lines are given one by one in the order of the list: to filter or to sum them takes no
//! memory for them.

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};
use ordersync_api::charged::{Amount, charged};
use ordersync_api::{Adjustment, Connection, OrderItem, exact};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::store::accounts::connections::all_of;
use crate::store::db::dialect::sql;
use crate::store::db::{Tx, query_as};
use crate::store::orders::lines::{first_item, parse};
use crate::store::orders::list::{ListFormat, Search, Slice, page_query};
use crate::store::orders::positions::{FIRST, Floor, Position, UNDATED, sort_key};
use crate::store::{Store, StoreError, count};

/// Lines that are read at once: a few first, since a page is mostly full soon.
const FIRST_LINES: u32 = 500;
const MORE_LINES: u32 = 4_000;

/// A connection of the user.
#[derive(Debug, Clone)]
pub(crate) struct Shop {
    /// Its number among those of the user.
    pub number: i64,
    /// With its completeness.
    pub connection: Connection,
    /// How many of its orders have figures that do not agree.
    pub marked: u64,
    /// Changes with its items.
    pub list_version: i64,
}

/// An order of the user: the number of its connection, and its own there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OrderNumber {
    pub connection: i64,
    pub number: i64,
}

impl OrderNumber {
    /// Reads what it is written as.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (connection, number) = text.split_once('-')?;
        let read = |digits: &str| digits.parse::<u32>().ok().map(i64::from);
        Some(Self { connection: read(connection)?, number: read(number)? })
    }
}

impl fmt::Display for OrderNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.connection, self.number)
    }
}

/// The days whose lines are read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Period {
    /// At this time or later.
    pub start: Option<DateTime<Utc>>,
    /// Before this time.
    pub end: Option<DateTime<Utc>>,
}

/// A line with its position in the list: connection, item, sort key, id; and what is read of it.
#[derive(Deserialize)]
pub(crate) struct Placed<'a, T>(i64, i64, i64, &'a str, pub(crate) T);

/// A line as it is filtered and summed.
pub(crate) type PlacedLine<'a> = Placed<'a, LineFacts<'a>>;

/// The fields of a line that are filtered and summed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LineFacts<'a> {
    pub order_id: Option<String>,
    pub item_name: Option<String>,
    pub retailer_sku: Option<String>,
    pub category: Option<String>,
    pub shipment_status: Option<String>,
    pub currency: Option<String>,
    #[serde(borrow)]
    order_total: Option<&'a RawValue>,
    #[serde(borrow)]
    quantity: Option<&'a RawValue>,
    #[serde(borrow)]
    price: Option<&'a RawValue>,
    #[serde(borrow)]
    line_total: Option<&'a RawValue>,
}

impl LineFacts<'_> {
    pub(crate) fn order_total(&self) -> Option<Decimal> {
        decimal(self.order_total)
    }

    /// The amount charged for it; `None` if it cannot be held exactly.
    pub(crate) fn charged(&self) -> Option<Amount> {
        charged(decimal(self.line_total), decimal(self.price), decimal(self.quantity))
    }
}

/// Decimals are written as numbers, never as texts.
fn decimal(raw: Option<&RawValue>) -> Option<Decimal> {
    exact::parse(raw?.get()).ok()
}

impl<T> Placed<'_, T> {
    pub(crate) const fn order(&self) -> OrderNumber {
        OrderNumber { connection: self.0, number: self.1 >> super::lines::LINE_BITS }
    }

    /// The moment of its order, as lists are sorted: the newest first.
    pub(crate) const fn sort_key(&self) -> i64 {
        self.2
    }
}

/// An order with some of its lines.
#[derive(Debug)]
pub(crate) struct OwnOrder {
    /// Those of the order as a whole; `None`: not known.
    pub adjustments: Option<Vec<Adjustment>>,
    /// How many lines it has.
    pub all: u64,
    pub lines: Vec<OwnLine>,
}

/// A line of an order.
#[derive(Debug)]
pub(crate) struct OwnLine {
    /// Which of its order's lines it is.
    pub number: i64,
    pub item: OrderItem,
    pub adjustments: Vec<Adjustment>,
}

/// A snapshot of a user's orders.
pub(crate) struct OwnOrders {
    pub(super) tx: Tx,
    pub(super) user_id: String,
    pub(crate) shops: Vec<Shop>,
}

/// Where the reading of lines is.
pub(crate) struct Cursor {
    connections: Vec<i64>,
    start: Position,
    last: i64,
    limit: u32,
    search: Option<Search>,
    pub(crate) is_done: bool,
}

impl Cursor {
    /// Before the lines of these connections and days. `from`: the sort key to begin with.
    pub(crate) fn new(connections: &[i64], period: Period, from: Option<i64>) -> Self {
        let first = period.end.map_or(FIRST, |end| sort_key(Some(end)) + 1);
        let last = match (period.start, period.end) {
            (Some(start), _) => sort_key(Some(start)),
            (None, Some(_)) => UNDATED - 1,
            (None, None) => UNDATED,
        };
        let start = (first.max(from.unwrap_or(FIRST)), String::new());
        let is_done = connections.is_empty();
        Self { connections: connections.to_vec(), start, last, limit: FIRST_LINES, search: None, is_done }
    }

    /// Beyond the first lines, which fill a page if many match, reads only those that may.
    pub(crate) fn searching(self, search: Option<Search>) -> Self {
        Self { search, ..self }
    }

    /// Before the lines without a date.
    pub(crate) fn undated(connections: &[i64]) -> Self {
        Self::new(connections, Period::default(), Some(UNDATED))
    }

    /// Reads lines, and moves on.
    pub(crate) fn read<'a, T: Deserialize<'a>>(&mut self, text: &'a [u8]) -> Result<Vec<Placed<'a, T>>, StoreError> {
        let lines: Vec<Placed<'a, T>> = serde_json::from_slice(text).map_err(|_| StoreError::Corrupt("line item"))?;
        match lines.last() {
            // No id is between one and the same with another character.
            Some(line) if lines.len() == self.limit as usize => self.start = (line.2, format!("{}!", line.3)),
            _ => self.is_done = true,
        }
        self.limit = MORE_LINES;
        Ok(lines)
    }
}

impl Store {
    /// The user's orders as they are now.
    pub(crate) async fn orders_of(&self, user_id: &str) -> Result<OwnOrders, StoreError> {
        let mut tx = self.pool.begin().await?;
        let rows = all_of(user_id, &mut tx).await?;
        let facts: Vec<(String, i64, i64, i64)> = query_as(sql!(
            "SELECT c.id, c.number, c.list_version, (SELECT COUNT(*) FROM ",
            [marked orders],
            " WHERE o.user_id = c.user_id AND o.connection = c.number AND o.marked <> 0)
             FROM connections c WHERE c.user_id = $1",
        ))
        .bind(user_id)
        .fetch_all(&mut tx)
        .await?;
        let facts: HashMap<String, _> =
            facts.into_iter().map(|(id, number, version, marked)| (id, (number, version, marked))).collect();
        let mut shops = Vec::with_capacity(rows.len());
        for row in rows {
            let connection = row.into_connection()?;
            let Some(&(number, list_version, marked)) = facts.get(connection.connection_id.as_str()) else { continue };
            shops.push(Shop { number, connection, marked: count(marked), list_version });
        }
        Ok(OwnOrders { tx, user_id: user_id.to_owned(), shops })
    }
}

impl OwnOrders {
    /// Gives the lines to `take`, newest first, until it breaks.
    pub(crate) async fn each_line(
        &mut self,
        mut cursor: Cursor,
        mut take: impl FnMut(&PlacedLine<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        while !cursor.is_done {
            let text = self.chunk(&cursor).await?;
            for line in cursor.read(&text)? {
                if take(&line).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The next lines, to be read by the cursor.
    pub(crate) async fn chunk(&mut self, cursor: &Cursor) -> Result<Vec<u8>, StoreError> {
        let floors: Vec<Floor> = cursor.connections.iter().map(|number| Floor::from(*number, &cursor.start)).collect();
        let search = cursor.search.as_ref().filter(|_| cursor.limit > FIRST_LINES);
        let dialect = self.tx.dialect();
        let slice = Slice { user_id: &self.user_id, floors: &floors, last: cursor.last, dialect, search };
        let form = ListFormat::Placed;
        let query = page_query(&slice, cursor.limit, 0, form);
        let lines = query.fetch_joined(form.separator(), cursor.limit, &mut self.tx).await?;
        Ok([b"[", &*lines.text, b"]"].concat())
    }

    /// The order with at most `limit` of its lines, from the line `first` on. `None`: the user has none of this number.
    pub(crate) async fn order(
        &mut self,
        order: OrderNumber,
        first: i64,
        limit: u32,
    ) -> Result<Option<OwnOrder>, StoreError> {
        let Some(base) = order.number.checked_mul(first_item(1)) else { return Ok(None) };
        let head: Option<(Option<String>, i64)> = query_as(
            "SELECT o.adjustments, o.item_count FROM orders o JOIN connections c ON c.user_id = o.user_id AND c.number = o.connection
             WHERE o.user_id = $1 AND o.connection = $2 AND o.number = $3",
        )
        .bind_all((&self.user_id, order.connection, order.number))
        .fetch_optional(&mut self.tx)
        .await?;
        let Some((adjustments, all)) = head else { return Ok(None) };
        let rows: Vec<(i64, String, Option<String>)> = query_as(
            "SELECT item, document, adjustments FROM line_items
             WHERE user_id = $1 AND connection = $2 AND item >= $3 AND item < $4 ORDER BY item LIMIT $5",
        )
        .bind_all((
            &self.user_id,
            order.connection,
            base.saturating_add(first),
            base.saturating_add(first_item(1)),
            limit,
        ))
        .fetch_all(&mut self.tx)
        .await?;
        let read = |text: &str| serde_json::from_str(text).map_err(|_| StoreError::Corrupt("adjustment"));
        let lines = rows.into_iter().map(|(item, document, adjustments)| {
            let adjustments = adjustments.as_deref().map(read).transpose()?.unwrap_or_default();
            Ok(OwnLine { number: item - base, item: parse(&document)?, adjustments })
        });
        let lines = lines.collect::<Result<_, StoreError>>()?;
        Ok(Some(OwnOrder { adjustments: adjustments.as_deref().map(read).transpose()?, all: count(all), lines }))
    }
}
