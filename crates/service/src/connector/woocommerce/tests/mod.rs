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
use super::super::{Connector, ConnectorError, retailers_file};

/// The connector that the operator's file makes of this entry, and these further lines.
fn connector(base: &str, lines: &str) -> Arc<dyn Connector> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("retailers.toml");
    let entry = format!(
        "[[retailer]]\nid = 201\ndisplay_name = \"Shop\"\nconnector = \"woocommerce\"\nbase_url = \"{base}\"\n\
         allow_private_network = true\nmin_interval_ms = 0\n{lines}"
    );
    std::fs::write(&file, entry).unwrap();
    Arc::clone(&retailers_file::load_sound(&file).unwrap()[0].connector)
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
