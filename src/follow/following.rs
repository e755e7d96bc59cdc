//! Several sessions followed at once: what one of them asks for never waits for the end of another.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use ordersync_api::{ErrorCode, Session, SyncStatus};
use reqwest::header::HeaderValue;

use super::label::{key, label_among};
use super::mfa::{Answer, Answers};
use super::poll_interval::Pace;
use super::request::PendingRequest;
use super::{
    goes_on, is_final, is_over, mfa_needed, open_requests, state, still_running, still_waiting, unseen,
    waits_for_answer, watch,
};
use crate::client::Client;
use crate::context::Context;
use crate::errors::{Advice, Error, Exit, Hint, Result};
use crate::output::Mark;
use crate::output::human::items;
use crate::output::progress::{Progress, ProgressRow};

/// How long sessions are followed if no `--timeout` is given.
const PATIENCE: Duration = Duration::from_secs(3600);

/// How long the service may wait for a change of a session, at most, before it says that there is none.
const HELD: Duration = Duration::from_secs(25);

/// How long the service inside the command may fail to write: somebody may be making room.
const UNWRITABLE: Duration = Duration::from_secs(3);

/// Sessions that are followed.
pub(crate) struct Following<'a> {
    context: &'a Context,
    client: &'a Client,
    answers: &'a mut Answers,
    /// Those that have not ended; the first is looked at next.
    open: VecDeque<String>,
    /// How many of them have not been looked at yet; they are the first.
    unseen: usize,
    /// The last state of each that was looked at.
    seen: Vec<Session>,
    /// How sessions ended, or what keeps them from being followed.
    ended: VecDeque<(String, Result<Session>)>,
    pace: Pace,
    /// Of the only session, if the service can wait for its change.
    tag: Option<HeaderValue>,
    /// How long it is to wait for that.
    hold: Duration,
    /// False if the service was asked to wait for a change, and answered too early without one.
    waits: bool,
    progress: Progress,
    give_up: Instant,
    /// Since when the store of the service inside the command cannot be written.
    unwritable_since: Option<Instant>,
}

impl<'a> Following<'a> {
    /// Follows these sessions, at least one.
    pub(crate) fn new(
        context: &'a Context,
        client: &'a Client,
        batches: impl IntoIterator<Item = &'a str>,
        answers: &'a mut Answers,
    ) -> Self {
        let open: VecDeque<String> = batches.into_iter().map(str::to_owned).collect();
        Self {
            context,
            client,
            answers,
            unseen: open.len(),
            open,
            seen: Vec::new(),
            ended: VecDeque::new(),
            pace: Pace::new(context.is_local()),
            tag: None,
            hold: HELD,
            waits: true,
            progress: context.output.progress(),
            give_up: context.deadline.unwrap_or_else(|| Instant::now() + PATIENCE),
            unwritable_since: None,
        }
    }

    /// Whether a session has not been given yet.
    pub(crate) fn goes_on(&self) -> bool {
        !(self.open.is_empty() && self.ended.is_empty())
    }

    /// Follows until a session ends, or cannot be followed further, and gives its id and its last state. There must be
    /// one.
    ///
    /// The state is an error if a retailer asks for something that there is no answer to (exit 7), the time is up (exit 8),
    /// or the service cannot be reached or refuses.
    pub(crate) async fn one_ends(&mut self) -> (String, Result<Session>) {
        loop {
            if let Some(ended) = self.ended.pop_front() {
                return ended;
            }
            self.turn().await;
        }
    }

    /// Polls sessions, answers their requests, and waits.
    async fn turn(&mut self) {
        self.advise(None);
        let Some(running) = self.look_around().await else { return };
        if self.context.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            // A question that could not be answered in time is not asked.
            return self.give_up();
        }
        if let Some(error) = self.unwritable() {
            // It is the same for all of them, and is said once.
            let error = self.lost(error);
            self.ended.extend(self.open.pop_front().map(|batch| (batch, Err(error))));
            return self.open.clear();
        }
        self.answer(&running).await;
        if !self.ended.is_empty() {
            return;
        }
        self.advise(None);
        let left = self.give_up.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return self.give_up();
        }
        let now = Instant::now();
        let wait = self.pace.wait(now);
        let sleep = if self.tag.is_some() { self.pace.sleep(now, wait, self.waits) } else { wait };
        self.hold = wait.clamp(Duration::from_secs(1), HELD);
        tokio::time::sleep(sleep.min(left)).await;
    }

    /// Looks at each session at first, and where requests are limited at one in each turn later, since the pace counts requests.
    /// Gives those that have not ended; none after an error, which is reported before anything else happens.
    async fn look_around(&mut self) -> Option<Vec<(String, Session)>> {
        let due = if self.pace.is_unlimited() { self.open.len() } else { self.unseen.max(1) };
        let mut running = Vec::new();
        for batch in self.open.iter().take(due).cloned().collect::<Vec<_>>() {
            let looked = self.look(&batch).await;
            self.unseen = self.unseen.saturating_sub(1);
            match looked {
                Ok(session) if is_over(&session) => self.end(&batch, Ok(session)),
                Ok(session) => {
                    self.open.rotate_left(1);
                    running.push((batch, session));
                }
                Err(error) => {
                    self.end(&batch, Err(error));
                    return None;
                }
            }
        }
        self.show();
        Some(running)
    }

    async fn look(&mut self, batch: &str) -> Result<Session> {
        let now = Instant::now();
        self.pace.polled(now);
        let hold = self.hold.min(self.give_up.saturating_duration_since(now));
        let known = self.tag.take().map(|tag| (tag, hold));
        let held = known.as_ref().map_or(Duration::ZERO, |(_, hold)| Duration::from_secs(hold.as_secs()));
        let followed = match self.client.follow_session(batch, self.give_up, known).await {
            // No look at it fits into the time that is left. The sync runs all the same.
            Err(error) if error.exit() == Exit::RateLimited => return Err(unseen(self.context, batch, self.give_up)),
            // It was asked to hold its answer, and had to be asked late: the rate limit came first.
            Err(error) if error.exit() == Exit::Network && held > Duration::ZERO && self.give_up <= Instant::now() => {
                return Err(still_running(self.context, batch));
            }
            // It has answered before: there is nothing to advise about its address.
            Err(error) if error.exit() == Exit::Network && !self.seen.is_empty() => {
                return Err(self.lost(error.hint(Advice::default())));
            }
            followed => followed.map_err(|error| self.lost(error))?,
        };
        self.waits = now.elapsed() >= held;
        if self.open.len() == 1 && !self.context.is_local() {
            self.tag = followed.tag;
        }
        let limit = self.client.rate_limit();
        if let Some((requests, window)) = limit.stated() {
            self.pace.limit(requests, window);
        } else if limit.is_unlimited() {
            self.pace.unlimited();
        }
        let seen = self.seen.iter_mut().find(|seen| seen.batch_id.as_str() == batch);
        match (followed.session, seen) {
            (Some(session), Some(seen)) => {
                self.waits |= session.events.len() != seen.events.len();
                seen.clone_from(&session);
                Ok(session)
            }
            (Some(session), None) => {
                self.seen.push(session.clone());
                Ok(session)
            }
            (None, Some(seen)) => Ok(seen.clone()),
            // The service has given it with its tag.
            (None, None) => self.client.session(batch).await,
        }
    }

    /// The error of a service that does not answer any more, or refuses, with how to follow the sessions again.
    fn lost(&self, error: Error) -> Error {
        let open: Vec<&str> = self.open.iter().map(String::as_str).collect();
        let when = match error.exit() {
            Exit::Network => "When the service answers again",
            Exit::SignIn | Exit::Failed => "Then",
            _ => return error,
        };
        let [one, several] = ["follow the sync", "follow the syncs:"].map(|follow| format!("{when}, {follow}"));
        error.also(watch(self.context, &open, &one, &several))
    }

    /// Answers the requests of these sessions, the one that expires first before the others.
    async fn answer(&mut self, sessions: &[(String, Session)]) {
        let mut requests: Vec<PendingRequest<'_>> = sessions
            .iter()
            .flat_map(|(batch, session)| {
                open_requests(session).into_iter().map(move |request| PendingRequest { batch, ..request })
            })
            .collect();
        requests.retain(|request| !self.answers.is_done(request.req_id));
        requests.sort_by_key(|request| {
            let until = request.until(self.context);
            (until.is_none(), until)
        });
        let mut unanswered = Vec::new();
        for mut request in requests {
            request.name = label_among(&self.seen, request.retailer);
            self.progress.pause();
            self.advise(Some(&request));
            match self.answers.answer(self.context, self.client, &request).await {
                Ok(Answer::Given | Answer::Expired | Answer::Settled) => self.pace.hurry(),
                Ok(Answer::None(why)) => unanswered.push((request, why)),
                Err(error) if error.is(ErrorCode::MfaRequestExpired) => {
                    self.answers.settled(self.context, &request);
                }
                Err(error) if error.exit() == Exit::MfaNeeded => {
                    let advice = waits_for_answer(self.context, request.batch, &request);
                    return self.end(request.batch, Err(error.also(advice)));
                }
                Err(error) => {
                    let error = self.lost(error);
                    return self.end(request.batch, Err(error));
                }
            }
        }
        for (batch, session) in sessions {
            let mut open = unanswered.iter().filter(|(request, _)| request.batch == batch).peekable();
            let running = session.retailer_sync_sessions.iter().filter(|retailer| !is_final(retailer)).count();
            if let Some((request, why)) = open.peek().copied()
                && open.count() == running
            {
                self.end(batch, Err(mfa_needed(self.context, batch, request, why.as_deref(), running)));
            }
        }
    }

    /// Says what to do if the command is interrupted now: while this is asked, or nothing is.
    fn advise(&self, asked: Option<&PendingRequest<'_>>) {
        let mut open: Vec<&str> = self.open.iter().map(String::as_str).collect();
        self.context.if_broken_off(match asked {
            None => goes_on(self.context, &open),
            Some(request) => {
                open.retain(|batch| *batch != request.batch);
                let command = |batch: &&str| self.context.command(["sessions", "watch", batch]);
                let others = open.iter().map(|batch| Hint::run("Follow the other sync", command(batch)));
                waits_for_answer(self.context, request.batch, request).and(others.collect::<Vec<_>>())
            }
        });
    }

    fn end(&mut self, batch: &str, how: Result<Session>) {
        self.open.retain(|open| open != batch);
        self.ended.push_back((batch.to_owned(), how));
    }

    /// Ends all, because the time is up.
    fn give_up(&mut self) {
        for batch in std::mem::take(&mut self.open) {
            let seen = self.seen.iter().find(|seen| seen.batch_id.as_str() == batch);
            let waiting = seen.and_then(|seen| open_requests(seen).into_iter().next());
            let error = match waiting {
                Some(request) => still_waiting(self.context, &batch, &request),
                None => still_running(self.context, &batch),
            };
            self.end(&batch, Err(error));
        }
    }

    /// The error of a store that could not be written for a while. A sync would be tried again without end.
    fn unwritable(&mut self) -> Option<Error> {
        let error = self.context.store_cannot_be_written();
        let since = error.is_some().then(|| self.unwritable_since.unwrap_or_else(Instant::now));
        self.unwritable_since = since;
        error.filter(|_| since.is_some_and(|since| since.elapsed() >= UNWRITABLE))
    }

    fn show(&mut self) {
        for retailer in self.seen.iter().flat_map(|session| &session.retailer_sync_sessions) {
            let mark = match retailer.sync_status.known() {
                Some(SyncStatus::UserIntervention) => Some(Mark::Attention),
                Some(SyncStatus::TimedOut | SyncStatus::Error) => Some(Mark::Bad),
                Some(SyncStatus::Completed) => Some(Mark::Good),
                _ => None,
            };
            let count = match retailer.items_found {
                Some(found) if found > 0 => items(found),
                _ => String::new(),
            };
            let name = label_among(&self.seen, retailer);
            self.progress.row(&key(retailer), ProgressRow { name, state: state(retailer), count, mark });
        }
    }
}
