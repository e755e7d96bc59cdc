//! The operator's own retailers (`retailers.toml`): which shops there are, and which connector reads each.
//!
//! Fail-closed: an unknown key, a doubtful address or a second entry of the same id is an error that names the file and
//! the entry, at the start of the service and not in the middle of a sync. A recipe is one shop's own: if it has a mistake,
//! only that shop cannot be used.
//!
//! ```toml
//! [[retailer]]
//! id = 101                                # positive, and no other retailer's
//! display_name = "Oscar Test Shop"
//! connector = "oscar"                     # what the shop runs on: "oscar", "woocommerce" or another platform, or "amazon"
//! base_url = "http://127.0.0.1:8101"      # https, but on a private network
//! allow_private_network = true            # default false
//! # What follows may be left out.
//! logo = "https://shop.example/logo.svg"
//! time_zone = "Europe/London"             # of the dates, which the pages show without one; default "UTC"
//! locale = "en-gb"                        # en, de, fr, nl, es, it, pl, pt, ja; default: what each page names
//! currency = "GBP"                        # the shop's own, where a symbol may stand for several
//! currencies = { "$" = "USD" }            # what other symbols stand for that may stand for several
//! statuses = { "On its way" = "shipped" } # the shop's own words for the status of an order
//! max_pages = 200                         # of the order list
//! min_interval_ms = 20                    # from one request to the next; default 20, at Amazon 1000
//! single_page = false                     # true: the order list has one page, and shows it whichever page is asked for
//! accept_unproven_end = false             # true: a list of one page counts as complete although nothing proves its end
//! reread_newest = 10                      # settled orders that each sync reads again: the newest,
//! reread_oldest = 10                      # and those that were read longest ago
//! whole_prices = false                    # true: no amount has decimals, `1,234` is a thousand
//! account_path = "my-account"             # where the page of the customer's account is, if the recipe asks for it
//! values = { publishable_key = "pk_1" }   # what else the recipe asks for
//! recipe = "shop.toml"                    # in place of `connector`: a file beside this one that describes the shop
//! recipe_changes.list.row = "tr.order"    # changes of the recipe, such as a theme needs
//! ```

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordersync_api::ShipmentStatus;
use ordersync_api::exact::LARGEST_INTEGER;
use ordersync_values::zone::Tz;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use url::{Origin, Url};

use super::Connector;
use super::amazon::{self, Amazon};
use super::egress::tape::Tape;
use super::egress::{Egress, EgressPolicy, NodeQueue};
use super::html::Reader;
use super::kit::currency::Currencies;
use super::kit::locale::Locale;
use super::kit::settings::Settings;
use super::recipe::{self, CheckedRecipe, OfShop, PLATFORMS};
use crate::small_file;

/// What a file of retailers configures.
#[derive(Debug, Default)]
pub struct Configured {
    /// Those that can be used.
    pub retailers: Vec<ConfiguredRetailer>,
    /// Those whose recipe has a mistake.
    pub broken: Vec<BrokenRetailer>,
}

/// A retailer that cannot be used until its recipe, or what its entry says for it, is corrected.
#[derive(Debug, Clone)]
pub struct BrokenRetailer {
    /// The retailer's number in the catalog; positive.
    pub id: i64,
    /// The name that people know it by.
    pub display_name: String,
    /// Address of a logo.
    pub logo: Option<String>,
    /// The recipe's file, if it has one of its own.
    pub recipe: Option<PathBuf>,
    /// Its entry, by its place and its id.
    entry: String,
    /// The recipe and the key, and what is wrong.
    pub message: String,
}

impl BrokenRetailer {
    /// The same as an error of its file.
    pub fn error(&self, file: &Path) -> RetailersFileError {
        let Self { entry, message, .. } = self;
        RetailersFileError::Entry { path: file.to_owned(), entry: entry.clone(), message: message.clone() }
    }
}

/// A retailer of the operator's.
#[derive(Clone)]
pub struct ConfiguredRetailer {
    /// The retailer's number in the catalog; positive.
    pub id: i64,
    /// The name that people know it by.
    pub display_name: String,
    /// Address of a logo.
    pub logo: Option<String>,
    /// What signs in there and reads its orders.
    pub connector: Arc<dyn Connector>,
    /// SHA-256 of everything that it was made from: the entry, and the recipe that it names.
    pub(crate) digest: [u8; 32],
    /// The shop's address, and this node's queue there.
    queue: (Origin, Arc<NodeQueue>),
}

impl std::fmt::Debug for ConfiguredRetailer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConfiguredRetailer")
            .field("id", &self.id)
            .field("display_name", &self.display_name)
            .finish_non_exhaustive()
    }
}

/// Why a file of retailers cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RetailersFileError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is not TOML, or is more than a list of retailers.
    #[error("{}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// An entry cannot be used.
    #[error("{}: {entry}: {message}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// Which entry, by its place and its id.
        entry: String,
        /// What is wrong with it.
        message: String,
    },
}

impl RetailersFileError {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Unreadable { path, .. } | Self::Malformed { path, .. } | Self::Entry { path, .. } => path,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    retailer: Vec<toml::Table>,
}

/// An entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: i64,
    display_name: String,
    logo: Option<Url>,
    connector: Option<String>,
    recipe: Option<String>,
    recipe_changes: Option<toml::Table>,
    base_url: Url,
    #[serde(default)]
    allow_private_network: bool,
    /// Milliseconds from one request to the next.
    min_interval_ms: Option<u64>,
    /// The zone of the dates that the shop shows, which carry none. A shop's server uses UTC unless its operator
    /// says otherwise (Django's own default), so that is what is taken here; it should be set.
    #[serde(default)]
    time_zone: Tz,
    locale: Option<String>,
    currency: Option<String>,
    #[serde(default)]
    currencies: HashMap<String, String>,
    #[serde(default)]
    statuses: HashMap<String, ShipmentStatus>,
    #[serde(default = "default_max_pages")]
    max_pages: u32,
    #[serde(default)]
    single_page: bool,
    #[serde(default)]
    accept_unproven_end: bool,
    #[serde(default = "default_reread")]
    reread_newest: u32,
    #[serde(default = "default_reread")]
    reread_oldest: u32,
    account_path: Option<String>,
    #[serde(default)]
    values: BTreeMap<String, String>,
    #[serde(default)]
    whole_prices: bool,
}

const DEFAULT_MIN_INTERVAL: Duration = Duration::from_millis(20);
/// The largest file of retailers, in bytes.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

const fn default_max_pages() -> u32 {
    200
}

const fn default_reread() -> u32 {
    10
}

/// To read more orders again, read them all: `full`.
const MAX_REREAD: u32 = 1000;

/// Reads a file of retailers.
/// Fails if the file or one of its entries cannot be used; see [`RetailersFileError`].
pub fn load(path: &Path) -> Result<Configured, RetailersFileError> {
    load_again(path, &[])
}

/// Reads a file of retailers whose retailers were these `before`. One that did not change keeps its connector; one that did, and is
/// at the same address, keeps its place in the shop's queue and leaves the shop alone for as long as it asked for.
/// Fails as [`load`].
pub(crate) fn load_again(path: &Path, before: &[ConfiguredRetailer]) -> Result<Configured, RetailersFileError> {
    let text = small_file::read(path, MAX_BYTES)
        .map_err(|error| RetailersFileError::Unreadable { path: path.to_owned(), error })?;
    parse_again(path, &text, before)
}

/// Reads the text of a file of retailers; `path` is for messages.
/// Fails if one of its entries cannot be used; see [`RetailersFileError`].
pub fn parse(path: &Path, text: &str) -> Result<Configured, RetailersFileError> {
    parse_again(path, text, &[])
}

fn parse_again(path: &Path, text: &str, before: &[ConfiguredRetailer]) -> Result<Configured, RetailersFileError> {
    let file: File = toml::from_str(text).map_err(|error| RetailersFileError::Malformed {
        path: path.to_owned(),
        message: error.to_string().trim_end().to_owned(),
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut ids = HashSet::new();
    let mut configured = Configured::default();
    for (index, table) in file.retailer.into_iter().enumerate() {
        let entry = entry_name(index, &table);
        let refused =
            |message: String| RetailersFileError::Entry { path: path.to_owned(), entry: entry.clone(), message };
        let (id, found) = match configure(table, folder, None, before) {
            Ok(retailer) => (retailer.id, Ok(retailer)),
            Err(Mistake::Recipe(broken)) => (broken.id, Err(broken)),
            Err(Mistake::Entry(message)) => return Err(refused(message)),
        };
        if !ids.insert(id) {
            return Err(refused("id: is another entry's already".to_owned()));
        }
        match found {
            Ok(retailer) => configured.retailers.push(retailer),
            Err(broken) => configured.broken.push(BrokenRetailer { entry, ..*broken }),
        }
    }
    Ok(configured)
}

/// Reads a file of retailers all of which can be used.
#[cfg(test)]
pub(super) fn load_sound(path: &Path) -> Result<Vec<ConfiguredRetailer>, RetailersFileError> {
    sound(path, load(path)?)
}

#[cfg(test)]
fn sound(path: &Path, configured: Configured) -> Result<Vec<ConfiguredRetailer>, RetailersFileError> {
    configured.broken.first().map_or(Ok(configured.retailers), |broken| Err(broken.error(path)))
}

/// What is wrong with an entry.
enum Mistake {
    /// Its own keys.
    Entry(String),
    /// The recipe that it names, or what it says for that.
    Recipe(Box<BrokenRetailer>),
}

impl From<String> for Mistake {
    fn from(message: String) -> Self {
        Self::Entry(message)
    }
}

fn entry_name(index: usize, table: &toml::Table) -> String {
    match table.get("id").and_then(toml::Value::as_integer) {
        Some(id) => format!("retailer {} (id {id})", index + 1),
        None => format!("retailer {}", index + 1),
    }
}

/// The connector of one entry, with a tape for its requests; `None`: the file has no entry of that id.
/// Fails if the file or the entry cannot be used.
pub(super) fn with_tape(
    path: &Path,
    text: &str,
    id: i64,
    tape: Arc<Tape>,
) -> Result<Option<(toml::Table, ConfiguredRetailer)>, RetailersFileError> {
    parse(path, text)?;
    let file: File = toml::from_str(text).unwrap_or_else(|_| File { retailer: Vec::new() });
    let is_meant = |table: &toml::Table| table.get("id").and_then(toml::Value::as_integer) == Some(id);
    let Some(table) = file.retailer.into_iter().find(is_meant) else { return Ok(None) };
    let entry = format!("id {id}");
    match configure(table.clone(), path.parent().unwrap_or(Path::new("")), Some(tape), &[]) {
        Ok(retailer) => Ok(Some((table, retailer))),
        Err(Mistake::Entry(message)) => Err(RetailersFileError::Entry { path: path.to_owned(), entry, message }),
        Err(Mistake::Recipe(broken)) => Err(BrokenRetailer { entry, ..*broken }.error(path)),
    }
}

fn configure(
    table: toml::Table,
    folder: &Path,
    tape: Option<Arc<Tape>>,
    before: &[ConfiguredRetailer],
) -> Result<ConfiguredRetailer, Mistake> {
    let mut digest = Sha256::new();
    digest.update(table.to_string());
    let entry: Entry = table.try_into().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
    if !(1..=LARGEST_INTEGER).contains(&entry.id) {
        return Err(format!("id: has to be from 1 to {LARGEST_INTEGER}").into());
    }
    if entry.display_name.trim().is_empty() {
        return Err("display_name: is empty".to_owned().into());
    }
    if entry.logo.as_ref().is_some_and(|logo| logo.scheme() != "https") {
        return Err("logo: has to begin with https://".to_owned().into());
    }
    let (egress, settings) = shop(&entry)?;
    let source = entry.source()?;
    let broken = |message: String| {
        Mistake::Recipe(Box::new(BrokenRetailer {
            id: entry.id,
            display_name: entry.display_name.clone(),
            logo: entry.logo.clone().map(String::from),
            recipe: entry.recipe.as_deref().map(|name| folder.join(name)),
            entry: String::new(),
            message,
        }))
    };
    let recipe = entry.recipe.as_deref().map(|name| recipe::read_file(folder, name)).transpose().map_err(&broken)?;
    digest.update(recipe.as_deref().unwrap_or_default());
    let digest = digest.finalize().into();
    let (origin, known) = (entry.base_url.origin(), before.iter().find(|known| known.id == entry.id));
    let queue =
        known.filter(|known| known.queue.0 == origin).map(|known| Arc::clone(&known.queue.1)).unwrap_or_default();
    let connector = match known {
        Some(known) if known.digest == digest => Arc::clone(&known.connector),
        _ => {
            let egress = egress.with_tape(tape).with_queue(Arc::clone(&queue));
            let text = recipe.as_deref();
            entry.connector(source, text, egress, settings).map_err(broken)?
        }
    };
    Ok(ConfiguredRetailer {
        id: entry.id,
        display_name: entry.display_name,
        logo: entry.logo.map(String::from),
        connector,
        digest,
        queue: (origin, queue),
    })
}

impl Entry {
    /// What signs in at the shop and reads its orders. `recipe`: the text of the file that the entry names.
    fn connector(
        &self,
        source: Source<'_>,
        recipe: Option<&str>,
        egress: Egress,
        settings: Settings,
    ) -> Result<Arc<dyn Connector>, String> {
        let changes = self.recipe_changes.as_ref();
        let recipe = match source {
            Source::Amazon => return Amazon::connector(&self.base_url, egress, settings),
            Source::Platform(name, text) => CheckedRecipe::load(&format!("the recipe \"{name}\""), text, changes),
            Source::File(name) => CheckedRecipe::load(name, recipe.unwrap_or_default(), changes),
        };
        let shop = OfShop { account_path: self.account_path.as_deref(), values: &self.values };
        recipe?.connector(&self.base_url, egress, settings, &shop)
    }

    /// The shortest time from one request to the next.
    fn min_interval(&self) -> Duration {
        match self.min_interval_ms {
            Some(given) => Duration::from_millis(given),
            None if self.connector.as_deref() == Some(amazon::CONNECTOR) => amazon::MIN_INTERVAL,
            None => DEFAULT_MIN_INTERVAL,
        }
    }

    /// Which recipe describes the shop.
    fn source(&self) -> Result<Source<'_>, String> {
        match (&self.connector, &self.recipe) {
            (Some(wanted), None) if wanted == amazon::CONNECTOR => {
                let unread = [
                    ("recipe_changes", self.recipe_changes.is_some()),
                    ("account_path", self.account_path.is_some()),
                    ("values", !self.values.is_empty()),
                ];
                match unread.iter().find(|(_, is_set)| *is_set) {
                    Some((key, _)) => Err(format!("{key}: belongs to a recipe, and Amazon has none; leave it out")),
                    None => Ok(Source::Amazon),
                }
            }
            (Some(wanted), None) => {
                let known = PLATFORMS.iter().find(|(name, _)| name == wanted);
                let (name, text) = known.ok_or_else(|| unknown_connector(wanted))?;
                Ok(Source::Platform(name, text))
            }
            (None, Some(name)) => Ok(Source::File(name)),
            (Some(_), Some(_)) => Err("recipe: takes the place of `connector`; leave one of them out".to_owned()),
            (None, None) => Err("connector: is missing; write `connector` or `recipe`".to_owned()),
        }
    }
}

/// Where a recipe is.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// A platform's, with its text.
    Platform(&'static str, &'static str),
    /// A file of the operator's.
    File(&'a str),
    /// No recipe.
    Amazon,
}

fn unknown_connector(wanted: &str) -> String {
    let names = PLATFORMS.iter().map(|(name, _)| *name).chain([amazon::CONNECTOR]);
    let known: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    format!("connector: \"{wanted}\" is unknown; known are {}", known.join(", "))
}

/// What every kind of shop needs.
fn shop(entry: &Entry) -> Result<(Egress, Settings), String> {
    if let Some(tag) = entry.locale.as_deref().filter(|tag| Locale::from_tag(tag).is_none()) {
        return Err(format!("locale: \"{tag}\" is none of the languages that can be read ({})", Locale::KNOWN));
    }
    let currencies = Currencies::new(entry.currency.as_deref(), &entry.currencies)?;
    if entry.max_pages == 0 {
        return Err("max_pages: has to be at least 1".to_owned());
    }
    if entry.reread_newest > MAX_REREAD || entry.reread_oldest > MAX_REREAD {
        return Err(format!("reread_newest, reread_oldest: can be at most {MAX_REREAD}"));
    }
    let mut egress = Egress::new(EgressPolicy {
        allow_private_network: entry.allow_private_network,
        min_interval: entry.min_interval(),
        accept_language: entry.locale.clone(),
        ..EgressPolicy::new(entry.base_url.clone())
    })
    .map_err(|error| format!("base_url: {error}"))?;
    egress.pages = Reader::new(&entry.display_name);
    let settings = Settings {
        time_zone: entry.time_zone,
        locale: entry.locale.clone(),
        currencies,
        statuses: entry.statuses.iter().map(|(word, status)| (word.to_lowercase(), *status)).collect(),
        whole_prices: entry.whole_prices,
        max_pages: entry.max_pages,
        single_page: entry.single_page,
        accept_unproven_end: entry.accept_unproven_end,
        reread_newest: entry.reread_newest,
        reread_oldest: entry.reread_oldest,
    };
    Ok((egress, settings))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "/etc/retailers.toml";

    fn of(text: &str) -> Result<Vec<ConfiguredRetailer>, String> {
        let path = Path::new(FILE);
        parse(path, text).and_then(|configured| sound(path, configured)).map_err(|error| error.to_string())
    }

    const SHORTEST: &str = r#"
        [[retailer]]
        id = 101
        display_name = "Oscar Test Shop"
        connector = "oscar"
        base_url = "http://127.0.0.1:8101"
        allow_private_network = true
    "#;

    #[test]
    fn the_shortest_entry_is_enough() {
        let retailers = of(SHORTEST).unwrap();
        assert_eq!((retailers[0].id, retailers[0].display_name.as_str()), (101, "Oscar Test Shop"));
        let fields = retailers[0].connector.credential_fields();
        assert_eq!(
            fields.iter().map(|field| (field.name.as_str(), field.secret)).collect::<Vec<_>>(),
            [("username", false), ("password", true)]
        );
    }

    #[test]
    fn every_key_is_taken() {
        let text = r#"
            [[retailer]]
            id = 102
            display_name = "Shop"
            logo = "https://shop.example/logo.svg"
            connector = "oscar"
            base_url = "https://shop.example/de"
            min_interval_ms = 250
            time_zone = "Europe/Berlin"
            locale = "de"
            currency = "EUR"
            currencies = { "$" = "USD", "kr" = "SEK" }
            max_pages = 50
            single_page = true
            accept_unproven_end = true
            reread_newest = 0
            reread_oldest = 100
            [retailer.statuses]
            "In Bearbeitung" = "processing"
        "#;
        assert_eq!(of(text).unwrap()[0].logo.as_deref(), Some("https://shop.example/logo.svg"));
    }

    #[test]
    fn a_woocommerce_shop_has_a_key_of_its_own() {
        let shop = SHORTEST.replace("\"oscar\"", "\"woocommerce\"");
        let with = |key: &str| of(&format!("{shop}{key}\n")).map(|retailers| retailers.len());
        assert_eq!(with(""), Ok(1));
        assert_eq!(with("account_path = \"/mein-konto/\"\nwhole_prices = true"), Ok(1));
        assert_eq!(with("single_page = true"), Ok(1));
        assert!(
            with("account_path = \"https://else.example/\"").unwrap_err().contains("account_path: has to be a path")
        );
        let oscar = of(&format!("{SHORTEST}account_path = \"konto\"\n"));
        assert!(oscar.unwrap_err().contains("account_path: the recipe for django-oscar has no {account}"));
    }

    #[test]
    fn an_empty_file_has_no_retailers() {
        assert!(of("").unwrap().is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_with_the_file_and_the_entry() {
        for (change, with, complaint) in [
            ("id = 101", "id = 0", "retailer 1 (id 0): id: has to be from 1 to 9007199254740991"),
            ("id = 101", "id = 9007199254740992", "id: has to be from 1 to 9007199254740991"),
            ("id = 101", "", "retailer 1: missing field `id`"),
            ("id = 101", "id = 101\ncolour = 1", "retailer 1 (id 101): unknown field `colour`"),
            ("\"oscar\"", "\"shop\"", "connector: \"shop\" is unknown; known are \"magento\", "),
            ("http://127.0.0.1:8101", "http://shop.example", ""),
            ("http://127.0.0.1:8101", "http://1.1.1.1", "base_url: is http, but not on a private network"),
            ("http://127.0.0.1:8101", "shop.example", "base_url"),
            ("allow_private_network = true", "", "base_url: is on a private network"),
            ("id = 101", "id = 101\ntime_zone = \"Mars/Base\"", "time_zone"),
            ("id = 101", "id = 101\nlocale = \"tr\"", "locale: \"tr\" is none of the languages that can be read"),
            ("id = 101", "id = 101\ncurrency = \"pounds\"", "currency: \"pounds\" is no ISO 4217 code"),
            ("id = 101", "id = 101\ncurrencies = { \"€\" = \"USD\" }", "currencies: \"€\" does not stand for USD"),
            ("id = 101", "id = 101\nstatuses = { Neu = \"new\" }", "statuses"),
            ("id = 101", "id = 101\nmax_pages = 0", "max_pages: has to be at least 1"),
            ("id = 101", "id = 101\nreread_newest = 1001", "reread_newest, reread_oldest: can be at most 1000"),
            ("id = 101", "id = 101\nreread_oldest = -1", "reread_oldest"),
            ("id = 101", "id = 101\nlogo = \"http://x.example/l\"", "logo: has to begin with https://"),
            ("\"Oscar Test Shop\"", "\" \"", "display_name: is empty"),
        ] {
            let text = SHORTEST.replace(change, with);
            match of(&text) {
                Ok(_) => assert_eq!(complaint, "", "{text}"),
                Err(message) => {
                    assert!(message.starts_with("/etc/retailers.toml: retailer 1"), "{message}");
                    assert!(!complaint.is_empty() && message.contains(complaint), "{message}");
                }
            }
        }
        assert!(of(&SHORTEST.repeat(2)).unwrap_err().contains("retailer 2 (id 101): id: is another entry's already"));
        assert!(of("retailers = []").unwrap_err().contains("unknown field `retailers`"));
        assert!(of("[[retailer]").unwrap_err().starts_with("/etc/retailers.toml: "));
    }

    #[test]
    fn what_did_not_change_keeps_its_connector_and_what_did_its_place_at_the_shop() {
        let again = |before: &[ConfiguredRetailer], text: &str| {
            parse_again(Path::new(FILE), text, before).unwrap().retailers.remove(0)
        };
        let before = of(SHORTEST).unwrap();
        let same = again(&before, &format!("# A note.\n{SHORTEST}"));
        assert!(Arc::ptr_eq(&same.connector, &before[0].connector));
        let slower = again(&before, &format!("{SHORTEST}min_interval_ms = 5000\n"));
        assert!(!Arc::ptr_eq(&slower.connector, &before[0].connector));
        assert!(Arc::ptr_eq(&slower.queue.1, &before[0].queue.1));
        let elsewhere = again(&before, &SHORTEST.replace("8101", "8102"));
        assert!(!Arc::ptr_eq(&elsewhere.queue.1, &before[0].queue.1));
    }

    #[test]
    fn a_mistake_in_a_recipe_is_one_of_that_retailer_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("retailers.toml");
        let own =
            |id: u32, recipe: &str| SHORTEST.replace("101", &id.to_string()).replace("connector = \"oscar\"", recipe);
        std::fs::write(folder.path().join("syntax.toml"), "recipe = 1\nname").unwrap();
        std::fs::write(folder.path().join("key.toml"), "recipe = 1\nname = \"S\"\ncolour = 1").unwrap();
        let text = [
            SHORTEST.to_owned(),
            own(102, "recipe = \"syntax.toml\""),
            own(103, "recipe = \"key.toml\""),
            own(104, "recipe = \"gone.toml\""),
            own(105, "connector = \"oscar\"\nrecipe_changes.list.colour = \"red\""),
            own(106, "connector = \"oscar\"\naccount_path = \"konto\""),
        ]
        .concat();
        let configured = parse(&file, &text).unwrap();
        assert_eq!(configured.retailers.iter().map(|one| one.id).collect::<Vec<_>>(), [101]);
        let said = ["syntax.toml: ", "key.toml: ", "gone.toml cannot be read", "recipe_changes.list", "account_path: "];
        assert_eq!(configured.broken.len(), said.len());
        for (broken, said) in configured.broken.iter().zip(said) {
            assert!(broken.message.contains(said), "{}", broken.message);
            let error = broken.error(&file).to_string();
            assert!(error.contains(&format!("(id {}): ", broken.id)), "{error}");
        }
        let twice = format!("{text}{}", own(104, "recipe = \"gone.toml\""));
        assert!(parse(&file, &twice).unwrap_err().to_string().contains("retailer 7 (id 104): id: is another entry's"));
    }

    #[test]
    fn no_file_breaks_the_reader() {
        let seeds =
            [SHORTEST.as_bytes(), b"[[retailer]]\nstatuses = { \"On its way\" = \"shipped\" }\nlocale = \"de\""];
        let words =
            ["[[retailer]]\n", "id = -1\n", "id = 9223372036854775807\n", "[[[", "\"\"\"", "min_interval_ms = 1e9\n"];
        crate::fuzzing::fuzz("retailers file", &seeds, &words, |input, _| {
            let _retailers = of(&String::from_utf8_lossy(input));
        });
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = load(Path::new("/nowhere/retailers.toml")).unwrap_err().to_string();
        assert!(error.starts_with("/nowhere/retailers.toml: cannot be read"), "{error}");
    }
}
