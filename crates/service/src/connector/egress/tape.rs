//! The exchanges of a trial: recorded as they happen, or played in place of the retailer. Cookies, the fields of forms and tokens
//! in headers are never part of it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ordersync_api::SyncErrorCode;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use serde::{Deserialize, Serialize};
use url::Url;

use super::Response;
use crate::connector::ConnectorError;

/// Identifies a request: its method, address and body.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) url: Url,
    /// Whether a form was posted. Its fields are not kept.
    pub(crate) form: bool,
    /// The JSON that was posted, without the user's secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) json: Option<String>,
}

impl Asked {
    /// Whether nothing was posted.
    pub(crate) const fn is_get(&self) -> bool {
        !self.form && self.json.is_none()
    }
}

/// A request and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Exchange {
    #[serde(flatten)]
    pub(crate) asked: Asked,
    /// The address that answered in the end.
    pub(crate) from: Url,
    pub(crate) status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) location: Option<Url>,
    /// How many tokens the answer had in a header.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) tokens: u8,
    /// Why there was no answer: our own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<Failure>,
    /// The page, which is kept in a file of its own.
    #[serde(skip)]
    pub(crate) body: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// A failed request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Failure {
    pub(crate) code: SyncErrorCode,
    pub(crate) message: String,
}

/// A tape.
#[derive(Debug)]
pub(crate) enum Tape {
    Recording(Mutex<Vec<Exchange>>),
    Playing {
        exchanges: Vec<Exchange>,
        /// How often each request was answered. The same request may have had several answers, which come in their order.
        played: Mutex<HashMap<Asked, usize>>,
    },
}

impl Tape {
    pub(crate) const fn recording() -> Self {
        Self::Recording(Mutex::new(Vec::new()))
    }

    pub(crate) fn playing(exchanges: Vec<Exchange>) -> Self {
        Self::Playing { exchanges, played: Mutex::default() }
    }

    pub(super) const fn is_playing(&self) -> bool {
        matches!(self, Self::Playing { .. })
    }

    /// What was recorded.
    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        match self {
            Self::Recording(exchanges) => lock(exchanges).clone(),
            Self::Playing { exchanges, .. } => exchanges.clone(),
        }
    }

    /// The answer, if the tape plays.
    pub(super) fn answer(&self, asked: &Asked) -> Option<Result<Response, ConnectorError>> {
        let Self::Playing { exchanges, played } = self else { return None };
        let same: Vec<&Exchange> = exchanges.iter().filter(|one| one.asked == *asked).collect();
        let mut played = lock(played);
        let count = played.entry(asked.clone()).or_default();
        let answer = same.get(*count).or(same.last());
        *count += 1;
        Some(match answer {
            None => Err(ConnectorError::not_saved(asked.url.path())),
            Some(Exchange { failure: Some(Failure { code, message }), .. }) => {
                Err(ConnectorError::new(*code).with_message(message))
            }
            Some(Exchange { from, status, location, tokens, body, .. }) => Ok(Response {
                url: from.clone(),
                status: *status,
                body: body.clone(),
                location: location.clone().map(Box::new),
                tokens: vec![(AUTHORIZATION, HeaderValue::from_static("saved")); usize::from(*tokens)],
            }),
        })
    }

    /// Records an answer, unless the tape plays.
    pub(super) fn record(&self, asked: Asked, answer: &Result<Response, ConnectorError>) {
        let Self::Recording(exchanges) = self else { return };
        let (from, body) = (asked.url.clone(), String::new());
        let exchange = match answer {
            // The request is sent again when its turn has come.
            Err(error) if error.paced => return,
            Err(ConnectorError { code, message, .. }) => {
                let failure = Some(Failure { code: *code, message: message.clone() });
                Exchange { asked, from, status: 0, location: None, tokens: 0, failure, body }
            }
            Ok(Response { url: from, status, body, location, tokens }) => {
                let (from, location, body) = (from.clone(), location.as_deref().cloned(), body.clone());
                let tokens = u8::try_from(tokens.len()).unwrap_or(u8::MAX);
                Exchange { asked, from, status: *status, location, tokens, failure: None, body }
            }
        };
        lock(exchanges).push(exchange);
    }
}

/// Each change is a whole one, so a panic elsewhere leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
