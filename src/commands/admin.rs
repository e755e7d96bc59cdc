//! `ordersync admin`.

use std::path::{Path, PathBuf};

use ordersync_api::Scope;
use ordersync_api::scope::{join_scopes, parse_scopes};
use ordersync_service::BadShopAddress;
use ordersync_service::Client;
use ordersync_service::SystemClock;
use ordersync_service::admin::{Admin, AdminError, NewClient, Unbound};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::serve;
use super::shared::removed_shop::Place;
use super::shared::{added_shop, removed_shop};
use crate::atomic_file;
use crate::cli::admin::{
    AdminArgs, AdminCommand, AdminRetailersArgs, AdminRetailersCommand, ClientsArgs, ClientsCommand, CreateArgs,
    UsersArgs, UsersCommand,
};
use crate::codes;
use crate::config::retailers_file;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::hint::Hint;
use crate::local;
use crate::output::Mark;
use crate::output::table::{Column, Table};

/// Carries out a verb on the service's own store.
///
/// # Errors
///
/// If there is no such store or client, or the request is invalid.
pub(super) async fn run(context: &Context, arguments: AdminArgs) -> Result<()> {
    match arguments.command {
        AdminCommand::Clients(arguments) => clients(context, arguments).await,
        AdminCommand::Users(arguments) => users(context, arguments).await,
        AdminCommand::Retailers(arguments) => Box::pin(retailers(context, arguments)).await,
    }
}

async fn clients(context: &Context, arguments: ClientsArgs) -> Result<()> {
    let path = existing(serve::database(context, arguments.database.as_deref())?)?;
    let clock = SystemClock::default();
    let failed = |why| failed(why, &path);
    let admin = match arguments.command {
        ClientsCommand::List => Admin::open_read_only(&path, &clock).await,
        _ => Admin::open(&path, &clock).await,
    };
    let admin = admin.map_err(failed)?;
    let result = match arguments.command {
        ClientsCommand::Create(arguments) => create(context, &admin, arguments, &failed).await,
        ClientsCommand::List => list(context, &admin, &failed).await,
        ClientsCommand::RotateSecret { id } => match admin.rotate_secret(&id).await {
            Ok(rotated) => show(context, &id, Some(&rotated.secret)).map(|()| {
                if rotated.is_disabled {
                    context.output.note(Hint::run(
                        format!("{id} is disabled, so this secret is refused until you enable it"),
                        format!("ordersync admin clients enable {id}"),
                    ));
                }
            }),
            Err(why) => Err(failed(why)),
        },
        ClientsCommand::Enable { id } => admin.enable(&id).await.map_err(failed).map(|()| {
            context.output.marked_note(Mark::Good, format!("{id} is enabled. Its users have to sign in again."));
        }),
        ClientsCommand::Disable { id } => admin.disable(&id).await.map_err(failed).map(|()| {
            context.output.marked_note(Mark::Good, format!("{id} is disabled, and all that it was given has ended."));
        }),
    };
    admin.close().await;
    result
}

/// Adds or removes a shop of the file that `serve --retailers` reads.
async fn retailers(context: &Context, arguments: AdminRetailersArgs) -> Result<()> {
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

async fn users(context: &Context, arguments: UsersArgs) -> Result<()> {
    let path = existing(serve::database(context, arguments.database.as_deref())?)?;
    let clock = SystemClock::default();
    let admin = Admin::open(&path, &clock).await.map_err(|why| failed(why, &path))?;
    let UsersCommand::Unbind { client, external_user_id } = arguments.command;
    let result = match admin.unbind(&client, &external_user_id).await {
        Ok(unbound) => show_unbound(context, &client, &external_user_id, &unbound),
        Err(why) => Err(failed(why, &path)),
    };
    admin.close().await;
    result
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

/// A mistyped path is no reason to make a store.
fn existing(path: PathBuf) -> Result<PathBuf> {
    if path.is_file() {
        return Ok(path);
    }
    Err(Error::not_found(format!("There is no store {}.", path.display()))
        .hint("Name the service's own with --database PATH; `ordersync serve` creates it when it first starts."))
}

async fn create(
    context: &Context,
    admin: &Admin<'_>,
    arguments: CreateArgs,
    failed: &impl Fn(AdminError) -> Error,
) -> Result<()> {
    let scopes = match &arguments.scopes {
        None => Scope::ALL.to_vec(),
        Some(text) => parse_scopes(text).map_err(|why| {
            Error::usage(format!("--scopes: {why}.")).hint(format!("There are: {}", join_scopes(Scope::ALL)))
        })?,
    };
    let client = NewClient {
        name: arguments.name,
        redirect_uris: arguments.redirect_uris,
        scopes,
        confidential: !arguments.public,
        frame_ancestors: arguments.frame_ancestors,
    };
    let created = admin.create(&client).await.map_err(failed)?;
    show(context, &created.client_id, created.secret.as_ref())
}

/// The one time that a secret is shown.
fn show(context: &Context, id: &str, secret: Option<&SecretString>) -> Result<()> {
    let secret = secret.map(|secret| secret.expose_secret());
    if context.output.shown(&json!({ "clientId": id, "clientSecret": secret }))? {
        return Ok(());
    }
    context.output.line(&format!("Client ID:      {id}"))?;
    if let Some(secret) = secret {
        context.output.line(&format!("Client secret:  {secret}"))?;
        context.output.note("Keep the secret now: it is shown this once, and stored as a digest alone.");
    }
    Ok(())
}

async fn list(context: &Context, admin: &Admin<'_>, failed: &impl Fn(AdminError) -> Error) -> Result<()> {
    let clients = admin.list().await.map_err(failed)?;
    if context.output.shown(&clients.iter().map(to_json).collect::<Vec<Value>>())? {
        return Ok(());
    }
    if clients.is_empty() {
        context.output.note("There is no client yet.");
    }
    let mut table = Table::new(&[
        Column::whole("CLIENT"),
        Column::text("NAME"),
        Column::whole("KIND").optional(2),
        Column::state("STATUS"),
        Column::text("SCOPES").optional(1),
        Column::text("REDIRECTS TO").optional(0),
    ]);
    for client in &clients {
        table.row([
            client.id.clone(),
            client.name.clone(),
            kind(client).to_owned(),
            if client.disabled_at.is_some() { "disabled" } else { "enabled" }.to_owned(),
            join_scopes(&client.scopes),
            client.redirect_uris.join(" "),
        ]);
    }
    context.output.table(&table)
}

fn kind(client: &Client) -> &'static str {
    if client.secret_digest.is_some() { "confidential" } else { "public" }
}

fn to_json(client: &Client) -> Value {
    json!({
        "clientId": client.id,
        "name": client.name,
        "kind": kind(client),
        "scopes": client.scopes,
        "redirectUris": client.redirect_uris,
        "frameAncestors": client.frame_ancestors,
        "createdAt": client.created_at,
        "disabledAt": client.disabled_at,
    })
}

fn failed(why: AdminError, path: &Path) -> Error {
    let text = why.to_string();
    let mut letters = text.chars();
    let sentence: String =
        letters.next().map(|first| first.to_uppercase().chain(letters).chain(['.']).collect()).unwrap_or_default();
    match why {
        AdminError::Invalid(_) | AdminError::Public(_) | AdminError::Enabled(_) => Error::usage(sentence),
        AdminError::Unknown(_) => {
            Error::not_found(sentence).hint(Hint::run("See them all", "ordersync admin clients list"))
        }
        AdminError::NotBound { .. } => Error::not_found(sentence)
            .hint("Identifiers are compared to the letter. Does the client name this one in POST /v1/link/token?"),
        AdminError::Store(why) => local::store_error(&why, &path.display().to_string()),
        AdminError::Randomness(_) => Error::of(&codes::command::SYSTEM, sentence),
    }
}
