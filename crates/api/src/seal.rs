//! Sealing of retailer credentials (`connectionInfo`).
//!
//! The scheme: a JWE in compact form (RFC 7516 §3.1) with direct encryption (RFC 7518 §4.5) and A256GCM (§5.3). The key
//! is the token of the TOTP endpoint, `kid` its stamp, the plaintext the JSON object of the retailer's credential
//! fields. Another deployment's scheme is another implementation of [`Seal`].

use std::collections::BTreeMap;

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::{ExposeSecret, SecretString};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// The credential fields of a retailer, by name.
pub type Credentials = BTreeMap<String, SecretString>;

/// Length of the key, in bytes.
pub const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;

/// Why something could not be sealed or opened. Deliberately reports only which step failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The token is not 32 bytes of base64url.
    #[error("the token to seal with is not 32 bytes of base64url")]
    Key,
    /// The text is not a JWE in compact form of the expected algorithms.
    #[error("not a JWE in compact form with alg \"dir\" and enc \"A256GCM\"")]
    Form,
    /// The JWE was made with another token or for another stamp, or was modified in transit.
    #[error("the JWE does not open with this token")]
    Authenticity,
    /// The plaintext is not a JSON object of text fields.
    #[error("the sealed plaintext is not a JSON object of text fields")]
    Plaintext,
    /// The system provided no randomness.
    #[error("the system gave no random numbers")]
    Randomness,
}

/// A way to seal credentials.
pub trait Seal {
    /// Seals `credentials` with the TOTP endpoint's `token` and `stamp`.
    /// Fails if the token is not a key.
    fn seal(&self, token: &str, stamp: &str, credentials: &Credentials) -> Result<String, SealError>;

    /// Opens credentials that were sealed with `key` for `stamp`.
    /// Fails if they were not sealed that way, or have been modified since.
    fn open(&self, key: &[u8; KEY_BYTES], stamp: &str, sealed: &str) -> Result<Credentials, SealError>;
}

/// The JWE scheme described above.
#[derive(Debug, Clone, Copy, Default)]
pub struct DirA256Gcm;

#[derive(Serialize, Deserialize)]
struct Header {
    alg: String,
    enc: String,
    kid: String,
}

/// Header members that ask for processing which this scheme does not support: critical extensions (RFC 7516 §4.1.13, an
/// error even if empty), compression (§4.1.3), another encoding of the payload (RFC 7797 §3), and parameters of keys
/// that are agreed on, wrapped or derived from a password (RFC 7518 §4.6 to §4.8), which `dir` does not have. Skipping
/// one would mean reading something other than the sender intended. Other unknown members are ignored, as RFC 7516 §4
/// requires.
const DEMANDING: [&str; 8] = ["crit", "zip", "b64", "epk", "iv", "tag", "p2s", "p2c"];

impl Seal for DirA256Gcm {
    fn seal(&self, token: &str, stamp: &str, credentials: &Credentials) -> Result<String, SealError> {
        let key = decode_key(token)?;
        let header = Header { alg: "dir".into(), enc: "A256GCM".into(), kid: stamp.into() };
        let header = serde_json::to_vec(&header).map_err(|_| SealError::Form)?;
        let exposed: BTreeMap<&str, &str> =
            credentials.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
        let plaintext = Zeroizing::new(serde_json::to_vec(&exposed).map_err(|_| SealError::Plaintext)?);
        let mut nonce = [0_u8; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| SealError::Randomness)?;
        encrypt(&key, &nonce, &header, &plaintext)
    }

    fn open(&self, key: &[u8; KEY_BYTES], stamp: &str, sealed: &str) -> Result<Credentials, SealError> {
        let (header, plaintext) = decrypt(key, sealed)?;
        if header.kid != stamp {
            return Err(SealError::Authenticity);
        }
        let fields: BTreeMap<String, String> = serde_json::from_slice(&plaintext).map_err(|_| SealError::Plaintext)?;
        Ok(fields.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect())
    }
}

fn decode_key(token: &str) -> Result<Zeroizing<[u8; KEY_BYTES]>, SealError> {
    let bytes = Zeroizing::new(URL_SAFE_NO_PAD.decode(token.trim_end_matches('=')).map_err(|_| SealError::Key)?);
    <[u8; KEY_BYTES]>::try_from(bytes.as_slice()).map(Zeroizing::new).map_err(|_| SealError::Key)
}

fn encrypt(
    key: &[u8; KEY_BYTES],
    nonce: &[u8; NONCE_BYTES],
    header: &[u8],
    plaintext: &[u8],
) -> Result<String, SealError> {
    // RFC 7516 §5.1: the additional data is the encoded header; with `dir` the encrypted key is empty.
    let header = URL_SAFE_NO_PAD.encode(header);
    let cipher = Aes256Gcm::new_from_slice(key).map_err(|_| SealError::Key)?;
    let sealed = cipher
        .encrypt(&Nonce::from(*nonce), Payload { msg: plaintext, aad: header.as_bytes() })
        .map_err(|_| SealError::Plaintext)?;
    let (ciphertext, tag) = sealed.split_at(sealed.len() - TAG_BYTES);
    let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    Ok(format!("{header}..{}.{}.{}", encode(nonce), encode(ciphertext), encode(tag)))
}

fn decrypt(key: &[u8; KEY_BYTES], sealed: &str) -> Result<(Header, Zeroizing<Vec<u8>>), SealError> {
    let parts: Vec<&str> = sealed.split('.').collect();
    let [encoded_header, "", nonce, ciphertext, tag] = parts[..] else { return Err(SealError::Form) };
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| SealError::Form);
    let decoded = decode(encoded_header)?;
    let header: Header = serde_json::from_slice(&decoded).map_err(|_| SealError::Form)?;
    let members: BTreeMap<String, IgnoredAny> = serde_json::from_slice(&decoded).map_err(|_| SealError::Form)?;
    let is_demanding = DEMANDING.iter().any(|name| members.contains_key(*name));
    if header.alg != "dir" || header.enc != "A256GCM" || is_demanding {
        return Err(SealError::Form);
    }
    let nonce = <[u8; NONCE_BYTES]>::try_from(decode(nonce)?).map_err(|_| SealError::Form)?;
    let tag = decode(tag)?;
    if tag.len() != TAG_BYTES {
        return Err(SealError::Form);
    }
    let mut message = decode(ciphertext)?;
    message.extend_from_slice(&tag);
    let cipher = Aes256Gcm::new_from_slice(key).map_err(|_| SealError::Key)?;
    let plaintext = cipher
        .decrypt(&Nonce::from(nonce), Payload { msg: &message, aad: encoded_header.as_bytes() })
        .map_err(|_| SealError::Authenticity)?;
    Ok((header, Zeroizing::new(plaintext)))
}

#[cfg(test)]
mod tests;
