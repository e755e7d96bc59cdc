//! Shops of the local profile that cannot be used, because their recipe has a mistake. Every command that concerns one names
//! the mistake in the same words.

use ordersync_api::Retailer;
use ordersync_service::BrokenRetailer;

use crate::client::Client;
use crate::config::retailers_file::{self, FILE};
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};

/// All of them.
pub(crate) fn all(context: &Context) -> Vec<BrokenRetailer> {
    if !context.is_local() {
        return Vec::new();
    }
    retailers_file::broken(&context.settings.folders.config.join(FILE))
}

/// The consequence ("Corner Shop cannot be synced"), the mistake, and what to do.
pub(crate) fn told(context: &Context, shop: &BrokenRetailer, consequence: &str) -> Hint {
    let file = context.settings.folders.config.join(FILE);
    let check = context.command(["retailers", "check", &shop.id.to_string()]);
    let text = format!(
        "{consequence}: {}. Correct the recipe, or the entry in {}, then try the shop",
        mistake(shop),
        file.display()
    );
    Hint::run(text, check)
}

/// The mistake in one line.
pub(crate) fn mistake(shop: &BrokenRetailer) -> String {
    // Between the first and the last line is an excerpt of the file.
    let mut lines = shop.message.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let whole = lines.next_back().map_or_else(|| first.to_owned(), |last| format!("{first}: {last}"));
    whole.trim_end_matches('.').to_owned()
}

/// Names those of these retailers.
pub(crate) fn warn(context: &Context, concerned: impl Fn(i64) -> bool, consequence: &str) {
    for shop in all(context).iter().filter(|shop| concerned(shop.id)) {
        context.output.warn(told(context, shop, &format!("{} {consequence}", shop.display_name)));
    }
}

/// Names those whose orders were shown, of all retailers or of one.
pub(crate) async fn warn_of_orders(context: &Context, client: &Client, retailer_id: Option<i64>) {
    let mut shops = all(context);
    shops.retain(|shop| retailer_id.is_none_or(|id| id == shop.id));
    if shops.is_empty() {
        return;
    }
    let connections = client.connections(None).await.unwrap_or_default();
    for shop in shops.iter().filter(|shop| connections.iter().any(|one| one.retailer_id == shop.id)) {
        let consequence = format!("{} may not be complete, because it cannot be synced", shop.display_name);
        context.output.warn(told(context, shop, &consequence));
    }
}

/// Refuses a retailer that is listed, but cannot be signed in to.
pub(crate) fn check_connectable(context: &Context, retailer: &Retailer) -> Result<()> {
    if retailer.sync_config.server_side {
        return Ok(());
    }
    let message = format!("{} is in the catalog, but cannot be connected here.", retailer.display_name);
    let error = Error::of(&codes::service::RETAILER_NOT_CONNECTABLE, message);
    Err(match all(context).iter().find(|shop| shop.id == retailer.retailer_id) {
        Some(shop) => error.hint(told(context, shop, "Its configuration has a mistake")),
        None => error,
    })
}
