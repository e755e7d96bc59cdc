//! The stores on this machine: of the service inside the command, and of `serve`. Looked at without making or changing
//! anything but a file that is gone at once.

use std::path::Path;

use ordersync_api::ConnectionCompleteness;
use ordersync_service::{Contents, UnfinishedSync};
use serde_json::json;

use super::store_file::{OWN, examined};
use super::{Check, CheckReport, served_store};
use crate::commands::shared::active_sessions::Unfinished;
use crate::commands::shared::completeness::{self, Gap};
use crate::context::Context;
use crate::errors::{Advice, Error, Exit, Hint, Result};
use crate::files::access;
use crate::output::human::size;

/// With less than this, a sync may fail half-way.
const LITTLE: u64 = 200 << 20;
/// With less than this, the store itself can hardly be opened.
const NOTHING: u64 = 5 << 20;

pub(super) async fn check(context: &Context, served: Option<&str>, report: &mut CheckReport) -> Result<()> {
    let data = &context.settings.folders.data;
    let own = data.join("service.sqlite3");
    report.add(writable(data))?;
    match own.try_exists() {
        Ok(true) => {
            let (check, contents) = examined(OWN, &own, &context.settings.folders).await;
            report.add(check)?;
            if let Some(contents) = contents.filter(|_| context.is_local()) {
                let Contents { valid, invalid, pending, unfinished, incomplete } = contents;
                let unfinished: Vec<Unfinished> = unfinished.into_iter().map(unnamed).collect();
                report.add(connections(context, [valid, invalid, pending], incomplete, &unfinished))?;
                report.add(syncs(context, &unfinished))?;
            }
        }
        Ok(false) if context.is_local() => {
            let text = format!("none yet; the first command that needs it makes {}", own.display());
            report.add(Check::ok(OWN, text))?;
        }
        // Whether there is one cannot be seen from outside of a closed folder.
        Err(why) if context.is_local() => {
            let error = access::explained(Error::file("look for", &own, &why), &own).also(own_folder());
            report.add(Check::of_error(OWN, &error))?;
        }
        Ok(false) | Err(_) => {}
    }
    let served = served_store::check(context, served, report).await?;
    if context.is_local() || own.exists() {
        report.add(space(data))?;
    } else if let Some(folder) = served.as_deref().and_then(Path::parent) {
        report.add(space(folder))?;
    }
    Ok(())
}

fn own_folder() -> Hint {
    Hint::run("Or name a folder of your own", "export ORDERSYNC_HOME=FOLDER")
}

/// Whether files can be made where the command keeps its own: a file is made, and deleted at once. A folder that is made
/// later is made in the one that is there.
fn writable(data: &Path) -> Check {
    let there = data.ancestors().find(|folder| folder.exists()).unwrap_or(data);
    match tempfile::Builder::new().prefix(".ordersync-doctor-").tempfile_in(there) {
        Ok(_) => Check::ok("data-folder", format!("{} can be written", there.display())),
        Err(why) => {
            let error = Error::file("write in the folder", there, &why);
            let message = error.message().trim_end_matches('.');
            Check::failed(
                "data-folder",
                Exit::Failed,
                format!("{message}; commands keep their data in {}", data.display()),
            )
            .hint([access::make_it_yours(there), own_folder()])
        }
    }
}

/// Names do not belong in a bug report.
fn unnamed(UnfinishedSync { connection_id, batch_id, waiting }: UnfinishedSync) -> Unfinished {
    Unfinished { retailer: String::new(), connection_id: Some(connection_id), batch_id, waiting }
}

/// Connections in numbers (valid, invalid and pending), and what to do if some do not work.
pub(super) fn connections(
    context: &Context,
    [valid, invalid, pending]: [i64; 3],
    incomplete: Vec<ConnectionCompleteness>,
    unfinished: &[Unfinished],
) -> Check {
    let parts = [(valid, "valid"), (invalid, "invalid"), (pending, "pending")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let gaps = completeness::among(context, incomplete, unfinished);
    let count = gaps.len();
    let details = json!({ "valid": valid, "invalid": invalid, "pending": pending, "incomplete": count });
    let mut text = if parts.is_empty() { "none yet".to_owned() } else { parts.join(", ") };
    if count > 0 {
        text.push_str(&format!("; {count} not complete"));
    }
    let missing: Vec<Hint> = gaps.iter().map(Gap::brief).collect();
    let check = if invalid > 0 {
        Check::failed("connections", Exit::Failed, format!("{text}; the invalid ones are not synced"))
            .hint(Advice::from(Hint::run("Repair them", context.command("fix"))).and(missing))
    } else if pending > 0 && valid == 0 {
        // What has not ended is not synced again.
        let are_open = count > 0 && gaps.iter().all(|gap| gap.is_open);
        let sync = (!are_open).then(|| Hint::run("Sync them", context.command("sync")));
        Check::warning("connections", format!("{text}: no sync has ended well yet"))
            .hint(sync.into_iter().chain(missing).collect::<Advice>())
    } else if count > 0 {
        Check::warning("connections", text).hint(missing)
    } else {
        Check::ok("connections", text)
    };
    check.details(details)
}

/// Syncs that have not ended: here they run only while a command does.
fn syncs(context: &Context, unfinished: &[Unfinished]) -> Check {
    let (waiting, running): (Vec<&Unfinished>, Vec<&Unfinished>) = unfinished.iter().partition(|one| one.waiting);
    let mut answers: Vec<String> = waiting.iter().map(|one| one.command(context)).collect();
    answers.dedup();
    let answers = answers.into_iter().map(|command| Hint::run("Answer", command));
    let (running, waiting) = (running.len(), waiting.len());
    let details = json!({ "running": running, "waitingForCode": waiting });
    let check = match (running, waiting) {
        (0, 0) => Check::ok("syncs", "none is under way"),
        (0, _) => Check::failed("syncs", Exit::Failed, format!("{waiting} waiting for a code"))
            .hint(answers.collect::<Advice>()),
        (_, 0) => Check::warning("syncs", format!("{running} interrupted; the next command that syncs resumes them"))
            .hint(Hint::run("Resume them", context.command("sync"))),
        _ => {
            let resume = Hint::run("Resume the others", context.command("sync"));
            Check::failed("syncs", Exit::Failed, format!("{waiting} waiting for a code, {running} interrupted"))
                .hint(answers.chain([resume]).collect::<Advice>())
        }
    };
    check.details(details)
}

fn space(data: &Path) -> Check {
    // A folder that is made later is made on the disk of the one that is there.
    let there = data.ancestors().find(|folder| folder.exists()).unwrap_or(data);
    let Some(free) = free(there) else {
        return Check::skipped("disk", "the system does not say how much space is free");
    };
    let text = format!("{} free at {}", size(free), there.display());
    let check = match free {
        _ if free < NOTHING => Check::failed("disk", Exit::Failed, text),
        _ if free < LITTLE => Check::warning("disk", text),
        _ => return Check::ok("disk", text).details(json!({ "freeBytes": free })),
    };
    check.hint(Hint::run("Make room", format!("df -h {}", there.display()))).details(json!({ "freeBytes": free }))
}

fn free(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}
