//! The main job with a retailer: connect, sync, read back, export. What stays is said, with the command that removes it.

use std::collections::BTreeMap;
use std::time::Instant;

use ordersync_api::{ConnectMode, Connection, ConnectionStatus, ErrorCode, Retailer, Session, SyncStatus};
use serde_json::json;

use super::contract::{self, CheckResult, Fault};
use super::{Check, CheckReport, done};
use crate::cli::smoke::SmokeArgs;
use crate::client::{Client, OrderFilter};
use crate::commands::shared::{credentials, resolve};
use crate::context::Context;
use crate::errors::{Error, Hint, Result};
use crate::export;
use crate::export::csv::CsvSink;
use crate::follow::follow;
use crate::follow::mfa::Answers;
use crate::output;
use crate::output::human::items;

/// The checks, in their order.
pub(super) const CHECKS: [&str; 3] = ["connect", "connection-valid", "export"];

struct Synced {
    retailer: Retailer,
    /// Whether the connection is new.
    made: bool,
    items_found: u64,
}

pub(super) async fn run(
    context: &Context,
    client: &Client,
    wanted: &str,
    arguments: &SmokeArgs,
    report: &mut CheckReport,
) -> Result<()> {
    let began = Instant::now();
    let synced = match Box::pin(sync(context, client, wanted, arguments)).await {
        Ok(synced) => synced,
        Err(fault) => {
            report.add(contract::told("connect", Err(fault)).took(began.elapsed()))?;
            return CHECKS.into_iter().skip(1).try_for_each(|check| report.add(Check::skipped(check, "see connect")));
        }
    };
    let name = &synced.retailer.display_name;
    let what = if synced.made { "connected and synced" } else { "was connected already; synced" };
    let check = Check::ok("connect", format!("{name} {what}, {}", items(synced.items_found)));
    report.add(
        check.details(json!({ "retailerId": synced.retailer.retailer_id, "made": synced.made })).took(began.elapsed()),
    )?;
    done(report, "connection-valid", valid(client, &synced)).await?;
    done(report, "export", Box::pin(exported(context, client, &synced))).await?;
    if synced.made {
        let id = synced.retailer.retailer_id.to_string();
        let remove = context.command(["connections", "remove", &id, "--yes"]);
        let stays = format!("What stays: the connection to {name} and its line items. Remove them");
        context.output.note(Hint::run(stays, remove));
    }
    Ok(())
}

async fn sync(context: &Context, client: &Client, wanted: &str, arguments: &SmokeArgs) -> Result<Synced, Fault> {
    let catalog = client.retailers().await?;
    let retailer = resolve::retailer(&catalog, wanted)?.clone();
    let existing = connection(client, &retailer).await?;
    let started = match &existing {
        Some(connection) if !connection.status.is(&ConnectionStatus::Invalid) => {
            client.sync_connection(connection.connection_id.as_str(), false).await
        }
        broken => {
            let mode = if broken.is_some() { ConnectMode::Fix } else { ConnectMode::Connect };
            let credentials =
                credentials::get(context, &retailer, &arguments.credentials, &mut BTreeMap::new()).await?;
            credentials::send(client, retailer.retailer_id, mode, &credentials).await
        }
    };
    let batch = match started {
        Ok(started) => started.batch_id.map(|batch| batch.to_string()),
        // One that runs already is as good.
        Err(error) if error.is(ErrorCode::SyncInProgress) => running(error).map(Some)?,
        Err(error) => return Err(error.into()),
    };
    let batch = batch.ok_or_else(|| Fault::expected("a session to follow", "none"))?;
    let session = Box::pin(follow(context, client, &batch, &mut Answers::new(&arguments.mfa))).await?;
    let items_found = found(&session, &retailer)?;
    Ok(Synced { retailer, made: existing.is_none(), items_found })
}

fn running(error: Error) -> Result<String> {
    error.detail("batchId").map(str::to_owned).ok_or(error)
}

async fn connection(client: &Client, retailer: &Retailer) -> Result<Option<Connection>> {
    let all = client.connections(None).await?;
    Ok(all.into_iter().find(|connection| connection.retailer_id == retailer.retailer_id))
}

fn found(session: &Session, retailer: &Retailer) -> Result<u64, Fault> {
    let part = session.retailer_sync_sessions.iter().find(|part| part.retailer_id == retailer.retailer_id);
    let part = part.ok_or_else(|| {
        Fault::expected(format!("{} in session {}", retailer.display_name, session.batch_id), "others")
    })?;
    if !part.sync_status.is(&SyncStatus::Completed) {
        let why = part.error.as_ref().map(|error| format!(": {} ({})", error.message, error.code)).unwrap_or_default();
        return Err(Fault::expected("the sync to be completed", format!("{}{why}", part.sync_status)));
    }
    Ok(part.items_found.unwrap_or_default())
}

async fn valid(client: &Client, synced: &Synced) -> CheckResult {
    match connection(client, &synced.retailer).await? {
        Some(connection) if connection.status.is(&ConnectionStatus::Valid) => {
            Ok(format!("{} is valid", connection.connection_id))
        }
        Some(connection) => Err(Fault::expected("a valid connection", connection.status)),
        None => Err(Fault::expected("the connection in the list", "a list without it")),
    }
}

async fn exported(context: &Context, client: &Client, synced: &Synced) -> CheckResult {
    let filter = OrderFilter { retailer_id: Some(synced.retailer.retailer_id), ..OrderFilter::default() };
    let sink = CsvSink::new(Vec::new(), output::write_error);
    let export::Done { count, sink, .. } = export::read(context, client, &filter, sink).await?;
    let bytes = sink.into_inner();
    let total = client.orders(&filter, 1, 0).await?.total;
    if total != Some(count) {
        let total = total.map_or_else(|| "no X-Total-Count".to_owned(), |total| format!("X-Total-Count {total}"));
        return Err(Fault::expected(format!("{count}, as many as were exported"), total));
    }
    if count < synced.items_found {
        return Err(Fault::expected(
            format!("at least the {} line items that the sync found", synced.items_found),
            count,
        ));
    }
    let rows = csv::Reader::from_reader(bytes.as_slice()).records().filter(std::result::Result::is_ok).count() as u64;
    if rows != count {
        return Err(Fault::expected(format!("{count} rows of CSV"), rows));
    }
    Ok(format!("{} read back and exported", items(count)))
}
