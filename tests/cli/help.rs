//! The commands and their help are an interface: a change of either is seen here.

use super::support::Home;

/// Every command, depth first, with its flags and arguments.
fn tree(command: &clap::Command, path: &str, out: &mut String) {
    let mut parts: Vec<String> = command
        .get_arguments()
        .filter(|argument| !argument.is_global_set())
        .map(|argument| match (argument.get_long(), argument.get_short()) {
            (Some(long), Some(short)) => format!("--{long}|-{short}"),
            (Some(long), None) => format!("--{long}"),
            (None, _) => format!("<{}>", argument.get_id()),
        })
        .collect();
    parts.insert(0, path.to_owned());
    out.push_str(&parts.join(" "));
    out.push('\n');
    for inner in command.get_subcommands() {
        tree(inner, &format!("{path} {}", inner.get_name()), out);
    }
}

#[test]
fn the_command_tree_is_as_documented() {
    let mut out = String::new();
    tree(&ordersync::reference::command(), "ordersync", &mut out);
    insta::assert_snapshot!(out);
}

fn paths(command: &clap::Command, path: &[String], out: &mut Vec<Vec<String>>) {
    out.push(path.to_vec());
    for inner in command.get_subcommands() {
        paths(inner, &[path, &[inner.get_name().to_owned()]].concat(), out);
    }
}

/// The words are those of the man pages, which `cargo xtask generate --check` compares; what they look like is seen in some.
#[test]
fn every_command_explains_itself() {
    const SHOWN: [&str; 4] = ["ordersync", "connect", "orders_get", "admin"];
    let home = Home::new();
    let mut all = Vec::new();
    paths(&ordersync::reference::command(), &[], &mut all);
    for path in all {
        let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
        let help = home.run(&arguments).ends(0).out;
        let command = [&["ordersync".to_owned()], &path[..]].concat().join(" ");
        assert!(help.contains(&format!("Usage: {command}")), "{help}");
        let longest = help.lines().filter(|line| !line.starts_with("Usage:")).map(|line| line.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest <= 100), "{longest:?}: {help}");
        let name = if path.is_empty() { command } else { path.join("_") };
        if SHOWN.contains(&&*name) {
            insta::assert_snapshot!(format!("help_{name}"), help);
        }
    }
}

#[test]
fn help_and_version_touch_nothing() {
    let home = Home::new();
    home.run(&["--version"]).ends(0).prints("ordersync 0.");
    home.run(&["completions", "bash"]).ends(0).prints("_ordersync");
    assert_eq!(std::fs::read_dir(home.path()).expect("folder").count(), 0);
}

#[test]
fn help_and_version_are_commands_too() {
    let home = Home::new();
    assert_eq!(home.run(&["help"]).ends(0).out, home.run(&["--help"]).ends(0).out);
    let asked = home.run(&["help", "orders", "export"]).ends(0);
    assert_eq!(asked.out, home.run(&["orders", "export", "--help"]).ends(0).out);
    home.run(&["version"]).ends(0).prints("ordersync 0.");
    home.run(&["help", "nope"]).ends(2).says("There is no command \"nope\".");
    home.run(&["help", "exit-code"]).ends(2).says("hint: Did you mean: ordersync help exit-codes\n");
}

#[test]
fn topics_are_explained_without_a_man_page() {
    let home = Home::new();
    home.run(&["admin", "users", "find", "--help"]).ends(0).prints("--database").prints("ordersync help options");
    home.run(&["help", "options"]).ends(0).prints("  -o, --output <table|json|jsonl|csv>").prints("--timeout <TIME>");
    home.run(&["help", "environment"]).ends(0).prints("ORDERSYNC_BASE_URL").prints("overrides");
    home.run(&["help", "exit-codes"]).ends(0).prints("130  interrupted");
    home.run(&["help", "settings"]).ends(0).prints("token_store");
    home.run(&["--help"]).ends(0).prints("ordersync help options, environment");
}

#[test]
fn a_command_alone_fits_on_a_screen() {
    let home = Home::new();
    for command in ["orders", "auth", "config", "sandbox", "link-token", "users", "admin"] {
        let help = home.run(&[command]).ends(2).err;
        assert!(help.lines().count() <= 35, "{command}: {help}");
    }
}

/// The words of a command line, as a shell would take them apart, up to a pipe, a redirection or a comment.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in line.chars() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => quote = Some(letter),
            ('|' | '>' | '<' | ')', None) => break,
            (' ', None) => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_has_examples_and_they_are_command_lines() {
    let mut tree = ordersync::reference::command();
    tree.build();
    let mut all = Vec::new();
    paths(&tree, &[], &mut all);
    for path in all {
        let command = path.iter().fold(&tree, |command, name| command.find_subcommand(name).expect("a command"));
        let help = command.get_after_help().or(command.get_after_long_help()).map(ToString::to_string);
        let help = help.unwrap_or_default();
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("no examples: {path:?}"));
        for line in examples.lines().take_while(|line| line.starts_with("  ")) {
            for (start, _) in line.match_indices("ordersync ") {
                // The first example has its explanation beside it.
                let example = line[start..].split("   ").next().unwrap_or_default();
                let parsed = ordersync::reference::command().try_get_matches_from(words(example));
                assert!(parsed.is_ok(), "{path:?}: {example}: {parsed:?}");
            }
        }
    }
}
