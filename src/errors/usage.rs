//! What is wrong with a command line, as an error like any other: what happened, then what to type instead.

use std::ffi::OsString;
use std::net::AddrParseError;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::str::ParseBoolError;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::suggestions;
use crate::errors::{Advice, Error, Hint, did_you_mean};
use crate::shell;

/// Flags of other programs, and what they are called here.
const FLAGS: [(&str, &str); 8] = [
    ("--json", "-o json"),
    ("--csv", "-o csv"),
    ("--format", "-o json"),
    ("--columns", "--fields"),
    ("--filter", "--jq"),
    ("--no-color", "--color never"),
    ("--non-interactive", "--no-input"),
    ("--debug", "-vv"),
];

/// The error that stands for clap's; `arguments` are the command line, `topics` what `ordersync help` explains besides
/// the commands of the tree.
pub(crate) fn error(refusal: &clap::Error, arguments: &[OsString], tree: &clap::Command, topics: &[&str]) -> Error {
    let path = path(tree, arguments);
    let place = path.iter().try_fold(tree, |place, name| place.find_subcommand(name)).unwrap_or(tree);
    let text = |kind| context(refusal, kind);
    let argument = text(ContextKind::InvalidArg).map(|argument| flag(&argument));
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    let known = list(refusal, ContextKind::ValidValue);
    let takes_value = |flag: &str| {
        let mut all = place.get_arguments().chain(tree.get_arguments());
        all.any(|one| one.get_long() == flag.strip_prefix("--") && one.get_action().takes_values())
    };
    let with_minus = with_minus(arguments).filter(|(flag, _)| value.is_empty() && takes_value(flag));
    let (message, hint) = match (refusal.kind(), argument) {
        (ErrorKind::InvalidSubcommand, _) => {
            let word = text(ContextKind::InvalidSubcommand).unwrap_or_default();
            (
                no_command(&path, &word),
                suggestions::instead(tree, &path, &word).or_else(|| similar_command(place, topics, &path, &word)),
            )
        }
        (ErrorKind::UnknownArgument | ErrorKind::InvalidValue, _) if with_minus.is_some() => {
            let (flag, rest) = with_minus.unwrap_or_default();
            let is_age = matches!(flag, "--since" | "--until");
            let hint = is_age.then(|| format!("Write it without the minus: {flag} {rest}").into());
            (format!("Invalid value for {flag}: \"-{rest}\"."), hint)
        }
        (ErrorKind::UnknownArgument, Some(argument)) => unknown(refusal, tree, &path, argument),
        (ErrorKind::InvalidValue, Some(argument)) if value.is_empty() => {
            (format!("{argument} needs a value."), some(&known, "One of: ").map(Advice::from))
        }
        (ErrorKind::InvalidValue, Some(argument)) => {
            let closest = list(refusal, ContextKind::SuggestedValue).into_iter().next();
            let closest = closest.map(|closest| Hint::say(format!("Did you mean: {closest}")));
            let hints: Advice = closest.into_iter().chain(some(&known, "One of: ").map(Hint::say)).collect();
            (format!("Invalid value for {argument}: \"{value}\"."), Some(hints).filter(|hints| !hints.is_empty()))
        }
        (ErrorKind::ValueValidation, Some(argument)) => {
            let why = std::error::Error::source(refusal).map(plain).unwrap_or_default();
            (format!("{argument}: \"{value}\" cannot be used: {why}."), None)
        }
        (ErrorKind::ArgumentConflict, Some(argument)) => {
            let others: Vec<String> = list(refusal, ContextKind::PriorArg)
                .iter()
                .map(|other| flag(other))
                .filter(|other| *other != argument)
                .collect();
            let message = if others.is_empty() {
                format!("{argument} can be given only once.")
            } else {
                format!("{argument} cannot be used with {}.", others.join(", "))
            };
            (message, None)
        }
        (ErrorKind::MissingRequiredArgument, _) => {
            (format!("Missing: {}.", list(refusal, ContextKind::InvalidArg).join(", ")), None)
        }
        (ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand, _) => {
            ("A command is missing.".to_owned(), None)
        }
        _ => (in_clap_s_words(refusal), None),
    };
    let usage = usage(refusal, place, &path);
    let hint = match hint {
        None => usage,
        Some(hint) if hint.hints().iter().any(|hint| hint.command.is_some()) => hint,
        Some(hint) => hint.and(usage),
    };
    Error::usage(message).hint(hint)
}

/// The command that shows the help of the command that was typed.
pub(crate) fn help_of(arguments: &[OsString], tree: &clap::Command) -> String {
    help(&path(tree, arguments))
}

fn help(path: &[&str]) -> String {
    format!("{} --help", typed(path))
}

fn typed(path: &[&str]) -> String {
    ["ordersync"].iter().chain(path).copied().collect::<Vec<_>>().join(" ")
}

/// The commands that were recognised, from the first to the innermost.
fn path<'a>(tree: &clap::Command, arguments: &'a [OsString]) -> Vec<&'a str> {
    let (mut place, mut path) = (tree, Vec::new());
    for argument in arguments.iter().skip(1).filter_map(|argument| argument.to_str()) {
        let asks_for_help = place.get_name() == tree.get_name() && argument == "help";
        if let Some(inner) = place.find_subcommand(argument).filter(|_| !asks_for_help) {
            place = inner;
            path.push(argument);
        }
    }
    path
}

fn no_command(path: &[&str], word: &str) -> String {
    if path.is_empty() {
        format!("There is no command \"{word}\".")
    } else {
        format!("`ordersync {}` has no command \"{word}\".", path.join(" "))
    }
}

fn similar_command(place: &clap::Command, topics: &[&str], path: &[&str], word: &str) -> Option<Advice> {
    let names = place.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
    let topics = topics.iter().copied().filter(|_| path.is_empty());
    let commands = names.map(|name| (name, [typed(path).as_str(), name].join(" ")));
    let known = commands.chain(topics.map(|topic| (topic, format!("ordersync help {topic}"))));
    let command = did_you_mean::nearest_named(word, known)?;
    Some(Hint::run("Did you mean", command).into())
}

fn unknown(refusal: &clap::Error, tree: &clap::Command, path: &[&str], argument: String) -> (String, Option<Advice>) {
    if !argument.starts_with('-') {
        let message = format!("Unexpected argument \"{argument}\".");
        if path == ["orders", "export"] {
            let export = shell::command(["orders", "export", "--out", &argument], &[]);
            return (message, Some(Hint::run("To write to that file", export).into()));
        }
        return match suggestions::instead(tree, path, &argument) {
            Some(hint) => (no_command(path, &argument), Some(hint)),
            None => (message, None),
        };
    }
    let name = argument.split('=').next().unwrap_or_default();
    let known = FLAGS.iter().find(|(flag, _)| *flag == name).map(|(_, here)| (*here).to_owned());
    let meant = known.or_else(|| list(refusal, ContextKind::SuggestedArg).into_iter().next());
    let message = format!("There is no flag {name} in `{}`.", typed(path));
    (message, meant.map(|meant| format!("Did you mean: {}", flag(&meant)).into()))
}

/// `--since -1d`, which clap takes for two flags: the flag, and the value without its minus.
fn with_minus(arguments: &[OsString]) -> Option<(&str, &str)> {
    arguments.windows(2).find_map(|pair| {
        let (flag, value) = (pair.first()?.to_str()?, pair.last()?.to_str()?);
        let rest = value.strip_prefix('-').filter(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))?;
        flag.starts_with("--").then_some((flag, rest))
    })
}

/// `--limit <N>` without its value.
fn flag(argument: &str) -> String {
    match argument.split_once(' ') {
        Some((flag, value)) if flag.starts_with('-') && value.starts_with(['<', '[']) => flag.to_owned(),
        _ => argument.trim_end_matches('.').to_owned(),
    }
}

fn usage(refusal: &clap::Error, place: &clap::Command, path: &[&str]) -> Advice {
    let usage = match refusal.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    let line = usage.lines().next().unwrap_or_default().trim();
    let is_about_usage = refusal.kind() == ErrorKind::MissingRequiredArgument;
    let see = Hint::run("See", help(path));
    if line.is_empty() || place.has_subcommands() || !is_about_usage {
        see.into()
    } else {
        [Hint::say(line), see].into()
    }
}

fn context(refusal: &clap::Error, kind: ContextKind) -> Option<String> {
    list(refusal, kind).into_iter().next()
}

fn list(refusal: &clap::Error, kind: ContextKind) -> Vec<String> {
    match refusal.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

fn some(texts: &[String], before: &str) -> Option<String> {
    (!texts.is_empty()).then(|| format!("{before}{}", texts.join(", ")))
}

/// Why a value was refused, in words: those of the standard library are about types.
fn plain(why: &(dyn std::error::Error + 'static)) -> String {
    let text = if let Some(why) = why.downcast_ref::<ParseIntError>() {
        match why.kind() {
            IntErrorKind::PosOverflow => "the number is too large",
            IntErrorKind::NegOverflow => "the number is too small",
            IntErrorKind::Zero => "give a number from 1",
            _ => "give a whole number",
        }
    } else if why.is::<ParseFloatError>() {
        "give a number, for example 2.5"
    } else if why.is::<AddrParseError>() {
        "give an address and a port, for example 127.0.0.1:8080"
    } else if matches!(why.downcast_ref(), Some(url::ParseError::RelativeUrlWithoutBase | url::ParseError::EmptyHost)) {
        "give an address, for example https://api.example.com"
    } else if why.is::<ParseBoolError>() {
        "give true or false"
    } else {
        return why.to_string().trim_end_matches('.').to_owned();
    };
    text.to_owned()
}

/// The first paragraph of what clap would print.
fn in_clap_s_words(refusal: &clap::Error) -> String {
    let rendered = refusal.render().to_string();
    let first = rendered.split("\n\n").next().unwrap_or_default();
    first.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ")
}
