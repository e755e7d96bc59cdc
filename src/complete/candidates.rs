//! Candidates from this machine and from the current service.

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

use clap_complete::CompletionCandidate;
use ordersync_api::order::ShipmentStatus;
use ordersync_service::{load_retailers, simulated_retailers};

use super::cache::{Cache, Fetched, KnownName, KnownNames};
use super::command_line::Words;
use super::tree::Tree;
use crate::client::endpoints::TABLE;
use crate::client::row::Column;
use crate::config::edit::FILE;
use crate::config::file::File;
use crate::config::folders::Folders;
use crate::config::keys;
use crate::config::{LOCAL, Settings, Target};
use crate::env::Environment;
use crate::flags::GlobalArgs;
use crate::names::{self, Match, fold};

/// A list is up to date for this many seconds.
const FRESH_SECONDS: i64 = 60;

/// The kinds of values whose candidates are looked up when they are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidateKind {
    Retailer,
    Connection,
    /// A connection to repair.
    BrokenConnection,
    /// A session, by its own id or a retailer's name.
    Batch,
    /// A line item.
    Order,
    /// A command or a topic to explain.
    Help,
    /// The shipment status of a line item.
    ShipmentStatus,
    Profile,
    /// Fields of the result, separated by commas.
    Field,
    /// Columns of an export, separated by commas.
    Column,
    Setting,
    Method,
    Path,
}

/// Finds candidates.
pub(super) struct Candidates {
    tree: Tree,
    environment: Environment,
    settings: Option<Settings>,
    /// The command line before the word under the cursor.
    before: Vec<OsString>,
    known: OnceLock<KnownNames>,
}

impl Candidates {
    /// Uses the settings that follow from the flags before the cursor, the environment and `config.toml`.
    pub(super) fn new(words: &Words, tree: Tree) -> Self {
        let flags = GlobalArgs {
            profile: words.value_of("--profile"),
            base_url: words.value_of("--base-url"),
            quiet: true,
            no_input: true,
            ..GlobalArgs::default()
        };
        let environment = Environment::of_process();
        let settings = Settings::load(&flags, &environment).ok();
        Self { tree, environment, settings, before: words.all[..words.index].to_vec(), known: OnceLock::new() }
    }

    /// The candidates that begin with what was typed.
    pub(super) fn candidates(&self, kind: CandidateKind, typed: &OsStr) -> Vec<CompletionCandidate> {
        let Some(typed) = typed.to_str() else { return Vec::new() };
        let found = match kind {
            CandidateKind::Retailer => self.retailers(typed),
            CandidateKind::Connection => connections(&self.known().connections.entries, typed),
            CandidateKind::BrokenConnection => connections(&broken(&self.known().connections), typed),
            CandidateKind::ShipmentStatus => {
                let all = ShipmentStatus::ALL.iter().map(|status| status.as_str()).chain(["missing"]);
                all.map(|status| (status.to_owned(), String::new())).collect()
            }
            CandidateKind::Batch => self.batches(typed),
            CandidateKind::Order => described(&self.known().orders.entries),
            CandidateKind::Help => self.explained(),
            CandidateKind::Profile => self.profiles(),
            CandidateKind::Field => self.fields(typed),
            CandidateKind::Column => columns(typed),
            CandidateKind::Setting => settings(),
            CandidateKind::Method => {
                ["GET", "POST", "PUT", "PATCH", "DELETE"].map(|name| (name.to_owned(), String::new())).into()
            }
            CandidateKind::Path => {
                TABLE.iter().map(|entry| (entry.path.to_owned(), entry.method.to_string())).collect()
            }
        };
        let mut seen = std::collections::HashSet::new();
        found
            .into_iter()
            .filter(|(value, _)| value.starts_with(typed) && seen.insert(value.clone()))
            .map(|(value, help)| CompletionCandidate::new(value).help((!help.is_empty()).then(|| help.into())))
            .collect()
    }

    /// By number, or by name if its beginning was typed, in any case.
    fn retailers(&self, typed: &str) -> Vec<(String, String)> {
        let retailers = match self.settings.as_ref().map(|settings| (&settings.target, &settings.folders)) {
            // The retailers of the built-in service, without starting it.
            Some((Target::Local(_), folders)) => local_retailers(folders),
            _ => self.known().retailers.entries.clone(),
        };
        if typed.chars().all(|letter| letter.is_ascii_digit()) {
            return described(&retailers);
        }
        by_name(&retailers, typed, |entry| format!("retailer {}", entry.id))
    }

    /// By id, or by the name of a retailer, which means its last session.
    fn batches(&self, typed: &str) -> Vec<(String, String)> {
        let KnownNames { batches, connections, .. } = self.known();
        let by_id = described(&batches.entries);
        if typed.is_empty() || by_id.iter().any(|(id, _)| id.starts_with(typed)) {
            return by_id;
        }
        by_name(&connections.entries, typed, |entry| format!("the last session of {}", entry.id))
    }

    /// The subcommands of the command typed so far. Without one, the topics too.
    fn explained(&self) -> Vec<(String, String)> {
        let tree = (self.tree.command)();
        let typed = self.before.iter().filter_map(|word| word.to_str()).skip_while(|word| *word != "help").skip(1);
        let path: Vec<&str> = typed.filter(|word| !word.starts_with('-')).collect();
        let Some(place) = path.iter().try_fold(&tree, |place, name| place.find_subcommand(name)) else {
            return Vec::new();
        };
        let about = |command: &clap::Command| command.get_about().map(ToString::to_string).unwrap_or_default();
        let commands = place.get_subcommands().filter(|command| !command.is_hide_set());
        let commands = commands.map(|command| (command.get_name().to_owned(), about(command)));
        let topics = if path.is_empty() { (self.tree.topics)() } else { Vec::new() };
        commands.chain(topics).collect()
    }

    fn profiles(&self) -> Vec<(String, String)> {
        let Ok(folders) = Folders::find(&self.environment) else { return Vec::new() };
        let file = File::load(&folders.config.join(FILE)).unwrap_or_default();
        let about = |name: &str| match file.profiles.get(name).and_then(|profile| profile.base_url.clone()) {
            Some(address) => address,
            None if name == LOCAL => "the service inside this command".to_owned(),
            None => "no address yet".to_owned(),
        };
        file.profile_names().map(|name| (name.to_owned(), about(name))).collect()
    }

    /// The fields of a record in this command's result, except those already named.
    fn fields(&self, typed: &str) -> Vec<(String, String)> {
        let before = self.before.iter().filter(|word| *word != "--fields");
        let fields = (self.tree.fields)(before.cloned().collect());
        let named = &typed[..typed.rfind(',').map_or(0, |comma| comma + 1)];
        let is_new = |field: &&&str| named.split(',').all(|one| one != **field);
        fields.iter().filter(is_new).map(|field| (format!("{named}{field}"), String::new())).collect()
    }

    /// The contents of the cache. No request is made: a service whose address is still being typed must not get the
    /// token, and an answer would seldom arrive in time.
    fn known(&self) -> &KnownNames {
        self.known.get_or_init(|| self.settings.as_ref().map(|settings| Cache::of(settings).load()).unwrap_or_default())
    }
}

/// The columns of an export, except those already named; each with the + that says that it comes after the usual ones.
fn columns(typed: &str) -> Vec<(String, String)> {
    let named = &typed[..typed.rfind(',').map_or(0, |comma| comma + 1)];
    let sign = if typed.starts_with('+') { "+" } else { "" };
    let is_new = |column: &Column| named.split(',').all(|one| one.trim_start_matches('+') != column.name());
    let entry =
        |column: Column| (format!("{named}{sign}{}", column.name()), column.title().unwrap_or_default().to_owned());
    Column::ALL.into_iter().filter(is_new).map(entry).collect()
}

fn described(entries: &[KnownName]) -> Vec<(String, String)> {
    let described = |entry: &KnownName| {
        let status = entry.status.as_ref().map(|status| format!(", {status}")).unwrap_or_default();
        (entry.id.clone(), format!("{}{status}", entry.name))
    };
    entries.iter().filter(|entry| is_id(&entry.id)).map(described).collect()
}

/// By id, or by name if its beginning was typed, in any case.
fn connections(entries: &[KnownName], typed: &str) -> Vec<(String, String)> {
    let by_id = described(entries);
    if typed.is_empty() || by_id.iter().any(|(id, _)| id.starts_with(typed)) {
        return by_id;
    }
    by_name(entries, typed, |entry| {
        let status = entry.status.as_ref().map(|status| format!(", {status}")).unwrap_or_default();
        format!("{}{status}", entry.id)
    })
}

/// Names that begin with what was typed, by the rule for names. If there are none, names in which a later word begins
/// with it, provided the rest of the name from that word is unambiguous. What was typed is kept as it is, since a shell
/// offers only candidates that begin with it.
fn by_name(entries: &[KnownName], typed: &str, about: impl Fn(&KnownName) -> String) -> Vec<(String, String)> {
    let entries: Vec<&KnownName> = entries.iter().filter(|entry| is_id(&entry.id)).collect();
    let begins = |entry: &&KnownName| Some((format!("{typed}{}", rest_of(&entry.name, typed)?), about(entry)));
    let found: Vec<(String, String)> = entries.iter().filter_map(begins).collect();
    if !found.is_empty() {
        return found;
    }
    let within = |entry: &&KnownName| {
        let rest = later_words(&entry.name).find_map(|words| rest_of(words, typed))?;
        let value = format!("{typed}{rest}");
        let is_it = match names::find(&value, &entries, |one| one.name.as_str(), |one| one.id.clone()) {
            Match::One(one) => one.id == entry.id,
            Match::None | Match::Many(_) => false,
        };
        is_it.then(|| (value, format!("{}, {}", entry.name, about(entry))))
    };
    entries.iter().filter_map(within).collect()
}

/// The invalid connections first. The others follow if none is invalid, or if the list is outdated, since one of them
/// may have become invalid.
fn broken(known: &Fetched) -> Vec<KnownName> {
    let (mut offered, others): (Vec<KnownName>, Vec<KnownName>) =
        known.entries.iter().cloned().partition(|entry| entry.status.as_deref() == Some("invalid"));
    let age = crate::clock::now().timestamp() - known.at;
    if offered.is_empty() || !(0..FRESH_SECONDS).contains(&age) {
        offered.extend(others);
    }
    offered
}

fn settings() -> Vec<(String, String)> {
    let endpoints = TABLE
        .iter()
        .filter(|entry| !entry.fixed)
        .map(|entry| (format!("endpoints.{}", entry.name), format!("{} {}", entry.method, entry.path)));
    let plain = keys::all().filter(|key| **key != keys::ENDPOINT);
    plain.map(|key| (key.name.to_owned(), key.help.to_owned())).chain(endpoints).collect()
}

fn local_retailers(folders: &Folders) -> Vec<KnownName> {
    let entry = |id: i64, name: String| KnownName { id: id.to_string(), name, status: None };
    let own = load_retailers(&folders.config.join("retailers.toml")).unwrap_or_default();
    let simulated = simulated_retailers(1.0).into_iter();
    simulated
        .map(|(retailer, _)| entry(retailer.retailer_id, retailer.display_name))
        .chain(own.retailers.into_iter().map(|shop| entry(shop.id, shop.display_name)))
        .chain(own.broken.into_iter().map(|shop| entry(shop.id, shop.display_name)))
        .collect()
}

/// What follows `start` in `name`, case and accents folded.
fn rest_of<'a>(name: &'a str, start: &str) -> Option<&'a str> {
    // Folding trims a space at the end of a text, so a mark protects it.
    let folded = |text: &str| fold(&format!("{text}|"));
    let wanted = folded(start);
    if !fold(name).starts_with(wanted.trim_end_matches('|').trim_end()) {
        return None;
    }
    let mut ends = std::iter::once(0).chain(name.char_indices().map(|(at, letter)| at + letter.len_utf8()));
    // The last match, since an accent may follow its letter.
    ends.rfind(|end| folded(&name[..*end]) == wanted).map(|end| &name[end..])
}

/// The rest of a name from each of its words on, except the first.
fn later_words(name: &str) -> impl Iterator<Item = &str> {
    let begins = move |at: usize| {
        name[..at].ends_with(|before: char| !before.is_alphanumeric()) && name[at..].starts_with(char::is_alphanumeric)
    };
    name.char_indices().map(|(at, _)| at).filter(move |at| begins(*at)).map(|at| &name[at..])
}

/// Whether an id is harmless. A service could choose ids that do harm in a command line, so others are not offered.
fn is_id(id: &str) -> bool {
    !id.is_empty()
        && !id.starts_with('-')
        && id.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter))
}
