//! Decimals as text, which keeps every digit.

use rust_decimal::Decimal;
use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

pub(in crate::connector) fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(in crate::connector) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// The same for one that may be missing.
pub(in crate::connector) mod option {
    use rust_decimal::Decimal;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(in crate::connector) fn serialize<S: Serializer>(
        value: &Option<Decimal>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }

    pub(in crate::connector) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Decimal>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}
