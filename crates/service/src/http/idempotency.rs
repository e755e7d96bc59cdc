//! `Idempotency-Key`: the same key and request from the same client within 24 hours get the first answer again.
//!
//! The store keeps answers to changes in the transaction of the change. Refusals change nothing, so they are kept here,
//! afterwards.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::Problem;
use super::problem::Answered;
use crate::app::App;
use crate::store::Store;
use crate::store::idempotency::{Answer, Earlier, IdempotencyKey};
use crate::store::users::Caller;

const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// Marks a response as a replay of an earlier one.
const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The longest key.
const KEY_LENGTH: usize = 255;

/// Holds the key of a request while the handler works on the answer.
type Slot = Arc<Mutex<Option<(IdempotencyKey, DateTime<Utc>)>>>;

#[derive(Clone, Default)]
struct Offered(Slot);

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
    if let Some(key) = key
        && let Err(response) = answered_before(app, key, caller).await
    {
        return response;
    }
    Problem::internal("an idempotent request was answered meanwhile, but the answer is missing").into_response()
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

/// Gives [`keep_refusals`] the key under which to keep a refusal.
pub(crate) fn offer(parts: &Parts, key: &IdempotencyKey, now: DateTime<Utc>) {
    if let Some(Offered(slot)) = parts.extensions.get() {
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some((key.clone(), now));
    }
}

/// Keeps answers that changed nothing and would be the same if the request were repeated, because they depend only on
/// the request's content and on what it refers to. If the same request was answered meanwhile, returns that answer
/// instead: every repetition gets the first answer, whatever it was. Refusals that depend on the caller or on the rate
/// are not kept, nor are failures of the service.
pub(crate) async fn keep_refusals(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::POST | Method::PUT) || !request.headers().contains_key(IDEMPOTENCY_KEY) {
        return next.run(request).await;
    }
    let offered = Offered::default();
    request.extensions_mut().insert(offered.clone());
    let response = next.run(request).await;
    let offered = offered.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    // An answer with status 200 changed nothing either: there was nothing to sync. Changes are accepted with 202.
    let changed_nothing = matches!(
        response.status(),
        StatusCode::OK | StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::CONFLICT
    );
    match offered {
        Some((key, now)) if changed_nothing => keep(&app.store, &key, now, response).await,
        _ => response,
    }
}

async fn keep(store: &Store, key: &IdempotencyKey, now: DateTime<Utc>, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    match axum::body::to_bytes(body, usize::MAX).await {
        Err(error) => Problem::internal(error.to_string()).into_response(),
        Ok(body) => {
            let answer = Answer { status: parts.status.as_u16(), body: body.to_vec() };
            match store.keep_answer(key, &answer, now).await {
                Ok(Earlier::None) => {}
                // The same request was answered while this one was being refused, perhaps for that very reason.
                Ok(Earlier::Answered(first)) => return replayed(json_response(&first)),
                Ok(Earlier::Conflict) => return Problem::idempotency_conflict().into_response(),
                // A repetition might be answered otherwise. Nothing was changed, so it is safe to repeat the request.
                Err(error) => return Problem::from(error).into_response(),
            }
            Response::from_parts(parts, Body::from(body))
        }
    }
}

#[cfg(test)]
mod tests {
    use ordersync_api::ErrorCode;
    use tempfile::TempDir;

    use super::*;

    #[tokio::test]
    async fn a_refusal_gives_way_to_an_answer_that_was_kept_meanwhile() {
        let folder = TempDir::new().unwrap();
        let store = Store::of_test(&folder.path().join("s")).await;
        let now = DateTime::UNIX_EPOCH;
        let user_id = store.user_by_phone(&[1; 32], "0001", now).await.unwrap();
        let mut key = IdempotencyKey { client_id: "k".into(), user_id, key: "1".into(), request_digest: [1; 32] };
        let accepted = Answer { status: 202, body: b"{}".to_vec() };
        assert_eq!(store.keep_answer(&key, &accepted, now).await.unwrap(), Earlier::None);
        let refusal = || Problem::new(ErrorCode::MfaRequestExpired, "Too late.").into_response();
        let answered = keep(&store, &key, now, refusal()).await;
        assert_eq!(
            (answered.status(), answered.headers()["idempotency-replayed"].as_bytes()),
            (StatusCode::ACCEPTED, &b"true"[..])
        );
        key.request_digest = [2; 32];
        assert_eq!(
            keep(&store, &key, now, refusal())
                .await
                .extensions()
                .get::<super::super::problem::RefusalCode>()
                .unwrap()
                .0,
            "IDEMPOTENCY_CONFLICT"
        );
        key.key = "2".into();
        assert_eq!(keep(&store, &key, now, refusal()).await.status(), StatusCode::CONFLICT);
        assert!(
            matches!(store.earlier_answer(&key, now).await.unwrap(), Earlier::Answered(kept) if kept.status == 409)
        );
        // An answer that cannot be kept is not given: it might be another one the next time.
        key.key = "3".into();
        store.writer().close().await;
        let answered = keep(&store, &key, now, refusal()).await;
        assert!(answered.status().is_server_error(), "{}", answered.status());
    }
}
