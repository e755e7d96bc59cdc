//! A session followed to its end: polling, progress, MFA.
//!
//! If following stops early, the message says how to resume it: nothing of a session is lost.

pub(crate) mod answer;
mod child;
mod code;
mod elsewhere;
pub(crate) mod label;
pub(crate) mod pace;
pub(crate) mod request;

use std::time::{Duration, Instant};

use ordersync_api::{ErrorCode, RetailerSyncSession, Session, SessionStatus, SyncStatus};
use serde_json::json;

use crate::client::Client;
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::hint::{Advice, Hint};
use crate::output::Mark;
use crate::output::people::items;
use crate::output::progress::{Progress, Row};
use answer::{Answer, Answers};
use label::{key, label};
use pace::Pace;
use request::Request;

/// How long a session is followed where no `--timeout` is given.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Follows a session to its end and gives its last state.
///
/// # Errors
///
/// If a retailer asks for something that `answers` has no answer to (exit 7), the time is up (exit 8), or the service
/// cannot be reached or refuses.
pub(crate) async fn follow(context: &Context, client: &Client, batch: &str, answers: &mut Answers) -> Result<Session> {
    let goes_on = goes_on(context, batch);
    context.if_broken_off(goes_on.clone());
    let give_up = context.deadline.unwrap_or_else(|| Instant::now() + PATIENCE);
    let mut pace = Pace::new(context.is_local());
    let mut progress = context.output.progress();
    loop {
        pace.polled(Instant::now());
        let session = match client.poll_session(batch, give_up).await {
            // No look at it fits into the time that is left. The sync runs all the same.
            Err(error) if error.exit() == Exit::RateLimited => return Err(unseen(context, batch, give_up)),
            session => session?,
        };
        if let Some(polls) = client.polls().await {
            pace.shared(polls, Instant::now());
        }
        show(&mut progress, &session);
        if is_over(&session) {
            return Ok(session);
        }
        if context.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            // Nothing is asked any more that nobody could answer in time.
            return Err(still_running(context, batch));
        }
        let mut unanswered = Vec::new();
        for request in open_requests(&session) {
            if answers.is_done(request.req_id) {
                continue;
            }
            progress.pause();
            context.if_broken_off(waits_for_answer(context, batch, &request));
            match answers.answer(context, client, &request).await {
                Ok(Answer::Given | Answer::Expired | Answer::Settled) => pace.hurry(),
                Ok(Answer::None(why)) => unanswered.push((request, why)),
                Err(error) if error.is(ErrorCode::MfaRequestExpired) => {
                    answers.ignore(request.req_id);
                    context.output.marked_note(Mark::Attention, error.message());
                }
                Err(error) => return Err(error),
            }
        }
        context.if_broken_off(goes_on.clone());
        let running = session.retailer_sync_sessions.iter().filter(|retailer| !is_final(retailer)).count();
        if let Some((request, why)) = unanswered.first()
            && unanswered.len() == running
        {
            return Err(mfa_needed(context, batch, request, why.as_deref(), unanswered.len()));
        }
        let left = give_up.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(still_running(context, batch));
        }
        tokio::time::sleep(pace.wait(Instant::now()).min(left)).await;
    }
}

/// Whether nothing in the session runs any more.
#[must_use]
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
#[must_use]
pub(crate) fn open_requests(session: &Session) -> Vec<Request<'_>> {
    session
        .retailer_sync_sessions
        .iter()
        .filter_map(|retailer| {
            let (req_id, mfa) = session.open_mfa(retailer)?;
            let batch = session.batch_id.as_str();
            Some(Request { retailer, req_id: req_id.as_str(), mfa, name: label(session, retailer), batch })
        })
        .collect()
}

/// What happens to a sync that is no longer followed, and the command that follows it again.
#[must_use]
pub(crate) fn goes_on(context: &Context, batch: &str) -> Advice {
    let kept = if context.is_local() {
        "It pauses now and resumes with your next ordersync command."
    } else {
        "The sync goes on."
    };
    Advice::from(kept).and(Hint::run("Follow it", context.command(["sessions", "watch", batch])))
}

/// The same of one that waits for an answer.
#[must_use]
pub(crate) fn waits_for_answer(context: &Context, batch: &str, request: &Request<'_>) -> Advice {
    let (answer, watch) = (context.command(["mfa", "--batch", batch]), context.command(["sessions", "watch", batch]));
    Advice::from([
        Hint::say(format!("The sync waits for the answer{}.", request.minutes_left())),
        Hint::run("Answer it", answer),
        Hint::run("Or follow it", watch),
    ])
}

fn show(progress: &mut Progress, session: &Session) {
    for retailer in &session.retailer_sync_sessions {
        let (state, mark) = match retailer.sync_status.known() {
            Some(SyncStatus::UserIntervention) => ("waiting for verification".to_owned(), Some(Mark::Attention)),
            Some(SyncStatus::TimedOut) => ("timed out".to_owned(), Some(Mark::Bad)),
            Some(SyncStatus::Error) => ("failed".to_owned(), Some(Mark::Bad)),
            Some(SyncStatus::Completed) => ("completed".to_owned(), Some(Mark::Good)),
            _ => (retailer.sync_status.to_string(), None),
        };
        let count = match retailer.items_found {
            Some(found) if found > 0 => items(found),
            _ => String::new(),
        };
        progress.row(&key(retailer), Row { name: label(session, retailer), state, count, mark });
    }
}

/// What the checks of a retailer's part found: lines of orders whose figures do not agree, and orders that were kept back.
#[must_use]
pub(crate) fn checked(retailer: &RetailerSyncSession) -> Option<String> {
    let marked = retailer.items_marked.filter(|marked| *marked > 0);
    let marked = marked.map(|marked| format!("{} of orders whose figures do not agree", items(marked)));
    let kept_back = match retailer.orders_kept_back {
        None | Some(0) => None,
        Some(1) => Some("1 order kept back".to_owned()),
        Some(orders) => Some(format!("{orders} orders kept back")),
    };
    let found: Vec<String> = marked.into_iter().chain(kept_back).collect();
    (!found.is_empty()).then(|| found.join(", "))
}

/// The error of a request that there is no answer to: exit 7, with the command that answers it.
#[must_use]
pub(crate) fn mfa_needed(
    context: &Context,
    batch: &str,
    request: &Request<'_>,
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
    let command = context.command(words.as_slice());
    Error::of(&codes::command::MFA_NEEDED, message)
        .hint([Hint::run("Answer it", command.as_str()), Hint::say(format!("(session {batch}, request {req_id})"))])
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
    }
}
