//! `ordersync help environment` and the other topics that belong to no command, made from the tables that the command line
//! itself works with.

use crate::cli::help::Topic;
use crate::config::keys;
use crate::env;
use crate::error::Result;
use crate::exit::Exit;
use crate::hint::Hint;
use crate::output::Output;

/// Prints a topic.
pub(crate) fn run(output: &Output, topic: Topic) -> Result<()> {
    let (about, rows): (Hint, Vec<(String, &str)>) = match topic {
        Topic::Environment => (
            Hint::say(
                "Flags override environment variables, which override the profile in config.toml, which overrides the defaults.",
            ),
            env::ALL.iter().map(|variable| (variable.name.to_owned(), variable.help)).collect(),
        ),
        Topic::ExitCodes => (
            Hint::say(
                "The exit code tells a script how a command ended. With -o json, an error is JSON on standard error.",
            ),
            Exit::ALL.iter().map(|exit| (format!("{:>3}", exit.code()), exit.meaning())).collect(),
        ),
        Topic::Settings => (
            Hint::run(
                "Settings of config.toml; all but the first two belong to a profile. See them",
                "ordersync config list",
            ),
            keys::all().map(|key| (key.name.to_owned(), key.help)).collect(),
        ),
    };
    output.prose(about)?;
    output.line("")?;
    output.terms(&rows)
}
