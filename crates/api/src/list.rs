//! A list in any of the usual wrappings.

use serde::de::{self, DeserializeOwned};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The keys under which an object may hold its list, even next to other arrays.
pub const WRAPPERS: [&str; 3] = ["data", "items", "results"];

/// A list read from a bare JSON array, or from an object with the array under `data`, `items` or `results` or, if it is
/// the object's only array, under any other name: usually the resource's own. An object that tells of an error has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T>(pub Vec<T>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let array = match Value::deserialize(deserializer)? {
            Value::Array(array) => array,
            Value::Object(mut object) => {
                let wrapper = WRAPPERS
                    .into_iter()
                    .find(|name| object.get(*name).is_some_and(Value::is_array))
                    .map(str::to_owned)
                    .or_else(|| only_array(&object));
                match wrapper.and_then(|name| object.remove(&name)) {
                    Some(Value::Array(array)) => array,
                    _ => return Err(de::Error::custom("expected a list, or an object with one list in it")),
                }
            }
            other => return Err(de::Error::custom(format!("expected a list, not {}", kind(&other)))),
        };
        array.into_iter().map(serde_json::from_value).collect::<Result<_, _>>().map(Self).map_err(de::Error::custom)
    }
}

/// True if an object with these keys tells of an error. The status of the answer may be that of a success.
pub fn tells_of_error<'a>(keys: impl IntoIterator<Item = &'a str>) -> bool {
    let (mut has_code, mut has_message) = (false, false);
    keys.into_iter().any(|key| {
        has_code |= key == "code";
        has_message |= key == "message";
        matches!(key, "error" | "errors") || has_code && has_message
    })
}

fn only_array(object: &serde_json::Map<String, Value>) -> Option<String> {
    if tells_of_error(object.keys().map(String::as_str)) {
        return None;
    }
    let mut arrays = object.iter().filter(|(_, value)| value.is_array());
    let (name, _) = arrays.next()?;
    arrays.next().is_none().then(|| name.clone())
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<Vec<u8>> {
        serde_json::from_str::<List<u8>>(json).ok().map(|list| list.0)
    }

    #[test]
    fn every_wrapping_is_read() {
        for json in ["[1,2]", "{\"data\":[1,2]}", "{\"items\":[1,2],\"more\":[]}", "{\"retailers\":[1,2],\"total\":2}"]
        {
            assert_eq!(read(json), Some(vec![1, 2]), "{json}");
        }
    }

    #[test]
    fn what_holds_no_list_is_refused() {
        for json in ["null", "3", "\"[]\"", "{}", "{\"a\":[1],\"b\":[2]}", "{\"data\":{}}"] {
            assert_eq!(read(json), None, "{json}");
        }
        for json in [
            "{\"code\":\"DOWN\",\"message\":\"\",\"details\":[]}",
            "{\"error\":\"down\",\"list\":[]}",
            "{\"errors\":[]}",
        ] {
            assert_eq!(read(json), None, "{json}");
        }
    }
}
