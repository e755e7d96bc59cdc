//! Proof Key for Code Exchange (RFC 7636), with S256 alone: proves that the client that exchanges a code also requested
//! it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// The only supported method (RFC 7636 §4.3).
pub(crate) const METHOD: &str = "S256";

/// Whether the text is a challenge: SHA-256 in base64url without padding, 43 characters (RFC 7636 §4.2).
pub(crate) fn is_challenge(text: &str) -> bool {
    text.len() == 43 && text.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"-_".contains(&octet))
}

/// The challenge of a verifier; `None` if it is not 43 to 128 unreserved characters (RFC 7636 §4.1).
pub(crate) fn challenge_of(verifier: &str) -> Option<String> {
    let unreserved = |octet: u8| octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
    let good = (43..=128).contains(&verifier.len()) && verifier.bytes().all(unreserved);
    good.then(|| URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_rfc_holds() {
        // RFC 7636, appendix B.
        let challenge = challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").unwrap();
        assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert!(is_challenge(&challenge));
    }

    #[test]
    fn what_is_too_short_too_long_or_of_other_characters_is_no_verifier() {
        for bad in ["", &"a".repeat(42), &"a".repeat(129), &"a b".repeat(20), &"\u{e4}".repeat(43)] {
            assert_eq!(challenge_of(bad), None, "{bad}");
        }
        for bad in ["", &"a".repeat(42), &"a".repeat(44), &"=".repeat(43)] {
            assert!(!is_challenge(bad), "{bad}");
        }
    }
}
