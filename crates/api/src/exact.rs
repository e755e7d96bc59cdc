//! Decimals that stay decimals: JSON numbers are read from their digits and written with them, never through a float.

use rust_decimal::Decimal;

/// The largest integer that every reader of JSON keeps (RFC 7493 §2.2): the contract has none beyond it.
pub const LARGEST_INTEGER: i64 = 9_007_199_254_740_991;

/// Reads a decimal from its digits.
/// Fails if the text is not a decimal, or has more digits than a decimal of 96 bits can hold: nothing is rounded.
pub fn parse(text: &str) -> Result<Decimal, String> {
    let exact = match text.split_once(['e', 'E']) {
        None => Decimal::from_str_exact(text).map_err(|why| why.to_string()),
        Some((digits, exponent)) => scientific(digits, exponent),
    };
    exact.map_err(|why| format!("\"{text}\" cannot be held exactly as a decimal: {why}"))
}

/// `Decimal::from_scientific` would round digits that do not fit.
fn scientific(digits: &str, exponent: &str) -> Result<Decimal, String> {
    let digits = Decimal::from_str_exact(digits).map_err(|why| why.to_string())?;
    let exponent: i64 = exponent.parse().map_err(|_| "its exponent cannot be read".to_owned())?;
    let out_of_range = || "its exponent is out of range".to_owned();
    let scale = i64::from(digits.scale()) - exponent;
    match u32::try_from(scale) {
        Ok(scale) => Decimal::try_from_i128_with_scale(digits.mantissa(), scale).map_err(|_| out_of_range()),
        Err(_) => {
            let zeros = u32::try_from(-scale).map_err(|_| out_of_range())?;
            let factor = 10_i128.checked_pow(zeros).ok_or_else(out_of_range)?;
            let number = digits.mantissa().checked_mul(factor).ok_or_else(out_of_range)?;
            Decimal::try_from_i128_with_scale(number, 0).map_err(|_| out_of_range())
        }
    }
}

/// For `#[serde(with = "exact::required")]`: a decimal that has to be there.
pub mod required {
    use rust_decimal::Decimal;
    use serde::{Deserializer, Serializer, de::Error as _};

    /// Writes the decimal as a JSON number with exactly its digits.
    pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
        super::option::serialize(&Some(*value), serializer)
    }

    /// Reads a JSON number, or a string that holds one, digit by digit.
    /// Fails if it is neither, or has more digits than a decimal of 96 bits can hold.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        super::option::deserialize(deserializer)?.ok_or_else(|| D::Error::custom("a decimal is missing"))
    }
}

/// For `#[serde(with = "exact::option")]`: a decimal that may be absent or null.
pub mod option {
    use std::str::FromStr;

    use rust_decimal::Decimal;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
    use serde_json::{Number, Value};

    /// Writes the decimal as a JSON number with exactly its digits, or null.
    #[allow(clippy::ref_option, reason = "serde gives a reference to the field")]
    pub fn serialize<S: Serializer>(value: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
        value
            .map(|decimal| Number::from_str(&decimal.to_string()).map_err(ser::Error::custom))
            .transpose()?
            .serialize(serializer)
    }

    /// Reads a JSON number, or a string that holds one, digit by digit.
    /// Fails if it is neither, or has more digits than a decimal of 96 bits can hold: nothing is rounded.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
        let text = match Option::<Value>::deserialize(deserializer)? {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::String(text)) if text.is_empty() => return Ok(None),
            Some(Value::String(text)) => text,
            Some(other) => return Err(de::Error::custom(format!("a decimal is a number or text, not {other}"))),
        };
        super::parse(&text).map(Some).map_err(de::Error::custom)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[derive(Serialize, serde::Deserialize)]
        struct Row {
            #[serde(default, with = "crate::exact::option")]
            price: Option<Decimal>,
        }

        fn through(json: &str) -> Result<String, serde_json::Error> {
            serde_json::from_str::<Row>(json).and_then(|row| serde_json::to_string(&row))
        }

        #[test]
        fn digits_survive_the_way_through() {
            for digits in ["12.50", "0.10", "-3", "1430.71", "79228162514264337593543950335", "0.0000000000000000001"] {
                let json = format!("{{\"price\":{digits}}}");
                assert_eq!(through(&json).ok().as_ref(), Some(&json));
                assert_eq!(through(&format!("{{\"price\":\"{digits}\"}}")).ok().as_ref(), Some(&json));
            }
            assert_eq!(through("{\"price\":1.5e2}").ok().as_deref(), Some("{\"price\":150}"));
        }

        #[test]
        fn unknown_is_null_and_never_zero() {
            for json in ["{}", "{\"price\":null}", "{\"price\":\"\"}"] {
                assert_eq!(through(json).ok().as_deref(), Some("{\"price\":null}"));
            }
        }

        #[test]
        fn what_cannot_be_held_exactly_is_refused() {
            for json in ["{\"price\":true}", "{\"price\":\"12,50\"}", "{\"price\":792281625142643375935439503350}"] {
                assert!(through(json).is_err(), "{json}");
            }
        }

        #[test]
        fn a_decimal_with_an_exponent_is_held_exactly_or_refused() {
            for (digits, decimal) in [
                ("1.5e2", "150"),
                ("-1.50E-1", "-0.150"),
                ("7.9228162514264337593543950335e28", "79228162514264337593543950335"),
                ("1e-28", "0.0000000000000000000000000001"),
            ] {
                let json = format!("{{\"price\":{digits}}}");
                assert_eq!(through(&json).ok(), Some(format!("{{\"price\":{decimal}}}")), "{digits}");
            }
            for digits in [
                // One digit more than fits.
                "1.23456789012345678901234567891e0",
                "7.92281625142643375935439503351e29",
                "1e-29",
                "1e29",
                "1e99999999999999999999",
                "1e",
                "1e1.5",
                "1e1e1",
            ] {
                assert!(crate::exact::parse(digits).is_err(), "{digits}");
            }
        }
    }
}
