//! The time that everything in a package has, so that the same source gives the same bytes.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// What tools for reproducible builds read; see reproducible-builds.org.
pub(super) const VARIABLE: &str = "SOURCE_DATE_EPOCH";
/// 1980-01-01: tar warns of files that are older.
const WITHOUT_GIT: u64 = 315_532_800;

/// Seconds since 1970: the variable, else the time of the commit, else a fixed one.
pub(super) fn of(root: &Path) -> Result<u64, String> {
    match env::var(VARIABLE) {
        Ok(value) => value.parse().map_err(|_| format!("{VARIABLE} is not a number of seconds: {value:?}")),
        Err(_) => Ok(commit(root).unwrap_or(WITHOUT_GIT)),
    }
}

fn commit(root: &Path) -> Option<u64> {
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(root).stderr(Stdio::null());
    let output = git.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
