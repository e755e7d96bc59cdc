//! The connector, driven as the engine drives it, against a shop that answers with pages of the structure of real ones.

mod changes;
mod record;
mod scan;
mod shop;
mod sign_in;
mod store_api;

use std::sync::Arc;

use ordersync_api::SyncErrorCode;

use self::shop::{PASSWORD, Shop, USERNAME};
use super::super::drive::{Connection, Synced};
use super::super::{Connector, ConnectorError, fake_shop};

fn connector(base: &str, lines: &str) -> Arc<dyn Connector> {
    fake_shop::connector("woocommerce", base, lines)
}

const SETTINGS: &str = "time_zone = \"America/Los_Angeles\"\ncurrency = \"USD\"\n";

async fn sync(shop: &Shop) -> Result<Synced, ConnectorError> {
    sync_with(shop, "").await
}

/// A first sync, with further lines in the operator's file.
async fn sync_with(shop: &Shop, lines: &str) -> Result<Synced, ConnectorError> {
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let connector = connector(&shop.uri(), &format!("{SETTINGS}{lines}"));
    connection.sync(&*connector, |_| panic!("no code is asked for")).await
}

fn code_of(result: Result<Synced, ConnectorError>) -> SyncErrorCode {
    result.unwrap_err().code
}
