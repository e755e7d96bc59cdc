//! The versions of the database, in their order. A file below `migrations/` is never changed once a version with it was
//! released: the store knows its digest.

use std::sync::LazyLock;

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// The versions of a store and of a node: the numbers of migrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// The last one that the store has seen.
    pub store: i64,
    /// The last one that the node knows.
    pub node: i64,
    /// Nodes that know at least this one may use the store.
    pub oldest: i64,
}

impl Version {
    pub(crate) const fn is_newer(self) -> bool {
        self.store > self.node
    }
}

/// Names a migration's file, `0001_initial`, and takes its text into the program.
macro_rules! files {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../../../migrations/", $folder, "/", $name, ".sql")))),+]
    };
}

/// What brings an SQLite file to this version's form.
pub(in crate::store) static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    migrator(files![
        "sqlite": "0001_initial", "0002_imports", "0003_documents", "0004_stated_at", "0005_begun_first", "0006_traceparent",
        "0007_import_unfinished", "0008_line_ids", "0009_orders_changed",
    ])
});

/// What brings a PostgreSQL database to this version's form.
pub(in crate::store) static POSTGRES: LazyLock<Migrator> = LazyLock::new(|| {
    migrator(files![
        "postgres": "0001_initial", "0002_imports", "0003_documents", "0004_stated_at", "0005_begun_first", "0006_traceparent",
        "0007_import_unfinished", "0008_line_ids", "0009_orders_changed",
    ])
});

fn migrator(files: impl IntoIterator<Item = (&'static str, &'static str)>) -> Migrator {
    let migrations = files.into_iter().map(|(name, sql)| {
        let (version, description) = name.split_once('_').unwrap_or((name, ""));
        let version = version.parse().unwrap_or_default();
        let description = description.replace('_', " ").into();
        Migration::new(version, description, MigrationType::Simple, sql.into_sql_str(), false)
    });
    let mut migrator = Migrator::with_migrations(migrations.collect());
    // A newer version's are allowed where `version::found` finds that the store may be used.
    migrator.set_ignore_missing(true);
    migrator
}

/// The last one that this program knows.
pub(in crate::store) fn newest(known: &Migrator) -> i64 {
    known.iter().map(|migration| migration.version).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_a_migration() {
        for (folder, migrations) in [("sqlite", &MIGRATIONS), ("postgres", &POSTGRES)] {
            let folder = format!("{}/migrations/{folder}", env!("CARGO_MANIFEST_DIR"));
            let entries = std::fs::read_dir(folder).unwrap();
            let mut found: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            found.sort();
            let listed: Vec<String> = migrations
                .iter()
                .map(|migration| format!("{:04}_{}.sql", migration.version, migration.description.replace(' ', "_")))
                .collect();
            assert_eq!(listed, found);
        }
    }
}
