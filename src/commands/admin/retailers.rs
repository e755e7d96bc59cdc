//! `ordersync admin retailers`.

use ordersync_service::BadShopAddress;
use ordersync_service::admin::{OperatedRetailer, Paused};
use serde_json::json;

use super::{Access, existing, with_store};
use crate::cli::admin::retailers::{AdminRetailersArgs, AdminRetailersCommand};
use crate::commands::serve;
use crate::commands::shared::removed_shop::Place;
use crate::commands::shared::{added_shop, removed_shop};
use crate::config::retailers_file;
use crate::context::Context;
use crate::errors::{Error, Hint, Result};
use crate::files::atomic;
use crate::output::Mark;
use crate::output::human::full_time;
use crate::output::table::{Column, Table};

pub(super) async fn run(context: &Context, arguments: AdminRetailersArgs) -> Result<()> {
    let database = arguments.store.database.as_deref();
    match arguments.command {
        AdminRetailersCommand::List => {
            let listed =
                with_store(context, database, Access::Read, async |admin| Ok(admin.retailers().await?)).await?;
            show(context, &listed)
        }
        AdminRetailersCommand::Pause { id, reason } => {
            let (paused, connections) = with_store(context, database, Access::Write, async |admin| {
                Ok((admin.pause(id, reason.trim()).await?, admin.connections_of(id).await?))
            })
            .await?;
            let text = match paused {
                Paused::Now => format!("Retailer {id} is paused: its syncs wait."),
                Paused::ForAnotherReason => format!("Retailer {id} was paused already; its reason is replaced."),
                Paused::Already => format!("Retailer {id} was paused already; nothing is changed."),
            };
            context.output.marked_note(Mark::Good, text);
            if connections.is_empty() {
                let resume = context.command(["admin", "retailers", "resume", &id.to_string()]);
                context
                    .output
                    .warn(Hint::run(format!("No user has connected retailer {id}. If the id is wrong"), resume));
            }
            Ok(())
        }
        AdminRetailersCommand::Resume { id } => {
            let resumed = with_store(context, database, Access::Write, async |admin| Ok(admin.resume(id).await?));
            let text = if resumed.await? {
                format!("Retailer {id} is resumed: its syncs continue.")
            } else {
                format!("Retailer {id} was not paused.")
            };
            context.output.marked_note(Mark::Good, text);
            Ok(())
        }
        AdminRetailersCommand::Add(_) | AdminRetailersCommand::Remove(_) => change_file(context, arguments).await,
    }
}

fn show(context: &Context, listed: &[OperatedRetailer]) -> Result<()> {
    if context.output.shown(&listed)? {
        return Ok(());
    }
    if listed.is_empty() {
        context.output.note("No user has connected a retailer.");
        return Ok(());
    }
    let mut table = Table::new(&[
        Column::amount("ID"),
        Column::text("RETAILER").at_least(16),
        Column::amount("CONNECTIONS"),
        Column::amount("SYNCS"),
        Column::whole("PAUSED SINCE"),
        Column::text("REASON").optional(0),
    ]);
    for one in listed {
        table.row([
            one.retailer_id.to_string(),
            one.display_name.clone(),
            one.connections.to_string(),
            one.unfinished_syncs.to_string(),
            one.paused_since.map(full_time).unwrap_or_default(),
            one.reason.clone().unwrap_or_default(),
        ]);
    }
    context.output.table(&table)
}

/// The highest id among those of the store's connections, which no other shop may get. The file may be of a service whose
/// store is elsewhere: a store that is not named need not be there.
async fn highest_connected(context: &Context, database: Option<&str>) -> Result<i64> {
    match with_store(context, database, Access::Read, async |admin| Ok(admin.retailers().await?)).await {
        Ok(listed) => Ok(listed.iter().map(|one| one.retailer_id).max().unwrap_or_default()),
        Err(error) if database.is_some() => Err(error),
        Err(_) => Ok(0),
    }
}

/// Adds or removes a shop of the file that `serve --retailers` reads.
async fn change_file(context: &Context, arguments: AdminRetailersArgs) -> Result<()> {
    let Some(file) = arguments.file else {
        return Err(Error::usage("--retailers is missing: the file that `ordersync serve --retailers FILE` reads."));
    };
    let shown = file.display().to_string();
    let store_path = arguments.store.database;
    match arguments.command {
        AdminRetailersCommand::Add(arguments) => {
            // Before the shop is asked in vain.
            serve::must_exist("--retailers", atomic::folder(&file))?;
            retailers_file::entries(&file)?;
            let highest = highest_connected(context, store_path.as_deref()).await?;
            context.output.announce(format!("Looking at {} …", arguments.url));
            let looked = ordersync_service::look(&arguments.url, arguments.allow_private_network).await;
            let words = ["admin", "retailers", "add", "--retailers", &shown];
            let refused = |why: BadShopAddress| {
                let error = Error::usage(why.to_string()).details(json!({ "reason": why.reason() }));
                added_shop::not_looked(error, context, &arguments.url, &words)
            };
            let added = added_shop::add(context, &file, &looked.map_err(refused)?, &arguments, &[], highest)?;
            added_shop::show(context, &added)?;
            // The file may be of a service whose store is elsewhere: only the one that is named gets the entry.
            if let Some(database) = store_path.as_deref() {
                let id = added.retailer_id;
                with_store(context, Some(database), Access::Write, async |admin| Ok(admin.note_added(id).await?))
                    .await?;
            }
        }
        AdminRetailersCommand::Remove(remove) => {
            let database = store_path.as_deref();
            let store = existing(serve::database(context, database)?)?;
            let command = ["admin", "retailers", "remove", "--retailers", &shown];
            let id = removed_shop::remove(
                context,
                &Place { file: &file, store: &store, command: &command, is_own: false },
                &remove,
            )
            .await?;
            with_store(context, database, Access::Write, async |admin| Ok(admin.note_removed(id).await?)).await?;
        }
        AdminRetailersCommand::List | AdminRetailersCommand::Pause { .. } | AdminRetailersCommand::Resume { .. } => {}
    }
    context.output.note(Hint::run("A running service takes the change over when it gets SIGHUP", "kill -HUP PID"));
    Ok(())
}
