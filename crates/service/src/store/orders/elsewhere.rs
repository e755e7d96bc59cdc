//! Orders of a file that another connection seems to have: a shop may have one name in a table, one in its mails, and a third in its
//! account.

use std::collections::HashMap;

use ordersync_api::{OrderElsewhere, OrderItem, Timestamp};

use crate::domain::order::RetailerOrder;
use crate::store::accounts::users::Caller;
use crate::store::db::dialect::sql;
use crate::store::db::json::texts;
use crate::store::db::query_as;
use crate::store::orders::lines::parse;
use crate::store::{StoreError, Write};

/// Those that another connection, which the client may see, seems to have.
pub(super) async fn elsewhere(
    tx: &mut Write,
    caller: &Caller,
    connection_id: &str,
    orders: &[&RetailerOrder],
) -> Result<Vec<OrderElsewhere>, StoreError> {
    let by_id: HashMap<&str, &RetailerOrder> = orders.iter().map(|order| (order.order_id.as_str(), *order)).collect();
    let ids: Vec<&str> = by_id.keys().copied().collect();
    // The other connections come first, each with a search by number: an account has few of them.
    let rows: Vec<(String, String, String, Option<String>)> = query_as(sql!(
        "SELECT o.order_id, c.id, c.display_name, (SELECT i.document FROM line_items i WHERE i.user_id = o.user_id
             AND i.connection = o.connection AND i.item >= o.number << 20 AND i.item < (o.number + 1) << 20 LIMIT 1)
         FROM connections c
         JOIN connection_shares s ON s.user_id = c.user_id AND s.connection_id = c.id AND s.client_id = $1
         JOIN orders o ON o.user_id = c.user_id AND o.connection = c.number
         WHERE c.user_id = $2 AND c.id <> $3 AND o.order_id IN (",
        [texts "$4"],
        ") ORDER BY o.order_id, c.id"
    ))
    .bind_all((&caller.client_id, &caller.user_id, connection_id, texts(&ids)?))
    .fetch_all(&mut *tx)
    .await?;
    let mut elsewhere = Vec::new();
    for (order_id, connection_id, retailer_name, document) in rows {
        let Some(item) = document.as_deref().map(parse).transpose()? else { continue };
        if by_id.get(order_id.as_str()).is_some_and(|order| is_like(order, &item)) {
            elsewhere.push(OrderElsewhere { order_id, connection_id: connection_id.into(), retailer_name });
        }
    }
    Ok(elsewhere)
}

/// Whether a line may be one of this order: the days are near, and the totals or, where one is not known, an amount are equal.
fn is_like(order: &RetailerOrder, line: &OrderItem) -> bool {
    let stored_at = line.order_date.as_ref().and_then(|at| at.known());
    let is_near = order.placed_at.zip(stored_at).is_some_and(|(at, stored)| Timestamp(at).is_near(*stored));
    is_near
        && match order.total.zip(line.order_total) {
            Some((total, stored)) => total == stored,
            None => line.line_total.is_some() && order.items.iter().any(|own| own.line_total == line.line_total),
        }
}
