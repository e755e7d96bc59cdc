//! What the authorization server must not lose. Every step that may happen once only is one transaction that looks and
//! marks, so that of two requests at the same moment one wins and the other is a repetition.

pub mod access;
pub mod browser;
pub mod codes;
pub mod device;
pub mod grants;
pub mod otp;
pub mod refresh;
