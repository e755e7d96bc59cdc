//! Sessions followed to their ends: polling, progress, MFA.
//!
//! If following stops early, the message says how to resume it: nothing of a session is lost.

mod child;
pub(crate) mod code;
mod elsewhere;
pub(crate) mod following;
pub(crate) mod label;
pub(crate) mod mfa;
pub(crate) mod poll_interval;
pub(crate) mod request;

use std::time::Instant;

use ordersync_api::{RetailerSyncSession, Session, SessionStatus, SyncStatus};
use serde_json::json;

use crate::client::Client;
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::output::human::items;
use following::Following;
use label::label;
use mfa::Answers;
use request::PendingRequest;

/// Follows a session to its end and gives its last state. Fails if a retailer asks for something that `answers` has no
/// answer to (exit 7), the time is up (exit 8), or the service cannot be reached or refuses.
pub(crate) async fn follow(context: &Context, client: &Client, batch: &str, answers: &mut Answers) -> Result<Session> {
    Following::new(context, client, [batch], answers).one_ends().await.1
}

/// Whether nothing in the session runs any more.
pub(crate) fn is_over(session: &Session) -> bool {
    match session.status.known() {
        Some(SessionStatus::Normal) => true,
        Some(SessionStatus::Syncing) => false,
        None => !session.retailer_sync_sessions.is_empty() && session.retailer_sync_sessions.iter().all(is_final),
    }
}

fn is_final(retailer: &RetailerSyncSession) -> bool {
    retailer.sync_status.known().is_some_and(|status| status.is_final())
}

/// The requests that wait for an answer.
pub(crate) fn open_requests(session: &Session) -> Vec<PendingRequest<'_>> {
    session
        .retailer_sync_sessions
        .iter()
        .filter_map(|retailer| {
            let (req_id, mfa) = session.open_mfa(retailer)?;
            let batch = session.batch_id.as_str();
            Some(PendingRequest { retailer, req_id: req_id.as_str(), mfa, name: label(session, retailer), batch })
        })
        .collect()
}

/// What happens to syncs that are no longer followed, and the commands that follow them again.
pub(crate) fn goes_on(context: &Context, batches: &[&str]) -> Advice {
    let kept = match (context.is_local(), batches.len()) {
        (true, 1) => "The sync pauses now and resumes with your next ordersync command.",
        (true, _) => "The syncs pause now and resume with your next ordersync command.",
        (false, 1) => "The sync goes on.",
        (false, _) => "The syncs go on.",
    };
    Advice::from(kept).and(watch(context, batches, "Follow it", "Follow them:"))
}

/// The commands that follow these sessions, behind what announces one, or several.
fn watch(context: &Context, batches: &[&str], one: &str, several: &str) -> Advice {
    let command = |batch: &&str| context.command(["sessions", "watch", batch]);
    match batches {
        [only] => Hint::run(one, command(only)).into(),
        _ => Advice::from(several).and(batches.iter().map(|batch| Hint::command(command(batch))).collect::<Vec<_>>()),
    }
}

/// What happens to a sync that is no longer followed while it waits for an answer, and the commands that help.
pub(crate) fn waits_for_answer(context: &Context, batch: &str, request: &PendingRequest<'_>) -> Advice {
    let (answer, watch) = (context.command(["mfa", "--batch", batch]), context.command(["sessions", "watch", batch]));
    Advice::from([
        Hint::say(format!("The sync waits for the answer{}.", request.minutes_left())),
        Hint::run("Answer it", answer),
        Hint::run("Or follow it", watch),
    ])
}

/// The state of a retailer's part, in words.
pub(crate) fn state(retailer: &RetailerSyncSession) -> String {
    match retailer.sync_status.known() {
        Some(SyncStatus::UserIntervention) => "waiting for verification".to_owned(),
        Some(SyncStatus::TimedOut) => "timed out".to_owned(),
        Some(SyncStatus::Error) => "failed".to_owned(),
        _ => retailer.sync_status.to_string(),
    }
}

/// What the checks of a retailer's part found: lines of orders whose figures do not agree, and orders that were kept back;
/// and what changed at the retailer.
pub(crate) fn checked(retailer: &RetailerSyncSession) -> Option<String> {
    let marked = retailer.items_marked.filter(|marked| *marked > 0);
    let marked = marked.map(|marked| format!("{} of orders whose figures do not agree", items(marked)));
    let kept_back = match retailer.orders_kept_back {
        None | Some(0) => None,
        Some(1) => Some("1 order kept back".to_owned()),
        Some(orders) => Some(format!("{orders} orders kept back")),
    };
    let empty = match retailer.orders_without_items {
        None | Some(0) => None,
        Some(1) => Some("1 order has no items".to_owned()),
        Some(orders) => Some(format!("{orders} orders have no items")),
    };
    let missing = match retailer.orders_missing {
        None | Some(0) => None,
        Some(1) => Some("1 order is no longer listed by the retailer (orders list --status missing)".to_owned()),
        Some(orders) => {
            Some(format!("{orders} orders are no longer listed by the retailer (orders list --status missing)"))
        }
    };
    let renamed = match retailer.items_renamed {
        None | Some(0) => None,
        Some(1) => Some("1 item has another name now".to_owned()),
        Some(count) => Some(format!("{} have another name now", items(count))),
    };
    let found: Vec<String> = [marked, kept_back, empty, missing, renamed].into_iter().flatten().collect();
    (!found.is_empty()).then(|| found.join(", "))
}

/// The error of a request that there is no answer to: exit 7, with the command that answers it.
pub(crate) fn mfa_needed(
    context: &Context,
    batch: &str,
    request: &PendingRequest<'_>,
    why: Option<&str>,
    count: usize,
) -> Error {
    let mut message = format!("{} asks for verification: {}", request.name, request.text());
    if let Some(why) = why {
        message = format!("{message} {why}");
    }
    let req_id = request.req_id;
    let mut words = vec!["mfa", "--batch", batch];
    if count > 1 {
        words.extend(["--req-id", req_id]);
    }
    let flag = request.flag();
    words.extend(flag.iter().map(String::as_str));
    let advice = match request.kind() {
        Some(_) => "Answer it",
        None => {
            words = vec!["sessions", "watch", batch];
            "Update ordersync, or answer in the retailer's app or the widget; then follow the sync"
        }
    };
    let command = context.command(words.as_slice());
    Error::of(&codes::command::MFA_NEEDED, message)
        .hint([Hint::run(advice, command.as_str()), Hint::say(format!("(session {batch}, request {req_id})"))])
        .details(json!({
            "batchId": batch,
            "reqId": req_id,
            "connectionId": request.retailer.connection_id,
            "mfa": request.mfa,
            "command": command,
        }))
}

fn still_running(context: &Context, batch: &str) -> Error {
    left_running(context, batch, format!("The time is up; session {batch} is still running."))
}

/// The error of a session that waits for an answer when the time is up.
fn still_waiting(context: &Context, batch: &str, request: &PendingRequest<'_>) -> Error {
    let message = format!("The time is up; {} still asks for verification: {}", request.name, request.text());
    left_running(context, batch, message).hint(waits_for_answer(context, batch, request))
}

/// The error of a session that cannot be looked at again in time.
fn unseen(context: &Context, batch: &str, give_up: Instant) -> Error {
    if give_up <= Instant::now() {
        return still_running(context, batch);
    }
    let message =
        format!("The rate limit allows no look at session {batch} before the time is up; it may still be running.");
    left_running(context, batch, message)
}

fn left_running(context: &Context, batch: &str, message: String) -> Error {
    Error::of(&codes::command::STILL_RUNNING, message)
        .hint(Hint::run("Keep following it", context.command(["sessions", "watch", batch])))
        .details(json!({ "batchId": batch }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_checks_found_is_shown_if_they_found_anything() {
        let of = |json: &str| {
            let part = format!(r#"{{"retailerId":1,"syncStatus":"completed"{json}}}"#);
            checked(&serde_json::from_str(&part).expect("a part"))
        };
        assert_eq!(of(""), None);
        assert_eq!(of(r#","itemsMarked":0,"ordersKeptBack":0"#), None);
        assert_eq!(of(r#","itemsMarked":1"#).as_deref(), Some("1 item of orders whose figures do not agree"));
        let both = of(r#","itemsMarked":2,"ordersKeptBack":1"#);
        assert_eq!(both.as_deref(), Some("2 items of orders whose figures do not agree, 1 order kept back"));
        assert_eq!(of(r#","ordersWithoutItems":1"#).as_deref(), Some("1 order has no items"));
        let changed =
            "2 orders are no longer listed by the retailer (orders list --status missing), 1 item has another name now";
        assert_eq!(of(r#","ordersMissing":2,"itemsRenamed":1"#).as_deref(), Some(changed));
    }
}
