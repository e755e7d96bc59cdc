//! Beside a sync that has not ended: nothing is asked, sent or said that is not true, and the next command fits.

use sqlx::Connection as _;

use super::support::{Home, Run};

fn fix(home: &Home, more: &[&str]) -> Run {
    home.run(&[&["fix", "marrow", "--credentials-file", &home.credentials("user_good")], more].concat())
}

/// A retailer whose first sync goes on only while a command runs, and lasts.
fn running() -> Home {
    let home = Home::new();
    home.connect_in_time("1", "user_slow", &["--no-wait"]).ends(0);
    home
}

/// Lets the time for a code pass while no command runs.
fn let_the_time_pass(home: &Home) {
    let path = home.path().join("data/service.sqlite3");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runtime");
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
        let mut connection = sqlx::SqliteConnection::connect_with(&options).await.expect("database");
        for statement in [
            "UPDATE retailer_sessions SET deadline_at = deadline_at - 301000000 WHERE active = 1",
            "UPDATE mfa_requests SET expires_at = expires_at - 301000000",
        ] {
            sqlx::query(statement).execute(&mut connection).await.expect("statement");
        }
        connection.close().await.expect("closed");
    });
}

#[test]
fn new_credentials_are_refused_before_anything_is_sent_while_a_code_is_awaited() {
    let home = Home::connected("user_mfa_enter", 7);
    for more in [&[][..], &["--no-wait"], &["--mfa-command", "echo 123456"]] {
        let run = fix(&home, more).ends(1).says("A sync of Marrowby Market waits for a code");
        run.says("ordersync mfa --batch batch_").says("ordersync fix conn_");
    }
    let run = fix(&home, &["-o", "json"]).ends(1);
    assert_eq!(run.error()["code"], "SYNC_IN_PROGRESS");
    assert!(run.error()["details"]["batchId"].as_str().is_some_and(|batch| batch.starts_with("batch_")), "{}", run.err);
    let run = home.connect("user_good", &[]).ends(1).says("is connected already").says("ordersync mfa --batch batch_");
    assert!(!run.err.contains("ordersync sync"), "{}", run.err);
    let run = home.run(&["connections", "remove", "1", "--yes"]).ends(1).says("ordersync mfa --batch batch_");
    run.says("ordersync connections remove conn_");
    // Nothing was changed by all that.
    home.run_with_input(&["mfa", "--code-stdin"], "123456").ends(0);
    let fix = ["fix", "1", "--credentials-file", &home.credentials("user_mfa_enter")];
    home.run(&[&fix[..], &["--mfa-command", "echo 123456"]].concat()).ends(0);
}

#[test]
fn new_credentials_are_refused_before_anything_is_sent_during_a_sync() {
    let home = running();
    let credentials = home.credentials("user_good");
    let run = home.run_in_time(&["fix", "1", "--credentials-file", &credentials]).ends(1);
    run.says("A sync of Marrowby Market is running").says("ordersync sessions watch batch_");
    home.connect_in_time("1", "user_good", &[])
        .ends(1)
        .says("is connected already")
        .says("ordersync sessions watch batch_");
    home.run(&["sessions", "watch"]).ends(0);
}

#[test]
fn at_a_terminal_nobody_types_credentials_in_vain() {
    use super::pty::{ends, start};

    let home = Home::connected("user_mfa_enter", 7);
    let said = ends(start(&home, &["fix", "Marrowby Market"]), 1);
    assert!(said.contains("waits for a code") && said.contains("ordersync mfa --batch batch_"), "{said}");
    assert!(!said.contains("Username"), "{said}");
}

#[test]
fn what_runs_already_is_not_said_to_be_started() {
    let home = running();
    for sync in [&["sync", "marrow", "--no-wait"][..], &["sync", "--no-wait"]] {
        let run = home.run_in_time(sync).ends(0).says("ordersync sessions watch batch_");
        let run = run.prints("! A sync of Marrowby Market is already running: session batch_");
        assert!(!run.err.contains("pending"), "{}", run.err);
        assert!(!run.out.contains("Started"), "{}{}", run.out, run.err);
    }
    let run = home.run_in_time(&["sync", "marrow", "--no-wait", "-o", "json"]).ends(0).says("already running");
    assert_eq!(run.json()["status"], "syncing");
}

#[test]
fn a_pending_connection_has_one_line_with_its_name_the_reason_and_a_command() {
    let home = Home::connected("error_retailer_unavailable", 9);
    let run = home.run(&["sync"]).ends(9);
    run.says("! Marrowby Market is pending: retailer unavailable; syncing it: ordersync sessions watch batch_");
    let home = Home::connected("user_mfa_enter", 7);
    home.run(&["connections"]).ends(0).prints("waits for a code");
    let run = home.run(&["sync"]).ends(7);
    assert_eq!(run.err.lines().filter(|line| line.starts_with('!')).count(), 1, "{}", run.err);
    run.says("! Marrowby Market is pending: its sync has not ended; following it: ordersync sessions watch batch_");
    // The connection says so as well, and alone the command does not claim that it runs.
    let home = running();
    home.run_in_time(&["connections"]).ends(0).prints("its sync has not ended");
    let run = home.run_in_time(&[]).ends(0).prints("! Sync not finished: Marrowby Market → ordersync sessions watch");
    assert!(!run.out.contains("Running"), "{}", run.out);
}

#[test]
fn when_the_time_is_up_there_is_one_error_however_many_syncs_there_are() {
    let second = |user: &str, more: &[&str]| {
        let home = running();
        (home.connect_in_time("2", user, more), home)
    };
    let (run, home) = second("user_bad", &[]);
    run.ends(9);
    // What matters more is the error; the sync that runs is a line before it.
    let run = home.run_in_time(&["sync", "--timeout", "0s"]).ends(9).says("Voltaquill Electronics was skipped");
    assert_eq!(run.err.matches("error:").count(), 1, "{}", run.err);
    let run = run.says("! The time is up; session batch_").says("is still running: ordersync sessions watch batch_");
    run.says("error: 1 connection was not synced");
    let (run, home) = second("user_slow", &["--no-wait"]);
    run.ends(0);
    let run = home.run_in_time(&["sync", "--timeout", "0s"]).ends(8).says("2 sessions are still running");
    assert_eq!(run.err.matches("error:").count(), 1, "{}", run.err);
    assert_eq!(run.err.matches("\n      ordersync sessions watch batch_").count(), 2, "{}", run.err);
    let error = home.run_in_time(&["sync", "--timeout", "0s", "-q", "-o", "json"]).ends(8).error();
    assert_eq!(error["details"]["batchIds"].as_array().map(Vec::len), Some(2), "{error}");
}

#[test]
fn an_invalid_connection_that_is_to_be_synced_is_named() {
    let home = Home::connected("user_bad", 9);
    for no_wait in [&[][..], &["--no-wait"]] {
        for sync in [
            &["sync", "marrow"][..],
            &["sync", "-r", "1"],
            &["orders", "sync", "marrow"],
            &["orders", "sync", "-r", "1"],
        ] {
            let run = home.run(&[sync, no_wait].concat()).ends(9).says("1 connection was not synced: Marrowby Market.");
            run.says("Marrowby Market was skipped: it is invalid (credentials refused): ordersync fix conn_");
        }
    }
}

#[test]
fn a_code_that_nobody_can_give_any_more_is_not_asked_for() {
    let late = |arguments: &[&str]| {
        let home = Home::connected("user_mfa_enter", 7);
        let_the_time_pass(&home);
        home.run(arguments)
    };
    let run = late(&[]).ends(0).prints("1 invalid");
    assert!(!run.out.contains("Waiting for a code"), "{}", run.out);
    late(&["connections"]).ends(0).prints("code expired");
    late(&["mfa"]).ends(1).says("Nothing waits for verification");
    late(&["doctor"]).ends(1).prints("✗ connections: 1 invalid").prints("✓ syncs: none is under way");
    late(&["sync"]).ends(9).says("Marrowby Market was skipped: it is invalid");
}

/// Runs commands as somebody for whom modes count, who owns everything in the home: nothing is closed to root, and only root
/// can give a file to somebody else. The tests run as either.
fn as_somebody(home: &Home) -> impl Fn(&[&str]) -> Run {
    use std::os::unix::fs::chown;
    use std::os::unix::process::CommandExt as _;

    const NOBODY: u32 = 65534;

    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        let mut places = vec![home.path().to_owned()];
        while let Some(place) = places.pop() {
            chown(&place, Some(NOBODY), Some(NOBODY)).expect("chown");
            if place.is_dir() {
                places.extend(std::fs::read_dir(&place).expect("folder").map(|entry| entry.expect("entry").path()));
            }
        }
    }
    move |arguments: &[&str]| {
        let mut command = home.command(arguments);
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        Run::of(command)
    }
}

#[test]
fn a_store_of_somebody_else_is_said_to_be_that() {
    use std::os::unix::fs::PermissionsExt as _;

    use super::support::set_mode;

    let home = Home::connected("user_items_3", 0);
    let data = home.path().join("data");
    let run = as_somebody(&home);
    run(&["orders", "list"]).ends(0);
    for (place, mode) in [
        (data.join("service.sqlite3"), 0o000),
        (data.join("service.sqlite3"), 0o400),
        (data.join("service.sqlite3.lock"), 0o000),
        (data.clone(), 0o500),
        (data.clone(), 0o000),
    ] {
        let kept = std::fs::metadata(&place).expect("it is there").permissions().mode();
        set_mode(&place, mode);
        let seen = run(&["orders", "list"]);
        let examined = run(&["doctor"]);
        set_mode(&place, kept & 0o777);
        let seen = seen.ends(1).says(&format!("Make it yours: sudo chown \"$(id -un)\" {} &&", place.display()));
        assert!(!seen.err.contains("dmesg") && !seen.err.contains("space"), "{}", seen.err);
        // Whether there is a store cannot be seen from outside of its folder.
        if mode == 0o000 && place == data {
            examined.ends(1).prints("✗ store: Cannot look for").prints("Make it yours: ");
        } else if mode == 0o400 {
            examined.ends(1).prints("service.sqlite3 cannot be read and written").prints("Make it yours: ");
        }
    }
    run(&["orders", "list"]).ends(0);
}

/// Somebody whose sign-in cannot be read is not told to sign in.
#[test]
fn a_sign_in_that_cannot_be_read_is_not_none() {
    use super::support::set_mode;

    let home = Home::new();
    let folder = home.path().join("data/sign-in");
    std::fs::create_dir_all(&folder).expect("folder");
    let run = as_somebody(&home);
    set_mode(&folder, 0o000);
    let seen = run(&["connections", "--base-url", "http://127.0.0.1:9"]);
    set_mode(&folder, 0o700);
    let advice = format!("Make it yours: sudo chown \"$(id -un)\" {} && chmod u+rwx", folder.display());
    seen.ends(1).says("error: Cannot read ").says(&advice);
}
