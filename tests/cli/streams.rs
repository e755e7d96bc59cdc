//! Where results can be sent, with `>` and with the flags that name a file: what was there stays, nothing is lost without an
//! error.

use super::support::Home;

/// Everything that writes to a file of the user's choice; `TO` is the file.
const WRITERS: [&str; 6] = [
    "orders export --out TO",
    "orders export --format xlsx --out TO",
    "orders export --compress gzip --out TO",
    "orders summary --html TO",
    "admin store backup TO --database data/service.sqlite3",
    "admin users export OWNER --out TO --database data/service.sqlite3",
];

/// Names of standard output, or of what else is open, and how a shell opens it to append to a file.
const OPEN: [(&str, &str); 8] = [
    ("/dev/stdout", ">>file"),
    ("/dev/fd/1", ">>file"),
    ("/proc/self/fd/1", ">>file"),
    ("/proc/thread-self/fd/1", ">>file"),
    ("link", ">>file"),
    ("/dev/stderr", "2>>file"),
    ("/dev/fd/3", "3>>file"),
    // What was written before is in the file, and its position behind it.
    ("/proc/self/fd/4", "4>file"),
];

fn synced() -> (Home, String) {
    let home = Home::connected("user_good", 0);
    std::os::unix::fs::symlink("/dev/stdout", home.path().join("link")).expect("link");
    let owner = home.run(&["profile", "-o", "json"]).json()["userId"].as_str().expect("an id").to_owned();
    (home, owner)
}

#[test]
fn what_is_open_is_written_into_and_never_replaced() {
    let (home, owner) = synced();
    let file = home.path().join("file");
    for writer in WRITERS {
        for (name, opened) in OPEN {
            let command = writer.replace("TO", name).replace("OWNER", &owner);
            let number = opened.split('>').next().unwrap_or_default();
            std::fs::write(&file, "before\n").expect("write");
            let run = home.shell(&format!(
                "{{ echo first >&{n}; \"$BIN\" {command}; A=$?; echo last >&{n}; exit $A; }} {opened}",
                n = if number.is_empty() { "1" } else { number }
            ));
            assert_eq!(run.code, 0, "{command} {opened}: {}", run.err);
            let bytes = std::fs::read(&file).expect("read");
            let begins = if opened.ends_with(">>file") { &b"before\nfirst\n"[..] } else { b"first\n" };
            assert!(bytes.starts_with(begins) && bytes.ends_with(b"last\n"), "{command} {opened}");
            assert!(bytes.len() > 500, "{command} {opened}: {} bytes", bytes.len());
        }
    }
    let left: Vec<_> = std::fs::read_dir(home.path()).expect("folder").filter_map(Result::ok).collect();
    assert!(!left.iter().any(|entry| entry.file_name().to_string_lossy().contains("part")), "{left:?}");
}

#[test]
fn pipes_and_devices_are_written_into() {
    let (home, owner) = synced();
    for writer in WRITERS {
        let command = |to: &str| writer.replace("TO", to).replace("OWNER", &owner);
        let piped =
            home.shell(&format!("mkfifo pipe; cat pipe >read & \"$BIN\" {}; A=$?; wait; exit $A", command("pipe")));
        assert_eq!(piped.code, 0, "{writer}: {}", piped.err);
        let is_pipe = |name: &str| {
            let kind = std::fs::symlink_metadata(home.path().join(name)).expect("metadata").file_type();
            std::os::unix::fs::FileTypeExt::is_fifo(&kind)
        };
        assert!(is_pipe("pipe") && std::fs::metadata(home.path().join("read")).expect("read").len() > 500, "{writer}");
        let substituted = home.shell(&format!("\"$BIN\" {}; A=$?; wait; exit $A", command(">(cat >read2)")));
        assert_eq!(substituted.code, 0, "{writer}: {}", substituted.err);
        home.shell(&format!("\"$BIN\" {}", command("/dev/null"))).ends(0);
        home.shell(&format!("\"$BIN\" {}", command("/dev/full"))).ends(1).says("No space left on device");
        home.shell(&format!("\"$BIN\" {} >/dev/full", command("/dev/stdout"))).ends(1).says("No space left on device");
        home.shell(&format!("\"$BIN\" {} >&-", command("/dev/stdout"))).ends(1).says("standard output: it is closed");
        std::fs::remove_file(home.path().join("pipe")).expect("removed");
    }
    home.shell("\"$BIN\" orders export --split-by month --out /dev/stdout >>all").ends(2).says("--split-by needs");
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let (home, _) = synced();
    for command in [
        "",
        "retailers",
        "retailers -o json",
        "connections",
        "connections --jq length",
        "orders list",
        "orders list -o csv",
        "orders export",
        "orders export --format xlsx",
        "orders summary",
        "orders summary --html -",
        "sync",
        "sessions -o jsonl",
        "doctor",
        "config list",
        "--help",
        "help orders",
        "--version",
        "completions bash",
        "api /sync/retailers",
    ] {
        for to in [">/dev/full", ">&-"] {
            let run = home.shell(&format!("\"$BIN\" {command} {to}"));
            assert_eq!(run.code, 1, "{command} {to}: {}", run.err);
            assert!(run.err.contains("standard output"), "{command} {to}: {}", run.err);
            assert!(!run.err.contains("export"), "{command} {to}: {}", run.err);
        }
        home.shell(&format!("\"$BIN\" {command} | head -n 1 >/dev/null")).ends(0);
        let run = home.shell(&format!("{{ \"$BIN\" {command}; echo $? >&2; }} | true")).ends(0);
        assert_eq!(run.err.lines().last(), Some("0"), "{command}");
        // Nobody wants it: that is no error.
        home.shell(&format!("\"$BIN\" {command} >/dev/null <&-")).ends(0);
        home.shell(&format!("\"$BIN\" {command} 1<>/dev/null")).ends(0);
    }
    // Nothing to print is nothing lost.
    home.shell("\"$BIN\" orders export --out orders.csv >&- <&- 2>&-").ends(0);
    assert!(home.path().join("orders.csv").exists());
}

#[test]
fn standard_input_that_is_closed_is_not_an_empty_one() {
    let home = Home::new();
    for command in [
        "connect -r 1 --credentials-stdin",
        "api POST /sync/users --input -",
        "--base-url http://127.0.0.1:1 auth login --with-token",
    ] {
        home.shell(&format!("\"$BIN\" {command} <&-")).ends(2).says("standard input: it is closed");
    }
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt as _;

    let (home, _) = synced();
    let file = home.path().join("kept");
    let is_root = rustix::process::geteuid().is_root();
    for (command, mode) in [
        ("orders export --out kept", 0o444),
        ("orders export --format xlsx --out kept", 0o400),
        ("orders summary --html kept", 0o440),
    ] {
        std::fs::write(&file, "old").expect("write");
        super::support::set_mode(&file, mode);
        let run = home.shell(&format!("\"$BIN\" {command}"));
        // As with `>`, root may.
        assert_eq!(run.code, i32::from(!is_root), "{command}: {}", run.err);
        assert_eq!(std::fs::metadata(&file).expect("file").permissions().mode() & 0o777, mode, "{command}");
        assert_eq!(std::fs::read(&file).expect("file") == b"old", !is_root, "{command}");
        std::fs::remove_file(&file).expect("removed");
    }
}
