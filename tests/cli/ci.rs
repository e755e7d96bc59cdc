//! The examples for CI systems, and the workflow of a release: their YAML is YAML, and every command of ours in them is one.

use serde_yaml_ng::Value;

const EXAMPLES: [&str; 2] =
    [include_str!("../../examples/ci/github.yaml"), include_str!("../../examples/ci/gitlab.yaml")];
const RELEASE: &str = include_str!("../../.github/workflows/release.yml");

/// Every text in it.
fn texts(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Sequence(values) => values.iter().for_each(|value| texts(value, out)),
        Value::Mapping(values) => values.values().for_each(|value| texts(value, out)),
        _ => {}
    }
}

/// The commands of ours in a script, as words.
fn commands(script: &str) -> Vec<Vec<String>> {
    let simple = script.lines().flat_map(|line| line.split("; ")).flat_map(|line| line.split(" || "));
    let ours = simple
        .map(|command| command.trim().trim_start_matches("then "))
        .filter(|command| command.starts_with("ordersync "));
    ours.map(words).collect()
}

/// Words as a shell makes them of a line with quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(letter),
        }
    }
    words
}

#[test]
fn the_examples_are_yaml_and_their_commands_are_ours() {
    for example in EXAMPLES {
        let document: Value = serde_yaml_ng::from_str(example).unwrap_or_else(|why| panic!("{why}\n{example}"));
        let mut scripts = Vec::new();
        texts(&document, &mut scripts);
        let commands: Vec<Vec<String>> = scripts.iter().flat_map(|script| commands(script)).collect();
        for wanted in ["doctor", "smoke", "orders"] {
            assert!(commands.iter().any(|command| command[1] == wanted), "{wanted}: {commands:?}");
        }
        for command in commands {
            let parsed = ordersync::reference::command().try_get_matches_from(&command);
            assert!(parsed.is_ok(), "{command:?}: {}", parsed.expect_err("refused"));
        }
    }
}

#[test]
fn github_runs_what_it_is_told_on_machines_that_it_has() {
    let document: Value = serde_yaml_ng::from_str(EXAMPLES[0]).expect("YAML");
    for (name, job) in document["jobs"].as_mapping().expect("jobs") {
        assert_eq!(job["runs-on"], "ubuntu-latest", "{name:?}");
        for step in job["steps"].as_sequence().expect("steps") {
            assert!(step["run"].is_string() != step["uses"].is_string(), "{step:?}");
        }
    }
    let document: Value = serde_yaml_ng::from_str(EXAMPLES[1]).expect("YAML");
    let stages: Vec<&str> =
        document["stages"].as_sequence().expect("stages").iter().filter_map(Value::as_str).collect();
    for job in ["build", "smoke", "export"] {
        assert!(document[job]["script"].is_sequence(), "{job}");
        assert!(document[job]["stage"].as_str().is_some_and(|stage| stages.contains(&stage)), "{job}");
    }
}

#[test]
fn the_example_without_a_service_does_what_it_says() {
    let home = super::support::Home::new();
    let document: Value = serde_yaml_ng::from_str(EXAMPLES[0]).expect("YAML");
    let steps = document["jobs"]["sandbox"]["steps"].as_sequence().expect("steps");
    let script = steps.last().and_then(|step| step["run"].as_str()).expect("a script");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_ordersync")).parent().expect("a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").expect("PATH"));
    let mut shell = std::process::Command::new("bash");
    shell.args(["-e", "-c", script]).current_dir(home.path()).env("PATH", path).env("CI", "true");
    shell.env("ORDERSYNC_HOME", home.path()).env("ORDERSYNC_SANDBOX_SPEED", "50");
    super::support::Run::of(shell).ends(0).prints("✓ export: ");
    for file in ["smoke.xml", "orders.csv"] {
        assert!(home.path().join(file).exists(), "{file}");
    }
}

/// A release is made by the commands that `.ci/run` tries, with the same checks.
#[test]
fn the_release_workflow_builds_and_checks_the_packages_as_documented() {
    let document: Value = serde_yaml_ng::from_str(RELEASE).expect("YAML");
    assert_eq!(document["on"]["push"]["tags"][0], "v*");
    let steps = document["jobs"]["packages"]["steps"].as_sequence().expect("steps");
    for step in steps {
        assert!(step["run"].is_string() != step["uses"].is_string(), "{step:?}");
    }
    let scripts: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    let page = include_str!("../../docs/dev/releasing.md");
    for wanted in ["cargo xtask dist", "python3 tests/judges/dist.py"] {
        assert!(scripts.contains(&wanted), "{wanted}: {scripts:?}");
        assert!(page.contains(&format!("    {wanted}\n")), "{wanted}");
    }
}
