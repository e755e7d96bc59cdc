//! The widget's frame: its data is in data attributes; the script fills in the rest.

use maud::{Markup, html};

use super::layout::{brand, hidden};

/// The widget's data.
pub(in crate::web) struct Widget<'a> {
    pub(in crate::web) client_name: &'a str,
    pub(in crate::web) phone_last4: &'a str,
    pub(in crate::web) csrf: &'a str,
    /// Distinguishes this link from another that the same browser may open.
    pub(in crate::web) link: &'a str,
    /// What may be typed as credentials, where anybody may try.
    pub(in crate::web) hint: Option<String>,
}

pub(in crate::web) fn widget(widget: &Widget<'_>) -> Markup {
    html! {
        div.frame {
            header.bar {
                (brand())
                form.account method="post" action="/sign-out" {
                    (hidden(&[("next", "/widget"), ("csrf", widget.csrf)]))
                    span.who {
                        span aria-hidden="true" { "•••• " } span.visually-hidden { "Signed in with the number ending in " }
                        (widget.phone_last4)
                    }
                    button.link type="submit" { "Sign out" }
                }
            }
            main #main tabindex="-1" {
                h1 { "Your retailers" }
                p.lead {
                    "Connect the shops you buy from, and choose what "
                    span.client { (widget.client_name) } " may see."
                }
                noscript { p.notice { "This page needs JavaScript: your retailer passwords are sealed in your browser before they are sent." } }
                div #widget data-client=(widget.client_name) data-csrf=(widget.csrf) data-link=(widget.link)
                    data-hint=[&widget.hint] {}
            }
            footer.assurance {
                p {
                    "Your retailer passwords are sealed in this browser before they are sent. "
                    (widget.client_name) " sees the orders of the retailers you share, and never a password."
                }
            }
        }
        div #announcer.visually-hidden role="status" aria-live="polite" {}
    }
}
