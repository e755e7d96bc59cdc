//! A user's own orders, whichever clients they are shared with: for the user's pages.
//!
//! All of a page is read in one snapshot. Lines are given one by one in the order of the list: to filter or to sum them takes no
//! memory for them.

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};
use ordersync_api::{Adjustment, Connection, OrderItem};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::store::accounts::connections::ConnectionRow;
use crate::store::db::dialect::sql;
use crate::store::db::{Tx, query_as};
use crate::store::orders::lines::{first_item, parse};
use crate::store::orders::list::{ListFormat, Slice, page_query};
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

/// A line with its position in the list.
#[derive(Deserialize)]
pub(crate) struct PlacedLine<'a>(
    /// Connection and item.
    i64,
    i64,
    /// Position.
    i64,
    &'a str,
    #[serde(borrow)] pub(crate) LineFacts<'a>,
);

/// What is filtered and summed of a line.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LineFacts<'a> {
    pub order_id: Option<String>,
    pub item_name: Option<String>,
    pub retailer_sku: Option<String>,
    pub shipment_status: Option<String>,
    pub currency: Option<String>,
    #[serde(borrow)]
    pub order_total: Option<&'a RawValue>,
}

impl PlacedLine<'_> {
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
    tx: Tx,
    user_id: String,
    pub(crate) shops: Vec<Shop>,
}

impl Store {
    /// The user's orders as they are now.
    pub(crate) async fn orders_of(&self, user_id: &str) -> Result<OwnOrders, StoreError> {
        let mut tx = self.pool.begin().await?;
        let rows: Vec<ConnectionRow> = query_as(sql!(
            "SELECT ",
            [connection],
            " FROM connections c WHERE c.user_id = $1 ORDER BY c.created_at, c.id"
        ))
        .bind(user_id)
        .fetch_all(&mut tx)
        .await?;
        let facts: Vec<(String, i64, i64)> = query_as(
            "SELECT c.id, c.number, (SELECT COUNT(*) FROM orders o
                WHERE o.user_id = c.user_id AND o.connection = c.number AND o.marked <> 0)
             FROM connections c WHERE c.user_id = $1",
        )
        .bind(user_id)
        .fetch_all(&mut tx)
        .await?;
        let facts: HashMap<String, _> = facts.into_iter().map(|(id, number, marked)| (id, (number, marked))).collect();
        let mut shops = Vec::with_capacity(rows.len());
        for row in rows {
            let connection = row.into_connection()?;
            let Some(&(number, marked)) = facts.get(connection.connection_id.as_str()) else { continue };
            shops.push(Shop { number, connection, marked: count(marked) });
        }
        Ok(OwnOrders { tx, user_id: user_id.to_owned(), shops })
    }
}

impl OwnOrders {
    /// Gives the lines of these connections to `take`, newest first, until it breaks. `from`: the sort key to begin with.
    pub(crate) async fn each_line(
        &mut self,
        connections: &[i64],
        period: Period,
        from: Option<i64>,
        mut take: impl FnMut(&PlacedLine<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let first = period.end.map_or(FIRST, |end| sort_key(Some(end)) + 1);
        let last = match (period.start, period.end) {
            (Some(start), _) => sort_key(Some(start)),
            (None, Some(_)) => UNDATED - 1,
            (None, None) => UNDATED,
        };
        let mut start: Position = (first.max(from.unwrap_or(FIRST)), String::new());
        let mut limit = FIRST_LINES;
        while !connections.is_empty() {
            let floors: Vec<Floor> = connections.iter().map(|number| Floor::from(*number, &start)).collect();
            let slice = Slice { user_id: &self.user_id, floors: &floors, last, dialect: self.tx.dialect() };
            let text = page_query(&slice, limit, 0, ListFormat::Placed).fetch_text(&mut self.tx).await?;
            let text = [b"[", &*text, b"]"].concat();
            let lines: Vec<PlacedLine<'_>> =
                serde_json::from_slice(&text).map_err(|_| StoreError::Corrupt("line item"))?;
            for line in &lines {
                if take(line).is_break() {
                    return Ok(());
                }
            }
            match lines.last() {
                // No id is between one and the same with another character.
                Some(line) if lines.len() == limit as usize => start = (line.2, format!("{}!", line.3)),
                _ => return Ok(()),
            }
            limit = MORE_LINES;
        }
        Ok(())
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
        .bind(&self.user_id)
        .bind(order.connection)
        .bind(order.number)
        .fetch_optional(&mut self.tx)
        .await?;
        let Some((adjustments, all)) = head else { return Ok(None) };
        let rows: Vec<(i64, String, Option<String>)> = query_as(
            "SELECT item, document, adjustments FROM line_items
             WHERE user_id = $1 AND connection = $2 AND item >= $3 AND item < $4 ORDER BY item LIMIT $5",
        )
        .bind(&self.user_id)
        .bind(order.connection)
        .bind(base.saturating_add(first))
        .bind(base.saturating_add(first_item(1)))
        .bind(limit)
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
