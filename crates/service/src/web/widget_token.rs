//! The token of the widget's own script.

use chrono::TimeDelta;
use ordersync_api::Scope;

use crate::app::App;
use crate::http::Problem;
use crate::keys::token_digest;
use crate::links::Link;
use crate::store::accounts::oauth::access::TokenKind;
use crate::store::accounts::oauth::grants::{NewAccess, NewGrant};
use crate::token::Prefix;

/// How long the widget's own token is valid.
const LIFE: TimeDelta = TimeDelta::minutes(15);
/// The scopes that the widget needs.
const SCOPES: [Scope; 3] = [Scope::AccountsRead, Scope::AccountsConnect, Scope::AccountsSync];

/// A token for the widget's own script: it acts for the user, on behalf of the link's client, for 15 minutes.
pub(crate) async fn new(app: &App, link: &Link, user_id: &str) -> Result<String, Problem> {
    let token = Prefix::ACCESS.new_token(app.environment)?;
    let grant = NewGrant { user_id: Some(user_id), client_id: &link.client_id, scopes: &SCOPES };
    let access = NewAccess { digest: token_digest(&token), kind: TokenKind::Widget, scopes: &SCOPES, life: LIFE };
    let now = app.store.now_for(user_id, app.clock.now()).await?;
    app.store.add_grant(&grant, &access, now).await?;
    Ok(token)
}
