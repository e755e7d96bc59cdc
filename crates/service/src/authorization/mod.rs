//! What the endpoints and the pages of the authorization server share: what clients ask for, what users decide, and how
//! OAuth says no (RFC 6749, 7636, 8628).

pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod form;
pub(crate) mod pkce;
pub(crate) mod request;
pub(crate) mod scopes;
