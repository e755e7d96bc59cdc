//! Tokens: what they begin with, how long they live, and the answer that carries them.

use chrono::TimeDelta;
use ordersync_api::Scope;
use ordersync_api::scope::join_scopes;
use serde::Serialize;
use zeroize::Zeroizing;

use crate::http::{App, Problem};
use crate::ids::{NoRandomness, is_token, new_token};
use crate::keys::token_digest;
use crate::links::Link;
use crate::store::oauth::access::TokenKind;
use crate::store::oauth::grants::{NewAccess, NewGrant, NewPair, NewRefresh};

/// How long an access token is good.
pub(super) const ACCESS_LIFE: TimeDelta = TimeDelta::hours(1);
/// How long a refresh token waits to be used; each use gives one that waits as long again.
const REFRESH_LIFE: TimeDelta = TimeDelta::days(90);
/// How long the widget's own token is good.
const WIDGET_LIFE: TimeDelta = TimeDelta::minutes(15);
/// What the widget does.
const WIDGET_SCOPES: [Scope; 3] = [Scope::AccountsRead, Scope::AccountsConnect, Scope::AccountsSync];

/// What a kind of token begins with: those of a sandbox say so, and are refused elsewhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefix {
    live: &'static str,
    sandbox: &'static str,
}

impl Prefix {
    /// Access tokens.
    pub(crate) const ACCESS: Self = Self { live: "ordersync_at", sandbox: "ordersync_sandbox_at" };
    /// Refresh tokens.
    pub(crate) const REFRESH: Self = Self { live: "ordersync_rt", sandbox: "ordersync_sandbox_rt" };
    /// Authorization codes.
    pub(crate) const CODE: Self = Self { live: "ordersync_ac", sandbox: "ordersync_sandbox_ac" };
    /// Device codes.
    pub(crate) const DEVICE: Self = Self { live: "ordersync_dc", sandbox: "ordersync_sandbox_dc" };
    /// Link tokens.
    pub(crate) const LINK: Self = Self { live: "ordersync_lt", sandbox: "ordersync_sandbox_lt" };
    /// Cookies of browsers that are signed in.
    pub(crate) const BROWSER: Self = Self { live: "ordersync_bs", sandbox: "ordersync_sandbox_bs" };

    /// As it is in this service.
    pub(crate) const fn of(self, app: &App) -> &'static str {
        if app.sandbox { self.sandbox } else { self.live }
    }

    /// A new token.
    pub(crate) fn new_token(self, app: &App) -> Result<String, NoRandomness> {
        new_token(self.of(app))
    }

    /// The digest by which a token is looked up; none where it has not the form of one, and needs no look-up.
    pub(crate) fn digest(self, app: &App, token: &str) -> Option<[u8; 32]> {
        is_token(self.of(app), token).then(|| token_digest(token))
    }
}

/// A new access token with its refresh token.
pub(super) struct Pair {
    pub(super) access: String,
    pub(super) refresh: Zeroizing<String>,
}

impl Pair {
    pub(super) fn new(app: &App) -> Result<Self, NoRandomness> {
        Ok(Self { access: Prefix::ACCESS.new_token(app)?, refresh: Zeroizing::new(Prefix::REFRESH.new_token(app)?) })
    }

    /// As it is stored.
    pub(super) fn stored(&self) -> NewPair {
        NewPair {
            access_digest: token_digest(&self.access),
            access_life: ACCESS_LIFE,
            refresh: NewRefresh { digest: token_digest(&self.refresh), life: REFRESH_LIFE },
        }
    }

    /// The answer that gives it out.
    pub(super) fn answer(self, scopes: &[Scope]) -> TokenAnswer {
        TokenAnswer::new(self.access, Some(self.refresh), scopes)
    }
}

/// A successful answer of the token endpoint (RFC 6749 §5.1).
#[derive(Serialize)]
pub(super) struct TokenAnswer {
    access_token: String,
    token_type: &'static str,
    expires_in: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    scope: String,
}

impl TokenAnswer {
    pub(super) fn new(access: String, refresh: Option<Zeroizing<String>>, scopes: &[Scope]) -> Self {
        Self {
            access_token: access,
            token_type: "Bearer",
            expires_in: ACCESS_LIFE.num_seconds(),
            refresh_token: refresh.map(|refresh| refresh.as_str().to_owned()),
            scope: join_scopes(scopes),
        }
    }

    /// The same answer, given again after so long.
    pub(super) fn aged(mut self, age: TimeDelta) -> Self {
        self.expires_in = (self.expires_in - age.num_seconds()).max(0);
        self
    }
}

/// A token for the widget's own script: it acts for the user, in the name of the link's client, for a quarter of an hour.
pub(crate) async fn widget_token(app: &App, link: &Link, user_id: &str) -> Result<String, Problem> {
    let token = Prefix::ACCESS.new_token(app)?;
    let grant = NewGrant { user_id: Some(user_id), client_id: &link.client_id, scopes: &WIDGET_SCOPES };
    let access =
        NewAccess { digest: token_digest(&token), kind: TokenKind::Widget, scopes: &WIDGET_SCOPES, life: WIDGET_LIFE };
    let now = app.store.now_for(user_id, app.clock.now()).await?;
    app.store.add_grant(&grant, &access, now).await?;
    Ok(token)
}
