//! The store of `ordersync serve`: in the file or database that --database or the environment names, else in its usual file.

use std::path::PathBuf;

use ordersync_service::database::{Database, PostgresAddress};
use ordersync_service::{ServerHealth, StoreTrouble, inspect_server};
use serde_json::json;
use tokio::time::timeout;

use super::{Check, CheckReport, PATIENCE, store_file};
use crate::commands::serve;
use crate::context::Context;
use crate::errors::{Exit, Hint, Result};
use crate::local;
use crate::output::human::size;

const CHECK: &str = "serve-store";

/// Checks it, if there is one or one is named. Returns its file, if it is in one.
pub(super) async fn check(context: &Context, named: Option<&str>, report: &mut CheckReport) -> Result<Option<PathBuf>> {
    match serve::database(context, named) {
        Err(error) => report.add(Check::of_error(CHECK, &error))?,
        Ok(Database::Postgres(address)) => report.add(on_server(&address).await)?,
        Ok(Database::File(path)) if path.exists() => {
            report.add(store_file::examined(CHECK, &path, &context.settings.folders).await.0)?;
            return Ok(Some(path));
        }
        Ok(Database::File(path)) if named.is_some() => {
            let check = Check::failed(CHECK, Exit::Failed, format!("there is no store {}", path.display()))
                .hint("`ordersync serve` creates it when it first starts. Is the path right?");
            report.add(check)?;
        }
        Ok(Database::File(_)) => {}
    }
    Ok(None)
}

async fn on_server(address: &PostgresAddress) -> Check {
    let health = match timeout(PATIENCE * 2, inspect_server(address)).await {
        Err(_) => {
            let text = format!("{address}: no answer within {} s", (PATIENCE * 2).as_secs());
            return Check::failed(CHECK, Exit::Network, text)
                .hint("Is the server running, and does a firewall let this machine through?");
        }
        Ok(Err(why)) => {
            let mut check = Check::of_error(CHECK, &local::store_error(&why, &address.to_string()));
            if why.trouble() == Some(StoreTrouble::Away) {
                check.exit = Exit::Network;
            }
            return check;
        }
        Ok(Ok(health)) => health,
    };
    let ServerHealth { server, is_encrypted, bytes, is_empty, pending } = health;
    let details = json!({
        "database": address.to_string(), "server": server, "encrypted": is_encrypted, "bytes": bytes, "pending": pending,
    });
    let way = if is_encrypted { "encrypted" } else { "not encrypted" };
    let found = format!("{address}: PostgreSQL {server}, {way}, {}", size(bytes));
    let check = match pending {
        _ if is_empty => Check::ok(CHECK, format!("{found}; empty: the first start of a service makes the store"))
            .hint(Hint::run("Make it now", "ordersync admin store migrate")),
        0 => Check::ok(CHECK, format!("{found}; up to date")),
        _ => Check::ok(CHECK, format!("{found}; the next start of a service brings it up to date ({pending} steps)"))
            .hint(Hint::run("Do it now", "ordersync admin store migrate")),
    };
    check.details(details)
}
