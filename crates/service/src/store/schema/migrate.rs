//! Bringing a store up to date apart from the service.

use std::path::Path;

use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, PgConnection};

use crate::database::{Database, PostgresAddress};
use crate::store::schema::identity;
use crate::store::schema::migrations::{MIGRATIONS, POSTGRES};
use crate::store::schema::postgres::{bring_up_to_date, connecting, examine_whole, seen};
use crate::store::schema::read_only::look;
use crate::store::{Store, StoreError};

/// A migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationStep {
    /// Its number.
    pub version: i64,
    /// What it is about.
    pub description: String,
}

/// What a store lacked, or lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    /// The version that the store had; none if it is new.
    pub from: Option<i64>,
    /// The version that it has now, or would have.
    pub to: i64,
    /// The migrations between them.
    pub steps: Vec<MigrationStep>,
}

impl Migrated {
    /// `before` are the versions that the store had seen, `now` those that it has seen now.
    fn of(dialect: &sqlx::migrate::Migrator, before: &[i64], now: &[i64]) -> Self {
        let steps = dialect.iter().filter(|step| now.contains(&step.version) && !before.contains(&step.version));
        Self {
            from: before.iter().max().copied(),
            to: now.iter().chain(before).max().copied().unwrap_or_default(),
            steps: steps
                .map(|step| MigrationStep { version: step.version, description: step.description.clone().into_owned() })
                .collect(),
        }
    }
}

/// Brings a store to this version's form; creates one in an empty database. If `only_look`, nothing is changed.
/// Fails as for the start of a service.
pub async fn migrate(database: &Database, only_look: bool) -> Result<Migrated, StoreError> {
    match database {
        Database::File(path) => migrate_file(path, only_look).await,
        Database::Postgres(address) => migrate_postgres(address, only_look).await,
    }
}

async fn migrate_file(path: &Path, only_look: bool) -> Result<Migrated, StoreError> {
    identity::identify(path).await?;
    let before = seen_by_file(path).await?;
    if only_look {
        return Ok(Migrated::of(&MIGRATIONS, &before, &all(&MIGRATIONS)));
    }
    // It does more than the migrations, and of several at once, one does it.
    Store::open(path).await?.close().await;
    Ok(Migrated::of(&MIGRATIONS, &before, &all(&MIGRATIONS)))
}

async fn migrate_postgres(address: &PostgresAddress, only_look: bool) -> Result<Migrated, StoreError> {
    let mut connection = PgConnection::connect_with(&connecting(address)).await?;
    let versions =
        if only_look { only_examine(&mut connection).await } else { bring_up_to_date(&mut connection).await };
    connection.close().await?;
    let [before, now] = versions?;
    Ok(Migrated::of(&POSTGRES, &before, &now))
}

async fn only_examine(connection: &mut PgConnection) -> Result<[Vec<i64>; 2], StoreError> {
    examine_whole(connection).await?;
    Ok([seen(connection).await?, all(&POSTGRES)])
}

fn all(migrator: &sqlx::migrate::Migrator) -> Vec<i64> {
    migrator.iter().map(|step| step.version).collect()
}

/// The migrations that the file has seen.
async fn seen_by_file(path: &Path) -> Result<Vec<i64>, StoreError> {
    if path.metadata().map_or(0, |metadata| metadata.len()) == 0 {
        return Ok(Vec::new());
    }
    let examine = async |file: &mut SqliteConnection| {
        let is_begun: bool =
            sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '_sqlx_migrations')")
                .fetch_one(&mut *file)
                .await?;
        if !is_begun {
            return Ok(Vec::new());
        }
        Ok(sqlx::query_scalar("SELECT version FROM _sqlx_migrations ORDER BY version").fetch_all(file).await?)
    };
    look(path, examine, |_| true).await
}
