//! Refusals and failures of the pages, as pages: the one place that turns an error for programs into a text for people.

use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, RETRY_AFTER};
use axum::response::Response;
use ordersync_api::{ErrorBody, ErrorCode};

use super::page::{Frames, Page};
use super::views::message::{Ending, Message, message};
use super::way_back::WayBack;
use super::widget;
use crate::app::{App, Shared};
use crate::http::problem::RefusalCode;
use crate::http::route::RouteTable;

/// The largest body that a refusal has.
const REFUSAL_BYTES: usize = 64 * 1024;

/// The state that the error pages need.
#[derive(Clone)]
pub(crate) struct ErrorPages {
    pub(crate) app: Shared,
    pub(crate) routes: RouteTable,
}

/// Shows a refusal as a page if the request was for a page and accepts HTML.
pub(crate) async fn errors_as_pages(
    State(ErrorPages { app, routes }): State<ErrorPages>,
    request: Request,
    next: axum::middleware::Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    // A person may have typed a path that matches no route.
    let is_page = path.is_none() || routes.traits(path.as_deref()).is_page;
    let wanted = is_page && accepts_html(request.headers());
    let response = next.run(request).await;
    match response.extensions().get::<RefusalCode>().copied() {
        Some(RefusalCode(code)) if wanted => as_page(&app, code, path.as_deref(), response).await,
        _ => response,
    }
}

fn accepts_html(headers: &HeaderMap) -> bool {
    headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).any(|value| value.contains("text/html"))
}

async fn as_page(app: &App, code: &str, path: Option<&str>, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let request_id = header("x-request-id");
    let body = axum::body::to_bytes(body, REFUSAL_BYTES).await.unwrap_or_default();
    let said = serde_json::from_slice::<ErrorBody>(&body).map(|body| body.message).unwrap_or_default();
    let (title, text, remedy) = in_words(code.parse().ok(), &said, header(RETRY_AFTER.as_str()));
    let shown = message(&Message {
        ending: Ending::Failed,
        title,
        text: &text,
        remedy,
        link: None,
        reference: &[("Code", code), ("Request", request_id)],
    });
    let frames = if path == Some(widget::PATH) { Frames::Anybody } else { Frames::Nobody };
    let way_back = parts.extensions.get::<WayBack>().cloned();
    let mut page = Page::new(title, shown).status(parts.status).frames(frames).way_back(way_back).render(app);
    for (name, value) in &parts.headers {
        // The refusal's other headers stay; the body and its type are new.
        if !page.headers().contains_key(name) && *name != axum::http::header::CONTENT_LENGTH {
            page.headers_mut().insert(name.clone(), value.clone());
        }
    }
    page.extensions_mut().extend(parts.extensions);
    page
}

/// Title, text and remedy for a person.
fn in_words(code: Option<ErrorCode>, said: &str, retry_after: &str) -> (&'static str, String, Option<&'static str>) {
    match code {
        Some(ErrorCode::TooManyRequests) => {
            let text = match retry_after.parse::<u64>() {
                Ok(1) => "There were too many attempts. Wait a second, then try again.".to_owned(),
                Ok(seconds) if seconds < 120 => {
                    format!("There were too many attempts. Wait {seconds} seconds, then try again.")
                }
                Ok(seconds) => {
                    format!("There were too many attempts. Wait {} minutes, then try again.", seconds.div_ceil(60))
                }
                Err(_) => "There were too many attempts. Wait a little, then try again.".to_owned(),
            };
            ("A moment, please", text, None)
        }
        Some(ErrorCode::NotFound) => ("There is nothing here", said.to_owned(), Some("Check the address, or go back.")),
        Some(ErrorCode::MethodNotAllowed) => {
            ("There is nothing here", "This address only takes a form.".to_owned(), Some("Go back, and try again."))
        }
        Some(ErrorCode::InternalError | ErrorCode::Unavailable | ErrorCode::Timeout) => (
            "Something went wrong on our side",
            "Nothing was changed. Try again in a moment.".to_owned(),
            Some("If it happens again, tell us the request below: it helps to find out why."),
        ),
        _ => ("This did not work", said.to_owned(), None),
    }
}
