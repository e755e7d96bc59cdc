//! Makes the files that are made from the code: man pages and the tables of the documentation. Makes the packages of a
//! release, and checks how the English reads.
//!
//! `cargo xtask generate` writes the files. With `--check` it writes nothing, and fails if one is missing, stale or left
//! over. `cargo xtask dist` writes the packages (docs/dev/releasing.md). `cargo xtask english` fails if a text has a phrase that
//! reads as if translated.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for developers, with no output module of its own"
)]

mod dist;
mod english;
mod files;
#[cfg(test)]
mod floors;
#[cfg(test)]
mod links;
mod man;
#[cfg(test)]
mod sources;
mod tables;
#[cfg(test)]
mod wording;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of the project's development.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write man pages and the tables of the documentation
    Generate {
        /// Write nothing; fail if a file is not as it would be written
        #[arg(long)]
        check: bool,
    },
    /// Refuse phrases that read as if translated
    English {
        /// Files and folders to read, relative to the root; default: the documentation
        paths: Vec<String>,
    },
    /// Build the packages of a release: archive, Debian package, SBOM and checksums
    Dist(dist::Options),
}

fn main() -> ExitCode {
    match run(Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask has no parent folder")?;
    match task {
        Task::Generate { check } if generate(root, check)? => Ok(()),
        Task::Generate { .. } => Err("Run `cargo xtask generate` and commit what it changes.".to_owned()),
        Task::English { paths } => english(root, paths),
        Task::Dist(options) => dist::run(root, &options),
    }
}

/// Fails if a phrase was found.
fn english(root: &Path, mut paths: Vec<String>) -> Result<(), String> {
    if paths.is_empty() {
        paths = english::DEFAULT.map(str::to_owned).into();
    }
    let findings = english::findings(root, &paths)?;
    for finding in &findings {
        eprintln!("{finding}");
    }
    if findings.is_empty() { Ok(()) } else { Err(format!("{} phrases to reword", findings.len())) }
}

/// Whether everything is, or was brought, up to date.
fn generate(root: &Path, check: bool) -> Result<bool, String> {
    let mut wanted = files::Files::default();
    man::pages(&ordersync::reference::command(), &mut wanted)?;
    tables::fill(root, &mut wanted)?;
    let differences = wanted.differences(root, &["man"])?;
    if check {
        for difference in &differences {
            eprintln!("{difference}");
        }
        return Ok(differences.is_empty());
    }
    for difference in &differences {
        difference.mend(root)?;
        println!("{difference}");
    }
    Ok(true)
}
