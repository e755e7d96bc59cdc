//! Controls of a sandbox: absent everywhere else.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::error::ErrorCode;
use crate::open::Id;

/// The sandbox's own client, which exists from the start.
pub const CLIENT: &str = "sandbox";
/// The secret of every client that a sandbox creates. It protects nothing: it is in the documentation, and it opens
/// nothing elsewhere.
pub const CLIENT_SECRET: &str = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one";

/// Body of `POST /sandbox/token`: an access token without the sign-in page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    /// One of the sandbox's numbers (E.164): +15550100 to +15550199, or with an area code, such as +12125550100.
    pub phone: String,
    /// The client that the token is for; the sandbox's own if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Separated by spaces; all scopes if none are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<String>,
}

/// Answer to `POST /sandbox/token`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenResponse {
    /// The bearer token.
    pub access_token: String,
    /// Seconds.
    pub expires_in: u64,
    /// Separated by spaces.
    pub scope: String,
    /// Whether the client was created because nobody had named it before. A service of an earlier version does not say.
    #[serde(default)]
    pub client_created: bool,
}

impl std::fmt::Debug for TokenResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenResponse")
            .field("access_token", &"[redacted]")
            .field("expires_in", &self.expires_in)
            .field("scope", &self.scope)
            .field("client_created", &self.client_created)
            .finish()
    }
}

/// Body of `POST /sandbox/reset`: deletes a user's connections, sessions and orders.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResetRequest {
    /// Whether to reset all users, not just the token's.
    #[serde(default)]
    pub all: bool,
}

/// Body of `POST /sandbox/unbind`: the next sign-in with a link of this identifier binds it anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnbindRequest {
    /// The client's own identifier of a user.
    pub external_user_id: String,
    /// The client; that of the token if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
}

/// Body of `POST /sandbox/break`: makes a connection `invalid`, as if the retailer had ended the sign-in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BreakRequest {
    /// The connection.
    pub connection_id: Id,
}

/// Body of `POST /sandbox/clock`: moves the time of the token's user. Exactly one field is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClockRequest {
    /// Seconds to move forward; the answer waits for what falls due by then, and says whether all of it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advance_seconds: Option<u32>,
    /// True stops the user's clock where it is, false lets it run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freeze: Option<bool>,
}

/// Answer to `POST /sandbox/clock`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockResponse {
    /// The user's time now.
    pub now: Timestamp,
    /// Whether the clock is stopped.
    pub frozen: bool,
    /// Whether everything due by now is done. False: some syncs are still working, and the same request with 0 seconds waits
    /// on. A service of an earlier version does not say.
    #[serde(default = "settled")]
    pub settled: bool,
}

const fn settled() -> bool {
    true
}

/// A one-time password that was sent, in the answer to `GET /sandbox/otp`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SentPassword {
    /// The password; in a sandbox it opens nothing real.
    pub otp: String,
    /// When it was sent, in the user's time.
    pub sent_at: Timestamp,
    /// Until when it is valid, in the user's time.
    pub expires_at: Timestamp,
}

/// Body of `POST /sandbox/fail`, and its answer: a failure forced on the next requests of the token's user, or of a client.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailRequest {
    /// The HTTP status of the response, 400 to 599. With a status that the service itself never sends, there is no
    /// error body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The error code of the response, sent with its own status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// The request is carried out, but the connection is closed without a response.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drop: bool,
    /// How many requests fail in this way.
    #[serde(default = "once")]
    pub count: u32,
    /// The client whose requests fail, for any user; none: the requests of the token's user fail.
    #[serde(default, rename = "client_id", skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Only requests with this method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Only requests to this path, which may be a template such as `/sync/orders/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Seconds, for the header `Retry-After`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Milliseconds to wait before the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// Only requests for later pages of a list than this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_page: Option<u64>,
    /// With `drop`: this many bytes of the response's body are sent before the connection is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_bytes: Option<u64>,
}

impl FailRequest {
    /// The names of its fields.
    pub const FIELDS: [&str; 11] = [
        "status",
        "code",
        "drop",
        "count",
        "client_id",
        "method",
        "path",
        "retryAfter",
        "latencyMs",
        "afterPage",
        "afterBytes",
    ];
}

const fn once() -> u32 {
    1
}
