//! One of many, found by a part of its name or id. What fits is always looked at before it is taken, unless its whole
//! name or id was typed: a password must not go to the wrong retailer.

use super::{Prompt, Question};
use crate::errors::Result;
use crate::names;
use crate::output::sanitize::clean;

/// With fewer, the list is shown at once.
const MANY: usize = 10;

/// A thing to pick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PickItem {
    /// What it is called.
    pub name: String,
    /// What identifies it.
    pub id: String,
    /// What else to know of it, such as `connected`.
    pub note: Option<String>,
}

impl PickItem {
    fn label(&self) -> String {
        let note = self.note.as_ref().map(|note| format!(" · {note}")).unwrap_or_default();
        clean(&format!("{} ({}){note}", self.name, self.id)).into_owned()
    }
}

impl Prompt {
    /// Asks for one of several things by its name or id, and gives its index.
    pub(crate) async fn pick(&self, question: &Question, entries: &[PickItem]) -> Result<Option<usize>> {
        self.check(&question.text, &question.instead)?;
        let numbered: Vec<(usize, &PickItem)> = entries.iter().enumerate().collect();
        if entries.len() < MANY && !self.is_plain {
            return self.pick_of(question, &numbered.iter().collect::<Vec<_>>()).await;
        }
        if self.is_plain {
            self.list(&numbered.iter().collect::<Vec<_>>());
        }
        let how =
            if self.is_plain { "name or id, or a part of it" } else { "part of its name or its id, Enter for all" };
        // In the plain form the list stays as it was printed, and only what is in it may be taken at once.
        let mut listed: Vec<(usize, &PickItem)> = numbered.clone();
        let asked = Question { text: format!("{} ({how})", question.text), is_step: true, ..question.clone() };
        loop {
            let Some(typed) = self.line_of_any_length(&asked).await? else { return Ok(None) };
            let is_all = typed.trim().is_empty();
            let mut fitting = fitting(&typed, if is_all { &numbered } else { &listed });
            let is_listed = !fitting.is_empty();
            if !is_listed && listed.len() < numbered.len() {
                if is_number(&typed) {
                    // It may have been meant as a place in the list, and be the id of something else.
                    self.output.announce(format!("{} is not in the list. Enter alone lists all.", typed.trim()));
                    continue;
                }
                fitting = self::fitting(&typed, &numbered);
            }
            match fitting.as_slice() {
                [] => self.output.announce(format!("Nothing matches \"{}\".", clean(typed.trim()))),
                [(index, entry)] if is_listed && names::is_exact(&typed, &entry.name, &entry.id) => {
                    self.settle(question, &entry.name);
                    return Ok(Some(*index));
                }
                [(index, entry)] if self.is_plain => {
                    if self.confirm(&format!("{}?", entry.label()), &question.instead).await? {
                        return Ok(Some(*index));
                    }
                }
                several if self.is_plain => {
                    self.list(several);
                    listed = several.iter().map(|one| **one).collect();
                }
                several => return self.pick_of(question, several).await,
            }
        }
    }

    async fn pick_of(&self, question: &Question, among: &[&(usize, &PickItem)]) -> Result<Option<usize>> {
        let labels = among.iter().map(|(_, entry)| entry.label()).collect();
        let names = among.iter().map(|(_, entry)| clean(&entry.name).into_owned()).collect();
        let chosen = self.choose_named(question, labels, names).await?;
        Ok(chosen.and_then(|chosen| among.get(chosen)).map(|(index, _)| *index))
    }

    fn list(&self, entries: &[&(usize, &PickItem)]) {
        for (_, entry) in entries {
            self.output.announce(format!("  {}", entry.label()));
        }
    }
}

fn fitting<'a, 'b>(typed: &str, among: &'a [(usize, &'b PickItem)]) -> Vec<&'a (usize, &'b PickItem)> {
    names::fitting(typed, among, |(_, entry)| entry.name.as_str(), |(_, entry)| entry.id.clone())
}

fn is_number(typed: &str) -> bool {
    let typed = typed.trim();
    !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit())
}
