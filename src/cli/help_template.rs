//! The commands under headings, for the help of `ordersync` itself: clap knows headings for flags alone.

use std::fmt::Write as _;

use crate::output::terms;

/// A heading and its commands, in the order in which they are shown.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Everyday commands",
        &["connect", "sync", "import", "orders", "open", "fix", "connections", "retailers", "sessions", "mfa", "demo"],
    ),
    ("Sign-in and settings", &["auth", "profile", "profiles", "config", "completions"]),
    ("For developers", &["serve", "sandbox", "api", "smoke", "doctor", "widget", "link-token", "users"]),
    ("For operators", &["admin"]),
];

/// The template of the help.
pub(super) fn template(tree: &clap::Command) -> String {
    let (start, end) = (tree.get_styles().get_header().render(), tree.get_styles().get_header().render_reset());
    let (name, name_end) = (tree.get_styles().get_literal().render(), tree.get_styles().get_literal().render_reset());
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (heading, commands) in GROUPS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{start}{heading}:{end}");
        let rows: Vec<(String, String)> = commands
            .iter()
            .filter_map(|command| tree.find_subcommand(command))
            .map(|command| {
                let about = command.get_about().map(ToString::to_string).unwrap_or_default();
                (format!("{name}{:<11}{name_end}", command.get_name()), about)
            })
            .collect();
        // clap breaks every text but that of a template.
        text.push_str(&terms::for_stdout(&rows));
    }
    let _ = write!(text, "\n{start}Options:{end}\n{{options}}{{after-help}}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_is_shown_is_in_one_group() {
        let tree = super::super::command();
        let mut shown: Vec<&str> =
            tree.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, commands)| commands.iter().copied()).collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(shown, grouped);
    }
}
