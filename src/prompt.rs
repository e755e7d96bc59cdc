//! Questions to a person. Where there is none, what is missing is an error that names the flag to give: a command never
//! hangs on a question that nobody sees.

use std::io;

use secrecy::SecretString;

use crate::error::{Error, Result};
use crate::policy::NoPrompt;

/// A way to ask, or the reason why there is none.
#[derive(Debug, Clone)]
pub struct Prompt {
    refusal: Option<NoPrompt>,
}

impl Prompt {
    /// What [`crate::policy::may_prompt`] decided.
    #[must_use]
    pub fn new(decision: Result<(), NoPrompt>) -> Self {
        Self { refusal: decision.err() }
    }

    /// Whether somebody may be asked.
    #[must_use]
    pub const fn is_possible(&self) -> bool {
        self.refusal.is_none()
    }

    /// The error of asking for `what` where nobody may be asked; `instead` are the flags to give.
    fn check(&self, what: &str, instead: &str) -> Result<()> {
        match self.refusal {
            None => Ok(()),
            Some(why) => Err(Error::usage(format!("{what} is needed, and {}.", why.reason())).hint(instead)),
        }
    }

    /// Asks for a line.
    ///
    /// # Errors
    /// Where nobody may be asked, or Ctrl-C ends it.
    pub async fn text(&self, what: &str, instead: &str) -> Result<String> {
        self.check(what, instead)?;
        let what = what.to_owned();
        ask(move || dialoguer::Input::<String>::with_theme(&Plain).with_prompt(what).interact_text()).await
    }

    /// Asks for a line that is not shown while it is typed.
    ///
    /// # Errors
    /// Where nobody may be asked, or Ctrl-C ends it.
    pub async fn secret(&self, what: &str, instead: &str) -> Result<SecretString> {
        self.check(what, instead)?;
        let what = what.to_owned();
        ask(move || dialoguer::Password::with_theme(&Plain).with_prompt(what).report(false).interact())
            .await
            .map(SecretString::from)
    }

    /// Asks for one of several, by its index.
    ///
    /// # Errors
    /// Where nobody may be asked, or Ctrl-C ends it.
    pub async fn choose(&self, what: &str, options: Vec<String>, instead: &str) -> Result<usize> {
        self.check(what, instead)?;
        let what = what.to_owned();
        ask(move || dialoguer::Select::with_theme(&Plain).with_prompt(what).items(&options).default(0).interact()).await
    }
}

/// Questions without ornament; a colon only where there is no question mark.
struct Plain;

impl dialoguer::theme::Theme for Plain {
    fn format_prompt(&self, f: &mut dyn std::fmt::Write, prompt: &str) -> std::fmt::Result {
        if prompt.ends_with('?') { f.write_str(prompt) } else { write!(f, "{prompt}:") }
    }

    fn format_input_prompt_selection(
        &self,
        f: &mut dyn std::fmt::Write,
        prompt: &str,
        selection: &str,
    ) -> std::fmt::Result {
        self.format_prompt(f, prompt)?;
        write!(f, " {selection}")
    }
}

/// Asks on a thread of its own, the terminal as it was afterwards: also when Ctrl-C leaves the thread where it is.
async fn ask<T: Send + 'static>(question: impl FnOnce() -> dialoguer::Result<T> + Send + 'static) -> Result<T> {
    let mut guard = terminal::Guard::hold();
    let answer = tokio::task::spawn_blocking(question).await;
    match answer {
        Ok(Ok(answer)) => {
            guard.is_answered = true;
            Ok(answer)
        }
        Ok(Err(dialoguer::Error::IO(why))) if why.kind() == io::ErrorKind::Interrupted => Err(Error::interrupted()),
        Ok(Err(dialoguer::Error::IO(why))) => Err(Error::usage(format!("The terminal cannot be read: {why}."))),
        Err(_) => Err(Error::usage("The terminal cannot be read.")),
    }
}

/// The state of the terminal.
mod terminal {
    #[cfg(unix)]
    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

    /// Puts the terminal back as it was, when dropped.
    pub(super) struct Guard {
        /// Whether the question's line is ended already.
        pub(super) is_answered: bool,
        #[cfg(unix)]
        before: Option<Termios>,
    }

    impl Guard {
        /// Remembers how the terminal is.
        pub(super) fn hold() -> Self {
            Self {
                is_answered: false,
                #[cfg(unix)]
                before: tcgetattr(std::io::stdin()).ok(),
            }
        }
    }

    impl Drop for Guard {
        fn drop(&mut self) {
            #[cfg(unix)]
            if let Some(before) = &self.before {
                // A terminal that has gone needs no restoring.
                let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
            }
            let terminal = console::Term::stderr();
            let _ = terminal.show_cursor();
            if !self.is_answered {
                let _ = terminal.write_line("");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_a_terminal_the_flag_to_give_is_named() {
        let prompt = Prompt::new(Err(NoPrompt::Ci));
        let error = prompt.text("The retailer", "Give --retailer ID.").await.expect_err("nobody to ask");
        assert_eq!(error.exit(), crate::exit::Exit::Usage);
        assert_eq!(error.message(), "The retailer is needed, and CI is set.");
        assert_eq!(error.hint_text(), Some("Give --retailer ID."));
    }
}
