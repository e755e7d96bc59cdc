//! A client's back end that names a user by a link token: `/v1/users/share`, and the reads that a client's own token opens.
//!
//! Whatever a back end reads this way, it reads as the [`Caller`] of that user and that client. So the store decides what it
//! sees by the same rule as for a user's token: what the user shares with this client now, and nothing else.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderName;
use axum::http::request::Parts;
use ordersync_api::ErrorCode;

use super::Problem;
use super::host::only;
use super::identity::Identity;
use super::problem::Answered;
use super::scoped::{Authorized, Backend, Requires, X_CLIENT_SECRET};
use crate::app::App;
use crate::store::accounts::links::LinkRow;
use crate::store::accounts::users::Caller;
use crate::token::Prefix;

const X_LINK_TOKEN: HeaderName = HeaderName::from_static("x-link-token");

/// A back end with a link token of its own, whose identifier is bound to a user.
pub(crate) struct Linked {
    pub(crate) link: LinkRow,
    pub(crate) user_id: String,
}

impl FromRequestParts<Arc<App>> for Linked {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Answered<Self> {
        let Backend { client } = Backend::from_request_parts(parts, app).await?;
        let Some(token) = only(&parts.headers, &X_LINK_TOKEN).transpose() else {
            let message = "This needs the header X-Link-Token. Create a link token via POST /v1/link/token.";
            return Err(Problem::new(ErrorCode::MissingLinkToken, message));
        };
        let invalid = || {
            let message = "The link token is unknown or has expired. Create a new one via POST /v1/link/token.";
            Problem::new(ErrorCode::LinkTokenInvalid, message)
        };
        // Two of them name two users.
        let digest = token.ok().and_then(|token| Prefix::LINK.digest(app.environment, token)).ok_or_else(invalid)?;
        let link = app.store.link(&digest, app.clock.now()).await?;
        // Another client's token is treated as invalid.
        let link = link.filter(|link| link.client_id == client.id).ok_or_else(invalid)?;
        let Some(user_id) = app.store.bound_user(&link).await? else {
            let message = "No user is bound to this external_user_id yet. The user opens the widget and completes the \
                           one-time-password step; binding then happens by itself.";
            return Err(Problem::new(ErrorCode::UserNotFound, message));
        };
        Ok(Self { link, user_id })
    }
}

/// A caller who may read: with a user's token that has the scope; or with a client's own token that has the scope and
/// `users:share`, and with the headers of [`Linked`]. For operations that change nothing, and only for those.
///
/// With a user's token, the headers mean nothing: the token alone says whose data it is.
pub(crate) struct Reader<S> {
    pub(crate) caller: Caller,
    scope: PhantomData<S>,
}

impl<S: Requires> FromRequestParts<Arc<App>> for Reader<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Answered<Self> {
        let Some(Identity::Client(client)) = parts.extensions.get::<Identity>() else {
            let Authorized { caller, .. } = Authorized::<S>::from_request_parts(parts, app).await?;
            return Ok(Self { caller, scope: PhantomData });
        };
        if !client.scopes.contains(&S::SCOPE) {
            return Err(Problem::insufficient_scope(S::SCOPE));
        }
        let scopes = client.scopes.clone();
        if !parts.headers.contains_key(X_CLIENT_SECRET) {
            let message = "This token stands for a client alone. To read what a user shares with the client, send the \
                           client's secret as X-Client-Secret and a link token of that user as X-Link-Token.";
            return Err(Problem::new(ErrorCode::ClientSecretRequired, message));
        }
        let Linked { link, user_id } = Linked::from_request_parts(parts, app).await?;
        let now = app.store.now_for(&user_id, app.clock.now()).await?;
        let caller = Caller { user_id, client_id: link.client_id, scopes, now, widget: false };
        Ok(Self { caller, scope: PhantomData })
    }
}
