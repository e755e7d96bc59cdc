//! The service's keys, each derived from its one secret for one purpose, and what they are for: the tokens that seal
//! credentials on the way, the sealing of whatever rests in the store, and the look-up of phone numbers.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, Mac};
use ordersync_api::seal::KEY_BYTES;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::ids::{NoRandomness, random_bytes};

/// What the root secret of a sandbox begins with, so that it cannot be mistaken for a live service's.
pub const SANDBOX_SECRET_PREFIX: &str = "ordersync_sandbox_key_";

/// Version of the sealed form; the first byte of every sealed blob.
const SEALED_VERSION: u8 = 1;
const NONCE_BYTES: usize = 12;

/// Every key of the service.
pub struct Keys {
    totp: Zeroizing<[u8; 32]>,
    at_rest: Aes256Gcm,
    phone: Zeroizing<[u8; 32]>,
    one_time_password: Zeroizing<[u8; 32]>,
    user_code: Zeroizing<[u8; 32]>,
    address: Zeroizing<[u8; 32]>,
    csrf: Zeroizing<[u8; 32]>,
    pages: Zeroizing<[u8; 32]>,
}

/// The service's secret is not 32 bytes of base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the service's secret has to be 32 random bytes in base64 (make one with: openssl rand -base64 32)")]
pub struct BadSecret;

/// A blob of the store cannot be opened: it was sealed with another secret, for another row, or was damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sealed value in the store does not open: is this the secret that the store was made with?")]
pub struct Unsealable;

impl Keys {
    /// Derives the keys from the service's secret: 32 bytes in base64 or base64url, a sandbox's with
    /// [`SANDBOX_SECRET_PREFIX`] before them.
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn from_secret(secret: &SecretString) -> Result<Self, BadSecret> {
        let text = secret.expose_secret().trim();
        let text = text.strip_prefix(SANDBOX_SECRET_PREFIX).unwrap_or(text);
        let alphabet = if text.contains(['-', '_']) { &alphabet::URL_SAFE } else { &alphabet::STANDARD };
        let padding = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        let root = Zeroizing::new(GeneralPurpose::new(alphabet, padding).decode(text).map_err(|_| BadSecret)?);
        if root.len() != KEY_BYTES {
            return Err(BadSecret);
        }
        let derive = |purpose: &str| Zeroizing::new(mac(&root, &[purpose.as_bytes()]));
        let at_rest = derive("ordersync/1/at-rest");
        Ok(Self {
            totp: derive("ordersync/1/totp"),
            at_rest: Aes256Gcm::new_from_slice(at_rest.as_slice()).map_err(|_| BadSecret)?,
            phone: derive("ordersync/1/phone"),
            one_time_password: derive("ordersync/1/one-time-password"),
            user_code: derive("ordersync/1/user-code"),
            address: derive("ordersync/1/address"),
            csrf: derive("ordersync/1/csrf"),
            pages: derive("ordersync/1/pages"),
        })
    }

    /// The key that seals credentials, bound to the user, the client and the stamp, so that any node can derive it.
    #[must_use]
    pub fn totp(&self, user_id: &str, client_id: &str, stamp: &str) -> Zeroizing<[u8; KEY_BYTES]> {
        Zeroizing::new(mac(self.totp.as_slice(), &[user_id.as_bytes(), client_id.as_bytes(), stamp.as_bytes()]))
    }

    /// What a phone number is looked up by.
    #[must_use]
    pub fn phone_digest(&self, phone: &str) -> [u8; 32] {
        mac(self.phone.as_slice(), &[phone.as_bytes()])
    }

    /// What a one-time password is compared by. It has few digits: without the key its digest would be no secret at all.
    #[must_use]
    pub fn one_time_password(&self, phone: &str, password: &str) -> [u8; 32] {
        mac(self.one_time_password.as_slice(), &[phone.as_bytes(), password.as_bytes()])
    }

    /// What a device's user code is looked up by.
    #[must_use]
    pub fn user_code(&self, user_code: &str) -> [u8; 32] {
        mac(self.user_code.as_slice(), &[user_code.as_bytes()])
    }

    /// What an internet address is counted by.
    #[must_use]
    pub fn address(&self, address: &str) -> [u8; 32] {
        mac(self.address.as_slice(), &[address.as_bytes()])
    }

    /// What a signed-in browser's forms carry, so that no other site can send them.
    #[must_use]
    pub fn csrf(&self, cookie: &str) -> [u8; 32] {
        mac(self.csrf.as_slice(), &[cookie.as_bytes()])
    }

    /// Proves that the service made a value of a page's form out of `value`, for `purpose` and no other.
    #[must_use]
    pub fn page_mac(&self, purpose: &str, value: &str) -> [u8; 32] {
        mac(self.pages.as_slice(), &[purpose.as_bytes(), value.as_bytes()])
    }

    /// Seals `plaintext` for one place in the store: it opens in no other.
    ///
    /// # Errors
    /// Where the system gives no randomness.
    pub fn seal(&self, place: &Place<'_>, plaintext: &[u8]) -> Result<Vec<u8>, NoRandomness> {
        let nonce: [u8; NONCE_BYTES] = random_bytes()?;
        let aad = place.aad();
        let ciphertext = self
            .at_rest
            .encrypt(&Nonce::from(nonce), Payload { msg: plaintext, aad: &aad })
            // Fails only for more than 64 GiB.
            .map_err(|_| NoRandomness)?;
        let mut sealed = Vec::with_capacity(1 + NONCE_BYTES + ciphertext.len());
        sealed.push(SEALED_VERSION);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(&ciphertext);
        Ok(sealed)
    }

    /// Opens what was sealed for this place.
    ///
    /// # Errors
    /// Where it was not.
    pub fn open(&self, place: &Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
        let (version, rest) = sealed.split_first().ok_or(Unsealable)?;
        let (nonce, ciphertext) = rest.split_first_chunk::<NONCE_BYTES>().ok_or(Unsealable)?;
        if *version != SEALED_VERSION {
            return Err(Unsealable);
        }
        let aad = place.aad();
        self.at_rest
            .decrypt(&Nonce::from(*nonce), Payload { msg: ciphertext, aad: &aad })
            .map(Zeroizing::new)
            .map_err(|_| Unsealable)
    }
}

/// Where a sealed value rests: which column, of which row.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Table and column.
    pub column: &'static str,
    /// The row's identifier.
    pub row: &'a str,
}

impl Place<'_> {
    fn aad(&self) -> Vec<u8> {
        [self.column.as_bytes(), b"\0", self.row.as_bytes()].concat()
    }
}

/// SHA-256 of a token that is too random to be guessed from it.
#[must_use]
pub fn token_digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// HMAC-SHA-256 over parts, each preceded by its length, so that no two lists of parts give the same octets.
fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    #[allow(clippy::expect_used, reason = "HMAC takes keys of any length (RFC 2104 §2)")]
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(fill: u8) -> Keys {
        let secret = base64::engine::general_purpose::STANDARD.encode([fill; 32]);
        Keys::from_secret(&SecretString::from(secret)).unwrap()
    }

    #[test]
    fn what_is_sealed_opens_in_its_own_place_with_its_own_secret_only() {
        let place = Place { column: "connections.credentials", row: "conn_1" };
        let sealed = keys(1).seal(&place, b"secret").unwrap();
        assert_eq!(keys(1).open(&place, &sealed).unwrap().as_slice(), b"secret");
        assert!(keys(2).open(&place, &sealed).is_err());
        assert!(keys(1).open(&Place { row: "conn_2", ..place }, &sealed).is_err());
        assert!(keys(1).open(&Place { column: "connections.session", ..place }, &sealed).is_err());
        for cut in 0..sealed.len() {
            assert!(keys(1).open(&place, &sealed[..cut]).is_err());
        }
    }

    #[test]
    fn a_sealing_token_differs_with_each_thing_it_is_bound_to() {
        let keys = keys(1);
        let token = |user, client, stamp| *keys.totp(user, client, stamp);
        assert_eq!(token("u", "c", "s"), token("u", "c", "s"));
        for other in [token("v", "c", "s"), token("u", "d", "s"), token("u", "c", "t"), token("uc", "", "s")] {
            assert_ne!(token("u", "c", "s"), other);
        }
    }

    #[test]
    fn a_secret_of_another_length_is_refused() {
        for bad in ["", "c2hvcnQ=", "not base64 at all, but of some length.."] {
            assert!(Keys::from_secret(&SecretString::from(bad)).is_err());
        }
    }
}
