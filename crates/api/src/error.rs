//! Error codes: of requests, and of a retailer's part in a sync. There is one table for each; the service, the command
//! line and the documentation are based on them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::open::Open;
use crate::text_enum::text_enum;

/// The body of every error response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// The kind of error.
    pub code: Open<ErrorCode>,
    /// What happened, for a person.
    pub message: String,
    /// Details for a program: the invalid `field`, the running `batchId`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

text_enum! {
    /// The code of an error response.
    pub enum ErrorCode {
        /// The request cannot be understood; `details.field` names what is wrong.
        InvalidRequest = "INVALID_REQUEST",
        /// The credentials are not sealed with a fresh, unused token of the caller's own.
        SealRejected = "SEAL_REJECTED",
        /// The retailer is in the catalog, but cannot be connected.
        RetailerNotConnectable = "RETAILER_NOT_CONNECTABLE",
        /// The endpoint needs `X-Link-Token`, and the header is missing.
        MissingLinkToken = "MISSING_LINK_TOKEN",
        /// The bearer token is missing, unknown, expired or revoked.
        Unauthorized = "UNAUTHORIZED",
        /// The link token is unknown or expired.
        LinkTokenInvalid = "LINK_TOKEN_INVALID",
        /// The endpoint needs `X-Client-Secret`, and the header is missing.
        ClientSecretRequired = "CLIENT_SECRET_REQUIRED",
        /// The client secret is not this client's.
        ClientSecretInvalid = "CLIENT_SECRET_INVALID",
        /// The queried connection id has not been shared with the client.
        ConnectionNotShared = "CONNECTION_NOT_SHARED",
        /// The token lacks a scope that the endpoint needs.
        InsufficientScope = "INSUFFICIENT_SCOPE",
        /// The request is for another host, or comes from a page of another site.
        OriginNotAllowed = "ORIGIN_NOT_ALLOWED",
        /// The resource does not exist.
        NotFound = "NOT_FOUND",
        /// No user mapping exists for the given `external_user_id`.
        UserNotFound = "USER_NOT_FOUND",
        /// The path exists, but not with this method.
        MethodNotAllowed = "METHOD_NOT_ALLOWED",
        /// The user has a connection to this retailer already.
        ConnectionExists = "CONNECTION_EXISTS",
        /// A sync of this connection is running.
        SyncInProgress = "SYNC_IN_PROGRESS",
        /// The connection is invalid: it has to be fixed before it can sync.
        ConnectionInvalid = "CONNECTION_INVALID",
        /// The orders of the connection come from files: it has no account to sync or fix.
        ConnectionHasNoAccount = "CONNECTION_HAS_NO_ACCOUNT",
        /// The MFA request was answered already, or has expired.
        MfaRequestExpired = "MFA_REQUEST_EXPIRED",
        /// The idempotency key was used with another request.
        IdempotencyConflict = "IDEMPOTENCY_CONFLICT",
        /// The `external_user_id` is already bound to a different user.
        UserAlreadyBound = "USER_ALREADY_BOUND",
        /// The request body is larger than the service accepts.
        PayloadTooLarge = "PAYLOAD_TOO_LARGE",
        /// The body does not have the media type that the endpoint accepts.
        UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE",
        /// The rate limit is exceeded.
        TooManyRequests = "TOO_MANY_REQUESTS",
        /// The service failed; the request id helps to find out why.
        InternalError = "INTERNAL_ERROR",
        /// The service is temporarily unavailable.
        Unavailable = "UNAVAILABLE",
        /// The service took too long.
        Timeout = "TIMEOUT",
    }
}

impl ErrorCode {
    /// The HTTP status that goes with the code.
    pub const fn http_status(self) -> u16 {
        match self {
            Self::InvalidRequest | Self::SealRejected | Self::RetailerNotConnectable | Self::MissingLinkToken => 400,
            Self::Unauthorized | Self::LinkTokenInvalid => 401,
            Self::ClientSecretRequired
            | Self::ClientSecretInvalid
            | Self::ConnectionNotShared
            | Self::InsufficientScope
            | Self::OriginNotAllowed => 403,
            Self::NotFound | Self::UserNotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::ConnectionExists
            | Self::SyncInProgress
            | Self::ConnectionInvalid
            | Self::ConnectionHasNoAccount
            | Self::MfaRequestExpired
            | Self::IdempotencyConflict
            | Self::UserAlreadyBound => 409,
            Self::PayloadTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::TooManyRequests => 429,
            Self::InternalError => 500,
            Self::Unavailable => 503,
            Self::Timeout => 504,
        }
    }
}

text_enum! {
    /// Why a retailer's part in a sync did not complete (`retailerSyncSessions[].error.code`).
    pub enum SyncErrorCode {
        /// The retailer refused the user name or the password.
        CredentialsRefused = "credentials_refused",
        /// The retailer has locked the account.
        AccountLocked = "account_locked",
        /// The retailer wants the customer to do something on its own site first.
        ActionRequired = "action_required",
        /// Three wrong MFA codes.
        MfaFailed = "mfa_failed",
        /// The user did not answer the MFA request in time.
        MfaExpired = "mfa_expired",
        /// The retailer ended a sign-in that had worked, and does not resume it.
        RetailerSessionExpired = "retailer_session_expired",
        /// The retailer's pages or responses have changed.
        RetailerChanged = "retailer_changed",
        /// The retailer's pages contradict themselves or end too early. Orders that passed the checks are stored; the
        /// rest are held back.
        RetailerIncomplete = "retailer_incomplete",
        /// The new credentials belong to an account that has none of the stored orders.
        AccountMismatch = "account_mismatch",
        /// The retailer's address is not the one that the credentials were given for. Nothing was sent there.
        RetailerMoved = "retailer_moved",
        /// The retailer cannot be reached, or responds with errors.
        RetailerUnavailable = "retailer_unavailable",
        /// The retailer allows fewer requests than the sync needs.
        RetailerRateLimited = "retailer_rate_limited",
        /// The retailer took longer than a sync waits.
        RetailerTimeout = "retailer_timeout",
        /// The service's own guard blocked a request to a forbidden address.
        EgressRefused = "egress_refused",
        /// The operator's configuration of this retailer contradicts what the retailer shows.
        RetailerMisconfigured = "retailer_misconfigured",
        /// The operator ended the sync.
        Cancelled = "cancelled",
        /// The service failed.
        InternalError = "internal_error",
    }
}

impl SyncErrorCode {
    /// A description in the user's terms.
    pub const fn message(self) -> &'static str {
        match self {
            Self::CredentialsRefused => "The retailer refused the user name or the password.",
            Self::AccountLocked => "The retailer has locked this account.",
            Self::ActionRequired => "The retailer wants the customer to do something on its own site first.",
            Self::MfaFailed => "The verification code was wrong three times.",
            Self::MfaExpired => "Nobody answered the retailer's verification request in time.",
            Self::RetailerSessionExpired => "The retailer ended the sign-in.",
            Self::RetailerChanged => "The retailer's pages have changed, and cannot be read any more.",
            Self::RetailerIncomplete => "The retailer's pages do not show all that they promise.",
            Self::AccountMismatch => "The new credentials belong to another account than the stored orders.",
            Self::RetailerMoved => "The credentials were given for another address of this retailer.",
            Self::RetailerUnavailable => "The retailer cannot be reached.",
            Self::RetailerRateLimited => "The retailer asked for fewer requests.",
            Self::RetailerTimeout => "The retailer took too long to answer.",
            Self::EgressRefused => "A request was stopped: it would have left the retailer's own address.",
            Self::RetailerMisconfigured => "This retailer's configuration contradicts what the retailer shows.",
            Self::Cancelled => "The operator of the service ended this sync.",
            Self::InternalError => "The service failed while it synced this retailer.",
        }
    }

    /// The remedy for the user or the operator.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::CredentialsRefused => "Check the user name and the password, then fix the connection.",
            Self::AccountLocked => "Unlock the account on the retailer's own site, then fix the connection.",
            Self::ActionRequired => "Sign in on the retailer's own site, do what it asks for, then sync again.",
            Self::MfaFailed => "Fix the connection, and enter the newest code.",
            Self::MfaExpired => "Fix the connection, and answer within five minutes.",
            Self::RetailerSessionExpired => "Fix the connection: sign in again.",
            Self::RetailerChanged => "The operator of the service has to update the connector.",
            Self::RetailerIncomplete => {
                "Sync again. If it happens again, the operator of the service has to update the connector."
            }
            Self::AccountMismatch => {
                "Fix the connection with the credentials of the first account, or remove the connection and connect again."
            }
            Self::RetailerMoved => {
                "If the retailer has moved there, fix the connection. If not, the operator of the service has to correct the address."
            }
            Self::RetailerUnavailable | Self::RetailerRateLimited | Self::RetailerTimeout | Self::Cancelled => {
                "Sync again later."
            }
            Self::EgressRefused | Self::RetailerMisconfigured => {
                "The operator of the service has to correct the retailer's configuration."
            }
            Self::InternalError => "Sync again; if it happens again, report it with the batch id.",
        }
    }

    /// Whether this breaks the connection, which then has to be fixed before it can sync again.
    pub const fn invalidates_connection(self) -> bool {
        matches!(
            self,
            Self::CredentialsRefused
                | Self::AccountLocked
                | Self::MfaFailed
                | Self::MfaExpired
                | Self::RetailerSessionExpired
                | Self::AccountMismatch
                | Self::RetailerMoved
        )
    }
}
