//! The connector, driven as the engine drives it, against a shop that answers with pages made after the real ones.

mod fuzz;
mod pages;
mod scan;
mod shop;
mod sign_in;
mod troubles;
mod variants;

use ordersync_api::SyncErrorCode;

use self::drive::{Connection, Synced};
use self::shop::{CODE, PASSWORD, Shop, USERNAME};
use super::super::ConnectorError;
use super::super::drive;

/// A customer's connection, and a sync of it that needs no more than the right code.
async fn sync(shop: &Shop) -> Result<Synced, ConnectorError> {
    sync_with(shop, "").await
}

async fn sync_with(shop: &Shop, settings: &str) -> Result<Synced, ConnectorError> {
    Connection::of(USERNAME, PASSWORD).sync(&*shop.connector(settings), |_| CODE.to_owned()).await
}

fn code_of(result: Result<Synced, ConnectorError>) -> SyncErrorCode {
    result.unwrap_err().code
}
