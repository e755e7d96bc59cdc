//! The beginning of a sync: what is started, what runs already, and what is skipped.

use ordersync_api::{Connection, ConnectionStatus, ErrorCode, Id, SyncStarted, SyncStartedStatus};

use super::batch::Batch;
use super::round::{Round, concerns_all};
use crate::commands::shared::display_name;
use crate::commands::shared::run_sync;
use crate::commands::shared::skipped::{self, Skipped, Why};
use crate::errors::{Error, Hint, Result};
use crate::output::Mark;
use crate::output::human::reason;

/// A session that was started, or runs already.
struct Begun {
    started: SyncStarted,
    id: Id,
    /// Whether it was started now, and not before.
    is_new: bool,
}

impl Begun {
    /// What to say of it if it ran already, for this connection.
    fn runs_already(&self, who: Option<&str>) -> String {
        run_sync::runs_already(who, self.id.as_str())
    }
}

impl Round<'_> {
    /// Begins with what the service started of every connection. Fails if it started nothing, or nothing was to start
    /// and it does not say which connections there are.
    pub(super) async fn start_every(&mut self, sent: Result<SyncStarted>) -> Result<()> {
        if let Some(begun) = begun(sent)? {
            self.has_connections = true;
            let text = begun.runs_already(None);
            self.note(&begun, &text);
            self.add(begun, None, text);
        }
        match self.look().await {
            Ok(skipped) => self.skipped = Some(skipped),
            Err(error) if self.batches.is_empty() => return Err(error),
            // The sync has begun, and is followed; but it is unknown whether it is a sync of every connection.
            Err(error) => self.unknown = Some(error),
        }
        Ok(())
    }

    /// Starts those that are named. All are tried, unless the reason why one cannot be started holds for the others,
    /// too. Fails if nothing could be started for such a reason.
    pub(super) async fn start_named(&mut self, ids: &[Id]) -> Result<()> {
        self.has_connections = true;
        self.skipped = Some(Vec::new());
        for id in ids {
            let sent = self.client.sync_connection(id.as_str(), self.full).await;
            match begun(sent) {
                Ok(Some(begun)) => {
                    let name = if begun.is_new { String::new() } else { self.name(id).await };
                    let text = begun.runs_already(Some(&name));
                    self.note(&begun, &text);
                    self.add(begun, Some(id), text);
                }
                Ok(None) => self.skip(id, Why::NotSynced, None).await,
                Err(error) if error.is(ErrorCode::ConnectionInvalid) => {
                    self.skip(id, Why::Invalid, error.detail("statusReason")).await;
                }
                Err(error) if concerns_all(&error) && self.batches.is_empty() => return Err(error),
                Err(error) => {
                    let is_over = concerns_all(&error);
                    self.failures.push(error);
                    if is_over {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Finds what was skipped. If no connection is valid, the service starts none by itself: the pending ones are started one
    /// by one.
    async fn look(&mut self) -> Result<Vec<Skipped>> {
        let mut all = self.client.connections(None).await?;
        self.has_connections |= !all.is_empty();
        if self.batches.is_empty() {
            let (pending, others): (Vec<Connection>, Vec<Connection>) =
                all.into_iter().partition(|connection| connection.status.is(&ConnectionStatus::Pending));
            for connection in &pending {
                self.start_pending(connection).await?;
            }
            all = others;
        }
        for batch in self.batches.iter_mut().filter(|batch| batch.ran_before.is_some() && batch.connections.is_empty())
        {
            let own = all.iter().filter(|connection| connection.last_batch_id.as_ref() == Some(&batch.id));
            batch.connections = own.map(|connection| connection.connection_id.clone()).collect();
        }
        let batches: Vec<Id> = self.batches.iter().map(|batch| batch.id.clone()).collect();
        let mut skipped = skipped::find(self.context, self.client, &all, &batches).await?;
        if self.options.wait.no_wait {
            // Whether these were started is not known before the session was followed.
            skipped.retain(|one| one.why != Why::NotSynced);
        }
        Ok(skipped)
    }

    async fn start_pending(&mut self, connection: &Connection) -> Result<()> {
        let (id, name) = (&connection.connection_id, display_name::name(connection));
        let why = connection.status_reason.as_deref().map(|code| format!(": {}", reason(code))).unwrap_or_default();
        match begun(self.client.sync_connection(id.as_str(), self.full).await) {
            Ok(Some(begun)) => {
                let watch = self.context.command(["sessions", "watch", begun.id.as_str()]);
                let text = match begun.is_new {
                    true => Some(format!("{name} is pending{why}; syncing it")),
                    // What is left to itself has a line of its own later.
                    false if self.options.wait.no_wait => None,
                    false => Some(format!("{name} is pending: its sync has not ended; following it")),
                };
                if let Some(text) = text {
                    self.context.output.marked_note(Mark::Attention, Hint::run(text, watch));
                }
                let text = begun.runs_already(Some(&name));
                self.add(begun, Some(id), text);
            }
            Ok(None) => {}
            Err(error) if concerns_all(&error) => return Err(error),
            Err(error) => {
                let text = format!("{name} is pending{why}, and its sync cannot be started now.");
                self.context.output.marked_note(Mark::Attention, text);
                self.failures.push(error);
            }
        }
        Ok(())
    }

    /// Says of a sync that is followed that it was not started now.
    fn note(&self, begun: &Begun, runs_already: &str) {
        if !begun.is_new && !self.options.wait.no_wait {
            self.context.output.marked_note(Mark::Attention, runs_already);
        }
    }

    /// Adds a session for this connection; none: for every one. `runs_already` is what to say if it was not started now.
    fn add(&mut self, mut begun: Begun, connection: Option<&Id>, runs_already: String) {
        begun.started.connection_id = begun.started.connection_id.or_else(|| connection.cloned());
        let ran_before = (!begun.is_new).then_some(runs_already);
        match self.batches.iter_mut().find(|batch| batch.id == begun.id) {
            Some(batch) => batch.connections.extend(connection.cloned()),
            None => self.batches.push(Batch {
                id: begun.id,
                started: begun.started,
                ran_before,
                connections: connection.cloned().into_iter().collect(),
            }),
        }
    }

    /// Adds a connection that was named and is skipped; `code` is the reason that the service gave with its refusal.
    async fn skip(&mut self, id: &Id, why: Why, code: Option<&str>) {
        let connection = self.client.connection(id.as_str()).await.ok();
        let skipped = Skipped::named(self.context, id, connection.as_ref(), why, code);
        self.skipped.get_or_insert_default().push(skipped);
    }

    async fn name(&self, id: &Id) -> String {
        match self.client.connection(id.as_str()).await {
            Ok(connection) => display_name::name(&connection),
            Err(_) => format!("connection {id}"),
        }
    }
}

/// The session that was started, or runs already; none if there was nothing to start.
fn begun(sent: Result<SyncStarted>) -> Result<Option<Begun>, Error> {
    let (started, is_new) = match sent {
        Ok(started) => (started, true),
        Err(error) if error.is(ErrorCode::SyncInProgress) => (run_sync::running(error)?, false),
        Err(error) => return Err(error),
    };
    if started.status.is(&SyncStartedStatus::NoRetailers) {
        return Ok(None);
    }
    let id = run_sync::batch(&started)?;
    Ok(Some(Begun { started, id, is_new }))
}
