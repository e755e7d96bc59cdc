//! Phone numbers.

/// A plus sign and 7 to 15 digits, the first of which is not 0 (ITU-T E.164 §6).
pub fn is_e164(phone: &str) -> bool {
    phone.strip_prefix('+').is_some_and(|digits| {
        (7..=15).contains(&digits.len())
            && digits.bytes().all(|digit| digit.is_ascii_digit())
            && !digits.starts_with('0')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_country_code_and_no_more_than_fifteen_digits() {
        for good in ["+15550100", "+4930123456", "+123456789012345"] {
            assert!(is_e164(good), "{good}");
        }
        for bad in ["", "+", "15550100", "+05550100", "+123456", "+1234567890123456", "+1555\u{661}100", "+1555010a"] {
            assert!(!is_e164(bad), "{bad}");
        }
    }
}
