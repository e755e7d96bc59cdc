//! `ordersync help environment` and the other topics that belong to no command, made from the tables that the command line
//! itself works with.

use crate::cli;
use crate::cli::help::Topic;
use crate::config::keys;
use crate::env;
use crate::errors::{Exit, Hint, Result};
use crate::output::Output;

/// Prints a topic.
pub(crate) fn run(output: &Output, topic: Topic) -> Result<()> {
    let (about, rows): (Hint, Vec<(String, String)>) = match topic {
        Topic::Options => (Hint::say("Every command takes these options, before or after its name."), global_options()),
        Topic::Environment => (
            Hint::say(
                "Flags override environment variables, which override the profile in config.toml, which overrides the defaults.",
            ),
            env::ALL.iter().map(|variable| (variable.name.to_owned(), variable.help.to_owned())).collect(),
        ),
        Topic::ExitCodes => (
            Hint::say(
                "The exit code tells a script how a command ended. With -o json, an error is JSON on standard error.",
            ),
            Exit::ALL.iter().map(|exit| (format!("{:>3}", exit.code()), exit.meaning().to_owned())).collect(),
        ),
        Topic::Settings => (
            Hint::run(
                "Settings of config.toml; all but the first two belong to a profile. See them",
                "ordersync config list",
            ),
            keys::all().map(|key| (key.name.to_owned(), key.help.to_owned())).collect(),
        ),
    };
    output.prose(about)?;
    output.line("")?;
    output.terms(&rows)
}

fn global_options() -> Vec<(String, String)> {
    let tree = cli::command();
    let shown = tree.get_arguments().filter(|argument| argument.is_global_set());
    shown
        .map(|argument| {
            let flags = [
                argument.get_short().map(|short| format!("-{short}")),
                argument.get_long().map(|long| format!("--{long}")),
            ];
            let values = argument.get_value_names().filter(|_| argument.get_action().takes_values());
            let value = values.map(|names| format!(" <{}>", names.join(" "))).unwrap_or_default();
            let help = argument.get_long_help().or_else(|| argument.get_help()).map(ToString::to_string);
            (flags.into_iter().flatten().collect::<Vec<_>>().join(", ") + &value, help.unwrap_or_default())
        })
        .collect()
}
