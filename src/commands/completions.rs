//! `ordersync completions`.

use crate::cli::completions::CompletionsArgs;
use crate::complete::scripts::script;
use crate::errors::Result;
use crate::output::Output;

/// Prints completions for a shell.
pub(crate) fn run(output: &Output, arguments: &CompletionsArgs) -> Result<()> {
    output.raw(script(arguments.shell).as_bytes())
}
