//! A peer that answers with given bytes, whatever they are.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::Value;

/// Answers each connection's first bytes; gives its address without a scheme.
pub(super) fn start(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("port");
    let address = listener.local_addr().expect("address").to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = [0; 8192];
            let length = stream.read(&mut bytes).unwrap_or_default();
            let request = String::from_utf8_lossy(&bytes[..length]).into_owned();
            let _ = stream.write_all(&answer(&request));
        }
    });
    address
}

pub(super) fn http(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}").into_bytes()
}

/// The same of JSON, with a request id.
pub(super) fn json(status: u16, body: &Value) -> Vec<u8> {
    http(status, "content-type: application/json\r\nx-request-id: req_1\r\n", &body.to_string())
}

/// A peer that always answers with that, at its address.
pub(super) fn always(answer: Vec<u8>) -> String {
    format!("http://{}", start(move |_| answer.clone()))
}

/// An address where nobody listens. A port that was free a moment ago may be another program's by now;
/// this one is below those that a system hands out.
pub(super) const NOBODY: &str = "127.0.0.1:1";
