//! A home folder of its own for each test, and the binary run in it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The password of simulated customers.
pub(crate) const PASSWORD: &str = "pass_good";

/// An empty home folder; gone with the test.
pub(crate) struct Home(TempDir);

/// A process that is ended with what it belongs to.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a command did.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// One in which a simulated customer was connected at retailer 1, which ended with this code.
    #[track_caller]
    pub(crate) fn connected(user: &str, code: i32) -> Self {
        let home = Self::new();
        home.connect(user, &[]).ends(code);
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The command, without a terminal, with nothing of the surroundings but the way to programs.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordersync"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("ORDERSYNC_HOME", self.path())
            .env("TZ", "UTC")
            .env("ORDERSYNC_SANDBOX_SPEED", "50")
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments))
    }

    /// Runs with simulated retailers that are as slow as life.
    pub(crate) fn run_in_time(&self, arguments: &[&str]) -> Run {
        let mut command = self.command(arguments);
        command.env("ORDERSYNC_SANDBOX_SPEED", "1");
        Run::of(command)
    }

    /// The command, with a token for the service at this address.
    pub(crate) fn command_at(&self, address: &str, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        command.env("ORDERSYNC_BASE_URL", address).env("ORDERSYNC_TOKEN", "tok_canary");
        command
    }

    pub(crate) fn run_at(&self, address: &str, arguments: &[&str]) -> Run {
        Run::of(self.command_at(address, arguments))
    }

    /// Runs a line of a shell, for which `"$BIN"` is the binary.
    pub(crate) fn shell(&self, line: &str) -> Run {
        let of = self.command(&[]);
        let mut shell = Command::new("bash");
        shell.args(["-c", line]).env_clear().env("BIN", of.get_program()).current_dir(self.path());
        shell.envs(of.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
        Run::of(shell)
    }

    /// Runs with a text on standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        let file = self.path().join("stdin");
        std::fs::write(&file, input).expect("write");
        let mut command = self.command(arguments);
        command.stdin(std::fs::File::open(file).expect("open"));
        Run::of(command)
    }

    /// A private file with the credentials of a simulated customer.
    pub(crate) fn credentials(&self, user: &str) -> String {
        let path = self.path().join(format!("{user}.json"));
        // Another thread of the test may be reading the one of before.
        let mut file = tempfile::NamedTempFile::new_in(self.path()).expect("a file");
        write!(file, r#"{{"username":"{user}","password":"{PASSWORD}"}}"#).expect("write");
        file.persist(&path).expect("rename");
        path.into_os_string().into_string().expect("text")
    }

    /// Connects a simulated customer at retailer 1.
    pub(crate) fn connect(&self, user: &str, more: &[&str]) -> Run {
        self.connect_retailer("1", user, more)
    }

    pub(crate) fn connect_retailer(&self, retailer: &str, user: &str, more: &[&str]) -> Run {
        let file = self.credentials(user);
        self.run(&[&["connect", "--retailer", retailer, "--credentials-file", &file], more].concat())
    }

    pub(crate) fn connect_in_time(&self, retailer: &str, user: &str, more: &[&str]) -> Run {
        let file = self.credentials(user);
        self.run_in_time(&[&["connect", "--retailer", retailer, "--credentials-file", &file], more].concat())
    }

    pub(crate) fn connection(&self) -> String {
        let connections = self.run(&["connections", "-o", "json"]).json();
        connections[0]["connectionId"].as_str().expect("a connection").to_owned()
    }
}

impl Run {
    pub(crate) fn of(mut command: Command) -> Self {
        let Output { status, stdout, stderr } = command.output().expect("it runs");
        Self {
            code: status.code().expect("an exit code"),
            out: String::from_utf8(stdout).expect("text"),
            err: String::from_utf8(stderr).expect("text"),
        }
    }

    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.err.contains(text), "{text:?} is not in stderr: {}", self.err);
        self
    }

    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Self {
        assert!(self.out.contains(text), "{text:?} is not in stdout: {}", self.out);
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|why| panic!("{why}: {}\n{}", self.out, self.err))
    }

    /// The error object on standard error; progress may stand before it.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        let line = self.err.lines().last().unwrap_or_default();
        serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {}", self.err))
    }
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("chmod");
}

#[allow(clippy::disallowed_methods, reason = "the commands under test read the machine's clock")]
pub(crate) fn now() -> chrono::DateTime<chrono::Utc> {
    std::time::SystemTime::now().into()
}
