//! Identifiers and tokens: random, with a prefix that says what they are.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Letters and digits that cannot be mistaken for one another (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The system gave no random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gave no random numbers")]
pub struct NoRandomness;

/// Bytes that nobody can guess.
///
/// # Errors
/// Where the system gives none.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes)
}

/// A new identifier: `conn_` and 26 letters and digits (128 bits), say.
///
/// # Errors
/// Where the system gives no randomness.
pub fn new_id(prefix: &str) -> Result<String, NoRandomness> {
    Ok(id_from(prefix, u128::from_be_bytes(random_bytes()?)))
}

/// The identifier that stands for the given 128 bits.
#[must_use]
pub fn id_from(prefix: &str, bits: u128) -> String {
    let mut id = String::with_capacity(prefix.len() + 27);
    id.push_str(prefix);
    id.push('_');
    for place in (0..26).rev() {
        let digit = (bits >> (5 * place)) & 31;
        // Masked to five bits, so within the alphabet.
        id.push(char::from(ALPHABET[digit as usize]));
    }
    id
}

/// A new bearer token: the prefix and 256 bits.
///
/// # Errors
/// Where the system gives no randomness.
pub fn new_token(prefix: &str) -> Result<String, NoRandomness> {
    Ok(format!("{prefix}_{}", URL_SAFE_NO_PAD.encode(random_bytes::<32>()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_writes_all_of_its_bits() {
        assert_eq!(id_from("conn", 0), format!("conn_{}", "0".repeat(26)));
        assert_eq!(id_from("conn", u128::MAX), format!("conn_7{}", "z".repeat(25)));
        assert_ne!(new_id("conn"), new_id("conn"));
    }
}
