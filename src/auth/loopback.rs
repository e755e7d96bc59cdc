//! Where the browser comes back to (RFC 8252 §7.3): a port of the system's choosing on this machine, one path. Only what
//! carries the right `state` ends the waiting; everything else that comes by gets a page, and the waiting goes on.

use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use url::Url;

use super::page::{Ending, page, policy};
use crate::codes;
use crate::error::{Error, Result};
use crate::hint::Hint;

const PATH: &str = "/callback";
/// More than any browser sends.
const MAX_HEAD: usize = 16 * 1024;
/// How long a connection may take to say what it wants: browsers open some that they never use.
const PATIENCE: Duration = Duration::from_secs(10);

/// The listener.
#[derive(Debug)]
pub struct Loopback {
    listener: TcpListener,
    redirect: Url,
}

/// A browser that came back, and waits for a page.
#[derive(Debug)]
pub struct Callback {
    parameters: Vec<(String, String)>,
    stream: TcpStream,
}

impl Loopback {
    /// Listens.
    ///
    /// # Errors
    /// Where no port is to be had.
    pub async fn bind() -> Result<Self> {
        let failed = |why: &dyn std::fmt::Display| {
            Error::of(&codes::command::LISTEN, format!("Cannot listen on 127.0.0.1 for the browser: {why}."))
                .hint(Hint::run("Sign in without a browser here", "ordersync auth login --device"))
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(|why| failed(&why))?;
        let port = listener.local_addr().map_err(|why| failed(&why))?.port();
        let redirect = Url::parse(&format!("http://127.0.0.1:{port}{PATH}")).map_err(|why| failed(&why))?;
        Ok(Self { listener, redirect })
    }

    /// The address to come back to.
    #[must_use]
    pub const fn redirect(&self) -> &Url {
        &self.redirect
    }

    /// Waits for the browser that brings `state` back.
    ///
    /// # Errors
    /// Where the listener breaks.
    pub async fn wait(&self, state: &str) -> Result<Callback> {
        let (sender, mut came) = mpsc::channel(1);
        loop {
            tokio::select! {
                Some(callback) = came.recv() => return Ok(callback),
                accepted = self.listener.accept() => {
                    let Ok((stream, _)) = accepted else { continue };
                    tokio::spawn(serve(stream, state.to_owned(), sender.clone()));
                }
            }
        }
    }
}

impl Callback {
    /// A parameter; one that came twice is none (RFC 6749 §3.1).
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        single(&self.parameters, name)
    }

    /// Shows the last page.
    pub async fn finish(mut self, signed_in: bool) {
        let page = if signed_in {
            page(Ending::Done, "You are signed in", "You can close this page and return to the terminal.")
        } else {
            page(Ending::Failed, "You are not signed in", "The terminal says why, and what to do.")
        };
        respond(&mut self.stream, "200 OK", &page).await;
    }
}

async fn serve(mut stream: TcpStream, state: String, sender: mpsc::Sender<Callback>) {
    let Ok(Some(target)) = timeout(PATIENCE, read_target(&mut stream)).await else { return };
    let url = Url::parse(&format!("http://127.0.0.1{target}")).ok();
    let Some(url) = url.filter(|url| url.path() == PATH) else {
        return respond(
            &mut stream,
            "404 Not Found",
            &page(Ending::Failed, "Nothing here", "This address is only for signing in."),
        )
        .await;
    };
    let parameters: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    if single(&parameters, "state") != Some(&state) {
        let text = "This page belongs to another sign-in than the one that is waiting. Start again in the terminal.";
        return respond(&mut stream, "400 Bad Request", &page(Ending::Failed, "Not this sign-in", text)).await;
    }
    // Nobody waits any more where another one was quicker.
    let _ = sender.send(Callback { parameters, stream }).await;
}

fn single<'a>(parameters: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut values = parameters.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
    values.next().filter(|_| values.next().is_none())
}

/// The target of a GET request; `None` for anything else.
async fn read_target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        if head.len() > MAX_HEAD || stream.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let line = std::str::from_utf8(&head).ok()?.lines().next()?;
    let target = line.strip_prefix("GET ")?.split(' ').next()?;
    target.starts_with('/').then(|| target.to_owned())
}

async fn respond(stream: &mut TcpStream, status: &str, page: &str) {
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: {}\r\nReferrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{page}",
        page.len(),
        policy()
    );
    // A browser that went away needs no page.
    let _ = stream.write_all(response.as_bytes()).await;
    let _ = stream.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a browser is shown.
    async fn get(redirect: &Url, target: &str) -> String {
        let address = redirect.socket_addrs(|| None).expect("address")[0];
        let mut stream = TcpStream::connect(address).await.expect("connect");
        stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.expect("write");
        let mut page = String::new();
        stream.read_to_string(&mut page).await.expect("read");
        page
    }

    #[tokio::test]
    async fn only_the_right_state_ends_the_waiting() {
        let loopback = Loopback::bind().await.expect("bind");
        let redirect = loopback.redirect().clone();
        let address = redirect.socket_addrs(|| None).expect("address")[0];
        let browser = async {
            // One that says nothing, as browsers do, holds nobody up.
            let silent = TcpStream::connect(address).await.expect("connect");
            for (target, status) in [
                ("/favicon.ico", "404"),
                ("/callback", "400"),
                ("/callback?state=wrong&code=1", "400"),
                ("/callback?state=right&state=right&code=1", "400"),
                ("//evil.test/callback?state=right", "404"),
            ] {
                let page = get(&redirect, target).await;
                assert!(page.starts_with(&format!("HTTP/1.1 {status} ")), "{target}: {page}");
            }
            let page = get(&redirect, "/callback?code=c%2B1&state=right").await;
            drop(silent);
            page
        };
        let terminal = async {
            let callback = loopback.wait("right").await.expect("callback");
            assert_eq!(callback.parameter("code"), Some("c+1"));
            assert_eq!(callback.parameter("error"), None);
            callback.finish(true).await;
        };
        let (page, ()) = tokio::join!(browser, terminal);
        assert!(page.contains("You are signed in") && page.contains("default-src 'none'"), "{page}");
        // It looks like the pages of the service.
        assert!(
            page.contains("class=\"stage\"") && page.contains("sign done") && !page.contains("unsafe-inline"),
            "{page}"
        );
    }
}
