//! What the endpoints and the pages of the authorization server share: clients' requests, users' decisions, and OAuth's
//! refusals (RFC 6749, 7636, 8628).

pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod form;
pub(crate) mod pkce;
pub(crate) mod request;
pub(crate) mod scopes;
