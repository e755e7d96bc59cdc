//! A website that a test makes up: it answers each request as a function says, closes the connection, and goes on until
//! the test ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

#[derive(Clone)]
pub(super) struct Asked {
    pub(super) method: String,
    /// With the query.
    pub(super) path: String,
    pub(super) cookie: String,
    pub(super) authorization: String,
    pub(super) body: String,
}

pub(super) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    is_endless: bool,
}

impl Answer {
    pub(super) fn page(html: impl Into<Vec<u8>>) -> Self {
        Self::new(200, html)
    }

    /// The same with another text.
    pub(super) fn replacing(mut self, from: &str, to: &str) -> Self {
        self.body = String::from_utf8_lossy(&self.body).replace(from, to).into();
        self
    }

    pub(super) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type", "text/html; charset=utf-8".to_owned())];
        Self { status, headers, body: body.into(), is_endless: false }
    }

    pub(super) fn json(json: &serde_json::Value) -> Self {
        Self { headers: vec![("Content-Type", "application/json".to_owned())], ..Self::page(json.to_string()) }
    }

    pub(super) fn of_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(super) fn redirect(to: &str) -> Self {
        Self::new(302, "").with("Location", to)
    }

    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name || name == "Set-Cookie");
        self.headers.push((name, value.to_owned()));
        self
    }

    /// The same once more.
    pub(super) fn again(&self) -> Self {
        Self { headers: self.headers.clone(), body: self.body.clone(), ..*self }
    }

    /// A body that never ends.
    pub(super) fn endless() -> Self {
        Self { is_endless: true, ..Self::page("<p>more") }
    }
}

type Answers = dyn Fn(&Asked) -> Answer + Send + Sync;

/// A running website.
pub(super) struct Site {
    pub(super) uri: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// A website that answers so. The function is given the address that the site has.
    pub(super) fn start<F: Fn(&Asked) -> Answer + Send + Sync + 'static>(make: impl FnOnce(&str) -> F) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let uri = format!("http://{}", listener.local_addr().expect("address"));
        let answers: Arc<Answers> = Arc::new(make(&uri));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answers, log) = (Arc::clone(&answers), Arc::clone(&log));
                std::thread::spawn(move || serve(stream, &*answers, &log));
            }
        });
        Self { uri, asked }
    }

    /// Methods and paths of the requests so far.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("lock").clone()
    }
}

fn serve(stream: TcpStream, answers: &Answers, log: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let (mut cookie, mut authorization, mut length) = (String::new(), String::new(), 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        match header.trim_end().split_once(": ") {
            None => break,
            Some((name, value)) if name.eq_ignore_ascii_case("cookie") => cookie = value.to_owned(),
            Some((name, value)) if name.eq_ignore_ascii_case("authorization") => authorization = value.to_owned(),
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().ok()?,
            Some(_) => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    log.lock().ok()?.push(format!("{method} {path}"));
    let answer = answers(&Asked { method, path, cookie, authorization, body: String::from_utf8(body).ok()? });
    write(stream, &answer)
}

fn write(mut stream: TcpStream, answer: &Answer) -> Option<()> {
    let mut head = format!("HTTP/1.1 {} X\r\nConnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !answer.is_endless {
        head.push_str(&format!("Content-Length: {}\r\n", answer.body.len()));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    stream.write_all(&answer.body).ok()?;
    if answer.is_endless {
        // Until nobody reads on.
        std::io::copy(&mut std::io::repeat(b'x'), &mut stream).ok()?;
    }
    Some(())
}
