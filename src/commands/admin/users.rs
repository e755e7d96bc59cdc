//! `ordersync admin users`.

use std::path::Path;

use ordersync_service::admin::{MANIFEST, OperatedUser, Unbound};
use serde_json::json;

use super::import;
use super::redelete::{self, Redeletion};
use super::{Access, phone_keys, with_store};
use crate::cli::admin::users::{FindArgs, UsersArgs, UsersCommand};
use crate::commands::shared::confirm;
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result};
use crate::export::target;
use crate::export::zip::Package;
use crate::files::atomic;
use crate::output::Mark;
use crate::output::human::{full_time, items};

pub(super) async fn run(context: &Context, arguments: UsersArgs) -> Result<()> {
    let database = arguments.store.database.as_deref();
    match arguments.command {
        UsersCommand::Find(arguments) => find(context, database, &arguments).await,
        UsersCommand::Export { id, out } => export(context, database, &id, &out).await,
        UsersCommand::Import(arguments) => import::run(context, database, &arguments).await,
        UsersCommand::Delete { id, yes } => delete(context, database, &id, yes).await,
        UsersCommand::Redelete { file, dry_run, yes } => {
            redelete::run(context, database, Redeletion { file: &file, dry_run, yes }).await
        }
        UsersCommand::Unbind { client, external_user_id } => {
            with_store(context, database, Access::Write, async |admin| {
                let unbound = admin.unbind(&client, &external_user_id).await?;
                Ok(show_unbound(context, &client, &external_user_id, &unbound)?)
            })
            .await
        }
    }
}

async fn find(context: &Context, database: Option<&str>, arguments: &FindArgs) -> Result<()> {
    let why = "A phone number is found by the service's root key";
    let keys = phone_keys(context, arguments.phone.as_deref(), &arguments.key_files, why)?;
    let users = with_store(context, database, Access::Read, async |admin| {
        Ok(match (&arguments.id, &arguments.phone, &keys, &arguments.client) {
            (Some(id), ..) => vec![admin.user(id).await?],
            (_, Some(phone), Some(keys), _) => admin.users_by_phone(keys, phone).await?,
            (.., Some(client)) => {
                let external = arguments.external_user_id.as_deref().unwrap_or_default();
                vec![admin.user_of_client(client, external).await?]
            }
            _ => Vec::new(),
        })
    })
    .await?;
    if users.is_empty() {
        return Err(Error::not_found("There is no user with this phone number.")
            .hint("The root key fits this store. Check the number and its country's prefix."));
    }
    show(context, &users)
}

fn show(context: &Context, users: &[OperatedUser]) -> Result<()> {
    if context.output.shown(&users)? {
        return Ok(());
    }
    for user in users {
        let clients = user.clients.iter().map(|client| match &client.external_user_id {
            Some(external) => format!("{} ({}, as \"{external}\")", client.name, client.client_id),
            None => format!("{} ({})", client.name, client.client_id),
        });
        for (label, text) in [
            ("User", user.user_id.clone()),
            ("Phone", format!("ends in {}", user.phone_last4)),
            ("Since", full_time(user.created_at)),
            ("Connections", user.connections.to_string()),
            ("Stored", format!("{} orders, {}", user.orders, items(user.items))),
            ("Unfinished", format!("{} syncs", user.unfinished_syncs)),
            ("Clients", clients.collect::<Vec<_>>().join(", ")),
        ] {
            context.output.labelled(label, &text)?;
        }
    }
    Ok(())
}

/// Writes the archive beside its place first, so that there is either a whole one or none.
async fn export(context: &Context, database: Option<&str>, id: &str, out: &Path) -> Result<()> {
    let is_stream = target::is_stream(out);
    if out.exists() && !is_stream {
        return Err(Error::usage(format!("{} exists already, so nothing was written.", out.display()))
            .hint("Name a file that does not exist yet."));
    }
    let broken = |why: std::io::Error| Error::file("write", out, &why);
    let file = match is_stream {
        true => None,
        false => Some(tempfile::NamedTempFile::new_in(atomic::folder(out)).map_err(broken)?),
    };
    let writer = match &file {
        Some(file) => file.reopen().map_err(broken)?,
        None => target::open_stream(out, context.deadline).await?,
    };
    let rows = with_store(context, database, Access::Read, async |admin| {
        let mut package = Package::new(writer, |why| Error::file("write", Path::new("the archive"), why))?;
        let mut file = String::new();
        let failed = |error: Error| std::io::Error::other(error.message().to_owned());
        let written = admin.write_user(id, |of, row| {
            if file != of {
                of.clone_into(&mut file);
                package.file(file.clone()).map_err(failed)?;
            }
            package.bytes(format!("{row}\n").into_bytes()).map_err(failed)
        });
        let manifest = written.await?;
        package.file(MANIFEST.to_owned())?;
        package.bytes(serde_json::to_vec_pretty(&manifest).map_err(|why| Error::file("write", out, &why.into()))?)?;
        package.end()?;
        Ok(manifest.rows.values().sum::<u64>())
    })
    .await?;
    let is_file = file.is_some();
    if let Some(file) = file {
        atomic::place(file, out).map_err(broken)?;
    }
    context.output.marked_note(Mark::Good, format!("Wrote {rows} rows of {id} to {}.", out.display()));
    context.output.note(if is_file {
        "Only you can read the file. It holds personal data."
    } else {
        "It holds personal data."
    });
    Ok(())
}

async fn delete(context: &Context, database: Option<&str>, id: &str, yes: bool) -> Result<()> {
    let user = with_store(context, database, Access::Read, async |admin| Ok(admin.user(id).await?)).await?;
    if !yes {
        let command = context.command(["admin", "users", "delete", id, "--yes"]);
        let instead = Advice::from(Hint::run("To delete the user without a question", command.as_str()));
        context.prompt.check("An answer", &instead)?;
        context.output.announce(format!(
            "This deletes {id} (phone number ending in {}): {} connections, {} orders and {}, with all sign-ins.",
            user.phone_last4,
            user.connections,
            user.orders,
            items(user.items)
        ));
        let kept = Advice::from(Hint::say("Nothing was deleted."));
        if !confirm::agrees(context, &format!("Delete {id}?"), &instead, kept).await? {
            return Err(Error::declined(format!("{id} was not deleted.")));
        }
    }
    let deleted = with_store(context, database, Access::Write, async |admin| Ok(admin.delete_user(id).await?)).await?;
    let tables: serde_json::Map<String, serde_json::Value> =
        deleted.rows.iter().map(|(table, rows)| (table.clone(), json!(rows))).collect();
    if !context.output.shown(&json!({ "userId": id, "deleted": tables, "left": 0 }))? {
        for (table, rows) in &deleted.rows {
            context.output.labelled(table, &rows.to_string())?;
        }
    }
    context.output.marked_note(Mark::Good, format!("Deleted {id}. No table has a row of this user any more."));
    context.output.note("The audit log keeps the bare id, for 400 days.");
    if !deleted.is_log_empty {
        context.output.note("The write-ahead log is in use: what was deleted leaves it within minutes.");
    }
    context.output.note("Backups that were made before still have this user.");
    Ok(())
}

fn show_unbound(context: &Context, client: &str, external_user_id: &str, unbound: &Unbound) -> Result<()> {
    let Unbound { user_id, phone_last4, shared } = unbound;
    let json = json!({
        "clientId": client, "externalUserId": external_user_id, "userId": user_id, "phoneLast4": phone_last4,
        "sharedConnections": shared,
    });
    if context.output.shown(&json)? {
        return Ok(());
    }
    context.output.marked_note(
        Mark::Good,
        format!(
            "\"{external_user_id}\" of {client} is no longer bound to {user_id} (phone number ending in {phone_last4})."
        ),
    );
    context.output.note(
        "The next sign-in with a new link token binds it again, to the user who signs in. Link tokens of before are refused.",
    );
    if *shared > 0 {
        context.output.note(format!(
            "{user_id} keeps sharing {shared} of their connections with {client}, and can withdraw that in the widget."
        ));
    }
    Ok(())
}
