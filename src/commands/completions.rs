//! `ordersync completions`.

use crate::cli::completions::CompletionsArgs;
use crate::error::Result;
use crate::output::Output;

/// Prints completions for a shell.
///
/// # Errors
/// Where standard output cannot be written.
pub fn run(output: &Output, arguments: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::cli::command(), "ordersync", &mut script);
    output.raw(&script)
}
