//! The device page: the code that the device shows, then the permissions that the device asks for.

use maud::{Markup, html};
use ordersync_api::Scope;

use super::consent::{account, decision, permissions};
use super::layout::{alert, card, hidden};

/// Asks for the code.
pub(in crate::web) fn enter(given: &str, csrf: &str, phone_last4: &str, error: Option<&str>) -> Markup {
    let is_wrong = error.is_some();
    card(&html! {
        h1 { "Connect a device" }
        p.lead { "Enter the code that your device or terminal shows." }
        form method="post" action="/device" novalidate {
            (hidden(&[("csrf", csrf)]))
            div.field {
                label for="user_code" { "Code" }
                input #user_code.code name="user_code" type="text" autocomplete="off" autocapitalize="characters"
                    spellcheck="false" required autofocus maxlength="32" placeholder="XXXX-XXXX" value=(given)
                    aria-invalid=[is_wrong.then_some("true")] aria-describedby=[is_wrong.then_some("user-code-error")];
                @if let Some(error) = error { (alert("user-code-error", error)) }
            }
            button.primary type="submit" { "Continue" }
        }
        (account(phone_last4, "/device", csrf))
    })
}

/// The content of the confirmation.
pub(in crate::web) struct Confirm<'a> {
    pub(in crate::web) user_code: &'a str,
    pub(in crate::web) client_name: &'a str,
    pub(in crate::web) scopes: &'a [Scope],
    pub(in crate::web) csrf: &'a str,
    pub(in crate::web) phone_last4: &'a str,
}

/// Asks whether it is the user's own device (RFC 8628 §3.3.1, §5.4).
pub(in crate::web) fn confirm(confirm: &Confirm<'_>) -> Markup {
    let next = format!("/device?user_code={}", confirm.user_code);
    card(&html! {
        h1 { "Is this your device?" }
        p.lead {
            span.client { (confirm.client_name) } " asks to use your account from a device that shows this code:"
        }
        p.shown-code aria-label=(spelled(confirm.user_code)) role="img" { (confirm.user_code) }
        p.warning {
            "Go on only if you started this yourself and the code is the same. "
            "If somebody sent you here, don’t allow it."
        }
        p { "It will be able to:" }
        (permissions(confirm.scopes))
        form method="post" action="/device" {
            (hidden(&[("csrf", confirm.csrf), ("user_code", confirm.user_code)]))
            (decision())
        }
        (account(confirm.phone_last4, &next, confirm.csrf))
    })
}

/// Spelled letter by letter, for a screen reader.
fn spelled(code: &str) -> String {
    let letters: Vec<String> = code.chars().map(|c| if c == '-' { "dash".to_owned() } else { c.to_string() }).collect();
    format!("Code {}", letters.join(" "))
}
