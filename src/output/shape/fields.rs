//! Fields of records: all that exist, and those that were requested.

use serde_json::{Map, Value};

use crate::errors::{Error, Result};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RecordKind {
    /// The name of one record.
    pub name: &'static str,
    /// Its fields, named as in JSON.
    pub fields: &'static [&'static str],
    /// The columns of its CSV (title and field), if they differ from the fields.
    pub csv: &'static [(&'static str, &'static str)],
    /// The field whose records become the rows of its CSV, if one record does not fit into a row, and the columns of these.
    pub csv_rows: Option<(&'static str, &'static [&'static str])>,
}

impl RecordKind {
    /// A kind whose CSV columns are its fields.
    pub(crate) const fn new(name: &'static str, fields: &'static [&'static str]) -> Self {
        Self { name, fields, csv: &[], csv_rows: None }
    }

    /// The rows of its CSV are the records of a field, with these columns.
    pub(crate) const fn with_rows(self, field: &'static str, columns: &'static [&'static str]) -> Self {
        Self { csv_rows: Some((field, columns)), ..self }
    }
}

/// The fields that `--fields` requests, in the given order; `a.b` is the field `b` of the object `a`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fields(Vec<String>);

impl Fields {
    /// Parses `a,b.c`.
    pub(crate) fn parse(text: &str) -> Self {
        Self(text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// Whether no field is named: then the available ones are listed.
    pub(crate) const fn is_bare(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Checks that records of this kind have these fields.
    pub(crate) fn check(&self, kind: &RecordKind) -> Result<()> {
        for name in self.names() {
            let first = name.split('.').next().unwrap_or_default();
            if !kind.fields.contains(&first) {
                let hint = match crate::errors::did_you_mean::nearest(first, kind.fields.iter().copied()) {
                    Some(near) => format!("Did you mean {near}? All of them: --fields without a value"),
                    None => format!("Fields: {}", kind.fields.join(", ")),
                };
                return Err(Error::usage(format!("A {} has no field `{name}`.", kind.name)).hint(hint));
            }
        }
        Ok(())
    }

    /// The document with only these fields.
    pub(crate) fn select(&self, document: Value) -> Value {
        match document {
            Value::Array(rows) => rows.into_iter().map(|row| self.select(row)).collect(),
            row => {
                let fields = self.0.iter().map(|name| (name.clone(), at(&row, name).cloned().unwrap_or_default()));
                Value::Object(fields.collect::<Map<String, Value>>())
            }
        }
    }
}

/// The value at `a.b`.
fn at<'a>(row: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(row, |value, name| value.get(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KIND: RecordKind = RecordKind::new("connection", &["connectionId", "status", "user"]);

    #[test]
    fn fields_are_taken_in_the_order_given_and_the_missing_are_null() {
        let fields = Fields::parse("status, user.name,connectionId");
        assert!(fields.check(&KIND).is_ok());
        let rows = json!([{"connectionId": "c", "status": "valid", "user": {"name": "Ada"}}, {"status": 1.50}]);
        assert_eq!(
            fields.select(rows).to_string(),
            r#"[{"status":"valid","user.name":"Ada","connectionId":"c"},{"status":1.5,"user.name":null,"connectionId":null}]"#
        );
    }

    #[test]
    fn a_wrong_field_is_told_with_the_one_that_was_meant() {
        let error = Fields::parse("conectionId").check(&KIND).expect_err("no such field");
        assert!(error.hint_text().is_some_and(|hint| hint.contains("Did you mean connectionId?")), "{error:?}");
        let error = Fields::parse("zzz").check(&KIND).expect_err("no such field");
        assert!(error.hint_text().is_some_and(|hint| hint.contains("connectionId, status, user")), "{error:?}");
    }
}
