//! How sessions ended, told: what is new, what failed and why, what to do next.

use ordersync_api::{Id, RetailerSyncSession, Session, SyncErrorCode, SyncStatus};
use serde_json::json;

use super::broken_shops;
use crate::config::retailers_file;
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::follow::checked;
use crate::follow::label::{label, label_among};
use crate::output::Mark;
use crate::output::human::{counted, items};

/// Tells how a session ended. Fails with exit code 9 if a retailer failed.
pub(crate) fn conclude(context: &Context, session: &Session) -> Result<()> {
    let is_shown = context.output.shown(session)?;
    if settle(context, std::slice::from_ref(session), is_shown)? {
        next(context);
    }
    Ok(())
}

/// Says what to do with new items.
pub(crate) fn next(context: &Context) {
    context.output.next(&[context.command("orders export --out orders.csv")]);
}

/// Tells how sessions ended together that are shown already, as JSON, or are to be shown to people. Says whether items
/// are new. Fails with exit code 9 if a retailer failed.
pub(crate) fn settle(context: &Context, sessions: &[Session], is_shown: bool) -> Result<bool> {
    for session in sessions {
        context.remember(|known| known.add_session(session));
    }
    let parts: Vec<RetailerPart<'_>> = sessions.iter().flat_map(|session| parts(sessions, session)).collect();
    if !is_shown {
        for part in &parts {
            let (mark, text) = line(part.retailer);
            if mark == Mark::Bad && parts.len() == 1 {
                // The error that follows says it, with what to do.
                break;
            }
            context.output.marked(mark, format!("{}: {text}", part.name))?;
        }
    }
    if parts.is_empty() && !sessions.is_empty() {
        context
            .output
            .marked_note(Mark::Attention, "The session names no retailer: nothing shows that anything was synced.");
    }
    let failed: Vec<&RetailerPart<'_>> = parts.iter().filter(|part| has_failed(part.retailer)).collect();
    let new = sum(context, &parts, failed.len());
    if !failed.is_empty() {
        return Err(sync_failed(context, parts.len(), &failed));
    }
    Ok(new > 0)
}

/// A retailer's part in a session.
struct RetailerPart<'a> {
    batch: &'a Id,
    retailer: &'a RetailerSyncSession,
    /// What it is called among all.
    name: String,
}

fn parts<'a>(all: &'a [Session], session: &'a Session) -> impl Iterator<Item = RetailerPart<'a>> {
    session.retailer_sync_sessions.iter().map(move |retailer| RetailerPart {
        batch: &session.batch_id,
        retailer,
        name: label_among(all, retailer),
    })
}

/// What the one retailer of a session said if it refused the credentials.
pub(crate) fn refusal(session: &Session) -> Option<String> {
    let [retailer] = session.retailer_sync_sessions.as_slice() else { return None };
    let is_refused = code(retailer) == Some(SyncErrorCode::CredentialsRefused);
    is_refused.then(|| format!("{}: {}", label(session, retailer), message(retailer)))
}

/// Reports the outcome of all retailers together, and returns how many items are new.
fn sum(context: &Context, parts: &[RetailerPart<'_>], failed: usize) -> u64 {
    let new = parts.iter().filter_map(|part| part.retailer.items_new).fold(0, u64::saturating_add);
    if parts.len() > 1 {
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        let new = if new == 0 { "no new items".to_owned() } else { format!("{new} new") };
        context.output.note(format!("{} retailers in all: {new}{failed}.", parts.len()));
    }
    new
}

fn line(retailer: &RetailerSyncSession) -> (Mark, String) {
    if has_failed(retailer) {
        return (Mark::Bad, message(retailer).trim_end_matches('.').to_owned());
    }
    let mut text = match (retailer.items_found, retailer.items_new) {
        (Some(0), _) => "no orders".to_owned(),
        (Some(found), Some(0)) => format!("{}, none new{}", items(found), changed(retailer)),
        (Some(found), Some(new)) => format!("{}, {new} new{}", items(found), changed(retailer)),
        (Some(found), None) => items(found),
        (None, _) => retailer.sync_status.to_string(),
    };
    if let Some(checked) = checked(retailer) {
        text = format!("{text}; {checked}");
    }
    (Mark::Good, text)
}

/// ", 2 orders changed", if any did.
fn changed(retailer: &RetailerSyncSession) -> String {
    match retailer.orders_changed {
        None | Some(0) => String::new(),
        Some(orders) => format!(", {} changed", counted(orders, "order")),
    }
}

/// Whether its part of a session that is over was not completed.
fn has_failed(retailer: &RetailerSyncSession) -> bool {
    !retailer.sync_status.is(&SyncStatus::Completed)
}

fn code(retailer: &RetailerSyncSession) -> Option<SyncErrorCode> {
    retailer.error.as_ref()?.code.known().copied()
}

fn message(retailer: &RetailerSyncSession) -> String {
    match &retailer.error {
        Some(error) if !error.message.is_empty() => error.message.clone(),
        Some(error) => error.code.known().map_or_else(|| error.code.to_string(), |code| code.message().to_owned()),
        None => match retailer.sync_status.known() {
            Some(SyncStatus::TimedOut) => "It timed out.".to_owned(),
            Some(SyncStatus::Error) => "It failed.".to_owned(),
            _ => format!("The service says that the sync is over, and its status is \"{}\".", retailer.sync_status),
        },
    }
}

/// The error of what failed among so many retailers.
fn sync_failed(context: &Context, all: usize, failed: &[&RetailerPart<'_>]) -> Error {
    let text = match failed {
        [one] if all == 1 => format!("The sync of {} failed: {}", one.name, message(one.retailer)),
        _ => format!("{} of {all} retailers failed.", failed.len()),
    };
    let hints = failed.iter().flat_map(|part| {
        let mut hints = remedy(context, part.retailer);
        if let Some(first) = hints.first_mut().filter(|_| all > 1) {
            first.text = format!("{}: {}", part.name, first.text).into();
        }
        hints
    });
    let first = failed.first().map(|part| part.batch);
    Error::of(&codes::command::SYNC_FAILED, text).hint(hints.collect::<Advice>()).details(json!({
        "batchId": first,
        "failed": failed.iter().map(|part| {
            let RetailerPart { batch, retailer, .. } = part;
            let mut one = json!({
                "retailerId": retailer.retailer_id,
                "connectionId": retailer.connection_id,
                "code": retailer.error.as_ref().map(|error| error.code.to_string()),
            });
            if Some(*batch) != first {
                one["batchId"] = json!(batch);
            }
            one
        }).collect::<Vec<_>>(),
    }))
}

/// What to do about a retailer's failure, with the command for it if one exists.
fn remedy(context: &Context, retailer: &RetailerSyncSession) -> Vec<Hint> {
    let again = match &retailer.connection_id {
        Some(id) => context.command(["sync", "--connection", id.as_str()]),
        None => context.command(["sync", "--retailer", &retailer.retailer_id.to_string()]),
    };
    let Some(code) = code(retailer) else { return vec![Hint::run("Try again", again)] };
    if let Some(hints) = own_remedy(context, retailer, code, &again) {
        return hints;
    }
    if code.invalidates_connection() {
        let fix = match &retailer.connection_id {
            Some(id) => context.command(["fix", id.as_str()]),
            None => context.command(["fix", "--retailer", &retailer.retailer_id.to_string()]),
        };
        return vec![Hint::say(code.remedy()), Hint::command(fix)];
    }
    match code {
        SyncErrorCode::RetailerChanged | SyncErrorCode::EgressRefused | SyncErrorCode::RetailerMisconfigured => {
            vec![Hint::say(code.remedy())]
        }
        _ => vec![Hint::say(code.remedy()), Hint::command(again)],
    }
}

/// What helps with a shop that the user has added, being its operator.
fn own_remedy(
    context: &Context,
    retailer: &RetailerSyncSession,
    code: SyncErrorCode,
    again: &str,
) -> Option<Vec<Hint>> {
    let file = context.settings.folders.config.join(retailers_file::FILE);
    let is_listed =
        || retailers_file::entries(&file).is_ok_and(|all| all.iter().any(|it| it.id == retailer.retailer_id));
    if !context.is_local() || !is_listed() {
        return None;
    }
    let (id, shown) = (retailer.retailer_id.to_string(), file.display());
    let check = context.command(["retailers", "check", &id]);
    let correct = Hint::say(format!("Then correct the shop's recipe or its entry in {shown}, or update ordersync."));
    match code {
        SyncErrorCode::RetailerChanged => Some(vec![Hint::run("See what cannot be read", check), correct]),
        SyncErrorCode::RetailerIncomplete => Some(vec![
            Hint::run("Sync again", again.to_owned()),
            Hint::run("If it fails again, see what cannot be read", check),
            correct,
        ]),
        SyncErrorCode::RetailerMoved => {
            let fix = context.command(["fix", "--retailer", &id]);
            Some(vec![
                Hint::run("If the shop has moved there, give the credentials again", fix),
                Hint::say(format!(
                    "If not, correct base_url of retailer {id} in {shown} first. Another shop needs an id of its own."
                )),
            ])
        }
        SyncErrorCode::EgressRefused | SyncErrorCode::RetailerMisconfigured => {
            let broken = broken_shops::all(context);
            if let Some(shop) = broken.iter().find(|shop| shop.id == retailer.retailer_id) {
                return Some(vec![broken_shops::told(context, shop, "Its configuration has a mistake")]);
            }
            Some(vec![Hint::say(format!("Correct the entry of retailer {id} in {shown}."))])
        }
        _ => None,
    }
}
