//! `ordersync admin users import`: a user from an archive, into the service's own store.

use std::collections::BTreeMap;

use ordersync_service::admin::{ImportRefusal, Imported, ImportedAs};
use serde_json::json;

use super::archive::Archive;
use super::{Access, phone_keys, with_store};
use crate::cli::admin::users::ImportUserArgs;
use crate::context::Context;
use crate::errors::{Error, Hint, Result};
use crate::output::Mark;

/// Why the rows of a table are not imported, and what the user or the operator does about it. All others are of use for a day at
/// most.
const LEFT: [(&str, &str); 9] = [
    ("order_documents", "documents: the user imports the files again that `orders documents` wrote"),
    ("document_blocks", "the contents of documents"),
    ("access_tokens", "sign-ins"),
    ("refresh_tokens", "sign-ins"),
    ("authorization_codes", "sign-ins"),
    ("device_codes", "sign-ins"),
    ("browser_sessions", "sign-ins"),
    ("state_blocks", "of syncs that were ended"),
    ("sandbox_failures", "set them again with `ordersync sandbox fail`"),
];

pub(super) async fn run(context: &Context, database: Option<&str>, arguments: &ImportUserArgs) -> Result<()> {
    let clients = replaced_clients(&arguments.clients)?;
    let why = "A phone number is stored under the service's root key";
    let keys = phone_keys(context, arguments.phone.as_deref(), &arguments.key_files, why)?;
    let archive = Archive::open(&arguments.file)?;
    let asked = ImportedAs {
        phone: keys.as_ref().zip(arguments.phone.as_deref()),
        clients: &clients,
        restore_deleted: arguments.restore_deleted,
        dry_run: arguments.dry_run,
    };
    let imported =
        with_store(context, database, Access::Write, async |admin| Ok(admin.import_user(&archive, &asked).await?))
            .await?;
    show(context, arguments, &imported)
}

/// Pairs of clients, as they are typed.
fn replaced_clients(pairs: &[String]) -> Result<BTreeMap<String, String>> {
    let mut clients = BTreeMap::new();
    for pair in pairs {
        let ids = pair.split_once('=').filter(|(old, new)| !old.is_empty() && !new.is_empty());
        let (old, new) = ids.ok_or_else(|| {
            Error::usage(format!("\"{pair}\" is no pair of clients.")).hint("Write --client OLD=NEW, with both ids.")
        })?;
        if clients.values().any(|known| known == new) || clients.insert(old.to_owned(), new.to_owned()).is_some() {
            return Err(Error::usage(format!("--client {pair} names a client a second time.")));
        }
    }
    Ok(clients)
}

fn show(context: &Context, arguments: &ImportUserArgs, imported: &Imported) -> Result<()> {
    let Imported { user_id, rows, left, to_fix, ended_syncs } = imported;
    let connections: Vec<_> = to_fix
        .iter()
        .map(|one| json!({ "connectionId": one.id, "retailerId": one.retailer_id, "displayName": one.display_name }))
        .collect();
    let json = json!({
        "userId": user_id, "imported": rows, "left": left, "connectionsToFix": connections, "endedSyncs": ended_syncs,
        "isDryRun": arguments.dry_run,
    });
    let is_machine = context.output.shown(&json)?;
    if !is_machine {
        for (table, count) in rows {
            context.output.labelled(table, &count.to_string())?;
        }
    }
    let sum: u64 = rows.values().sum();
    let file = arguments.file.display();
    context.output.marked_note(
        Mark::Good,
        match arguments.dry_run {
            true => format!("{file} can be imported: {} of {user_id}. Nothing was stored.", in_words(sum)),
            false => format!("Imported {} of {user_id} from {file}.", in_words(sum)),
        },
    );
    missing(context, imported);
    Ok(())
}

fn in_words(rows: u64) -> String {
    if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") }
}

/// Says what is missing, and what the user has to do.
fn missing(context: &Context, imported: &Imported) {
    let Imported { left, to_fix, ended_syncs, .. } = imported;
    context.output.note("The user has to sign in again in every app and browser: sign-ins are in no archive.");
    if !to_fix.is_empty() {
        context.output.note(format!(
            "Credentials are in no archive, so the user has to fix each connection (`ordersync fix`): {}. Make sure that these \
             ids are the same shops in this service:",
            to_fix.len()
        ));
        for one in to_fix {
            context.output.note(format!("  retailer {} ({}): {}", one.retailer_id, one.display_name, one.id));
        }
    }
    if *ended_syncs > 0 {
        context.output.note(format!("Syncs that were under way, and were ended: {ended_syncs}."));
    }
    for (table, count) in left {
        let said = LEFT.iter().find(|(name, _)| name == table).map_or("of use for a day at most", |(_, said)| said);
        context.output.note(format!("Not imported: {} of {table} ({said}).", in_words(*count)));
    }
}

/// The error of an archive that is not imported: its sentence is made already.
pub(super) fn refused(refusal: &ImportRefusal, sentence: String) -> Error {
    let error = Error::usage(sentence);
    match refusal {
        ImportRefusal::Archive { .. } | ImportRefusal::Contradiction(_) => {
            error.hint("Nothing was stored. Export the user again, and do not change the archive.")
        }
        ImportRefusal::Format { .. } | ImportRefusal::StoreVersion { .. } => error.hint(
            "Export the user again with this version. If that is not possible: import the archive with its own version into a new \
             store, upgrade that store, and export the user from it.",
        ),
        ImportRefusal::NotServed => {
            error.hint("Start `ordersync serve` on it once, with its root key, and stop it or leave it running.")
        }
        ImportRefusal::Environment { .. } => {
            error.hint("A sandbox's users can be imported only into a sandbox, and those of a live service into a live one.")
        }
        ImportRefusal::Exists(_) => error.hint("Nothing was stored, and nothing was changed."),
        ImportRefusal::BeingDeleted { .. } => error.hint("Run the command again when the service has deleted them."),
        ImportRefusal::Deleted { .. } => {
            error.hint("If that was a mistake, and the user agrees, import them with --restore-deleted.")
        }
        ImportRefusal::Clients(_) => error.hint([
            Hint::run("Create a client", "ordersync admin clients create"),
            Hint::say("Then name it with --client OLD=NEW: OLD is the id in the archive."),
        ]),
        ImportRefusal::UnusedClient(_) => error.hint("Give --client only for ids that the archive has."),
        ImportRefusal::PhoneKey(_) => error.hint(
            "Give the user's phone number with --phone, and this service's root key with --key-file: phone numbers are in no archive.",
        ),
        ImportRefusal::PhoneTaken(_) => error.hint(
            "They signed in again and became a new user. Delete that one first, if the archive is to take its place.",
        ),
    }
}
