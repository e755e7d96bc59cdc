//! Decisions about the surroundings: pure functions of facts gathered once, so that a table can hold them to their word.

use crate::flags::ColorChoice;

/// The terminal, variables and flags that decide how to prompt and to print.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Standard input is a terminal.
    pub stdin_terminal: bool,
    /// Standard output is a terminal.
    pub stdout_terminal: bool,
    /// Standard error is a terminal.
    pub stderr_terminal: bool,
    /// `CI` is set.
    pub ci: bool,
    /// `NO_COLOR` is set.
    pub no_color: bool,
    /// `CLICOLOR_FORCE` asks for colour everywhere.
    pub force_color: bool,
    /// `TERM` is `dumb`.
    pub dumb: bool,
    /// `BROWSER` names a program.
    pub browser: bool,
    /// There is a graphical display (`DISPLAY` or `WAYLAND_DISPLAY`); other systems than Linux always have one.
    pub display: bool,
    /// The terminal is on another machine.
    pub ssh: bool,
    /// Nothing should move, and words should replace signs.
    pub accessible: bool,
}

/// Why the user may not be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoPrompt {
    /// `--no-input` or its variable.
    Flag,
    /// `CI` is set.
    Ci,
    /// Standard input or standard error is not a terminal.
    NoTerminal,
}

impl NoPrompt {
    /// The reason, as a clause.
    pub(crate) const fn reason(self) -> &'static str {
        match self {
            Self::Flag => "prompts are off",
            Self::Ci => "CI is set",
            Self::NoTerminal => "there is no terminal to ask on",
        }
    }
}

/// Whether the user may be asked. A prompt that no person sees would hang forever, so every doubt means no.
pub(crate) const fn may_prompt(facts: Facts, no_input: bool) -> Result<(), NoPrompt> {
    match (no_input, facts.ci, facts.stdin_terminal && facts.stderr_terminal) {
        (true, _, _) => Err(NoPrompt::Flag),
        (_, true, _) => Err(NoPrompt::Ci),
        (_, _, false) => Err(NoPrompt::NoTerminal),
        _ => Ok(()),
    }
}

/// Whether a browser is opened, or only the page's address printed. A browser that opens on another machine than the
/// user's, or in the terminal itself, is worse than none.
pub(crate) const fn opens_browser(facts: Facts, wanted: bool) -> bool {
    let has_display = facts.display || cfg!(target_os = "macos");
    wanted && !facts.ci && (facts.browser || has_display && !facts.ssh)
}

/// Whether to wait for a user to sign in on a page. A user who named the way to sign in means it; a script that
/// just says `auth login` would wait in vain.
pub(crate) const fn may_wait_for_page(facts: Facts, no_input: bool, way_was_named: bool) -> Result<(), NoPrompt> {
    if way_was_named { Ok(()) } else { may_prompt(facts, no_input) }
}

/// Whether a stream gets colour.
pub(crate) const fn colour(choice: ColorChoice, facts: Facts, stream_is_terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if facts.no_color => false,
        ColorChoice::Auto => facts.force_color || stream_is_terminal && !facts.dumb,
    }
}

/// Whether questions are plain lines: if nothing should move, or the terminal cannot move the cursor.
pub(crate) const fn asks_plainly(facts: Facts) -> bool {
    facts.accessible || facts.dumb
}

/// The pager for what is longer than the terminal: ours, else everybody's, else `less`. None where nobody would scroll.
pub(crate) fn pager(facts: Facts, own: Option<&str>, common: Option<&str>) -> Option<String> {
    let may = facts.stdout_terminal && !facts.dumb && !facts.ci;
    let wanted = own.or(common).unwrap_or("less");
    (may && wanted.trim() != "cat").then(|| wanted.to_owned())
}

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgressStyle {
    /// Lines that update in place.
    Live,
    /// One line per change.
    Lines,
    /// Not at all.
    Silent,
}

/// How progress is shown. A trace between live lines would tear them apart, so with one there are plain lines.
pub(crate) const fn progress_style(facts: Facts, quiet: bool, verbosity: u8) -> ProgressStyle {
    let moves = facts.stderr_terminal && !facts.dumb && !facts.ci && !facts.accessible;
    match (quiet, moves && verbosity == 0) {
        (true, _) => ProgressStyle::Silent,
        (false, true) => ProgressStyle::Live,
        (false, false) => ProgressStyle::Lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Facts = Facts {
        stdin_terminal: true,
        stdout_terminal: true,
        stderr_terminal: true,
        ci: false,
        no_color: false,
        force_color: false,
        dumb: false,
        browser: false,
        display: true,
        ssh: false,
        accessible: false,
    };

    #[test]
    fn a_prompt_needs_a_terminal_on_both_ends_and_nobody_who_forbids_it() {
        for stdin in [false, true] {
            for stderr in [false, true] {
                for ci in [false, true] {
                    for no_input in [false, true] {
                        let facts = Facts { stdin_terminal: stdin, stderr_terminal: stderr, ci, ..TERMINAL };
                        assert_eq!(
                            may_prompt(facts, no_input).is_ok(),
                            stdin && stderr && !ci && !no_input,
                            "{facts:?} {no_input}"
                        );
                    }
                }
            }
        }
        // Where the result goes has no say: `ordersync connect > result.txt` may ask.
        assert!(may_prompt(Facts { stdout_terminal: false, ..TERMINAL }, false).is_ok());
    }

    #[test]
    fn a_browser_is_opened_where_the_user_would_see_it() {
        for (facts, expected) in [
            (TERMINAL, true),
            (Facts { ssh: true, ..TERMINAL }, false),
            (Facts { ci: true, ..TERMINAL }, false),
            (Facts { browser: true, display: false, ssh: true, ..TERMINAL }, true),
            (Facts { display: false, ..TERMINAL }, cfg!(target_os = "macos")),
        ] {
            assert_eq!(opens_browser(facts, true), expected, "{facts:?}");
            assert!(!opens_browser(facts, false));
        }
    }

    #[test]
    fn a_page_is_waited_for_where_somebody_may_come_or_is_meant_to() {
        let ci = Facts { ci: true, ..TERMINAL };
        assert!(may_wait_for_page(TERMINAL, false, false).is_ok());
        let piped = Facts { stdin_terminal: false, ..TERMINAL };
        assert_eq!(may_wait_for_page(piped, false, false), Err(NoPrompt::NoTerminal));
        assert!(may_wait_for_page(piped, false, true).is_ok());
        assert_eq!(may_wait_for_page(TERMINAL, true, false), Err(NoPrompt::Flag));
        assert_eq!(may_wait_for_page(ci, false, false), Err(NoPrompt::Ci));
        assert!(may_wait_for_page(ci, true, true).is_ok());
    }

    #[test]
    fn a_flag_for_colour_beats_what_the_surroundings_say() {
        let no_color = Facts { no_color: true, ..TERMINAL };
        for (choice, facts, terminal, expected) in [
            (ColorChoice::Auto, TERMINAL, true, true),
            (ColorChoice::Auto, TERMINAL, false, false),
            (ColorChoice::Auto, no_color, true, false),
            (ColorChoice::Auto, Facts { force_color: true, ..TERMINAL }, false, true),
            (ColorChoice::Auto, Facts { force_color: true, ..no_color }, true, false),
            (ColorChoice::Never, Facts { force_color: true, ..TERMINAL }, true, false),
            (ColorChoice::Auto, Facts { dumb: true, ..TERMINAL }, true, false),
            (ColorChoice::Always, no_color, false, true),
            (ColorChoice::Never, TERMINAL, true, false),
        ] {
            assert_eq!(colour(choice, facts, terminal), expected, "{choice:?} {facts:?} {terminal}");
        }
    }

    #[test]
    fn a_pager_is_ours_then_everybodys_then_less_and_never_without_somebody_to_scroll() {
        for (facts, own, common, expected) in [
            (TERMINAL, None, None, Some("less")),
            (TERMINAL, Some("most"), Some("more"), Some("most")),
            (TERMINAL, None, Some("more"), Some("more")),
            (TERMINAL, Some("cat"), Some("more"), None),
            (Facts { stdout_terminal: false, ..TERMINAL }, Some("most"), None, None),
            (Facts { stdin_terminal: false, ..TERMINAL }, None, None, Some("less")),
            (Facts { ci: true, ..TERMINAL }, None, None, None),
            (Facts { dumb: true, ..TERMINAL }, None, None, None),
        ] {
            assert_eq!(pager(facts, own, common).as_deref(), expected, "{facts:?} {own:?} {common:?}");
        }
    }

    #[test]
    fn progress_is_live_only_where_nothing_would_tear_it() {
        for (facts, quiet, verbosity, expected) in [
            (TERMINAL, false, 0, ProgressStyle::Live),
            (TERMINAL, true, 0, ProgressStyle::Silent),
            (TERMINAL, false, 1, ProgressStyle::Lines),
            (Facts { stderr_terminal: false, ..TERMINAL }, false, 0, ProgressStyle::Lines),
            (Facts { dumb: true, ..TERMINAL }, false, 0, ProgressStyle::Lines),
            (Facts { ci: true, ..TERMINAL }, false, 0, ProgressStyle::Lines),
            (Facts { accessible: true, ..TERMINAL }, false, 0, ProgressStyle::Lines),
        ] {
            assert_eq!(progress_style(facts, quiet, verbosity), expected, "{facts:?} {quiet} {verbosity}");
        }
    }
}
