//! The command's files: whole or not at all, private where they hold secrets, and open to the user.

pub(crate) mod access;
pub(crate) mod atomic;
pub(crate) mod private;
