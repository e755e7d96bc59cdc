//! The Debian package. What is in it, `[package.metadata.deb]` in Cargo.toml says.

use std::process::Stdio;

use super::process::{cargo, run};
use super::{Release, date, write};

/// Debian's systems have glibc.
pub(super) fn is_for(target: &str) -> bool {
    target.contains("-linux-gnu")
}

/// Writes the package under the name that Debian gives it, such as `ordersync_0.1.0-1_amd64.deb`.
pub(super) fn make(release: &Release<'_>, licenses: &str) -> Result<(), String> {
    // Cargo.toml names this file as one that was built: it is looked for beside the program, whatever the profile.
    write(&release.built.join("THIRD-PARTY-LICENSES"), licenses)?;
    let mut command = cargo(release.root);
    // The same program as in the archive, hence not stripped once more.
    command.args(["deb", "--no-build", "--no-strip", "--locked", "--output"]).arg(&release.packages);
    if release.options.fast {
        command.arg("--fast");
    }
    // It prints the path of the package, as this does in the end.
    command.env(date::VARIABLE, release.date.to_string()).stdout(Stdio::null());
    run(release.with_profile(&mut command))
}
