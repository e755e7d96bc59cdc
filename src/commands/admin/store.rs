//! `ordersync admin store`.

use std::path::Path;

use ordersync_service::StoreTrouble;
use ordersync_service::admin::{AdminError, migrate_store};
use serde_json::json;

use super::{Access, Failed, copy, existing, with_store};
use crate::auth::token_provider::blocking;
use crate::cli::admin::store::{StoreArgs, StoreCommand};
use crate::commands::serve;
use crate::context::{Context, DOCTOR};
use crate::errors::{Error, Result, codes};
use crate::export::target;
use crate::files::atomic;
use crate::local;
use crate::output::Mark;
use crate::output::human::size;

/// Advice about a store that is not sound.
const UNSOUND: &str = "Stop the service, keep a copy of the file, and restore the newest backup that is sound.";

pub(super) async fn run(context: &Context, arguments: StoreArgs) -> Result<()> {
    let database = arguments.store.database.as_deref();
    match arguments.command {
        StoreCommand::Backup { to, out } => back_up(context, database, &to.or(out).unwrap_or_default()).await,
        StoreCommand::Check => check(context, database).await,
        StoreCommand::Migrate { dry_run } => migrate(context, database, dry_run).await,
        StoreCommand::Copy(_) if database.is_some() => {
            Err(Error::usage("`store copy` has no --database: give the file with --from, and the database with --to."))
        }
        StoreCommand::Copy(arguments) => copy::run(context, &arguments).await,
    }
}

/// Writes the copy beside its place first, and checks it there: a file of that name is a whole backup.
async fn back_up(context: &Context, database: Option<&str>, to: &Path) -> Result<()> {
    let is_stream = target::is_stream(to);
    if to.exists() && !is_stream {
        return Err(Error::usage(format!("{} exists already, so no backup was made.", to.display()))
            .hint("Name a file that does not exist yet."));
    }
    let broken = |why: std::io::Error| Error::file("write", to, &why);
    let stream = if is_stream { Some(target::open_stream(to, context.deadline).await?) } else { None };
    let folder = if is_stream { std::env::temp_dir() } else { atomic::folder(to).to_owned() };
    let file = tempfile::NamedTempFile::new_in(folder).map_err(broken)?;
    with_store(context, database, Access::Write, async |admin| {
        admin.back_up(file.path()).await.map_err(|why| match why {
            AdminError::Store(why) if why.trouble() == Some(StoreTrouble::Full) => {
                let message = format!("There is no room left for the backup {}.", to.display());
                Failed::Command(Error::of(&codes::command::DISK_FULL, message))
            }
            why => why.into(),
        })
    })
    .await?;
    let written = file.path().display().to_string();
    let problems = with_store(context, Some(&written), Access::Read, async |admin| Ok(admin.problems().await?)).await?;
    refuse(&problems, "The backup is not sound, so it was not kept")?;
    let bytes = file.as_file().metadata().map_err(broken)?.len();
    if let Some(mut stream) = stream {
        let mut copy = std::fs::File::open(file.path()).map_err(broken)?;
        blocking(move || std::io::copy(&mut copy, &mut stream).map_err(|why| target::write_error(&why))).await?;
    } else {
        atomic::place(file, to).map_err(broken)?;
    }
    if is_stream || !context.output.shown(&json!({ "file": to.display().to_string(), "bytes": bytes }))? {
        context
            .output
            .marked_note(Mark::Good, format!("Wrote a backup of {} to {}, and checked it.", size(bytes), to.display()));
        context.output.note("It needs the service's root key, which is not in it: keep that in another place.");
    }
    Ok(())
}

async fn check(context: &Context, database: Option<&str>) -> Result<()> {
    let problems = with_store(context, database, Access::Read, async |admin| Ok(admin.problems().await?)).await;
    // Other commands advise this one.
    let problems = problems.map_err(|error| if error.advises(DOCTOR) { error.hint(UNSOUND) } else { error })?;
    if !context.output.shown(&json!({ "problems": problems }))? {
        for problem in &problems {
            context.output.line(problem)?;
        }
    }
    refuse(&problems, "The store is not sound")?;
    context.output.marked_note(Mark::Good, "The store is sound.");
    Ok(())
}

async fn migrate(context: &Context, database: Option<&str>, dry_run: bool) -> Result<()> {
    let database = existing(serve::database(context, database)?)?;
    let shown = database.to_string();
    let done = migrate_store(&database, dry_run).await.map_err(|why| local::store_error(&why, &shown))?;
    let steps: Vec<_> =
        done.steps.iter().map(|step| json!({ "version": step.version, "description": step.description })).collect();
    let result = json!({ "from": done.from, "to": done.to, "isDone": !dry_run, "migrations": steps });
    if !context.output.shown(&result)? {
        for step in &done.steps {
            context.output.line(&format!("{:04} {}", step.version, step.description))?;
        }
    }
    let from = done.from.map_or_else(|| "an empty database".to_owned(), |from| format!("version {from}"));
    let note = match (done.steps.is_empty(), dry_run) {
        (true, _) => format!("The store is up to date: it has version {}. Nothing was changed.", done.to),
        (false, true) => format!("This would bring the store from {from} to version {}. Nothing was changed.", done.to),
        (false, false) => format!("Brought the store from {from} to version {}.", done.to),
    };
    context.output.marked_note(Mark::Good, note);
    Ok(())
}

fn refuse(problems: &[String], what: &str) -> Result<()> {
    match problems.first() {
        None => Ok(()),
        Some(first) => Err(Error::of(&codes::command::CHECKS_FAILED, format!("{what}: {first}.")).hint(UNSOUND)),
    }
}
