//! A refresh token for an access token and the next refresh token (RFC 6749 §6, RFC 9700 §4.14.2).

use zeroize::Zeroizing;

use crate::http::App;
use crate::keys::Place;
use crate::oauth::client_auth::Form;
use crate::oauth::error::{Answered, Kind, OAuthError};
use crate::oauth::scopes::named_scopes;
use crate::oauth::tokens::{Pair, Prefix, TokenAnswer};
use crate::store::StoreError;
use crate::store::clients::Client;
use crate::store::oauth::refresh::{RefreshAttempt, Refreshed};

pub(super) async fn refresh(app: &App, client: &Client, form: &Form) -> Answered<TokenAnswer> {
    let token = form.required("refresh_token", "The parameter refresh_token is missing.")?;
    let scopes = form.text("scope")?.map(named_scopes).transpose()?;
    let digest = Prefix::REFRESH.digest(app, token).ok_or_else(refused)?;
    let row = id_of(&digest);
    let place = Place { column: "refresh_tokens.successor", row: &row };
    let pair = Pair::new(app)?;
    let sealed = app.keys.seal(&place, pair.refresh.as_bytes())?;
    let attempt =
        RefreshAttempt { digest, client_id: &client.id, scopes: scopes.as_deref(), sealed_successor: &sealed };
    match app.store.refresh(&attempt, &pair.stored(), app.clock.now()).await? {
        Refreshed::New(scopes) => Ok(pair.answer(&scopes)),
        Refreshed::Again(scopes, successor) => {
            let opened = app.keys.open(&place, &successor)?;
            let successor = std::str::from_utf8(&opened).map_err(|_| StoreError::Corrupt("refresh token"))?;
            Ok(TokenAnswer::new(pair.access, Some(Zeroizing::new(successor.to_owned())), &scopes))
        }
        Refreshed::BeyondGrant => {
            Err(OAuthError::new(Kind::InvalidScope, "More is asked for than the user has granted."))
        }
        Refreshed::Refused => Err(refused()),
    }
}

const fn refused() -> OAuthError {
    OAuthError::new(Kind::InvalidGrant, "The refresh token is unknown, expired, used or revoked. Sign in again.")
}

/// What a row is named by in the sealing.
fn id_of(digest: &[u8; 32]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest)
}
