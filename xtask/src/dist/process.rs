//! Other programs, run in the repository; a failure says which one it was.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// The Cargo that runs this, in the repository, whose `.cargo/config.toml` it then reads.
pub(super) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    // `cargo run` says in these which package this is. Build scripts ask for some, and would run again for the answer.
    for (name, _) in env::vars_os() {
        if ["CARGO_MANIFEST_", "CARGO_PKG_"].iter().any(|own| name.to_string_lossy().starts_with(own)) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs it to its end, with its messages on the terminal.
pub(super) fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|why| format!("cannot run {}: {why}", typed(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} failed: {status}", typed(command))) }
}

/// What it prints.
pub(super) fn output(command: &mut Command) -> Result<String, String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|why| format!("cannot run {}: {why}", typed(command)))?;
    if !output.status.success() {
        return Err(format!("{} failed: {}", typed(command), output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{} did not print UTF-8", typed(command)))
}

/// The triple of this machine.
pub(super) fn host() -> Result<String, String> {
    let version = output(Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host; give --target".to_owned())
}

fn typed(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
