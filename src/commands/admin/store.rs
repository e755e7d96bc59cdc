//! `ordersync admin store`.

use std::path::Path;

use serde_json::json;

use super::{Access, with_store};
use crate::atomic_file;
use crate::cli::admin::store::{StoreArgs, StoreCommand};
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::output::Mark;
use crate::output::human::size;

pub(super) async fn run(context: &Context, arguments: StoreArgs) -> Result<()> {
    let database = arguments.database.as_deref();
    match arguments.command {
        StoreCommand::Backup { to } => back_up(context, database, &to).await,
        StoreCommand::Check => check(context, database).await,
    }
}

/// Writes the copy beside its place first, and checks it there: a file of that name is a whole backup.
async fn back_up(context: &Context, database: Option<&str>, to: &Path) -> Result<()> {
    if to.exists() {
        return Err(Error::usage(format!("{} exists already, so no backup was made.", to.display()))
            .hint("Name a file that does not exist yet."));
    }
    let broken = |why: std::io::Error| Error::file("write", to, &why);
    let file = tempfile::NamedTempFile::new_in(atomic_file::folder(to)).map_err(broken)?;
    with_store(context, database, Access::Write, async |admin| Ok(admin.back_up(file.path()).await?)).await?;
    let written = file.path().display().to_string();
    let problems = with_store(context, Some(&written), Access::Read, async |admin| Ok(admin.problems().await?)).await?;
    refuse(&problems, "The backup is not sound, so it was not kept")?;
    let bytes = file.as_file().metadata().map_err(broken)?.len();
    atomic_file::place(file, to).map_err(broken)?;
    if !context.output.shown(&json!({ "file": to.display().to_string(), "bytes": bytes }))? {
        context
            .output
            .marked_note(Mark::Good, format!("Wrote a backup of {} to {}, and checked it.", size(bytes), to.display()));
        context.output.note("It needs the service's root key, which is not in it: keep that in another place.");
    }
    Ok(())
}

async fn check(context: &Context, database: Option<&str>) -> Result<()> {
    let problems = with_store(context, database, Access::Read, async |admin| Ok(admin.problems().await?)).await?;
    if !context.output.shown(&json!({ "problems": problems }))? {
        for problem in &problems {
            context.output.line(problem)?;
        }
    }
    refuse(&problems, "The store is not sound")?;
    context.output.marked_note(Mark::Good, "The store is sound.");
    Ok(())
}

fn refuse(problems: &[String], what: &str) -> Result<()> {
    match problems.first() {
        None => Ok(()),
        Some(first) => Err(Error::of(&codes::command::CHECKS_FAILED, format!("{what}: {first}."))
            .hint("Stop the service, keep a copy of the file, and restore the newest backup that is sound.")),
    }
}
