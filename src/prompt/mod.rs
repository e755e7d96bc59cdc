//! Questions to a person. Without one, a missing value is an error that names the flag to give: a command never hangs
//! on a question that no person sees.
//!
//! A question may have a time after which nobody wants the answer: it ends by itself then. Ctrl-C ends every question,
//! Esc a list, and Ctrl-D a password or a question in the plain form; however it ends, the terminal is as it was, and nothing
//! is left that reads from it.

mod ask;
mod parent;
mod pick;
mod plain;
mod question;

use console::{measure_text_width, truncate_str};
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use crate::errors::{Advice, Error, Result};
use crate::output::Output;
use crate::output::sanitize::clean;
use crate::output::screen;
use crate::output::wrap::wrap;
use crate::policy::NoPrompt;
pub(crate) use ask::child;
use ask::{Asked, Given, QuestionKind};
pub(crate) use pick::PickItem;
pub(crate) use question::Question;

/// Stands for every secret, however long it is.
const MASK: &str = "••••••••";
/// Stands for every secret, in plain output.
const MASK_WORD: &str = "hidden";
/// The columns that stay free behind a question for its answer; a longer question is printed above a short one.
const FOR_ANSWER: usize = 24;
/// The columns of " [Page 10/12] " behind the question of a list.
const FOR_PAGE: usize = 14;
/// The keys of a list, as many words as there is room for.
const KEYS: [&str; 2] = [" ↑↓ and Enter, Esc cancels", " ↑↓ Enter Esc"];
/// dialoguer cannot draw in a terminal that is smaller.
const SMALLEST: (usize, usize) = (6, 24);

/// A way to ask, or the reason why there is none.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    refusal: Option<NoPrompt>,
    /// Questions are lines, answered by lines.
    is_plain: bool,
    output: Output,
}

/// How a question ended.
#[derive(Debug)]
enum End<T> {
    Answered(T),
    Expired,
    /// Esc, Ctrl-C, the end of the input.
    BrokenOff,
}

impl<T> End<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> End<U> {
        match self {
            Self::Answered(answer) => End::Answered(change(answer)),
            Self::Expired => End::Expired,
            Self::BrokenOff => End::BrokenOff,
        }
    }

    /// The answer; none if the time for it is over.
    fn answer(self) -> Result<Option<T>> {
        match self {
            Self::Answered(answer) => Ok(Some(answer)),
            Self::Expired => Ok(None),
            Self::BrokenOff => Err(Error::interrupted()),
        }
    }
}

impl Prompt {
    /// What [`crate::policy::may_prompt`] decided, and whether questions are plain lines.
    pub(crate) fn new(decision: Result<(), NoPrompt>, is_plain: bool, output: Output) -> Self {
        let (rows, columns) = screen::size();
        let is_small = rows < SMALLEST.0 || columns < SMALLEST.1;
        Self { refusal: decision.err(), is_plain: is_plain || is_small, output }
    }

    /// Whether the user may be asked.
    pub(crate) const fn is_possible(&self) -> bool {
        self.refusal.is_none()
    }

    /// What replaces every secret, however long it is: signs, or a word if these would be read out.
    pub(crate) const fn mask(&self) -> &'static str {
        if self.is_plain { MASK_WORD } else { MASK }
    }

    /// The error of asking for `what` if the user may not be asked; `instead` are the flags to give.
    pub(crate) fn check(&self, what: &str, instead: &Advice) -> Result<()> {
        match self.refusal {
            None => Ok(()),
            Some(why) => Err(Error::usage(format!("{what} is needed, and {}.", why.reason())).hint(instead)),
        }
    }

    /// Asks for a line of characters; none if the time for it is over.
    pub(crate) async fn text(&self, question: &Question) -> Result<Option<String>> {
        self.check(&question.text, &question.instead)?;
        loop {
            let Some(answer) = self.line_of_any_length(question).await? else { return Ok(None) };
            match flaw(&answer) {
                Some(flaw) => self.output.announce(flaw),
                None => return Ok(Some(answer.to_string())),
            }
        }
    }

    async fn line_of_any_length(&self, question: &Question) -> Result<Option<Zeroizing<String>>> {
        let answer = if self.is_plain {
            plain::line(&self.output, question, false).await?.map(|typed| typed.expose_secret().to_owned())
        } else {
            let form = QuestionKind::Text { initial: question.initial.clone() };
            let text = |given: &Given| match given {
                Given::Text(typed) => typed.clone(),
                _ => String::new(),
            };
            let shown = |given: &Given| if question.is_masked { masked(given) } else { text(given) };
            self.ask(question, form, shown).await?.map(|given| text(&given))
        };
        Ok(answer.answer()?.map(Zeroizing::new))
    }

    /// Asks for a line of characters that is not shown while it is typed; none if the time for it is over.
    pub(crate) async fn secret(&self, question: &Question) -> Result<Option<SecretString>> {
        self.check(&question.text, &question.instead)?;
        loop {
            let answer = if self.is_plain {
                plain::line(&self.output, question, true).await?
            } else {
                self.ask(question, QuestionKind::Secret, masked).await?.map(|given| match given {
                    Given::Text(typed) => SecretString::from(typed),
                    _ => SecretString::default(),
                })
            };
            let Some(answer) = answer.answer()? else { return Ok(None) };
            match flaw(answer.expose_secret()) {
                Some(flaw) => self.output.announce(flaw),
                None => return Ok(Some(answer)),
            }
        }
    }

    /// Asks; then the question and what is `shown` of its answer are lines like any other.
    async fn ask(
        &self,
        question: &Question,
        form: QuestionKind,
        shown: impl FnOnce(&Given) -> String,
    ) -> Result<End<Given>> {
        let (columns, mut question) = (screen::size().1.saturating_sub(1), question.clone());
        if measure_text_width(&question.shown()) + FOR_ANSWER > columns {
            self.output.announce(question.settled());
            question.text = question.short.clone();
        }
        let mut text = question.shown();
        if let QuestionKind::Select { options } = &form {
            let for_page = if ask::has_pages(options.len()) { FOR_PAGE } else { 0 };
            text = with_keys(&text, columns.saturating_sub(for_page));
        }
        let asked = Asked { form, text, colour: self.output.colours_stderr() };
        let end = parent::ask(&self.output, &asked, question.until).await?;
        if let End::Answered(given) = &end {
            self.settle(&question, &shown(given));
        }
        Ok(end)
    }

    /// Leaves the question and what is shown of its answer as lines like any other.
    fn settle(&self, question: &Question, shown: &str) {
        if question.is_step || shown.is_empty() {
            return;
        }
        self.show(&format!("{} {shown}", question.settled()));
    }

    /// Prints what a question is about; what a no-break space holds together stays on one line.
    pub(crate) fn show(&self, text: &str) {
        for line in wrap(&clean(text), screen::size().1.saturating_sub(1)) {
            self.output.announce(&line);
        }
    }

    /// Asks for one of several, by its index; none if the time for it is over.
    pub(crate) async fn choose(&self, question: &Question, options: Vec<String>) -> Result<Option<usize>> {
        self.check(&question.text, &question.instead)?;
        self.choose_named(question, options.clone(), options).await
    }

    /// Lets the user choose an option; once one is chosen, its name is shown.
    async fn choose_named(
        &self,
        question: &Question,
        options: Vec<String>,
        names: Vec<String>,
    ) -> Result<Option<usize>> {
        let options: Vec<String> = options.iter().map(|option| clean(option).into_owned()).collect();
        if self.is_plain {
            return plain::choose(&self.output, question, &options).await?.answer();
        }
        let columns = screen::size().1;
        let form = QuestionKind::Select { options: options.iter().map(|option| fitting(option, columns)).collect() };
        let chosen = |given: &Given| match given {
            Given::Chosen(chosen) => Some(*chosen),
            _ => None,
        };
        let name = |given: &Given| chosen(given).and_then(|chosen| names.get(chosen)).cloned().unwrap_or_default();
        let end = self.ask(question, form, name).await?;
        Ok(end.answer()?.and_then(|given| chosen(&given)))
    }

    /// Asks for yes or no; Enter alone is yes.
    pub(crate) async fn confirm(&self, question: &str, instead: &Advice) -> Result<bool> {
        self.check("An answer", instead)?;
        if !self.is_plain {
            let question = Question::new(question, instead).short("Yes?");
            let yes = |given: &Given| matches!(given, Given::Yes(true));
            let said = |given: &Given| if yes(given) { "yes" } else { "no" }.to_owned();
            let answer = self.ask(&question, QuestionKind::Confirm, said).await?.answer()?;
            return answer.map(|given| yes(&given)).ok_or_else(Error::interrupted);
        }
        let mut question = Question::new(&format!("{question} [Y/n]"), instead);
        loop {
            let End::Answered(answer) = plain::line(&self.output, &question, false).await? else {
                return Err(Error::interrupted());
            };
            match agreed(answer.expose_secret()) {
                Some(is_yes) => return Ok(is_yes),
                None => question = Question::new("Yes or no? [Y/n]", instead),
            }
        }
    }
}

/// Says why the question comes again, if it does. No answer may be empty. When the terminal edits the line, Esc and the
/// arrow keys end up in it, which nobody sees in a password.
fn flaw(answer: &str) -> Option<&'static str> {
    if answer.contains(char::is_control) {
        Some("The answer holds a key that is no character: type it again (Ctrl-C cancels).")
    } else if answer.trim().is_empty() {
        Some("Nothing was typed: try again (Ctrl-C cancels).")
    } else {
        None
    }
}

/// An answer of yes or no; Enter alone is yes. None: it is neither.
fn agreed(answer: &str) -> Option<bool> {
    match answer.trim().to_lowercase().as_str() {
        "" | "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

/// The mask that is shown instead of a secret answer; empty if the question comes again.
fn masked(given: &Given) -> String {
    match given {
        Given::Text(typed) if flaw(typed).is_some() => String::new(),
        _ => MASK.to_owned(),
    }
}

/// The question of a list with its keys, on one line.
fn with_keys(text: &str, columns: usize) -> String {
    let fits = |keys: &&str| measure_text_width(text) + measure_text_width(keys) <= columns;
    let keys = KEYS.iter().find(|keys| fits(keys)).copied().unwrap_or_default();
    truncate_str(&format!("{text}{keys}"), columns, "…").into_owned()
}

/// An entry of a list as long as a line of it. dialoguer takes one with more bytes than the terminal has columns for one
/// that was wrapped, and would then erase a line too many.
fn fitting(option: &str, columns: usize) -> String {
    let room = columns.saturating_sub(4);
    let mut shown = truncate_str(option, room, "…").into_owned();
    if shown.len() > columns {
        let end = (0..=room.saturating_sub(3)).rev().find(|end| shown.is_char_boundary(*end)).unwrap_or(0);
        shown.truncate(end);
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Environment;
    use crate::flags::GlobalArgs;
    use crate::policy::Facts;

    #[tokio::test]
    async fn without_a_terminal_the_flag_to_give_is_named() {
        let output = Output::new(&GlobalArgs::default(), &Environment::default(), Facts::default());
        let prompt = Prompt::new(Err(NoPrompt::Ci), false, output);
        let error =
            prompt.text(&Question::new("The retailer", "Give --retailer ID.")).await.expect_err("nobody to ask");
        assert_eq!(error.exit(), crate::errors::Exit::Usage);
        assert_eq!(error.message(), "The retailer is needed, and CI is set.");
        assert_eq!(error.advice().to_string(), "Give --retailer ID.");
    }

    #[test]
    fn the_question_of_a_list_has_the_keys_that_there_is_room_for() {
        let question = "Marrowby Market is connected already. What now?";
        assert_eq!(with_keys(question, 79), format!("{question} ↑↓ and Enter, Esc cancels"));
        assert_eq!(with_keys("Method (until 14:32:10):", 49), "Method (until 14:32:10): ↑↓ Enter Esc");
        assert_eq!(with_keys("Method (until 14:32):", 49), "Method (until 14:32): ↑↓ and Enter, Esc cancels");
        assert_eq!(with_keys(question, 47), question);
    }

    #[test]
    fn an_entry_never_takes_more_bytes_than_the_terminal_has_columns() {
        for option in ["Komadori Shōten (3) · connected", "日本語の店の名前はとても長いのです (12)", "x"]
        {
            for columns in [24, 30, 50, 80] {
                let shown = fitting(option, columns);
                assert!(shown.len() <= columns && measure_text_width(&shown) <= columns - 4, "{columns}: {shown}");
                assert!(option == shown || shown.ends_with('…'), "{shown}");
            }
        }
    }
}
