//! What has to hold in the rows of a user, so that the service can read and change them like rows that it made.

use ordersync_api::{Adjustment, ConnectionStatus, EventType, Open as OpenWord, SyncStatus, Timestamp};

use super::refusal::{ImportError, ImportRefusal};
use crate::domain::rendered::Renderer;
use crate::store::db::{Argument, Dialect, query, query_scalar};
use crate::store::operator::positions::miscounted;
use crate::store::operator::user_tables::Column;
use crate::store::orders::lines;
use crate::store::orders::positions::sort_key;
use crate::store::{Write, count};

/// A row with the names of its columns.
pub(super) struct Named<'a> {
    pub(super) columns: &'a [Column],
    pub(super) values: &'a [Argument],
}

impl<'a> Named<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&'a Argument> {
        let index = self.columns.iter().position(|column| column.name == name)?;
        self.values.get(index)
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        match self.get(name) {
            Some(Argument::Text(Some(text))) => Some(text),
            _ => None,
        }
    }

    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Some(Argument::Integer(Some(number))) => Some(*number),
            _ => None,
        }
    }
}

/// Fails, with the reason, if the service could not have written the values of a row.
pub(super) fn row(table: &str, row: &Named<'_>, renderer: &mut Renderer) -> Result<(), String> {
    let word = |name: &str, is_known: fn(&str) -> bool| match row.text(name) {
        Some(word) if !is_known(word) => Err(format!("the column \"{name}\" has a word that is not known")),
        _ => Ok(()),
    };
    let is_sync_status = |word: &str| word.parse::<SyncStatus>().is_ok();
    match table {
        "connections" => word("status", |word| word.parse::<ConnectionStatus>().is_ok()),
        "retailer_sessions" => {
            word("sync_status", is_sync_status)?;
            word("resume_status", is_sync_status)?;
            let status = row.text("sync_status").and_then(|word| word.parse::<SyncStatus>().ok());
            let is_active = status.is_some_and(|status| !status.is_final());
            if row.integer("active") == Some(i64::from(is_active)) {
                return Ok(());
            }
            Err("the columns \"active\" and \"sync_status\" contradict each other".to_owned())
        }
        "events" => {
            word("sync_status", is_sync_status)?;
            word("type", |word| word.parse::<EventType>().is_ok())
        }
        "orders" => adjustments(row),
        "line_items" => {
            adjustments(row)?;
            line(row, renderer)
        }
        _ => Ok(()),
    }
}

fn adjustments(row: &Named<'_>) -> Result<(), String> {
    let Some(text) = row.text("adjustments") else { return Ok(()) };
    let read = serde_json::from_str::<Vec<Adjustment>>(text);
    read.map(|_| ()).map_err(|_| "the column \"adjustments\" is no list of adjustments".to_owned())
}

/// A line's document is served as it is, and so is its CSV: both have to be what the service writes of the item.
fn line(row: &Named<'_>, renderer: &mut Renderer) -> Result<(), String> {
    let document = row.text("document").unwrap_or_default();
    let item = lines::parse(document).map_err(|_| "the column \"document\" is no line item".to_owned())?;
    let rendered = renderer.render(&item).map_err(|error| error.to_string())?;
    let date = match &item.order_date {
        Some(OpenWord::Known(Timestamp(at))) => Some(*at),
        _ => None,
    };
    let differs = |name: &str| Err(format!("the column \"{name}\" does not agree with \"document\""));
    match () {
        () if rendered.document != document => {
            Err("the column \"document\" is not as the service writes it".to_owned())
        }
        () if row.text("csv") != Some(&rendered.csv) => differs("csv"),
        () if row.text("id") != Some(item.id.as_str()) => differs("id"),
        () if row.integer("sort_key") != Some(sort_key(date)) => differs("sort_key"),
        () => Ok(()),
    }
}

/// Conditions that no row of the user may meet; `$1` is the user. Rows of a removed connection are being deleted, and may be
/// incomplete.
const CONTRADICTIONS: [(&str, &str); 8] = [
    (
        "SELECT COUNT(*) FROM retailer_sessions r WHERE r.user_id = $1
            AND (NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = r.batch_id AND s.user_id = $1)
                OR NOT EXISTS (SELECT 1 FROM connections c WHERE c.id = r.connection_id AND c.user_id = $1
                    AND c.retailer_id = r.retailer_id))",
        "parts of syncs whose session or connection is not the user's",
    ),
    (
        "SELECT COUNT(*) FROM connections c JOIN users u ON u.id = c.user_id
         WHERE c.user_id = $1 AND (c.number > u.connections_made OR c.number < 1
            OR EXISTS (SELECT 1 FROM removed_connections r WHERE r.user_id = $1 AND r.connection = c.number))",
        "connections whose number is that of another one, or is given to the next one",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT o.connection, MAX(o.number) AS last FROM orders o WHERE o.user_id = $1 GROUP BY o.connection) o
         WHERE NOT EXISTS (SELECT 1 FROM connections c WHERE c.user_id = $1 AND c.number = o.connection AND c.orders_made >= o.last)
            AND NOT EXISTS (SELECT 1 FROM removed_connections r WHERE r.user_id = $1 AND r.connection = o.connection)",
        "connections with orders that are missing, or give an order's number to the next one",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT DISTINCT f.connection FROM former_order_ids f WHERE f.user_id = $1) f
         WHERE NOT EXISTS (SELECT 1 FROM connections c WHERE c.user_id = $1 AND c.number = f.connection)
            AND NOT EXISTS (SELECT 1 FROM removed_connections r WHERE r.user_id = $1 AND r.connection = f.connection)",
        "connections with former numbers of orders that are missing",
    ),
    (
        "SELECT COUNT(*) FROM orders o WHERE o.user_id = $1
            AND NOT EXISTS (SELECT 1 FROM removed_connections r WHERE r.user_id = $1 AND r.connection = o.connection)
            AND o.item_count <> (SELECT COUNT(*) FROM line_items i WHERE i.user_id = $1 AND i.connection = o.connection
                AND i.item >= o.number << 20 AND i.item < (o.number + 1) << 20)",
        "orders that do not have as many line items as they say",
    ),
    (
        "SELECT COUNT(*) FROM line_items i WHERE i.user_id = $1
            AND NOT EXISTS (SELECT 1 FROM removed_connections r WHERE r.user_id = $1 AND r.connection = i.connection)
            AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = $1 AND o.connection = i.connection AND o.number = i.item >> 20)",
        "line items without their order",
    ),
    (
        "SELECT COUNT(*) FROM line_nodes n WHERE n.user_id = $1 AND (n.level NOT IN (0, 1, 2) OR n.items < 0
            OR NOT EXISTS (SELECT 1 FROM connections c WHERE c.user_id = $1 AND c.number = n.connection)
            AND NOT EXISTS (SELECT 1 FROM removed_connections r WHERE r.user_id = $1 AND r.connection = n.connection))",
        "positions of no connection, or of no level",
    ),
    (
        "SELECT COUNT(*) FROM sessions s WHERE s.user_id = $1
            AND s.last_seq < (SELECT COALESCE(MAX(e.seq), 0) FROM events e WHERE e.user_id = $1 AND e.batch_id = s.id)",
        "sessions that give an event's number to the next one",
    ),
];

/// Fails if the rows of a user contradict each other.
pub(super) async fn whole(tx: &mut Write, user_id: &str) -> Result<(), ImportError> {
    if tx.dialect() == Dialect::Postgres {
        query("SET LOCAL statement_timeout = 0").execute(&mut *tx).await?;
        // Without figures of the new rows, the checks would read them once for each.
        query("ANALYZE orders, line_items, line_nodes").execute(&mut *tx).await?;
    }
    for (sql, said) in CONTRADICTIONS {
        let wrong: i64 = query_scalar(sql).bind(user_id).fetch_one(&mut *tx).await?;
        if wrong > 0 {
            return Err(ImportRefusal::Contradiction(format!("{} {said}", count(wrong))).into());
        }
    }
    match miscounted(tx, Some(user_id)).await? {
        0 => Ok(()),
        _ => Err(ImportRefusal::Contradiction("positions that do not agree with the line items".to_owned()).into()),
    }
}
