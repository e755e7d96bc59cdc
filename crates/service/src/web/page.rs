//! A page as a response: its HTML frame, and the headers that keep it from loading, sending to or being framed by
//! anything that is not listed.

use axum::http::StatusCode;
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY, X_FRAME_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use maud::Markup;
use url::{Host, Url};

use super::views::layout::{self, Document};
use super::way_back::WayBack;
use crate::app::App;

/// Who may frame a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Frames {
    #[default]
    Nobody,
    /// These origins: those of a client, for its widget.
    Origins(Vec<String>),
    /// Any site: for a page that says that the widget cannot be opened, and has nothing to click.
    Anybody,
}

#[derive(Default)]
pub(super) struct Page {
    pub(super) status: StatusCode,
    pub(super) title: String,
    pub(super) body: Markup,
    pub(super) frames: Frames,
    /// Where else a form's response may redirect to.
    pub(super) form_target: Option<String>,
    /// Whether it is the widget itself, with its script.
    pub(super) is_widget: bool,
    /// A style sheet beside those of all pages.
    pub(super) style: Option<&'static str>,
    /// The app that opened the widget that the page belongs to.
    pub(super) way_back: Option<WayBack>,
}

impl Page {
    pub(super) fn new(title: impl Into<String>, body: Markup) -> Self {
        Self { title: title.into(), body, ..Self::default() }
    }

    pub(super) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// A page with a form: it has status 422 if it is shown again because of an error in its fields.
    pub(super) fn form(self, error: Option<&str>) -> Self {
        if error.is_some() { self.status(StatusCode::UNPROCESSABLE_ENTITY) } else { self }
    }

    pub(super) fn frames(mut self, frames: Frames) -> Self {
        self.frames = frames;
        self
    }

    /// A page of an app's widget: it leads back to the app, and may be framed by it.
    pub(super) fn way_back(mut self, way_back: Option<WayBack>) -> Self {
        if let Some(way_back) = &way_back {
            self.frames = Frames::of(&way_back.framed_by);
        }
        self.way_back = way_back;
        self
    }

    pub(super) fn form_target(mut self, target: Option<String>) -> Self {
        self.form_target = target;
        self
    }

    pub(super) fn widget(mut self) -> Self {
        self.is_widget = true;
        self
    }

    pub(super) const fn styled(mut self, style: &'static str) -> Self {
        self.style = Some(style);
        self
    }

    pub(super) fn render(self, app: &App) -> Response {
        let html = layout::document(&Document {
            title: &self.title,
            body: &self.body,
            // What the service inside a command has may be real.
            is_sandbox: app.environment.is_sandbox() && app.local_token.is_none(),
            is_widget: self.is_widget,
            style: self.style,
            leads_back: self.way_back.as_ref(),
        });
        let html = html.into_string();
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
            (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
            (
                HeaderName::from_static("permissions-policy"),
                HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=()"),
            ),
        ];
        let mut response = (self.status, headers, html).into_response();
        // Origins were checked when the client was created; if one is not a valid header all the same, nobody may frame
        // the page.
        let policy = HeaderValue::try_from(self.policy())
            .unwrap_or(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        if self.frames == Frames::Nobody {
            response.headers_mut().insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        }
        response
    }

    fn policy(&self) -> String {
        let ancestors = match &self.frames {
            Frames::Nobody => "'none'".to_owned(),
            Frames::Origins(origins) => origins.join(" "),
            Frames::Anybody => "*".to_owned(),
        };
        let target = self.form_target.as_deref().map(|target| format!(" {target}")).unwrap_or_default();
        format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
             form-action 'self'{target}; base-uri 'none'; frame-ancestors {ancestors}"
        )
    }
}

impl Frames {
    /// Those of a client.
    pub(super) fn of(origins: &[String]) -> Self {
        let origins: Vec<String> = origins.iter().filter(|origin| is_source(origin)).cloned().collect();
        if origins.is_empty() { Self::Nobody } else { Self::Origins(origins) }
    }
}

/// Whether the text is exactly one source within the policy.
fn is_source(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || c.is_control() || ";,'\"".contains(c))
}

/// The source that `form-action` has to list so that a form's response may redirect there: Chromium applies it to
/// redirects. It is the origin if the policy's grammar can express it; for an IPv6 host or an app's own scheme, it is
/// the scheme.
pub(super) fn form_target(redirect_uri: &str) -> Option<String> {
    let url = Url::parse(redirect_uri).ok()?;
    match url.host() {
        Some(Host::Domain(_) | Host::Ipv4(_)) if matches!(url.scheme(), "http" | "https") => {
            Some(url.origin().ascii_serialization()).filter(|origin| is_source(origin))
        }
        _ => Some(format!("{}:", url.scheme())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_may_lead_to_the_redirect_target_and_nowhere_else() {
        let target = |uri| form_target(uri);
        assert_eq!(target("http://127.0.0.1:4312/callback?a=b").as_deref(), Some("http://127.0.0.1:4312"));
        assert_eq!(target("https://shop.example/cb").as_deref(), Some("https://shop.example"));
        assert_eq!(target("http://[::1]:4312/callback").as_deref(), Some("http:"));
        assert_eq!(target("com.example.app:/cb").as_deref(), Some("com.example.app:"));
        assert_eq!(target("no address"), None);
    }
}
