//! The question that replaces a one-time password, if the browser's user has already agreed to the app in this session.

use maud::{Markup, html};

use super::consent::account;
use super::layout::{card, hidden};

/// The content of the page.
pub(in crate::web) struct Confirm<'a> {
    pub(in crate::web) client_name: &'a str,
    pub(in crate::web) phone_last4: &'a str,
    /// The retailers that the user shares with the app already.
    pub(in crate::web) shared: &'a [&'a str],
    /// Distinguishes this link from another that the same browser may open: the answer is for this one alone.
    pub(in crate::web) link: &'a str,
    pub(in crate::web) csrf: &'a str,
}

/// The page.
pub(in crate::web) fn confirm(confirm: &Confirm<'_>) -> Markup {
    let client = html! { span.client { (confirm.client_name) } };
    card(&html! {
        h1 { "Continue to " (client) "?" }
        p.lead { "You are signed in with the number ending in " span.nowrap { (confirm.phone_last4) } "." }
        p {
            "Your account at " (client) " is linked to this number. " (client) " sees the retailers that you share with it. "
            @if confirm.shared.is_empty() {
                "Nothing is shared yet: you choose on the next page."
            } @else {
                "You share already: " (confirm.shared.join(", ")) "."
            }
        }
        (only_if_from(confirm.client_name))
        form method="post" action="/widget/confirm" {
            (hidden(&[("link", confirm.link), ("csrf", confirm.csrf)]))
            button.primary type="submit" { "Continue as the user ending in " (confirm.phone_last4) }
        }
        (account(confirm.phone_last4, "/widget", confirm.csrf))
    })
}

/// A person who sent the link to somebody else would see what is shared here.
pub(in crate::web) fn only_if_from(client_name: &str) -> Markup {
    html! {
        p.warning {
            "Continue only if you came here from " span.client { (client_name) } " yourself. "
            "If somebody else sent you the link, close this page."
        }
    }
}
