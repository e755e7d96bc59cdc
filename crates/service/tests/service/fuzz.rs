//! Requests of any making, over the wire: the service answers each with something else than a failure of its own. And
//! sealed credentials, of which no changed byte passes.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ordersync_api::exact;
use ordersync_api::seal::{DirA256Gcm, Seal};
use ordersync_api::timestamp::parse_date_bound;

use crate::fuzzing::{Random, fuzz};
use crate::harness::{World, credentials};

/// Sends a request and reads the status of the answer. The sending side is closed only if no answer comes at once: the
/// service does not finish a request whose sender is gone, and one that is not whole would be waited for.
fn status(address: &str, request: &[u8]) -> Option<u16> {
    let mut stream = TcpStream::connect(address).unwrap();
    // A refusal may come before the whole request was sent.
    let _sent = stream.write_all(request);
    let mut answer = [0; 1024];
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    let mut length = stream.read(&mut answer);
    if length.is_err() {
        let _shut = stream.shutdown(Shutdown::Write);
        stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
        length = stream.read(&mut answer);
    }
    let answer = String::from_utf8_lossy(&answer[..length.unwrap_or(0)]);
    answer.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()
}

/// Gives a request an end of its head and, as a rule, the length of its body.
fn whole(request: &[u8], random: &mut Random) -> Vec<u8> {
    let mut request = request.to_vec();
    let end_of = |request: &[u8]| request.windows(4).position(|bytes| bytes == b"\r\n\r\n").map(|at| at + 4);
    if end_of(&request).is_none() {
        request.extend_from_slice(b"\r\n\r\n");
    }
    let Some(end) = end_of(&request) else { return request };
    let name = b"Content-Length: ";
    let length = request[..end].windows(name.len()).position(|bytes| bytes == name);
    if let Some(at) = length.filter(|_| random.below(64) > 0) {
        let from = at + name.len();
        let to = from + request[from..end].iter().position(|byte| *byte == b'\r').unwrap_or(0);
        let body = (request.len() - end).to_string();
        request.splice(from..to, body.bytes());
    }
    request
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_makes_the_service_fail() {
    let world = World::new().await;
    let token = world.node.user(7).await.token;
    let address = world.node.base.trim_start_matches("http://").to_owned();
    let head = format!(
        "Host: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\nAccept-Encoding: gzip;q=0.5, *;q=0\r\n\
         Idempotency-Key: 0b6e2a2c-1f57-4b3a-9d8f-111111111111\r\nX-Forwarded-For: 203.0.113.7, 2001:db8::1\r\n\
         If-None-Match: \"x\"\r\nCookie: a=b; csrf=x\r\nOrigin: http://{address}\r\n"
    );
    let with_body = |line: &str, kind: &str, body: &str| {
        format!("{line} HTTP/1.1\r\n{head}Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    let (json, form) = ("application/json", "application/x-www-form-urlencoded");
    let seeds = [
        format!("GET /sync/orders?limit=10&offset=0&startDate=2025-01-01&connectionId=x HTTP/1.1\r\n{head}\r\n"),
        format!("GET /sync/retailers?search=book&limit=1 HTTP/1.1\r\n{head}\r\n"),
        format!("GET /sync/sessions/latest?afterSeq=0 HTTP/1.1\r\n{head}\r\n"),
        with_body(
            "POST /sync/connections/connect",
            json,
            r#"{"retailerId":1,"connectionInfo":"e30..AA.AA.AA","currentStamp":"x","mode":"CONNECT"}"#,
        ),
        with_body(
            "POST /sync/mfa",
            json,
            r#"{"batchId":"b","connectionId":"c","reqId":"r","eventType":"mfa_code","value":"123456"}"#,
        ),
        with_body("POST /sync/connections/sync?full=true", json, "{}"),
        with_body("POST /sandbox/token", json, r#"{"phone":"+15550107","scope":"orders:read"}"#),
        with_body("POST /oauth/token", form, "grant_type=refresh_token&refresh_token=x&client_id=ordersync-cli"),
        with_body("POST /oauth/device_authorization", form, "client_id=ordersync-cli&scope=orders%3Aread"),
        format!(
            "GET /oauth/authorize?response_type=code&client_id=ordersync-cli&redirect_uri=http%3A%2F%2F127.0.0.1%2F&state=%00 HTTP/1.1\r\n{head}\r\n"
        ),
    ];
    let words = [
        "%00",
        "%ff",
        "+",
        "&",
        "=",
        "\u{0}",
        "\"",
        "\\u0000",
        "1e999999999",
        "-1",
        "99999999999999999999",
        "null",
        "{",
        "[[",
        "\r\n",
        ": ",
        ",",
        ";q=",
        "Host: x\r\n",
        "Basic eDp5",
        "Bearer ",
        "gzip",
        "0x",
        "2025-13-01",
        "+15550107",
        "🙂",
    ];
    tokio::task::spawn_blocking(move || {
        let seeds: Vec<&[u8]> = seeds.iter().map(String::as_bytes).collect();
        let (mut all, mut answered) = (0_u32, 0_u32);
        fuzz("requests", &seeds, &words, |request, random| {
            let status = status(&address, &whole(request, random));
            assert!(status.is_none_or(|status| status < 500), "{status:?}");
            all += 1;
            answered += u32::from(status.is_some());
        });
        assert!(answered > all / 2, "only {answered} of {all} requests were answered");
        let ready = status(
            &address,
            format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes(),
        );
        assert_eq!(ready, Some(200));
    })
    .await
    .unwrap();
}

#[test]
fn no_changed_byte_of_sealed_credentials_passes() {
    let key = [7; 32];
    let token = URL_SAFE_NO_PAD.encode(key);
    let sealed = DirA256Gcm.seal(&token, "stamp", &credentials("pat", "secret")).unwrap();
    assert!(DirA256Gcm.open(&key, "stamp", &sealed).is_ok());
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"dir","enc":"A256GCM","kid":"stamp","zip":"DEF"}"#);
    let words = [".", "=", "-", "_", "AA", "\u{0}", &header];
    fuzz("sealed credentials", &[sealed.as_bytes(), header.as_bytes()], &words, |input, _| {
        let text = String::from_utf8_lossy(input);
        assert_eq!(DirA256Gcm.open(&key, "stamp", &text).is_ok(), text == sealed);
    });
}

#[test]
fn no_text_breaks_the_readers_of_numbers_and_dates() {
    let seeds: [&[u8]; 5] =
        [b"2025-10-08T18:20:00+02:00", b"2025-10-08", b"12.50", b"-1e-28", b"79228162514264337593543950335"];
    let words = ["e999999999", "+14:00", "T", "Z", "-", "99999", ".", "\u{2212}"];
    fuzz("numbers and dates", &seeds, &words, |input, _| {
        let text = String::from_utf8_lossy(input);
        let _date = parse_date_bound(&text);
        if let Ok(number) = exact::parse(&text) {
            assert_eq!(exact::parse(&number.to_string()), Ok(number), "{text}");
        }
    });
}
