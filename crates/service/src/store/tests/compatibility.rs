//! A newer node changes the store: one that its migrations allow goes on, any other one writes nothing more.

use std::path::PathBuf;
use std::time::Duration;

use super::{fresh, of_any};
use crate::store::db::{query, query_as};
use crate::store::schema::migrations::{MIGRATIONS, POSTGRES};
use crate::store::schema::version;
use crate::store::{Store, StoreError, StoreTrouble};

/// What a newer node does to the store, and from which version on nodes may use it.
async fn upgraded(store: &Store, statements: &[&str], oldest: i64) {
    let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (10006, 'later', TRUE, x'00', 1) ON CONFLICT DO NOTHING";
    let oldest = format!("UPDATE store_compatibility SET oldest_version = {oldest}");
    for statement in [&[later, &oldest], statements].concat() {
        query(of_any(store.pool.dialect(), statement)).execute(&store.writer).await.unwrap();
    }
}

#[tokio::test]
async fn a_running_node_goes_on_beside_a_newer_one_and_writes_nothing_once_it_must_not() {
    let (_folder, store) = fresh().await;
    let started_with = store.version().await.unwrap();
    assert!(!started_with.is_newer());
    let probe = async || store.probe(chrono::DateTime::UNIX_EPOCH).await;
    // Statements that are prepared already.
    probe().await.unwrap();
    let columns = [
        "ALTER TABLE store_probe ADD COLUMN later BIGINT",
        "ALTER TABLE users ADD COLUMN later BIGINT NOT NULL DEFAULT 3",
    ];
    // In SQLite, this column needs another type.
    let columns = columns.map(|column| match store.is_shared() {
        true => column.to_owned(),
        false => column.replace("BIGINT", "INTEGER"),
    });
    upgraded(&store, &columns.each_ref().map(String::as_str), started_with.node).await;
    let following = tokio::spawn(store.clone().follow_version(started_with));
    for _ in 0..5 {
        probe().await.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert!(!store.is_outgrown());

    upgraded(&store, &[], started_with.node + 1).await;
    if store.is_shared() {
        // At once, before the node has looked.
        assert!(!store.is_outgrown());
        assert_eq!(probe().await.unwrap_err().trouble(), Some(StoreTrouble::Failing));
    }
    let told = tokio::time::timeout(Duration::from_secs(300), store.outgrown()).await.unwrap();
    assert!(matches!(told, StoreError::Newer(found) if found.oldest == started_with.node + 1), "{told}");
    assert!(matches!(probe().await.unwrap_err(), StoreError::Newer(_)));
    following.await.unwrap();
}

/// No transaction of an older node is half before the change and half after it.
#[tokio::test]
async fn a_migration_waits_for_writes_under_way_and_later_ones_wait_for_it() {
    let (_folder, store) = fresh().await;
    if !store.is_shared() {
        return;
    }
    let other = store.clone();
    let mut before = store.write().await.unwrap();
    let migrating = tokio::spawn(async move {
        let mut tx = other.write().await.unwrap();
        query("SELECT admit_from(10006)").execute(&mut tx).await.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
        tx.commit().await.unwrap();
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!migrating.is_finished());
    query("DELETE FROM users").execute(&mut before).await.unwrap();
    let other = store.clone();
    let after = tokio::spawn(async move {
        let mut tx = other.write().await.unwrap();
        query("DELETE FROM users").execute(&mut tx).await
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!after.is_finished(), "it waits behind the migration");
    before.commit().await.unwrap();
    migrating.await.unwrap();
    let refused = StoreError::from(after.await.unwrap().unwrap_err());
    assert_eq!(refused.trouble(), Some(StoreTrouble::Failing), "{refused}");
    let (oldest,): (i64,) = query_as(version::OLDEST).fetch_one(&store.pool).await.unwrap();
    assert_eq!(oldest, 10006);
}

#[test]
fn only_migrations_that_older_nodes_can_work_beside_leave_the_number() {
    for migrations in [&MIGRATIONS, &POSTGRES] {
        for migration in migrations.iter().skip(1) {
            let found = refused(migration.sql.as_str(), migration.version);
            assert_eq!(
                found, [""; 0],
                "{} {}: see docs/dev/decisions.md, Migrations",
                migration.version, migration.description
            );
        }
    }
}

#[test]
fn the_check_of_migrations_finds_what_older_nodes_cannot_work_beside() {
    for (sql, expected) in [
        ("CREATE TABLE new (id TEXT NOT NULL PRIMARY KEY, user_id TEXT REFERENCES users (id) ON DELETE CASCADE);", 0),
        ("CREATE TABLE new (user_id TEXT NOT NULL REFERENCES users (id));", 1),
        (
            "CREATE TABLE new (a TEXT, b BIGINT); CREATE UNIQUE INDEX i ON new (a); INSERT INTO new (a) VALUES ('; x');",
            0,
        ),
        ("CREATE INDEX i ON users (phone_last4); -- a comment; DROP TABLE users", 0),
        ("CREATE UNIQUE INDEX i ON users (phone_last4);", 1),
        ("ALTER TABLE users ADD COLUMN a TEXT; ALTER TABLE users\n  ADD COLUMN b BIGINT NOT NULL DEFAULT 0;", 0),
        ("ALTER TABLE users ADD COLUMN a TEXT NOT NULL;", 1),
        ("ALTER TABLE users ADD COLUMN a TEXT UNIQUE;", 1),
        ("ALTER TABLE users ADD COLUMN a TEXT CHECK (a <> '');", 1),
        ("ALTER TABLE users ADD COLUMN a TEXT REFERENCES clients (id);", 1),
        ("ALTER TABLE users ADD COLUMN a TEXT, DROP COLUMN phone_last4;", 1),
        (
            "ALTER TABLE users RENAME COLUMN a TO b; DROP TABLE users; DROP INDEX i; ALTER TABLE users ALTER a SET NOT NULL;",
            4,
        ),
        ("UPDATE users SET phone_last4 = ''; DELETE FROM users; INSERT INTO users (id) VALUES ('u');", 3),
        ("CREATE FUNCTION f() RETURNS VOID LANGUAGE plpgsql AS $$ BEGIN DELETE FROM users; END $$;", 0),
        (
            "CREATE OR REPLACE FUNCTION f() RETURNS VOID LANGUAGE sql AS $$ SELECT 1; $$; CREATE TRIGGER t AFTER INSERT ON users;",
            2,
        ),
        ("SELECT admit_from(30); DROP TABLE users;", 0),
        ("SELECT admit_from(31); DROP TABLE users;", 2),
        ("DROP TABLE users; SELECT admit_from(30);", 2),
        ("UPDATE store_compatibility SET oldest_version = 29; DROP TABLE users;", 0),
    ] {
        assert_eq!(refused(sql, 30).len(), expected, "{sql}: {:?}", refused(sql, 30));
    }
}

/// The statements of a migration that nodes of the version before cannot work beside; none where it begins with raising the
/// number.
fn refused(sql: &str, version: i64) -> Vec<String> {
    let statements = statements(sql);
    let first = statements.first().map_or("", String::as_str);
    let raised = first.strip_prefix("SELECT ADMIT_FROM(").and_then(|rest| rest.strip_suffix(')'));
    let raised = raised.or_else(|| first.strip_prefix("UPDATE STORE_COMPATIBILITY SET OLDEST_VERSION = "));
    if raised.and_then(|number| number.parse().ok()).is_some_and(|number: i64| number <= version) {
        return Vec::new();
    }
    let made: Vec<String> =
        statements.iter().filter_map(|one| one.strip_prefix("CREATE TABLE ")).map(first_name).collect();
    statements.into_iter().filter(|statement| !is_beside(statement, &made)).collect()
}

fn first_name(text: &str) -> String {
    text.split([' ', '(']).next().unwrap_or_default().to_owned()
}

/// Whether nodes that know nothing of the statement can go on after it. `made`: tables that the same migration makes.
fn is_beside(statement: &str, made: &[String]) -> bool {
    let has = |word: &str| statement.split([' ', '(', ')', ',']).any(|found| found == word);
    let is_made = |name: &str| made.contains(&first_name(name));
    if statement.starts_with("CREATE TABLE ") || statement.starts_with("CREATE UNLOGGED TABLE ") {
        // Otherwise an older node could not delete what the new row refers to.
        return statement.matches(" REFERENCES ").count() == statement.matches(" ON DELETE ").count();
    }
    if let Some((_, table)) = statement.split_once(" ON ").filter(|_| statement.starts_with("CREATE UNIQUE INDEX ")) {
        return is_made(table);
    }
    if statement.starts_with("CREATE INDEX ") || statement.starts_with("CREATE FUNCTION ") {
        return true;
    }
    if let Some(table) = statement.strip_prefix("INSERT INTO ") {
        return is_made(table);
    }
    let Some((_, column)) = statement.split_once(" ADD COLUMN ").filter(|_| statement.starts_with("ALTER TABLE "))
    else {
        return false;
    };
    let is_tight = ["UNIQUE", "CHECK", "REFERENCES", "PRIMARY", "GENERATED"].into_iter().any(has);
    !is_tight && !column.contains(',') && (!has("NOT") || has("DEFAULT"))
}

/// The statements of a file in capitals, without comments, each with single spaces.
fn statements(sql: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut rest = sql;
    while let Some(next) = rest.chars().next() {
        let length = if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("$$") {
            rest.get(2..).and_then(|body| body.find("$$")).map_or(rest.len(), |end| end + 4)
        } else if next == '\'' {
            rest.get(1..).and_then(|text| text.find('\'')).map_or(rest.len(), |end| end + 2)
        } else {
            next.len_utf8()
        };
        let (text, after) = rest.split_at(length);
        match text {
            ";" => found.push(String::new()),
            _ if text.starts_with("--") => {}
            // What a function or a value holds says nothing about the tables.
            _ if text.starts_with("$$") || text.len() > 1 && next == '\'' => found.last_mut().unwrap().push('\''),
            _ => found.last_mut().unwrap().push_str(text),
        }
        rest = after;
    }
    let spaced = |one: String| one.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase();
    found.into_iter().map(spaced).filter(|one| !one.is_empty()).collect()
}

/// A newer node may add a column while this one runs: PostgreSQL refuses a prepared `SELECT *` from then on.
#[test]
fn every_query_names_its_columns() {
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut found = Vec::new();
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "tests") {
                folders.push(path);
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            looked_at += 1;
            // Of a query that names them; of rows that are looked up within a query, which changes nothing that it returns; of
            // arrays; and of rows that are inserted as they are, which returns nothing.
            let harmless = [
                "SELECT * FROM (SELECT",
                "LATERAL (SELECT * FROM",
                "SELECT * FROM unnest(",
                "INSERT INTO orders SELECT orders.*",
            ];
            let text = harmless.iter().fold(text, |text, query| text.replace(query, ""));
            let of_a_table = |(at, _): (usize, &str)| {
                let before = text.get(at.saturating_sub(40)..at).unwrap_or_default();
                before.contains("SELECT ") && before.ends_with(|last: char| last.is_ascii_lowercase())
            };
            if text.contains("SELECT *") || text.contains("RETURNING *") || text.match_indices(".*").any(of_a_table) {
                found.push(path);
            }
        }
    }
    assert!(looked_at > 100, "{looked_at}");
    assert_eq!(found, Vec::<PathBuf>::new());
}
