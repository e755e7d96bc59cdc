//! Makes the files that are made from the code: man pages, completions, and the tables of the documentation; and checks
//! how the English reads.
//!
//! `cargo xtask generate` writes the files. With `--check` it writes nothing, and fails if one is missing, stale or left
//! over. `cargo xtask english` fails if a text has a phrase that reads as if translated.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for developers, with no output module of its own"
)]

mod completions;
mod english;
mod files;
#[cfg(test)]
mod links;
mod man;
#[cfg(test)]
mod portable;
mod tables;
mod topics;

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
    /// Write man pages, completions and the tables of the documentation
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
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Generate { check } => root().and_then(|root| generate(root, check)),
        Task::English { paths } => root().and_then(|root| english(root, paths)),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn root() -> Result<&'static Path, String> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or_else(|| "xtask has no parent folder".to_owned())
}

/// Whether no phrase was found.
fn english(root: &Path, mut paths: Vec<String>) -> Result<bool, String> {
    if paths.is_empty() {
        paths = english::DEFAULT.map(str::to_owned).into();
    }
    let findings = english::findings(root, &paths)?;
    for finding in &findings {
        eprintln!("{finding}");
    }
    Ok(findings.is_empty())
}

/// Whether everything is, or was brought, up to date.
fn generate(root: &Path, check: bool) -> Result<bool, String> {
    let mut wanted = files::Files::default();
    man::pages(&ordersync::cli::command(), &mut wanted)?;
    completions::scripts(ordersync::cli::command(), &mut wanted);
    tables::fill(root, &mut wanted)?;
    let differences = wanted.differences(root, &["man", "completions"])?;
    if check {
        for difference in &differences {
            eprintln!("{difference}");
        }
        if !differences.is_empty() {
            eprintln!("Run `cargo xtask generate` and commit what it changes.");
        }
        return Ok(differences.is_empty());
    }
    for difference in &differences {
        difference.mend(root)?;
        println!("{difference}");
    }
    Ok(true)
}
