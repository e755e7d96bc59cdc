//! `ordersync completions`.

use crate::cli::completions::CompletionsArgs;
use crate::complete::scripts::script;
use crate::error::{Error, Result};
use crate::output::Output;

/// Prints completions for a shell.
pub(crate) fn run(output: &Output, arguments: &CompletionsArgs) -> Result<()> {
    let shell = arguments.shell;
    let script = script(shell).ok_or_else(|| Error::usage(format!("There are no completions for {shell}.")))?;
    output.raw(script.as_bytes())
}
