//! A sync of connections: followed to its end together with what was interrupted before, and reported.

use ordersync_api::{Id, Session};
use serde_json::json;

use super::batch::Batch;
use super::document;
use crate::cli::shared::{MfaArgs, SyncOptions};
use crate::client::Client;
use crate::commands::shared::skipped::{self, Skipped, Why};
use crate::commands::shared::{run_sync, sync_report};
use crate::context::Context;
use crate::errors::{Advice, Error, Exit, Hint, Result};
use crate::follow::following::Following;
use crate::follow::mfa::Answers;
use crate::output::Mark;

/// A sync of connections.
pub(super) struct Round<'a> {
    pub(super) context: &'a Context,
    pub(super) client: &'a Client,
    pub(super) options: &'a SyncOptions,
    /// Reads settled and unchanged orders again, too.
    pub(super) full: bool,
    pub(super) has_connections: bool,
    pub(super) batches: Vec<Batch>,
    /// None if the service does not say what there is.
    pub(super) skipped: Option<Vec<Skipped>>,
    /// Why it does not.
    pub(super) unknown: Option<Error>,
    /// The sessions that ended, each with its place among the batches.
    sessions: Vec<(usize, Session)>,
    pub(super) failures: Vec<Error>,
    /// The sessions whose time was up, each with the error that says so.
    late: Vec<(Id, Error)>,
}

impl<'a> Round<'a> {
    pub(super) const fn new(context: &'a Context, client: &'a Client, options: &'a SyncOptions, full: bool) -> Self {
        Self {
            context,
            client,
            options,
            full,
            has_connections: false,
            batches: Vec::new(),
            skipped: None,
            unknown: None,
            sessions: Vec::new(),
            failures: Vec::new(),
            late: Vec::new(),
        }
    }

    /// Whether a question of a retailer's can be answered.
    fn can_answer(&self) -> bool {
        let MfaArgs { mfa_code_stdin, mfa_command, .. } = &self.options.mfa;
        *mfa_code_stdin || mfa_command.is_some() || self.context.prompt.is_possible()
    }

    /// Takes up what was interrupted: on this machine a sync runs only while a command does, and what waits for a code can be
    /// answered if there is a way to.
    pub(super) fn take_up(&mut self) {
        let (is_local, can_answer) = (self.context.is_local(), self.can_answer());
        let is_taken_up = |one: &Skipped| match one.why {
            Why::Syncing => is_local,
            Why::WaitsForCode => can_answer,
            _ => false,
        };
        let Some(skipped) = &mut self.skipped else { return };
        for one in skipped.extract_if(.., |one| is_taken_up(one)) {
            let Some(id) = one.batch else { continue };
            match self.batches.iter_mut().find(|batch| batch.id == id) {
                Some(batch) => batch.connections.push(one.connection_id),
                None => self.batches.push(Batch {
                    started: run_sync::syncing(id.clone()),
                    ran_before: Some(run_sync::runs_already(Some(&one.display_name), id.as_str())),
                    connections: vec![one.connection_id],
                    id,
                }),
            }
        }
    }

    /// Follows every session, all at once. What ends one of them badly does not keep the others from being followed.
    /// Fails if the others need not be tried.
    pub(super) async fn follow(&mut self) -> Result<()> {
        let ids: Vec<Id> = self.batches.iter().map(|batch| batch.id.clone()).collect();
        for id in &ids {
            self.context.remember(|known| known.add_batch(id.as_str()));
        }
        let mut answers = Answers::new(&self.options.mfa);
        let mut following = Following::new(self.context, self.client, ids.iter().map(Id::as_str), &mut answers);
        while following.goes_on() {
            let (id, ended) = following.one_ends().await;
            let Some(index) = ids.iter().position(|known| known.as_str() == id) else { continue };
            let is_old = self.batches.get(index).is_some_and(|batch| batch.ran_before.is_some());
            match ended {
                Ok(session) => self.sessions.push((index, session)),
                Err(error) if concerns_all(&error) => return Err(error),
                Err(error) if error.exit() == Exit::MfaNeeded && is_old && !self.can_answer() => {
                    self.skip_waiting(index, error).await;
                }
                Err(error) if error.exit() == Exit::StillRunning => self.late.push((id.into(), error)),
                Err(error) => self.failures.push(error),
            }
        }
        Ok(())
    }

    /// Counts the connections of a session as skipped that waited for a code before, and still do. `error` says what the
    /// retailer asks for.
    async fn skip_waiting(&mut self, index: usize, error: Error) {
        let mut connections = Vec::new();
        for id in self.batches.get(index).map(|batch| batch.connections.as_slice()).unwrap_or_default() {
            connections.extend(self.client.connection(id.as_str()).await);
        }
        let mut waiting = skipped::find(self.context, self.client, &connections, &[]).await.unwrap_or_default();
        waiting.retain(|one| one.why == Why::WaitsForCode);
        match (waiting.first_mut(), &mut self.skipped) {
            (Some(first), Some(skipped)) => {
                first.error = Some(error);
                skipped.append(&mut waiting);
            }
            _ => self.failures.push(error),
        }
    }

    /// Reports how it all ended; `ended` is what kept it from being followed.
    pub(super) fn conclude(mut self, ended: Result<()>) -> Result<()> {
        self.sessions.sort_by_key(|(index, _)| *index);
        let sessions: Vec<Session> =
            std::mem::take(&mut self.sessions).into_iter().map(|(_, session)| session).collect();
        if let Some(skipped) = &mut self.skipped {
            skipped::without_synced(skipped, &sessions);
            skipped.sort_by_key(|one| one.why);
        }
        let output = &self.context.output;
        let is_worth_showing = !sessions.is_empty() || self.is_known();
        let is_shown =
            is_worth_showing && output.shown(&document::ended(&sessions, &self.batches, self.skipped.as_deref()))?;
        let is_nothing = self.batches.is_empty() && self.failures.is_empty();
        if !is_shown && is_nothing && !self.has_connections {
            output.note("There is nothing to sync: no retailer is connected.");
            output.next(&[self.context.command("connect")]);
        } else if !is_shown && is_nothing && self.skipped.as_ref().is_some_and(Vec::is_empty) {
            output.note("There is nothing to sync: all orders come from files. Import newer ones to add to them.");
        }
        match sync_report::settle(self.context, &sessions, is_shown) {
            Ok(true) => sync_report::next(self.context),
            Ok(false) => {}
            Err(error) => self.failures.push(error),
        }
        self.fail(ended)
    }

    /// Whether there is something to report besides failures.
    fn is_known(&self) -> bool {
        let has_skipped = self.skipped.as_ref().is_some_and(|skipped| !skipped.is_empty());
        has_skipped || (self.batches.is_empty() && self.failures.is_empty())
    }

    /// Leaves the syncs to themselves.
    pub(super) fn leave(self) -> Result<()> {
        let (context, output) = (self.context, &self.context.output);
        if self.batches.is_empty() && !self.is_known() {
            return self.fail(Ok(()));
        }
        let is_shown = output.shown(&document::started(&self.batches, self.skipped.as_deref()))?;
        for batch in &self.batches {
            context.remember(|known| known.add_batch(batch.id.as_str()));
            match &batch.ran_before {
                Some(text) if is_shown => output.marked_note(Mark::Attention, text),
                _ if is_shown => {}
                text => run_sync::print_left(context, batch.id.as_str(), text.as_deref())?,
            }
        }
        match self.batches.as_slice() {
            [] => output.note("Nothing was started."),
            [_] if context.is_local() => output.note("It continues whenever an ordersync command runs."),
            _ if context.is_local() => output.note("They go on whenever an ordersync command runs."),
            _ => {}
        }
        let watch = self.batches.iter().map(|batch| context.command(["sessions", "watch", batch.id.as_str()]));
        output.next(&watch.collect::<Vec<_>>());
        self.fail(Ok(()))
    }

    /// The command's failure: what concerns everything, else the gravest; the others are reported before it.
    fn fail(mut self, ended: Result<()>) -> Result<()> {
        let mut skipped = self.skipped.unwrap_or_default();
        skipped::report(self.context, &skipped, self.options.allow_skipped);
        if !self.options.allow_skipped {
            self.failures.extend(skipped::failure(&skipped, self.options.wait.no_wait));
            self.failures.extend(skipped.iter_mut().filter_map(|one| one.error.take()));
        }
        if let Some(error) = self.unknown {
            if self.options.allow_skipped {
                let why = error.message();
                self.context.output.warn(format!("Cannot find out whether connections were skipped: {why}"));
            } else {
                self.context.output.warn("Cannot find out whether connections were skipped.");
                self.failures.push(error);
            }
        }
        self.failures.sort_by_key(gravity);
        if self.failures.is_empty() && ended.is_ok() {
            return still_running(self.context, self.late).map_or(Ok(()), Err);
        }
        // The error is about what matters more.
        for (id, error) in self.late {
            let watch = self.context.command(["sessions", "watch", id.as_str()]);
            self.context.output.warn(Hint::run(error.message().trim_end_matches('.'), watch));
        }
        self.failures.extend(ended.err());
        let last = self.failures.pop();
        last.map_or(Ok(()), |last| Err(last.besides(self.failures)))
    }
}

/// One error for all sessions whose time was up.
fn still_running(context: &Context, mut late: Vec<(Id, Error)>) -> Option<Error> {
    let (_, first) = late.first()?;
    if late.len() == 1 {
        return late.pop().map(|(_, error)| error);
    }
    let ids: Vec<&Id> = late.iter().map(|(id, _)| id).collect();
    let watch = ids.iter().map(|id| Hint::command(context.command(["sessions", "watch", id.as_str()])));
    let hint = Advice::from("Keep following them:").and(watch.collect::<Vec<_>>());
    let message = format!("The time is up; {} sessions are still running.", ids.len());
    Some(
        Error::new(first.exit(), first.code(), message)
            .hint(hint)
            .details(json!({ "batchId": ids[0], "batchIds": ids })),
    )
}

/// Whether the others need not be tried either: the service cannot be reached, or refuses this user.
pub(super) fn concerns_all(error: &Error) -> bool {
    matches!(error.exit(), Exit::Network | Exit::SignIn | Exit::RateLimited | Exit::Usage | Exit::Interrupted)
}

/// The higher, the graver.
fn gravity(error: &Error) -> u8 {
    match error.exit() {
        Exit::MfaNeeded => 3,
        Exit::SyncFailed => 2,
        // A connection that was skipped because it is syncing.
        Exit::StillRunning => 1,
        _ => 4,
    }
}
