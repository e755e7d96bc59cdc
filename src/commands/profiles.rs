//! `ordersync profiles`.

use serde::Serialize;
use toml_edit::Table as TomlTable;

use crate::auth::SignInStore;
use crate::auth::store::Loaded;
use crate::cli::profiles::{AddArgs, ProfilesArgs, ProfilesCommand};
use crate::config::edit::{self, FILE};
use crate::config::file::File;
use crate::config::folders::Folders;
use crate::config::sign_in::TokenStore;
use crate::config::value::Origin;
use crate::config::{LOCAL, NAMED, base_url, is_profile_name, listing};
use crate::env::{self, Environment};
use crate::errors::{Advice, Error, Hint, Result, did_you_mean};
use crate::flags::GlobalArgs;
use crate::output::table::{Column, Table};
use crate::output::{Mark, Output};
use crate::shell;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ProfileRow {
    name: String,
    base_url: Option<String>,
    current: bool,
}

/// Carries out a verb; needs no service, and works where settings are wrong.
pub(crate) fn run(
    output: &Output,
    flags: &GlobalArgs,
    environment: &Environment,
    arguments: ProfilesArgs,
) -> Result<()> {
    match arguments.command {
        None | Some(ProfilesCommand::List) => list(output, flags, environment),
        Some(ProfilesCommand::Use { name }) => work_on(output, environment, &name),
        Some(ProfilesCommand::Add(arguments)) => add(output, flags, environment, &arguments),
        Some(ProfilesCommand::Remove { name }) => remove(output, environment, &name),
    }
}

fn list(output: &Output, flags: &GlobalArgs, environment: &Environment) -> Result<()> {
    let file = load(&Folders::find(environment)?)?;
    let current = listing::profile_name(flags, environment)?;
    let profiles = file.profile_names().map(|name| ProfileRow {
        name: name.to_owned(),
        base_url: file.profiles.get(name).and_then(|profile| profile.base_url.clone()),
        current: name == current,
    });
    let profiles: Vec<ProfileRow> = profiles.collect();
    output.list(&profiles, table)
}

fn table(profiles: &[ProfileRow]) -> Table {
    let mut table = Table::new(&[Column::whole(""), Column::whole("PROFILE"), Column::copied("ADDRESS")]);
    for profile in profiles {
        let address = match &profile.base_url {
            Some(address) => address.clone(),
            None if profile.name == LOCAL => "the service inside this command".to_owned(),
            None => "none yet".to_owned(),
        };
        table.row([if profile.current { "*" } else { "" }.to_owned(), profile.name.clone(), address]);
    }
    table
}

/// Makes a profile the one to work on.
pub(super) fn work_on(output: &Output, environment: &Environment, name: &str) -> Result<()> {
    let folders = Folders::find(environment)?;
    let file = load(&folders)?;
    if name != LOCAL && file.profiles.get(name).is_none_or(|profile| profile.base_url.is_none()) {
        let what =
            if file.profiles.contains_key(name) || NAMED.contains(&name) { "has no address" } else { "does not exist" };
        let near = file.nearest_profile(name).map(|near| Hint::say(format!("Did you mean `{near}`?")));
        let add = Hint::run("Add it", shell::command(["profiles", "add", name, "--base-url", "https://…"], &[]));
        return Err(Error::not_found(format!("The profile `{name}` {what}."))
            .hint(near.into_iter().chain([add]).collect::<Advice>()));
    }
    edit::edit(&folders, |document| {
        edit::put(document.as_table_mut(), "profile", Some(name));
        Ok(())
    })?;
    output.marked_note(Mark::Good, format!("Working on `{name}` from now on."));
    if let Some(other) = environment.get(&env::PROFILE).or(environment.get(&env::BASE_URL)) {
        output.announce(format!("! The environment overrides that: {other}."));
    }
    Ok(())
}

fn add(output: &Output, flags: &GlobalArgs, environment: &Environment, arguments: &AddArgs) -> Result<()> {
    let name = arguments.name.as_str();
    if !is_profile_name(name) {
        return Err(Error::usage(format!("Invalid profile name \"{name}\": use letters, digits, - and _."))
            .hint(Hint::run("For example", "ordersync profiles add my-shop --base-url https://…")));
    }
    if name == LOCAL {
        return Err(Error::usage("`local` always exists: it is the service inside this command."));
    }
    let Some(address) = &flags.base_url else {
        return Err(Error::usage("A profile needs an address.")
            .hint(Hint::command(shell::command(["profiles", "add", name, "--base-url", "https://…"], &[]))));
    };
    base_url::parse(address, Origin::Flag("--base-url"))?;
    let folders = Folders::find(environment)?;
    if load(&folders)?.profiles.get(name).is_some_and(|profile| profile.base_url.is_some()) {
        return Err(Error::usage(format!("There is a profile `{name}` already.")).hint(Hint::run(
            "Change it",
            shell::command(["config", "set", "base_url", address], &[("--profile", name)]),
        )));
    }
    let secret_file = match &arguments.client_secret_file {
        // It is read from other folders, too.
        Some(path) => Some(std::path::absolute(path).map_err(|why| Error::file("use", path, &why))?),
        None => None,
    };
    let secret_file = secret_file.as_ref().map(|path| path.display().to_string());
    edit::edit(&folders, |document| {
        for (key, value) in [
            ("base_url", Some(address.as_str())),
            ("client_id", arguments.client_id.as_deref()),
            ("client_secret_file", secret_file.as_deref()),
            ("scopes", arguments.scopes.as_deref()),
        ] {
            if value.is_some() {
                edit::set(document, name, key, value)?;
            }
        }
        if arguments.use_it {
            edit::put(document.as_table_mut(), "profile", Some(name));
        }
        Ok(())
    })?;
    output.marked_note(Mark::Good, format!("Added the profile `{name}`."));
    output.next(&[shell::command("auth login", &[("--profile", name)])]);
    Ok(())
}

fn remove(output: &Output, environment: &Environment, name: &str) -> Result<()> {
    let folders = Folders::find(environment)?;
    let file = load(&folders)?;
    let Some(profile) = file.profiles.get(name) else {
        let error = Error::not_found(format!("There is no profile `{name}` in {FILE}."));
        let near = did_you_mean::nearest(name, file.profiles.keys().map(String::as_str));
        return Err(error.hint(match near {
            Some(near) => Hint::say(format!("Did you mean `{near}`?")),
            None => Hint::run("See them", "ordersync profiles"),
        }));
    };
    if let Some(address) = &profile.base_url {
        let url = base_url::parse(address, Origin::File(file.path.clone()))?.value;
        let store = if environment.path(&env::HOME).is_some() { TokenStore::File } else { TokenStore::Auto };
        let sign_in_store = SignInStore::new(&folders, name, &url, profile.token_store.unwrap_or(store));
        if let Loaded::SignIn(..) = sign_in_store.load()? {
            return Err(Error::usage(format!("You are signed in with the profile `{name}`."))
                .hint(Hint::run("Sign out first", shell::command("auth logout", &[("--profile", name)]))));
        }
    }
    edit::edit(&folders, |document| {
        if let Some(profiles) = document.get_mut("profiles").and_then(toml_edit::Item::as_table_like_mut) {
            profiles.remove(name);
        }
        if file.profile.as_deref() == Some(name) {
            TomlTable::remove(document.as_table_mut(), "profile");
        }
        Ok(())
    })?;
    output.marked_note(Mark::Good, format!("Removed the profile `{name}`."));
    Ok(())
}

fn load(folders: &Folders) -> Result<File> {
    File::load(&folders.config.join(FILE))
}
