//! `ordersync fix`.

use ordersync_api::{ConnectMode, Connection, ConnectionStatus, Id, Retailer, SyncErrorCode};

use super::connections;
use super::shared::{broken_shops, busy, connect_flow, display_name, resolve};
use crate::cli::fix::FixArgs;
use crate::cli::shared::ConnectOptions;
use crate::config::retailers_file::{self, FILE};
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::names::is_exact;
use crate::output::human::reason;
use crate::output::sanitize::clean;
use crate::prompt::Question;

/// Repairs a connection and follows the sync.
pub(super) async fn run(context: &Context, arguments: FixArgs) -> Result<()> {
    let client = context.client().await?;
    let named = arguments.connection.as_deref().or(arguments.retailer.as_deref());
    let connection = match named {
        Some(wanted) => {
            let [argument, option] =
                [&arguments.connection, &arguments.retailer].map(|one| one.as_deref().into_iter().collect());
            let ids = resolve::same_connection_ids(client, &[argument, option]).await?;
            let connection = client.connection(ids.first().map_or(wanted, Id::as_str)).await?;
            say_which(context, &connection, wanted);
            connection
        }
        None => match broken(context, arguments.options.credentials.yes).await? {
            Some(connection) => connection,
            None => return Ok(()),
        },
    };
    let catalog = client.retailers().await?;
    repair(context, &catalog, &connection, &arguments.options).await
}

/// Says whose credentials are wanted, unless the user gave the whole name or an id: they must not go elsewhere.
fn say_which(context: &Context, connection: &Connection, wanted: &str) {
    let name = display_name::name(connection);
    let is_whole =
        is_exact(wanted, &name, connection.connection_id.as_str()) || wanted == connection.retailer_id.to_string();
    if !is_whole {
        context.output.announce(format!("Repairing {name} ({}).", connection.connection_id));
    }
}

/// Repairs a connection.
pub(super) async fn repair(
    context: &Context,
    catalog: &[Retailer],
    connection: &Connection,
    means: &ConnectOptions,
) -> Result<()> {
    busy::refuse_credentials(context, context.client().await?, connection).await?;
    let retailer = match resolve::retailer(catalog, &connection.retailer_id.to_string()) {
        Err(_) if connection.is_import_only() => {
            let name = display_name::name(connection);
            let message = format!("{name} has no account to fix: its orders come from files.");
            return Err(Error::of(&codes::service::CONNECTION_HAS_NO_ACCOUNT, message));
        }
        found => found?,
    };
    broken_shops::check_connectable(context, retailer)?;
    say_address(context, connection);
    let again = context.command(["fix", connection.connection_id.as_str()]);
    let kept = Advice::from("Nothing was sent; the connection is as it was.").and(Hint::run("Start again", again));
    connect_flow::run(context, retailer, ConnectMode::Fix, means, kept).await
}

/// Says where the credentials go, if the shop's address is not the one that they were given for before.
fn say_address(context: &Context, connection: &Connection) {
    if connection.status_reason.as_deref() != Some(SyncErrorCode::RetailerMoved.as_str()) || !context.is_local() {
        return;
    }
    let entries = retailers_file::entries(&context.settings.folders.config.join(FILE)).unwrap_or_default();
    if let Some(entry) = entries.iter().find(|entry| entry.id == connection.retailer_id) {
        context.output.announce(format!("Its address is now {}: the credentials go there.", entry.base_url));
    }
}

/// The invalid connection that the user means. If the user cannot be asked, it has to be named, or with `--yes` be the
/// only one: credentials must not go to another retailer than the one that they are for.
async fn broken(context: &Context, yes: bool) -> Result<Option<Connection>> {
    let mut invalid = context.client().await?.connections(Some(ConnectionStatus::Invalid)).await?;
    // Another deployment may not know the filter.
    invalid.retain(|connection| connection.status.is(&ConnectionStatus::Invalid));
    if invalid.is_empty() {
        let next = connections::first_step(context.client().await?).await;
        let none = if next == "connect" { "no retailer is connected" } else { "no connection is invalid" };
        context.output.note(format!("Nothing to fix: {none}."));
        context.output.next(&[context.command(next)]);
        return Ok(None);
    }
    let commands = invalid.iter().map(|connection| {
        Hint::run(clean(&label(connection)), context.command(["fix", connection.connection_id.as_str()]))
    });
    let instead = Advice::from("Name it, or give --retailer ID|NAME:").and(commands.collect::<Vec<_>>());
    context.if_broken_off([Hint::say("Nothing was sent."), Hint::run("Start again", context.command("fix"))]);
    if let [only] = invalid.as_slice() {
        if !yes {
            let only = Hint::run("Or choose the only one", context.command("fix --yes"));
            context.prompt.check("The connection to fix", &instead.and(only))?;
        }
        // No question: the prompt for the fields names the retailer, and Ctrl-C ends it.
        context.output.note(format!("Repairing {}", label(only)));
        return Ok(invalid.pop());
    }
    let question = Question::new("Connection to fix", &instead);
    let chosen = context.prompt.choose(&question, invalid.iter().map(label).collect()).await?;
    chosen.and_then(|chosen| invalid.into_iter().nth(chosen)).map(Some).ok_or_else(Error::interrupted)
}

fn label(connection: &Connection) -> String {
    let name = connection.display_name.clone().unwrap_or_else(|| format!("Retailer {}", connection.retailer_id));
    match connection.status_reason.as_deref() {
        Some(code) => format!("{name} ({})", reason(code)),
        None => name,
    }
}
