//! A command of the user's that prints a code. It gets no secrets of ours, and whatever it has started ends with it.

use std::io;
use std::process::{Command, Output, Stdio};

/// Runs a shell command and waits for its end. Its standard error goes where ours goes. If the future is dropped, the
/// command is ended.
pub(super) async fn output(command: &str, environment: &[(&str, String)]) -> io::Result<Output> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    for (name, value) in environment {
        // A retailer's text may hold what no environment can.
        shell.env(name, value.replace('\0', ""));
    }
    crate::env::without_secrets(&mut shell);
    let has_own_group = apart(&mut shell);
    let mut shell = tokio::process::Command::from(shell);
    let child =
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).kill_on_drop(true).spawn()?;
    let mut group = ProcessGroup(child.id().filter(|_| has_own_group));
    let output = child.wait_with_output().await;
    // It ended by itself.
    group.0 = None;
    output
}

/// Gives the command a process group of its own, by which all that it starts can be ended. Not on a terminal: there, a
/// program of another group may not read what is typed, and a password manager wants to.
fn apart(shell: &mut Command) -> bool {
    use std::os::unix::process::CommandExt as _;

    let (stdin, stdout, stderr) = crate::output::terminals();
    let is_apart = !(stdin || stdout || stderr);
    if is_apart {
        shell.process_group(0);
    }
    is_apart
}

/// A process group, ended when this is dropped.
struct ProcessGroup(Option<u32>);

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        let leader = self.0.and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(leader) = leader {
            // It may have ended by itself at this very moment.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_text_that_no_environment_can_hold_is_handed_on_without_what_it_cannot() {
        let output = output("printf %s \"$X\"", &[("X", "a\0b".to_owned())]).await.expect("it runs");
        assert_eq!(output.stdout, b"ab");
    }
}
