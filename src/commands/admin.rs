//! `ordersync admin`.

use std::path::PathBuf;

use ordersync_api::Scope;
use ordersync_api::scope::{join_scopes, parse_scopes};
use ordersync_service::admin::{Admin, AdminError, NewClient};
use ordersync_service::clock::SystemClock;
use ordersync_service::store::StoreTrouble;
use ordersync_service::store::clients::Client;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::serve;
use crate::cli::admin::{AdminArgs, AdminCommand, ClientsArgs, ClientsCommand, CreateArgs};
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::output::Mark;
use crate::output::table::{Column, Table};

/// Carries out a verb on the service's own store.
///
/// # Errors
/// Where there is no such store or client, or what is to be made is not sound.
pub(super) async fn run(context: &Context, arguments: AdminArgs) -> Result<()> {
    let AdminCommand::Clients(ClientsArgs { database, command }) = arguments.command;
    let path = existing(serve::database(context, database.as_deref())?)?;
    let clock = SystemClock::default();
    let admin = Admin::open(&path, &clock).await.map_err(failed)?;
    let result = match command {
        ClientsCommand::Create(arguments) => create(context, &admin, arguments).await,
        ClientsCommand::List => list(context, &admin).await,
        ClientsCommand::RotateSecret { id } => {
            let secret = admin.rotate_secret(&id).await.map_err(failed);
            secret.and_then(|secret| show(context, &id, Some(&secret)))
        }
        ClientsCommand::Disable { id } => admin.disable(&id).await.map_err(failed).map(|()| {
            context.output.marked_note(Mark::Good, &format!("{id} is disabled, and all that it was given has ended."));
        }),
    };
    admin.close().await;
    result
}

/// A mistyped path is no reason to make a store.
fn existing(path: PathBuf) -> Result<PathBuf> {
    if path.is_file() {
        return Ok(path);
    }
    Err(Error::not_found(format!("There is no store {}.", path.display()))
        .hint("Name the service's own with --database PATH; `ordersync serve` creates it when it first starts."))
}

async fn create(context: &Context, admin: &Admin<'_>, arguments: CreateArgs) -> Result<()> {
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

async fn list(context: &Context, admin: &Admin<'_>) -> Result<()> {
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
        Column::whole("KIND"),
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

#[allow(clippy::needless_pass_by_value, reason = "taken by map_err")]
fn failed(why: AdminError) -> Error {
    let text = why.to_string();
    let mut letters = text.chars();
    let sentence: String =
        letters.next().map(|first| first.to_uppercase().chain(letters).chain(['.']).collect()).unwrap_or_default();
    match why {
        AdminError::Invalid(_) | AdminError::Public(_) => Error::usage(sentence),
        AdminError::Unknown(_) => Error::not_found(sentence).hint("See them all: ordersync admin clients list"),
        AdminError::Store(why) => match why.trouble() {
            Some(StoreTrouble::Locked) => Error::of(&codes::command::STORE_LOCKED, sentence),
            Some(StoreTrouble::Full) => Error::of(&codes::command::DISK_FULL, sentence),
            Some(StoreTrouble::Busy | StoreTrouble::Failing) | None => Error::of(&codes::command::STORE, sentence),
        },
        AdminError::Randomness(_) => Error::of(&codes::command::SYSTEM, sentence),
    }
}
