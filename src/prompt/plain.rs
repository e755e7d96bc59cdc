//! Questions as plain lines, answered by lines: for screen readers and for terminals that cannot move the cursor. The
//! terminal's own line editing is used; nothing is drawn twice.

use secrecy::{ExposeSecret as _, SecretString};

use super::ask::{Asked, Given, QuestionKind};
use super::{End, Question, parent};
use crate::errors::Result;
use crate::names;
use crate::output::Output;

/// Asks for a line.
pub(super) async fn line(output: &Output, question: &Question, is_secret: bool) -> Result<End<SecretString>> {
    let mut text = question.shown();
    if !question.initial.is_empty() {
        text = format!("{text} (Enter alone: {})", question.initial);
    }
    if is_secret {
        text += " (what you type is not shown)";
    }
    let asked = Asked { form: QuestionKind::Line { is_secret }, text, colour: false };
    Ok(match parent::ask(output, &asked, question.until).await? {
        End::Answered(Given::Text(typed)) if typed.is_empty() => {
            End::Answered(SecretString::from(question.initial.as_str()))
        }
        End::Answered(Given::Text(typed)) => End::Answered(SecretString::from(typed)),
        End::Answered(_) | End::BrokenOff => End::BrokenOff,
        End::Expired => End::Expired,
    })
}

/// Asks for one of several, by its number or a part of it.
pub(super) async fn choose(output: &Output, question: &Question, options: &[String]) -> Result<End<usize>> {
    output.announce(question.settled());
    let numbered: Vec<(usize, &String)> = options.iter().enumerate().collect();
    let mut listed = numbered.clone();
    let mut is_new = true;
    let by_number = Question { text: format!("Choose 1-{}, or type a part of it", options.len()), ..question.clone() };
    loop {
        if std::mem::take(&mut is_new) {
            for (index, option) in &listed {
                output.announce(format!("  {}. {option}", index + 1));
            }
        }
        let typed = match line(output, &by_number, false).await? {
            End::Answered(typed) => typed.expose_secret().trim().to_owned(),
            End::Expired => return Ok(End::Expired),
            End::BrokenOff => return Ok(End::BrokenOff),
        };
        // Only what is in the list that was read last is taken.
        if let Ok(number) = typed.parse::<usize>() {
            match listed.iter().find(|(index, _)| index + 1 == number) {
                Some((index, _)) => return Ok(End::Answered(*index)),
                None => output.announce(format!("There is no {number} in the list. Enter alone lists all.")),
            }
            continue;
        }
        let among = if typed.is_empty() { &numbered } else { &listed };
        let fitting = names::fitting(&typed, among, |(_, option)| option.as_str(), |_| String::new());
        match fitting.as_slice() {
            [(index, _)] => return Ok(End::Answered(*index)),
            [] => output.announce("Nothing in the list matches. Enter alone lists all."),
            several => {
                let several = several.iter().map(|one| **one).collect();
                (listed, is_new) = (several, true);
            }
        }
    }
}
