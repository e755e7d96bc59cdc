//! A service that breaks connections while a code is given, which comes from standard input.

use serde_json::json;

use super::support::{Home, Run};

#[test]
fn a_code_that_was_taken_before_the_connection_broke_is_sent_once() {
    let seen = dropping(|head| head.starts_with("POST /sync/mfa"));
    let home = Home::new();
    let arguments = ["mfa", "--req-id", "r1", "--code-stdin", "--no-wait", "--base-url", &seen.address];
    let file = home.path().join("code");
    std::fs::write(&file, "123456").expect("write");
    let mut command = home.command(&arguments);
    command.env("ORDERSYNC_TOKEN", "tok_canary").stdin(std::fs::File::open(file).expect("open"));
    Run::of(command).ends(3).says("The service may have carried it out.");
    let posts = seen.heads.lock().expect("lock").iter().filter(|head| head.starts_with("POST /sync/mfa")).count();
    assert_eq!(posts, 1);
}

#[test]
fn a_service_that_is_lost_while_a_session_is_followed_leaves_the_command_that_takes_it_up() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    static LOOKS: AtomicUsize = AtomicUsize::new(0);
    let seen = dropping(|head| match LOOKS.load(Ordering::SeqCst) {
        0 => {
            LOOKS.fetch_add(usize::from(head.starts_with("POST /sync/mfa")), Ordering::SeqCst);
            false
        }
        // It still answers after the code, once.
        1 => LOOKS.fetch_add(1, Ordering::SeqCst) == 0,
        _ => true,
    });
    let home = Home::new();
    let file = home.path().join("code");
    std::fs::write(&file, "123456").expect("write");
    let mut command = home.command(&["mfa", "--req-id", "r1", "--code-stdin", "--base-url", &seen.address]);
    command.env("ORDERSYNC_TOKEN", "tok_canary").stdin(std::fs::File::open(file).expect("open"));
    let run = Run::of(command).ends(3);
    let again = format!("ordersync sessions watch b1 --base-url {}", seen.address);
    let run = run.says(&format!("When the service answers again, follow the sync: {again}"));
    assert!(!run.err.contains("serve --sandbox") && !run.err.contains("Run the command again"), "{}", run.err);
}

/// A peer that has these requests.
struct Dropping {
    address: String,
    heads: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

/// A service with one session that asks for a code. It takes some requests, and ends the connection without an answer.
fn dropping(drops: fn(&str) -> bool) -> Dropping {
    use std::io::{Read as _, Write as _};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("port");
    let address = format!("http://{}", listener.local_addr().expect("address"));
    let heads = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = std::sync::Arc::clone(&heads);
    let mfa = json!({"eventType": "enter", "prompt": "Code", "expiresAt": "2099-01-01T00:00:00Z"});
    let retailer = json!({"retailerId": 1, "connectionId": "c1", "syncStatus": "userintervention"});
    let event = json!({"seq": 1, "type": "mfa", "connectionId": "c1", "reqId": "r1", "mfa": mfa});
    let session = json!({"batchId": "b1", "status": "syncing", "retailerSyncSessions": [retailer], "events": [event]});
    let body = session.to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = [0; 8192];
            let length = stream.read(&mut bytes).unwrap_or_default();
            let head = String::from_utf8_lossy(&bytes[..length]).into_owned();
            let is_dropped = drops(&head);
            seen.lock().expect("lock").push(head);
            if !is_dropped {
                let length = body.len();
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
            }
        }
    });
    Dropping { address, heads }
}
