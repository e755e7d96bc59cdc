//! The door of the shops that tests make up: it notes every request, and the shop behind it answers.

use std::sync::{Arc, Mutex, MutexGuard};

use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::{Connector, retailers_file};

pub(super) const USERNAME: &str = "pat@shop.test";
pub(super) const PASSWORD: &str = "right";

/// Makes another page of a path and the page that belongs there.
pub(super) type Edit = Box<dyn Fn(&str, &str) -> String + Send>;
/// Answers some paths in the shop's place.
pub(super) type Instead = Box<dyn FnMut(&str) -> Option<ResponseTemplate> + Send>;

/// The shop's own affairs.
pub(super) trait Inside: Send + 'static {
    /// Methods and paths of the requests so far.
    fn requests(&mut self) -> &mut Vec<String>;

    fn answer(&mut self, request: &Request) -> ResponseTemplate;
}

/// A running shop.
pub(super) struct FakeShop<I> {
    server: MockServer,
    inside: Arc<Mutex<I>>,
}

impl<I: Inside> FakeShop<I> {
    pub(super) async fn open(inside: I) -> Self {
        let inside = Arc::new(Mutex::new(inside));
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(Door(Arc::clone(&inside))).mount(&server).await;
        Self { server, inside }
    }

    pub(super) fn inside(&self) -> MutexGuard<'_, I> {
        self.inside.lock().unwrap()
    }

    pub(super) fn uri(&self) -> String {
        self.server.uri()
    }

    /// How many requests so far began like this.
    pub(super) fn count(&self, beginning: &str) -> usize {
        self.inside().requests().iter().filter(|request| request.starts_with(beginning)).count()
    }
}

struct Door<I>(Arc<Mutex<I>>);

impl<I: Inside> Respond for Door<I> {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut inside = self.0.lock().unwrap();
        inside.requests().push(format!("{} {}", request.method, request.url.path()));
        inside.answer(request)
    }
}

pub(super) fn html(html: impl Into<String>) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(html.into(), "text/html; charset=utf-8")
}

/// What the operator's file makes of an entry with these lines.
pub(super) fn connector(platform: &str, base: &str, lines: &str) -> Arc<dyn Connector> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("retailers.toml");
    let pace = if lines.contains("min_interval_ms") { "" } else { "min_interval_ms = 0\n" };
    let entry = format!(
        "[[retailer]]\nid = 101\ndisplay_name = \"Shop\"\nconnector = \"{platform}\"\nbase_url = \"{base}\"\n\
         allow_private_network = true\n{pace}{lines}"
    );
    std::fs::write(&file, entry).unwrap();
    retailers_file::load_sound(&file).unwrap().remove(0).connector
}
