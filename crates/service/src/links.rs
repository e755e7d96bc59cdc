//! Link tokens: created by a client's back end, opened by the widget, which binds the client's own identifier of a user
//! to the user who signs in there.

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::Connection;

pub(crate) use crate::store::accounts::links::Bound;

use crate::clock::Clock;
use crate::environment::Environment;
use crate::keys::{Keys, Place, token_digest};
use crate::known_clients::{framing_sources, may_return_to};
use crate::store::accounts::links::{LINK_TOKEN, LinkRow, NewLinkToken};
use crate::store::{Store, StoreError};
use crate::token::Prefix;

/// How long a link token is valid.
const LIFE: TimeDelta = TimeDelta::minutes(30);

/// The dependencies of creating and opening link tokens.
#[derive(Clone, Copy)]
pub(crate) struct Links<'a> {
    pub(crate) store: &'a Store,
    pub(crate) keys: &'a Keys,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) environment: Environment,
}

/// Why no link was created or opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinkError {
    /// The idempotency key was used for another user or address.
    #[error("the idempotency key was used with another request")]
    Conflict,
    /// Another request with the key came first, but stored no token.
    #[error("a link token's key is taken, but by no token")]
    Lost,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An opened link token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The client that created it.
    pub(crate) client_id: String,
    /// The client's name, as users see it.
    pub(crate) client_name: String,
    /// The client's own identifier of the user.
    pub(crate) external_user_id: String,
    /// Sources of a policy whose pages may frame the widget.
    pub(crate) frame_ancestors: Vec<String>,
    /// Where the user goes afterwards: an address that the client may use now.
    pub(crate) return_url: Option<String>,
}

/// What a link token leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Opening {
    Open(Link),
    /// It has expired, but is still known: its user can be led back.
    Ended(Link),
    /// It is unknown, or its client is disabled.
    Unknown,
}

impl Link {
    /// As it is stored.
    pub(crate) fn row(&self) -> LinkRow {
        LinkRow { client_id: self.client_id.clone(), external_user_id: self.external_user_id.clone() }
    }
}

/// A link token as it is given to the client's back end.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) token: String,
    pub(crate) expires_at: DateTime<Utc>,
    /// Whether the same request got it before.
    pub(crate) replayed: bool,
}

/// What a link token is requested for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) row: &'a LinkRow,
    /// Where the user goes afterwards. The caller has checked that the client may use it.
    pub(crate) return_url: Option<&'a str>,
}

/// Creates a link token. While that token is valid, the same key and request return it again; afterwards they get a
/// new one, because an expired token is useless.
pub(crate) async fn create(
    links: &Links<'_>,
    wanted: Wanted<'_>,
    key: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Made, LinkError> {
    let Wanted { row, return_url } = wanted;
    let expires_at = now + LIFE;
    let Some(key) = key else {
        let (token, digest) = fresh(links)?;
        let new = NewLinkToken { digest, link: row, return_url, expires_at, again: None };
        links.store.add_link_token(&new, now).await?;
        return Ok(Made { token, expires_at, replayed: false });
    };
    if let Some(earlier) = again(links, wanted, key, now).await? {
        return Ok(earlier);
    }
    let (token, digest) = fresh(links)?;
    let sealed =
        links.keys.seal(&Place { column: LINK_TOKEN, row: key }, token.as_bytes()).map_err(StoreError::from)?;
    let new = NewLinkToken { digest, link: row, return_url, expires_at, again: Some((key, &sealed)) };
    if links.store.add_link_token(&new, now).await? {
        return Ok(Made { token, expires_at, replayed: false });
    }
    // Created meanwhile, by a duplicate of the same request.
    again(links, wanted, key, now).await?.ok_or(LinkError::Lost)
}

fn fresh(links: &Links<'_>) -> Result<(String, [u8; 32]), StoreError> {
    let token = Prefix::LINK.new_token(links.environment)?;
    let digest = token_digest(&token);
    Ok((token, digest))
}

/// The earlier answer to this key, if its token is still valid.
async fn again(
    links: &Links<'_>,
    wanted: Wanted<'_>,
    key: &str,
    now: DateTime<Utc>,
) -> Result<Option<Made>, LinkError> {
    let Some(earlier) = links.store.earlier_link_token(&wanted.row.client_id, key, now).await? else { return Ok(None) };
    if (&*earlier.external_user_id, earlier.return_url.as_deref()) != (&*wanted.row.external_user_id, wanted.return_url)
    {
        return Err(LinkError::Conflict);
    }
    if earlier.expires_at <= now {
        return Ok(None);
    }
    let token = links.keys.open(&Place { column: LINK_TOKEN, row: key }, &earlier.sealed).map_err(StoreError::from)?;
    let token = std::str::from_utf8(&token).map_err(|_| StoreError::Corrupt("link token"))?;
    Ok(Some(Made { token: token.to_owned(), expires_at: earlier.expires_at, replayed: true }))
}

/// The link of a token.
pub(crate) async fn open(links: &Links<'_>, link_token: &str) -> Result<Opening, LinkError> {
    let Some(digest) = Prefix::LINK.digest(links.environment, link_token) else { return Ok(Opening::Unknown) };
    let Some(known) = links.store.known_link(&digest, links.clock.now()).await? else { return Ok(Opening::Unknown) };
    let Some(client) = links.store.client(&known.row.client_id).await? else { return Ok(Opening::Unknown) };
    let link = Link {
        external_user_id: known.row.external_user_id,
        frame_ancestors: framing_sources(&client),
        // The operator may have removed it since.
        return_url: known.return_url.filter(|address| may_return_to(&client, address)),
        client_id: client.id,
        client_name: client.name,
    };
    Ok(if known.has_expired { Opening::Ended(link) } else { Opening::Open(link) })
}

/// Binds the link's identifier to the user who signed in.
pub(crate) async fn bind(links: &Links<'_>, link: &Link, user_id: &str) -> Result<Bound, LinkError> {
    Ok(links.store.bind(&link.row(), user_id, links.clock.now()).await?)
}

/// The user's connections, and for each whether it is shared with the link's client.
pub(crate) async fn connections(
    links: &Links<'_>,
    link: &Link,
    user_id: &str,
) -> Result<Vec<(Connection, bool)>, LinkError> {
    Ok(links.store.connections_with_sharing(user_id, &link.client_id).await?)
}

/// Shares a connection with the link's client, or stops sharing it. False: the user has no such connection.
pub(crate) async fn set_shared(
    links: &Links<'_>,
    link: &Link,
    user_id: &str,
    connection_id: &str,
    shared: bool,
) -> Result<bool, LinkError> {
    Ok(links.store.set_shared(user_id, &link.client_id, connection_id, shared, links.clock.now()).await?)
}
