//! `ordersync config`.

use crate::cli::config::{ConfigArgs, ConfigCommand};
use crate::config::edit::{self, FILE};
use crate::config::folders::Folders;
use crate::config::{LOCAL, keys, listing};
use crate::env::Environment;
use crate::errors::{Error, Hint, Result};
use crate::flags::GlobalArgs;
use crate::output::table::{Column, Table};
use crate::output::{Mark, Output};

/// Carries out a verb; needs no service, and works where settings are wrong.
pub(crate) fn run(output: &Output, flags: &GlobalArgs, environment: &Environment, arguments: ConfigArgs) -> Result<()> {
    match arguments.command {
        ConfigCommand::List => list(output, flags, environment),
        ConfigCommand::Get { key } => get(output, flags, environment, &key),
        ConfigCommand::Set { key, value } => set(output, flags, environment, &key, Some(&value)),
        ConfigCommand::Unset { key } => set(output, flags, environment, &key, None),
        ConfigCommand::Path => {
            let path = Folders::find(environment)?.config.join(FILE);
            output.line(&path.display().to_string())
        }
    }
}

fn list(output: &Output, flags: &GlobalArgs, environment: &Environment) -> Result<()> {
    let all = listing::all(flags, environment)?;
    output.list(&all, |all| {
        let mut table = Table::new(&[Column::whole("SETTING"), Column::text("FROM"), Column::copied("VALUE")]);
        for entry in all {
            table.row([entry.key.clone(), entry.origin.clone(), entry.value.clone().unwrap_or_default()]);
        }
        table
    })
}

fn get(output: &Output, flags: &GlobalArgs, environment: &Environment, key: &str) -> Result<()> {
    let found = listing::all(flags, environment)?.into_iter().find(|entry| entry.key == key);
    match found {
        None if edit::is_key(key) => Err(not_set(key)),
        None => Err(edit::unknown_key(key)),
        Some(entry) if output.shown(&entry)? => Ok(()),
        Some(entry) => match entry.value {
            Some(value) => output.line(&value),
            None => Err(not_set(key)),
        },
    }
}

fn not_set(key: &str) -> Error {
    Error::not_found(format!("`{key}` is not set.")).hint(Hint::run("See all settings", "ordersync config list"))
}

fn set(output: &Output, flags: &GlobalArgs, environment: &Environment, key: &str, value: Option<&str>) -> Result<()> {
    let folders = Folders::find(environment)?;
    let profile = listing::profile_name(flags, environment)?;
    if key == "profile" {
        return match value {
            Some(name) => super::profiles::work_on(output, environment, name),
            None => edit::edit(&folders, |document| {
                edit::put(document.as_table_mut(), "profile", None);
                Ok(())
            }),
        };
    }
    if key == keys::ACCESSIBLE.name {
        edit::edit(&folders, |document| edit::set_accessible(document, value))?;
        let text = value.map_or_else(|| format!("{key} is not set any more."), |value| format!("{key} is {value}."));
        output.marked_note(Mark::Good, &text);
        return Ok(());
    }
    if profile == LOCAL && key == "base_url" && value.is_some() {
        return Err(Error::usage("`local` is the service inside this command, and has no address.")
            .hint(Hint::run("Make a profile for another", "ordersync profiles add NAME --base-url URL")));
    }
    edit::edit(&folders, |document| edit::set(document, &profile, key, value))?;
    let text = match value {
        Some(value) => format!("{key} is {value} for the profile {profile}."),
        None => format!("{key} is not set any more for the profile {profile}."),
    };
    output.marked_note(Mark::Good, &text);
    Ok(())
}
