//! What the authorization server must not lose. Every step that may happen once only is one transaction that looks and
//! marks, so that of two requests at the same moment one wins and the other is a repetition.

pub(crate) mod access;
pub(crate) mod browser;
pub(crate) mod codes;
pub(crate) mod device;
pub(crate) mod grants;
pub(crate) mod otp;
pub(crate) mod refresh;
