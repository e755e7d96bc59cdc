//! The root keys that a store belongs to.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use tempfile::TempDir;

use super::earlier_version;
use crate::environment::Environment;
use crate::keys::Keys;
use crate::store::Store;
use crate::store::root_keys::WrongRootKey;

pub(super) fn ring(fills: &[u8]) -> Keys {
    let secrets: Vec<SecretString> = fills.iter().map(|fill| STANDARD.encode([*fill; 32]).into()).collect();
    Keys::from_ring(&secrets).unwrap()
}

fn fingerprint(fill: u8) -> String {
    ring(&[fill]).fingerprints().next().unwrap().to_owned()
}

pub(super) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap()
}

#[tokio::test]
async fn a_store_takes_the_keys_that_it_was_used_with_and_no_service_without_one_of_them() {
    let folder = TempDir::new().unwrap();
    let store = Store::of_test(&folder.path().join("s")).await;
    store.claim_environment(Environment::Live, at(0)).await.unwrap();
    let claim = async |fills: &[u8], seconds| store.claim_root_keys(&ring(fills), at(seconds)).await.unwrap();
    assert_eq!(claim(&[1], 1).await, Ok(()));
    assert_eq!(claim(&[1], 2).await, Ok(()));
    let refused = WrongRootKey::Missing { missing: fingerprint(1), given: fingerprint(2) };
    assert_eq!(claim(&[2], 3).await, Err(refused));
    // The new key is made known to all processes first, then it seals; from then on both are needed.
    for fills in [&[1, 2][..], &[2, 1], &[1, 2], &[2, 1]] {
        assert_eq!(claim(fills, 4).await, Ok(()));
    }
    for (fills, missing) in [([2], 1), ([1], 2)] {
        let refused = WrongRootKey::Missing { missing: fingerprint(missing), given: fingerprint(fills[0]) };
        assert_eq!(claim(&fills, 5).await, Err(refused));
    }
    assert_eq!(claim(&[3, 2, 1], 6).await, Ok(()), "a third one may seal");
}

/// A store of commit 974d485: one connection, with credentials that another library sealed under the key of ones.
async fn earlier_store(folder: &TempDir) -> Store {
    let path = folder.path().join("s");
    let statements = [
        "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('u', x'00', '0000', 0)",
        "INSERT INTO connections (id, user_id, retailer_id, display_name, status, credentials, created_at)
            VALUES ('conn_1', 'u', 1, '', 'valid',
                x'01000102030405060708090a0b38eb72f46cecaa02603fda4ffba747edea4817dcd52a80e2da042dd5bcedd85e', 0)",
    ];
    earlier_version(&path, 6, &statements).await;
    let store = Store::open(&path).await.unwrap();
    store.claim_environment(Environment::Live, at(0)).await.unwrap();
    store
}

#[tokio::test]
async fn a_store_of_an_earlier_version_is_claimed_by_the_key_that_opens_it_and_by_no_other() {
    let folder = TempDir::new().unwrap();
    let store = earlier_store(&folder).await;
    let refused = store.claim_root_keys(&ring(&[2]), at(1)).await.unwrap();
    assert_eq!(refused, Err(WrongRootKey::Unopened { given: fingerprint(2) }));
    assert_eq!(store.claim_root_keys(&ring(&[1]), at(2)).await.unwrap(), Ok(()));
    assert!(store.claim_root_keys(&ring(&[2]), at(3)).await.unwrap().is_err());
}

#[tokio::test]
async fn a_store_of_an_earlier_version_whose_key_is_behind_a_new_one_needs_both_from_then_on() {
    let folder = TempDir::new().unwrap();
    let store = earlier_store(&folder).await;
    assert_eq!(store.claim_root_keys(&ring(&[2, 3, 1]), at(1)).await.unwrap(), Ok(()));
    let refused = store.claim_root_keys(&ring(&[2]), at(2)).await.unwrap();
    assert_eq!(refused, Err(WrongRootKey::Missing { missing: fingerprint(1), given: fingerprint(2) }));
    // The third key was of no use.
    assert_eq!(store.claim_root_keys(&ring(&[2, 1]), at(3)).await.unwrap(), Ok(()));
}
