//! Each way in which the main job fails: what it says, and how the process ends.

use super::support::{Home, set_mode};

#[test]
fn a_retailer_that_fails_ends_with_9_and_the_remedy() {
    let wrong_code = ["--mfa-command", "echo 111111"];
    for (user, more, message, remedy, command) in [
        ("user_bad", &[][..], "refused the user name or the password", "Check the user name", "ordersync fix conn_"),
        ("user_locked", &[], "has locked this account", "Unlock the account", "ordersync fix conn_"),
        ("user_timeout", &[], "took too long", "Sync again later", "ordersync sync --connection conn_"),
        ("user_mfa_wrong", &wrong_code, "wrong three times", "enter the newest code", "ordersync fix conn_"),
        ("error_retailer_changed", &[], "pages have changed", "has to update the connector", ""),
    ] {
        let home = Home::new();
        let run = home.connect(user, more).ends(9).says(message).says(remedy).says(command);
        assert_eq!(run.out, "", "it is reported once, in the error");
        assert_eq!(run.err.matches(message).count(), 1, "{}", run.err);
    }
}

#[test]
fn a_connection_whose_first_sync_failed_for_a_passing_reason_is_synced_again() {
    let home = Home::connected("error_retailer_unavailable", 9);
    for arguments in [&["sync"][..], &["sync", "--full"]] {
        let run = home.run(arguments).ends(9).says("Marrowby Market is pending: ").says("Sync again later");
        assert!(!run.err.contains("nothing to sync"), "{}", run.err);
    }
    // Another user name is taken, since no order is stored.
    home.run(&["fix", &home.connection(), "--yes", "--credentials-file", &home.credentials("user_good")]).ends(0);
    home.run(&["sync"]).ends(0);
}

#[test]
fn a_wrong_code_is_asked_for_again_with_the_tries_left() {
    let home = Home::new();
    let credentials = home.credentials("user_mfa_enter");
    let arguments = ["connect", "-r", "1", "--credentials-file", &credentials, "--mfa-code-stdin"];
    home.run_with_input(&arguments, "999999\n\n123456\n").ends(0).says("that code was wrong; 2 tries left");
    let home = Home::new();
    let credentials = home.credentials("user_mfa_enter");
    let arguments = [&arguments[..4], &[&credentials, "--mfa-code-stdin"]].concat();
    let run = home.run_with_input(&arguments, "999999\n").ends(7).says("That code was wrong.").says("2 tries left.");
    assert_eq!(run.err.to_lowercase().matches("code was").count(), 1, "{}", run.err);
    // A later command does not know of the wrong code, but of the tries left.
    home.run(&["mfa"]).ends(7).says("2 tries left.");
}

#[test]
fn without_an_answer_to_mfa_the_command_that_goes_on_is_given() {
    let home = Home::new();
    let error = home.connect("user_mfa_choose", &["-o", "json"]).ends(7).error();
    assert_eq!(error["code"], "MFA_NEEDED");
    let details = &error["details"];
    let (batch, req_id) = (details["batchId"].as_str().expect("batch"), details["reqId"].as_str().expect("request"));
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains(req_id)));
    assert_eq!(details["command"], format!("ordersync mfa --batch {batch} --option sms"));
    home.run(&["mfa", "--batch", batch, "--option", "email"]).ends(7).says("--code-stdin");
    let run = home.run_with_input(&["mfa", "--code-stdin"], "123456").ends(0);
    run.prints("✓ Marrowby Market: ");
    home.run(&["mfa"]).ends(1).says("Nothing waits for verification");
}

#[test]
fn a_method_that_is_not_offered_is_answered_with_those_that_are() {
    let home = Home::new();
    home.connect("user_mfa_choose", &["--mfa-option", "pigeon"])
        .ends(7)
        .says("\"pigeon\" is not among them")
        .says("sms");
}

#[test]
fn an_mfa_request_that_nobody_answers_times_out() {
    let home = Home::connected("user_mfa_enter", 7);
    home.run(&["sandbox", "clock", "--advance", "301"]).ends(0);
    home.run(&["sessions", "watch"]).ends(9).says("in time").says("within five minutes");
}

#[test]
fn a_command_for_codes_that_fails_is_told() {
    for (command, what) in [("exit 3", "failed: exit status: 3"), ("true", "printed nothing")] {
        Home::new()
            .connect("user_mfa_enter", &["--mfa-command", command])
            .ends(7)
            .says(what)
            .says("ordersync mfa --batch batch_");
    }
}

#[test]
fn a_retailer_that_is_unknown_or_cannot_be_connected() {
    let home = Home::new();
    home.run(&["connect", "-r", "99"]).ends(5).says("There is no retailer 99.").says("ordersync retailers");
    home.run(&["connect", "-r", "marowby"]).ends(5).says("Did you mean Marrowby Market (--retailer 1)?");
    home.run(&["connect", "-r", "17"]).ends(1).says("cannot be connected here").says("ordersync retailers");
    home.run(&["sync", "-r", "1"]).ends(5).says("is not connected").says("ordersync connect --retailer 1");
}

#[test]
fn a_second_connect_is_told_to_fix_instead() {
    let home = Home::connected("user_good", 0);
    home.connect("user_good", &[]).ends(1).says("is connected already").says("ordersync fix conn_");
}

#[test]
fn nothing_prompts_without_a_terminal() {
    let home = Home::new();
    home.run(&["connect"]).ends(2).says("A retailer is needed").says("--retailer ID|NAME");
    home.run(&["connect", "-r", "1"]).ends(2).says("Username for Marrowby Market is needed").says("--credentials-file");
}

#[test]
fn credentials_that_others_can_read_are_not_used() {
    let home = Home::new();
    let path = home.credentials("user_good");
    set_mode(path.as_ref(), 0o644);
    let run = home.run(&["connect", "-r", "1", "--credentials-file", &path]).ends(2);
    run.says(&format!("chmod 600 {path}"));
    let arguments = ["connect", "-r", "1", "--credentials-stdin"];
    home.run_with_input(&arguments, r#"{"username":"x"}"#).ends(2).says("lacks password");
}

#[test]
fn what_is_not_there_ends_with_5_and_a_request_id() {
    let home = Home::new();
    for arguments in [
        &["connections", "get", "conn_x"][..],
        &["orders", "get", "item_x"],
        &["sessions", "get", "batch_x"],
        &["sessions"],
        &["sync", "--connection", "conn_x"],
        &["fix", "conn_x"],
        &["mfa"],
    ] {
        home.run(arguments).ends(5).says("request id: req_");
    }
    let error = home.run(&["-o", "json", "connections", "get", "conn_x"]).ends(5).error();
    assert_eq!((&error["code"], &error["httpStatus"]), (&"NOT_FOUND".into(), &404.into()));
    assert!(error["requestId"].is_string());
}

#[test]
fn a_place_that_cannot_be_written_is_told_at_once() {
    let home = Home::new();
    home.run(&["orders", "export", "--out", "nowhere/orders.csv"]).ends(1).says("Cannot write nowhere/orders.csv");
    home.run(&["orders", "export", "--out", "."]).ends(2).says("is a folder");
}

#[test]
fn an_export_without_room_fails_and_keeps_what_was_there() {
    use super::serve::Sandbox;
    use super::support::Run;

    let sandbox = Sandbox::start(&["--rate-limit", "off"]);
    sandbox.connect("1", "user_items_300", &[]).ends(0);
    let before = sandbox.home.path().join("orders.csv");
    std::fs::write(&before, "before").expect("write");
    // A limit on the size of files takes the place of a full disk.
    let limited = "trap '' XFSZ; ulimit -f 2; exec \"$0\" orders export --out orders.csv -o json";
    let real = sandbox.command(&[]);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", limited, real.get_program().to_str().expect("text")]).current_dir(sandbox.home.path());
    command.env_clear().envs(real.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let error = Run::of(command).ends(1).error();
    assert_eq!(error["code"], "DISK_FULL", "{error}");
    assert_eq!(std::fs::read_to_string(&before).expect("file"), "before");
    let left = std::fs::read_dir(sandbox.home.path()).expect("folder").flatten();
    assert!(left.into_iter().all(|entry| !entry.file_name().to_string_lossy().ends_with(".part")));
}

#[test]
fn secrets_are_found_nowhere() {
    let home = Home::new();
    let (password, code) = ("canary7Zq", "97315046");
    let answer = format!("echo {code}");
    let arguments = ["connect", "-r", "1", "--credentials-stdin", "-vv", "--curl"];
    let refused = home.run_with_input(&arguments, &format!(r#"{{"username":"user_good","password":"{password}"}}"#));
    std::fs::remove_file(home.path().join("stdin")).expect("remove");
    assert!(refused.err.contains("[redacted]"), "{}", refused.err);
    let more = ["--mfa-command", &answer, "-vv", "--curl"];
    let wrong = home.connect_retailer("2", "user_mfa_wrong", &more).ends(9);
    for text in [&refused.out, &refused.err, &wrong.out, &wrong.err] {
        assert!(!text.contains(password) && !text.contains(code), "{text}");
    }
    for entry in std::fs::read_dir(home.path().join("data")).expect("folder").flatten() {
        let bytes = std::fs::read(entry.path()).expect("file");
        for secret in [password, code] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{:?}", entry.path());
        }
    }
}
