//! Sync sessions.

use std::time::{Duration, Instant};

use ordersync_api::Session;
use reqwest::StatusCode;
use reqwest::header::{ETAG, HeaderName, HeaderValue, IF_NONE_MATCH};

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::errors::{Hint, Result};

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// A session that is followed, as it is now.
#[derive(Debug)]
pub(crate) struct Followed {
    /// `None`: as it was when it had the tag.
    pub(crate) session: Option<Session>,
    /// With it, the service waits for a change. `None`: it does not, as one that has only the specification.
    pub(crate) tag: Option<HeaderValue>,
}

impl Client {
    /// The most recent session.
    pub(crate) async fn latest_session(&self) -> Result<Session> {
        self.get(Call::new(Operation::SessionsLatest)?).await
    }

    pub(crate) async fn session(&self, batch: &str) -> Result<Session> {
        self.get(Call::new(Operation::SessionsGet)?.parameter("batchId", batch))
            .await
            .map_err(|error| error.where_unknown(Hint::run("See the latest session", "ordersync sessions")))
    }

    /// Fetches a session that is being followed. Rate limits are waited out until the given time. If it had this tag, the service
    /// may wait so long until it is another one (RFC 7240 §4.3).
    pub(crate) async fn follow_session(
        &self,
        batch: &str,
        until: Instant,
        known: Option<(HeaderValue, Duration)>,
    ) -> Result<Followed> {
        let mut call = Call::new(Operation::SessionsGet)?.parameter("batchId", batch).poll(until);
        let wait = known.as_ref().map_or(0, |(_, wait)| wait.as_secs());
        if let Ok(preference) = HeaderValue::from_str(&format!("wait={wait}")) {
            call = call.header(PREFER, preference);
        }
        if let Some((tag, _)) = known {
            call = call.header(IF_NONE_MATCH, tag);
        }
        let answer = self.send(call).await?;
        let tag = answer.header("preference-applied").and_then(|_| answer.headers().get(ETAG).cloned());
        let is_known = answer.status() == StatusCode::NOT_MODIFIED;
        Ok(Followed { session: if is_known { None } else { Some(answer.json()?) }, tag })
    }

    /// Fetches a session that is being followed. Rate limits are waited out until the given time.
    pub(crate) async fn poll_session(&self, batch: &str, until: Instant) -> Result<Session> {
        self.get(Call::new(Operation::SessionsGet)?.parameter("batchId", batch).poll(until)).await
    }
}
