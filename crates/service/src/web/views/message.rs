//! A page that reports an outcome.

use maud::{Markup, html};

use super::layout::card;

/// The outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum Ending {
    /// It succeeded.
    Done,
    /// The user refused.
    Refused,
    /// It cannot continue.
    Failed,
}

/// The content of a message.
pub(in crate::web) struct Message<'a> {
    pub(in crate::web) ending: Ending,
    pub(in crate::web) title: &'a str,
    pub(in crate::web) text: &'a str,
    /// What to do about it.
    pub(in crate::web) remedy: Option<&'a str>,
    /// A page to go to: its path, and the text of the link.
    pub(in crate::web) link: Option<(&'a str, &'a str)>,
    /// For support: an error code, a request id.
    pub(in crate::web) reference: &'a [(&'a str, &'a str)],
}

/// The page.
pub(in crate::web) fn message(message: &Message<'_>) -> Markup {
    card(&html! {
        (sign(message.ending))
        h1 { (message.title) }
        p.lead { (message.text) }
        @if let Some(remedy) = message.remedy { p { (remedy) } }
        @if let Some((path, text)) = message.link { p { a.button href=(path) { (text) } } }
        @if !message.reference.is_empty() {
            dl.reference {
                @for (name, value) in message.reference { div { dt { (name) } dd { (value) } } }
            }
        }
    })
}

fn sign(ending: Ending) -> Markup {
    let (class, path) = match ending {
        Ending::Done => ("sign done", "M5 12.5l4.5 4.5L19 7.5"),
        Ending::Refused => ("sign refused", "M6 12h12"),
        Ending::Failed => ("sign failed", "M12 6.5v7M12 17.2v.3"),
    };
    html! {
        span class=(class) aria-hidden="true" {
            svg viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="2"
                stroke-linecap="round" stroke-linejoin="round" { path d=(path) {} }
        }
    }
}
