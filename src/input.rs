//! Standard input.

use std::io::StdinLock;

use zeroize::Zeroizing;

use crate::errors::{Error, Result};
use crate::files::private;

/// Standard input. Fails if the process was started without it: /dev/null, which std opens in its place, is empty, and
/// would count as what was given.
pub(crate) fn stdin() -> Result<StdinLock<'static>> {
    if ordersync_streams::is_stdin_closed() {
        return Err(Error::usage("Cannot read standard input: it is closed."));
    }
    Ok(std::io::stdin().lock())
}

/// The text of standard input.
pub(crate) fn text() -> Result<Zeroizing<String>> {
    private::read_text(stdin()?, "standard input")
}
