//! Which argument is completed with what. The arguments say so by their names; what is here is the command tree with
//! those that are live told where to look.

use std::sync::Arc;

use clap::{Arg, Command, ValueHint};
use clap_complete::CompletionCandidate;
use clap_complete::engine::ArgValueCompleter;

use super::live::{Kind, Live};
use super::shell::FILES;
use super::tree::Tree;
use super::words::Words;

/// The command tree, ready to be completed.
pub(super) fn command(words: &Words, tree: Tree) -> Command {
    attach((tree.command)(), &mut Vec::new(), &Arc::new(Live::new(words, tree)))
}

fn attach(command: Command, path: &mut Vec<String>, live: &Arc<Live>) -> Command {
    let command = command.mut_args(|argument| completed(argument, path, live));
    command.mut_subcommands(|inner| {
        path.push(inner.get_name().to_owned());
        let inner = attach(inner, path, live);
        path.pop();
        inner
    })
}

fn completed(argument: Arg, path: &[String], live: &Arc<Live>) -> Arg {
    if let Some(kind) = kind(path, argument.get_id().as_str()) {
        let live = Arc::clone(live);
        return argument.add(ArgValueCompleter::new(move |typed: &std::ffi::OsStr| live.candidates(kind, typed)));
    }
    match argument.get_value_hint() {
        ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath | ValueHint::ExecutablePath => {
            argument.add(ArgValueCompleter::new(|_: &std::ffi::OsStr| vec![CompletionCandidate::new(FILES)]))
        }
        _ => argument,
    }
}

fn kind(path: &[String], argument: &str) -> Option<Kind> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    Some(match (path.as_slice(), argument) {
        (_, "retailer") => Kind::Retailer,
        (["connect"], "name") => Kind::Retailer,
        (["fix"], "connection") => Kind::BrokenConnection,
        (["connections"], "name") | (["sync"] | ["orders", "sync"], "names") => Kind::Connection,
        (_, "connection") | (["connections", "get" | "remove"], "id") => Kind::Connection,
        (["orders", "list"], "status") => Kind::ShipmentStatus,
        (["orders", "get"], "id") => Kind::Order,
        (["help"], "command") => Kind::Help,
        (_, "batch") | (["sessions", "get" | "watch"], "id") => Kind::Batch,
        (_, "result_fields") => Kind::Field,
        (_, "profile") | (["profiles", "use" | "remove"], "name") => Kind::Profile,
        (["config", "get" | "set" | "unset"], "key") => Kind::Setting,
        (["api"], "method") => Kind::Method,
        (["api"], "path") => Kind::Path,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that nobody has any more would be completed with nothing, silently.
    #[test]
    fn every_argument_that_is_named_here_exists() {
        let mut found = Vec::new();
        fn walk(command: &Command, path: &mut Vec<String>, found: &mut Vec<Kind>) {
            found.extend(command.get_arguments().filter_map(|argument| kind(path, argument.get_id().as_str())));
            for inner in command.get_subcommands() {
                path.push(inner.get_name().to_owned());
                walk(inner, path, found);
                path.pop();
            }
        }
        walk(&crate::cli::command(), &mut Vec::new(), &mut found);
        for kind in [
            Kind::Retailer,
            Kind::Connection,
            Kind::BrokenConnection,
            Kind::Batch,
            Kind::Profile,
            Kind::Field,
            Kind::Setting,
            Kind::Method,
            Kind::Path,
            Kind::ShipmentStatus,
            Kind::Order,
            Kind::Help,
        ] {
            assert!(found.contains(&kind), "{kind:?}");
        }
    }
}
