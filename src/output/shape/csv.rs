//! Records as CSV (RFC 4180 quoting, lines end with a line feed): a header, then one record per line.

use serde_json::Value;

use super::fields::{Fields, RecordKind};
use crate::errors::Result;

/// Writes records. The columns are the requested fields, else those of the kind, else those of the first record.
pub(super) fn write(rows: &[Value], fields: Option<&Fields>, kind: Option<&RecordKind>) -> Result<Vec<u8>> {
    let own: Vec<&str> = match (fields, kind) {
        (Some(fields), _) => fields.names().collect(),
        (None, Some(kind)) => kind.fields.to_vec(),
        (None, None) => rows
            .iter()
            .filter_map(Value::as_object)
            .next()
            .into_iter()
            .flat_map(|row| row.keys())
            .map(String::as_str)
            .collect(),
    };
    let parts = kind.and_then(|kind| kind.csv_rows).filter(|_| fields.is_none());
    let rows: Vec<&Value> = match parts {
        Some((name, _)) => rows.iter().filter_map(|row| row.get(name)?.as_array()).flatten().collect(),
        None => rows.iter().collect(),
    };
    let columns: Vec<(&str, &str)> = match (parts, kind) {
        (Some((_, columns)), _) => columns.iter().map(|name| (*name, *name)).collect(),
        (None, Some(kind)) if fields.is_none() && !kind.csv.is_empty() => kind.csv.to_vec(),
        _ => own.into_iter().map(|name| (name, name)).collect(),
    };
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    let failed = |why: &dyn std::fmt::Display| crate::output::unwritable::unwritable("CSV", why);
    writer.write_record(columns.iter().map(|(title, _)| title)).map_err(|why| failed(&why))?;
    for row in rows {
        // A NUL ends the text for programs that read the file.
        let cells = columns.iter().map(|(_, field)| cell(row.get(*field)).replace('\0', "␀"));
        writer.write_record(cells).map_err(|why| failed(&why))?;
    }
    writer.into_inner().map_err(|why| failed(&why))
}

/// A value as text for a cell. Arrays and objects are written as JSON.
fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
