//! A question of yes or no, before something is deleted that cannot be brought back.

use crate::context::Context;
use crate::errors::{Advice, Error, Result};
use crate::prompt::Question;

/// Asks until yes or no is typed: Enter alone is no answer. `instead` is what to pass if the user cannot be asked,
/// `kept` what to say if the question is interrupted.
pub(crate) async fn agrees(context: &Context, question: &str, instead: &Advice, kept: Advice) -> Result<bool> {
    context.if_broken_off(kept);
    let mut question = Question::new(&format!("{question} yes or no"), instead);
    loop {
        let Some(answer) = context.prompt.text(&question).await? else { return Err(Error::interrupted()) };
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "n" | "no" => {
                // A user who said no needs no way to continue.
                context.if_broken_off(Advice::default());
                return Ok(false);
            }
            _ => question = Question::new("Please type yes or no", instead),
        }
    }
}
