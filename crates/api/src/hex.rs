//! Octets in lower-case hexadecimal digits.

/// Two digits for each octet.
pub fn encode(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// The octets of a text. `None`: it has anything else than such digits, or an odd number of them.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digit = |letter: &u8| match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    };
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?)).collect()
}
