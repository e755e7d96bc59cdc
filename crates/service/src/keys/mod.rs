//! The service's keys, each derived from a root key for one purpose: the tokens that seal credentials in transit, the
//! sealing of values in the store, and the look-up of phone numbers.
//!
//! There may be several root keys. The first one seals and derives everything; the others only open values sealed under
//! them, and find phone numbers stored under them.

mod at_rest;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, Mac};
use ordersync_api::seal::KEY_BYTES;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use self::at_rest::AtRest;
use crate::ids::NoRandomness;

/// The prefix of a sandbox's root secret, so that it cannot be mistaken for a live service's.
pub const SANDBOX_SECRET_PREFIX: &str = "ordersync_sandbox_key_";

/// Every key of the service.
pub struct Keys {
    totp: Zeroizing<[u8; 32]>,
    /// One for each root key; the first seals.
    at_rest: Vec<AtRest>,
    phone: Zeroizing<[u8; 32]>,
    /// One for each root key after the first, and then those of root keys that were retired.
    earlier_phones: Vec<PhoneKey>,
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

/// A sealed value in the store cannot be opened: it was sealed with another secret or for another row, or is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sealed value in the store does not open: is this the secret that the store was made with?")]
pub struct Unsealable;

impl Keys {
    /// Derives the keys from one root key: 32 bytes in base64 or base64url, with [`SANDBOX_SECRET_PREFIX`] in front for
    /// a sandbox.
    /// Fails if the secret is anything else.
    pub fn from_secret(secret: &SecretString) -> Result<Self, BadSecret> {
        Self::from_ring(std::slice::from_ref(secret))
    }

    /// Derives the keys from several root keys: the first one seals, and all of them open.
    /// Fails if there is none, or one of them is not a root key.
    pub fn from_ring(secrets: &[SecretString]) -> Result<Self, BadSecret> {
        let roots = secrets.iter().map(root).collect::<Result<Vec<_>, _>>()?;
        let (first, earlier) = roots.split_first().ok_or(BadSecret)?;
        let of_first = |purpose| derive(first.as_slice(), purpose);
        Ok(Self {
            totp: of_first("ordersync/1/totp"),
            at_rest: roots.iter().map(|root| AtRest::of(root)).collect::<Result<_, _>>()?,
            phone: of_first(PHONE),
            earlier_phones: earlier.iter().map(|root| PhoneKey(derive(root, PHONE))).collect(),
            one_time_password: of_first("ordersync/1/one-time-password"),
            user_code: of_first("ordersync/1/user-code"),
            address: of_first("ordersync/1/address"),
            csrf: of_first("ordersync/1/csrf"),
            pages: of_first("ordersync/1/pages"),
        })
    }

    /// Identifies each root key without revealing anything about it; the first key's comes first.
    pub fn fingerprints(&self) -> impl Iterator<Item = &str> {
        self.at_rest.iter().map(|key| key.fingerprint.as_str())
    }

    /// The key that seals credentials, bound to the user, the client and the stamp, so that any node can derive it.
    pub fn totp(&self, user_id: &str, client_id: &str, stamp: &str) -> Zeroizing<[u8; KEY_BYTES]> {
        Zeroizing::new(mac(self.totp.as_slice(), &[user_id.as_bytes(), client_id.as_bytes(), stamp.as_bytes()]))
    }

    /// The digest by which a phone number is looked up.
    pub fn phone_digest(&self, phone: &str) -> [u8; 32] {
        mac(self.phone.as_slice(), &[phone.as_bytes()])
    }

    /// The digests by which a phone number was looked up under each root key after the first.
    pub fn earlier_phone_digests(&self, phone: &str) -> Vec<[u8; 32]> {
        self.earlier_phones.iter().map(|key| key.digest(phone)).collect()
    }

    /// By what phone numbers were looked up under each root key after the first, with its fingerprint.
    pub(crate) fn earlier_phone_keys(&self) -> impl Iterator<Item = (&str, &PhoneKey)> {
        self.fingerprints().skip(1).zip(&self.earlier_phones)
    }

    /// Phone numbers are looked up by these as well, under which they were stored before their root keys were retired.
    pub(crate) fn also_look_up_by(&mut self, keys: Vec<PhoneKey>) {
        for key in keys {
            if !self.earlier_phones.contains(&key) {
                self.earlier_phones.push(key);
            }
        }
    }

    /// How each value begins that is sealed now.
    pub(crate) fn head(&self) -> Vec<u8> {
        self.at_rest.first().map(|key| key.head().to_vec()).unwrap_or_default()
    }

    /// The MAC by which a one-time password is compared. It has few digits: a digest without the key would not keep it
    /// secret.
    pub fn one_time_password(&self, phone: &str, password: &str) -> [u8; 32] {
        mac(self.one_time_password.as_slice(), &[phone.as_bytes(), password.as_bytes()])
    }

    /// The digest by which a device's user code is looked up.
    pub fn user_code(&self, user_code: &str) -> [u8; 32] {
        mac(self.user_code.as_slice(), &[user_code.as_bytes()])
    }

    /// The digest under which an internet address is counted.
    pub fn address(&self, address: &str) -> [u8; 32] {
        mac(self.address.as_slice(), &[address.as_bytes()])
    }

    /// The bucket of a limit: everything of that kind and with these parts counts together.
    pub fn bucket(&self, kind: &str, of: &[&[u8]]) -> [u8; 32] {
        mac(self.address.as_slice(), &[&[kind.as_bytes()], of].concat())
    }

    /// The field in a signed-in browser's forms, so that no other site can submit them.
    pub fn csrf(&self, cookie: &str) -> [u8; 32] {
        mac(self.csrf.as_slice(), &[cookie.as_bytes()])
    }

    /// Proves that the service derived a value in a page's form from `value`, for this `purpose` only.
    pub fn page_mac(&self, purpose: &str, value: &str) -> [u8; 32] {
        mac(self.pages.as_slice(), &[purpose.as_bytes(), value.as_bytes()])
    }

    /// Seals `plaintext` for one place in the store: it cannot be opened for any other.
    pub fn seal(&self, place: &Place<'_>, plaintext: &[u8]) -> Result<Vec<u8>, NoRandomness> {
        self.at_rest.first().ok_or(NoRandomness)?.seal(place, plaintext)
    }

    /// Opens a value that was sealed for this place, under any of the root keys.
    /// Fails if it was sealed for another place or under none of these keys, or is damaged.
    pub fn open(&self, place: &Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
        self.at_rest.iter().find_map(|key| key.open(place, sealed).ok()).ok_or(Unsealable)
    }
}

/// By what phone numbers are looked up under one root key.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PhoneKey(Zeroizing<[u8; 32]>);

impl PhoneKey {
    /// None: it is not a key.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(|key| Self(Zeroizing::new(key)))
    }

    /// To be sealed.
    pub(crate) fn expose(&self) -> &[u8] {
        self.0.as_slice()
    }

    pub(crate) fn digest(&self, phone: &str) -> [u8; 32] {
        mac(self.0.as_slice(), &[phone.as_bytes()])
    }
}

/// How a value begins that is sealed under the root key with this fingerprint. None: it is not a fingerprint.
pub(crate) fn head_of(fingerprint: &str) -> Option<Vec<u8>> {
    at_rest::head_of(fingerprint)
}

/// The place of a sealed value: the column, and the row.
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

/// SHA-256 of a token, which is too random to be guessed from it.
pub(crate) fn token_digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

const PHONE: &str = "ordersync/1/phone";

/// The bytes of a root key.
fn root(secret: &SecretString) -> Result<Zeroizing<Vec<u8>>, BadSecret> {
    let text = secret.expose_secret().trim();
    let text = text.strip_prefix(SANDBOX_SECRET_PREFIX).unwrap_or(text);
    let alphabet = if text.contains(['-', '_']) { &alphabet::URL_SAFE } else { &alphabet::STANDARD };
    let padding = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let root = Zeroizing::new(GeneralPurpose::new(alphabet, padding).decode(text).map_err(|_| BadSecret)?);
    if root.len() == KEY_BYTES { Ok(root) } else { Err(BadSecret) }
}

fn derive(root: &[u8], purpose: &str) -> Zeroizing<[u8; 32]> {
    Zeroizing::new(mac(root, &[purpose.as_bytes()]))
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
    fn an_old_key_behind_a_new_one_opens_and_finds_what_is_its_own_and_the_new_one_seals() {
        let secret = |fill| SecretString::from(base64::engine::general_purpose::STANDARD.encode([fill; 32]));
        let ring = Keys::from_ring(&[secret(2), secret(1)]).unwrap();
        let place = Place { column: "connections.credentials", row: "conn_1" };
        let (old, new) = (keys(1).seal(&place, b"old").unwrap(), ring.seal(&place, b"new").unwrap());
        assert_eq!(ring.open(&place, &old).unwrap().as_slice(), b"old");
        assert_eq!(keys(2).open(&place, &new).unwrap().as_slice(), b"new");
        assert!(keys(1).open(&place, &new).is_err() && keys(2).open(&place, &old).is_err());
        assert_eq!(ring.phone_digest("+15550100"), keys(2).phone_digest("+15550100"));
        assert_eq!(ring.earlier_phone_digests("+15550100"), [keys(1).phone_digest("+15550100")]);
        assert!(Keys::from_ring(&[]).is_err());
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
