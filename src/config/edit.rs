//! Changes to `config.toml`. Comments and order are kept; a change that would make the file unusable is not written;
//! the file is replaced whole.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, TomlError, value};

use super::base_url;
use super::file::{File, misread};
use super::folders::Folders;
use super::keys;
use super::token_store::TokenStore;
use super::value::Origin;
use crate::client::endpoints::{Endpoints, TABLE};
use crate::errors::{Error, Hint, Result, did_you_mean};
use crate::files::{atomic, private};
use crate::shell;

/// The file's name in the configuration folder.
pub(crate) const FILE: &str = "config.toml";
/// Locked while the file is changed, so that no concurrent change is lost.
const LOCK: &str = "config.lock";

/// Changes the file.
pub(crate) fn edit(folders: &Folders, change: impl FnOnce(&mut DocumentMut) -> Result<()>) -> Result<()> {
    let path = folders.config.join(FILE);
    private::create_private_folder(&folders.config)?;
    let _lock = private::lock(&folders.config.join(LOCK))?;
    let path = beyond_links(path);
    super::file::refuse_pipe(&path)?;
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(why) if why.kind() == ErrorKind::NotFound => String::new(),
        Err(why) => return Err(Error::file("read", &path, &why)),
    };
    let mut document: DocumentMut =
        text.parse().map_err(|why: TomlError| misread(&path, &text, why.span(), why.message()))?;
    change(&mut document)?;
    let changed = document.to_string();
    check(&File::parse(&changed, &path)?)?;
    atomic::replace_private(&path, changed.as_bytes()).map_err(|why| Error::file("write", &path, &why))
}

/// Sets whether motion on the terminal is off; `None` removes the setting.
pub(crate) fn set_accessible(document: &mut DocumentMut, text: Option<&str>) -> Result<()> {
    match text.map(str::parse::<bool>) {
        None => put(document.as_table_mut(), keys::ACCESSIBLE.name, None),
        Some(Ok(accessible)) => document[keys::ACCESSIBLE.name] = value(accessible),
        Some(Err(_)) => return Err(Error::usage("Invalid value for accessible: use true or false.")),
    }
    Ok(())
}

/// Sets one setting of a profile; `None` removes it.
pub(crate) fn set(document: &mut DocumentMut, profile: &str, key: &str, text: Option<&str>) -> Result<()> {
    match text {
        Some(text) if text.trim().is_empty() => {
            let unset = shell::command(["config", "unset", key], &[("--profile", profile)]);
            return Err(Error::usage(format!("The value for {key} is empty.")).hint(Hint::run("To remove it", unset)));
        }
        Some(text) if key == "token_store" => {
            let stored: Result<TokenStore, String> = text.parse();
            stored.map_err(|why| Error::usage(format!("Invalid value for {key}: {why}.")))?;
        }
        _ => {}
    }
    let place = table(document.as_table_mut(), "profiles")?;
    place.set_implicit(true);
    let place = table(place, profile)?;
    match key.split_once('.') {
        Some(("endpoints", operation)) => put(table(place, "endpoints")?, operation, text),
        None if keys::is_of_profile(key) => put(place, key, text),
        _ => return Err(unknown_key(key)),
    }
    Ok(())
}

/// Whether a setting of that name exists.
pub(crate) fn is_key(key: &str) -> bool {
    keys::is_of_none(key) || keys::is_of_profile(key) || key.starts_with("endpoints.")
}

const ALL_OF_THEM: &str = "ordersync config list";

/// The error for an unknown setting.
pub(crate) fn unknown_key(key: &str) -> Error {
    let error = Error::usage(format!("There is no setting `{key}`."));
    let paths: Vec<String> =
        TABLE.iter().filter(|entry| !entry.fixed).map(|entry| format!("endpoints.{}", entry.name)).collect();
    let known = keys::all().map(|key| key.name).filter(|name| *name != keys::ENDPOINT.name);
    match did_you_mean::nearest(key, known.chain(paths.iter().map(String::as_str))) {
        Some(near) => error.hint(Hint::run(format!("Did you mean `{near}`? All of them"), ALL_OF_THEM)),
        None => {
            let names: Vec<&str> = keys::all().map(|key| key.name).collect();
            let names = Hint::say(format!("Settings: {}", names.join(", ")));
            error.hint([names, Hint::run("All of them", ALL_OF_THEM)])
        }
    }
}

/// Writes a text, or removes the key.
pub(crate) fn put(table: &mut Table, key: &str, text: Option<&str>) {
    match text {
        Some(text) => table[key] = value(text),
        None => {
            table.remove(key);
        }
    }
}

/// The table of that name, created if it is missing.
fn table<'a>(parent: &'a mut Table, name: &str) -> Result<&'a mut Table> {
    let item = parent.entry(name).or_insert_with(|| Item::Table(Table::new()));
    // `endpoints = { … }` is a table as well.
    if let Some(inline) = item.as_inline_table() {
        *item = Item::Table(inline.clone().into_table());
    }
    item.as_table_mut().ok_or_else(|| Error::usage(format!("`{name}` in config.toml is no table.")))
}

fn check(file: &File) -> Result<()> {
    for profile in file.profiles.values() {
        if let Some(text) = &profile.base_url {
            base_url::parse(text, Origin::File(FILE.into()))?;
        }
        Endpoints::with_overrides(&profile.endpoints)?;
    }
    Ok(())
}

/// The file at the end of a chain of links: users may keep their configuration elsewhere and link to it here.
pub(super) fn beyond_links(mut path: PathBuf) -> PathBuf {
    // More links than an operating system follows form a cycle, which is reported when the file is read.
    for _ in 0..40 {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or_else(|| Path::new(".")).join(target);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(home: &Path) -> Folders {
        Folders::below(home)
    }

    #[test]
    fn a_link_stays_a_link() {
        let home = tempfile::tempdir().expect("folder");
        let folders = folders(home.path());
        let elsewhere = home.path().join("dotfiles");
        for folder in [&folders.config, &elsewhere] {
            std::fs::create_dir(folder).expect("folder");
        }
        let path = folders.config.join(FILE);
        std::os::unix::fs::symlink("../dotfiles/mine.toml", &path).expect("link");
        edit(&folders, |document| set_accessible(document, Some("true"))).expect("set");
        assert!(std::fs::symlink_metadata(&path).expect("there").is_symlink());
        assert_eq!(std::fs::read_to_string(elsewhere.join("mine.toml")).expect("text"), "accessible = true\n");
    }

    #[test]
    fn changes_at_once_are_all_kept() {
        let home = tempfile::tempdir().expect("folder");
        let folders = folders(home.path());
        std::thread::scope(|scope| {
            for number in 0..16 {
                let folders = &folders;
                scope.spawn(move || {
                    let set = |document: &mut DocumentMut| set(document, &format!("p{number}"), "scopes", Some("x"));
                    edit(folders, set).expect("set");
                });
            }
        });
        assert_eq!(File::load(&folders.config.join(FILE)).expect("file").profiles.len(), 16);
    }

    #[test]
    fn comments_stay_and_nonsense_is_not_written() {
        let home = tempfile::tempdir().expect("folder");
        let folders = folders(home.path());
        let path = folders.config.join(FILE);
        std::fs::create_dir(&folders.config).expect("folder");
        std::fs::write(&path, "# mine\n[profiles.shop] # ours\nendpoints = { orders_list = \"/o\" }\n").expect("write");
        let set = |key: &str, text: Option<&str>| edit(&folders, |document| set(document, "shop", key, text));
        set("base_url", Some("https://a.test")).expect("set");
        set("endpoints.orders_get", Some("/o/{id}")).expect("set");
        for (key, text) in [
            ("base_url", "http://a.test"),
            ("nonsense", "1"),
            ("endpoints.orders_get", "/o"),
            ("endpoints.retailers_list", "/r"),
            ("token_store", "pocket"),
        ] {
            assert!(set(key, Some(text)).is_err(), "{key}");
        }
        let text = std::fs::read_to_string(&path).expect("read");
        assert!(text.starts_with("# mine\n[profiles.shop] # ours\n"), "{text}");
        let file = File::load(&path).expect("file");
        let shop = &file.profiles["shop"];
        assert_eq!(shop.base_url.as_deref(), Some("https://a.test"));
        assert_eq!(shop.endpoints.len(), 2);
        set("base_url", None).expect("unset");
        assert_eq!(File::load(&path).expect("file").profiles["shop"].base_url, None);
    }
}
