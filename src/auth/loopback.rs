//! The address to which the browser returns (RFC 8252 §7.3): one path, on a port of this machine that the system
//! chooses. Only the first request with the right `state` ends the wait. All other requests get a page, and the wait
//! continues.

use std::fmt::Display;
use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use axum::extract::Query;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use url::Url;

use super::page::{Ending, page, policy};
use crate::errors::{Error, Hint, Result, codes};

const PATH: &str = "/callback";
/// How long the browser may take to load the last page.
#[cfg(not(test))]
const LAST_PAGE: Duration = Duration::from_secs(2);
/// So long that a test notices on any machine if something waits for it.
#[cfg(test)]
const LAST_PAGE: Duration = Duration::from_secs(300);

type Parameters = Vec<(String, String)>;

/// The listener.
#[derive(Debug)]
pub(crate) struct Loopback {
    listener: TcpListener,
    redirect: Url,
}

/// A browser that has returned and waits for a page. Dropping this stops the server.
#[derive(Debug)]
pub(crate) struct Callback {
    parameters: Parameters,
    page: oneshot::Sender<Response>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Loopback {
    /// Starts to listen.
    pub(crate) async fn bind() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(|why| failed(&why))?;
        let port = listener.local_addr().map_err(|why| failed(&why))?.port();
        let redirect = Url::parse(&format!("http://127.0.0.1:{port}{PATH}")).map_err(|why| failed(&why))?;
        Ok(Self { listener, redirect })
    }

    /// The address to which the browser is redirected.
    pub(crate) const fn redirect(&self) -> &Url {
        &self.redirect
    }

    /// Waits for the browser to return with `state`.
    pub(crate) async fn wait(self, state: &str) -> Result<Callback> {
        let ((came, mut coming), (stop, stopped)) = (mpsc::channel(1), oneshot::channel::<()>());
        let state = state.to_owned();
        let callback = move |Query(parameters)| answer(parameters, state.clone(), came.clone());
        // Without the other handlers, a HEAD request would count as GET.
        let only = get(callback).head(nothing_here).fallback(nothing_here);
        let router = Router::new().route(PATH, only).fallback(nothing_here);
        let serving = axum::serve(self.listener, router).with_graceful_shutdown(async {
            let _ = stopped.await;
        });
        let server = tokio::spawn(serving.into_future());
        let (parameters, page) = coming.recv().await.ok_or_else(|| failed(&"the listener ended"))?;
        Ok(Callback { parameters, page, stop, server })
    }
}

impl Callback {
    /// A parameter; one that occurs more than once is treated as missing (RFC 6749 §3.1).
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        single(&self.parameters, name)
    }

    /// Shows the last page, and waits until the browser has loaded it.
    pub(crate) async fn finish(self, signed_in: bool) {
        // If the browser has disconnected, it needs no page.
        let _ = self.page.send(ended(signed_in));
        drop(self.stop);
        let _ = timeout(LAST_PAGE, self.server).await;
    }
}

fn failed(why: &dyn Display) -> Error {
    Error::of(&codes::command::LISTEN, format!("Cannot listen on 127.0.0.1 for the browser: {why}."))
        .hint(Hint::run("Sign in without a browser here", "ordersync auth login --device"))
}

async fn answer(
    parameters: Parameters,
    state: String,
    came: mpsc::Sender<(Parameters, oneshot::Sender<Response>)>,
) -> Response {
    let (sender, page) = oneshot::channel();
    // The send fails if another request was first.
    if single(&parameters, "state") != Some(&state) || came.try_send((parameters, sender)).is_err() {
        let text = "This page belongs to another sign-in than the one that is waiting. Start again in the terminal.";
        return show(StatusCode::BAD_REQUEST, Ending::Failed, "Not this sign-in", text);
    }
    page.await.unwrap_or_else(|_| ended(false))
}

async fn nothing_here() -> Response {
    show(StatusCode::NOT_FOUND, Ending::Failed, "Nothing here", "This address is only for signing in.")
}

fn ended(signed_in: bool) -> Response {
    let (ending, title, text) = match signed_in {
        true => (Ending::Done, "You are signed in", "You can close this page and return to the terminal."),
        false => (Ending::Failed, "You are not signed in", "The terminal says why, and what to do."),
    };
    show(StatusCode::OK, ending, title, text)
}

fn show(status: StatusCode, ending: Ending, title: &str, text: &str) -> Response {
    let policy = policy();
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, policy.as_str()),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONNECTION, "close"),
    ];
    (status, headers, Html(page(ending, title, text))).into_response()
}

fn single<'a>(parameters: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut values = parameters.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
    values.next().filter(|_| values.next().is_none())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;

    /// The answer to a browser that keeps its connection open.
    async fn ask(redirect: &Url, method: &str, target: &str) -> String {
        let address = redirect.socket_addrs(|| None).expect("address")[0];
        let mut stream = TcpStream::connect(address).await.expect("connect");
        let request = format!("{method} {target} HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("write");
        let mut page = String::new();
        stream.read_to_string(&mut page).await.expect("read");
        page
    }

    #[tokio::test]
    async fn only_the_right_state_ends_the_waiting() {
        let loopback = Loopback::bind().await.expect("bind");
        let (redirect, again) = (loopback.redirect().clone(), loopback.redirect().clone());
        let address = redirect.socket_addrs(|| None).expect("address")[0];
        let browser = async {
            // A silent connection, as browsers open them, holds up no other request.
            let silent = TcpStream::connect(address).await.expect("connect");
            // Neither does one that stops in the middle of its request.
            let mut half = TcpStream::connect(address).await.expect("connect");
            half.write_all(b"GET /call").await.expect("write");
            for (method, target, status) in [
                ("GET", "/favicon.ico", "404"),
                ("GET", "/callback", "400"),
                ("GET", "/callback?state=wrong&code=1", "400"),
                ("GET", "/callback?state=right&state=right&code=1", "400"),
                ("GET", "//evil.test/callback?state=right", "404"),
                ("GET", "/callback/?state=right", "404"),
                ("HEAD", "/callback?state=right", "404"),
                ("POST", "/callback?state=right", "404"),
                ("OPTIONS", "/callback?state=right", "404"),
            ] {
                let page = ask(&redirect, method, target).await;
                assert!(page.starts_with(&format!("HTTP/1.1 {status} ")), "{method} {target}: {page}");
                for header in ["cache-control: no-store", "content-security-policy: default-src 'none'", "nosniff"] {
                    assert!(page.contains(header), "{target}: {page}");
                }
            }
            drop(half);
            (ask(&redirect, "GET", "/callback?code=c%2B1&state=right").await, silent)
        };
        let terminal = async {
            let callback = loopback.wait("right").await.expect("callback");
            assert_eq!(callback.parameter("code"), Some("c+1"));
            assert_eq!(callback.parameter("error"), None);
            // Only the first request counts.
            let second = ask(&again, "GET", "/callback?code=c&state=right").await;
            assert!(second.starts_with("HTTP/1.1 400 ") && second.contains("Not this sign-in"), "{second}");
            let before = Instant::now();
            callback.finish(true).await;
            assert!(before.elapsed() < LAST_PAGE, "an idle connection was waited for");
        };
        let ((page, _silent), ()) = tokio::join!(browser, terminal);
        assert!(page.contains("You are signed in") && page.contains("default-src 'none'"), "{page}");
        // It looks like the pages of the service.
        assert!(
            page.contains("class=\"stage\"") && page.contains("sign done") && !page.contains("unsafe-inline"),
            "{page}"
        );
    }
}
