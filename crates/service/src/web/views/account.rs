//! The user's own account, and the pages that ask before something is removed.

use maud::{Markup, html};

use super::consent::account as signed_in;
use super::layout::{alert, card, hidden, names};
use crate::store::accounts::account::{ClientWithAccess, OwnConnection};

/// The word that is typed to delete an account.
pub(in crate::web) const CONFIRMATION: &str = "delete";

/// The content of the page.
pub(in crate::web) struct Account<'a> {
    pub(in crate::web) connections: &'a [OwnConnection],
    pub(in crate::web) clients: &'a [ClientWithAccess],
    /// The signed-in user: the last digits of the phone number.
    pub(in crate::web) phone_last4: &'a str,
    pub(in crate::web) csrf: &'a str,
}

/// The page.
pub(in crate::web) fn account(account: &Account<'_>) -> Markup {
    card(&html! {
        h1 { "Your account" }
        p { a href="/account/orders" { "See your orders" } }
        section.own aria-labelledby="retailers" {
            h2 #retailers { "Connected retailers" }
            @if account.connections.is_empty() {
                p.lead { "You have not connected a retailer." }
            } @else {
                ul {
                    @for connection in account.connections {
                        li {
                            div { strong { (connection.display_name) } span { (state(connection)) } }
                            a href=(disconnect_path(connection)) aria-label=(format!("Disconnect {}", connection.display_name)) {
                                "Disconnect"
                            }
                        }
                    }
                }
            }
        }
        section.own aria-labelledby="apps" {
            h2 #apps { "Apps with access" }
            @if account.clients.is_empty() {
                p.lead { "No app has access to your account." }
            } @else {
                ul {
                    @for client in account.clients { li { div { strong { (client.name) } span { (access(client)) } } } }
                }
            }
        }
        p { a.danger href="/account/delete" { "Delete your account" } }
        (signed_in(account.phone_last4, "/account", account.csrf))
    })
}

/// Asks before a retailer is disconnected.
pub(in crate::web) fn confirm_disconnection(connection: &OwnConnection, csrf: &str) -> Markup {
    card(&html! {
        h1 { "Disconnect " span.client { (connection.display_name) } "?" }
        p.lead {
            "Its " (items(connection.items)) " and your sign-in there are deleted from this service, for every app. "
            "Your account at the retailer stays as it is."
        }
        form method="post" action="/account/disconnect" {
            (hidden(&[("connection", &connection.id), ("csrf", csrf)]))
            div.choices {
                button.primary type="submit" { "Disconnect" }
                a.button href="/account" { "Cancel" }
            }
        }
    })
}

/// Asks before the account is deleted.
pub(in crate::web) fn confirm_deletion(connections: &[OwnConnection], csrf: &str, error: Option<&str>) -> Markup {
    let is_wrong = error.is_some();
    let all = connections.iter().map(|connection| connection.items).sum();
    let retailers =
        if connections.len() == 1 { "1 retailer".to_owned() } else { format!("{} retailers", connections.len()) };
    card(&html! {
        h1 { "Delete your account?" }
        p.lead {
            "This disconnects " (retailers) ", deletes " (items(all)) ", and signs you out everywhere. It cannot be undone."
        }
        form method="post" action="/account/delete" novalidate {
            (hidden(&[("csrf", csrf)]))
            div.field {
                label for="confirmation" { "To confirm, type " (CONFIRMATION) }
                input #confirmation name="confirmation" type="text" autocomplete="off" autocapitalize="off" spellcheck="false"
                    required autofocus maxlength="32"
                    aria-invalid=[is_wrong.then_some("true")] aria-describedby=[is_wrong.then_some("confirmation-error")];
                @if let Some(error) = error { (alert("confirmation-error", error)) }
            }
            div.choices {
                button.primary type="submit" { "Delete everything" }
                a.button href="/account" { "Cancel" }
            }
        }
    })
}

fn disconnect_path(connection: &OwnConnection) -> String {
    format!("/account/disconnect?connection={}", connection.id)
}

fn state(connection: &OwnConnection) -> String {
    let synced = match connection.last_sync_at {
        _ if !connection.is_valid => "The sign-in needs to be repaired in an app".to_owned(),
        Some(at) if connection.is_complete => format!("Last synced on {}", at.format("%Y-%m-%d")),
        Some(at) => format!("Last complete sync on {}; orders may be missing", at.format("%Y-%m-%d")),
        None if connection.is_complete => "From files".to_owned(),
        None => "No complete sync yet; orders may be missing".to_owned(),
    };
    format!("{synced} · {}", items(connection.items))
}

fn items(count: u64) -> String {
    if count == 1 { "1 stored item".to_owned() } else { format!("{count} stored items") }
}

fn access(client: &ClientWithAccess) -> Markup {
    let since = client.since.map(|at| at.format("since %Y-%m-%d").to_string());
    html! {
        "Sees " @if client.shared.is_empty() { "no retailer" } @else { (names(&client.shared)) }
        " · " (since.as_deref().unwrap_or("not signed in at the moment"))
    }
}
