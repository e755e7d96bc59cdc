//! `serve` with a log that nobody reads: a pipe takes 64 KiB, and then makes the writer wait.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{ChildStderr, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::support::{Home, Running};

/// More than what the service keeps for a reader, together with the pipe.
const REQUESTS: usize = 12_000;
/// Sent before their answers are read.
const AT_ONCE: usize = 100;
const LIMIT: Duration = Duration::from_secs(300);

/// A service that runs until it is dropped.
struct Service {
    child: Running,
    address: String,
}

impl Service {
    /// It, and the rest of its log after the line that names its address.
    fn start(home: &Home) -> (Self, BufReader<ChildStderr>) {
        let arguments = ["serve", "--sandbox", "--listen", "127.0.0.1:0", "--rate-limit", "off"];
        let mut child = home.command(&arguments).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut log = BufReader::new(child.stderr.take().expect("stderr"));
        let address = (&mut log)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once("listening on http://")?.1.split(' ').next()?.to_owned()))
            .expect("its address");
        (Self { child: Running(child), address }, log)
    }
}

/// Makes requests, each of which has a line in the log, and fails if one is not answered.
fn make_requests(address: &str) {
    let mut stream = TcpStream::connect(address).expect("connect");
    stream.set_read_timeout(Some(LIMIT)).expect("a limit");
    let request = format!("GET /sync/orders HTTP/1.1\r\nHost: {address}\r\n\r\n").repeat(AT_ONCE);
    for _ in 0..REQUESTS / AT_ONCE {
        stream.write_all(request.as_bytes()).expect("send");
        let (mut answers, mut part) = (Vec::new(), [0; 65536]);
        while String::from_utf8_lossy(&answers).matches("HTTP/1.1 401").count() < AT_ONCE {
            let read = stream.read(&mut part).expect("an answer to every request");
            assert!(read > 0, "the connection ended");
            answers.extend_from_slice(&part[..read]);
        }
    }
}

fn is_request(line: &str) -> bool {
    line.contains("route=\"/sync/orders\"")
}

#[test]
fn a_log_that_nobody_reads_stops_neither_requests_nor_the_end() {
    let home = Home::new();
    let (mut service, log) = Service::start(&home);
    make_requests(&service.address);
    // As soon as it is read again, it says what is missing.
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut log = log;
        let (mut seen, mut line) = (0, String::new());
        while log.read_line(&mut line).is_ok_and(|read| read > 0) {
            seen += usize::from(is_request(&line));
            if let Some((_, lost)) = line.split_once("lines of the log were lost: nothing read them in time lines=") {
                let lost: usize = lost.trim().parse().expect("a number");
                return sender.send((log, seen, lost)).expect("the test waits");
            }
            line.clear();
        }
    });
    let (log, seen, lost) = receiver.recv_timeout(LIMIT).expect("a line about what is lost");
    assert!(lost > 0 && seen + lost == REQUESTS, "{seen} {lost}");

    make_requests(&service.address);
    let id = service.child.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
    let began = Instant::now();
    while service.child.0.try_wait().expect("wait").is_none() {
        assert!(began.elapsed() < LIMIT, "it does not stop");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(service.child.0.wait().expect("ends").code(), Some(0));
    drop(log);
}
