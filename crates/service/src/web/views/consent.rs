//! Consent: the client and the permissions that it asks for, in words.

use maud::{Markup, html};
use ordersync_api::Scope;

use super::layout::{card, hidden};

/// The content of the consent page.
pub(in crate::web) struct Consent<'a> {
    pub(in crate::web) client_name: &'a str,
    pub(in crate::web) scopes: &'a [Scope],
    /// The signed-in user: the last digits of the phone number.
    pub(in crate::web) phone_last4: &'a str,
    /// Where the browser goes afterwards, in words for a person.
    pub(in crate::web) destination: &'a str,
    /// The authorization request, as a query.
    pub(in crate::web) query: &'a str,
    pub(in crate::web) csrf: &'a str,
}

/// The consent page.
pub(in crate::web) fn consent(consent: &Consent<'_>) -> Markup {
    let next = format!("/oauth/authorize?{}", consent.query);
    card(&html! {
        h1 { "Let " span.client { (consent.client_name) } " use your account?" }
        p.lead { "It will be able to:" }
        (permissions(consent.scopes))
        form method="post" action="/oauth/authorize/decision" {
            (hidden(&[("request", consent.query), ("csrf", consent.csrf)]))
            (decision())
        }
        p.fine { "You will return to " span.break { (consent.destination) } "." }
        (account(consent.phone_last4, &next, consent.csrf))
    })
}

/// The scopes, in words.
pub(in crate::web) fn permissions(scopes: &[Scope]) -> Markup {
    html! {
        ul.permissions {
            @for scope in scopes {
                @let (what, detail) = in_words(*scope);
                li { strong { (what) } span { (detail) } }
            }
        }
    }
}

/// The buttons to allow or deny.
pub(in crate::web) fn decision() -> Markup {
    html! {
        div.choices {
            button.primary type="submit" name="decision" value="approve" { "Allow" }
            button type="submit" name="decision" value="deny" { "Don’t allow" }
        }
    }
}

/// Who is signed in, and a way to switch to another account.
pub(in crate::web) fn account(phone_last4: &str, next: &str, csrf: &str) -> Markup {
    html! {
        form.account method="post" action="/sign-out" {
            (hidden(&[("next", next), ("csrf", csrf)]))
            span {
                "Signed in"
                @if !phone_last4.is_empty() {
                    " with " span.nowrap { span aria-hidden="true" { "•••• " } span.visually-hidden { "the number ending in " } (phone_last4) }
                }
            }
            button.link type="submit" { "Not you?" }
        }
    }
}

/// A permission in everyday words.
const fn in_words(scope: Scope) -> (&'static str, &'static str) {
    match scope {
        Scope::AccountsRead => ("See your connected retailers", "Those you share with it, and how each sync went."),
        Scope::AccountsConnect => {
            ("Connect retailers for you", "Add a retailer, repair a connection, and pass on verification codes.")
        }
        Scope::AccountsSync => ("Start a sync", "Fetch your latest orders from the retailers you share with it."),
        Scope::OrdersRead => ("Read your orders", "Every item, with its price, quantity, date and shipment."),
        Scope::ProfileRead => {
            ("See your profile", "Your name and email, and the last four digits of your phone number.")
        }
        Scope::UsersShare => {
            ("Link your account with it", "Open the connection page for you, and see what you share there.")
        }
    }
}
