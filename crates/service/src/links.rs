//! Link tokens: made by a client's back end, opened by the widget, which binds the client's own identifier of a user to
//! the user who signs in there.

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::Connection;

pub(crate) use crate::store::links::Bound;

use crate::http::{App, Problem};
use crate::keys::token_digest;
use crate::oauth::tokens::Prefix;
use crate::store::links::LinkRow;

/// How long a link token is good for.
const LIFE: TimeDelta = TimeDelta::minutes(30);

/// An opened link token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The client that made it.
    pub(crate) client_id: String,
    /// What users are shown of the client.
    pub(crate) client_name: String,
    /// The client's own identifier of the user.
    pub(crate) external_user_id: String,
    /// Origins whose pages may hold the widget in a frame.
    pub(crate) frame_ancestors: Vec<String>,
}

impl Link {
    fn row(&self) -> LinkRow {
        LinkRow { client_id: self.client_id.clone(), external_user_id: self.external_user_id.clone() }
    }
}

/// Makes a link token. Returns it with the time until which it is good.
pub(crate) async fn create(
    app: &App,
    client_id: &str,
    external_user_id: &str,
    now: DateTime<Utc>,
) -> Result<(String, DateTime<Utc>), Problem> {
    let token = Prefix::LINK.new_token(app)?;
    let row = LinkRow { client_id: client_id.to_owned(), external_user_id: external_user_id.to_owned() };
    app.store.add_link_token(&token_digest(&token), &row, now, now + LIFE).await?;
    Ok((token, now + LIFE))
}

/// What a link token stands for; none where it is unknown or expired.
pub(crate) async fn open(app: &App, link_token: &str) -> Result<Option<Link>, Problem> {
    let Some(digest) = Prefix::LINK.digest(app, link_token) else { return Ok(None) };
    let Some(row) = app.store.link(&digest, app.clock.now()).await? else { return Ok(None) };
    let Some(client) = app.store.client(&row.client_id).await? else { return Ok(None) };
    Ok(Some(Link {
        client_id: client.id,
        client_name: client.name,
        external_user_id: row.external_user_id,
        frame_ancestors: client.frame_ancestors,
    }))
}

/// Binds the link's identifier to the user who signed in.
pub(crate) async fn bind(app: &App, link: &Link, user_id: &str) -> Result<Bound, Problem> {
    Ok(app.store.bind(&link.row(), user_id, app.clock.now()).await?)
}

/// The user's connections, each with whether it is shared with the link's client.
pub(crate) async fn connections(app: &App, link: &Link, user_id: &str) -> Result<Vec<(Connection, bool)>, Problem> {
    Ok(app.store.connections_with_sharing(user_id, &link.client_id).await?)
}

/// Shares a connection with the link's client, or takes it back. False: the user has no such connection.
pub(crate) async fn set_shared(
    app: &App,
    link: &Link,
    user_id: &str,
    connection_id: &str,
    shared: bool,
) -> Result<bool, Problem> {
    Ok(app.store.set_shared(user_id, &link.client_id, connection_id, shared, app.clock.now()).await?)
}
