//! Objects within objects, and lists within lists: their values and their paths.

use serde_json::Value;

use super::SAMPLE;

/// Lists and objects within each other that are looked at, and lists beside each other.
const MAX_DEPTH: usize = 4;
const MAX_LISTS: usize = 8;
/// Values of an object that are looked at: each is looked up among them.
const MAX_COLUMNS: usize = 300;

/// A column, or a value of JSON by its path.
pub(super) struct Column {
    pub(super) path: Vec<String>,
    pub(super) values: Vec<String>,
}

/// The texts and numbers of objects, also those of objects within them.
pub(super) fn scalars(objects: &[&Value]) -> Vec<Column> {
    fn add(value: &Value, path: &mut Vec<String>, columns: &mut Vec<Column>) {
        let text = match value {
            Value::Object(object) if path.len() < MAX_DEPTH => {
                for (name, value) in object {
                    path.push(name.clone());
                    add(value, path, columns);
                    path.pop();
                }
                return;
            }
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return,
        };
        let place = columns.iter().position(|column| column.path == *path);
        if let Some(column) = place.and_then(|place| columns.get_mut(place)) {
            column.values.push(text);
        } else if columns.len() < MAX_COLUMNS {
            columns.push(Column { path: path.clone(), values: vec![text] });
        }
    }
    let mut columns = Vec::new();
    objects.iter().filter(|object| object.is_object()).for_each(|object| add(object, &mut Vec::new(), &mut columns));
    columns
}

/// The lists of objects that objects have, by their path, and what is in them.
pub(super) fn lists<'a>(objects: &[&'a Value]) -> Vec<(String, Vec<&'a Value>)> {
    fn add<'a>(value: &'a Value, path: &str, depth: usize, found: &mut Vec<(String, Vec<&'a Value>)>) {
        match value {
            Value::Object(object) if depth < MAX_DEPTH => {
                for (name, value) in object {
                    add(value, &format!("{path}[{}]", single(name)), depth + 1, found);
                }
            }
            Value::Array(list) if depth > 0 && list.first().is_some_and(Value::is_object) => {
                let path = format!("{path}[*]");
                let place = found.iter().position(|(known, _)| *known == path);
                if let Some((_, all)) = place.and_then(|place| found.get_mut(place)) {
                    all.extend(list.iter().take(SAMPLE.saturating_sub(all.len())));
                } else if found.len() < MAX_LISTS {
                    found.push((path, list.iter().take(SAMPLE).collect()));
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    objects.iter().for_each(|object| add(object, "$", 0, &mut found));
    found
}

/// A name in a JSONPath.
pub(super) fn single(name: &str) -> String {
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}
