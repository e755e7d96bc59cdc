//! Questions to a person. Where there is none, what is missing is an error that names the flag to give: a command never
//! hangs on a question that nobody sees.
//!
//! A question may have a time after which nobody wants the answer: it ends by itself then. Esc and Ctrl-C break it off;
//! however it ends, the terminal is as it was.

mod keys;
mod line;
mod menu;
mod plain;

use std::time::{Duration, Instant};

use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::output::Output;
use crate::output::clean::clean;
use crate::output::screen;
use crate::output::wrap::wrap;
use crate::policy::NoPrompt;
use keys::Widget;
use line::Line;
use menu::Menu;

/// Stands for every secret, however long it is.
const MASK: &str = "••••••••";
/// The same as a word.
const MASK_WORD: &str = "hidden";

/// A way to ask, or the reason why there is none.
#[derive(Debug, Clone)]
pub struct Prompt {
    refusal: Option<NoPrompt>,
    /// Questions are lines, answered by lines.
    is_plain: bool,
    output: Output,
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question {
    text: String,
    instead: String,
    until: Option<Instant>,
    initial: String,
}

impl Question {
    /// A question. `instead` are the flags to give where nobody may be asked.
    #[must_use]
    pub fn new(text: &str, instead: &str) -> Self {
        let text = clean(text).trim_end_matches([':', ' ', '.']).to_owned();
        Self { text, instead: instead.to_owned(), until: None, initial: String::new() }
    }

    /// The same with a time after which no answer is wanted.
    #[must_use]
    pub const fn until(mut self, until: Option<Instant>) -> Self {
        self.until = until;
        self
    }

    /// The same with an answer to change.
    #[must_use]
    pub fn initial(mut self, initial: &str) -> Self {
        initial.clone_into(&mut self.initial);
        self
    }

    /// The question with the time left, and a colon where it does not end in another sign.
    fn shown(&self, now: Instant) -> String {
        let stop = if self.text.ends_with(['?', '!', ']']) { "" } else { ":" };
        match self.until.map(|until| until.saturating_duration_since(now)) {
            None => format!("{}{stop}", self.text),
            Some(left) if stop.is_empty() => format!("{} ({}\u{a0}left)", self.text, minutes(left)),
            Some(left) => format!("{} ({}\u{a0}left){stop}", self.text, minutes(left)),
        }
    }

    /// The question as it stands once it is answered.
    fn settled(&self) -> String {
        let stop = if self.text.ends_with(['?', '!', ']']) { "" } else { ":" };
        format!("{}{stop}", self.text)
    }
}

/// "4:05".
fn minutes(left: Duration) -> String {
    let seconds = left.as_secs_f64().ceil() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// How a question ended.
#[derive(Debug)]
enum End<T> {
    Answered(T),
    Expired,
    /// Esc, Ctrl-C, the end of the input.
    BrokenOff,
}

impl Prompt {
    /// What [`crate::policy::may_prompt`] decided, and whether questions are plain lines.
    #[must_use]
    pub fn new(decision: Result<(), NoPrompt>, is_plain: bool, output: Output) -> Self {
        Self { refusal: decision.err(), is_plain, output }
    }

    /// Whether somebody may be asked.
    #[must_use]
    pub const fn is_possible(&self) -> bool {
        self.refusal.is_none()
    }

    /// What stands for every secret, however long it is: signs, or a word where these would be read out.
    #[must_use]
    pub const fn mask(&self) -> &'static str {
        if self.is_plain { MASK_WORD } else { MASK }
    }

    /// The error of asking for `what` where nobody may be asked; `instead` are the flags to give.
    ///
    /// # Errors
    /// Where nobody may be asked.
    pub fn check(&self, what: &str, instead: &str) -> Result<()> {
        match self.refusal {
            None => Ok(()),
            Some(why) => Err(Error::usage(format!("{what} is needed, and {}.", why.reason())).hint(instead)),
        }
    }

    /// Asks for a line; none where the time for it is over.
    ///
    /// # Errors
    /// Where nobody may be asked, or the question is broken off.
    pub async fn text(&self, question: &Question) -> Result<Option<String>> {
        self.check(&question.text, &question.instead)?;
        let answer = self.line(question, false).await?;
        Ok(answer.map(|answer| answer.expose_secret().to_owned()))
    }

    /// Asks for a line that is not shown while it is typed; none where the time for it is over.
    ///
    /// # Errors
    /// Where nobody may be asked, or the question is broken off.
    pub async fn secret(&self, question: &Question) -> Result<Option<SecretString>> {
        self.check(&question.text, &question.instead)?;
        self.line(question, true).await
    }

    async fn line(&self, question: &Question, is_secret: bool) -> Result<Option<SecretString>> {
        loop {
            let end = if self.is_plain {
                plain::line(&self.output, question, is_secret).await?
            } else {
                let shown = |typed: &SecretString| match is_secret {
                    true => MASK.to_owned(),
                    false => typed.expose_secret().to_owned(),
                };
                self.by_keys(question, Line::new(question.clone(), is_secret), shown).await?
            };
            match end {
                // Nothing that is asked for may be empty; a key too many is no answer.
                End::Answered(answer) if answer.expose_secret().trim().is_empty() => {}
                End::Answered(answer) => return Ok(Some(answer)),
                End::Expired => return Ok(None),
                End::BrokenOff => return Err(Error::interrupted()),
            }
        }
    }

    /// Asks key by key; then the question stands there with what is `shown` of its answer, as lines like any other.
    async fn by_keys<W: Widget>(
        &self,
        question: &Question,
        widget: W,
        shown: impl FnOnce(&W::Answer) -> String,
    ) -> Result<End<W::Answer>> {
        let end = keys::ask(self.output.screen(), question.until, widget).await?;
        let shown = match &end {
            End::Answered(answer) => shown(answer),
            End::Expired | End::BrokenOff => String::new(),
        };
        let width = screen::size().1.saturating_sub(1);
        for line in wrap(&format!("{} {}", question.settled(), clean(&shown)), width) {
            self.output.announce(&line);
        }
        Ok(end)
    }

    /// Asks for one of several, by its index; none where the time for it is over.
    ///
    /// # Errors
    /// Where nobody may be asked, or the question is broken off.
    pub async fn choose(&self, question: &Question, options: Vec<String>) -> Result<Option<usize>> {
        self.check(&question.text, &question.instead)?;
        let options: Vec<String> = options.iter().map(|option| clean(option).into_owned()).collect();
        let end = if self.is_plain {
            plain::choose(&self.output, question, &options).await?
        } else {
            let menu = Menu::new(question.clone(), options.clone(), self.output.colours_stderr());
            self.by_keys(question, menu, |chosen| options.get(*chosen).cloned().unwrap_or_default()).await?
        };
        match end {
            End::Answered(chosen) => Ok(Some(chosen)),
            End::Expired => Ok(None),
            End::BrokenOff => Err(Error::interrupted()),
        }
    }

    /// Asks for yes or no; Enter alone is yes.
    ///
    /// # Errors
    /// Where nobody may be asked, or the question is broken off.
    pub async fn confirm(&self, question: &str, instead: &str) -> Result<bool> {
        self.check("An answer", instead)?;
        let mut question = Question::new(&format!("{question} [Y/n]"), instead);
        loop {
            let end = if self.is_plain {
                plain::line(&self.output, &question, false).await?
            } else {
                let shown = |typed: &SecretString| match typed.expose_secret().trim() {
                    "" => "yes".to_owned(),
                    typed => typed.to_owned(),
                };
                self.by_keys(&question, Line::new(question.clone(), false), shown).await?
            };
            let End::Answered(answer) = end else { return Err(Error::interrupted()) };
            let answer = Zeroizing::new(answer.expose_secret().trim().to_lowercase());
            match answer.as_str() {
                "" | "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => question = Question::new("Yes or no? [Y/n]", instead),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::global::GlobalArgs;
    use crate::env::Environment;
    use crate::policy::Facts;

    #[tokio::test]
    async fn without_a_terminal_the_flag_to_give_is_named() {
        let output = Output::new(&GlobalArgs::default(), &Environment::default(), Facts::default());
        let prompt = Prompt::new(Err(NoPrompt::Ci), false, output);
        let error =
            prompt.text(&Question::new("The retailer", "Give --retailer ID.")).await.expect_err("nobody to ask");
        assert_eq!(error.exit(), crate::exit::Exit::Usage);
        assert_eq!(error.message(), "The retailer is needed, and CI is set.");
        assert_eq!(error.hint_text(), Some("Give --retailer ID."));
    }

    #[test]
    fn a_question_ends_in_one_sign_and_says_the_time_left() {
        let now = Instant::now();
        let until = Some(now + Duration::from_secs(245));
        for (text, plain, timed) in [
            ("Username", "Username:", "Username (4:05 left):"),
            ("Enter the code.", "Enter the code:", "Enter the code (4:05 left):"),
            ("Your verification code?:", "Your verification code?", "Your verification code? (4:05 left)"),
            ("Code: ", "Code:", "Code (4:05 left):"),
        ] {
            assert_eq!(Question::new(text, "").shown(now), plain);
            let shown = Question::new(text, "").until(until).shown(now);
            assert_eq!(shown.replace('\u{a0}', " "), timed);
        }
    }
}
