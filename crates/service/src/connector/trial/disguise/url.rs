//! Addresses in the text of pages.

use ::url::Url;

/// How the pages of a shop may write its address: with either scheme, and without one.
pub(super) fn origins(base: &Url) -> Vec<String> {
    let Some(host) = base.host_str() else { return Vec::new() };
    let authority = base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    ["https://", "http://", "//"].iter().map(|scheme| format!("{scheme}{authority}")).collect()
}

/// Stands for signs that have a meaning in addresses, such as `%2B`, which are no part of the words beside them.
const SIGNS: u32 = 0xE000;

/// An address with its `%C3%A4` as letters.
pub(super) fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex =
            (bytes[at] == b'%').then(|| text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok()));
        match hex.flatten() {
            Some(byte) if byte.is_ascii_alphanumeric() || !byte.is_ascii() => {
                found.push(byte);
                at += 3;
            }
            Some(byte) => {
                let sign = char::from_u32(SIGNS + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
                found.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes());
                at += 3;
            }
            _ => {
                found.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&found).into_owned()
}

/// Whether a part of an address is the version of an interface, such as `v1/`, which is the same in all shops.
pub(super) fn is_version(segment: &str) -> bool {
    let digits = segment.trim_end_matches(['/', '?']).strip_prefix('v').unwrap_or_default();
    matches!(digits.len(), 1 | 2) && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// The same with letters that are not ASCII as `%C3%A4`.
pub(super) fn encoded(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut bytes = [0; 4];
    for sign in text.chars() {
        if sign.is_ascii() {
            written.push(sign);
        } else if let Some(byte) = u32::from(sign).checked_sub(SIGNS).filter(|byte| *byte < 0x80) {
            written.push_str(&format!("%{byte:02X}"));
        } else {
            sign.encode_utf8(&mut bytes).bytes().for_each(|byte| written.push_str(&format!("%{byte:02X}")));
        }
    }
    written
}
