//! Exchanges a refresh token for an access token and the next refresh token (RFC 6749 §6, RFC 9700 §4.14.2).

use ordersync_api::scope::join_scopes;
use zeroize::Zeroizing;

use super::answer::TokenAnswer;
use crate::app::App;
use crate::authorization::error::{Answered, Kind, OAuthError};
use crate::authorization::form::Form;
use crate::authorization::scopes::named_scopes;
use crate::keys::Place;
use crate::store::StoreError;
use crate::store::accounts::clients::Client;
use crate::store::accounts::oauth::refresh::{RefreshAttempt, Refreshed};
use crate::store::operator::reseal::SUCCESSOR;
use crate::token::{Pair, Prefix};

pub(super) async fn refresh(app: &App, client: &Client, form: &Form) -> Answered<TokenAnswer> {
    let token = form.required("refresh_token", "The parameter refresh_token is missing.")?;
    let scopes = form.text("scope")?.map(named_scopes).transpose()?;
    let digest = Prefix::REFRESH.digest(app.environment, token).ok_or_else(refused)?;
    let row = id_of(&digest);
    let place = Place { column: SUCCESSOR, row: &row };
    let pair = Pair::new(app.environment)?;
    let wish = scopes.as_deref().map(join_scopes).unwrap_or_default();
    let sealed = app.keys.seal(&place, first_answer(&pair, &wish).as_bytes())?;
    let attempt = RefreshAttempt { digest, client_id: &client.id, scopes: scopes.as_deref(), sealed_answer: &sealed };
    match app.store.refresh(&attempt, &pair.stored(), app.clock.now()).await? {
        Refreshed::New(scopes) => Ok(TokenAnswer::of(pair, &scopes)),
        Refreshed::Again { scopes, sealed_answer, age } => {
            let opened = app.keys.open(&place, &sealed_answer)?;
            let first = std::str::from_utf8(&opened).map_err(|_| StoreError::Corrupt("refresh token"))?;
            // A version that kept only the refresh token rotated it: there is no answer to repeat.
            let first = FirstAnswer::read(first).ok_or_else(refused)?;
            if first.wish != wish {
                return Err(OAuthError::new(Kind::InvalidScope, OTHER_SCOPES));
            }
            Ok(TokenAnswer::of(first.pair, &scopes).aged(age))
        }
        Refreshed::BeyondGrant => {
            Err(OAuthError::new(Kind::InvalidScope, "More is asked for than the user has granted."))
        }
        Refreshed::Refused => Err(refused()),
    }
}

const OTHER_SCOPES: &str =
    "The refresh token was used a moment ago, for other scopes. Use the refresh token of that answer.";

/// The answer to the first use, as stored for the grace period: the tokens, and the requested scopes.
struct FirstAnswer<'a> {
    pair: Pair,
    wish: &'a str,
}

impl<'a> FirstAnswer<'a> {
    /// Parses the output of [`first_answer`].
    fn read(kept: &'a str) -> Option<Self> {
        let mut lines = kept.split('\n');
        let (refresh, access, wish) = (lines.next()?, lines.next()?, lines.next()?);
        Some(Self { pair: Pair { access: access.to_owned(), refresh: Zeroizing::new(refresh.to_owned()) }, wish })
    }
}

fn first_answer(pair: &Pair, wish: &str) -> Zeroizing<String> {
    Zeroizing::new(format!("{}\n{}\n{wish}", pair.refresh.as_str(), pair.access))
}

const fn refused() -> OAuthError {
    OAuthError::new(Kind::InvalidGrant, "The refresh token is unknown, expired, used or revoked. Sign in again.")
}

/// The name of a row in the place that a value is sealed for.
fn id_of(digest: &[u8; 32]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest)
}
