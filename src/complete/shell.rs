//! The shells, and the answer that each expects: `files` if the shell should offer files by itself, or `words` followed
//! by one line per candidate. Text from a service is quoted as the shell requires, and never has a line break.

use std::fmt::Write as _;

use clap_complete::CompletionCandidate;

use super::command_line::{Shell, Words};
use crate::output::sanitize::{clean, is_harmful};

/// Stands for all file names.
pub(super) const FILES: &str = "\u{0}files";

impl Shell {
    /// The answer, as the shell's script reads it.
    pub(super) fn render(self, words: &Words, candidates: Vec<CompletionCandidate>) -> String {
        let candidates: Vec<(String, String)> = candidates.iter().map(text).collect();
        if candidates.iter().any(|(value, _)| value.ends_with(FILES)) {
            return "files\n".to_owned();
        }
        let mut answer = String::from("words\n");
        for (value, help) in wanted(self, words.current(), candidates) {
            let help = clean(&help).into_owned();
            if value.chars().any(is_harmful) {
                continue;
            }
            // Writing to a string cannot fail.
            let _ = match self {
                Self::Bash => {
                    let value = quoted_for_bash(value.strip_prefix(&words.kept).unwrap_or(&value));
                    // Bash shows this in its list of candidates.
                    let help = if help.is_empty() { help } else { format!("\t{help}") };
                    writeln!(answer, "{value}{help}")
                }
                Self::Zsh => writeln!(answer, "{}:{help}", value.replace('\\', "\\\\").replace(':', "\\:")),
                Self::Fish | Self::Elvish => writeln!(answer, "{value}\t{help}"),
            };
        }
        answer
    }
}

/// The value and the description; only the first line of the description.
fn text(candidate: &CompletionCandidate) -> (String, String) {
    let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    let help = help.lines().next().unwrap_or_default().to_owned();
    (candidate.get_value().to_string_lossy().into_owned(), help)
}

/// Flags are offered if a dash was typed or nothing else is available. One-letter flags are never offered: Tab does not
/// shorten them. Bash would insert the dashes that all flags share, so it gets flags only after a dash.
fn wanted(shell: Shell, current: &str, candidates: Vec<(String, String)>) -> Vec<(String, String)> {
    let is_flag = |value: &str| value.starts_with('-') && value != "-";
    let has_words = shell == Shell::Bash || candidates.iter().any(|(value, _)| !is_flag(value));
    let is_wanted =
        |value: &str| !is_flag(value) || (value.starts_with("--") && (current.starts_with('-') || !has_words));
    candidates.into_iter().filter(|(value, _)| is_wanted(value)).collect()
}

fn quoted_for_bash(value: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "_-+.,/:@%=".contains(letter);
    value.chars().flat_map(|letter| (!plain(letter)).then_some('\\').into_iter().chain([letter])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(shell: Shell, typed: &[&str], candidates: &[(&str, &str)]) -> String {
        let words = Words::new(shell, typed.len() - 1, typed.iter().map(Into::into).collect());
        let candidate =
            |(value, help): &(&str, &str)| CompletionCandidate::new(*value).help(Some((*help).to_owned().into()));
        shell.render(&words, candidates.iter().map(candidate).collect())
    }

    #[test]
    fn each_shell_is_answered_in_its_own_form() {
        let shops = [("Tea & Co", "retailer 3"), ("a:b", "it's")];
        let typed = &["ordersync", "fix", "--retailer", ""];
        assert_eq!(render(Shell::Bash, typed, &shops), "words\nTea\\ \\&\\ Co\tretailer 3\na:b\tit's\n");
        assert_eq!(render(Shell::Zsh, typed, &shops), "words\nTea & Co:retailer 3\na\\:b:it's\n");
        assert_eq!(render(Shell::Fish, typed, &shops), "words\nTea & Co\tretailer 3\na:b\tit's\n");
        let split = &["ordersync", "fix", "--retailer", "=", "1"];
        assert_eq!(render(Shell::Bash, split, &[("--retailer=12", "")]), "words\n12\n");
    }

    #[test]
    fn what_could_break_a_line_is_left_out_and_files_are_the_shell_s_own_matter() {
        let typed = &["ordersync", ""];
        assert_eq!(render(Shell::Fish, typed, &[("a\nb", ""), ("c", "x\u{1b}[2J"), ("d", "")]), "words\nc\tx\nd\t\n");
        assert_eq!(render(Shell::Zsh, typed, &[(&format!("--out={FILES}"), "")]), "files\n");
        // Characters that reverse the text are just as harmful.
        assert_eq!(
            render(Shell::Fish, typed, &[("\u{202e}gnp.exe", ""), ("c", "\u{202e}gnp.exe\u{9b}")]),
            "words\nc\tgnp.exe\n"
        );
    }

    #[test]
    fn flags_come_where_a_dash_was_typed_or_nothing_else_is_left() {
        let all = [("list", ""), ("--search", ""), ("-s", "")];
        assert_eq!(render(Shell::Fish, &["ordersync", ""], &all), "words\nlist\t\n");
        assert_eq!(render(Shell::Fish, &["ordersync", "-"], &all[1..]), "words\n--search\t\n");
        assert_eq!(render(Shell::Fish, &["ordersync", ""], &all[1..]), "words\n--search\t\n");
        assert_eq!(render(Shell::Bash, &["ordersync", ""], &all[1..]), "words\n");
        assert_eq!(render(Shell::Bash, &["ordersync", "-"], &all[1..]), "words\n--search\n");
    }
}
