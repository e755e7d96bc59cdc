//! `ordersync connect`.

use ordersync_api::{ConnectMode, Connection, ConnectionStatus, Retailer};

use super::fix;
use super::shared::{broken_shops, busy, connect_flow, display_name, resolve, run_sync};
use crate::cli::connect::ConnectArgs;
use crate::cli::shared::ConnectOptions;
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::prompt::{PickItem, Question};

/// Connects a retailer and follows the first sync.
pub(super) async fn run(context: &Context, arguments: ConnectArgs) -> Result<()> {
    let client = context.client().await?;
    let catalog = client.retailers().await?;
    let connected = client.connections(None).await?;
    let wanted = arguments.name.as_ref().or(arguments.retailer.as_ref());
    if let (Some(argument), Some(option)) = (&arguments.name, &arguments.retailer) {
        resolve::retailer_named_twice(&catalog, argument, option)?;
    }
    let (retailer, is_picked) = match wanted {
        None => (ask(context, "Retailer", &catalog.iter().collect::<Vec<_>>(), &connected).await?, true),
        Some(wanted) => match resolve::fitting(&catalog, wanted)?.as_slice() {
            [one] => (*one, false),
            several if context.prompt.is_possible() && several.iter().any(|one| one.sync_config.server_side) => {
                let question = format!("\"{wanted}\" matches several. Retailer");
                (ask(context, &question, several, &connected).await?, true)
            }
            _ => (resolve::retailer(&catalog, wanted)?, false),
        },
    };
    let means = &arguments.options;
    broken_shops::check_connectable(context, retailer)?;
    context.remember(|known| {
        known.set_retailers(&catalog);
        known.set_connections(&connected);
    });
    // Orders from files come without an account: it is connected now.
    let has_account = |connection: &&Connection| !connection.is_import_only();
    let of_retailer = |connection: &&Connection| connection.retailer_id == retailer.retailer_id;
    if let Some(connection) = connected.iter().filter(has_account).find(of_retailer) {
        return already(context, &catalog, connection, means).await;
    }
    if wanted.is_some_and(|wanted| !is_picked && !resolve::is_whole(retailer, wanted)) {
        context.output.announce(format!("Connecting {} (retailer {}).", retailer.display_name, retailer.retailer_id));
    }
    let again = context.command(["connect", "--retailer", &retailer.retailer_id.to_string()]);
    let kept = Advice::from([Hint::say("Nothing was sent."), Hint::run("Start again", again)]);
    connect_flow::run(context, retailer, ConnectMode::Connect, means, kept).await
}

/// Continues with a retailer that is connected already: repairs the connection if it is invalid, else asks what is
/// wanted of it. If the user cannot be asked, the commands to choose from are printed, before anything is sent.
async fn already(
    context: &Context,
    catalog: &[Retailer],
    connection: &Connection,
    means: &ConnectOptions,
) -> Result<()> {
    if !context.prompt.is_possible() {
        return Err(exists(context, connection).await?);
    }
    let name = display_name::name(connection);
    if connection.status.is(&ConnectionStatus::Invalid) {
        context.output.announce(format!("{name} is connected already, and has to be repaired."));
        return fix::repair(context, catalog, connection, means).await;
    }
    let id = &connection.connection_id;
    let commands = [context.command(["sync", "--connection", id.as_str()]), context.command(["fix", id.as_str()])];
    let [sync, fix] = commands.clone();
    context.if_broken_off([
        Hint::say("Nothing was sent."),
        Hint::run("Fetch what is new", sync),
        Hint::run("Give other credentials", fix),
    ]);
    let instead = commands.map(Hint::command);
    let question = Question::new(&format!("{name} is connected already. What now?"), instead).short("What now?");
    let options = vec!["Fetch what is new".to_owned(), "Give other credentials".to_owned()];
    match context.prompt.choose(&question, options).await? {
        Some(0) => {
            let client = context.client().await?;
            let sent = client.sync_connection(id.as_str(), false).await;
            run_sync::finish(context, client, sent, &means.mfa, means.wait).await
        }
        Some(_) => fix::repair(context, catalog, connection, means).await,
        None => Err(Error::interrupted()),
    }
}

async fn exists(context: &Context, connection: &Connection) -> Result<Error> {
    let (name, id) = (display_name::name(connection), &connection.connection_id);
    let message = format!("{name} is connected already ({id}, {}).", connection.status);
    let fix = context.command(["fix", id.as_str()]);
    let hint = match busy::find(context.client().await?, connection).await? {
        Some(under_way) => Advice::from(under_way.hint(context)),
        None if connection.status.is(&ConnectionStatus::Invalid) => Hint::run("Repair it", fix).into(),
        None => {
            let sync = context.command(["sync", "--connection", id.as_str()]);
            Advice::from([Hint::run("Fetch what is new", sync), Hint::run("Give other credentials", fix)])
        }
    };
    Ok(Error::of(&codes::service::CONNECTION_EXISTS, message).hint(hint))
}

/// Lets the user choose one of those retailers that can be connected; those that are connected already say so, at the
/// end.
async fn ask<'a>(
    context: &Context,
    question: &str,
    among: &[&'a Retailer],
    connected: &[Connection],
) -> Result<&'a Retailer> {
    let instead = Hint::run("Give --retailer ID|NAME; the catalog", "ordersync retailers");
    context.prompt.check("A retailer", &instead.clone().into())?;
    let question = Question::new(question, instead).short("Retailer");
    let is_connected = |retailer: &Retailer| {
        let has_account = connected.iter().filter(|connection| !connection.is_import_only());
        has_account.into_iter().any(|connection| connection.retailer_id == retailer.retailer_id)
    };
    let mut connectable: Vec<&Retailer> =
        among.iter().copied().filter(|retailer| retailer.sync_config.server_side).collect();
    connectable.sort_by_key(|retailer| is_connected(retailer));
    let entries = connectable.iter().map(|retailer| PickItem {
        name: retailer.display_name.clone(),
        id: retailer.retailer_id.to_string(),
        note: is_connected(retailer).then(|| "connected".to_owned()),
    });
    let entries: Vec<PickItem> = entries.collect();
    context.if_broken_off([Hint::say("Nothing was sent."), Hint::run("Start again", context.command("connect"))]);
    let chosen = context.prompt.pick(&question, &entries).await?;
    chosen.and_then(|chosen| connectable.get(chosen).copied()).ok_or_else(Error::interrupted)
}
