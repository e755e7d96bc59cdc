//! Sign-in: the phone number, then the one-time password.

use maud::{Markup, html};

use super::confirm::only_if_from;
use super::layout::{alert, card, hidden};

/// The content that both steps share.
pub(in crate::web) struct Carried<'a> {
    /// What the sign-in is for.
    pub(in crate::web) purpose: &'a str,
    /// The app whose link led here.
    pub(in crate::web) sent_by: Option<&'a str>,
    /// The page to show afterwards.
    pub(in crate::web) next: &'a str,
    pub(in crate::web) csrf: &'a str,
    /// The error in the previous attempt.
    pub(in crate::web) error: Option<&'a str>,
    /// Whether the field gets the focus as soon as the page is shown.
    pub(in crate::web) autofocus: bool,
}

/// The phone number.
pub(in crate::web) fn phone(carried: &Carried<'_>, phone: &str) -> Markup {
    let is_wrong = carried.error.is_some();
    card(&html! {
        h1 { "Sign in" }
        p.lead { (carried.purpose) }
        @if let Some(client) = carried.sent_by { (only_if_from(client)) }
        form method="post" action="/sign-in" novalidate {
            (hidden(&[("next", carried.next), ("csrf", carried.csrf)]))
            div.field {
                label for="phone" { "Phone number" }
                input #phone name="phone" type="tel" inputmode="tel" autocomplete="tel" required autofocus[carried.autofocus] maxlength="32"
                    placeholder="+1 555 0100" value=(phone)
                    aria-invalid=[is_wrong.then_some("true")]
                    aria-describedby=(if is_wrong { "phone-error phone-hint" } else { "phone-hint" });
                @if let Some(error) = carried.error { (alert("phone-error", error)) }
                p #phone-hint.hint { "With the country code, for example +1 or +49. We send a one-time password to it." }
            }
            button.primary type="submit" { "Send one-time password" }
        }
    })
}

/// The one-time password that was sent to `phone`.
pub(in crate::web) fn code(carried: &Carried<'_>, phone: &str) -> Markup {
    let is_wrong = carried.error.is_some();
    card(&html! {
        h1 { "Check your phone" }
        p.lead { "We sent a one-time password to " strong.nowrap { (phone) } ". It is valid for five minutes." }
        form method="post" action="/sign-in/verify" novalidate {
            (hidden(&[("next", carried.next), ("csrf", carried.csrf), ("phone", phone)]))
            div.field {
                label for="code" { "One-time password" }
                input #code.code name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required autofocus[carried.autofocus]
                    maxlength="12" spellcheck="false" autocapitalize="off"
                    aria-invalid=[is_wrong.then_some("true")] aria-describedby=[is_wrong.then_some("code-error")];
                @if let Some(error) = carried.error { (alert("code-error", error)) }
            }
            button.primary type="submit" { "Sign in" }
        }
        div.aside-actions {
            form method="post" action="/sign-in" {
                (hidden(&[("next", carried.next), ("csrf", carried.csrf), ("phone", phone)]))
                button.link type="submit" { "Send a new password" }
            }
            a href=(carried.next) { "Use another number" }
        }
    })
}
