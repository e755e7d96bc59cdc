//! `ordersync admin sessions`.

use chrono::{DateTime, Utc};
use ordersync_service::admin::{Listed, OperatedSync, Retried, WaitsFor};
use serde_json::json;

use super::{Access, with_store};
use crate::cli::admin::sessions::{AdminSessionsArgs, AdminSessionsCommand};
use crate::clock;
use crate::context::Context;
use crate::errors::{Hint, Result};
use crate::output::Mark;
use crate::output::human::{full_time, reason};
use crate::output::table::{Column, Table};

pub(super) async fn run(context: &Context, arguments: AdminSessionsArgs) -> Result<()> {
    let database = arguments.store.database.as_deref();
    let list = async |which: Listed<'_>| {
        with_store(context, database, Access::Read, async |admin| Ok(admin.syncs(which).await?)).await
    };
    match arguments.command {
        AdminSessionsCommand::List { failed: false } => {
            show(context, &list(Listed::Unfinished).await?, "No sync is waiting or running.")
        }
        AdminSessionsCommand::List { failed: true } => {
            show(context, &list(Listed::Failed).await?, "No sync that is still kept has failed.")
        }
        AdminSessionsCommand::Show { id } => describe(context, &list(Listed::Session(&id)).await?),
        AdminSessionsCommand::Cancel { id } => {
            let ended =
                with_store(context, database, Access::Write, async |admin| Ok(admin.cancel(&id).await?)).await?;
            let text = match ended {
                0 => format!("{id} was over already."),
                1 => format!("Ended 1 sync of {id}. What it has stored stays."),
                many => format!("Ended {many} syncs of {id}. What they have stored stays."),
            };
            context.output.marked_note(Mark::Good, text);
            Ok(())
        }
        AdminSessionsCommand::Retry { id } => {
            let retried =
                with_store(context, database, Access::Write, async |admin| Ok(admin.retry(&id).await?)).await?;
            show_retried(context, &id, &retried)
        }
    }
}

fn show(context: &Context, syncs: &[OperatedSync], none: &str) -> Result<()> {
    if context.output.shown(&syncs)? {
        return Ok(());
    }
    if syncs.is_empty() {
        context.output.note(none);
        return Ok(());
    }
    let mut table = Table::new(&[
        Column::whole("SESSION"),
        Column::text("RETAILER"),
        Column::state("STATUS"),
        Column::whole("LAST CHANGE"),
        Column::text("WAITS FOR").at_least(20),
        Column::amount("FAILURES").optional(1),
        Column::whole("USER").optional(0),
    ]);
    for sync in syncs {
        table.row([
            sync.batch_id.clone(),
            sync.display_name.clone(),
            sync.sync_status.to_string(),
            format!("{} ago", ago(sync.updated_at)),
            why(sync),
            sync.failures.to_string(),
            sync.user_id.clone(),
        ]);
    }
    context.output.table(&table)
}

fn describe(context: &Context, syncs: &[OperatedSync]) -> Result<()> {
    if context.output.shown(&syncs)? {
        return Ok(());
    }
    for sync in syncs {
        let message = sync.error_message.clone().unwrap_or_default();
        for (label, text) in [
            ("Retailer", format!("{} ({})", sync.display_name, sync.retailer_id)),
            ("Connection", sync.connection_id.clone()),
            ("User", sync.user_id.clone()),
            ("Status", sync.sync_status.to_string()),
            ("Asked for", full_time(sync.queued_at)),
            ("Last change", full_time(sync.updated_at)),
            ("Waits for", why(sync)),
            ("Ends at", sync.deadline_at.map(full_time).unwrap_or_default()),
            ("Items found", sync.items_found.to_string()),
            ("Failures", sync.failures.to_string()),
            ("Message", message),
        ] {
            if !text.is_empty() {
                context.output.labelled(label, &text)?;
            }
        }
    }
    Ok(())
}

fn show_retried(context: &Context, id: &str, retried: &Retried) -> Result<()> {
    let Retried { hurried, started, left } = retried;
    if context.output.shown(&json!({ "hurried": hurried, "started": started, "left": left }))? {
        return Ok(());
    }
    if *hurried > 0 {
        context.output.marked_note(Mark::Good, format!("{hurried} of {id} continue at once."));
    }
    for session in started {
        context.output.marked_note(Mark::Good, format!("Started {session}."));
    }
    for connection in left {
        context.output.note(format!("{connection} needs its user: it is invalid, or waits for a code."));
    }
    if *hurried == 0 && started.is_empty() && left.is_empty() {
        let list = context.command("admin sessions list");
        context.output.note(Hint::run(format!("Nothing of {id} has failed or waits"), list));
    }
    Ok(())
}

/// What a sync waits for, or why it failed.
fn why(sync: &OperatedSync) -> String {
    match &sync.waits_for {
        None => sync.error_code.as_deref().map(reason).unwrap_or_default(),
        Some(WaitsFor::User) => "the user's code".to_owned(),
        Some(WaitsFor::Pause { since }) => format!("its retailer, paused {} ago", ago(*since)),
        Some(WaitsFor::Step { .. }) => "the retailer: a step is running".to_owned(),
        Some(WaitsFor::LostProcess { since, .. }) => format!("a process that was lost {} ago", ago(*since)),
        Some(WaitsFor::Time { until }) => format!("its next step, at {}", full_time(*until)),
        Some(WaitsFor::Process { since }) => format!("a process of the service, for {}", ago(*since)),
    }
}

/// How long ago something was.
fn ago(at: DateTime<Utc>) -> String {
    let seconds = (clock::now() - at).num_seconds().max(0);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
