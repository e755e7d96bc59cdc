//! Link tokens: made by a client's back end, opened by the widget, which binds the client's own identifier of a user to
//! the user who signs in there.

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::Connection;

pub(crate) use crate::store::links::Bound;

use crate::http::{App, Problem, idempotency};
use crate::keys::{Place, token_digest};
use crate::oauth::tokens::Prefix;
use crate::store::StoreError;
use crate::store::links::{LINK_TOKEN, LinkRow, NewLinkToken};

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

/// A link token as it is given to the client's back end.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) token: String,
    pub(crate) expires_at: DateTime<Utc>,
    /// Whether it was given before, to the same request.
    pub(crate) replayed: bool,
}

/// Makes a link token. While that token is good, the same key and identifier give it again; afterwards they give a new one,
/// because a token that has expired is of no use to anybody.
pub(crate) async fn create(app: &App, row: &LinkRow, key: Option<&str>, now: DateTime<Utc>) -> Result<Made, Problem> {
    let expires_at = now + LIFE;
    let Some(key) = key else {
        let (token, digest) = fresh(app)?;
        let new = NewLinkToken { digest, link: row, expires_at, again: None };
        app.store.add_link_token(&new, now).await?;
        return Ok(Made { token, expires_at, replayed: false });
    };
    if let Some(earlier) = again(app, row, key, now).await? {
        return Ok(earlier);
    }
    let (token, digest) = fresh(app)?;
    let sealed = app.keys.seal(&Place { column: LINK_TOKEN, row: key }, token.as_bytes())?;
    let new = NewLinkToken { digest, link: row, expires_at, again: Some((key, &sealed)) };
    if app.store.add_link_token(&new, now).await? {
        return Ok(Made { token, expires_at, replayed: false });
    }
    // Made meanwhile, by the same request sent twice.
    again(app, row, key, now).await?.ok_or_else(|| Problem::internal("a link token's key is taken, but by no token"))
}

fn fresh(app: &App) -> Result<(String, [u8; 32]), Problem> {
    let token = Prefix::LINK.new_token(app)?;
    let digest = token_digest(&token);
    Ok((token, digest))
}

/// What was answered to this key before, if that is still good.
async fn again(app: &App, row: &LinkRow, key: &str, now: DateTime<Utc>) -> Result<Option<Made>, Problem> {
    let Some(earlier) = app.store.earlier_link_token(&row.client_id, key, now).await? else { return Ok(None) };
    if earlier.external_user_id != row.external_user_id {
        return Err(idempotency::conflict());
    }
    if earlier.expires_at <= now {
        return Ok(None);
    }
    let token = app.keys.open(&Place { column: LINK_TOKEN, row: key }, &earlier.sealed).map_err(StoreError::from)?;
    let token = std::str::from_utf8(&token).map_err(|_| StoreError::Corrupt("link token"))?;
    Ok(Some(Made { token: token.to_owned(), expires_at: earlier.expires_at, replayed: true }))
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
