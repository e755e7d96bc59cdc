//! `ordersync admin users redelete`: after a restore, the users are gone again of whom the audit log says so.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use chrono::{DateTime, Utc};
use ordersync_service::admin::{AdminError, OperatedUser};
use serde::Deserialize;
use serde_json::{Deserializer, json};

use super::{Access, with_store};
use crate::commands::shared::confirm;
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result};
use crate::output::Mark;
use crate::output::human::items;

/// What the audit log calls a deletion, and the return of a user.
const DELETION: &str = "user.delete";
const IMPORT: &str = "user.import";

/// An entry of the audit log, as far as it is of interest.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    at: DateTime<Utc>,
    action: String,
    user_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Entries {
    One(Entry),
    Many(Vec<Entry>),
}

/// The file, and what to do with it.
pub(super) struct Redeletion<'a> {
    pub(super) file: &'a Path,
    pub(super) dry_run: bool,
    pub(super) yes: bool,
}

pub(super) async fn run(context: &Context, database: Option<&str>, asked: Redeletion<'_>) -> Result<()> {
    let Deleted { users: deleted, restored } = deleted_users(asked.file)?;
    let back = with_store(context, database, Access::Read, async |admin| {
        let mut back = Vec::new();
        for id in &deleted {
            match admin.user(id).await {
                Ok(user) => back.push(user),
                Err(AdminError::NoUser(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(back)
    })
    .await?;
    let absent = deleted.len() - back.len();
    if !asked.dry_run && !back.is_empty() {
        agree(context, &asked, &back).await?;
        with_store(context, database, Access::Write, async |admin| {
            for user in &back {
                match admin.delete_user(&user.user_id).await {
                    // By somebody else, meanwhile.
                    Ok(_) | Err(AdminError::NoUser(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(())
        })
        .await?;
    }
    let ids: Vec<&str> = back.iter().map(|user| user.user_id.as_str()).collect();
    if !context.output.shown(&json!({ "userIds": ids, "absent": absent, "isDryRun": asked.dry_run }))? {
        list(context, &back)?;
    }
    let absent = format!("{absent} of {} in the file are not in the store.", deleted.len());
    let said = match (asked.dry_run, back.len()) {
        _ if deleted.is_empty() && restored > 0 => "The file tells of no user who has to be deleted again.".to_owned(),
        _ if deleted.is_empty() => "The file tells of no deletion of a user.".to_owned(),
        (true, count) => format!("{count} would be deleted; {absent}"),
        (false, count) => format!("Deleted {count} again; {absent}"),
    };
    context.output.marked_note(Mark::Good, said);
    if restored > 0 {
        context.output.note(format!("Imported again after their deletion, and left: {restored}."));
    }
    Ok(())
}

async fn agree(context: &Context, asked: &Redeletion<'_>, back: &[OperatedUser]) -> Result<()> {
    if asked.yes {
        return Ok(());
    }
    let file = asked.file.display().to_string();
    let command = context.command(["admin", "users", "redelete", &file, "--yes"]);
    let instead = Advice::from(Hint::run("To delete them without a question", command.as_str()));
    context.prompt.check("An answer", &instead)?;
    list(context, back)?;
    let kept = Advice::from(Hint::say("Nobody was deleted."));
    let question = format!("Delete these {} users with all their data?", back.len());
    if confirm::agrees(context, &question, &instead, kept).await? {
        return Ok(());
    }
    Err(Error::declined("Nobody was deleted."))
}

fn list(context: &Context, users: &[OperatedUser]) -> Result<()> {
    for user in users {
        let has = format!("{} connections, {} orders, {}", user.connections, user.orders, items(user.items));
        context.output.labelled(&user.user_id, &has)?;
    }
    Ok(())
}

/// The users whose deletion a file tells of.
struct Deleted {
    users: BTreeSet<String>,
    /// How many others were imported again since.
    restored: usize,
}

/// Reads the deletions in a file. One that was begun counts: the service finishes it.
fn deleted_users(path: &Path) -> Result<Deleted> {
    let file = File::open(path).map_err(|why| Error::file("read", path, &why))?;
    let (mut last, mut deleted, mut is_empty) = (BTreeMap::new(), BTreeSet::new(), true);
    for entries in Deserializer::from_reader(BufReader::new(file)).into_iter::<Entries>() {
        // JSON of another kind: serde names its own types.
        let entries = entries.map_err(|why| {
            let why = if why.is_data() { String::new() } else { format!(": {why}") };
            no_entries(path, &why)
        })?;
        let entries = match entries {
            Entries::One(entry) => vec![entry],
            Entries::Many(entries) => entries,
        };
        is_empty &= entries.is_empty();
        for Entry { at, action, user_id } in entries {
            if let Some(user) = user_id.filter(|_| [DELETION, IMPORT].contains(&&*action)) {
                if action == DELETION {
                    deleted.insert(user.clone());
                }
                let known = last.entry(user).or_insert((at, false));
                *known = (*known).max((at, action == DELETION));
            }
        }
    }
    if is_empty {
        return Err(no_entries(path, ""));
    }
    let all = deleted.len();
    deleted.retain(|user| last.get(user).is_some_and(|(_, is_deleted)| *is_deleted));
    Ok(Deleted { restored: all - deleted.len(), users: deleted })
}

fn no_entries(path: &Path, why: &str) -> Error {
    Error::usage(format!("{} holds no entries of the audit log{why}.", path.display()))
        .hint(Hint::run("To write them", "ordersync admin audit -o jsonl > audit.jsonl"))
}
