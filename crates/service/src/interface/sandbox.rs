//! The controls of a sandbox. Each affects one user's data only, so that tests that run in parallel do not collide.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::TimeDelta;
use ordersync_api::sandbox::{CLIENT, ClockResponse, SentPassword, TokenResponse};
use ordersync_api::scope::{join_scopes, parse_scopes};
use ordersync_api::{Connection, ErrorCode, Timestamp};

use super::connections::visible;
use crate::app::App;
use crate::http::Problem;
use crate::http::fields::{Fields, Params};
use crate::http::problem::Answered;
use crate::http::scoped::SignedIn;
use crate::keys::token_digest;
use crate::known_clients::sandbox_client;
use crate::signin::otp;
use crate::store::accounts::audit::Operator;
use crate::store::accounts::links::LinkRow;
use crate::store::accounts::oauth::access::TokenKind;
use crate::store::accounts::oauth::grants::{NewAccess, NewGrant};
use crate::store::sandbox::control::{Broken, ClockChange};
use crate::token::Prefix;

/// How long a token is valid.
const TOKEN_LIFE: TimeDelta = TimeDelta::hours(1);
/// How long a clock move waits for the work that falls due. A busy machine may need longer, so the response says whether it
/// is done: a caller that takes it for done would see syncs that are not.
const SETTLE: Duration = Duration::from_secs(10);
/// The furthest that the clock moves at once, in seconds: 366 days.
const FURTHEST: i64 = 366 * 24 * 3600;

/// POST /sandbox/token
pub(crate) async fn token(State(app): State<Arc<App>>, fields: Fields) -> Answered<Json<TokenResponse>> {
    fields.only(&["phone", "client_id", "scopes"])?;
    let phone = fields.text("phone")?;
    let last4 = otp::sandbox_phone(phone).ok_or_else(not_of_the_sandbox)?;
    let client_id = fields.optional_text("client_id")?.unwrap_or(CLIENT);
    let named = (1..=100).contains(&client_id.len())
        && client_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if !named {
        let message = "client_id has to be 1 to 100 letters, digits, dots, hyphens and underscores.";
        return Err(Problem::invalid("client_id", message));
    }
    let scopes = match fields.optional_text("scopes")? {
        None => None,
        Some(text) => Some(parse_scopes(text).map_err(|why| Problem::invalid("scopes", format!("scopes: {why}.")))?),
    };
    let now = app.clock.now();
    let user_id = app.store.sandbox_user(phone, &otp::phone_digest(&app.sign_in(), phone).await?, last4, now).await?;
    let client_created = app.store.ensure_client(&sandbox_client(client_id, now)).await?;
    let client = app.store.client(client_id).await?;
    let permitted = client.filter(|client| client.disabled_at.is_none()).map_or_else(Vec::new, |client| client.scopes);
    let scopes = scopes.unwrap_or_else(|| permitted.clone());
    if let Some(scope) = scopes.iter().find(|scope| !permitted.contains(scope)) {
        return Err(Problem::invalid("scopes", format!("This client is not permitted {scope}.")));
    }
    let access_token = Prefix::ACCESS.new_token(app.environment)?;
    let grant = NewGrant { user_id: Some(&user_id), client_id, scopes: &scopes };
    let digest = token_digest(&access_token);
    let access = NewAccess { digest, kind: TokenKind::Sandbox, scopes: &scopes, life: TOKEN_LIFE };
    app.store.add_grant(&grant, &access, now).await?;
    let expires_in = TOKEN_LIFE.num_seconds().unsigned_abs();
    Ok(Json(TokenResponse { access_token, expires_in, scope: join_scopes(&scopes), client_created }))
}

/// POST /sandbox/reset
pub(crate) async fn reset(
    State(app): State<Arc<App>>,
    SignedIn(caller): SignedIn,
    fields: Fields,
) -> Answered<StatusCode> {
    fields.only(&["all"])?;
    let all = fields.optional_flag("all")?.unwrap_or(false);
    app.store.reset((!all).then_some(caller.user_id.as_str())).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// POST /sandbox/unbind
pub(crate) async fn unbind(
    State(app): State<Arc<App>>,
    SignedIn(caller): SignedIn,
    fields: Fields,
) -> Answered<StatusCode> {
    fields.only(&["external_user_id", "client_id"])?;
    let external_user_id = fields.text("external_user_id")?.to_owned();
    let client_id = fields.optional_text("client_id")?.unwrap_or(&caller.client_id).to_owned();
    let link = LinkRow { client_id, external_user_id };
    let by = Operator { name: CLIENT, clock: &*app.clock };
    match app.store.unbind(&link, by).await? {
        Some(_) => Ok(StatusCode::NO_CONTENT),
        None => {
            let message = "This external_user_id of this client is bound to nobody.";
            Err(Problem::new(ErrorCode::NotFound, message))
        }
    }
}

/// POST /sandbox/break
pub(crate) async fn break_connection(
    State(app): State<Arc<App>>,
    SignedIn(caller): SignedIn,
    fields: Fields,
) -> Answered<Json<Connection>> {
    fields.only(&["connectionId"])?;
    let connection_id = fields.text("connectionId")?;
    visible(&app, &caller, connection_id).await?;
    match app.store.break_connection(&caller.user_id, connection_id, caller.now).await? {
        Broken::InProgress(batch_id) => Err(Problem::sync_in_progress(&batch_id)),
        Broken::Yes => visible(&app, &caller, connection_id).await.map(Json),
    }
}

/// POST /sandbox/clock
pub(crate) async fn clock(
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
    let settled = app.engine.settle(&caller.user_id, SETTLE).await?;
    Ok(Json(ClockResponse { now: Timestamp(now), frozen, settled }))
}

/// GET /sandbox/otp
pub(crate) async fn one_time_passwords(
    State(app): State<Arc<App>>,
    SignedIn(caller): SignedIn,
    params: Params,
) -> Answered<Json<Vec<SentPassword>>> {
    let phone = params.text("phone")?.ok_or_else(|| Problem::invalid("phone", "phone is missing."))?;
    if otp::sandbox_phone(phone).is_none() {
        return Err(not_of_the_sandbox());
    }
    let sent = app.store.sent_passwords(&caller.user_id, &app.keys.phone_digest(phone)).await?.ok_or_else(|| {
        let message = "This is not the phone of the token's user. POST /sandbox/token gives a token for any phone.";
        Problem::new(ErrorCode::NotFound, message)
    })?;
    let sent = sent.into_iter().map(|sent| SentPassword {
        otp: sent.password,
        sent_at: Timestamp(sent.sent_at),
        expires_at: Timestamp(sent.expires_at),
    });
    Ok(Json(sent.collect()))
}

fn not_of_the_sandbox() -> Problem {
    Problem::invalid("phone", "phone has to be one of the sandbox's numbers, +15550100 to +15550199.")
}
