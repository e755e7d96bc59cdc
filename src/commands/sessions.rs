//! `ordersync sessions`.

use ordersync_api::{ErrorCode, Id, Open, Session, SessionStatus, Timestamp};
use serde::Serialize;

use super::connections;
use super::shared::{active_sessions, resolve_session, sync_report};
use crate::cli::sessions::{SessionsArgs, SessionsCommand, WatchArgs};
use crate::context::Context;
use crate::errors::{Error, Exit, Hint, Result};
use crate::follow;
use crate::follow::label::label;
use crate::follow::mfa::Answers;
use crate::output::human::{reason, time};
use crate::output::table::{Column, Table};

/// Shows or follows a session.
pub(super) async fn run(context: &Context, arguments: SessionsArgs) -> Result<()> {
    match arguments.command {
        None | Some(SessionsCommand::Latest) => show(context, &latest(context).await?),
        Some(SessionsCommand::List) => list(context).await,
        Some(SessionsCommand::Get { id }) => show(context, &resolve_session::session(context, &id).await?),
        Some(SessionsCommand::Watch(arguments)) => watch(context, &arguments).await,
    }
}

/// The most recent session.
pub(super) async fn latest(context: &Context) -> Result<Session> {
    let client = context.client().await?;
    match client.latest_session().await {
        Err(error) if error.is(ErrorCode::NotFound) => {
            let none = Error::not_found("There has been no sync yet.").with_response(404, error.request_id(), None);
            let first = context.command(connections::first_step(client).await);
            Err(none.hint(Hint::run("Begin with", first)))
        }
        answer => answer,
    }
}

/// A session in a list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionRow {
    batch_id: Id,
    status: Open<SessionStatus>,
    created_at: Option<Open<Timestamp>>,
    retailers: Vec<String>,
}

/// Lists the sessions that are known: the interface tells the most recent one, and of each connection its last one.
async fn list(context: &Context) -> Result<()> {
    let client = context.client().await?;
    let connections = client.connections(None).await?;
    let sessions = active_sessions::sessions(context, client, &connections).await?;
    for session in sessions.iter().rev() {
        context.remember(|known| known.add_session(session));
    }
    if sessions.is_empty() {
        context.output.note("There has been no sync yet.");
        context.output.next(&[context.command(if connections.is_empty() { "connect" } else { "sync" })]);
    }
    let listed: Vec<SessionRow> = sessions
        .iter()
        .map(|session| SessionRow {
            batch_id: session.batch_id.clone(),
            status: session.status.clone(),
            created_at: session.created_at.clone(),
            retailers: session.retailer_sync_sessions.iter().map(|part| label(session, part)).collect(),
        })
        .collect();
    context.output.list(&listed, |rows| {
        let mut table = Table::new(&[
            Column::whole("BATCH").optional(0),
            Column::whole("STARTED"),
            Column::state("STATE"),
            Column::text("RETAILERS"),
        ]);
        for (row, session) in rows.iter().zip(&sessions) {
            table.row([
                row.batch_id.to_string(),
                time(row.created_at.as_ref()),
                state(session).to_owned(),
                row.retailers.join(", "),
            ]);
        }
        table
    })
}

/// The state of a session, in a word.
fn state(session: &Session) -> &'static str {
    if follow::is_over(session) {
        "ended"
    } else if follow::open_requests(session).is_empty() {
        "running"
    } else {
        "waiting"
    }
}

async fn watch(context: &Context, arguments: &WatchArgs) -> Result<()> {
    let batch = match &arguments.id {
        Some(id) => id.clone(),
        None => latest(context).await?.batch_id.0,
    };
    let mut answers = Answers::new(&arguments.mfa);
    let client = context.client().await?;
    let session = match follow::follow(context, client, &batch, &mut answers).await {
        // What is not the id of a session may be the beginning of one, or a name.
        Err(error) if error.exit() == Exit::NotFound => match resolve_session::short_id(context, &batch).await? {
            Some(id) => follow::follow(context, client, id.as_str(), &mut answers).await?,
            None => return Err(error.where_unknown(Hint::run("See the latest session", context.command("sessions")))),
        },
        session => session?,
    };
    sync_report::conclude(context, &session)
}

fn show(context: &Context, session: &Session) -> Result<()> {
    context.remember(|known| known.add_session(session));
    if context.output.shown(session)? {
        return Ok(());
    }
    let (batch, started) = (&session.batch_id, time(session.created_at.as_ref()));
    let state = if follow::is_over(session) { "ended" } else { "running" };
    context.output.prose(format!("Session {batch}: {state}, started {started}"))?;
    if session.retailer_sync_sessions.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&[
        Column::text("RETAILER"),
        Column::state("STATUS"),
        Column::number("ITEMS").optional(0),
        Column::number("NEW").optional(1),
        Column::text("ERROR"),
    ]);
    let count = |count: Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
    for retailer in &session.retailer_sync_sessions {
        table.row([
            label(session, retailer),
            follow::state(retailer),
            count(retailer.items_found),
            count(retailer.items_new),
            retailer.error.as_ref().map(|error| reason(&error.code.to_string())).unwrap_or_default(),
        ]);
    }
    context.output.table(&table)?;
    for retailer in &session.retailer_sync_sessions {
        if let Some(checked) = follow::checked(retailer) {
            context.output.line(&format!("{}: {checked}", label(session, retailer)))?;
        }
    }
    for request in follow::open_requests(session) {
        context.output.next(&[context.command(["mfa", "--batch", batch.as_str(), "--req-id", request.req_id])]);
    }
    Ok(())
}
