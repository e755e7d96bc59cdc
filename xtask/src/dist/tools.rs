//! The programs of others that make packages. They are looked for before the long build, and never installed here.

use std::path::Path;
use std::process::{Command, Stdio};

use super::process::cargo;

struct Tool {
    /// As in `cargo NAME`; the crate is `cargo-NAME`.
    command: &'static str,
    version: &'static str,
    makes: &'static str,
}

/// The versions are those of `.ci/run`.
const DEB: Tool = Tool { command: "deb", version: "3.8.0", makes: "the Debian package" };
const CYCLONEDX: Tool = Tool { command: "cyclonedx", version: "0.5.9", makes: "the SBOM" };

/// An error names every missing command, and how to install it.
pub(super) fn check(root: &Path, for_debian: bool) -> Result<(), String> {
    let needed = [for_debian.then_some(DEB), Some(CYCLONEDX)];
    let mut missing: Vec<String> = needed.iter().flatten().filter_map(|tool| tool.missing(root)).collect();
    // Without it, cargo-deb makes a package that depends on nothing.
    if for_debian && !runs(Command::new("dpkg-shlibdeps").arg("--version")) {
        missing.push("dpkg-shlibdeps finds the package's dependencies and is missing. Install dpkg-dev.".to_owned());
    }
    if missing.is_empty() { Ok(()) } else { Err(missing.join("\n")) }
}

impl Tool {
    fn missing(&self, root: &Path) -> Option<String> {
        let Self { command, version, makes } = self;
        let mut version_of = cargo(root);
        (!runs(version_of.args([command, "--version"]))).then(|| {
            let install = format!("cargo install --locked cargo-{command}@{version}");
            format!("cargo-{command} makes {makes} and is missing. Install it: {install}")
        })
    }
}

fn runs(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_is_named_with_the_command_that_installs_it() {
        let tool = Tool { command: "no-such-command", version: "1.2.3", makes: "nothing" };
        let said = tool.missing(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(said.ends_with("cargo install --locked cargo-no-such-command@1.2.3"), "{said}");
    }

    #[test]
    fn the_versions_are_the_same_everywhere() {
        let places = [
            include_str!("../../../.ci/run"),
            include_str!("../../../.github/workflows/release.yml"),
            include_str!("../../../docs/dev/releasing.md"),
        ];
        for Tool { command, version, .. } in [DEB, CYCLONEDX] {
            for place in places {
                assert!(place.contains(&format!("cargo-{command}@{version}")), "{command}: {place}");
            }
        }
    }
}
