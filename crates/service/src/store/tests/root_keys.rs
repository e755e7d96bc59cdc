//! The root keys that a store belongs to.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use secrecy::SecretString;

use super::fresh;
use crate::environment::Environment;
use crate::keys::Keys;
use crate::store::nodes::root_keys::WrongRootKey;

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
    let (_folder, store) = fresh().await;
    store.claim_environment(Environment::Live, at(0)).await.unwrap();
    let claim = async |fills: &[u8], seconds| store.claim_root_keys(&ring(fills), at(seconds)).await.unwrap();
    assert_eq!(claim(&[1], 1).await, Ok(()));
    assert_eq!(claim(&[1], 2).await, Ok(()));
    let refused = WrongRootKey { missing: fingerprint(1), given: fingerprint(2) };
    assert_eq!(claim(&[2], 3).await, Err(refused));
    // The new key is made known to all processes first, then it seals; from then on both are needed.
    for fills in [&[1, 2][..], &[2, 1], &[1, 2], &[2, 1]] {
        assert_eq!(claim(fills, 4).await, Ok(()));
    }
    for (fills, missing) in [([2], 1), ([1], 2)] {
        let refused = WrongRootKey { missing: fingerprint(missing), given: fingerprint(fills[0]) };
        assert_eq!(claim(&fills, 5).await, Err(refused));
    }
    assert_eq!(claim(&[3, 2, 1], 6).await, Ok(()), "a third one may seal");
}
