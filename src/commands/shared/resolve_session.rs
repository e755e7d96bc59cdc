//! What a person means by a session: its id, the beginning of one, or the name of a retailer, whose last session is meant.

use ordersync_api::{Id, Session};

use super::active_sessions::batches;
use super::display_name::name;
use super::resolve::{connection_among, fitting, is_long_id, matches_several};
use crate::client::Client;
use crate::context::Context;
use crate::errors::{Error, Exit, Hint, Result};
use crate::names::{self, Match};

/// The id of a session that the service does not know by this id: it may be the beginning of one, or the name of a retailer,
/// which means the last session of its connection. None: it is neither.
pub(crate) async fn short_id(context: &Context, wanted: &str) -> Result<Option<Id>> {
    if is_long_id(wanted) {
        return Ok(None);
    }
    let client = context.client().await?;
    let connections = client.connections(None).await?;
    if let Some(connection) = connection_among(&connections, wanted)? {
        return connection.last_batch_id.clone().map(Some).ok_or_else(|| {
            let sync = context.command(["sync", "--connection", connection.connection_id.as_str()]);
            Error::not_found(format!("{} has no session yet.", name(connection))).hint(Hint::run("Sync it", sync))
        });
    }
    let mut ids = batches(&connections);
    match client.latest_session().await {
        Ok(latest) if !ids.contains(&latest.batch_id) => ids.push(latest.batch_id),
        Err(error) if error.exit() != Exit::NotFound => return Err(error),
        _ => {}
    }
    match names::find(wanted, &ids, |_| "", ToString::to_string) {
        Match::None => not_connected(context, client, wanted).await.map_or(Ok(None), Err),
        Match::One(id) => Ok(Some(id.clone())),
        Match::Many(several) => {
            let several: Vec<String> = several.iter().map(ToString::to_string).collect();
            Err(matches_several(wanted, "sessions", &several))
        }
    }
}

/// That a retailer of the catalog is named, which is not connected; none if no retailer or several are.
async fn not_connected(context: &Context, client: &Client, wanted: &str) -> Option<Error> {
    let catalog = client.retailers().await.ok()?;
    let found = fitting(&catalog, wanted).ok()?;
    let [retailer] = found.as_slice() else { return None };
    let connect = context.command(["connect", &retailer.display_name]);
    let message = format!("{} is not connected, so it has no session.", retailer.display_name);
    Some(Error::not_found(message).hint(Hint::run("Connect it", connect)))
}

/// A session, by its id, the beginning of one, or the name of a retailer that it synced last.
pub(crate) async fn session(context: &Context, wanted: &str) -> Result<Session> {
    let client = context.client().await?;
    match client.session(wanted).await {
        Err(error) if error.exit() == Exit::NotFound => match short_id(context, wanted).await? {
            Some(id) => client.session(id.as_str()).await,
            None => Err(error),
        },
        answer => answer,
    }
}
