//! The page that a sandbox shows at its address in a browser.

use maud::{Markup, html};

use super::layout::card;

/// The page of the sandbox at this address.
pub(in crate::web) fn landing(address: &str) -> Markup {
    let steps = [
        ("Open the widget, as your users will see it", format!("ordersync widget open --base-url {address}")),
        (
            "Use the command line",
            format!(
                "export ORDERSYNC_BASE_URL={address}\nexport ORDERSYNC_TOKEN=$(ordersync sandbox token)\nordersync connect"
            ),
        ),
        ("Call it over HTTP", format!("curl {address}/sync/retailers")),
    ];
    card(&html! {
        h1 { "Order sync sandbox" }
        p.lead {
            "This service connects accounts at online retailers and serves what was bought there, line by line. "
            "In a sandbox the retailers are simulated."
        }
        div.steps {
            @for (title, commands) in &steps {
                section { h2 { (title) } pre { code { (commands) } } }
            }
        }
        p {
            "The service: " a href="/healthz" { "alive" } " · " a href="/readyz" { "ready" } " · "
            a href="/sync/retailers" { "retailers" } " · " a href="/device" { "enter a device code" } " · " a href="/account" { "a user’s account" }
        }
    })
}
