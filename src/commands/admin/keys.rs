//! `ordersync admin keys`.

use std::path::PathBuf;

use ordersync_service::Keys;
use ordersync_service::admin::{Resealed, RootKey};

use super::{Access, given_keys, with_store};
use crate::cli::admin::keys::{KeysArgs, KeysCommand};
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};
use crate::output::Mark;
use crate::output::human::full_time;
use crate::output::table::{Column, Table};

pub(super) async fn run(context: &Context, arguments: KeysArgs) -> Result<()> {
    let database = arguments.store.database.as_deref();
    match arguments.command {
        KeysCommand::List => {
            let keys = with_store(context, database, Access::Read, async |admin| Ok(admin.root_keys().await?)).await?;
            show(context, &keys)
        }
        KeysCommand::Rotate { key_files } => rotate(context, database, &key_files).await,
        KeysCommand::Retire { fingerprint } => {
            let retired = with_store(context, database, Access::Write, async |admin| {
                Ok(admin.retire_key(fingerprint.trim()).await?)
            });
            retired.await?;
            let text = format!("{fingerprint} is retired: the service starts without it.");
            context.output.marked_note(Mark::Good, text);
            context.output.note("Keep the key for as long as you keep backups from before the rotation: they need it.");
            Ok(())
        }
    }
}

async fn rotate(context: &Context, database: Option<&str>, key_files: &[PathBuf]) -> Result<()> {
    let keys = given_keys(context, key_files, "Everything is sealed again with the root keys")?;
    let rotated =
        with_store(context, database, Access::Write, async |admin| Ok(admin.rotate_keys(&keys, |_| ()).await?));
    let Resealed { resealed, unreadable, left } = rotated.await?;
    let first = first(&keys);
    if !context.output.shown(&Resealed { resealed, unreadable, left })? {
        context.output.marked_note(Mark::Good, format!("Sealed {resealed} values again, under {first}."));
    }
    if unreadable > 0 {
        let text = format!("{unreadable} values cannot be opened with these keys, and stay as they are.");
        return Err(Error::of(&codes::command::CHECKS_FAILED, text)
            .hint(Hint::run("See which keys they need", "ordersync admin keys list"))
            .also(Hint::say("Add the missing key with another --key-file.")));
    }
    if left > 0 {
        context.output.note(format!(
            "{left} values were sealed under an earlier key meanwhile. Restart every process with {first} first, and run this again."
        ));
    } else {
        let retire = context.command("admin keys retire FINGERPRINT");
        context.output.note(Hint::run("Retire the earlier key", retire));
    }
    Ok(())
}

fn first(keys: &Keys) -> String {
    keys.fingerprints().next().unwrap_or_default().to_owned()
}

fn show(context: &Context, keys: &[RootKey]) -> Result<()> {
    if context.output.shown(&keys)? {
        return Ok(());
    }
    if keys.is_empty() {
        context.output.note("No service has used this store yet, so it has no root key.");
        return Ok(());
    }
    let mut table = Table::new(&[
        Column::whole("FINGERPRINT"),
        Column::state("STATUS"),
        Column::amount("VALUES"),
        Column::whole("SINCE"),
    ]);
    for key in keys {
        let status = match (key.is_current, key.since) {
            (true, _) => "current",
            (false, Some(_)) => "earlier",
            (false, None) => "unknown",
        };
        table.row([
            key.fingerprint.clone(),
            status.to_owned(),
            key.values.to_string(),
            key.since.map(full_time).unwrap_or_default(),
        ]);
    }
    context.output.table(&table)
}
