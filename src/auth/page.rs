//! The page that the browser shows after a sign-in. It loads nothing else, and embeds the style sheet of the service's
//! pages so that it looks like them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, PreEscaped, html};
use sha2::{Digest as _, Sha256};

const STYLE: &str = include_str!("../../crates/service/src/web/assets/pages.css");
const MARK: &str = include_str!("../../crates/service/src/web/assets/mark.svg");

/// How the sign-in ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Done,
    Failed,
}

/// The page's content security policy.
pub(super) fn policy() -> String {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

pub(super) fn page(ending: Ending, title: &str, text: &str) -> String {
    let (class, path) = match ending {
        Ending::Done => ("sign done", "M5 12.5l4.5 4.5L19 7.5"),
        Ending::Failed => ("sign failed", "M12 6.5v7M12 17.2v.3"),
    };
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " · ordersync" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                div.stage {
                    header { span.brand { (mark()) span { "ordersync" } } }
                    main.card {
                        span class=(class) aria-hidden="true" {
                            svg viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="2"
                                stroke-linecap="round" stroke-linejoin="round" { path d=(path) {} }
                        }
                        h1 { (title) }
                        p.lead { (text) }
                    }
                }
            }
        }
    };
    document.into_string()
}

/// The logo, embedded in the page at its usual size.
fn mark() -> PreEscaped<String> {
    PreEscaped(MARK.trim_end().replacen(
        "<svg ",
        "<svg class=\"mark\" width=\"24\" height=\"24\" aria-hidden=\"true\" ",
        1,
    ))
}
