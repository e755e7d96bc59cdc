//! What an error advises, fitted to the command line that failed: a command to copy works on the same service, and a
//! mistake that has no advice of its own leads to the help of the command that was typed.

use std::ffi::OsString;

use crate::env::{self, Environment};
use crate::errors::codes::ErrorEntry;
use crate::errors::codes::command::USAGE;
use crate::errors::codes::service::INVALID_REQUEST;
use crate::errors::{Advice, Error, Hint, usage};
use crate::flags::GlobalArgs;
use crate::shell;

/// Commands that do not work on the service that a command line names.
const ELSEWHERE: [&str; 6] = ["serve", "admin", "profiles", "completions", "help", "demo"];

/// The error with advice that works where it is pasted; `arguments` are the command line, `flags` what was read from it.
pub(crate) fn advised(error: Error, arguments: &[OsString], flags: &GlobalArgs, environment: &Environment) -> Error {
    let is_general = |row: &ErrorEntry| error.code() == row.code && *error.advice() == row.advice();
    if is_general(&USAGE) {
        return error.hint(Hint::run("See", usage::help_of(arguments, &super::command())));
    }
    if is_general(&INVALID_REQUEST) {
        return error.hint(Hint::run("Correct that value. See", usage::help_of(arguments, &super::command())));
    }
    let is_at_address =
        flags.base_url.is_some() || (flags.profile.is_none() && environment.get(&env::BASE_URL).is_some());
    let fitted = error.advice().hints().iter().map(|hint| on_same_service(hint, flags, is_at_address));
    let advice: Advice = fitted.collect();
    error.hint(advice)
}

/// The hint with `--profile` and `--base-url` behind its command, where they were typed and it has neither.
/// An address that does not come from a profile is not replaced by a setting, but by a flag (`is_at_address`).
fn on_same_service(hint: &Hint, flags: &GlobalArgs, is_at_address: bool) -> Hint {
    let Some(command) = hint.command.as_deref().filter(|command| takes_service(command)) else { return hint.clone() };
    if let (true, Some(address)) = (is_at_address, command.strip_prefix("ordersync config set base_url ")) {
        return Hint::say(format!("{} --base-url {address}", hint.words()));
    }
    let typed = [("--profile", flags.profile.as_deref()), ("--base-url", flags.base_url.as_deref())];
    let typed = typed.into_iter().filter_map(|(flag, value)| Some(format!(" {flag} {}", shell::quoted(value?))));
    Hint { command: Some(format!("{command}{}", typed.collect::<String>()).into()), ..hint.clone() }
}

/// Whether it is a single command of ours that works on a service, and does not say on which.
fn takes_service(command: &str) -> bool {
    let Some(rest) = command.strip_prefix("ordersync ") else { return false };
    let first = rest.split(' ').next().unwrap_or_default();
    !first.starts_with('-')
        && !ELSEWHERE.contains(&first)
        && ["--profile ", "--base-url ", "--help", " | ", " -- "].iter().all(|part| !rest.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(command: &str, profile: Option<&str>, base_url: Option<&str>) -> String {
        let flags = GlobalArgs {
            profile: profile.map(str::to_owned),
            base_url: base_url.map(str::to_owned),
            ..GlobalArgs::default()
        };
        let error = Error::not_found("Gone.").hint(Hint::command(command));
        advised(error, &[], &flags, &Environment::default()).hint_text().expect("a hint")
    }

    #[test]
    fn a_command_to_copy_works_on_the_service_that_was_named() {
        assert_eq!(
            shown("ordersync auth login", Some("my shop"), Some("https://a.test")),
            "ordersync auth login --profile 'my shop' --base-url https://a.test"
        );
        for unchanged in [
            "ordersync serve --sandbox",
            "ordersync --version",
            "ordersync connect --help",
            "ordersync fix conn_1 --profile p",
            "ordersync users share -- -x",
            "df -h",
        ] {
            assert_eq!(shown(unchanged, Some("p"), Some("https://a.test")), unchanged);
        }
        assert_eq!(shown("ordersync fix", None, None), "ordersync fix");
        let set = "ordersync config set base_url https://NEW";
        assert_eq!(shown(set, Some("p"), None), format!("{set} --profile p"));
        assert_eq!(shown(set, None, Some("https://a.test")), " --base-url https://NEW");
    }

    #[test]
    fn a_mistake_without_advice_leads_to_the_help_of_its_command() {
        let arguments = ["ordersync", "orders", "list", "--since", "x"].map(OsString::from);
        let error = advised(Error::usage("No."), &arguments, &GlobalArgs::default(), &Environment::default());
        assert_eq!(error.hint_text().as_deref(), Some("See: ordersync orders list --help"));
    }
}
