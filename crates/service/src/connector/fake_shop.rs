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
    fn answer(&mut self, request: &Request) -> ResponseTemplate;
}

/// A running shop.
pub(super) struct FakeShop<I> {
    server: MockServer,
    requests: Arc<Mutex<Vec<String>>>,
    inside: Arc<Mutex<I>>,
}

impl<I: Inside> FakeShop<I> {
    pub(super) async fn open(inside: I) -> Self {
        let (requests, inside) = (Arc::default(), Arc::new(Mutex::new(inside)));
        let server = MockServer::start().await;
        let door = Door { requests: Arc::clone(&requests), inside: Arc::clone(&inside) };
        Mock::given(any()).respond_with(door).mount(&server).await;
        Self { server, requests, inside }
    }

    pub(super) fn inside(&self) -> MutexGuard<'_, I> {
        self.inside.lock().unwrap()
    }

    pub(super) fn uri(&self) -> String {
        self.server.uri()
    }

    /// Methods and paths of the requests so far.
    pub(super) fn requests(&self) -> MutexGuard<'_, Vec<String>> {
        self.requests.lock().unwrap()
    }

    /// How many of them began like this.
    pub(super) fn count(&self, beginning: &str) -> usize {
        self.requests().iter().filter(|request| request.starts_with(beginning)).count()
    }
}

struct Door<I> {
    requests: Arc<Mutex<Vec<String>>>,
    inside: Arc<Mutex<I>>,
}

impl<I: Inside> Respond for Door<I> {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        self.requests.lock().unwrap().push(format!("{} {}", request.method, request.url.path()));
        self.inside.lock().unwrap().answer(request)
    }
}

pub(super) fn html(html: impl Into<String>) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(html.into(), "text/html; charset=utf-8")
}

/// As the operator's file makes it of an entry with these lines.
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
