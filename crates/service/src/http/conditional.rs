//! Conditional requests (RFC 9110 §13.1.2), and those that wait for a change (`Prefer: wait`, RFC 7240 §4.3).

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::Problem;
use super::problem::Answered;
use crate::store::nodes::readiness::Readiness;

const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
/// The longest wait, in seconds: less than a request may take.
const LONGEST_WAIT: u64 = 25;
/// How often something is read again that may have changed, by this node or another one.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The first digits of an entity tag are a digest of the document's state.
const STATE_DIGITS: usize = 16;

/// The conditions of a request: which versions the client has, and how long it waits for another one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    tags: Vec<String>,
    /// In seconds.
    wait: Option<u64>,
}

impl<S: Sync> FromRequestParts<S> for Conditions {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers))
    }
}

impl Conditions {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let texts = |name| headers.get_all(name).iter().filter_map(|value: &HeaderValue| value.to_str().ok());
        let listed = |name| texts(name).flat_map(|text| text.split(',')).map(str::trim);
        let tags = listed(IF_NONE_MATCH).map(|tag| tag.trim_start_matches("W/").to_owned()).collect();
        // Of several, the first counts (RFC 7240 §2). One that cannot be understood is none.
        let wait = listed(PREFER).find_map(|preference| {
            let (name, value) = preference.split(';').next()?.split_once('=')?;
            name.trim().eq_ignore_ascii_case("wait").then(|| value.trim().trim_matches('"').parse().ok())
        });
        Self { tags, wait: wait.flatten().map(|wait: u64| wait.min(LONGEST_WAIT)) }
    }

    /// Whether the client has this already.
    pub(crate) fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|known| known == tag || known == "*")
    }

    /// Returns whether the state of this tag is that of one of the client's tags. Their documents may differ in the rest.
    fn has_state(&self, tag: &str) -> bool {
        self.tags.iter().any(|known| known == "*" || known.get(..=STATE_DIGITS) == tag.get(..=STATE_DIGITS))
    }

    /// Answers with the document that `read` gives: at once if the client has another state of it, else as soon as its state changes, or
    /// the wait is over, or the node stops. A change of the rest does not end the wait: counts of items change all the time.
    pub(crate) async fn answer<T, F, S>(
        &self,
        readiness: &Readiness,
        read: impl Fn() -> F,
        state: impl Fn(&T) -> S,
    ) -> Answered<Response>
    where
        T: Serialize,
        F: Future<Output = Answered<T>>,
        S: Serialize,
    {
        let until = Instant::now() + Duration::from_secs(self.wait.unwrap_or(0));
        loop {
            let value = read().await?;
            let document = Document::of(&value, &state(&value))?;
            let left = until.saturating_duration_since(Instant::now());
            if !self.has_state(&document.tag) || left.is_zero() || readiness.is_draining() {
                return Ok(self.answered(document));
            }
            tokio::time::sleep(LOOK_EVERY.min(left)).await;
        }
    }

    fn answered(&self, document: Document) -> Response {
        let applied = self.wait.map(|wait| [(PREFERENCE_APPLIED, format!("wait={wait}"))]);
        let is_known = self.has(&document.tag);
        let tag = [(ETAG, document.tag)];
        if is_known {
            return (StatusCode::NOT_MODIFIED, applied, tag).into_response();
        }
        (applied, tag, [(CONTENT_TYPE, "application/json")], document.json).into_response()
    }
}

/// A document, with an entity tag made of two digests: of its state, and of the whole document.
struct Document {
    json: Vec<u8>,
    tag: String,
}

impl Document {
    fn of(value: &impl Serialize, state: &impl Serialize) -> Answered<Self> {
        let unwritable = |error: serde_json::Error| Problem::internal(error.to_string());
        let json = serde_json::to_vec(value).map_err(unwritable)?;
        let state = serde_json::to_vec(state).map_err(unwritable)?;
        let tag = format!("\"{:0STATE_DIGITS$x}{:016x}\"", short_digest(&state), short_digest(&json));
        Ok(Self { json, tag })
    }
}

fn short_digest(bytes: &[u8]) -> u64 {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    digest.first_chunk().copied().map_or(0, u64::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_has_and_how_long_it_would_wait_is_read_as_the_standards_say() {
        let of = |headers: &[(HeaderName, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(name, value.parse().unwrap());
            }
            Conditions::of(&map)
        };
        assert_eq!(of(&[]), Conditions::default());
        let all = of(&[(IF_NONE_MATCH, "\"a\", W/\"b\""), (IF_NONE_MATCH, "\"c\""), (PREFER, "respond-async, wait=7")]);
        assert!(all.has("\"a\"") && all.has("\"b\"") && all.has("\"c\"") && !all.has("a"));
        assert_eq!(all.wait, Some(7));
        assert!(of(&[(IF_NONE_MATCH, "*")]).has("\"x\""));
        for (preference, wait) in [
            ("WAIT = \"3\"; x=1", Some(3)),
            ("wait=99999", Some(25)),
            ("wait=2, wait=9", Some(2)),
            ("wait=-1", None),
            ("wait", None),
        ] {
            assert_eq!(of(&[(PREFER, preference)]).wait, wait, "{preference}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn another_state_ends_a_wait_and_another_count_does_not() {
        let started = Instant::now();
        for (state_changes_at, count_changes, expected) in
            [(3, true, (200, 3)), (3, false, (200, 3)), (30, true, (200, 10)), (30, false, (304, 10))]
        {
            let began = started.elapsed();
            let read = || async {
                let passed = (started.elapsed() - began).as_secs();
                Ok((passed >= state_changes_at, if count_changes { passed } else { 0 }))
            };
            // The client has counts of a while ago.
            let known = (false, if count_changes { 1_000 } else { 0 });
            let tag = Document::of(&known, &known.0).unwrap().tag;
            let conditions = Conditions { tags: vec![tag], wait: Some(10) };
            let answer = conditions.answer(&Readiness::default(), read, |(state, _)| *state).await.unwrap();
            let took = (started.elapsed() - began).as_secs();
            assert_eq!((answer.status().as_u16(), took), expected, "{state_changes_at} {count_changes}");
        }
    }
}
