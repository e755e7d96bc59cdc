//! Command lines that are carried out in this process, in an empty home folder. What a process alone has is tested from
//! outside, in `tests/cli`: its streams, its signals, a terminal.

mod peers;
mod settings;
mod usage;

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::perform;
use crate::context::Surroundings;
use crate::env::{self, Environment, Variable};
use crate::output::{Memory, Streams};

/// An empty home folder; gone with the test.
struct Home(TempDir);

/// What a command did.
struct Run {
    code: u8,
    out: String,
    err: String,
}

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(&[], arguments)
    }

    fn run_with(&self, variables: &[(&Variable, &str)], arguments: &[&str]) -> Run {
        let home = self.0.path().to_str().expect("text");
        let own = [(&env::HOME, home), (&env::TZ, "UTC"), (&env::SANDBOX_SPEED, "50")];
        let memory = Memory::default();
        let surroundings = Surroundings {
            environment: Environment::of(&[&own[..], variables].concat()),
            streams: Streams::Memory(memory.clone()),
            ..Surroundings::default()
        };
        let arguments: Vec<OsString> = ["ordersync"].iter().chain(arguments).map(OsString::from).collect();
        let code = perform(&arguments, surroundings).code();
        let (out, err) = memory.take();
        Run { code, out, err }
    }
}

impl Run {
    #[track_caller]
    fn ends(self, code: u8) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    #[track_caller]
    fn says(self, text: &str) -> Self {
        assert!(self.err.contains(text), "{text:?} is not in stderr: {}", self.err);
        self
    }

    #[track_caller]
    fn prints(self, text: &str) -> Self {
        assert!(self.out.contains(text), "{text:?} is not in stdout: {}", self.out);
        self
    }

    #[track_caller]
    fn json(&self) -> Value {
        json_of(&self.out)
    }

    /// The error object on standard error; notes may be before it.
    #[track_caller]
    fn error(&self) -> Value {
        json_of(self.err.lines().last().unwrap_or_default())
    }
}

#[track_caller]
fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("chmod");
}

fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}
