//! Values that another deployment may spell in ways this version does not know: words, and identifiers.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A word that is not one of an enumeration's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{word}\" is not one of {}", known.join(", "))]
pub struct UnknownWord {
    /// The given word.
    pub word: String,
    /// The accepted words.
    pub known: &'static [&'static str],
}

/// A value of `T` if this version knows the text, otherwise the text as received.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Open<T> {
    /// A value that the contract names.
    Known(T),
    /// Any other value, carried as text.
    Other(String),
}

impl<T> Open<T> {
    /// The value, if it is one that the contract names.
    pub const fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Other(_) => None,
        }
    }
}

impl<T: PartialEq> Open<T> {
    /// Whether this is the given value.
    pub fn is(&self, value: &T) -> bool {
        self.known() == Some(value)
    }
}

impl<T> From<T> for Open<T> {
    fn from(value: T) -> Self {
        Self::Known(value)
    }
}

impl<T: fmt::Display> fmt::Display for Open<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(value) => value.fmt(f),
            Self::Other(text) => f.pad(text),
        }
    }
}

impl<T: fmt::Display> Serialize for Open<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: FromStr> Deserialize<'de> for Open<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Id::deserialize(deserializer)?.0;
        Ok(T::from_str(&text).map_or(Self::Other(text), Self::Known))
    }
}

/// An opaque identifier: a string or a number on the wire, always carried as text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Id(pub String);

impl Id {
    /// The identifier's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<S: Into<String>> From<S> for Id {
    fn from(text: S) -> Self {
        Self(text.into())
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Ok(Self(text)),
            // With arbitrary precision, the digits are exactly those that were sent, however many.
            serde_json::Value::Number(number) => Ok(Self(number.to_string())),
            other => Err(D::Error::custom(format!("an identifier is text or a number, not {other}"))),
        }
    }
}

/// For `#[serde(deserialize_with = "open::text")]`: an identifier as text; none if it is null.
/// Fails if it is neither text nor a number.
pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<Id>::deserialize(deserializer)?.map(|id| id.0))
}

/// For `#[serde(deserialize_with = "open::integer")]`: an integer, also if it is written as text; none if it is null.
/// Fails if it is something else.
pub fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let number = |text: String| text.parse().map_err(|_| D::Error::custom(format!("\"{text}\" is not an integer")));
    text(deserializer)?.map(number).transpose()
}

/// For `#[serde(deserialize_with = "open::list")]`: a list; empty if it is null.
/// Fails if it is something else.
pub fn list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
