//! What a client sends is read exactly: an object is no list, a number no text, and a word no number.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use rust_decimal::Decimal;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Number;

use crate::exact;
use crate::open::Open;
use crate::order::{Adjustment, AdjustmentType, Mismatch};
use crate::timestamp::Timestamp;

/// A JSON object as a `T`. (A struct is read from a list, too.)
#[derive(Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// A list of objects.
pub(crate) fn objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let all = Vec::<Object<T>>::deserialize(deserializer)?;
    Ok(all.into_iter().map(|Object(one)| one).collect())
}

/// A value that may be absent, but not null.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A number or null.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
    let number = Option::<Number>::deserialize(deserializer)?;
    number.map(|number| exact::parse(&number.to_string()).map_err(D::Error::custom)).transpose()
}

/// A word as text, or null; an empty text is none.
pub(crate) fn word<'de, T: FromStr, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Open<T>>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?.filter(|text| !text.is_empty());
    Ok(text.map(|text| text.parse().map_or(Open::Other(text), Open::Known)))
}

/// [`Adjustment`], as it is sent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenAdjustment {
    #[serde(rename = "type")]
    kind: String,
    amount: Number,
    #[serde(deserialize_with = "Option::deserialize")]
    currency: Option<String>,
    #[serde(default, deserialize_with = "present")]
    date: Option<Timestamp>,
    #[serde(deserialize_with = "Option::deserialize")]
    text: Option<String>,
    #[serde(default)]
    included: bool,
}

pub(crate) fn adjustments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Adjustment>, D::Error> {
    let read = |given: GivenAdjustment| {
        Ok(Adjustment {
            kind: given.kind.parse::<AdjustmentType>().map_or(Open::Other(given.kind), Open::Known),
            amount: exact::parse(&given.amount.to_string()).map_err(D::Error::custom)?,
            currency: given.currency,
            date: given.date.map(Open::Known),
            text: given.text,
            included: given.included,
        })
    };
    objects(deserializer)?.into_iter().map(read).collect()
}

/// [`Mismatch`], as it is sent.
#[derive(Deserialize)]
struct GivenMismatch {
    check: String,
    #[serde(deserialize_with = "number")]
    shown: Option<Decimal>,
    #[serde(deserialize_with = "number")]
    computed: Option<Decimal>,
}

pub(crate) fn mismatches<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Mismatch>, D::Error> {
    let all = objects(deserializer)?.into_iter();
    Ok(all.map(|GivenMismatch { check, shown, computed }| Mismatch { check, shown, computed }).collect())
}
