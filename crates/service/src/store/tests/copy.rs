//! A whole store moves from a file into PostgreSQL, with every table, column and value, however often the copy is interrupted.
//! Without a PostgreSQL (`ORDERSYNC_TEST_DATABASE`), these tests have nothing to do.

use std::path::{Path, PathBuf};

use chrono::DateTime;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, Row as _};
use tempfile::TempDir;
use tokio::sync::Notify;

use super::{change, opened};
use crate::database::{Database, PostgresAddress};
use crate::environment::Environment;
use crate::store::operator::copy::{Compared, CopyError, Step, copy, copy_in_batches};
use crate::store::schema::migrate::migrate;
use crate::store::{Store, StoreError};

/// A file with a store, and an empty database.
struct Both {
    _folder: TempDir,
    file: PathBuf,
    server: PostgresAddress,
}

impl Both {
    async fn new() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let Database::Postgres(server) = opened::database(&folder.path().join("server")).await else { return None };
        let file = folder.path().join("file");
        Store::open(&file).await.unwrap().close().await;
        Some(Self { _folder: folder, file, server })
    }

    fn database(&self) -> Database {
        Database::Postgres(self.server.clone())
    }

    async fn server(&self) -> PgConnection {
        PgConnection::connect_with(self.server.options()).await.unwrap()
    }

    async fn copy(&self) -> Result<Vec<Compared>, CopyError> {
        copy(&self.file, &self.server, &mut |_| ()).await.map(|copied| copied.tables)
    }

    /// Copies so many batches of a row each, and is lost then. Returns whether it was.
    async fn copy_and_die(&self, after: usize) -> bool {
        let (mut told, lost) = (0, Notify::new());
        let mut count = |step: Step<'_>| {
            told += usize::from(matches!(step, Step::Copied(..)));
            if told == after {
                lost.notify_one();
            }
        };
        tokio::select! {
            biased;
            () = lost.notified() => true,
            copied = copy_in_batches(&self.file, &self.server, 1, &mut count) => {
                copied.unwrap();
                false
            }
        }
    }
}

/// The file as SQLite alone opens it, without what guards it.
async fn unguarded(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).foreign_keys(false).connect().await.unwrap()
}

/// Gives every table a row whose texts are all the same, and so its references lead to rows.
async fn fill(path: &Path) -> Vec<String> {
    let mut file = unguarded(path).await;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_%' ESCAPE '\\'
            AND name <> 'store_compatibility' ORDER BY name",
    )
    .fetch_all(&mut file)
    .await
    .unwrap();
    for table in &tables {
        let kinds: Vec<String> = sqlx::query_scalar("SELECT type FROM pragma_table_info($1) ORDER BY cid")
            .bind(table)
            .fetch_all(&mut file)
            .await
            .unwrap();
        let values = kinds.iter().map(|kind| match &**kind {
            "INTEGER" => "1",
            "TEXT" => "'x'",
            "BLOB" => "x'01'",
            other => panic!("{table} has a column of the type {other}"),
        });
        let insert = format!("INSERT INTO {table} VALUES ({})", values.collect::<Vec<_>>().join(", "));
        sqlx::query(AssertSqlSafe(insert)).execute(&mut file).await.unwrap();
    }
    file.close().await.unwrap();
    tables
}

#[tokio::test]
async fn every_table_of_the_schema_is_copied_and_its_numbers_go_on() {
    let Some(both) = Both::new().await else { return };
    let tables = fill(&both.file).await;
    assert!(tables.len() > 30, "{tables:?}");
    let compared = both.copy().await.unwrap();
    assert_eq!(compared.iter().map(|one| &one.table).collect::<Vec<_>>(), tables.iter().collect::<Vec<_>>());
    let mut server = both.server().await;
    for one in &compared {
        assert!(one.is_equal() && one.target.rows == 1, "{one:?}");
        let count = AssertSqlSafe(format!("SELECT COUNT(*) FROM {}", one.table));
        let rows: i64 = sqlx::query_scalar(count).fetch_one(&mut server).await.unwrap();
        assert_eq!(rows, 1, "{}", one.table);
    }
    for (table, insert) in [
        (
            "sandbox_failures",
            "INSERT INTO sandbox_failures (user_id, requests_left, failure) VALUES ('x', 1, '{}') RETURNING id",
        ),
        (
            "sandbox_passwords",
            "INSERT INTO sandbox_passwords (phone_digest, password, sent_at, expires_at) VALUES ('\\x02', '', 0, 0) RETURNING id",
        ),
    ] {
        let id: i64 = sqlx::query_scalar(insert).fetch_one(&mut server).await.unwrap();
        assert_eq!(id, 2, "{table}");
    }
    Store::open_database(&both.database()).await.unwrap().close().await;
}

/// Texts and octets that a careless copy would change.
const TEXTS: [&str; 9] =
    ["", "\\N", "a\tb\nc\r\\", "NULL", "\u{feff}", "\u{10ffff}é\u{301}", "'\"`", "\u{1}\u{7f}", "{\"a\":1}"];

#[tokio::test]
async fn every_value_arrives_as_it_was() {
    let Some(both) = Both::new().await else { return };
    let octets: Vec<u8> = (0..=255).collect();
    let mut file = unguarded(&both.file).await;
    for (index, text) in (0_i64..).zip(TEXTS) {
        sqlx::query(
            "INSERT INTO line_items (user_id, connection, item, id, sort_key, content_digest, line_key, document, csv)
             VALUES ($1, $2, $3, $1, $4, $5, NULL, $1, $1)",
        )
        .bind(text)
        .bind(if index % 2 == 0 { i64::MIN } else { i64::MAX })
        .bind(index)
        .bind(-index)
        .bind(if index == 0 { &[][..] } else { &octets })
        .execute(&mut file)
        .await
        .unwrap();
    }
    file.close().await.unwrap();
    both.copy().await.unwrap();
    let rows = sqlx::query(
        "SELECT user_id, connection, item, sort_key, content_digest, line_key, document FROM line_items ORDER BY item",
    )
    .fetch_all(&mut both.server().await)
    .await
    .unwrap();
    assert_eq!(rows.len(), TEXTS.len());
    for (index, (row, text)) in (0_i64..).zip(rows.iter().zip(TEXTS)) {
        assert_eq!((row.get::<&str, _>(0), row.get::<&str, _>(6)), (text, text));
        assert_eq!(row.get::<i64, _>(1), if index % 2 == 0 { i64::MIN } else { i64::MAX });
        assert_eq!((row.get::<i64, _>(2), row.get::<i64, _>(3)), (index, -index));
        assert_eq!(row.get::<&[u8], _>(4), if index == 0 { &[][..] } else { &octets });
        assert_eq!(row.get::<Option<&str>, _>(5), None);
    }
}

#[tokio::test]
async fn a_value_that_postgres_cannot_hold_is_refused_by_the_name_of_its_row() {
    let Some(both) = Both::new().await else { return };
    fill(&both.file).await;
    for (value, why) in [("'a' || char(0) || 'b'", "NUL"), ("CAST(x'ff' AS TEXT)", "UTF-8")] {
        let spoil = format!("UPDATE orders SET fingerprint = {value}");
        let mut file = unguarded(&both.file).await;
        sqlx::query(AssertSqlSafe(spoil)).execute(&mut file).await.unwrap();
        file.close().await.unwrap();
        let error = both.copy().await.unwrap_err();
        let CopyError::Row { row, column, why: said } = &error else { panic!("{error:?}") };
        assert_eq!(row.to_string(), "the row of orders with user_id = 'x' AND connection = 1 AND number = 1");
        assert_eq!(column, "fingerprint");
        assert!(said.contains(why), "{said}");
        assert!(matches!(Store::open_database(&both.database()).await, Err(StoreError::HalfCopied)));
    }
    change(&both.file, &["UPDATE orders SET fingerprint = NULL"]).await;
    // What was copied before may be of before the change, so that it begins again.
    let mut steps = Vec::new();
    copy(&both.file, &both.server, &mut |step| steps.push(matches!(step, Step::BegunAgain))).await.unwrap();
    assert!(steps.first().is_some_and(|first| *first));
}

#[tokio::test]
async fn a_copy_that_is_killed_at_any_moment_continues_and_is_served_only_when_it_is_whole() {
    let Some(both) = Both::new().await else { return };
    fill(&both.file).await;
    let mut file = unguarded(&both.file).await;
    for number in 0..30 {
        sqlx::query("INSERT INTO former_order_ids (user_id, connection, order_id) VALUES ('u', $1, 'order')")
            .bind(number)
            .execute(&mut file)
            .await
            .unwrap();
    }
    file.close().await.unwrap();
    // A node that looked at the empty store before the copy began, and comes to serve it only now.
    let early = Store::open_database(&both.database()).await.unwrap();
    let mut lives = 0;
    while both.copy_and_die(7).await {
        lives += 1;
        for opened in
            [Store::open_database(&both.database()).await, Store::open_existing_database(&both.database()).await]
        {
            assert!(matches!(opened, Err(StoreError::HalfCopied)), "life {lives}");
        }
        assert!(matches!(migrate(&both.database(), false).await, Err(StoreError::HalfCopied)));
        let claimed = early.claim_environment(Environment::Live, DateTime::UNIX_EPOCH).await;
        assert!(matches!(claimed, Err(StoreError::HalfCopied)), "life {lives}: {claimed:?}");
    }
    assert!(lives > 5, "{lives}");
    let again = copy(&both.file, &both.server, &mut |_| ()).await.unwrap();
    assert!(again.was_done && again.tables.iter().all(Compared::is_equal));
    assert_eq!(again.tables.iter().find(|one| one.table == "former_order_ids").unwrap().target.rows, 31);
    Store::open_database(&both.database()).await.unwrap().close().await;
}

#[tokio::test]
async fn a_node_that_comes_during_a_copy_is_refused_even_if_the_environment_is_there_already() {
    let Some(both) = Both::new().await else { return };
    fill(&both.file).await;
    let early = Store::open_database(&both.database()).await.unwrap();
    assert!(both.copy_and_die(7).await);
    let copied = "INSERT INTO environment (id, name, since) VALUES (1, 'live', 0) ON CONFLICT (id) DO NOTHING";
    sqlx::query(copied).execute(&mut both.server().await).await.unwrap();
    let claimed = early.claim_environment(Environment::Live, DateTime::UNIX_EPOCH).await;
    assert!(matches!(claimed, Err(StoreError::HalfCopied)), "{claimed:?}");
}

#[tokio::test]
async fn a_file_that_was_changed_between_is_copied_from_its_beginning() {
    let Some(both) = Both::new().await else { return };
    fill(&both.file).await;
    assert!(both.copy_and_die(20).await);
    change(&both.file, &["UPDATE audit_log SET actor = 'y'", "INSERT INTO root_keys VALUES ('y', 2)"]).await;
    assert!(both.copy().await.unwrap().iter().all(Compared::is_equal));
    let actor: String =
        sqlx::query_scalar("SELECT actor FROM audit_log").fetch_one(&mut both.server().await).await.unwrap();
    assert_eq!(actor, "y");
}

#[tokio::test]
async fn a_row_that_differs_or_is_one_too_many_is_found_and_the_copy_begins_again() {
    let Some(both) = Both::new().await else { return };
    fill(&both.file).await;
    for (statement, table) in [
        ("UPDATE orders SET adjustments = 'z'", "orders"),
        ("INSERT INTO otp_sends (sent_to, at) VALUES ('\\x09', 9)", "otp_sends"),
        ("DELETE FROM audit_log", "audit_log"),
    ] {
        // All but the last table.
        let tables = fill_count(&both.file).await;
        assert!(both.copy_and_die(tables - 1).await);
        sqlx::query(statement).execute(&mut both.server().await).await.unwrap();
        let Err(CopyError::Different(compared)) = both.copy().await else { panic!("{table}: not found") };
        let different: Vec<_> = compared.iter().filter(|one| !one.is_equal()).map(|one| &*one.table).collect();
        assert_eq!(different, [table]);
        assert!(matches!(Store::open_database(&both.database()).await, Err(StoreError::HalfCopied)));
    }
    assert!(both.copy().await.unwrap().iter().all(Compared::is_equal));
}

/// How many tables have a row.
async fn fill_count(path: &Path) -> usize {
    let mut file = unguarded(path).await;
    let count: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'
            AND name NOT IN ('_sqlx_migrations', 'store_compatibility')",
    )
    .fetch_one(&mut file)
    .await
    .unwrap();
    file.close().await.unwrap();
    usize::try_from(count).unwrap()
}

#[tokio::test]
async fn a_file_in_use_an_old_one_and_a_store_with_rows_are_refused_and_left_as_they_are() {
    let Some(both) = Both::new().await else { return };
    fill(&both.file).await;
    let service = Store::open(&both.file).await.unwrap();
    assert!(matches!(both.copy().await, Err(CopyError::InUse)));
    service.close().await;

    let old = both.file.with_extension("old");
    change(&old, &["PRAGMA journal_mode = WAL"]).await;
    let refused = copy(&old, &both.server, &mut |_| ()).await;
    assert!(matches!(refused, Err(CopyError::Source(StoreError::Outdated))), "{refused:?}");
    let tables: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace")
            .fetch_one(&mut both.server().await)
            .await
            .unwrap();
    assert_eq!(tables, 0);

    let store = Store::open_database(&both.database()).await.unwrap();
    store.claim_environment(Environment::Live, DateTime::UNIX_EPOCH).await.unwrap();
    store.close().await;
    let Err(CopyError::NotEmpty(filled)) = both.copy().await else { panic!("not refused") };
    assert_eq!(filled, ["environment"]);
    Store::open_database(&both.database()).await.unwrap().close().await;
}

#[tokio::test]
async fn of_several_that_migrate_at_once_one_does_it_and_says_so() {
    let folder = TempDir::new().unwrap();
    let database = opened::database(&folder.path().join("s")).await;
    let look = migrate(&database, true).await.unwrap();
    assert_eq!(look.from, None);
    let all = look.steps.len();
    assert!(all > 0, "{look:?}");
    let done = futures::future::join_all((0..4).map(|_| migrate(&database, false))).await;
    let done: Vec<_> = done.into_iter().map(Result::unwrap).collect();
    assert!(done.iter().all(|one| one.to == look.to), "{done:?}");
    if matches!(database, Database::Postgres(_)) {
        let mut steps: Vec<_> = done.iter().map(|one| one.steps.len()).collect();
        steps.sort_unstable();
        assert_eq!(steps, [0, 0, 0, all]);
    }
    let again = migrate(&database, true).await.unwrap();
    assert_eq!((again.from, again.steps.len()), (Some(look.to), 0));
}
