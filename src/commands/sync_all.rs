//! A sync of several connections: started, followed to its end together with what was interrupted before, and reported as one
//! result, in which nothing that was skipped is missing.

use ordersync_api::{Connection, ConnectionStatus, ErrorCode, Id, Session, SyncStarted, SyncStartedStatus};
use serde_json::{Value, json};

use super::skipped::{self, Skipped, Why};
use super::{connections, outcome, started};
use crate::cli::shared::{MfaArgs, WaitArgs};
use crate::client::Client;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::follow::answer::Answers;
use crate::follow::follow;
use crate::output::Mark;
use crate::output::people::reason;

/// How the sync is done.
pub(super) struct Means<'a> {
    pub(super) full: bool,
    pub(super) mfa: &'a MfaArgs,
    pub(super) wait: WaitArgs,
    /// Skipped connections are no failure.
    pub(super) allow_skipped: bool,
    /// Only the connections to this retailer.
    pub(super) retailer: Option<i64>,
}

/// Follows what was started to its end and reports the result.
///
/// # Errors
/// If nothing could be started, a retailer failed, or a connection was skipped.
pub(super) async fn run(
    context: &Context,
    client: &Client,
    sent: Result<SyncStarted>,
    means: &Means<'_>,
) -> Result<()> {
    let mut round = Round::begin(context, client, sent, means).await?;
    if means.wait.no_wait {
        return round.leave();
    }
    let ended = round.follow().await;
    round.conclude(ended)
}

/// A sync of several connections.
struct Round<'a> {
    context: &'a Context,
    client: &'a Client,
    means: &'a Means<'a>,
    has_connections: bool,
    batches: Vec<Id>,
    /// Those of them that ran before.
    already: Vec<Id>,
    /// None if the service does not say what there is.
    skipped: Option<Vec<Skipped>>,
    /// Why it does not.
    unknown: Option<Error>,
    sessions: Vec<Session>,
    failures: Vec<Error>,
}

impl<'a> Round<'a> {
    async fn begin(
        context: &'a Context,
        client: &'a Client,
        sent: Result<SyncStarted>,
        means: &'a Means<'a>,
    ) -> Result<Self> {
        let first = begun(context, sent, means.wait.no_wait)?;
        let already = first.iter().filter(|begun| !begun.is_new).map(|begun| begun.batch.clone()).collect();
        let mut round = Self {
            context,
            client,
            means,
            has_connections: first.is_some(),
            batches: first.into_iter().map(|begun| begun.batch).collect(),
            already,
            skipped: None,
            unknown: None,
            sessions: Vec::new(),
            failures: Vec::new(),
        };
        match round.look().await {
            Ok(skipped) => round.skipped = Some(skipped),
            Err(error) if round.batches.is_empty() => return Err(error),
            // The sync has begun, and is followed; but nobody knows whether it was one of every connection.
            Err(error) => round.unknown = Some(error),
        }
        round.resume();
        Ok(round)
    }

    /// Finds what was skipped. If no connection is valid, the service starts none by itself: the pending ones are started one
    /// by one.
    async fn look(&mut self) -> Result<Vec<Skipped>> {
        let mut all = self.client.connections(None).await?;
        all.retain(|connection| self.means.retailer.is_none_or(|id| connection.retailer_id == id));
        self.has_connections |= !all.is_empty();
        if self.batches.is_empty() {
            let (pending, others): (Vec<Connection>, Vec<Connection>) =
                all.into_iter().partition(|connection| connection.status.is(&ConnectionStatus::Pending));
            for connection in &pending {
                self.start(connection).await?;
            }
            all = others;
        }
        skipped::find(self.context, self.client, &all, &self.batches).await
    }

    async fn start(&mut self, connection: &Connection) -> Result<()> {
        let why = connection.status_reason.as_deref().map(|code| format!(": {}", reason(code))).unwrap_or_default();
        let text = format!("{} is pending{why}. Syncing it.", connections::name(connection));
        self.context.output.marked_note(Mark::Attention, &text);
        let sent = self.client.sync_connection(connection.connection_id.as_str(), self.means.full).await;
        match begun(self.context, sent, self.means.wait.no_wait) {
            Ok(Some(begun)) if !self.batches.contains(&begun.batch) => {
                if !begun.is_new {
                    self.already.push(begun.batch.clone());
                }
                self.batches.push(begun.batch);
            }
            Ok(_) => {}
            Err(error) if concerns_all(&error) => return Err(error),
            Err(error) => self.failures.push(error),
        }
        Ok(())
    }

    /// Takes up what was interrupted: on this machine a sync runs only while a command does, and what waits for a code can be
    /// answered if there is a way to.
    fn resume(&mut self) {
        if self.means.wait.no_wait {
            return;
        }
        let MfaArgs { mfa_code_stdin, mfa_command, .. } = self.means.mfa;
        let answers = *mfa_code_stdin || mfa_command.is_some() || self.context.prompt.is_possible();
        let is_local = self.context.is_local();
        let batches = &mut self.batches;
        self.skipped.iter_mut().for_each(|skipped| {
            skipped.retain(|one| {
                let is_resumed = match one.why {
                    Why::Syncing => is_local,
                    Why::WaitsForCode => answers,
                    _ => false,
                };
                if let (true, Some(batch)) = (is_resumed, &one.batch)
                    && !batches.contains(batch)
                {
                    batches.push(batch.clone());
                }
                !is_resumed
            });
        });
    }

    /// Follows every session. What ends one of them badly does not keep the others from being followed.
    async fn follow(&mut self) -> Result<()> {
        for batch in self.batches.clone() {
            self.context.remember(|known| known.add_batch(batch.as_str()));
            match follow(self.context, self.client, batch.as_str(), &mut Answers::new(self.means.mfa)).await {
                Ok(session) => self.sessions.push(session),
                Err(error) if concerns_all(&error) => return Err(error),
                Err(error) => self.failures.push(error),
            }
        }
        Ok(())
    }

    /// Reports how it all ended; `ended` is what kept it from being followed.
    fn conclude(mut self, ended: Result<()>) -> Result<()> {
        if let Some(skipped) = &mut self.skipped {
            skipped::without_synced(skipped, &self.sessions);
        }
        let output = &self.context.output;
        let is_empty = self.batches.is_empty() && self.failures.is_empty();
        let is_shown = (is_empty || !self.sessions.is_empty()) && output.shown(&self.document())?;
        if is_empty && !is_shown && !self.has_connections {
            output.note("There is nothing to sync: no retailer is connected.");
            output.next(&[self.context.command("connect")]);
        }
        for session in std::mem::take(&mut self.sessions) {
            if let Err(error) = outcome::settle(self.context, &session, is_shown) {
                self.failures.push(error);
            }
        }
        self.fail(ended)
    }

    /// Leaves the syncs to themselves.
    fn leave(mut self) -> Result<()> {
        if let Some(skipped) = &mut self.skipped {
            // Whether these were started is not known before the session was followed.
            skipped.retain(|one| one.why != Why::NotSynced);
        }
        let output = &self.context.output;
        for batch in &self.batches {
            self.context.remember(|known| known.add_batch(batch.as_str()));
        }
        if !output.shown(&self.document())? {
            for batch in &self.batches {
                started::print_left(self.context, batch.as_str(), !self.already.contains(batch))?;
            }
        } else {
            for batch in &self.already {
                output.marked_note(Mark::Attention, started::runs_already(batch.as_str()));
            }
        }
        if self.batches.is_empty() {
            output.note("Nothing was started.");
        } else if self.context.is_local() {
            output.note("It goes on whenever an ordersync command runs.");
        }
        let watch = self.batches.iter().map(|batch| self.context.command(["sessions", "watch", batch.as_str()]));
        output.next(&watch.collect::<Vec<_>>());
        self.fail(Ok(()))
    }

    /// The command's failure: what concerns everything, else the gravest; the others are reported before it.
    fn fail(mut self, ended: Result<()>) -> Result<()> {
        let skipped = self.skipped.unwrap_or_default();
        skipped::report(self.context, &skipped, self.means.allow_skipped);
        if !self.means.allow_skipped {
            self.failures.extend(skipped::failure(&skipped, self.means.wait.no_wait));
        }
        if let Some(error) = self.unknown {
            if self.means.allow_skipped {
                let why = error.message();
                self.context.output.warn(format!("Cannot find out whether connections were skipped: {why}"));
            } else {
                self.context.output.warn("Cannot find out whether connections were skipped.");
                self.failures.push(error);
            }
        }
        self.failures.sort_by_key(gravity);
        self.failures.extend(ended.err());
        let last = self.failures.pop();
        for error in &self.failures {
            self.context.output.error(error);
        }
        last.map_or(Ok(()), Err)
    }

    /// The result as JSON: a session with every retailer's part, those of resumed sessions with the session that they are of.
    fn document(&self) -> Value {
        let mut sessions = self.sessions.iter().map(|session| json!(session));
        let mut document = match (sessions.next(), self.batches.as_slice()) {
            (Some(first), _) => first,
            (None, []) => json!({ "status": SyncStartedStatus::NoRetailers }),
            (None, [only]) => json!({ "status": SyncStartedStatus::Syncing, "batchId": only }),
            (None, several) => {
                json!({ "status": SyncStartedStatus::Syncing, "batchId": several[0], "batchIds": several })
            }
        };
        for mut session in sessions {
            let batch = session["batchId"].take();
            for list in ["retailerSyncSessions", "events"] {
                let mut items = session[list].take();
                let items = items.as_array_mut().map(std::mem::take).unwrap_or_default().into_iter().map(|mut item| {
                    item["batchId"] = batch.clone();
                    item
                });
                if let Some(all) = document[list].as_array_mut() {
                    all.extend(items);
                }
            }
        }
        document["skipped"] = json!(self.skipped);
        document
    }
}

/// A session to follow.
struct Begun {
    batch: Id,
    /// Whether it was started now, and not before.
    is_new: bool,
}

/// The session that was started, or runs already; none if there was nothing to start. One that is left to itself (`is_left`)
/// is reported at the end.
fn begun(context: &Context, sent: Result<SyncStarted>, is_left: bool) -> Result<Option<Begun>> {
    let (started, is_new) = match sent {
        Ok(started) => (started, true),
        Err(error) if error.is(ErrorCode::SyncInProgress) => (started::running(error)?, false),
        Err(error) => return Err(error),
    };
    if started.status.is(&SyncStartedStatus::NoRetailers) {
        return Ok(None);
    }
    let batch = started::batch(&started)?;
    if !is_new && !is_left {
        context.output.marked_note(Mark::Attention, started::runs_already(batch.as_str()));
    }
    Ok(Some(Begun { batch, is_new }))
}

/// Whether the others need not be tried either: the service cannot be reached, or refuses whoever asks.
fn concerns_all(error: &Error) -> bool {
    matches!(error.exit(), Exit::Network | Exit::SignIn | Exit::RateLimited | Exit::Usage | Exit::Interrupted)
}

/// The higher, the graver.
fn gravity(error: &Error) -> u8 {
    match error.exit() {
        Exit::MfaNeeded => 3,
        Exit::SyncFailed => 2,
        Exit::StillRunning => 1,
        _ => 4,
    }
}
