//! `ordersync admin clients`.

use std::num::NonZeroU32;

use ordersync_api::Scope;
use ordersync_api::scope::{join_scopes, parse_scopes};
use ordersync_service::Client;
use ordersync_service::admin::{Addresses, Admin, NewClient};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::{Access, Failed, with_store};
use crate::cli::admin::clients::{ClientsArgs, ClientsCommand, CreateArgs, UpdateArgs};
use crate::context::Context;
use crate::errors::{Error, Hint, Result};
use crate::output::Mark;
use crate::output::table::{Column, Table};

pub(super) async fn run(context: &Context, arguments: ClientsArgs) -> Result<()> {
    let access = if matches!(arguments.command, ClientsCommand::List) { Access::Read } else { Access::Write };
    with_store(context, arguments.store.database.as_deref(), access, async |admin| {
        match arguments.command {
            ClientsCommand::Create(arguments) => create(context, admin, arguments).await?,
            ClientsCommand::List => list(context, &admin.list().await?)?,
            ClientsCommand::Update(arguments) => update(context, admin, arguments).await?,
            ClientsCommand::RotateSecret { id } => {
                let rotated = admin.rotate_secret(&id).await?;
                show(context, &id, Some(&rotated.secret))?;
                if rotated.is_disabled {
                    context.output.note(Hint::run(
                        format!("{id} is disabled, so this secret is refused until you enable it"),
                        context.command(["admin", "clients", "enable", &id]),
                    ));
                }
            }
            ClientsCommand::Enable { id } => {
                admin.enable(&id).await?;
                context.output.marked_note(Mark::Good, format!("{id} is enabled. Its users have to sign in again."));
            }
            ClientsCommand::Limit { id, requests_per_minute, default: _ } => {
                admin.limit(&id, requests_per_minute.and_then(NonZeroU32::new)).await?;
                let text = match requests_per_minute {
                    Some(requests) => format!("{id} may make {requests} requests in a minute."),
                    None => format!("{id} may make as many requests as every client."),
                };
                context.output.marked_note(Mark::Good, text);
            }
            ClientsCommand::Disable { id } => {
                admin.disable(&id).await?;
                context
                    .output
                    .marked_note(Mark::Good, format!("{id} is disabled, and all that it was given has ended."));
            }
        }
        Ok(())
    })
    .await
}

async fn create(context: &Context, admin: &Admin<'_>, arguments: CreateArgs) -> Result<(), Failed> {
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
        return_urls: arguments.return_urls,
    };
    let created = admin.create(&client).await?;
    Ok(show(context, &created.client_id, created.secret.as_ref())?)
}

async fn update(context: &Context, admin: &Admin<'_>, arguments: UpdateArgs) -> Result<(), Failed> {
    let replaced = |given: Vec<String>, none: bool| (none || !given.is_empty()).then_some(given);
    let addresses = Addresses {
        redirect_uris: replaced(arguments.redirect_uris, arguments.no_redirect_uris),
        return_urls: replaced(arguments.return_urls, arguments.no_return_urls),
        frame_ancestors: replaced(arguments.frame_ancestors, arguments.no_frame_ancestors),
    };
    let client = admin.update(&arguments.id, &addresses).await?;
    if context.output.shown(&to_json(&client))? {
        return Ok(());
    }
    let listed = |list: &[String]| if list.is_empty() { "none".to_owned() } else { list.join(" ") };
    for (name, list) in [
        ("Redirect URIs:   ", &client.redirect_uris),
        ("Return URLs:     ", &client.return_urls),
        ("Frame ancestors: ", &client.frame_ancestors),
    ] {
        context.output.line(&format!("{name} {}", listed(list)))?;
    }
    Ok(())
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

fn list(context: &Context, clients: &[Client]) -> Result<()> {
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
        Column::amount("REQUESTS/MIN").optional(3),
        Column::text("SCOPES").optional(1),
        Column::text("REDIRECTS TO").optional(0),
        Column::text("RETURNS TO").optional(0),
    ]);
    for client in clients {
        table.row([
            client.id.clone(),
            client.name.clone(),
            kind(client).to_owned(),
            if client.disabled_at.is_some() { "disabled" } else { "enabled" }.to_owned(),
            client.requests_per_minute.map_or_else(|| "default".to_owned(), |requests| requests.to_string()),
            join_scopes(&client.scopes),
            client.redirect_uris.join(" "),
            client.return_urls.join(" "),
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
        "returnUrls": client.return_urls,
        "frameAncestors": client.frame_ancestors,
        "requestsPerMinute": client.requests_per_minute,
        "createdAt": client.created_at,
        "disabledAt": client.disabled_at,
    })
}
