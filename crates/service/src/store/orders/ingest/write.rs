//! Writing lines: what is served of them, and their rows.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use ordersync_api::order::DatePrecision;
use ordersync_api::{Extra, Open, OrderItem, ShipmentStatus, Timestamp};

use crate::connector::{LineItem, RetailerOrder};
use crate::domain::line::Content;
use crate::domain::rendered::{Rendered, Renderer};
use crate::store::db::{Argument, Dialect, insert_rows, query};
use crate::store::orders::lines::{Keys, NewLine, storable};
use crate::store::orders::owner::{Destination, Owner};
use crate::store::orders::positions::sort_key;
use crate::store::{StoreError, Write};

/// How many rows go into a statement for SQLite: few sizes, so that the statements are prepared once and kept.
const ROWS: [usize; 4] = [256, 32, 4, 1];

/// How many of the rows that are left go into the next statement. For PostgreSQL any number of rows is the same statement.
pub(super) fn rows_at_once(dialect: Dialect, left: usize) -> usize {
    match dialect {
        Dialect::Sqlite => ROWS.into_iter().find(|size| *size <= left).unwrap_or(0),
        Dialect::Postgres => left.min(ROWS[0]),
    }
}

/// A line that is stored and is written again.
pub(super) struct Rewrite<'a> {
    pub(super) item: i64,
    pub(super) id: String,
    /// Where it was, by its sort key.
    pub(super) was_at: i64,
    pub(super) keys: Keys,
    pub(super) order: &'a RetailerOrder,
    pub(super) line: Cow<'a, LineItem>,
    /// Its position in the order.
    pub(super) number: u32,
    pub(super) content: Content,
    /// Its adjustments, written, if it has any.
    pub(super) adjustments: Option<String>,
    /// When it changed, if that was earlier: fields that were not known then are added.
    pub(super) updated_at: Option<Open<Timestamp>>,
}

/// Writes the lines of a page.
pub(super) struct LineWriter<'a> {
    renderer: Renderer,
    to: Destination<'a>,
    now: DateTime<Utc>,
}

impl<'a> LineWriter<'a> {
    pub(super) fn new(to: Destination<'a>, now: DateTime<Utc>) -> Self {
        Self { renderer: Renderer::default(), to, now }
    }

    pub(super) fn retailer_name(&self) -> &'a str {
        self.to.retailer_name
    }

    /// What is served of a line and its number, but for its adjustments. `updated_at`: when it changed, if not now.
    pub(super) fn write(
        &mut self,
        id: &str,
        order: &RetailerOrder,
        (line, number): (&LineItem, u32),
        updated_at: Option<Open<Timestamp>>,
    ) -> Result<Rendered, StoreError> {
        let known = |status: &Open<ShipmentStatus>| match status {
            Open::Known(status) => Open::Known(*status),
            Open::Other(word) => word.parse::<ShipmentStatus>().map_or_else(|_| status.clone(), Open::Known),
        };
        let item = OrderItem {
            id: id.into(),
            connection_id: Some(self.to.connection_id.into()),
            retailer_id: Some(self.to.retailer_id),
            retailer_name: Some(self.to.retailer_name.to_owned()),
            order_id: Some(order.order_id.as_str().into()),
            order_date: order.placed_at.map(storable).transpose()?,
            order_date_precision: order.is_day_alone.then_some(Open::Known(DatePrecision::Day)),
            item_name: line.title.clone(),
            brand_name: line.brand.clone(),
            department: line.department.clone(),
            category: line.category.clone(),
            sub_category: line.sub_category.clone(),
            retailer_sku: line.sku.clone(),
            quantity: line.quantity,
            price: line.unit_price,
            line_total: line.line_total,
            currency: order.currency.clone(),
            shipment_status: line.shipment_status.as_ref().map(known),
            shipment_text: line.shipment_text.clone(),
            order_total: order.total,
            mismatch: order.mismatch.clone(),
            missing_since: None,
            updated_at: Some(updated_at.map_or_else(|| storable(self.now), Ok)?),
            line_number: Some(number),
            shipments: line.shipments.clone(),
            seller: line.seller.clone(),
            sources: order.sources.clone(),
            extra: Extra::new(),
        };
        self.renderer.render(&item).map_err(|_| StoreError::Corrupt("line item"))
    }
}

/// Stores lines that are not stored yet; the caller counts them. `write` gives what is served of each, in their order, for some
/// while the database stores those before them.
pub(in crate::store) async fn insert(
    tx: &mut Write,
    owner: Owner<'_>,
    lines: Vec<NewLine>,
    mut write: impl FnMut(&NewLine) -> Result<Rendered, StoreError>,
) -> Result<(), StoreError> {
    let (mut left, dialect) = (lines.into_iter(), tx.dialect());
    let mut next_rows = || {
        let size = rows_at_once(dialect, left.len());
        let rows = left.by_ref().take(size);
        rows.map(|line| write(&line).map(|rendered| (line, rendered))).collect::<Result<Vec<_>, _>>()
    };
    let mut rows = next_rows()?;
    while !rows.is_empty() {
        let row = |(line, rendered): (NewLine, Rendered)| {
            [
                Argument::from(owner.user_id),
                owner.connection.into(),
                line.item.into(),
                line.id.into(),
                line.keys.line_key.into(),
                line.keys.line_id.into(),
                line.sort_key.into(),
                line.content.into(),
                rendered.document.into(),
                rendered.csv.into(),
                rendered.adjustments.into(),
            ]
        };
        let into =
            "INSERT INTO line_items (user_id, connection, item, id, line_key, line_id, sort_key, content_digest, document,
            csv, adjustments)";
        let inserting = insert_rows(tx, into, rows.into_iter().map(row).collect(), "");
        let (stored, next) = tokio::join!(inserting, async { next_rows() });
        stored?;
        rows = next?;
    }
    Ok(())
}

/// Writes a line that is stored as it was read now.
pub(super) async fn rewrite(
    tx: &mut Write,
    owner: Owner<'_>,
    writer: &mut LineWriter<'_>,
    line: &Rewrite<'_>,
) -> Result<(), StoreError> {
    let rendered = writer.write(&line.id, line.order, (&line.line, line.number), line.updated_at.clone())?;
    let rendered = Rendered { adjustments: line.adjustments.clone(), ..rendered };
    update(tx, owner, line.item, &line.keys, sort_key(line.order.placed_at), line.content.bytes(), rendered).await
}

/// Writes a line into the row of another, which keeps its id; the caller counts what moves.
pub(in crate::store) async fn update(
    tx: &mut Write,
    owner: Owner<'_>,
    item: i64,
    keys: &Keys,
    sort_key: i64,
    content: &[u8],
    rendered: Rendered,
) -> Result<(), StoreError> {
    query(
        "UPDATE line_items SET line_key = $1, line_id = $2, sort_key = $3, content_digest = $4, document = $5, csv = $6,
            adjustments = $7
         WHERE user_id = $8 AND connection = $9 AND item = $10",
    )
    .bind_all((keys.line_key.as_ref(), keys.line_id.as_ref(), sort_key, content, rendered.document, rendered.csv, rendered.adjustments))
    .bind_owner(owner)
    .bind(item)
    .run(&mut *tx)
    .await
}
