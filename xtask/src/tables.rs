//! The tables of the documentation that are made from the code.
//!
//! A table is between `<!-- generated: NAME -->` and `<!-- end generated -->`; everything else in the file is
//! written by hand and left alone.

use std::fs;
use std::path::Path;

use ordersync::codes::{self, ErrorEntry};
use ordersync::reference::{Exit, SIMULATED_USERS, VARIABLES, keys};
use ordersync_api::{ErrorCode, SyncErrorCode};

use crate::files::Files;

const END: &str = "<!-- end generated -->";

/// A table: its name, and what makes it.
type Table = (&'static str, fn() -> String);

/// Which file holds which tables.
const PAGES: [(&str, &[Table]); 3] = [
    ("docs/configuration.md", &[("environment", environment), ("settings", settings)]),
    (
        "docs/errors.md",
        &[
            ("exit-codes", exit_codes),
            ("sync-errors", sync_errors),
            ("service-errors", service_errors),
            ("network-errors", || errors(codes::network::ALL)),
            ("sign-in-errors", || errors(codes::oauth::ALL)),
            ("command-errors", || errors(codes::command::ALL)),
        ],
    ),
    ("docs/retailers.md", &[("simulated-users", simulated_users)]),
];

/// Adds the documentation's files with their tables filled in.
pub(crate) fn fill(root: &Path, files: &mut Files) -> Result<(), String> {
    for (path, tables) in PAGES {
        let mut page = fs::read_to_string(root.join(path)).map_err(|why| format!("{path}: {why}"))?;
        for (name, table) in tables {
            page = replace(&page, name, &table()).ok_or_else(|| format!("{path}: no markers for the table {name}"))?;
        }
        files.add(path, page);
    }
    Ok(())
}

fn replace(page: &str, name: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(&format!("<!-- generated: {name} -->\n"))?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}<!-- generated: {name} -->\n{table}{END}{after}"))
}

fn simulated_users() -> String {
    SIMULATED_USERS.iter().map(|(name, happens)| format!("- `{name}`: {happens}\n")).collect()
}

fn exit_codes() -> String {
    Exit::ALL.iter().map(|exit| format!("- `{}`: {}\n", exit.code(), exit.meaning())).collect()
}

/// Without the cause and the advice, which each error prints.
fn errors(rows: &[ErrorEntry]) -> String {
    rows.iter().map(|row| format!("- `{}` ({}): {}\n", row.code, row.exit.code(), row.means)).collect()
}

/// So, too, with the HTTP status in place of the exit code.
fn service_errors() -> String {
    let rows = codes::service::ALL.iter().map(|row| {
        let status =
            row.code.parse::<ErrorCode>().map_or_else(|_| "other".to_owned(), |it| it.http_status().to_string());
        format!("- `{}` ({status}): {}\n", row.code, row.means)
    });
    rows.collect()
}

fn sync_errors() -> String {
    SyncErrorCode::ALL.iter().map(|code| format!("- `{code}`: {} {}\n", code.message(), code.remedy())).collect()
}

fn environment() -> String {
    VARIABLES.iter().map(|variable| format!("- `{}`: {}\n", variable.name, variable.help)).collect()
}

fn settings() -> String {
    keys::all().map(|key| format!("- `{}`: {}\n", key.name, key.help)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_markers_is_replaced() {
        let page = "a\n<!-- generated: t -->\nold\n<!-- end generated -->\nb\n";
        let filled = "a\n<!-- generated: t -->\nnew\n<!-- end generated -->\nb\n";
        assert_eq!(replace(page, "t", "new\n").as_deref(), Some(filled));
        assert_eq!(replace(filled, "t", "new\n").as_deref(), Some(filled));
        assert_eq!(replace(page, "u", "new\n"), None);
    }

    #[test]
    fn every_error_code_is_documented_beside_its_status() {
        let page = include_str!("../../docs/errors.md");
        for code in ErrorCode::ALL {
            let row = format!("- `{code}` ({}):", code.http_status());
            assert!(page.contains(&row), "docs/errors.md has no row that begins with {row}");
        }
    }
}
