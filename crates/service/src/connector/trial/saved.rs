//! The saved pages of a trial: an index of the requests, a file for each page, and the shop's entry.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ordersync_api::seal::Credentials;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};

use super::Trial;
use super::disguise::Disguise;
use crate::connector::egress::tape::Exchange;
use crate::connector::html::MAX_PAGE_BYTES;
use crate::connector::retailers_file::RetailersFileError;
use crate::small_file;

/// The shop's entry, in the form of a file of retailers.
pub(super) const ENTRY: &str = "shop.toml";
/// The requests.
const INDEX: &str = "requests.json";
/// The key of an entry that names the file which describes the shop, and the name of that file here.
pub(super) const RECIPE_KEY: &str = "recipe";
const RECIPE: &str = "recipe.toml";
/// The id of the one entry.
pub(super) const ID: i64 = 1;
/// A larger index is not one of ours.
const MAX_INDEX_BYTES: u64 = 1024 * 1024;
/// A trial reads some twenty pages.
const MAX_ALL_BYTES: usize = 32 * MAX_PAGE_BYTES;
/// Shorter secrets are found in every text.
const SHORTEST: usize = 4;

/// A file to be written.
#[derive(Debug)]
pub struct SavedFile {
    /// Its name in the folder.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A request, and the file with its page.
#[derive(Serialize, Deserialize)]
struct Indexed {
    #[serde(flatten)]
    exchange: Exchange,
    page: Option<String>,
}

/// Why saved pages cannot be tried.
#[derive(Debug, thiserror::Error)]
pub enum BadPages {
    /// They are missing.
    #[error("there are no saved pages of `retailers check --save`")]
    None,
    /// A file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The index is something else.
    #[error("requests.json is not an index of saved pages: {0}")]
    Index(String),
    /// The entry cannot be used.
    #[error(transparent)]
    Entry(#[from] RetailersFileError),
}

/// Something of the customer's would be left in the saved pages.
#[derive(Debug, thiserror::Error)]
#[error("the pages contain {what} in a place where it could not be replaced")]
pub struct UnsafePages {
    what: &'static str,
}

/// The files of a trial, disguised.
pub(super) fn files(
    entry: &toml::Table,
    recipe: Option<&str>,
    exchanges: &[Exchange],
    credentials: &Credentials,
    trial: &Trial,
) -> Result<Vec<SavedFile>, UnsafePages> {
    let secrets: Vec<String> = credentials.values().map(|value| value.expose_secret().to_owned()).collect();
    let titles: Vec<String> =
        trial.orders.iter().flat_map(|order| &order.items).filter_map(|item| item.item_name.clone()).collect();
    let orders = trial.orders.iter().map(|order| &order.order_id).chain(&trial.kept_back).cloned().collect();
    let mut disguise = Disguise::new(entry, recipe, exchanges, &secrets, &titles, orders);
    let mut entry = disguise.entry(entry, ID);
    let mut files = Vec::new();
    if let Some(text) = recipe {
        entry.insert(RECIPE_KEY.to_owned(), RECIPE.into());
        files.push(SavedFile { name: RECIPE.to_owned(), text: text.to_owned() });
    }
    let list = toml::Value::Array(vec![toml::Value::Table(entry)]);
    let text = toml::to_string(&toml::Table::from_iter([("retailer".to_owned(), list)])).unwrap_or_default();
    files.push(SavedFile { name: ENTRY.to_owned(), text });
    let mut index = Vec::new();
    for (number, exchange) in exchanges.iter().enumerate() {
        if is_repeated(exchanges, number) {
            continue;
        }
        let (exchange, body) = disguise.exchange(exchange);
        let is_json = body.trim_start().starts_with(['{', '[']);
        let name = format!("{:02}.{}", number + 1, if is_json { "json" } else { "html" });
        let page = (!body.is_empty()).then(|| name.clone());
        index.push(Indexed { exchange, page });
        if !body.is_empty() {
            files.push(SavedFile { name, text: body });
        }
    }
    let text = serde_json::to_string_pretty(&index).unwrap_or_default();
    files.push(SavedFile { name: INDEX.to_owned(), text });
    check(&files, &secrets, &disguise)?;
    Ok(files)
}

/// Whether a request had this answer before, and no other since: the last answer is played again without a copy.
fn is_repeated(exchanges: &[Exchange], number: usize) -> bool {
    let (before, rest) = exchanges.split_at(number);
    let Some(exchange) = rest.first() else { return false };
    before.iter().rev().find(|one| one.asked == exchange.asked) == Some(exchange)
        && rest.iter().all(|one| one.asked != exchange.asked || one == exchange)
}

/// Whatever the rules are: what is known to be the customer's must not be left.
fn check(files: &[SavedFile], secrets: &[String], disguise: &Disguise) -> Result<(), UnsafePages> {
    for file in files {
        let text = file.text.to_lowercase();
        let has = |secret: &str| secret.len() >= SHORTEST && text.contains(&secret.to_lowercase());
        if secrets.iter().any(|secret| has(secret)) {
            return Err(UnsafePages { what: "the user name or the password" });
        }
        if disguise.titles().any(has) {
            return Err(UnsafePages { what: "the title of an item" });
        }
        if disguise.ids().any(|id| id.len() >= SHORTEST && identifies(&text, id)) {
            return Err(UnsafePages { what: "the number of an order" });
        }
    }
    Ok(())
}

/// Whether a text has the number where it is no amount.
fn identifies(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + id.len()..].chars().next());
        before.is_some_and(|sign| "#/>\"=".contains(sign)) && after.is_some_and(|sign| "/<\"&?".contains(sign))
    })
}

/// The entry and the exchanges of a folder.
pub(super) fn read(folder: &Path) -> Result<(String, Vec<Exchange>), BadPages> {
    let text = |name: &str, most: u64| {
        let path = folder.join(name);
        small_file::read(&path, most).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound if name != ENTRY => BadPages::None,
            _ => BadPages::Unreadable { path: path.clone(), error },
        })
    };
    let (mut exchanges, mut pages, mut bytes) = (Vec::new(), HashSet::new(), 0);
    for Indexed { exchange, page } in indexed(&text(INDEX, MAX_INDEX_BYTES)?)? {
        let Some(name) = page else {
            exchanges.push(exchange);
            continue;
        };
        // A page is a file of the folder itself.
        if Path::new(&name).components().count() != 1 || name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(BadPages::Index(format!("\"{name}\" is not the name of a page")));
        }
        let body = text(&name, 2 * MAX_PAGE_BYTES as u64)?;
        bytes += body.len();
        if bytes > MAX_ALL_BYTES || !pages.insert(name) {
            return Err(BadPages::Index("it names a page twice, or more pages than a trial reads".to_owned()));
        }
        exchanges.push(Exchange { body, ..exchange });
    }
    Ok((text(ENTRY, MAX_INDEX_BYTES)?, exchanges))
}

fn indexed(text: &str) -> Result<Vec<Indexed>, BadPages> {
    serde_json::from_str(text).map_err(|why| BadPages::Index(why.to_string()))
}
