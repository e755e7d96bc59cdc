//! Changes to a file of retailers. Comments and other entries are kept; a change that would make the file unusable is not
//! written; the file is replaced whole.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ordersync_api::import::FIRST_RETAILER;
use ordersync_service::{
    BrokenRetailer, MAX_RETAILERS_FILE, RetailersFileError, load_retailers, parse_retailers, small_file,
};
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TomlError, value};

use super::edit::beyond_links;
use super::file::misread;
use crate::errors::{Error, Result};
use crate::files::{atomic, private};

/// The file's name in the configuration folder.
pub(crate) const FILE: &str = "retailers.toml";
/// Ids up to this one are for simulated retailers.
pub(crate) const SIMULATED: i64 = 100;
const KEY: &str = "retailer";

/// An entry of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) base_url: String,
    pub(crate) has_time_zone: bool,
    /// The file that describes the shop.
    pub(crate) recipe: Option<String>,
}

/// An entry to be added, in the words of the file.
#[derive(Debug, Default)]
pub(crate) struct NewEntry {
    /// Its number, if not the next one that is free.
    pub(crate) id: Option<i64>,
    pub(crate) name: String,
    pub(crate) connector: String,
    /// The file that describes the shop, in place of a connector.
    pub(crate) recipe: Option<String>,
    pub(crate) base_url: String,
    pub(crate) account_path: Option<String>,
    pub(crate) allow_private_network: bool,
    pub(crate) time_zone: Option<String>,
    pub(crate) currency: Option<String>,
    pub(crate) locale: Option<String>,
    /// What else the recipe asks for.
    pub(crate) values: BTreeMap<String, String>,
}

/// The entries of a file; none if there is no file.
/// Fails if it cannot be read or used.
pub(crate) fn entries(path: &Path) -> Result<Vec<Entry>> {
    read(path).map(|(_, document)| listed(&document))
}

/// The shops of a file whose recipe has a mistake; none if the file cannot be used at all.
pub(crate) fn broken(path: &Path) -> Vec<BrokenRetailer> {
    load_retailers(path).map(|configured| configured.broken).unwrap_or_default()
}

/// Adds an entry, with an id above those of the file and `highest`. Returns the id.
/// Fails if the file cannot be read, used or written, or could not be used with the entry.
pub(crate) fn add(path: &Path, new: &NewEntry, highest: i64) -> Result<i64> {
    let folder = atomic::folder(path);
    private::create_private_folder(folder)?;
    let _lock = lock(path)?;
    let (path, mut document) = read(path)?;
    let used = listed(&document).iter().map(|entry| entry.id).filter(|id| *id < FIRST_RETAILER).max();
    let next = used.unwrap_or_default().max(highest).max(SIMULATED).checked_add(1);
    let id = new.id.or(next).ok_or_else(|| Error::usage("There is no free id left."))?;
    let entries = document.entry(KEY).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(entries) = entries.as_array_of_tables_mut() else {
        return Err(Error::usage(format!("{} does not list its retailers as [[retailer]].", path.display()))
            .hint("Write each of them as a table of its own that begins with [[retailer]]."));
    };
    let mut table = table_of(id, new);
    if !entries.is_empty() {
        table.decor_mut().set_prefix("\n");
    }
    entries.push(table);
    write(&path, &document, Some(id))?;
    Ok(id)
}

/// Removes an entry.
/// Fails if the file cannot be read, used or written.
pub(crate) fn remove(path: &Path, id: i64) -> Result<()> {
    let _lock = lock(path)?;
    let (path, mut document) = read(path)?;
    if let Some(entries) = document.get_mut(KEY).and_then(Item::as_array_of_tables_mut) {
        entries.retain(|table| id_of(table) != Some(id));
    }
    write(&path, &document, None)
}

/// The error of a file of retailers that cannot be used.
pub(crate) fn unusable(why: &RetailersFileError) -> Error {
    let path = why.path().display();
    let error = Error::usage(format!(
        "The retailers' configuration cannot be used: {}.",
        why.to_string().trim_end_matches(['.', '\n'])
    ));
    error.hint(match why {
        RetailersFileError::Unreadable { .. } => format!("Make {path} a file that you may read."),
        RetailersFileError::Malformed { .. } => format!("Correct {path}."),
        RetailersFileError::Entry { .. } => format!("Correct the entry in {path}, or the recipe that it names."),
    })
}

/// Locked while the file is changed, so that no concurrent change is lost.
fn lock(path: &Path) -> Result<std::fs::File> {
    private::lock(&path.with_extension("lock"))
}

/// The file itself, beyond links, and what it contains.
fn read(path: &Path) -> Result<(PathBuf, DocumentMut)> {
    let path = beyond_links(path.to_owned());
    let text = match small_file::read(&path, MAX_RETAILERS_FILE) {
        Ok(text) => text,
        Err(why) if why.kind() == ErrorKind::NotFound => String::new(),
        Err(why) => return Err(Error::file("read", &path, &why)),
    };
    parse_retailers(&path, &text).map_err(|why| unusable(&why))?;
    let document = text.parse().map_err(|why: TomlError| misread(&path, &text, why.span(), why.message()))?;
    Ok((path, document))
}

/// Writes the file if it can be used with the new entry.
fn write(path: &Path, document: &DocumentMut, new: Option<i64>) -> Result<()> {
    let text = document.to_string();
    let configured = parse_retailers(path, &text).map_err(|why| unfit(&why))?;
    if let Some(broken) = configured.broken.iter().find(|broken| Some(broken.id) == new) {
        return Err(unfit(&broken.error(path)));
    }
    atomic::replace_alike(path, text.as_bytes()).map_err(|why| Error::file("write", path, &why))
}

/// The error of a new entry. The other entries were read before.
fn unfit(why: &RetailersFileError) -> Error {
    let RetailersFileError::Entry { message, .. } = why else { return unusable(why) };
    if message.contains("`time_zone`") {
        return Error::usage("--time-zone: this is no time zone of the IANA database, such as Europe/Berlin.");
    }
    let message = message.trim_end_matches('.');
    Error::usage(match message.split_once(": ") {
        Some((key @ ("currency" | "locale"), rest)) => format!("--{key}: {rest}."),
        Some(("base_url", rest)) => format!("The address {rest}."),
        _ => format!("{message}."),
    })
}

fn table_of(id: i64, new: &NewEntry) -> Table {
    let mut table = Table::new();
    table["id"] = value(id);
    table["display_name"] = value(&new.name);
    match &new.recipe {
        Some(recipe) => table["recipe"] = value(recipe),
        None => table["connector"] = value(&new.connector),
    }
    table["base_url"] = value(&new.base_url);
    if new.allow_private_network {
        table["allow_private_network"] = value(true);
    }
    let optional = [
        ("account_path", &new.account_path),
        ("time_zone", &new.time_zone),
        ("currency", &new.currency),
        ("locale", &new.locale),
    ];
    for (key, text) in optional {
        if let Some(text) = text {
            table[key] = value(text);
        }
    }
    if !new.values.is_empty() {
        let values = new.values.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        table["values"] = value(InlineTable::from_iter(values));
    }
    table
}

fn listed(document: &DocumentMut) -> Vec<Entry> {
    let Some(tables) = document.get(KEY).and_then(Item::as_array_of_tables) else { return Vec::new() };
    let text = |table: &Table, key: &str| table.get(key).and_then(Item::as_str).unwrap_or_default().to_owned();
    let entry = |table: &Table| {
        Some(Entry {
            id: id_of(table)?,
            name: text(table, "display_name"),
            base_url: text(table, "base_url"),
            has_time_zone: table.contains_key("time_zone"),
            recipe: table.get("recipe").and_then(Item::as_str).map(str::to_owned),
        })
    };
    tables.iter().filter_map(entry).collect()
}

fn id_of(table: &Table) -> Option<i64> {
    table.get("id").and_then(Item::as_integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(name: &str) -> NewEntry {
        let base_url = "https://shop.example".to_owned();
        NewEntry { name: name.to_owned(), connector: "woocommerce".to_owned(), base_url, ..NewEntry::default() }
    }

    #[test]
    fn comments_and_other_entries_stay_as_they_are() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join(FILE);
        let before = "# Ours.\n[[retailer]]\nid = 205 # high\ndisplay_name = \"One\"\nconnector = \"oscar\"\nbase_url = \"https://one.example\"\nstatuses = { \"Neu\" = \"pending\" }\n";
        std::fs::write(&path, before).expect("write");
        assert_eq!(add(&path, &new("Two \"quoted\""), 12).expect("added"), 206);
        let text = std::fs::read_to_string(&path).expect("read");
        assert!(text.starts_with(before), "{text}");
        assert_eq!(entries(&path).expect("entries")[1].name, "Two \"quoted\"");
        remove(&path, 206).expect("removed");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), before);
    }

    #[test]
    fn a_setting_that_cannot_be_is_refused_and_nothing_is_written() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join(FILE);
        for (entry, said) in [
            (NewEntry { currency: Some("pounds".into()), ..new("A") }, "--currency: \"pounds\" is no ISO 4217 code"),
            (NewEntry { time_zone: Some("Mars/Base".into()), ..new("A") }, "--time-zone: this is no time zone"),
            (NewEntry { locale: Some("tr".into()), ..new("A") }, "--locale: \"tr\" is none of the languages"),
        ] {
            let error = add(&path, &entry, 0).expect_err("refused");
            assert!(error.message().contains(said), "{}", error.message());
            assert!(!path.exists());
        }
        assert_eq!(add(&path, &new("A"), 250).expect("added"), 251);
    }

    #[test]
    fn a_shop_is_added_and_removed_beside_one_whose_recipe_has_a_mistake() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join(FILE);
        let own = |name: &str| NewEntry { recipe: Some("units.toml".into()), ..new(name) };
        std::fs::write(folder.path().join("units.toml"), "recipe = 1\ncolour = 1\n").expect("write");
        let error = add(&path, &own("A"), 0).expect_err("a mistake");
        assert!(error.message().starts_with("units.toml: "), "{}", error.message());
        let entry =
            "[[retailer]]\nid = 300\ndisplay_name = \"A\"\nrecipe = \"units.toml\"\nbase_url = \"https://a.example\"\n";
        std::fs::write(&path, entry).expect("write");
        assert_eq!(broken(&path).iter().map(|shop| shop.id).collect::<Vec<_>>(), [300]);
        assert_eq!(add(&path, &new("B"), 0).expect("added"), 301);
        remove(&path, 300).expect("removed");
        assert_eq!(entries(&path).expect("entries")[0].id, 301);
    }

    #[test]
    fn a_file_that_cannot_be_used_is_left_alone() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join(FILE);
        for text in ["retailer = []\nx = 1", "[[retailer]]\nid = 1\n", "[[retailer"] {
            std::fs::write(&path, text).expect("write");
            assert!(add(&path, &new("A"), 0).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(&path).expect("read"), text);
        }
        std::fs::write(&path, "retailer = []\n").expect("write");
        assert!(add(&path, &new("A"), 0).expect_err("no tables").message().contains("[[retailer]]"));
    }
}
