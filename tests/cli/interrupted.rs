//! Ctrl-C, Esc and a deadline at every stage of connecting: the terminal as it was, exit 130, what is kept, how to
//! resume. And an export that a signal or a full disk ends.

use std::process::{Command, Stdio};
use std::sync::Mutex;

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use rexpect::session::PtySession;
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::export::leftovers;
use super::list_peer::{Answer, Peer, items};
use super::pty::{
    answer, answer_unseen, askers, cancelled, ends_restored, expect, send, start_command, start_in_shell,
};
use super::support::{Home, PASSWORD, Run, now};

/// The stages in their order, each with what is on the terminal when it is reached.
const STAGES: [(&str, &str); 7] = [
    ("Enter for all):", "ordersync connect"),
    ("> Marrowby Market (1)", "ordersync connect"),
    ("Username for Marrowby Market:", "ordersync connect --retailer 1"),
    ("Password for Marrowby Market:", "ordersync connect --retailer 1"),
    ("Send? [Y/n]", "ordersync connect --retailer 1"),
    ("Authenticator app", "ordersync mfa --batch batch_"),
    ("Code (until ", "ordersync mfa --batch batch_"),
];
/// The first stage at which something was sent.
const SENT: usize = 5;

fn reach(home: &Home, stage: usize) -> PtySession {
    let mut session = start_in_shell(home, &["connect"], &[]);
    for (number, keys) in ["marrow", "", "user_mfa_choose", PASSWORD, "y", ""].into_iter().enumerate() {
        if number == stage {
            break;
        }
        match STAGES[number].0 {
            unseen if keys == PASSWORD => answer_unseen(&mut session, unseen, keys),
            seen => answer(&mut session, seen, keys),
        };
    }
    expect(&mut session, STAGES[stage].0);
    session
}

#[test]
fn ctrl_c_and_esc_at_each_stage_restore_the_terminal_and_say_how_to_go_on() {
    for (stage, (text, command)) in STAGES.iter().enumerate() {
        let is_list = text.contains("(1)") || text.contains("Authenticator");
        for key in if is_list { vec!["\x03", "\x1b"] } else { vec!["\x03"] } {
            let home = Home::new();
            let mut session = reach(&home, stage);
            send(&mut session, key);
            let said = ends_restored(session, 130);
            assert!(said.contains("Interrupted") && said.contains(command), "{stage} {key:?}: {said}");
            let kept = if stage < SENT { "Nothing was sent" } else { "The sync waits for the answer for " };
            assert!(said.contains(kept), "{stage} {key:?}: {said}");
            assert!(askers(home.path()).is_empty(), "{stage} {key:?}");
        }
    }
}

#[test]
fn ctrl_c_at_the_question_of_one_of_several_sessions_names_the_other_too() {
    let home = Home::new();
    for retailer in ["1", "2"] {
        home.connect_retailer(retailer, "user_mfa_enter", &[]).ends(7);
    }
    let mut session = start_in_shell(&home, &["sync"], &[]);
    expect(&mut session, "Code (until ");
    let said = cancelled(session);
    let batch = |before: &str| {
        let rest = said.split(before).nth(1).unwrap_or_else(|| panic!("{before}: {said}"));
        rest.split_whitespace().find(|word| word.starts_with("batch_")).expect("a batch").to_owned()
    };
    assert_ne!(batch("Answer it: ordersync mfa"), batch("Follow the other sync:"), "{said}");
    // Both are asked for, one after the other.
    let mut session = start_in_shell(&home, &["sync"], &[]);
    for _ in 0..2 {
        answer(&mut session, "Code (until ", "123456");
    }
    assert!(ends_restored(session, 0).contains("2 retailers in all: "));
}

#[test]
fn a_service_that_hangs_is_waited_for_visibly_and_an_export_without_a_page_keeps_nothing() {
    // It accepts connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", silent.local_addr().expect("an address"));
    let home = Home::new();
    let environment = [("ORDERSYNC_BASE_URL", address.as_str()), ("ORDERSYNC_TOKEN", "t")];
    let mut session = start_in_shell(&home, &["orders", "export", "--out", "orders.csv"], &environment);
    expect(&mut session, "Waiting for the service: ");
    let said = cancelled(session);
    assert!(!said.contains("kept"), "{said}");
    assert!(!home.path().join("orders.csv").exists());
}

#[test]
fn a_signal_at_a_question_restores_the_terminal() {
    let home = Home::new();
    let script = ["connect", "--retailer", "1"];
    let mut session = start_in_shell(&home, &script, &[]);
    expect(&mut session, "shell ");
    let shell = expect(&mut session, ".");
    answer(&mut session, "Username for Marrowby Market:", "user_good");
    expect(&mut session, "Password for Marrowby Market:");
    let killed = std::process::Command::new("pkill").args(["-TERM", "-P", &shell]).status().expect("pkill");
    assert!(killed.success());
    assert!(ends_restored(session, 130).contains("Nothing was sent"));
}

#[test]
fn ctrl_c_while_following_keeps_the_sync() {
    let home = Home::new();
    let arguments = ["connect", "-r", "1", "--credentials-file", &home.credentials("user_slow")];
    let mut session = start_in_shell(&home, &arguments, &[("ORDERSYNC_SANDBOX_SPEED", "1")]);
    expect(&mut session, "connecting");
    // What is typed meanwhile does not tear the lines.
    send(&mut session, "abc");
    expect(&mut session, "scanning");
    let said = cancelled(session);
    assert!(said.contains("The sync pauses now and resumes with your next ordersync command."), "{said}");
    assert!(said.contains("Follow it: ordersync sessions watch batch_"), "{said}");
    home.run(&["sessions", "watch"]).ends(0).prints("640 items");
}

fn session(status: &str, retailer: Value, events: Value) -> ResponseTemplate {
    let body = json!({"batchId": "b1", "status": status, "retailerSyncSessions": [retailer], "events": events});
    ResponseTemplate::new(200).set_body_json(body)
}

#[test]
fn a_question_ends_when_the_time_to_wait_is_over() {
    let home = Home::connected("user_mfa_enter", 7);
    let mut session = start_in_shell(&home, &["sessions", "watch", "--timeout", "6s"], &[]);
    expect(&mut session, "Enter the code");
    let said = ends_restored(session, 8);
    assert!(said.contains("The time is up") && !said.contains("the time to answer is over"), "{said}");
    assert!(!said.contains("Enter the code"), "it is asked for again: {said}");
}

/// The command under a shell with job control, as a person's is; once it is stopped, the shell puts its own settings
/// back and continues it.
fn start_with_jobs(home: &Home, arguments: &[&str]) -> PtySession {
    let script = "set -m; stty sane rows 24 cols 80; \"$BIN\" \"$@\"; stty -a; stty sane; echo stopped; fg; \
                  echo \"ended $?\"; stty -a; echo over";
    let mut shell = Command::new("bash");
    shell.args(["-c", script, "bash"]).args(arguments).env("BIN", env!("CARGO_BIN_EXE_ordersync"));
    for (name, value) in home.command(&[]).get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    shell.env("ORDERSYNC_SANDBOX_SPEED", "2");
    start_command(home, shell)
}

#[test]
fn ctrl_z_gives_the_cursor_back_and_fg_draws_again() {
    let home = Home::new();
    let arguments = ["connect", "-r", "1", "--credentials-file", &home.credentials("user_slow")];
    let mut session = start_with_jobs(&home, &arguments);
    expect(&mut session, "scanning");
    session.send_control('z').expect("send");
    let said = expect(&mut session, "stopped");
    assert!(said.rfind("\x1b[?25h") > said.rfind("\x1b[?25l"), "{said:?}");
    assert!(said.contains(" echo ") && said.contains(" icanon "), "{said}");
    let again = expect(&mut session, "scanning");
    assert!(again.contains("\x1b[?25l"), "{again:?}");
    ends_restored(session, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_password_is_not_shown_after_ctrl_z_either() {
    let home = Home::new();
    let mut session = start_with_jobs(&home, &["connect", "-r", "1", "-y"]);
    answer(&mut session, "Username for Marrowby Market:", "user_good");
    expect(&mut session, "Password for Marrowby Market:");
    session.send_control('z').expect("send");
    expect(&mut session, "stopped");
    // The question is drawn again, below what the shell has written.
    expect(&mut session, "Password for Marrowby Market:");
    // The shell's settings show what is typed; the command's do not.
    let is_shown = || {
        let [asker] = askers(home.path()).try_into().expect("one question");
        let stty = Command::new("stty").arg("-aF").arg(asker.join("fd/0")).output().expect("stty");
        !String::from_utf8_lossy(&stty.stdout).contains(" -echo ")
    };
    let began = std::time::Instant::now();
    while is_shown() {
        assert!(began.elapsed().as_secs() < 300, "a password would be shown");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    send(&mut session, &format!("{PASSWORD}\r"));
    let said = ends_restored(session, 0);
    assert!(said.contains(" new") && !said.contains(PASSWORD), "{said}");
}

fn harbor(status: &str, error: Value) -> Value {
    json!({"retailerId": 1, "displayName": "Harbor", "connectionId": "c1", "syncStatus": status, "error": error})
}

/// Asks from the first request on, and again once nobody has answered within five seconds; then the sync has failed.
fn asking_twice() -> impl wiremock::Respond {
    let until: Mutex<Vec<DateTime<Utc>>> = Mutex::default();
    move |_: &wiremock::Request| {
        let mut until = until.lock().expect("lock");
        if until.last().is_none_or(|until| *until <= now()) {
            until.push(now() + Duration::seconds(5));
        }
        let number = until.len();
        if number > 2 {
            let error = json!({"code": "mfa_expired", "message": "Nobody answered."});
            return session("normal", harbor("error", error), json!([]));
        }
        let expires_at = until[number - 1].to_rfc3339_opts(SecondsFormat::Millis, true);
        let mfa = json!({"eventType": "enter", "prompt": "Your verification code?:", "expiresAt": expires_at});
        let event = json!({"seq": 1, "type": "mfa", "connectionId": "c1", "reqId": format!("r{number}"), "mfa": mfa});
        session("syncing", harbor("userintervention", Value::Null), json!([event]))
    }
}

#[tokio::test]
async fn questions_that_nobody_answers_in_time_end_by_themselves_one_after_the_other() {
    for accessible in ["0", "1"] {
        let server = MockServer::start().await;
        Mock::given(method("GET")).and(path("/sync/sessions/b1")).respond_with(asking_twice()).mount(&server).await;
        let address = server.uri();
        let home = Home::new();
        let environment = [
            ("ORDERSYNC_BASE_URL", address.as_str()),
            ("ORDERSYNC_TOKEN", "canary"),
            ("ORDERSYNC_ACCESSIBLE", accessible),
        ];
        let mut session = start_in_shell(&home, &["sessions", "watch", "b1"], &environment);
        let asked = expect(&mut session, "Your verification code?");
        expect(&mut session, "Code (until ");
        for asker in askers(home.path()) {
            let environment = std::fs::read(asker.join("environ")).expect("environment");
            assert!(!String::from_utf8_lossy(&environment).contains("canary"), "a secret reaches the child");
        }
        // Typed for the first question: nothing of it is left to the second.
        send(&mut session, "typed early");
        expect(&mut session, "the time to answer is over");
        let again = expect(&mut session, "Code (until ");
        assert!(again.contains("Your verification code?"), "{again}");
        send(&mut session, "ww");
        let said = ends_restored(session, 9);
        assert!(askers(home.path()).is_empty());
        assert!(asked.contains("Harbor") && !said.contains("early"), "{asked}{said}");
        assert!(said.contains("the time to answer is over") && said.contains("Nobody answered"), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_that_is_killed_leaves_nobody_at_the_terminal() {
    let home = Home::new();
    let mut session = start_in_shell(&home, &["connect"], &[]);
    expect(&mut session, "shell ");
    let shell = expect(&mut session, ".");
    expect(&mut session, "Enter for all):");
    assert_eq!(askers(home.path()).len(), 1);
    let killed = Command::new("pkill").args(["-KILL", "-P", &shell]).status().expect("pkill");
    assert!(killed.success());
    expect(&mut session, "ended 137");
    let began = std::time::Instant::now();
    while !askers(home.path()).is_empty() {
        assert!(began.elapsed().as_secs() < 300, "the child stays");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

const ITEMS: usize = 4500;

/// An export as a process of its own, which waits for a page that never ends and has kept the pages before.
fn waiting_export(peer: &Peer, home: &Home, file: &str) -> std::process::Child {
    let mut command = peer.command(home, &["orders", "export", "--out", file]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let (mut export, began) = (command.spawn().expect("it starts"), std::time::Instant::now());
    let notes = home.path().join(format!("{file}.part.json"));
    loop {
        let kept = std::fs::read(&notes).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        if kept.is_some_and(|kept| kept["state"]["rows"].as_u64() > Some(0)) {
            return export;
        }
        assert!(export.try_wait().expect("wait").is_none() && began.elapsed().as_secs() < 300, "nothing is kept");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn an_export_that_a_signal_ends_is_kept_and_gone_on_with() {
    for (signal, form) in [("-INT", "csv"), ("-TERM", "json"), ("-INT", "jsonl")] {
        let (home, file, whole) = (Home::new(), format!("orders.{form}"), format!("whole.{form}"));
        let peer = Peer::start(items(0..ITEMS), |asked, _| match asked.offset {
            0..1900 => Answer::Page,
            _ => Answer::Stall(b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n[".to_vec()),
        });
        let export = waiting_export(&peer, &home, &file);
        let killed = Command::new("kill").args([signal, &export.id().to_string()]).status().expect("kill");
        assert!(killed.success());
        let ended = export.wait_with_output().expect("it ends");
        let said = String::from_utf8(ended.stderr).expect("text");
        assert_eq!(ended.status.code(), Some(130), "{signal}: {said}");
        assert!(said.contains("Interrupted") && said.contains("What was exported is kept."), "{signal}: {said}");
        assert!(said.contains(&format!("Go on: ordersync orders export --out {file} --resume")), "{signal}: {said}");
        assert!(!home.path().join(&file).exists(), "{signal}");

        peer.recovers(items(0..ITEMS));
        peer.run(&home, &["orders", "export", "--out", &file, "--resume"]).ends(0).says("Resuming after");
        peer.run(&home, &["orders", "export", "--out", &whole]).ends(0);
        let read = |name: &str| std::fs::read(home.path().join(name)).expect("file");
        assert!(read(&file) == read(&whole), "{signal}");
        assert_eq!(leftovers(&home).len(), 0);
    }
}

#[test]
fn an_export_that_is_interrupted_when_its_file_is_whole_says_so() {
    for file in ["orders.csv", "orders.csv.gz"] {
        let (counts, counting) = std::sync::mpsc::channel();
        // A page of one item counts those without a date.
        let peer = Peer::start(items(0..3), move |asked, _| match asked.limit {
            1 => counts.send(()).map(|()| Answer::Stall(Vec::new())).expect("a test that waits"),
            _ => Answer::Page,
        });
        let home = Home::new();
        let mut command = peer.command(&home, &["orders", "export", "--out", file, "--since", "2000"]);
        let child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        counting.recv().expect("a request");
        assert!(home.path().join(file).exists());
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
        assert!(killed.success());
        let ended = child.wait_with_output().expect("it ends");
        let said = String::from_utf8(ended.stderr).expect("text");
        assert_eq!(ended.status.code(), Some(130), "{said}");
        assert!(said.contains("The export is written.") && !said.contains("--resume"), "{said}");
        assert_eq!(leftovers(&home).len(), 0);
    }
}

#[test]
fn an_export_that_the_disk_has_no_room_for_is_told_and_gone_on_with() {
    let (home, peer) = (Home::new(), Peer::start(items(0..ITEMS), |_, _| Answer::Page));
    peer.run(&home, &["orders", "export", "--out", "whole.csv"]).ends(0);
    let whole = std::fs::read(home.path().join("whole.csv")).expect("file");
    let limited = peer.command(&home, &[]);
    // Room for half of it: what is written beyond gets an error of the system, and a signal.
    let script = format!("ulimit -f {}; exec \"$0\" orders export --out orders.csv", whole.len() / 2 / 1024);
    let environment: Vec<_> =
        limited.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    let mut shell = Command::new("bash");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_ordersync")]).env_clear().current_dir(home.path());
    shell.envs(environment.into_iter().filter_map(|(name, value)| Some((name, value?))));
    let stopped = Run::of(shell);
    assert_ne!(stopped.code, 0);
    let stopped = stopped.says("The export cannot be written").says("File too large");
    stopped.says("Go on: ordersync orders export --out orders.csv --resume");
    assert!(!home.path().join("orders.csv").exists());
    peer.run(&home, &["orders", "export", "--out", "orders.csv", "--resume"]).ends(0).says("Resuming after");
    assert!(std::fs::read(home.path().join("orders.csv")).expect("file") == whole);

    #[cfg(target_os = "linux")]
    peer.run(&home, &["orders", "export", "--out", "/dev/full"]).ends(1).says("No space left on device");
}

#[test]
fn a_sync_whose_store_cannot_grow_ends_and_says_so() {
    let home = Home::new();
    let file = home.credentials("user_items_20000");
    let connect = format!("connect -r 1 --yes --credentials-file '{file}'");
    // In KiB: more than an empty store needs, less than the items.
    let run = home.shell(&format!("ulimit -f 3000; \"$BIN\" {connect}")).ends(1);
    run.says("cannot be written").says("Then, follow the sync: ordersync sessions watch batch_");
    home.run(&["sync"]).ends(0);
}
