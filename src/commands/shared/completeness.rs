//! Whether what is shown is all that the retailers have: every command that shows or exports orders says it in the same words.

use ordersync_api::{
    Completeness, Connection, ConnectionCompleteness, Id, IncompleteReason, Incompleteness, ListCompleteness,
    SyncErrorCode,
};
use serde::Serialize;
use serde_json::json;

use super::active_sessions::{self, Unfinished};
use super::broken_shops;
use crate::client::{Client, Incomplete};
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::output::human::{reason, time};

/// Orders that are named.
const MOST_NAMED: usize = 3;

/// A connection of which not all orders are known, for people.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Gap {
    pub(crate) connection_id: Id,
    /// What its retailer is called.
    pub(crate) retailer: String,
    /// Since when, in the local zone; empty if the service does not say.
    #[serde(skip)]
    since: String,
    #[serde(flatten)]
    completeness: Completeness,
    /// What helps.
    pub(crate) command: String,
    /// Whether a sync of it has not ended.
    #[serde(skip)]
    pub(crate) is_open: bool,
    /// Whether it waits for an answer of the user's.
    #[serde(skip)]
    pub(crate) waits: bool,
}

impl Gap {
    fn new(context: &Context, connection: ConnectionCompleteness, unfinished: &[Unfinished]) -> Self {
        let ConnectionCompleteness { connection_id, retailer_id, display_name, completeness, .. } = connection;
        let open = unfinished.iter().find(|one| one.connection_id.as_ref() == Some(&connection_id));
        let id = connection_id.as_str();
        let is_invalid = has(&completeness, IncompleteReason::ConnectionInvalid);
        let is_of_settings = completeness.reasons.first().is_some_and(is_of_settings);
        let retailer = retailer_id.to_string();
        let command = match open {
            Some(one) => one.command(context),
            None if is_invalid => context.command(["fix", id]),
            None if is_of_files(&completeness) => context.command("import FILE"),
            // No sync helps. The user is the operator here, and says in the shop's entry what does.
            None if is_of_settings && context.is_local() => context.command(["retailers", "check", &retailer]),
            None if is_of_settings => context.command(["connections", id]),
            None => context.command(["sync", "--connection", id]),
        };
        Self {
            retailer: display_name.unwrap_or_else(|| format!("Retailer {retailer_id}")),
            since: time(completeness.incomplete_since.as_ref()),
            is_open: open.is_some(),
            waits: open.is_some_and(|one| one.waiting),
            connection_id,
            completeness,
            command,
        }
    }

    /// Why, in few words: "1 order kept back".
    pub(crate) fn why(&self) -> String {
        why(&self.completeness)
    }

    /// "Corner Shop is not complete since 2026-11-24 02:00: 1 order kept back", with these orders, and whether a code would help.
    fn sentence_with(&self, orders: &str) -> String {
        let since = if self.since.is_empty() { String::new() } else { format!(" since {}", self.since) };
        let waits = if self.waits { "; it waits for a code" } else { "" };
        format!("{} is not complete{since}: {}{orders}{waits}", self.retailer, self.why())
    }

    /// The line with the orders.
    pub(crate) fn sentence(&self) -> String {
        let orders = self.completeness.reasons.iter().flat_map(|one| &one.orders);
        let mut orders: Vec<&str> = orders.map(|order| order.order_id.as_str()).collect();
        if orders.len() > MOST_NAMED {
            orders.truncate(MOST_NAMED);
            orders.push("…");
        }
        let orders = if orders.is_empty() { String::new() } else { format!(" ({})", orders.join(", ")) };
        self.sentence_with(&orders)
    }

    /// Without numbers of orders, for a report that is shown to others.
    pub(crate) fn brief(&self) -> Hint {
        Hint::run(self.sentence_with(""), self.command.as_str())
    }

    /// The whole, and the command that helps.
    pub(crate) fn told(&self) -> Hint {
        Hint::run(self.sentence(), self.command.as_str())
    }
}

/// Why a connection is not complete, in few words.
pub(crate) fn why(completeness: &Completeness) -> String {
    // The first is the most telling.
    let Some(Incompleteness { reason: kind, code, orders_kept_back, message, .. }) = completeness.reasons.first()
    else {
        return "the service does not say why".to_owned();
    };
    let code = code.as_deref().map(|code| format!(" ({})", reason(code))).unwrap_or_default();
    match kind.known() {
        Some(IncompleteReason::ConnectionInvalid) => format!("it is invalid{code}"),
        Some(IncompleteReason::OrdersKeptBack) => match orders_kept_back {
            Some(1) => "1 order kept back".to_owned(),
            Some(orders) => format!("{orders} orders kept back"),
            None => "orders kept back".to_owned(),
        },
        Some(IncompleteReason::SyncFailed) if has(completeness, IncompleteReason::NeverCompleted) => {
            format!("no sync has completed yet{code}")
        }
        Some(IncompleteReason::SyncFailed) => format!("its last sync failed{code}"),
        Some(IncompleteReason::ImportUnfinished) => "an import was not finished".to_owned(),
        Some(IncompleteReason::EndNotProven) => "nothing proves the end of its order list".to_owned(),
        Some(IncompleteReason::NeverCompleted) => "no sync has completed yet".to_owned(),
        // Of a later version of the service.
        None if message.is_empty() => kind.to_string().replace('_', " "),
        None => message.trim_end_matches('.').to_owned(),
    }
}

fn has(completeness: &Completeness, reason: IncompleteReason) -> bool {
    completeness.reasons.iter().any(|one| one.reason.is(&reason))
}

/// True if the operator has to change the shop's entry, or its recipe.
fn is_of_settings(why: &Incompleteness) -> bool {
    let of_operator = [SyncErrorCode::EgressRefused, SyncErrorCode::RetailerMisconfigured];
    match why.reason.known() {
        Some(IncompleteReason::EndNotProven) => true,
        Some(IncompleteReason::SyncFailed) => of_operator.iter().any(|code| why.code.as_deref() == Some(code.as_str())),
        _ => false,
    }
}

/// Whether a file is what is missing, or kept orders back: a sync that does so has failed.
fn is_of_files(completeness: &Completeness) -> bool {
    let of_files = [IncompleteReason::OrdersKeptBack, IncompleteReason::ImportUnfinished];
    completeness.reasons.iter().all(|one| of_files.iter().any(|reason| one.reason.is(reason)))
}

/// A reason in sentences: the service's own, and which check failed for which order.
pub(crate) fn details(of: &Incompleteness) -> Vec<String> {
    let orders = of.orders.iter().map(|order| format!("{}: {}.", order.order_id, order.reason.trim_end_matches('.')));
    std::iter::once(of.message.clone()).filter(|message| !message.is_empty()).chain(orders).collect()
}

/// Those of these connections that are not complete. One of which the service does not say it counts as complete: it may know
/// the specification alone.
pub(crate) fn gaps(context: &Context, connections: &[Connection], unfinished: &[Unfinished]) -> Vec<Gap> {
    let said = connections.iter().filter(|connection| connection.completeness.is_some());
    among(context, said.cloned().map(Into::into), unfinished)
}

/// Those of these that are not.
pub(crate) fn among(
    context: &Context,
    all: impl IntoIterator<Item = ConnectionCompleteness>,
    unfinished: &[Unfinished],
) -> Vec<Gap> {
    let incomplete = all.into_iter().filter(|connection| !connection.completeness.complete);
    incomplete.map(|connection| Gap::new(context, connection, unfinished)).collect()
}

/// Refuses what is not proven to be complete, before it is read: `--require-complete`. Fails if it is not, or if that
/// is unknown.
pub(crate) async fn require(context: &Context, client: &Client, retailer_id: Option<i64>) -> Result<()> {
    let Some(list) = client.completeness(retailer_id).await? else { return Err(unproven()) };
    if list.connections.is_empty() {
        // Nothing is missing from nothing, but nobody who requires completeness means that: a profile or its data is lost.
        let message = match retailer_id {
            Some(id) => format!("Retailer {id} is not connected, so none of its orders are known."),
            None => "No retailer is connected, so no orders are known.".to_owned(),
        };
        let advice = [
            Hint::run("To connect it", context.command("connect")),
            Hint::run("Where this command looks", context.command("doctor")),
        ];
        return Err(Error::of(&codes::command::NOT_COMPLETE, message).hint(advice));
    }
    let unfinished = active_sessions::unfinished(context, client).await;
    let row = &codes::command::NOT_COMPLETE;
    if list.complete {
        // The last sync that ended read everything, but one that has not ended may have stored a part of what changed.
        let is_listed = |id: &Id| list.connections.iter().any(|connection| connection.connection_id == *id);
        let open = unfinished.iter().filter(|one| one.connection_id.as_ref().is_some_and(is_listed));
        let (names, hints): (Vec<&str>, Vec<Hint>) =
            open.map(|one| (one.retailer.as_str(), Hint::run(one.retailer.as_str(), one.command(context)))).unzip();
        if names.is_empty() {
            return Ok(());
        }
        let message = format!("Orders may be missing: a sync has not ended ({}).", names.join(", "));
        return Err(Error::of(row, message).hint(hints.into_iter().collect::<Advice>().and(row.advice())));
    }
    let details = json!({ "connections": list.connections });
    let gaps = among(context, list.connections, &unfinished);
    let hints = gaps.iter().map(|gap| Hint::run(gap.retailer.as_str(), gap.command.as_str()));
    let mut message = "Not all orders are known".to_owned();
    close(&mut message, &gaps);
    Err(Error::of(row, message).hint(hints.collect::<Advice>().and(row.advice())).details(details))
}

/// Refuses what turned out not to be complete while it was read. Fails if a page says so, or does not say that it is.
pub(crate) fn require_still(seen: Incomplete) -> Result<()> {
    match seen {
        Incomplete { most: 1.., .. } => {
            let message = "A retailer stopped being complete while its orders were read. Nothing was replaced.";
            Err(Error::of(&codes::command::NOT_COMPLETE, message))
        }
        Incomplete { is_said: false, .. } => Err(unproven()),
        Incomplete { .. } => Ok(()),
    }
}

fn unproven() -> Error {
    let message = "This service does not say whether the orders that it lists are complete, so that cannot be shown.";
    Error::of(&codes::command::NOT_COMPLETE, message)
}

/// Retailers to mention after reading orders.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The retailers of which not all orders are known.
    pub(crate) gaps: Vec<Gap>,
    /// Retailers with orders whose figures do not agree with each other, and how many: "Corner Shop (3 orders)".
    mismatched: Vec<String>,
}

/// Says of what was read which retailers are not complete, one line for each, with `--quiet`, too. `seen` is what its pages
/// said: only if there is something to say, the service is asked.
pub(crate) async fn report(context: &Context, client: &Client, retailer_id: Option<i64>, seen: Incomplete) -> Report {
    broken_shops::warn_of_orders(context, client, retailer_id).await;
    if seen.reports_nothing() {
        return Report::default();
    }
    let list = match client.completeness(retailer_id).await {
        Ok(list) => list,
        Err(why) => return unreadable(context, &why),
    };
    let mismatched = list.iter().flat_map(|list| &list.connections).filter_map(mismatched).collect();
    let gaps = of_list(context, client, list).await;
    if gaps.is_empty() && seen.most > 0 {
        context.output.warn("A retailer was not complete while its orders were read. Run the command again.");
    }
    warn(context, &gaps);
    Report { gaps, mismatched }
}

fn mismatched(connection: &ConnectionCompleteness) -> Option<String> {
    let ConnectionCompleteness { retailer_id, display_name, orders_with_mismatch, .. } = connection;
    let retailer = || display_name.clone().unwrap_or_else(|| format!("Retailer {retailer_id}"));
    match orders_with_mismatch {
        0 => None,
        1 => Some(format!("{} (1 order)", retailer())),
        orders => Some(format!("{} ({orders} orders)", retailer())),
    }
}

impl Report {
    /// Adds to what was done: ". Not complete: Corner Shop (1 order kept back). Figures do not agree (column mismatch): …".
    pub(crate) fn close(&self, done: &mut String) {
        close(done, &self.gaps);
        if let Some(mismatched) = self.mismatched() {
            done.truncate(done.trim_end_matches('.').len());
            done.push_str(&format!(". {mismatched}."));
        }
    }

    /// Reports mismatches if the command has no closing message.
    pub(crate) fn note(&self, context: &Context) {
        if let Some(mismatched) = self.mismatched() {
            context.output.note(format!("{mismatched}."));
        }
    }

    fn mismatched(&self) -> Option<String> {
        (!self.mismatched.is_empty())
            .then(|| format!("Figures do not agree (column mismatch): {}", self.mismatched.join(", ")))
    }
}

/// Says that something is missing, where it cannot be read what.
pub(crate) fn unreadable(context: &Context, why: &Error) -> Report {
    let why = why.message();
    context.output.warn(format!("Not all orders are known, and it cannot be read which are missing: {why}"));
    Report::default()
}

async fn of_list(context: &Context, client: &Client, list: Option<ListCompleteness>) -> Vec<Gap> {
    let Some(list) = list else { return Vec::new() };
    // At an address, sessions cost requests that a rate limit may lack.
    let unfinished = match context.is_local() && !list.complete {
        true => active_sessions::unfinished(context, client).await,
        false => Vec::new(),
    };
    among(context, list.connections, &unfinished)
}

/// Says it of each.
pub(crate) fn warn(context: &Context, gaps: &[Gap]) {
    gaps.iter().for_each(|gap| context.output.warn(gap.told()));
}

/// Adds to what was done: ". Not complete: Corner Shop (1 order kept back)."
pub(crate) fn close(done: &mut String, gaps: &[Gap]) {
    if !gaps.is_empty() {
        let names: Vec<String> = gaps.iter().map(|gap| format!("{} ({})", gap.retailer, gap.why())).collect();
        done.truncate(done.trim_end_matches('.').len());
        done.push_str(&format!(". Not complete: {}.", names.join(", ")));
    }
}
