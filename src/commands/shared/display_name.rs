//! What a connection is called.

use ordersync_api::Connection;

/// What a connection's retailer is called.
pub(crate) fn name(connection: &Connection) -> String {
    connection.display_name.clone().unwrap_or_else(|| format!("Retailer {}", connection.retailer_id))
}
