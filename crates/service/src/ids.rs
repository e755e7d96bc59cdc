//! Identifiers and tokens: random, with a prefix that names their kind.
//!
//! A token ends in a checksum, so that a mistyped one is refused without a look-up, and a scanner for leaked secrets
//! can distinguish a token from text that merely looks like one.

use sha2::{Digest, Sha256};

/// Letters and digits that cannot be mistaken for one another (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The system provided no random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gave no random numbers")]
pub struct NoRandomness;

/// Bytes that cannot be guessed.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes)
}

/// A new identifier, such as `conn_` and 26 letters and digits (128 bits).
pub(crate) fn new_id(prefix: &str) -> Result<String, NoRandomness> {
    Ok(id_from(prefix, u128::from_be_bytes(random_bytes()?)))
}

/// The identifier for the given 128 bits.
pub(crate) fn id_from(prefix: &str, bits: u128) -> String {
    let mut id = String::with_capacity(prefix.len() + 27);
    id.push_str(prefix);
    id.push('_');
    for place in (0..26).rev() {
        // Masked to five bits, so within the alphabet.
        id.push(char::from(ALPHABET[((bits >> (5 * place)) & 31) as usize]));
    }
    id
}

/// An identifier made from these parts: the same wherever they are the same. For a sandbox alone, where nothing has to be
/// unguessable and tests compare what they got.
pub(crate) fn derived_id(prefix: &str, parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in [prefix].iter().chain(parts) {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    let bits = digest.finalize().iter().take(16).fold(0, |bits, octet| bits << 8 | u128::from(*octet));
    id_from(prefix, bits)
}

/// The alphabet of tokens: no character at which a double click or an address would break.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// This many characters hold 256 bits.
const TOKEN_RANDOM: usize = 43;
/// This many characters hold 32 bits.
const TOKEN_CHECKSUM: usize = 6;

/// A new token: the prefix, 256 bits, and the checksum of both.
pub(crate) fn new_token(prefix: &str) -> Result<String, NoRandomness> {
    let mut token = String::with_capacity(prefix.len() + 1 + TOKEN_RANDOM + TOKEN_CHECKSUM);
    token.push_str(prefix);
    token.push('_');
    let whole = token.len() + TOKEN_RANDOM;
    while token.len() < whole {
        // Octets from 248 up would make some characters likelier than others.
        let fair = random_bytes::<48>()?.into_iter().filter(|octet| *octet < 248);
        token.extend(fair.take(whole - token.len()).map(|octet| char::from(BASE62[usize::from(octet % 62)])));
    }
    let checksum = checksum(&token);
    token.push_str(&checksum);
    Ok(token)
}

/// Whether the text could be a token with that prefix: its format and its checksum are right.
pub(crate) fn is_token(prefix: &str, text: &str) -> bool {
    let rest = text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_'));
    rest.is_some_and(|rest| {
        rest.len() == TOKEN_RANDOM + TOKEN_CHECKSUM
            && rest.bytes().all(|octet| octet.is_ascii_alphanumeric())
            && text.ends_with(&checksum(&text[..text.len() - TOKEN_CHECKSUM]))
    })
}

/// CRC-32 (ISO 3309, as in zip) in base 62.
fn checksum(text: &str) -> String {
    let crc = !text.bytes().fold(u32::MAX, |crc, octet| {
        (0..8).fold(crc ^ u32::from(octet), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    });
    let digit = |place: u32| char::from(BASE62[(crc / 62_u32.pow(place) % 62) as usize]);
    (0..6).rev().map(digit).collect()
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

    #[test]
    fn a_derived_id_depends_on_each_part_alone() {
        let id = derived_id("conn", &["user_1", "12", "user_good"]);
        assert_eq!(id, derived_id("conn", &["user_1", "12", "user_good"]));
        for other in [["user_1", "12", "user_goo"], ["user_1", "1", "2user_good"], ["user_", "112", "user_good"]] {
            assert_ne!(id, derived_id("conn", &other));
        }
        assert_ne!(derived_id("user", &["a"])[5..], derived_id("usera", &[])[6..]);
    }

    #[test]
    fn a_token_has_its_form_and_one_changed_character_shows() {
        let token = new_token("ordersync_at").unwrap();
        assert!(is_token("ordersync_at", &token), "{token}");
        assert!(!is_token("ordersync_rt", &token));
        for at in 0..token.len() {
            for other in ['0', 'x', '_'] {
                let mut changed: Vec<char> = token.chars().collect();
                changed[at] = other;
                let changed: String = changed.into_iter().collect();
                assert_eq!(is_token("ordersync_at", &changed), changed == token, "{changed}");
            }
        }
        for bad in ["", "ordersync_at", "ordersync_at_", &format!("{token}0"), &token[1..], "ordersync_at_\u{e9}"] {
            assert!(!is_token("ordersync_at", bad), "{bad}");
        }
        assert_ne!(new_token("ordersync_at"), new_token("ordersync_at"));
    }

    #[test]
    fn the_checksum_is_the_one_that_everybody_has() {
        // The check value of CRC-32 for "123456789" is CBF43926, which is 3421780262.
        let value = checksum("123456789")
            .bytes()
            .fold(0_u64, |value, octet| value * 62 + BASE62.iter().position(|digit| *digit == octet).unwrap() as u64);
        assert_eq!(value, 0xCBF4_3926);
    }
}
