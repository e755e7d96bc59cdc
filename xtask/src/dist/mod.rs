//! Makes the packages of a release: builds the program, then writes an archive, a Debian package, an SBOM and the
//! checksums of all three into `target/packages`.
//!
//! The same source gives the same bytes: files are sorted, their owner is root, and their time is that of the commit.

mod archive;
mod crates;
mod date;
mod debian;
mod licenses;
mod process;
mod sbom;
mod sums;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};

use process::cargo;

/// The program's file name.
const PROGRAM: &str = "ordersync";

/// What can be typed.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Build profile of Cargo.toml
    #[arg(long, value_name = "NAME", default_value = "dist")]
    profile: String,
    /// Platform to build for, as `rustc --print target-list` names it [default: this machine's]
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// Package the program that is built already
    #[arg(long)]
    no_build: bool,
    /// Compress quickly, for packages that nobody downloads
    #[arg(long)]
    fast: bool,
}

/// One run: what to package, and where everything is.
struct Release<'a> {
    /// The repository.
    root: &'a Path,
    options: &'a Options,
    project: crates::Project,
    /// The target triple.
    target: String,
    /// Where Cargo puts the built program.
    built: PathBuf,
    /// The time of every packaged file: seconds since 1970.
    date: u64,
    /// Where the packages go.
    packages: PathBuf,
}

/// Makes everything, and prints the path of each package.
pub(crate) fn run(root: &Path, options: &Options) -> Result<(), String> {
    let target = options.target.clone().map_or_else(process::host, Ok)?;
    let for_debian = debian::is_for(&target);
    tools::check(root, for_debian)?;
    let project = crates::Project::read(root, &target)?;
    let release = Release {
        built: built(&project.target_directory, options),
        packages: project.target_directory.join("packages"),
        date: date::of(root)?,
        root,
        options,
        project,
        target,
    };
    release.build()?;
    release.package(for_debian)
}

impl Release<'_> {
    /// What the names of the archive, its folder and the SBOM begin with.
    fn name(&self) -> String {
        name(&self.project.version, &self.target)
    }

    /// The built program.
    fn program(&self) -> PathBuf {
        self.built.join(PROGRAM)
    }

    fn build(&self) -> Result<(), String> {
        if !self.options.no_build {
            let mut build = cargo(self.root);
            build.args(["build", "--locked", "--package", "ordersync", "--bin", "ordersync"]);
            return process::run(self.with_profile(&mut build));
        }
        let program = self.program();
        if program.is_file() {
            return Ok(());
        }
        Err(format!("There is no program at {}. Build it first, or leave out --no-build.", program.display()))
    }

    /// Adds the flags that choose what is built.
    fn with_profile<'c>(&self, command: &'c mut std::process::Command) -> &'c mut std::process::Command {
        command.args(["--profile", &self.options.profile]);
        if let Some(target) = &self.options.target {
            command.args(["--target", target]);
        }
        command
    }

    fn package(&self, for_debian: bool) -> Result<(), String> {
        let linked = crates::linked(self.root, &self.project, &self.target)?;
        let licenses = licenses::text(&self.name(), &linked)?;
        empty(&self.packages)?;
        archive::make(self, &licenses)?;
        sbom::make(self)?;
        if for_debian {
            debian::make(self, &licenses)?;
        } else {
            println!("no Debian package: {} is not Linux with glibc", self.target);
        }
        for path in sums::write_all(&self.packages)? {
            println!("{}", path.display());
        }
        if !self.project.has_repository {
            println!(
                "cargo binstall cannot find them: `repository` in Cargo.toml is to be filled in (docs/dev/releasing.md)"
            );
        }
        Ok(())
    }
}

/// `ordersync-0.1.0-x86_64-unknown-linux-gnu`
fn name(version: &str, target: &str) -> String {
    format!("ordersync-{version}-{target}")
}

/// Where Cargo puts what it builds.
fn built(target_directory: &Path, options: &Options) -> PathBuf {
    // The one profile whose folder has another name.
    let profile = if options.profile == "dev" { "debug" } else { &options.profile };
    target_directory.join(options.target.as_deref().unwrap_or("")).join(profile)
}

/// Packages of an earlier run would otherwise get into the sums.
fn empty(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|why| format!("cannot empty {}: {why}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|why| format!("cannot create {}: {why}", folder.display()))
}

/// Reads a file, with its name in the error.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|why| format!("cannot read {}: {why}", path.display()))
}

/// Writes a file, with its name in the error.
fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    fs::write(path, content).map_err(|why| format!("cannot write {}: {why}", path.display()))
}

/// The entries of a folder, sorted.
fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = entries.map_err(|why| format!("cannot list {}: {why}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

/// A path's last part, as text.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(profile: &str, target: Option<&str>) -> Options {
        Options { profile: profile.to_owned(), target: target.map(str::to_owned), no_build: true, fast: false }
    }

    #[test]
    fn the_program_is_looked_for_where_cargo_puts_it() {
        let cases = [
            ("dist", None, "t/dist"),
            ("release", Some("aarch64-unknown-linux-gnu"), "t/aarch64-unknown-linux-gnu/release"),
            ("dev", None, "t/debug"),
        ];
        for (profile, target, expected) in cases {
            assert_eq!(built(Path::new("t"), &options(profile, target)), Path::new(expected));
        }
    }

    /// `cargo binstall` finds the archive by its name, and the program by its path in the archive.
    #[test]
    fn binstall_looks_for_the_names_that_the_packages_have() {
        let manifest: toml::Table = include_str!("../../../Cargo.toml").parse().unwrap();
        let binstall = &manifest["package"]["metadata"]["binstall"];
        let (version, target) = ("1.2.3", "x86_64-unknown-linux-gnu");
        let filled = |key: &str| {
            let values = [("name", "ordersync"), ("version", version), ("target", target), ("bin", "ordersync")];
            let template = binstall[key].as_str().unwrap().replace("{ binary-ext }", "");
            values.iter().fold(template, |text, (name, value)| text.replace(&format!("{{ {name} }}"), value))
        };
        let name = name(version, target);
        assert_eq!(filled("pkg-url"), format!("{{ repo }}/releases/download/v1.2.3/{name}.tar.gz"));
        assert_eq!(filled("bin-dir"), format!("{name}/ordersync"));
        assert_eq!(binstall["pkg-fmt"].as_str(), Some("tgz"));
    }
}
