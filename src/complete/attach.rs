//! Decides what completes each argument, by the id and value hint of the argument, and attaches it to the command tree.

use std::sync::Arc;

use clap::{Arg, Command, ValueHint};
use clap_complete::CompletionCandidate;
use clap_complete::engine::ArgValueCompleter;

use super::candidates::{CandidateKind, Candidates};
use super::command_line::Words;
use super::shell::FILES;
use super::tree::Tree;

/// The command tree, ready to be completed.
pub(super) fn command(words: &Words, tree: Tree) -> Command {
    attach((tree.command)(), &mut Vec::new(), &Arc::new(Candidates::new(words, tree)))
}

fn attach(command: Command, path: &mut Vec<String>, live: &Arc<Candidates>) -> Command {
    let command = command.mut_args(|argument| completed(argument, path, live));
    command.mut_subcommands(|inner| {
        path.push(inner.get_name().to_owned());
        let inner = attach(inner, path, live);
        path.pop();
        inner
    })
}

fn completed(argument: Arg, path: &[String], live: &Arc<Candidates>) -> Arg {
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

fn kind(path: &[String], argument: &str) -> Option<CandidateKind> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    Some(match (path.as_slice(), argument) {
        (_, "retailer") => CandidateKind::Retailer,
        (["connect"], "name") => CandidateKind::Retailer,
        (["fix"], "connection") => CandidateKind::BrokenConnection,
        (["connections"], "name") | (["sync"] | ["orders", "sync"], "names") => CandidateKind::Connection,
        (_, "connection") | (["connections", "get" | "remove"], "id") => CandidateKind::Connection,
        (["orders", "list"], "status") => CandidateKind::ShipmentStatus,
        (["orders", "get"], "id") => CandidateKind::Order,
        (["help"], "command") => CandidateKind::Help,
        (_, "batch") | (["sessions", "get" | "watch"], "id") => CandidateKind::Batch,
        (_, "result_fields") => CandidateKind::Field,
        (["orders", "export"], "columns") => CandidateKind::Column,
        (_, "profile") | (["profiles", "use" | "remove"], "name") => CandidateKind::Profile,
        (["config", "get" | "set" | "unset"], "key") => CandidateKind::Setting,
        (["api"], "method") => CandidateKind::Method,
        (["api"], "path") => CandidateKind::Path,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An id that no argument has any more would silently complete nothing.
    #[test]
    fn every_argument_that_is_named_here_exists() {
        let mut found = Vec::new();
        fn walk(command: &Command, path: &mut Vec<String>, found: &mut Vec<CandidateKind>) {
            found.extend(command.get_arguments().filter_map(|argument| kind(path, argument.get_id().as_str())));
            for inner in command.get_subcommands() {
                path.push(inner.get_name().to_owned());
                walk(inner, path, found);
                path.pop();
            }
        }
        walk(&crate::cli::command(), &mut Vec::new(), &mut found);
        for kind in [
            CandidateKind::Retailer,
            CandidateKind::Connection,
            CandidateKind::BrokenConnection,
            CandidateKind::Batch,
            CandidateKind::Profile,
            CandidateKind::Field,
            CandidateKind::Column,
            CandidateKind::Setting,
            CandidateKind::Method,
            CandidateKind::Path,
            CandidateKind::ShipmentStatus,
            CandidateKind::Order,
            CandidateKind::Help,
        ] {
            assert!(found.contains(&kind), "{kind:?}");
        }
    }
}
