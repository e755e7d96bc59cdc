//! `ordersync mfa`.

use ordersync_api::{Session, SessionStatus};

use super::sessions;
use super::shared::{active_sessions, resolve_session, sync_report};
use crate::cli::mfa::MfaCommandArgs;
use crate::context::Context;
use crate::errors::{Advice, Error, Hint, Result, codes};
use crate::follow;
use crate::follow::mfa::{Answer, Answers};
use crate::follow::request::PendingRequest;
use crate::output::Mark;
use crate::output::sanitize::clean;
use crate::prompt::Question;

/// Answers the open request of a session, then follows the session.
pub(super) async fn run(context: &Context, arguments: MfaCommandArgs) -> Result<()> {
    let client = context.client().await?;
    let session = match &arguments.batch {
        Some(batch) => resolve_session::session(context, batch).await?,
        None => asking(context, arguments.req_id.as_deref()).await?,
    };
    let batch = session.batch_id.as_str();
    let request = select(context, &session, arguments.req_id.as_deref()).await?;
    context.if_broken_off(follow::waits_for_answer(context, batch, &request));
    let mut answers = Answers::new(&arguments.means());
    match answers.answer(context, client, &request).await? {
        Answer::Given if arguments.wait.no_wait => {
            context.output.marked_note(Mark::Good, format!("Answered {}.", request.name));
            context.output.next(&[context.command(["sessions", "watch", batch])]);
            Ok(())
        }
        Answer::Settled if arguments.wait.no_wait => Ok(()),
        Answer::Given | Answer::Expired | Answer::Settled => {
            let session = follow::follow(context, client, batch, &mut answers).await?;
            sync_report::conclude(context, &session)
        }
        Answer::None(why) => Err(follow::mfa_needed(context, batch, &request, why.as_deref(), 1)),
    }
}

/// The session with an open request: the most recent one, else the newest of those that connections were in last. If
/// none has one, the most recent.
async fn asking(context: &Context, req_id: Option<&str>) -> Result<Session> {
    let asks = |session: &Session| {
        follow::open_requests(session).iter().any(|request| req_id.is_none_or(|id| id == request.req_id))
    };
    let latest = sessions::latest(context).await?;
    if asks(&latest) {
        return Ok(latest);
    }
    let client = context.client().await?;
    let mut connections = client.connections(None).await?;
    connections.retain(|connection| connection.last_batch_id.as_ref() != Some(&latest.batch_id));
    let others = active_sessions::sessions(context, client, &connections).await?;
    Ok(others.into_iter().find(asks).unwrap_or(latest))
}

async fn select<'a>(context: &Context, session: &'a Session, req_id: Option<&str>) -> Result<PendingRequest<'a>> {
    let batch = &session.batch_id;
    let open = follow::open_requests(session);
    let fitting: Vec<PendingRequest<'a>> =
        open.into_iter().filter(|request| req_id.is_none_or(|id| id == request.req_id)).collect();
    match fitting.as_slice() {
        [one] => Ok(one.clone()),
        [] => {
            let message = match req_id {
                Some(id) => {
                    format!("Session {batch} has no open request {id}: it was answered, has expired, or never existed.")
                }
                None => format!("Nothing waits for verification in session {batch}."),
            };
            Err(Error::of(&codes::service::MFA_REQUEST_EXPIRED, message).hint(
                if session.status.is(&SessionStatus::Syncing) {
                    // On this machine nothing asks before a command follows the sync.
                    Hint::run("Follow the sync until it asks", context.command(["sessions", "watch", batch.as_str()]))
                } else {
                    Hint::run("See the state of the sync", context.command(["sessions", "get", batch.as_str()]))
                },
            ))
        }
        several if context.prompt.is_possible() => {
            context.if_broken_off(follow::goes_on(context, &[batch.as_str()]));
            let question = Question::new("Retailer to answer", "Give --req-id ID.");
            let chosen = context.prompt.choose(&question, several.iter().map(|one| one.name.clone()).collect()).await?;
            chosen.and_then(|chosen| several.get(chosen).cloned()).ok_or_else(Error::interrupted)
        }
        several => {
            let commands = several.iter().map(|request| {
                let command = context.command(["mfa", "--batch", batch.as_str(), "--req-id", request.req_id]);
                Hint::run(clean(&request.name), command)
            });
            Err(Error::usage("Several retailers wait for verification.")
                .hint(Advice::from("Choose one:").and(commands.collect::<Vec<_>>())))
        }
    }
}
