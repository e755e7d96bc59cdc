//! What all pages share: head, sandbox banner, brand, and the parts of forms.

use maud::{DOCTYPE, Markup, html};

use super::way_back::way_back;
use crate::web::assets;
use crate::web::way_back::WayBack;

/// A whole document.
pub(in crate::web) struct Document<'a> {
    pub(in crate::web) title: &'a str,
    pub(in crate::web) body: &'a Markup,
    pub(in crate::web) is_sandbox: bool,
    pub(in crate::web) is_widget: bool,
    /// A style sheet beside those of all pages.
    pub(in crate::web) style: Option<&'a str>,
    pub(in crate::web) leads_back: Option<&'a WayBack>,
}

/// Its HTML.
pub(in crate::web) fn document(document: &Document<'_>) -> Markup {
    let Document { title, body, is_sandbox, is_widget, style, leads_back } = *document;
    // The widget's own script contains it.
    let talks = !is_widget && leads_back.is_some_and(|way_back| !way_back.framed_by.is_empty());
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " · ordersync" }
                link rel="icon" type="image/svg+xml" href=(assets::path("mark.svg"));
                link rel="stylesheet" href=(assets::path("pages.css"));
                link rel="stylesheet" href=(assets::path("forms.css"));
                @if let Some(style) = style { link rel="stylesheet" href=(assets::path(style)); }
                @if talks { script type="module" src=(assets::path("frame.js")) {} }
                @if is_widget {
                    link rel="stylesheet" href=(assets::path("widget.css"));
                    link rel="stylesheet" href=(assets::path("dialog.css"));
                    script type="module" src=(assets::path("widget.js")) {}
                }
            }
            body.wide[is_widget] {
                a.skip href="#main" { "Skip to the content" }
                @if is_sandbox { (sandbox_banner()) }
                @if let Some(leads_back) = leads_back { (way_back(leads_back)) }
                (body)
            }
        }
    }
}

fn sandbox_banner() -> Markup {
    html! {
        aside.sandbox aria-label="Sandbox" {
            p {
                strong { "Sandbox" } " "
                span {
                    "Nothing here is real. Phones "
                    span.nowrap { "+15550100" } " to " span.nowrap { "+15550199" }
                    " sign in with the one-time password " b.nowrap { "424242" } "."
                }
            }
        }
    }
}

/// The mark and the name.
pub(in crate::web) fn brand() -> Markup {
    html! {
        span.brand {
            img.mark src=(assets::path("mark.svg")) alt="" width="24" height="24";
            span { "ordersync" }
        }
    }
}

/// A page with a single task: a card in the middle.
pub(in crate::web) fn card(content: &Markup) -> Markup {
    html! {
        div.stage {
            header { (brand()) }
            main #main.card { (content) }
        }
    }
}

/// A page of the user's orders: as wide as there is room.
pub(in crate::web) fn sheet(content: &Markup) -> Markup {
    html! {
        div.sheet {
            header {
                (brand())
                nav aria-label="Your pages" {
                    a href="/account/orders" { "Orders" }
                    a href="/account/orders/charts" { "Charts" }
                    a href="/account" { "Account" }
                }
            }
            main #main { (content) }
        }
    }
}

/// The hidden fields that forms carry.
pub(in crate::web) fn hidden(fields: &[(&str, &str)]) -> Markup {
    html! { @for (name, value) in fields { input type="hidden" name=(name) value=(value); } }
}

/// Names within a sentence. The direction in which one is written ends with it.
pub(in crate::web) fn names(all: &[impl AsRef<str>]) -> Markup {
    html! { @for (place, name) in all.iter().enumerate() { @if place > 0 { ", " } bdi.break { (name.as_ref()) } } }
}

/// An error message, announced at once.
pub(in crate::web) fn alert(id: &str, text: &str) -> Markup {
    html! { p.alert id=(id) role="alert" { (text) } }
}
