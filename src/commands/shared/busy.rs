//! A connection whose sync has not ended: found before anything is asked or sent, with the command that helps.

use ordersync_api::{Connection, Id, Session};
use serde_json::json;

use super::display_name;
use super::skipped;
use crate::client::Client;
use crate::context::Context;
use crate::errors::{Error, Exit, Hint, Result, codes};

/// A sync that has not ended.
pub(crate) struct UnderWay {
    batch: Id,
    /// Whether it waits for a code.
    waits: bool,
}

impl UnderWay {
    /// What to do about it.
    pub(crate) fn hint(&self, context: &Context) -> Hint {
        let batch = self.batch.as_str();
        if self.waits {
            Hint::run("Answer its question", context.command(["mfa", "--batch", batch]))
        } else {
            Hint::run("Follow the one that runs", context.command(["sessions", "watch", batch]))
        }
    }
}

/// The sync of this connection that has not ended; none if there is none, or the service does not say.
pub(crate) async fn find(client: &Client, connection: &Connection) -> Result<Option<UnderWay>> {
    let Some(batch) = &connection.last_batch_id else { return Ok(None) };
    match client.session(batch.as_str()).await {
        Ok(session) => Ok(among(&session, connection)),
        // Another client made it, and this one may not see it: the service refuses later.
        Err(error) if error.exit() == Exit::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn among(session: &Session, connection: &Connection) -> Option<UnderWay> {
    let part = skipped::part(session, connection)?;
    let runs = part.sync_status.known().is_some_and(|status| !status.is_final());
    runs.then(|| UnderWay { batch: session.batch_id.clone(), waits: session.open_mfa(part).is_some() })
}

/// Refuses new credentials during a sync, before anybody types them or they are sent: the service would not take them.
pub(crate) async fn refuse_credentials(context: &Context, client: &Client, connection: &Connection) -> Result<()> {
    let fix = context.command(["fix", connection.connection_id.as_str()]);
    let later = Hint::run("When it has ended, give the credentials", fix);
    refuse(context, client, connection, "no other credentials are taken", later).await
}

/// Fails if the connection is syncing, before anybody agrees to its removal.
pub(crate) async fn refuse_removal(context: &Context, client: &Client, connection: &Connection) -> Result<()> {
    let again = context.command(["connections", "remove", connection.connection_id.as_str()]);
    let later = Hint::run("When it has ended, remove the connection", again);
    refuse(context, client, connection, "the connection cannot be removed", later).await
}

/// Refuses because of a sync; `until` is what holds until it has ended, `later` what to do then.
async fn refuse(context: &Context, client: &Client, connection: &Connection, until: &str, later: Hint) -> Result<()> {
    let Some(under_way) = find(client, connection).await? else { return Ok(()) };
    let name = display_name::name(connection);
    let state = if under_way.waits { "waits for a code" } else { "is running" };
    let message = format!("A sync of {name} {state}; until it has ended, {until}.");
    Err(Error::of(&codes::service::SYNC_IN_PROGRESS, message)
        .hint(under_way.hint(context))
        .also(later)
        .details(json!({ "batchId": under_way.batch })))
}
