//! What errors advise: it is about what went wrong, and a command that is pasted works.

use super::serve::Sandbox;
use super::support::{Home, Run, set_mode};

/// The command behind these words in a hint.
fn advised(run: &Run, words: &str) -> String {
    let rest = run.err.split_once(words).unwrap_or_else(|| panic!("{words:?} is not in {}", run.err)).1;
    rest.lines().next().unwrap_or_default().trim().to_owned()
}

/// Pastes a command into a shell that has the binary on its path.
fn paste(home: &Home, command: &str) -> Run {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_ordersync")).parent().expect("a folder");
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", command])
        .env_clear()
        .env("PATH", format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default()))
        .env("ORDERSYNC_HOME", home.path())
        .env("ORDERSYNC_SANDBOX_SPEED", "50")
        .current_dir(home.path())
        .stdin(std::process::Stdio::null());
    Run::of(shell)
}

fn connected() -> Home {
    let home = Home::new();
    home.run_with_input(
        &["connect", "merribazaar", "--credentials-stdin"],
        r#"{"username": "user_good", "password": "pass_good"}"#,
    )
    .ends(0);
    home
}

#[test]
fn credentials_that_cannot_be_used_are_explained_before_anything_is_sent() {
    let home = Home::new();
    for (input, message) in [
        ("", "Standard input is empty."),
        ("{username}", "Standard input is not valid JSON (line 1, column 2)."),
        ("[1]", "Standard input is not a JSON object whose values are text"),
        (r#"{"password": 5}"#, "Standard input is not a JSON object whose values are text"),
        (r#"{"username": "a", "password": ""}"#, "Standard input has an empty password."),
    ] {
        let run = home.run_with_input(&["connect", "12", "--credentials-stdin"], input).ends(2);
        assert!(run.err.contains(message) && run.err.contains("It should be like {"), "{}", run.err);
        assert!(!run.err.contains("request id"), "{}", run.err);
    }
}

#[test]
fn a_configuration_that_cannot_be_used_can_be_put_aside_as_advised() {
    for what in ["x = [", "folder", "pipe"] {
        let home = Home::new();
        let folder = home.path().join("config");
        std::fs::create_dir_all(&folder).expect("folder");
        let file = folder.join("config.toml");
        match what {
            "folder" => std::fs::create_dir(&file).expect("folder"),
            "pipe" => assert!(std::process::Command::new("mkfifo").arg(&file).status().expect("mkfifo").success()),
            text => std::fs::write(&file, text).expect("file"),
        }
        let run = home.run(&["connections"]);
        assert_ne!(run.code, 0, "{what}");
        paste(&home, &advised(&run, "or start afresh:")).ends(0);
        home.run(&["connections"]).ends(0);
    }
}

#[test]
fn a_lost_key_is_reported_by_doctor_and_the_advice_starts_over() {
    for contents in [None, Some("garbage")] {
        let home = connected();
        let key = home.path().join("data").join("service.key");
        std::fs::remove_file(&key).expect("its key");
        if let Some(contents) = contents {
            std::fs::write(&key, contents).expect("file");
            set_mode(&key, 0o600);
        }
        let doctor = home.run(&["doctor"]).ends(1);
        doctor.prints("its key (service.key) is missing").prints("Restore the key from a backup: ");
        let run = home.run(&["sync"]);
        assert_ne!(run.code, 0, "{}", run.err);
        assert_eq!(key.exists(), contents.is_some(), "none is made for a store that had another");
        paste(&home, &advised(&run, "connect the retailers again:")).ends(0);
        home.run(&["connections"]).ends(0).says("No retailer is connected");
        home.run(&["doctor"]).ends(0);
    }
}

#[test]
fn a_command_to_copy_works_on_the_service_that_was_named() {
    let sandbox = Sandbox::start(&[]);
    let home = Home::new();
    let late = home.run(&["auth", "login", "--device", "--timeout", "1s", "--base-url", &sandbox.address]).ends(4);
    let again = advised(&late, "Start again:");
    assert_eq!(again, format!("ordersync auth login --device --base-url {}", sandbox.address));
    paste(&home, &format!("{again} --timeout 1s")).ends(4).says("and enter the code:");

    let mut command = home.command(&["connect", "999", "--base-url", &sandbox.address]);
    command.env("ORDERSYNC_TOKEN", &sandbox.token);
    let unknown = Run::of(command).ends(5);
    paste(&home, &advised(&unknown, "See the catalog:")).ends(0).prints("Merribazaar");
}

#[test]
fn a_path_that_does_not_exist_leads_to_one_that_does() {
    let run = Home::new().run(&["api", "nosuch"]).ends(5).says("openapi.yaml");
    assert!(
        run.err.contains("ordersync api /sync/orders") && !run.err.contains("ordersync connections"),
        "{}",
        run.err
    );
}

#[test]
fn an_address_without_lists_is_doubted_and_the_list_is_not_advised_again() {
    let sandbox = Sandbox::start(&[]);
    let home = Home::new();
    let address = format!("{}/elsewhere", sandbox.address);
    for arguments in [&["orders", "list"][..], &["orders", "export"], &["connections"], &["retailers"]] {
        let run =
            home.run_at(&address, arguments).ends(5).says("Is this the address of the service? ordersync config list");
        assert!(!run.err.contains("See your"), "{}", run.err);
    }
    sandbox.run(&["orders", "get", "item_x"]).ends(5).says("See your line items: ordersync orders list");
}

#[test]
fn standard_input_without_a_code_is_named() {
    let home = Home::new();
    let credentials = r#"{"username": "user_mfa_enter", "password": "pass_good"}"#;
    home.run_with_input(&["connect", "12", "--credentials-stdin"], credentials).ends(7);
    home.run_with_input(&["mfa", "--code-stdin"], "\n").ends(7).says("Standard input has no code.");
    home.run(&["mfa", "--req-id", "x"]).ends(1).says("has no open request x");
    home.run(&["sessions", "watch", "nosuch"]).ends(5).says("hint: See the latest session: ordersync sessions\n");
}

#[test]
fn a_proxy_that_cannot_be_used_is_not_gone_past() {
    let home = Home::new();
    let run = |proxy: &str| {
        let mut command = home.command(&["connections", "--base-url", "https://orders.invalid", "--timeout", "1s"]);
        command.env("HTTPS_PROXY", proxy).env("ORDERSYNC_TOKEN", "t");
        Run::of(command)
    };
    let refused = run("canary:x").ends(2).says("HTTPS_PROXY is not the address of a proxy").says("unset HTTPS_PROXY");
    assert!(!refused.err.contains("canary"), "{}", refused.err);
    // The proxy's own name is unknown in the last two, which is not blamed on the service.
    for proxy in
        ["http://127.0.0.1:1", "127.0.0.1:1", "http://u:p@127.0.0.1:1", "http://proxy.invalid", "proxy.invalid:3128"]
    {
        run(proxy).ends(3).says("The proxy for https://orders.invalid/ cannot be reached");
    }
}
