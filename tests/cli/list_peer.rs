//! A service that lists line items, byte by byte as a test tells it to: it may cut an answer off, never end it, or give
//! another one. It closes each connection after its answer, and goes on until the test ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::support::{Home, Run};

/// An item: the greater the id, the further down in the list; a hundred to a moment.
pub(super) fn item(id: usize) -> Value {
    let date = format!("20{:02}-01-01T00:00:00Z", 99 - id / 100);
    json!({"id": format!("item_{id:06}"), "orderDate": date, "itemName": format!("\"{id}\", ü\n😀"), "price": "1.50"})
}

/// These items, in their order.
pub(super) fn items(ids: impl IntoIterator<Item = usize>) -> Vec<Value> {
    ids.into_iter().map(item).collect()
}

/// A request for a page.
pub(super) struct Asked {
    pub(super) offset: usize,
    pub(super) limit: usize,
    pub(super) token: String,
}

pub(super) enum Answer {
    /// The page that was asked for.
    Page,
    /// Another page than the one that was asked for, with the right count.
    Items(Vec<Value>),
    /// These bytes, and the end of the connection.
    Bytes(Vec<u8>),
    /// These bytes, and silence.
    Stall(Vec<u8>),
}

type Script = Box<dyn Fn(&Asked, &[Value]) -> Answer + Send>;

struct State {
    list: Vec<Value>,
    script: Script,
    requests: usize,
    silent: Vec<TcpStream>,
}

pub(super) struct Peer {
    address: String,
    state: Arc<Mutex<State>>,
}

impl Peer {
    /// Lists these items, and answers as `script` says.
    pub(super) fn start(list: Vec<Value>, script: impl Fn(&Asked, &[Value]) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("port");
        let address = format!("http://{}", listener.local_addr().expect("address"));
        let state = State { list, script: Box::new(script), requests: 0, silent: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let answering = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &answering);
            }
        });
        Self { address, state }
    }

    /// Lists these items from now on, and nothing goes wrong any more.
    pub(super) fn recovers(&self, list: Vec<Value>) {
        let mut state = self.state.lock().expect("lock");
        state.list = list;
        state.script = Box::new(|_, _| Answer::Page);
    }

    /// Waits until every request of a command that has ended is answered: they are answered one after the other.
    pub(super) fn settle(&self) {
        let mut stream = TcpStream::connect(self.address.trim_start_matches("http://")).expect("connect");
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("write");
        let _ = stream.read_to_end(&mut Vec::new());
    }

    /// How many pages were asked for.
    pub(super) fn requests(&self) -> usize {
        self.state.lock().expect("lock").requests
    }

    pub(super) fn command(&self, home: &Home, arguments: &[&str]) -> std::process::Command {
        home.command_at(&self.address, arguments)
    }

    pub(super) fn run(&self, home: &Home, arguments: &[&str]) -> Run {
        Run::of(self.command(home, arguments))
    }
}

fn answer(mut stream: TcpStream, state: &Mutex<State>) {
    let Ok(reading) = stream.try_clone() else { return };
    let head: Vec<String> =
        BufReader::new(reading).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let Some(target) = head.first().and_then(|line| line.split(' ').nth(1)) else { return };
    if !target.starts_with("/sync/orders?") {
        let _ = stream.write_all(&http(404, "", b"{}"));
        return;
    }
    let number = |name: &str| {
        let value = target.split(['?', '&']).find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        value.and_then(|value| value.parse().ok()).unwrap_or_default()
    };
    let token =
        head.iter().find_map(|line| line.to_lowercase().strip_prefix("authorization: bearer ").map(str::to_owned));
    let (offset, limit) = (number("offset"), number("limit"));
    let mut state = state.lock().expect("lock");
    state.requests += 1;
    let asked = Asked { offset, limit, token: token.unwrap_or_default() };
    match (state.script)(&asked, &state.list) {
        Answer::Page => drop(stream.write_all(&page(&slice(&state.list, offset, limit), state.list.len()))),
        Answer::Items(items) => drop(stream.write_all(&page(&items, state.list.len()))),
        Answer::Bytes(bytes) => drop(stream.write_all(&bytes)),
        Answer::Stall(bytes) => {
            let _ = stream.write_all(&bytes);
            state.silent.push(stream);
        }
    }
}

/// So many items from this offset on.
pub(super) fn slice(list: &[Value], offset: usize, limit: usize) -> Vec<Value> {
    list.iter().skip(offset).take(limit).cloned().collect()
}

/// A page, and how many items there are in all.
pub(super) fn page(items: &[Value], total: usize) -> Vec<u8> {
    let headers =
        format!("content-type: application/json\r\nx-total-count: {total}\r\nratelimit-policy: \"unlimited\"\r\n");
    http(200, &headers, json!(items).to_string().as_bytes())
}

pub(super) fn http(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}
