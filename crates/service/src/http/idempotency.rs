//! `Idempotency-Key`: the same key and request from the same client within 24 hours get the first answer again.
//!
//! The store keeps answers to changes in the transaction of the change. A refusal changes nothing and is not kept: repeated, the
//! request is judged by what is so then.

use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::Problem;
use super::problem::Answered;
use crate::app::App;
use crate::store::accounts::idempotency::{Answer, Earlier, IdempotencyKey};
use crate::store::accounts::users::Caller;

const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// Marks a response as a replay of an earlier one.
const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The longest key.
const KEY_LENGTH: usize = 255;

/// The header's value, if it is given.
pub(crate) fn header(headers: &HeaderMap) -> Answered<Option<&str>> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    // `to_str` accepts a tab as visible.
    let key = value.to_str().ok().filter(|key| (1..=KEY_LENGTH).contains(&key.len()) && !key.contains('\t'));
    key.map(Some).ok_or_else(|| {
        let message = format!("Idempotency-Key has to be 1 to {KEY_LENGTH} visible ASCII characters.");
        Problem::invalid("Idempotency-Key", message)
    })
}

/// The request's key, if it has one.
pub(crate) fn key_of(parts: &Parts, body: &[u8], caller: &Caller) -> Answered<Option<IdempotencyKey>> {
    let Some(key) = header(&parts.headers)? else { return Ok(None) };
    let mut request = Sha256::new();
    for part in [parts.method.as_str().as_bytes(), parts.uri.to_string().as_bytes(), body] {
        request.update((part.len() as u64).to_be_bytes());
        request.update(part);
    }
    Ok(Some(IdempotencyKey {
        client_id: caller.client_id.clone(),
        user_id: caller.user_id.clone(),
        key: key.to_owned(),
        request_digest: request.finalize().into(),
    }))
}

/// Lets the first request with a key pass. A repetition gets the first answer; a different request with the key is
/// refused.
pub(crate) async fn answered_before(app: &App, key: &IdempotencyKey, caller: &Caller) -> Result<(), Response> {
    match app.store.earlier_answer(key, caller.now).await {
        Err(error) => Err(Problem::from(error).into_response()),
        Ok(Earlier::None) => Ok(()),
        Ok(Earlier::Answered(answer)) => Err(replayed(json_response(&answer))),
        Ok(Earlier::Conflict) => Err(Problem::idempotency_conflict().into_response()),
    }
}

/// The answer to a request whose duplicate was answered while this one was being processed.
pub(crate) async fn answered_meanwhile(app: &App, key: Option<&IdempotencyKey>, caller: &Caller) -> Response {
    let missing = "an idempotent request was answered meanwhile, but the answer is missing";
    first_or(app, key, caller, Problem::internal(missing)).await
}

/// A refusal, unless the reason for it is that the request's duplicate was answered meanwhile.
pub(crate) async fn first_or(app: &App, key: Option<&IdempotencyKey>, caller: &Caller, refusal: Problem) -> Response {
    if let Some(key) = key
        && let Err(first) = answered_before(app, key, caller).await
    {
        return first;
    }
    refusal.into_response()
}

/// An answer as a response.
pub(crate) fn json_response(answer: &Answer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(CONTENT_TYPE, "application/json")], answer.body.clone()).into_response()
}

pub(crate) fn replayed(mut response: Response) -> Response {
    response.headers_mut().insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    response
}
