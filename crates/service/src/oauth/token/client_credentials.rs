//! A client's own token (RFC 6749 §4.4): it has no user, and changes nothing of one.

use ordersync_api::Scope;

use super::answer::TokenAnswer;
use crate::app::App;
use crate::authorization::error::{Answered, Kind, OAuthError};
use crate::authorization::form::Form;
use crate::authorization::scopes::requested;
use crate::keys::token_digest;
use crate::store::accounts::clients::Client;
use crate::store::accounts::oauth::access::TokenKind;
use crate::store::accounts::oauth::grants::{NewAccess, NewGrant};
use crate::token::{ACCESS_LIFE, Prefix};

/// The scopes that make sense without a user who signed in: to name users, and to read what they share with the client.
const WITHOUT_USER: [Scope; 3] = [Scope::AccountsRead, Scope::OrdersRead, Scope::UsersShare];

pub(super) async fn issue(app: &App, client: &Client, form: &Form) -> Answered<TokenAnswer> {
    if client.secret_digest.is_none() {
        return Err(OAuthError::new(Kind::UnauthorizedClient, "A public client has no token of its own."));
    }
    let mut permitted = client.scopes.clone();
    permitted.retain(|scope| WITHOUT_USER.contains(scope));
    let scopes = requested(form.text("scope")?, &permitted)?;
    let token = Prefix::ACCESS.new_token(app.environment)?;
    let grant = NewGrant { user_id: None, client_id: &client.id, scopes: &scopes };
    let digest = token_digest(&token);
    let access = NewAccess { digest, kind: TokenKind::Client, scopes: &scopes, life: ACCESS_LIFE };
    app.store.add_grant(&grant, &access, app.clock.now()).await?;
    Ok(TokenAnswer::new(token, None, &scopes))
}
