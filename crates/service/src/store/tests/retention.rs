//! What is removed when it is old, what stays, and that looking for it is cheap.

use chrono::{DateTime, TimeDelta, Utc};

use super::opened::of_any;
use super::{fresh_file, fresh_with_user};
use crate::store::db::{query, query_as, query_scalar};
use crate::store::operator::prune::{EXPIRED, old_sessions};
use crate::store::{Store, micros};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_000_000, 0).unwrap()
}

const HISTORY: TimeDelta = TimeDelta::days(90);

/// A session with one part, two events and an MFA request, which came to its end (or not) so many days ago.
async fn add_session(store: &Store, id: &str, connection: &str, days_ago: i64, is_active: bool) {
    let at = micros(now() - TimeDelta::days(days_ago));
    for statement in [
        "INSERT INTO sessions (id, user_id, client_id, created_at, updated_at) VALUES ($1, 'u', 'k', $2, $2)",
        "INSERT INTO retailer_sessions (id, batch_id, user_id, connection_id, position, sync_status, active, updated_at)
            VALUES ('part ' || $1, $1, 'u', $3, 0, 'completed', $4, $2)",
        "INSERT INTO events (user_id, batch_id, seq, at, type, connection_id, retailer_id)
            VALUES ('u', $1, 1, $2, 'status', $3, 1), ('u', $1, 2, $2, 'status', $3, 1)",
        "INSERT INTO mfa_requests (user_id, id, retailer_session_id, kind, options, expires_at)
            VALUES ('u', 'mfa ' || $1, 'part ' || $1, 'enter', '[]', $2)",
        "UPDATE connections SET last_batch_id = $1 WHERE id = $3 AND $2 = $2 AND $4 = $4",
    ] {
        let filled = query(statement).bind(id).bind(at).bind(connection).bind(is_active);
        filled.execute(&store.writer).await.unwrap();
    }
}

async fn ids(store: &Store, query: &'static str) -> Vec<String> {
    query_scalar(query).fetch_all(&store.pool).await.unwrap()
}

#[tokio::test]
async fn old_sessions_go_with_all_that_is_theirs_and_each_connections_latest_stays() {
    let (_folder, store) = fresh_with_user().await;
    // More than one batch.
    for number in 0..120 {
        add_session(&store, &format!("old {number:03}"), "c1", 400 - number, false).await;
    }
    add_session(&store, "young", "c1", 89, false).await;
    add_session(&store, "before the latest", "c2", 300, false).await;
    add_session(&store, "latest, though old", "c2", 200, false).await;
    add_session(&store, "never ended", "c3", 200, true).await;
    add_session(&store, "latest of c3", "c3", 100, false).await;
    let removed = store.prune(now(), HISTORY).await.unwrap();
    assert_eq!(removed, 121);
    let kept = ["latest of c3", "latest, though old", "never ended", "young"];
    assert_eq!(ids(&store, "SELECT id FROM sessions ORDER BY id").await, kept);
    assert_eq!(ids(&store, "SELECT DISTINCT batch_id FROM events ORDER BY 1").await, kept);
    assert_eq!(ids(&store, "SELECT batch_id FROM retailer_sessions ORDER BY 1").await, kept);
    assert_eq!(ids(&store, "SELECT substr(id, 5) FROM mfa_requests ORDER BY 1").await, kept);
    assert_eq!(store.prune(now(), HISTORY).await.unwrap(), 0);
}

#[tokio::test]
async fn what_has_expired_is_found_by_an_index() {
    let (_folder, store) = fresh_file().await;
    let of = |is_live| {
        let expired = EXPIRED.iter().map(move |expired| {
            (expired.table, format!("SELECT 1 FROM {} WHERE {} LIMIT 1", expired.table, expired.condition(is_live)))
        });
        expired.chain([("s", old_sessions(is_live))])
    };
    for (table, query) in of(false).chain(of(true)) {
        let explained = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {query}"));
        let plan: Vec<(i64, i64, i64, String)> = query_as(explained).fetch_all(&store.writer).await.unwrap();
        assert!(plan[0].3.starts_with(&format!("SEARCH {table} USING ")), "{query}: {plan:?}");
    }
}

#[tokio::test]
async fn more_than_a_batch_of_expired_rows_goes_at_once_and_a_spent_successor_alone_is_forgotten() {
    let (_folder, store) = fresh_with_user().await;
    let long_ago = micros(now() - TimeDelta::days(30));
    for statement in [
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1234)
            INSERT INTO idempotency (client_id, user_id, key, request_digest, status, body, created_at)
            SELECT 'k', 'u', CAST(i AS TEXT), x'', 404, x'', $1 FROM n",
        "INSERT INTO grants (id, user_id, client_id, scopes, created_at) VALUES ('g', 'u', 'k', '', $1), ('empty', 'u', 'k', '', $1)",
        "INSERT INTO refresh_tokens (digest, grant_id, created_at, expires_at, rotated_at, successor)
            VALUES (x'01', 'g', $1, 9000000000000000, $1, x'02'), (x'02', 'g', $1, 9000000000000000, NULL, NULL)",
    ] {
        query(of_any(store.pool.dialect(), statement)).bind(long_ago).execute(&store.writer).await.unwrap();
    }
    assert_eq!(store.prune(now(), HISTORY).await.unwrap(), 1234 + 1);
    assert_eq!(ids(&store, "SELECT id FROM grants").await, ["g"]);
    let successors: i64 =
        query_scalar("SELECT COUNT(successor) FROM refresh_tokens").fetch_one(&store.pool).await.unwrap();
    assert_eq!(successors, 0);
}

#[tokio::test]
async fn a_clock_that_stands_still_keeps_what_is_its_users_and_nobody_elses() {
    let (_folder, store) = fresh_with_user().await;
    let long_ago = micros(now() - TimeDelta::days(300));
    let dialect = store.pool.dialect();
    for statement in [
        "INSERT INTO users (id, phone_digest, phone_last4, created_at, clock_frozen_at)
            SELECT 'still', x'01', '0001', 0, CAST($1 AS BIGINT)",
        "INSERT INTO user_bindings (client_id, external_user_id, user_id, bound_at)
            VALUES ('k', 'u', 'u', $1), ('k', 'still', 'still', $1)",
    ] {
        query(of_any(dialect, statement)).bind(long_ago).execute(&store.writer).await.unwrap();
    }
    for (user, digest) in [("u", "x'00'"), ("still", "x'01'")] {
        for statement in [
            "INSERT INTO sessions (id, user_id, client_id, created_at, updated_at) VALUES ('USER', 'USER', 'k', $1, $1)",
            "INSERT INTO grants (id, user_id, client_id, scopes, created_at) VALUES ('USER', 'USER', 'k', '', $1)",
            "INSERT INTO access_tokens (digest, grant_id, kind, scopes, created_at, expires_at)
                VALUES (DIGEST, 'USER', 'client', '', $1, $1)",
            "INSERT INTO idempotency (client_id, user_id, key, request_digest, status, body, created_at)
                VALUES ('k', 'USER', '1', x'', 202, x'', $1)",
            "INSERT INTO known_places (phone_digest, place, used_at) VALUES (DIGEST, x'', $1)",
            "INSERT INTO link_tokens (digest, client_id, external_user_id, created_at, expires_at)
                VALUES (DIGEST, 'k', 'USER', $1, $1)",
        ] {
            let statement = of_any(dialect, &statement.replace("DIGEST", digest).replace("USER", user));
            query(statement).bind(long_ago).execute(&store.writer).await.unwrap();
        }
    }
    assert_eq!(store.prune(now(), HISTORY).await.unwrap(), 6);
    for (table, user) in [
        ("sessions", "user_id"),
        ("grants", "user_id"),
        ("idempotency", "user_id"),
        ("link_tokens", "external_user_id"),
    ] {
        let left = sqlx::AssertSqlSafe(format!("SELECT {user} FROM {table}"));
        let left: Vec<String> = query_scalar(left).fetch_all(&store.pool).await.unwrap();
        assert_eq!(left, ["still"], "{table}");
    }
    query("UPDATE users SET clock_frozen_at = NULL").execute(&store.writer).await.unwrap();
    assert_eq!(store.prune(now(), HISTORY).await.unwrap(), 6);
}
