//! The response that carries tokens.

use chrono::TimeDelta;
use ordersync_api::Scope;
use ordersync_api::scope::join_scopes;
use serde::Serialize;
use zeroize::Zeroizing;

use crate::token::{ACCESS_LIFE, Pair};

/// A successful response of the token endpoint (RFC 6749 §5.1).
#[derive(Serialize)]
pub(in crate::oauth) struct TokenAnswer {
    access_token: String,
    token_type: &'static str,
    expires_in: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    scope: String,
}

impl TokenAnswer {
    /// The response that issues a pair.
    pub(super) fn of(pair: Pair, scopes: &[Scope]) -> Self {
        Self::new(pair.access, Some(pair.refresh), scopes)
    }

    pub(super) fn new(access: String, refresh: Option<Zeroizing<String>>, scopes: &[Scope]) -> Self {
        Self {
            access_token: access,
            token_type: "Bearer",
            expires_in: ACCESS_LIFE.num_seconds(),
            refresh_token: refresh.map(|refresh| refresh.as_str().to_owned()),
            scope: join_scopes(scopes),
        }
    }

    /// The response, repeated at this age.
    pub(super) fn aged(mut self, age: TimeDelta) -> Self {
        self.expires_in = (self.expires_in - age.num_seconds()).max(0);
        self
    }
}
