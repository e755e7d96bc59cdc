//! The controls of a sandbox. Each touches one user's data only, so that tests that run side by side do not collide.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::TimeDelta;
use ordersync_api::sandbox::{ClockResponse, TokenResponse};
use ordersync_api::scope::{join_scopes, parse_scopes};
use ordersync_api::{Connection, Scope, Timestamp};

use super::connections::visible;
use super::extract::SignedIn;
use super::fields::Fields;
use super::problem::Answered;
use super::{App, Problem};
use crate::ids::new_token;
use crate::keys::token_digest;
use crate::store::sandbox::{Broken, ClockChange};
use crate::store::users::NewToken;

/// The sandbox's own client.
const CLIENT: &str = "sandbox";
/// Tokens of a sandbox say so, and are refused elsewhere.
const TOKEN_PREFIX: &str = "ordersync_sandbox_at";
/// How long a token is good for.
const TOKEN_LIFE: TimeDelta = TimeDelta::hours(1);
/// How long moving the clock waits for the work that falls due.
const SETTLE: Duration = Duration::from_secs(20);
/// The furthest that the clock moves at once: a year.
const FURTHEST: i64 = 366 * 24 * 3600;

/// POST /sandbox/token
pub(super) async fn token(State(app): State<Arc<App>>, fields: Fields) -> Answered<Json<TokenResponse>> {
    fields.only(&["phone", "client_id", "scopes"])?;
    let phone = fields.text("phone")?;
    let last4 = sandbox_phone(phone).ok_or_else(|| {
        Problem::invalid("phone", "phone has to be one of the sandbox's numbers, +15550100 to +15550199.")
    })?;
    let client_id = fields.optional_text("client_id")?.unwrap_or(CLIENT);
    let named = (1..=100).contains(&client_id.len())
        && client_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if !named {
        let message = "client_id has to be 1 to 100 letters, digits, dots, hyphens and underscores.";
        return Err(Problem::invalid("client_id", message));
    }
    let scopes = match fields.optional_text("scopes")? {
        None => Scope::ALL.to_vec(),
        Some(text) => parse_scopes(text).map_err(|why| Problem::invalid("scopes", format!("scopes: {why}.")))?,
    };
    let now = app.clock.now();
    let user_id = app.store.user_by_phone(&app.keys.phone_digest(phone), last4, now).await?;
    app.store.ensure_client(client_id, client_id, now).await?;
    let access_token = new_token(TOKEN_PREFIX)?;
    let new = NewToken {
        digest: token_digest(&access_token),
        user_id: &user_id,
        client_id,
        scopes: &scopes,
        expires_at: now + TOKEN_LIFE,
    };
    app.store.add_token(&new, now).await?;
    let expires_in = TOKEN_LIFE.num_seconds().unsigned_abs();
    Ok(Json(TokenResponse { access_token, expires_in, scope: join_scopes(&scopes) }))
}

/// The last four digits of one of the sandbox's numbers.
fn sandbox_phone(phone: &str) -> Option<&str> {
    let last2 = phone.strip_prefix("+155501")?;
    (last2.len() == 2 && last2.bytes().all(|byte| byte.is_ascii_digit())).then(|| &phone[phone.len() - 4..])
}

/// POST /sandbox/reset
pub(super) async fn reset(
    State(app): State<Arc<App>>,
    SignedIn(caller): SignedIn,
    fields: Fields,
) -> Answered<StatusCode> {
    fields.only(&["all"])?;
    let all = fields.optional_flag("all")?.unwrap_or(false);
    app.store.reset((!all).then_some(caller.user_id.as_str())).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// POST /sandbox/break
pub(super) async fn break_connection(
    State(app): State<Arc<App>>,
    SignedIn(caller): SignedIn,
    fields: Fields,
) -> Answered<Json<Connection>> {
    fields.only(&["connectionId"])?;
    let connection_id = fields.text("connectionId")?;
    visible(&app, &caller, connection_id).await?;
    match app.store.break_connection(connection_id).await? {
        Broken::InProgress(batch_id) => Err(Problem::sync_in_progress(&batch_id)),
        Broken::Yes => visible(&app, &caller, connection_id).await.map(Json),
    }
}

/// POST /sandbox/clock
pub(super) async fn clock(
    State(app): State<Arc<App>>,
    SignedIn(caller): SignedIn,
    fields: Fields,
) -> Answered<Json<ClockResponse>> {
    fields.only(&["advanceSeconds", "freeze"])?;
    let change = match (fields.optional_integer("advanceSeconds")?, fields.optional_flag("freeze")?) {
        (Some(seconds), None) if (0..=FURTHEST).contains(&seconds) => {
            ClockChange::Advance(Duration::from_secs(seconds.unsigned_abs()))
        }
        (Some(_), None) => {
            let message = format!("advanceSeconds has to be from 0 to {FURTHEST}.");
            return Err(Problem::invalid("advanceSeconds", message));
        }
        (None, Some(true)) => ClockChange::Freeze,
        (None, Some(false)) => ClockChange::Unfreeze,
        _ => return Err(Problem::invalid("advanceSeconds", "Give either advanceSeconds or freeze.")),
    };
    let (now, frozen) = app.store.change_clock(&caller.user_id, change, app.clock.now()).await?;
    app.engine.settle(&caller.user_id, SETTLE).await?;
    Ok(Json(ClockResponse { now: Timestamp(now), frozen }))
}
