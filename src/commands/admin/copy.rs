//! `ordersync admin store copy`.

use std::path::Path;

use ordersync_service::StoreError;
use ordersync_service::admin::{Compared, Copied, CopyError, CopyStep, copy_store};
use ordersync_service::database::Database;
use serde_json::json;

use super::existing;
use crate::cli::admin::store::CopyArgs;
use crate::commands::serve;
use crate::context::Context;
use crate::env;
use crate::errors::{Error, Hint, Result, codes};
use crate::local;
use crate::output::Mark;
use crate::output::table::{Column, Table};

/// How much of a digest people get to see.
const SHOWN_DIGITS: usize = 16;

pub(super) async fn run(context: &Context, arguments: &CopyArgs) -> Result<()> {
    let from = &arguments.from;
    if ordersync_service::database::PostgresAddress::is_meant_by(&from.to_string_lossy()) {
        return Err(Error::usage("--from is a PostgreSQL address, and only an SQLite file can be copied.")
            .hint("Copy a database with PostgreSQL's own tools: pg_dump, pg_restore."));
    }
    existing(Database::File(from.clone()))?;
    let to = match serve::database_of(context, "--to", arguments.to.as_deref())? {
        Database::Postgres(to) => to,
        Database::File(_) => {
            return Err(Error::usage("A store is copied to a PostgreSQL database, and no address of one is given.")
                .hint(format!("Give --to postgres://USER@HOST/DATABASE, --to @FILE, or {}.", env::DATABASE_URL.name)));
        }
    };
    let mut progress = context.output.progress_beside_result();
    let copied = copy_store(from, &to, &mut |step| match step {
        CopyStep::Resumed => context.output.note("Continuing an earlier copy that was interrupted."),
        CopyStep::BegunAgain => {
            context
                .output
                .note("The file was changed since an earlier copy was interrupted, so the copy begins again.");
        }
        CopyStep::Copied(table, rows) => progress.update("Copying", table, &counted(rows), None),
        CopyStep::Comparing(table) => progress.count("Comparing", table),
    })
    .await;
    drop(progress);
    match copied {
        Ok(copied) => {
            show(context, &copied.tables)?;
            said(context, from, &to.to_string(), &copied);
            Ok(())
        }
        Err(CopyError::Different(tables)) => {
            show(context, &tables)?;
            let different = tables.iter().filter(|table| !table.is_equal()).map(|table| table.table.as_str());
            let different = different.collect::<Vec<_>>().join(", ");
            Err(Error::of(
                &codes::command::CHECKS_FAILED,
                format!("The file and the database do not have the same rows in: {different}."),
            )
            .hint("No service starts on the database. Make sure that nothing else writes to it, and run the same command again: it begins again."))
        }
        Err(why) => Err(failed(why, from, &to.to_string())),
    }
}

fn show(context: &Context, tables: &[Compared]) -> Result<()> {
    let rows: Vec<_> = tables
        .iter()
        .map(|one| {
            json!({
                "table": one.table,
                "isEqual": one.is_equal(),
                "sourceRows": one.source.rows,
                "targetRows": one.target.rows,
                "sourceDigest": one.source.digest,
                "targetDigest": one.target.digest,
            })
        })
        .collect();
    context.output.list(&rows, |_| {
        let mut table = Table::new(&[
            Column::whole("TABLE"),
            Column::number("IN THE FILE"),
            Column::number("IN POSTGRESQL"),
            Column::whole("DIGEST"),
            Column::whole("SAME"),
        ]);
        for one in tables {
            let digest = one.target.digest.get(..SHOWN_DIGITS).unwrap_or_default();
            let same = if one.is_equal() { "yes" } else { "NO" };
            table.row([
                one.table.clone(),
                one.source.rows.to_string(),
                one.target.rows.to_string(),
                digest.to_owned(),
                same.to_owned(),
            ]);
        }
        table
    })
}

fn said(context: &Context, from: &Path, to: &str, copied: &Copied) {
    let rows: u64 = copied.tables.iter().map(|table| table.source.rows).sum();
    let tables = copied.tables.len();
    let from = from.display();
    context.output.marked_note(
        Mark::Good,
        if copied.was_done {
            format!("{to} has all {} of {from} already, in {tables} tables. Nothing was changed.", counted(rows))
        } else {
            format!("Copied {} in {tables} tables from {from} to {to}. Read back, both are the same.", counted(rows))
        },
    );
    context.output.note(format!(
        "Start every node on {to}, with the root key that the service had. Put {from} away: a service on it would go its own way."
    ));
}

fn failed(why: CopyError, from: &Path, to: &str) -> Error {
    let file = from.display();
    let again = "What was copied stays, and the same command continues.";
    match why {
        CopyError::InUse => {
            Error::of(&codes::command::STORE_LOCKED, format!("Another process has the store {file} open, so nothing was copied."))
                .hint([
                    Hint::say("Stop the service first, so that nothing changes in the file. Then run the same command again."),
                    Hint::run("See which program has it open", format!("lsof {file}")),
                ])
        }
        CopyError::Source(StoreError::Outdated) => local::store_error(&StoreError::Outdated, &file.to_string()).hint(
            Hint::run("Bring it up to date", format!("ordersync admin store migrate --database {file}")),
        ),
        CopyError::Source(why) => local::store_error(&why, &file.to_string()),
        CopyError::Target(why) if why.trouble().is_some() => local::store_error(&why, to)
            .hint([Hint::say("Is the server running, and does it listen at this address?"), Hint::say(again)]),
        CopyError::Target(why) => local::store_error(&why, to),
        CopyError::Running => {
            Error::of(&codes::command::STORE_LOCKED, format!("Another copy into {to} is running, so nothing was copied."))
                .hint("Wait for it to end.")
        }
        CopyError::NotEmpty(tables) => Error::usage(format!(
            "{to} is not empty: it has rows in {}. Nothing was changed.",
            tables.join(", ")
        ))
        .hint("Name another database, which is empty. A store is never merged with another."),
        CopyError::Schema(_) => Error::of(&codes::command::FAULT, format!("The store cannot be copied: {why}.")),
        CopyError::Row { .. } => Error::of(&codes::command::STORE, format!("The copy stopped: {why}."))
            .hint("Change this value in the file with sqlite3, or delete the row; then run the same command, which begins again."),
        CopyError::Refused { .. } => Error::of(&codes::command::STORE, format!("The copy stopped: {why}."))
            .hint([Hint::run("Is the file sound?", format!("ordersync admin store check --database {file}")), Hint::say(again)]),
        CopyError::Different(_) => Error::of(&codes::command::CHECKS_FAILED, why.to_string()),
    }
}

fn counted(rows: u64) -> String {
    format!("{rows} {}", if rows == 1 { "row" } else { "rows" })
}
