//! `ordersync admin retailers`.

use ordersync_service::BadShopAddress;

use super::existing;
use crate::atomic_file;
use crate::cli::admin::retailers::{AdminRetailersArgs, AdminRetailersCommand};
use crate::commands::serve;
use crate::commands::shared::removed_shop::Place;
use crate::commands::shared::{added_shop, removed_shop};
use crate::config::retailers_file;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::hint::Hint;

/// Adds or removes a shop of the file that `serve --retailers` reads.
pub(super) async fn run(context: &Context, arguments: AdminRetailersArgs) -> Result<()> {
    let Some(file) = arguments.file else {
        return Err(Error::usage("--retailers is missing: the file that `ordersync serve --retailers FILE` reads."));
    };
    let shown = file.display().to_string();
    match arguments.command {
        AdminRetailersCommand::Add(arguments) => {
            // A mistyped path is no reason to make a folder; and the shop is not asked in vain.
            let folder = atomic_file::folder(&file);
            if !folder.is_dir() {
                return Err(Error::usage(format!("--retailers: there is no folder {}.", folder.display()))
                    .hint("Check the path."));
            }
            retailers_file::entries(&file)?;
            context.output.announce(format!("Looking at {} …", arguments.url));
            let looked = ordersync_service::look(&arguments.url, arguments.allow_private_network).await;
            let words = ["admin", "retailers", "add", "--retailers", &shown];
            let refused = |why: BadShopAddress| {
                added_shop::not_looked(Error::usage(why.to_string()), context, &arguments.url, &words)
            };
            let added = added_shop::add(context, &file, &looked.map_err(refused)?, &arguments, &[])?;
            added_shop::show(context, &added)?;
        }
        AdminRetailersCommand::Remove(remove) => {
            let store = existing(serve::database(context, arguments.database.as_deref())?)?;
            let command = ["admin", "retailers", "remove", "--retailers", &shown];
            removed_shop::remove(
                context,
                &Place { file: &file, store: &store, command: &command, is_own: false },
                &remove,
            )
            .await?;
        }
    }
    context.output.note(Hint::run("A running service takes the change over when it gets SIGHUP", "kill -HUP PID"));
    Ok(())
}
