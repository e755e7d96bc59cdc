//! The way back to the app that opened the widget: on every page that the app's users see, the address that the app registered,
//! unchanged. In a frame, the app is also told that its user leaves (`assets/frame.js`).

use crate::links::Link;

/// The app, and where its users go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WayBack {
    pub(super) client_name: String,
    /// None: the app gave no address.
    pub(super) return_url: Option<String>,
    /// Sources of the pages that may frame ours, which alone hear anything.
    pub(super) framed_by: Vec<String>,
    /// Whether the widget has ended: there is nothing else to do.
    pub(super) has_ended: bool,
}

impl WayBack {
    /// That of a link.
    pub(super) fn of(link: &Link) -> Self {
        Self {
            client_name: link.client_name.clone(),
            return_url: link.return_url.clone(),
            framed_by: link.frame_ancestors.clone(),
            has_ended: false,
        }
    }

    /// That of a link whose widget has ended.
    pub(super) fn ended(link: &Link) -> Self {
        Self { has_ended: true, ..Self::of(link) }
    }
}
