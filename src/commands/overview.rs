//! `ordersync` alone: where the user stands, and the next step. At a service at an address nothing is asked of it: the
//! command is typed to see what it is, and must not wait for a network.

use ordersync_api::{Connection, ConnectionStatus};
use serde::Serialize;
use url::Url;

use super::shared::active_sessions::{self, Unfinished};
use super::shared::completeness::{self, Gap};
use crate::auth::store::Loaded;
use crate::auth::token_provider::blocking;
use crate::complete::cache::Cache;
use crate::config::{LOCAL, Remote, Target};
use crate::context::Context;
use crate::env;
use crate::errors::{Hint, Result};
use crate::output::Mark;

const WHAT: &str =
    concat!("ordersync ", env!("CARGO_PKG_VERSION"), " connects online retailers and exports what was bought there.");

/// Where the user stands.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Overview {
    version: &'static str,
    profile: String,
    /// Null: the service inside the command.
    base_url: Option<Url>,
    /// Where the sign-in is kept; null where nobody is signed in, or nobody has to be.
    signed_in: Option<String>,
    /// Null where nobody was asked.
    connections: Option<Count>,
    /// What runs or waits for an answer; null where nobody was asked.
    unfinished: Option<Vec<Unfinished>>,
    /// Connections of which not all orders are known; null where nobody was asked.
    incomplete: Option<Vec<Gap>>,
    next: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy, Serialize)]
struct Count {
    valid: usize,
    invalid: usize,
    pending: usize,
}

/// Says where the user stands.
pub(super) async fn run(context: &Context) -> Result<()> {
    let standing = match &context.settings.target {
        Target::Local(_) => local(context).await?,
        Target::Remote(remote) => at_address(context, remote).await,
    };
    if context.output.shown(&standing)? {
        return Ok(());
    }
    show(context, &standing)
}

async fn local(context: &Context) -> Result<Overview> {
    let (count, has_accounts, unfinished, incomplete) = if context.settings.folders.store().exists() {
        let client = context.client().await?;
        let connections = client.connections(None).await?;
        let sessions = active_sessions::sessions(context, client, &connections).await?;
        let unfinished = active_sessions::among(&sessions);
        let incomplete = completeness::gaps(context, &connections, &unfinished);
        let has_accounts = connections.iter().any(|connection| !connection.is_import_only());
        (count(&connections), has_accounts, unfinished, incomplete)
    } else {
        // Looking makes no store.
        (Count::default(), false, Vec::new(), Vec::new())
    };
    let mut next: Vec<&str> = match count {
        // Nothing can be synced before it is repaired.
        Count { invalid: 1.., valid: 0, pending: 0 } => vec!["fix"],
        Count { invalid: 1.., .. } => vec!["fix", "sync", "orders export --out orders.csv"],
        Count { pending: 1.., valid: 0, .. } if unfinished.is_empty() => vec!["sync"],
        Count { pending: 1.., valid: 0, .. } => Vec::new(),
        Count { valid: 1.., .. } if !has_accounts => vec!["orders list", "orders export --out orders.csv"],
        Count { valid: 1.., .. } => vec!["sync", "orders list", "orders export --out orders.csv"],
        _ => vec!["demo", "connect"],
    };
    let (is_asked, running) = (unfinished.iter().any(|one| one.waiting), unfinished.iter().find(|one| !one.waiting));
    // If several sessions wait, each line says how to answer its own.
    if is_asked && is_one_session(&unfinished) {
        next.insert(0, "mfa");
    }
    let mut standing = standing(context, None, None, Some(count), &next);
    if let Some(running) = running.filter(|_| !is_asked) {
        // Without the id, it would follow the newest session.
        standing.next.insert(0, context.command(["sessions", "watch", running.batch_id.as_str()]));
    }
    Ok(Overview { unfinished: Some(unfinished), incomplete: Some(incomplete), ..standing })
}

async fn at_address(context: &Context, remote: &Remote) -> Overview {
    let place = if remote.token.is_some() {
        Some(env::TOKEN.name.to_owned())
    } else {
        let sign_in_store = context.sign_in_store(remote);
        match blocking(move || sign_in_store.load()).await {
            Ok(Loaded::SignIn(_, place)) => Some(place.to_string()),
            _ => None,
        }
    };
    let known = Cache::of(&context.settings).load().connections.entries;
    let valid = ConnectionStatus::Valid.to_string();
    let has_valid = known.iter().any(|connection| connection.status.as_deref() == Some(valid.as_str()));
    let next: &[&str] = match (place.is_some(), has_valid) {
        (true, true) => &["connections", "sync", "orders export --out orders.csv"],
        (true, false) => &["connect", "connections"],
        (false, _) => &["auth login", "doctor"],
    };
    standing(context, Some(remote.base_url.value.clone()), place, None, next)
}

fn standing(
    context: &Context,
    base_url: Option<Url>,
    signed_in: Option<String>,
    connections: Option<Count>,
    next: &[&'static str],
) -> Overview {
    Overview {
        version: env!("CARGO_PKG_VERSION"),
        profile: context.settings.profile.value.clone(),
        base_url,
        signed_in,
        connections,
        unfinished: None,
        incomplete: None,
        next: next.iter().map(|command| context.command(*command)).collect(),
    }
}

fn count(connections: &[Connection]) -> Count {
    let of = |status| connections.iter().filter(|connection| connection.status.is(&status)).count();
    Count {
        valid: of(ConnectionStatus::Valid),
        invalid: of(ConnectionStatus::Invalid),
        pending: of(ConnectionStatus::Pending),
    }
}

fn show(context: &Context, standing: &Overview) -> Result<()> {
    let output = &context.output;
    output.prose(WHAT)?;
    output.line("")?;
    match &standing.base_url {
        None => output.labelled("Service", "inside this command: no account, no set-up")?,
        Some(url) => {
            let profile =
                if standing.profile == LOCAL { String::new() } else { format!(" (profile {})", standing.profile) };
            output.labelled("Service", &format!("{url}{profile}"))?;
            let signed_in = match &standing.signed_in {
                Some(place) if place == env::TOKEN.name => format!("Signed in by {place}"),
                Some(place) => format!("kept in {place}"),
                None => "nobody is signed in".to_owned(),
            };
            output.labelled("Sign-in", &signed_in)?;
        }
    }
    if let Some(count) = standing.connections {
        output.labelled("Connections", &told(count))?;
        if count.invalid > 0 {
            output.marked(Mark::Attention, "What is invalid is not synced until it is repaired.")?;
        }
    }
    let unfinished = standing.unfinished.as_deref().unwrap_or_default();
    let waits_once = is_one_session(unfinished);
    // Whether a command runs a sync of this machine now, or it pauses, is not known.
    for one in unfinished {
        let text = if one.waiting { "Waiting for a code" } else { "Sync not finished" };
        let command = if one.waiting && waits_once { context.command("mfa") } else { one.command(context) };
        output.marked(Mark::Attention, Hint::run(format!("{text}: {} →", one.retailer), command))?;
    }
    // What has not ended has said so.
    for gap in standing.incomplete.iter().flatten().filter(|gap| !gap.is_open) {
        output.marked(Mark::Attention, gap.told())?;
    }
    output.line("")?;
    if !standing.next.is_empty() {
        output.line("Next:")?;
        let purposes: Vec<String> = standing.next.iter().map(|command| purpose(command)).collect();
        let rows: Vec<(String, &str)> =
            standing.next.iter().cloned().zip(purposes.iter().map(String::as_str)).collect();
        output.terms(&rows)?;
        output.line("")?;
    }
    output.line("All commands: ordersync --help")
}

/// Whether all that wait for a code belong to one session, which `mfa` finds by itself.
fn is_one_session(unfinished: &[Unfinished]) -> bool {
    let mut waiting = unfinished.iter().filter(|one| one.waiting).map(|one| &one.batch_id);
    let first = waiting.next();
    waiting.all(|batch| Some(batch) == first)
}

fn told(count: Count) -> String {
    let parts: Vec<String> = [(count.valid, "valid"), (count.invalid, "invalid"), (count.pending, "pending")]
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    if parts.is_empty() { "none yet".to_owned() } else { parts.join(", ") }
}

/// What a command is for: the help's own words.
fn purpose(command: &str) -> String {
    let mut found = crate::cli::command();
    for word in command.split_whitespace().skip(1) {
        match found.find_subcommand(word).cloned() {
            Some(subcommand) => found = subcommand,
            None => break,
        }
    }
    found.get_about().map(ToString::to_string).unwrap_or_default()
}
