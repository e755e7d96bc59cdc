//! Sealing everything again under a new root key: nothing becomes unreadable, whenever it is interrupted.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::root_keys::{at, ring};
use super::{fresh_file, fresh_path, operator, with_user};
use crate::environment::Environment;
use crate::keys::{Keys, Place};
use crate::store::Store;
use crate::store::db::{Argument, Query, query, query_as};
use crate::store::operator::reseal::{KeyRefusal, Resealed};

const CONNECTIONS: u64 = 500;
const PHONE: &str = "+14155550101";

fn fingerprint(fill: u8) -> String {
    ring(&[fill]).fingerprints().next().unwrap().to_owned()
}

/// Where a value is sealed for, with its text.
const VALUES: [(&str, &str); 9] = [
    ("connections.credentials", "SELECT id, credentials FROM connections WHERE length(credentials) > 0"),
    ("connections.session", "SELECT id, session FROM connections WHERE session IS NOT NULL"),
    ("connections.credentials", "SELECT connection_id, staged_credentials FROM retailer_sessions"),
    ("connections.session", "SELECT connection_id, staged_session FROM retailer_sessions"),
    ("retailer_sessions.state", "SELECT id, state FROM retailer_sessions"),
    ("state_blocks.content", "SELECT retailer_session_id || '/' || block, content FROM state_blocks"),
    ("retailer_sessions.answer", "SELECT id, answer FROM retailer_sessions"),
    ("order_documents.about", "SELECT id, about FROM order_documents"),
    ("document_blocks.content", "SELECT document_id || '/' || block, content FROM document_blocks"),
];

/// A store that was used with the first of these keys, with values in every column.
async fn filled(store: &Store, keys: &Keys) {
    store.claim_environment(Environment::Live, at(0)).await.unwrap();
    store.claim_root_keys(keys, at(1)).await.unwrap().unwrap();
    with_user(store).await;
    let seal =
        |column: &'static str, row: &str| Argument::from(keys.seal(&Place { column, row }, row.as_bytes()).unwrap());
    let digest = |fill: u8| Argument::from(&[fill; 32][..]);
    let mut rows = vec![
        ("INSERT INTO sessions (id, user_id, client_id, created_at, updated_at) VALUES ('b', 'u', 'k', 0, 0)", vec![]),
        (
            "INSERT INTO retailer_sessions
                (id, batch_id, user_id, connection_id, position, sync_status, active, updated_at, state, answer,
                 staged_credentials, staged_session)
             VALUES ('p', 'b', 'u', 'c1', 0, 'fetching', 1, 0, $1, $2, $3, $4)",
            vec![
                seal("retailer_sessions.state", "p"),
                seal("retailer_sessions.answer", "p"),
                seal("connections.credentials", "c1"),
                seal("connections.session", "c1"),
            ],
        ),
        (
            "INSERT INTO state_blocks (user_id, retailer_session_id, block, content) VALUES ('u', 'p', 3, $1)",
            vec![seal("state_blocks.content", "p/3")],
        ),
        (
            "INSERT INTO order_documents (user_id, id, connection, order_number, size, added_at, about)
             VALUES ('u', 'd', 1, 1, 1, 0, $1)",
            vec![seal("order_documents.about", "d")],
        ),
        ("INSERT INTO grants (id, user_id, client_id, scopes, created_at) VALUES ('g', 'u', 'k', '', 0)", vec![]),
        (
            "INSERT INTO refresh_tokens (digest, grant_id, created_at, expires_at, successor)
             VALUES ($1, 'g', 0, 0, $2)",
            vec![digest(7), seal("refresh_tokens.successor", &URL_SAFE_NO_PAD.encode([7; 32]))],
        ),
        (
            "INSERT INTO link_tokens
                (digest, client_id, external_user_id, created_at, expires_at, idempotency_key, sealed)
             VALUES ($1, 'k', 'x', 0, 0, 'again', $2)",
            vec![digest(8), seal("link_tokens.sealed", "again")],
        ),
    ];
    rows.extend((0..CONNECTIONS).map(|number| {
        let (id, number) = (format!("conn_{number:03}"), i64::try_from(number).unwrap() + 10);
        let sealed = ["connections.credentials", "connections.session"].map(|column| seal(column, &id));
        (
            "INSERT INTO connections (id, user_id, number, retailer_id, display_name, status, credentials, session, created_at)
             VALUES ($1, 'u', $2, $2, '', 'valid', $3, $4, 0)",
            [id.into(), number.into()].into_iter().chain(sealed).collect(),
        )
    }));
    rows.extend((0..12_i64).map(|block| {
        (
            "INSERT INTO document_blocks (user_id, document_id, block, content) VALUES ('u', 'd', $1, $2)",
            vec![block.into(), seal("document_blocks.content", &format!("d/{block}"))],
        )
    }));
    let mut tx = store.write().await.unwrap();
    for (statement, values) in rows {
        values.into_iter().fold(query(statement), Query::bind).execute(&mut tx).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// How many values these keys open; all of them have to.
async fn all_open(store: &Store, keys: &Keys) -> u64 {
    let mut opened = 0;
    for (column, select) in VALUES {
        let rows: Vec<(String, Vec<u8>)> = query_as(select).fetch_all(&store.pool).await.unwrap();
        for (row, sealed) in rows {
            assert_eq!(
                keys.open(&Place { column, row: &row }, &sealed).unwrap().as_slice(),
                row.as_bytes(),
                "{column}"
            );
            opened += 1;
        }
    }
    let of_digests: [(&'static str, &str, &'static str); 2] = [
        ("refresh_tokens.successor", &URL_SAFE_NO_PAD.encode([7; 32]), "SELECT '', successor FROM refresh_tokens"),
        ("link_tokens.sealed", "again", "SELECT '', sealed FROM link_tokens"),
    ];
    for (column, row, select) in of_digests {
        let rows: Vec<(String, Vec<u8>)> = query_as(select).fetch_all(&store.pool).await.unwrap();
        assert_eq!(keys.open(&Place { column, row }, &rows[0].1).unwrap().as_slice(), row.as_bytes(), "{column}");
        opened += 1;
    }
    opened
}

/// What `root_keys` says of each key that this store knows.
async fn sealed_under(store: &Store) -> Vec<(String, u64)> {
    store.root_keys().await.unwrap().into_iter().map(|key| (key.fingerprint, key.values)).collect()
}

const ALL: u64 = 2 * CONNECTIONS + 20;

#[tokio::test]
async fn everything_is_sealed_under_the_new_key_and_the_old_one_can_go() {
    let (_folder, store) = fresh_file().await;
    let (old, both) = (ring(&[1]), ring(&[2, 1]));
    filled(&store, &old).await;
    query("UPDATE users SET phone_digest = $1")
        .bind(&old.phone_digest(PHONE)[..])
        .execute(&store.writer)
        .await
        .unwrap();
    let not_yet = KeyRefusal::NotCurrent { first: fingerprint(2), current: fingerprint(1) };
    assert_eq!(store.reseal(&both, operator(), |_| ()).await.unwrap(), Err(not_yet));
    store.claim_root_keys(&both, at(2)).await.unwrap().unwrap();
    let missing = KeyRefusal::Missing(fingerprint(1));
    assert_eq!(store.reseal(&ring(&[2]), operator(), |_| ()).await.unwrap(), Err(missing));
    assert_eq!(sealed_under(&store).await, [(fingerprint(2), 0), (fingerprint(1), ALL)]);
    let in_use = KeyRefusal::InUse { fingerprint: fingerprint(1), values: ALL };
    assert_eq!(store.retire_root_key(&fingerprint(1), operator()).await.unwrap(), Err(in_use));

    let mut seen = Vec::new();
    let all = Resealed { resealed: ALL, unreadable: 0, left: 0 };
    assert_eq!(store.reseal(&both, operator(), |sealed| seen.push(sealed)).await.unwrap(), Ok(all));
    assert!(seen.len() > 5 && seen.is_sorted() && seen.last() == Some(&ALL));
    // With the key by which users are looked up.
    assert_eq!(sealed_under(&store).await, [(fingerprint(2), ALL + 1), (fingerprint(1), 0)]);
    assert_eq!(
        store.reseal(&both, operator(), |_| ()).await.unwrap(),
        Ok(Resealed::default()),
        "nothing is left to do"
    );
    assert_eq!(all_open(&store, &ring(&[2])).await, ALL);

    let current = KeyRefusal::Current(fingerprint(2));
    assert_eq!(store.retire_root_key(&fingerprint(2), operator()).await.unwrap(), Err(current));
    let unknown = KeyRefusal::Unknown(fingerprint(3));
    assert_eq!(store.retire_root_key(&fingerprint(3), operator()).await.unwrap(), Err(unknown));
    store.retire_root_key(&fingerprint(1), operator()).await.unwrap().unwrap();
    let mut new = ring(&[2]);
    store.claim_root_keys(&new, at(3)).await.unwrap().unwrap();
    new.also_look_up_by(store.phone_keys(&new).await.unwrap());
    assert_eq!(store.users_by_phone(&new.earlier_phone_digests(PHONE)).await.unwrap(), ["u"]);

    // And once more: what the first key is remembered by is sealed under the third then.
    let third = ring(&[3, 2]);
    store.claim_root_keys(&third, at(4)).await.unwrap().unwrap();
    store.reseal(&third, operator(), |_| ()).await.unwrap().unwrap();
    store.retire_root_key(&fingerprint(2), operator()).await.unwrap().unwrap();
    let mut new = ring(&[3]);
    new.also_look_up_by(store.phone_keys(&new).await.unwrap());
    assert_eq!(store.users_by_phone(&new.earlier_phone_digests(PHONE)).await.unwrap(), ["u"]);
    assert_eq!(all_open(&store, &new).await, ALL);
}

#[tokio::test]
async fn a_rotation_that_is_interrupted_at_any_moment_leaves_all_readable_and_continues() {
    let (_folder, path) = fresh_path();
    let both = ring(&[2, 1]);
    let store = Store::open(&path).await.unwrap();
    filled(&store, &ring(&[1])).await;
    store.claim_root_keys(&both, at(2)).await.unwrap().unwrap();
    store.close().await;
    let mut interrupted = 0;
    for millis in 1.. {
        // Another process each time; the one before is gone in the middle of whatever it did.
        let store = Store::open(&path).await.unwrap();
        let rotation = tokio::time::timeout(Duration::from_millis(millis), store.reseal(&both, operator(), |_| ()));
        let is_done = rotation.await.is_ok();
        store.close().await;
        let store = Store::open(&path).await.unwrap();
        assert_eq!(all_open(&store, &both).await, ALL);
        assert_eq!(store.problems().await.unwrap(), [""; 0]);
        let values: u64 = sealed_under(&store).await.iter().map(|(_, values)| values).sum();
        assert!((ALL..=ALL + 1).contains(&values));
        store.close().await;
        if is_done {
            break;
        }
        interrupted += 1;
    }
    assert!(interrupted > 0);
    let store = Store::open(&path).await.unwrap();
    assert_eq!(all_open(&store, &ring(&[2])).await, ALL);
}

#[tokio::test]
async fn what_a_sync_changes_meanwhile_stays_and_what_no_key_opens_is_reported_and_left() {
    let (_folder, store) = fresh_file().await;
    let both = ring(&[2, 1]);
    filled(&store, &ring(&[1])).await;
    store.claim_root_keys(&both, at(2)).await.unwrap().unwrap();
    let place = Place { column: "connections.credentials", row: "conn_000" };
    let foreign = ring(&[5]).seal(&place, b"x").unwrap();
    let set = "UPDATE connections SET credentials = $1 WHERE id = 'conn_000'";
    query(set).bind(foreign.clone()).execute(&store.writer).await.unwrap();
    let resealed = store.reseal(&both, operator(), |_| ()).await.unwrap().unwrap();
    assert_eq!(resealed, Resealed { resealed: ALL - 1, unreadable: 1, left: 0 });
    let (kept,): (Vec<u8>,) =
        query_as("SELECT credentials FROM connections WHERE id = 'conn_000'").fetch_one(&store.pool).await.unwrap();
    assert_eq!(kept, foreign);
    let named = sealed_under(&store).await;
    let unknown = format!("{}…", &fingerprint(5)[..10]);
    assert_eq!(named[2], (unknown, 1));
    // A process that still seals with the old key.
    let late = ring(&[1]).seal(&place, b"late").unwrap();
    query(set).bind(late).execute(&store.writer).await.unwrap();
    let in_use = KeyRefusal::InUse { fingerprint: fingerprint(1), values: 1 };
    assert_eq!(store.retire_root_key(&fingerprint(1), operator()).await.unwrap(), Err(in_use));
}
