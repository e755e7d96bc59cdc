//! The shops of the local profile: whether their file and its recipes can be used, and what it does not say.

use ordersync_service::simulated_retailers;
use serde_json::json;

use super::{Check, CheckReport};
use crate::commands::shared::broken_shops;
use crate::config::retailers_file::{self, FILE, SIMULATED};
use crate::context::Context;
use crate::errors::{Exit, Hint, Result};

const CHECK: &str = "retailers";

/// Checks the file, if there is one. False: the service inside the command cannot start with it.
pub(super) fn check(context: &Context, report: &mut CheckReport) -> Result<bool> {
    let file = context.settings.folders.config.join(FILE);
    if file.symlink_metadata().is_err() {
        return Ok(true);
    }
    let shown = file.display();
    let entries = match retailers_file::entries(&file) {
        Ok(entries) => entries,
        Err(error) => {
            report.add(Check::of_error(CHECK, &error))?;
            return Ok(false);
        }
    };
    let simulated = simulated_retailers(1.0);
    let is_taken = |id: i64| simulated.iter().any(|(retailer, _)| retailer.retailer_id == id);
    if let Some(entry) = entries.iter().find(|entry| is_taken(entry.id)) {
        let text = format!("{shown}: retailer {} has the id of a simulated retailer", entry.id);
        report.add(
            Check::failed(CHECK, Exit::Failed, text)
                .hint(format!("Give the entry an id above {SIMULATED} in {shown}.")),
        )?;
        return Ok(false);
    }
    let ids: Vec<i64> = entries.iter().filter(|entry| !entry.has_time_zone).map(|entry| entry.id).collect();
    let text = match entries.len() {
        1 => format!("1 shop in {shown}"),
        count => format!("{count} shops in {shown}"),
    };
    let broken = retailers_file::broken(&file);
    let check = if !broken.is_empty() {
        let named = broken.iter().map(|shop| format!("{}: {}", shop.id, broken_shops::mistake(shop)));
        let text = format!("{text}; {} cannot be used: {}", broken.len(), named.collect::<Vec<_>>().join("; "));
        let hints = broken.iter().map(|shop| {
            let check = context.command(["retailers", "check", &shop.id.to_string()]);
            Hint::run(format!("Correct the recipe of {}, or its entry in {shown}, then try the shop", shop.id), check)
        });
        Check::failed(CHECK, Exit::Failed, text).hint(hints.collect::<Vec<_>>())
    } else if ids.is_empty() {
        Check::ok(CHECK, text)
    } else {
        let named = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        Check::warning(CHECK, format!("{text}; without a time zone, which is taken for UTC: {named}")).hint(format!(
            "If times of orders are wrong, add for example time_zone = \"Europe/Berlin\" to the entry in {shown}."
        ))
    };
    let broken: Vec<i64> = broken.iter().map(|shop| shop.id).collect();
    let details =
        json!({ "file": shown.to_string(), "shops": entries.len(), "broken": broken, "withoutTimeZone": ids });
    report.add(check.details(details))?;
    Ok(true)
}
