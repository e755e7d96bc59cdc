//! Removing a shop from a file of retailers: only one that is named in full, and that no connection uses.

use std::path::Path;

use ordersync_service::SystemClock;
use ordersync_service::admin::Admin;
use ordersync_service::database::Database;

use super::confirm;
use crate::cli::retailers::RemoveArgs;
use crate::config::retailers_file::{self, Entry};
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::local;
use crate::names::is_exact;
use crate::output::Mark;
use crate::shell::quoted;

/// Where a shop is removed.
pub(crate) struct Place<'a> {
    /// The file of retailers.
    pub(crate) file: &'a Path,
    /// The store of the service that reads it.
    pub(crate) store: &'a Database,
    /// The command, for messages.
    pub(crate) command: &'a [&'a str],
    /// Whether all connections are the user's own.
    pub(crate) is_own: bool,
}

/// Removes the shop.
/// Returns its number.
pub(crate) async fn remove(context: &Context, place: &Place<'_>, arguments: &RemoveArgs) -> Result<i64> {
    let entries = retailers_file::entries(place.file)?;
    let entry = named(&entries, arguments.retailer.trim(), place.file)?;
    refuse_connected(context, place, entry).await?;
    if !arguments.yes && !agrees(context, place, entry).await? {
        return Err(Error::declined(format!("{} was not removed.", entry.name)));
    }
    retailers_file::remove(place.file, entry.id)?;
    let text = format!("Removed {} (retailer {}) from {}.", entry.name, entry.id, place.file.display());
    context.output.marked_note(Mark::Good, text);
    say_what_stays(context, place, &entries, entry);
    Ok(entry.id)
}

/// Names the recipe and the drafted pages of a removed shop. They may have been edited, so they are not deleted.
fn say_what_stays(context: &Context, place: &Place<'_>, entries: &[Entry], removed: &Entry) {
    let Some(recipe) = &removed.recipe else { return };
    if entries.iter().any(|entry| entry.id != removed.id && entry.recipe.as_ref() == Some(recipe)) {
        return;
    }
    let recipe = place.file.with_file_name(recipe);
    let pages = recipe.file_stem().map(|stem| recipe.with_file_name(format!("{}-pages", stem.display())));
    let left: Vec<String> = std::iter::once(recipe)
        .chain(pages)
        .filter(|path| path.symlink_metadata().is_ok())
        .map(|path| path.display().to_string())
        .collect();
    let what = match left.as_slice() {
        [] => return,
        [one] => format!("{one} was not deleted, because you may have edited it. If you do not need it"),
        several => {
            format!(
                "{} were not deleted, because you may have edited them. If you do not need them",
                several.join(" and ")
            )
        }
    };
    let words: Vec<String> = left.iter().map(|path| quoted(path)).collect();
    context.output.note(Hint::run(what, format!("rm -r {}", words.join(" "))));
}

fn named<'a>(entries: &'a [Entry], wanted: &str, file: &Path) -> Result<&'a Entry> {
    let is_meant = |entry: &&Entry| is_exact(wanted, &entry.name, &entry.id.to_string());
    match entries.iter().filter(is_meant).collect::<Vec<_>>().as_slice() {
        [one] => Ok(one),
        [] => {
            let names = entries.iter().map(|entry| Hint::say(format!("{}   {}", entry.id, entry.name)));
            let names: Vec<Hint> = names.collect();
            let advice = match names.is_empty() {
                true => Advice::from("The file has no shops."),
                false => Advice::from("Name one of these in full:").and(names),
            };
            Err(Error::not_found(format!("There is no shop \"{wanted}\" in {}.", file.display())).hint(advice))
        }
        several => {
            let ids: Vec<Hint> =
                several.iter().map(|entry| Hint::say(format!("{}   {}", entry.id, entry.base_url))).collect();
            Err(Error::usage(format!("Several shops are called \"{wanted}\"."))
                .hint(Advice::from("Give the id:").and(ids)))
        }
    }
}

/// A connection without its retailer could neither be synced nor repaired.
async fn refuse_connected(context: &Context, place: &Place<'_>, entry: &Entry) -> Result<()> {
    let store = place.store;
    if store.file().is_some_and(|path| !path.is_file()) {
        return Ok(());
    }
    let clock = SystemClock::default();
    let failed = |why: ordersync_service::admin::AdminError| match why {
        ordersync_service::admin::AdminError::Store(why) => local::store_error(&why, &store.to_string()),
        why => Error::usage(format!("{why}.")),
    };
    let admin = Admin::open_read_only(store, &clock).await.map_err(failed)?;
    let connections = admin.connections_of(entry.id).await;
    admin.close().await;
    let connections = connections.map_err(failed)?;
    let Some(first) = connections.first() else { return Ok(()) };
    let (name, count) = (&entry.name, connections.len());
    let which = if count == 1 { first.clone() } else { format!("{first} and {} more", count - 1) };
    let advice = match place.is_own {
        true => {
            Advice::from(Hint::run("Remove the connection first", context.command(["connections", "remove", first])))
        }
        false => Advice::from("Its users have to remove their connections first."),
    };
    Err(Error::of(&codes::service::CONNECTION_EXISTS, format!("{name} is connected ({which}), so it was not removed."))
        .hint(advice))
}

async fn agrees(context: &Context, place: &Place<'_>, entry: &Entry) -> Result<bool> {
    let id = entry.id.to_string();
    let words: Vec<&str> = place.command.iter().copied().chain([id.as_str(), "--yes"]).collect();
    let command = context.command(words.as_slice());
    let instead = Advice::from(Hint::run(format!("To remove {} without a question", entry.name), command.as_str()));
    context.prompt.check("An answer", &instead)?;
    let kept = Advice::from([Hint::say("Nothing was removed."), Hint::run("Remove it", command)]);
    let question = format!("Remove {} ({}) and its settings?", entry.name, entry.base_url);
    confirm::agrees(context, &question, &instead, kept).await
}
