//! Files that are a store, and files that are not: what is refused is left as it was.

use std::collections::BTreeMap;
use std::path::Path;

use tempfile::TempDir;

use super::{change, file, fresh_path, operator, with_user};
use crate::store::schema::inspect::inspect;
use crate::store::{Store, StoreError, Version};

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())).collect()
}

async fn refused(path: &Path) -> StoreError {
    let before = files(path.parent().unwrap());
    let error = Store::open(path).await.err().unwrap();
    assert!(Store::open_read_only(path).await.is_err());
    assert!(Store::open_existing(path).await.is_err());
    assert_eq!(files(path.parent().unwrap()), before, "nothing is changed, nothing is made");
    error
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_not_touched() {
    let migrated = "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL,
        installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL,
        execution_time BIGINT NOT NULL)";
    let another = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (1, 'initial', TRUE, x'00', 1)";
    for statements in [
        &["CREATE TABLE notes (text TEXT)"][..],
        &["CREATE TABLE users (id TEXT)", "INSERT INTO users VALUES ('u')"],
        // It numbers its migrations as we do.
        &[migrated, another, "CREATE TABLE users (id TEXT)"],
        &[migrated, "CREATE TABLE notes (text TEXT)"],
        // It has no tables yet, but has said whose it is.
        &["PRAGMA application_id = 252006673"],
        &["PRAGMA journal_mode = WAL", "CREATE TABLE notes (text TEXT)"],
    ] {
        let (_folder, path) = fresh_path();
        change(&path, statements).await;
        assert!(matches!(refused(&path).await, StoreError::Foreign), "{statements:?}");
        assert!(!inspect(&path).await.unwrap().problems.is_empty());
    }
    let (_folder, path) = fresh_path();
    std::fs::write(&path, "[[retailer]]\nid = 1\n".repeat(100)).unwrap();
    assert!(matches!(refused(&path).await, StoreError::Database(_)), "no database");
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_used_unless_it_says_that_older_ones_must_not() {
    let (_folder, path) = fresh_path();
    Store::open(&path).await.unwrap().close().await;
    let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (10006, 'later', TRUE, x'00', 1)";
    let column = "ALTER TABLE users ADD COLUMN later INTEGER NOT NULL DEFAULT 1";
    change(&path, &[later, column]).await;
    let store = Store::open(&path).await.unwrap();
    let version = store.version().await.unwrap();
    assert!(version.is_newer() && version.store == 10006 && version.oldest <= version.node, "{version:?}");
    with_user(&store).await;
    store.close().await;
    Store::open_existing(&path).await.unwrap().close().await;
    Store::open_read_only(&path).await.unwrap().close().await;
    assert!(!inspect(&path).await.unwrap().is_newer);

    change(&path, &["UPDATE store_compatibility SET oldest_version = 10005"]).await;
    let error = refused(&path).await;
    assert!(matches!(error, StoreError::Newer(Version { store: 10006, oldest: 10005, .. })), "{error}");
    assert!(inspect(&path).await.unwrap().is_newer);
}

/// It has a migration of another line of development instead of one of ours.
#[tokio::test]
async fn a_store_that_lacks_a_migration_and_has_a_later_one_is_refused() {
    let (_folder, path) = fresh_path();
    Store::open(&path).await.unwrap().close().await;
    let earlier = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (0, 'another', TRUE, x'00', 1)";
    change(&path, &[earlier]).await;
    let error = refused(&path).await;
    assert!(matches!(error, StoreError::BeforeFirst), "{error}");
}

#[tokio::test]
async fn a_store_of_a_build_before_the_first_version_is_refused_and_left_as_it_is() {
    let (_folder, path) = fresh_path();
    Store::open(&path).await.unwrap().close().await;
    change(&path, &["UPDATE _sqlx_migrations SET checksum = x'00'"]).await;
    let error = refused(&path).await;
    assert!(matches!(error, StoreError::BeforeFirst), "{error}");
    assert_eq!(inspect(&path).await.unwrap().problems, [error.to_string()]);
}

#[tokio::test]
async fn an_empty_file_and_a_start_that_was_cut_short_become_stores() {
    let folder = TempDir::new().unwrap();
    for (name, statements) in [
        ("empty", None),
        ("header", Some(&["PRAGMA journal_mode = WAL"][..])),
        (
            "cut",
            Some(
                &["CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL,
            installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL,
            checksum BLOB NOT NULL, execution_time BIGINT NOT NULL)"][..],
            ),
        ),
    ] {
        let path = folder.path().join(name);
        match statements {
            None => std::fs::write(&path, "").unwrap(),
            Some(statements) => change(&path, statements).await,
        }
        let before = files(folder.path());
        assert!(matches!(Store::open_existing(&path).await.err(), Some(StoreError::Outdated)), "{name}");
        assert!(matches!(Store::open_read_only(&path).await.err(), Some(StoreError::Outdated)), "{name}");
        assert_eq!(files(folder.path()), before, "{name}");
        Store::open(&path).await.unwrap().close().await;
        Store::open_existing(&path).await.unwrap().close().await;
        let id: i64 = sqlx::query_scalar("PRAGMA application_id").fetch_one(&file(&path).await).await.unwrap();
        assert_eq!(id, i64::from(u32::from_be_bytes(*b"OSYN")), "{name}");
    }
}

#[tokio::test]
async fn reading_a_store_changes_nothing() {
    let (folder, path) = fresh_path();
    Store::open(&path).await.unwrap().close().await;
    let before = files(folder.path());
    let reader = Store::open_read_only(&path).await.unwrap();
    assert_eq!(reader.clients().await.unwrap(), []);
    assert!(reader.write().await.is_err() || reader.set_client_secret("k", &[0; 32], operator()).await.is_err());
    reader.close().await;
    assert_eq!(files(folder.path()), before);
}
