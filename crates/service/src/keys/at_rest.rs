//! Sealing of values in the store.
//!
//! A sealed value is `2 ‖ key id (4 bytes) ‖ salt (24 bytes) ‖ ciphertext and tag`: AES-256-GCM under a key that is
//! derived, with HMAC-SHA-256, from the root key and the random salt. Every value has its own key, which is used once,
//! so the nonce is zero and the bound on random nonces (2^32 for each key, NIST SP 800-38D §8.3) applies to none of
//! them. Two of 2^48 values share a salt with a probability below 2^-96.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use zeroize::Zeroizing;

use super::{BadSecret, Place, Unsealable, derive, mac};
use crate::ids::{NoRandomness, random_bytes};

/// The first byte of a sealed value: its format.
const A_KEY_FOR_EACH: u8 = 2;

const NONCE_BYTES: usize = 12;
const ID_BYTES: usize = 4;
const SALT_BYTES: usize = 24;
const HEAD_BYTES: usize = 1 + ID_BYTES + SALT_BYTES;

/// Seals and opens under one root key.
pub(super) struct AtRest {
    /// Identifies the root key without revealing anything about it.
    pub(super) fingerprint: String,
    id: [u8; ID_BYTES],
    parent: Zeroizing<[u8; 32]>,
}

impl AtRest {
    pub(super) fn of(root: &[u8]) -> Result<Self, BadSecret> {
        let digest = derive(root, "ordersync/2/fingerprint");
        let [a, b, c, d, e, f, g, h, ..] = *digest;
        Ok(Self {
            fingerprint: format!("{a:02x}{b:02x}-{c:02x}{d:02x}-{e:02x}{f:02x}-{g:02x}{h:02x}"),
            id: [a, b, c, d],
            parent: derive(root, "ordersync/2/at-rest"),
        })
    }

    /// How each value begins that it seals.
    pub(super) fn head(&self) -> [u8; 1 + ID_BYTES] {
        let [a, b, c, d] = self.id;
        [A_KEY_FOR_EACH, a, b, c, d]
    }

    pub(super) fn seal(&self, place: &Place<'_>, plaintext: &[u8]) -> Result<Vec<u8>, NoRandomness> {
        // Encryption fails only for more than 64 GiB.
        self.seal_with(random_bytes()?, place, plaintext).map_err(|_| NoRandomness)
    }

    fn seal_with(
        &self,
        salt: [u8; SALT_BYTES],
        place: &Place<'_>,
        plaintext: &[u8],
    ) -> Result<Vec<u8>, aes_gcm::aead::Error> {
        let mut sealed = Vec::with_capacity(HEAD_BYTES + plaintext.len() + 16);
        sealed.push(A_KEY_FOR_EACH);
        sealed.extend_from_slice(&self.id);
        sealed.extend_from_slice(&salt);
        let aad = [&sealed[..], &place.aad()].concat();
        let payload = Payload { msg: plaintext, aad: &aad };
        let ciphertext = self.key_of(&salt).encrypt(&Nonce::from([0; NONCE_BYTES]), payload)?;
        sealed.extend_from_slice(&ciphertext);
        Ok(sealed)
    }

    pub(super) fn open(&self, place: &Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
        let (head, ciphertext) = sealed.split_first_chunk::<HEAD_BYTES>().ok_or(Unsealable)?;
        let salt = head.strip_prefix(&self.head()).and_then(<[u8]>::first_chunk::<SALT_BYTES>).ok_or(Unsealable)?;
        let aad = [&head[..], &place.aad()].concat();
        let payload = Payload { msg: ciphertext, aad: &aad };
        let opened = self.key_of(salt).decrypt(&Nonce::from([0; NONCE_BYTES]), payload);
        opened.map(Zeroizing::new).map_err(|_| Unsealable)
    }

    /// The key of one value.
    fn key_of(&self, salt: &[u8]) -> Aes256Gcm {
        let key = Zeroizing::new(mac(self.parent.as_slice(), &[salt]));
        Aes256Gcm::new(&aes_gcm::Key::<Aes256Gcm>::from(*key))
    }
}

/// How a value begins that is sealed under the key with this fingerprint, which begins with the key's id.
pub(super) fn head_of(fingerprint: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = fingerprint.chars().filter_map(|digit| digit.to_digit(16)).take(2 * ID_BYTES).collect();
    let id =
        digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] << 4 | pair[1]).ok()).collect::<Option<Vec<u8>>>()?;
    (id.len() == ID_BYTES).then(|| [&[A_KEY_FOR_EACH], &id[..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'static> = Place { column: "connections.credentials", row: "conn_1" };
    const PLAINTEXT: &[u8] = br#"{"username":"u"}"#;

    fn of(fill: u8) -> AtRest {
        AtRest::of(&[fill; 32]).unwrap()
    }

    fn octets(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    /// Made with Python's `cryptography` from the description above.
    #[test]
    fn a_sealed_value_is_what_another_library_makes_of_the_description() {
        let sealed = "02805f82f9000102030405060708090a0b0c0d0e0f1011121314151617f6aed3e27b8ec03aca2f3f6393dff18c3c82c12a9ad12dd805fed37a3b586ab4";
        assert_eq!(of(1).open(&PLACE, &octets(sealed)).unwrap().as_slice(), PLAINTEXT);
        assert!(of(2).open(&PLACE, &octets(sealed)).is_err());
        let salt = std::array::from_fn(|at| u8::try_from(at).unwrap());
        assert_eq!(of(1).seal_with(salt, &PLACE, PLAINTEXT).unwrap(), octets(sealed));
        assert_eq!(of(1).fingerprint, "805f-82f9-95e0-a410");
        assert_eq!(head_of(&of(1).fingerprint).unwrap(), of(1).head());
        assert_eq!(head_of("805f-82"), None);
    }

    #[test]
    fn a_changed_octet_anywhere_is_noticed() {
        let sealed = of(1).seal(&PLACE, PLAINTEXT).unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(of(1).open(&PLACE, &changed).is_err(), "{at}");
        }
    }

    #[test]
    fn no_two_values_share_a_key() {
        let salts: std::collections::BTreeSet<Vec<u8>> =
            (0..100).map(|_| of(1).seal(&PLACE, PLAINTEXT).unwrap()[5..HEAD_BYTES].to_vec()).collect();
        assert_eq!(salts.len(), 100);
    }
}
