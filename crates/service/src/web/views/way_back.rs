//! The way back to the app, at the top of a page.

use maud::{Markup, html};

use crate::web::way_back::WayBack;

/// The link, and what the script in a frame needs: the pages that it may tell that the user leaves. Within a frame, the link leads
/// the whole window back.
pub(in crate::web) fn way_back(way_back: &WayBack) -> Markup {
    let WayBack { client_name, return_url, framed_by, has_ended } = way_back;
    html! {
        nav.way-back aria-label="Back to the app" data-client=(client_name) data-framed-by=(framed_by.join(" "))
            data-ended[*has_ended] {
            @if let Some(address) = return_url {
                a href=(address) target="_top" { span aria-hidden="true" { "← " } "Back to " (client_name) }
            }
        }
    }
}
