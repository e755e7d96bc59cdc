//! Makes the files that are made from the code: man pages, completions, and the tables of the documentation.
//!
//! `cargo xtask generate` writes them; with `--check` it writes nothing, and fails where one is missing, stale or
//! left over.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for developers, with no output module of its own"
)]

mod completions;
mod files;
#[cfg(test)]
mod floors;
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
        /// Write nothing; fail where a file is not as it would be written
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    let Task::Generate { check } = Cli::parse().task;
    match generate(check) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("Run `cargo xtask generate` and commit what it changes.");
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything is, or was brought, up to date.
fn generate(check: bool) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask has no parent folder")?;
    let mut wanted = files::Files::default();
    man::pages(&ordersync::cli::command(), &mut wanted)?;
    completions::scripts(ordersync::cli::command(), &mut wanted);
    tables::fill(root, &mut wanted)?;
    let differences = wanted.differences(root, &["man", "completions"])?;
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
