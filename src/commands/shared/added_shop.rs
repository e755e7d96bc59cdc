//! Adding a shop that was looked at to a file of retailers: what it is called, what could not be known, and what to say if
//! nothing was recognized.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ordersync_api::ErrorCode;
use ordersync_api::look::{CLEAR_TEXT, Look, PRIVATE_NETWORK, Shop};
use serde::Serialize;
use url::Url;

use crate::cli::retailers::AddArgs;
use crate::config::retailers_file::{self, Entry, NewEntry};
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::names::fold;
use crate::output::Mark;

/// A retailer of the catalog: its id and its name.
pub(crate) type Taken = (i64, String);

/// A shop that was added.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Added {
    pub(crate) retailer_id: i64,
    pub(crate) display_name: String,
    connector: String,
    base_url: String,
    account_path: Option<String>,
    platform: String,
    version: Option<String>,
    certain: bool,
    signs: Vec<String>,
    time_zone: Option<String>,
    currency: Option<String>,
    locale: Option<String>,
    /// Settings that neither the shop nor the user has given.
    unknown: Vec<&'static str>,
    file: PathBuf,
    #[serde(skip)]
    is_exact: bool,
    #[serde(skip)]
    moved_to: Option<String>,
    #[serde(skip)]
    oldest_version: Option<u32>,
}

/// Adds the shop, with an id above those in the file and `highest`.
/// Fails if there is none, it is in the file already, its name is taken, or the file cannot be changed.
pub(crate) fn add(
    context: &Context,
    file: &Path,
    look: &Look,
    arguments: &AddArgs,
    taken: &[Taken],
    highest: i64,
) -> Result<Added> {
    let Some(shop) = &look.shop else { return Err(no_shop(look)) };
    let entries = retailers_file::entries(file)?;
    if let Some(same) = entries.iter().find(|entry| is_same_address(&entry.base_url, &shop.base_url)) {
        return Err(added_before(context, same, file));
    }
    let names = taken.iter().map(|(id, name)| (*id, name.as_str()));
    let names: Vec<(i64, &str)> = names.chain(entries.iter().map(|entry| (entry.id, entry.name.as_str()))).collect();
    let name = name_of(shop, arguments)?;
    if let Some((id, other)) = names.iter().find(|(_, other)| fold(other) == fold(&name)) {
        return Err(Error::usage(format!("The name {name} is taken: retailer {id} is called {other}."))
            .hint("Give the shop another name with --name."));
    }
    let locale = arguments.locale.clone();
    if let (Some(tag), None) = (&shop.unread_language, &locale) {
        return Err(Error::usage(format!("The pages of {name} are in a language that cannot be read ({tag}).")).hint(
            "If the shop also has pages in en, de, fr, nl, es, it, pl, pt or ja, request those with --locale TAG.",
        ));
    }
    let new = NewEntry {
        id: shop.retailer_id,
        values: values_of(shop, arguments)?,
        name,
        connector: shop.connector.clone(),
        recipe: None,
        base_url: shop.base_url.clone(),
        account_path: shop.account_path.clone().filter(|_| !shop.has_usual_account),
        allow_private_network: arguments.allow_private_network,
        time_zone: arguments.time_zone.clone().or_else(|| shop.time_zone.clone()),
        currency: arguments.currency.clone().or_else(|| shop.currency.clone()),
        locale,
    };
    let retailer_id = retailers_file::add(file, &new, highest)?;
    let unknown = [("timeZone", &new.time_zone), ("currency", &new.currency)];
    let unknown = unknown.iter().filter(|(_, known)| known.is_none() && !shop.is_exact);
    Ok(Added {
        retailer_id,
        display_name: new.name,
        connector: new.connector,
        base_url: new.base_url,
        account_path: shop.account_path.clone(),
        platform: shop.platform.clone(),
        version: shop.version.clone(),
        certain: shop.certain,
        signs: shop.signs.clone(),
        unknown: unknown.map(|(name, _)| *name).collect(),
        time_zone: new.time_zone,
        currency: new.currency,
        locale: new.locale,
        file: file.to_owned(),
        is_exact: shop.is_exact,
        moved_to: moved_to(look, arguments),
        oldest_version: shop.oldest_version,
    })
}

/// Says what was recognized, how sure that is, and what could not be known.
pub(crate) fn show(context: &Context, added: &Added) -> Result<()> {
    if let Some(address) = &added.moved_to {
        context.output.note(format!("The shop is at {address}, where the given address leads."));
    }
    if !context.output.shown(added)? {
        let version = added.version.as_ref().map_or_else(String::new, |version| format!(" {version}"));
        let sure = if added.certain { "certain" } else { "likely: its sign-in page is the only sign" };
        let text = format!(
            "Added {} (retailer {}): {}{version} at {}",
            added.display_name, added.retailer_id, added.platform, added.base_url
        );
        context.output.marked(Mark::Good, text)?;
        context.output.labelled("Recognized", &format!("{sure} ({})", added.signs.join("; ")))?;
        if added.version.is_none() {
            context.output.labelled("Version", "not shown by the shop")?;
        }
        let unknown = if added.is_exact { "named with each order" } else { "not known" };
        let known = |value: &Option<String>| value.clone().unwrap_or_else(|| unknown.to_owned());
        context.output.labelled("Time zone", &known(&added.time_zone))?;
        context.output.labelled("Currency", &known(&added.currency))?;
    }
    if let Some(oldest) = added.oldest_version {
        context
            .output
            .warn(format!("This version is older than those that can be read ({oldest} and later): a sync may fail."));
    }
    if added.is_exact {
        return Ok(());
    }
    let file = added.file.display();
    if added.time_zone.is_none() {
        context.output.warn(format!(
            "The shop does not say its time zone, so times of orders are taken for UTC. If that is wrong, add for example \
             time_zone = \"Europe/Berlin\" to its entry in {file}."
        ));
    }
    if let Some(code) = &added.currency {
        context.output.note(format!(
            "Amounts without a symbol, and those whose symbol may stand for {code} and for others, are taken for {code}. What \
             other symbols stand for is said by `currencies` of its entry in {file}."
        ));
    } else {
        context.output.warn(format!(
            "The shop does not say its currency, so it follows from the symbols on its pages. If a symbol stands for several \
             currencies, as $ does, add for example currency = \"USD\" to its entry in {file}."
        ));
    }
    Ok(())
}

/// The error of an address that was not looked at, with what to do.
pub(crate) fn not_looked(error: Error, context: &Context, url: &str, command: &[&str]) -> Error {
    let reason = error.detail("reason").map(str::to_owned);
    let error = if error.is(ErrorCode::InvalidRequest) { Error::usage(error.message()) } else { error };
    match reason.as_deref() {
        Some(PRIVATE_NETWORK) => {
            let words: Vec<&str> = command.iter().copied().chain([url, "--allow-private-network"]).collect();
            error.hint(Hint::run("If the shop is there", context.command(words.as_slice())))
        }
        Some(CLEAR_TEXT) => error.hint("Use https. --allow-private-network allows http on private networks only."),
        _ => error,
    }
}

/// What the recipe asks for, as the user gives it.
fn values_of(shop: &Shop, arguments: &AddArgs) -> Result<BTreeMap<String, String>> {
    let mut values = BTreeMap::new();
    for given in &arguments.values {
        let (name, text) = given.split_once('=').unwrap_or((given, ""));
        if !shop.values.contains_key(name) {
            return Err(Error::usage(format!("--value {name}: {} asks for no such value.", shop.platform)));
        }
        values.insert(name.to_owned(), text.to_owned());
    }
    match shop.values.iter().find(|(name, _)| values.get(*name).is_none_or(|text| text.trim().is_empty())) {
        Some((name, what)) => Err(Error::usage(format!("{} asks for {name}: {what}.", shop.platform))
            .hint(format!("Give it with --value {name}=TEXT."))),
        None => Ok(values),
    }
}

fn name_of(shop: &Shop, arguments: &AddArgs) -> Result<String> {
    let host = || Url::parse(&shop.base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let name = arguments.name.clone().or_else(|| shop.name.clone()).or_else(host).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() || name.chars().any(char::is_control) || name.parse::<i64>().is_ok() {
        return Err(Error::usage("The shop needs a name of letters.").hint("Give one with --name."));
    }
    Ok(name.to_owned())
}

/// Whether two addresses are those of one shop: a slash at the end and `www.` make no difference.
fn is_same_address(one: &str, other: &str) -> bool {
    let parts = |text: &str| {
        let url = Url::parse(text).ok()?;
        let host = url.host_str()?.trim_start_matches("www.").to_owned();
        Some((host, url.port_or_known_default(), url.path().trim_end_matches('/').to_owned()))
    };
    parts(one).is_some_and(|one| Some(one) == parts(other))
}

/// The address that the given one leads to, if that is another.
fn moved_to(look: &Look, arguments: &AddArgs) -> Option<String> {
    let given = arguments.url.trim();
    let given = if given.contains("://") { given.to_owned() } else { format!("https://{given}") };
    let (given, found) = (Url::parse(&given).ok()?, Url::parse(&look.url).ok()?);
    (given.origin() != found.origin()).then(|| found.origin().ascii_serialization())
}

fn added_before(context: &Context, same: &Entry, file: &Path) -> Error {
    Error::usage(format!("This shop is added already: {} (retailer {}), {}.", same.name, same.id, same.base_url)).hint(
        [
            Hint::run("Connect it", context.command(["connect", &same.name])),
            Hint::say(format!("To change its settings, edit its entry in {}.", file.display())),
        ],
    )
}

/// The error of an address where no shop was recognized: what was tried, the answers, and what it seems to be.
fn no_shop(look: &Look) -> Error {
    let message = match &look.seems {
        Some(name) if look.can_be_read => {
            format!("{} runs on {name}, but its sign-in page was not found.", look.url)
        }
        Some(name) => format!("{} seems to run on {name}, which cannot be read yet.", look.url),
        None if look.looks_like_shop => {
            format!("{} looks like a shop, but not like one of a kind that can be read.", look.url)
        }
        None => format!("No shop was recognized at {}.", look.url),
    };
    let row = if look.unreachable { &codes::command::SHOP_UNREACHABLE } else { &codes::command::NO_SHOP };
    let message = if look.unreachable { format!("{} cannot be reached.", look.url) } else { message };
    let private = look
        .kept_out
        .then(|| Hint::say("If the shop is on this machine or a private network: --allow-private-network"));
    // Several addresses may lead to one page, such as that of a sign-in.
    let mut tried: Vec<(String, usize)> = Vec::new();
    for seen in &look.seen {
        let line = format!("{}: {}", seen.url, seen.what);
        match tried.iter_mut().find(|(known, _)| *known == line) {
            Some((_, times)) => *times += 1,
            None => tried.push((line, 1)),
        }
    }
    let tried = tried.into_iter().map(|(line, times)| {
        Hint::say(if times == 1 { line } else { format!("{line} ({times} addresses lead there)") })
    });
    let advice = Advice::from("What was tried:").and(tried.collect::<Vec<_>>());
    Error::of(row, message)
        .hint(advice.and(private.into_iter().collect::<Vec<_>>()).and(row.advice()))
        .details(serde_json::json!({ "url": look.url, "seems": look.seems, "seen": look.seen }))
}
