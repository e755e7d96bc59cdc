//! The shape of a result: the format (`-o`), the fields (`--fields`) and the filter (`--jq`).
//!
//! Mistakes in them are reported before the command does anything: a typing error must not cost a sync.

pub(crate) mod colour;
pub(crate) mod csv;
pub(crate) mod fields;
pub(crate) mod jq;

use std::time::Instant;

use serde_json::Value;

use crate::errors::{Error, Hint, Result};
use crate::flags::{Format, GlobalArgs};
use crate::output::unwritable::unwritable;
use crate::output::visible;
use colour::Layout;
use fields::{Fields, RecordKind};

/// The shape of a command's result.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    format: Format,
    fields: Option<Fields>,
    jq: Option<String>,
    kind: Option<&'static RecordKind>,
    json_errors: bool,
}

impl Shape {
    /// The shape that the flags request. [`Shape::check`] finds mistakes in them.
    pub(crate) fn new(flags: &GlobalArgs) -> Self {
        let format = match flags.output {
            None if flags.jq.is_some() => Format::Json,
            None => Format::Table,
            Some(format) => format,
        };
        Self {
            format,
            fields: flags.fields.as_deref().map(Fields::parse),
            jq: flags.jq.clone(),
            kind: None,
            json_errors: matches!(flags.output, Some(Format::Json | Format::Jsonl)),
        }
    }

    /// Checks the shape for results of this kind.
    pub(crate) fn check(mut self, kind: Option<&'static RecordKind>, takes_jq: bool) -> Result<Self> {
        if let Some(expression) = &self.jq {
            if !takes_jq {
                return Err(Error::usage(
                    "--jq works on commands whose result is one JSON document; this one's is not.",
                )
                .hint([
                    Hint::run("All line items", "ordersync orders list --all --jq EXPR"),
                    Hint::run("More than memory holds", "ordersync orders export -o jsonl | jq …"),
                ]));
            }
            if matches!(self.format, Format::Table | Format::Csv) {
                return Err(Error::usage("--jq filters JSON, not tables or CSV.")
                    .hint("Remove -o, or give -o json or -o jsonl."));
            }
            jq::check(expression)?;
        }
        if kind.is_none() && takes_jq && self.format == Format::Csv {
            return Err(Error::usage("Answers are printed unchanged; they cannot be turned into CSV.").hint(
                Hint::run(
                    "Line items come as CSV where that is asked for",
                    "ordersync api GET /sync/orders -f format=csv",
                ),
            ));
        }
        if let Some(fields) = &self.fields {
            match kind {
                Some(kind) => fields.check(kind)?,
                None => {
                    return Err(Error::usage("--fields works on commands that print records; this one does not.")
                        .hint(Hint::run(
                            "Fields of line items",
                            "ordersync orders list --fields orderDate,itemName,price",
                        )));
                }
            }
        }
        self.kind = kind;
        Ok(self)
    }

    /// The kind whose fields are to be listed, if `--fields` requests only that.
    pub(crate) fn lists_fields(&self) -> Option<&'static RecordKind> {
        self.kind.filter(|_| self.fields.as_ref().is_some_and(Fields::is_bare))
    }

    pub(crate) const fn has_jq(&self) -> bool {
        self.jq.is_some()
    }

    pub(crate) const fn format(&self) -> Format {
        self.format
    }

    /// Whether errors are JSON too: only if `-o` names a JSON format.
    pub(crate) const fn has_json_errors(&self) -> bool {
        self.json_errors
    }

    /// The fields of the table, if a table of chosen fields was requested.
    pub(super) fn table_fields(&self) -> Option<&Fields> {
        self.fields.as_ref().filter(|_| self.format == Format::Table)
    }

    /// Passes a document in its format to `write`, and a filter's messages to `tell`. Tables for people are left to the
    /// caller. Returns whether it wrote the document.
    pub(super) fn document(
        &self,
        document: Value,
        layout: Layout,
        deadline: Option<Instant>,
        write: &mut dyn FnMut(&[u8]) -> Result<()>,
        tell: &dyn Fn(&str),
    ) -> Result<bool> {
        let document = match &self.fields {
            Some(fields) => fields.select(document),
            None => document,
        };
        if let Some(expression) = &self.jq {
            let quoted = self.format == Format::Jsonl;
            let layout = Layout { indented: layout.terminal && !quoted, ..layout };
            jq::run(&document, jq::PrintOptions { expression, quoted, layout }, deadline, write, tell)?;
            return Ok(true);
        }
        match self.format {
            Format::Table => return Ok(false),
            Format::Json => write(&json(&document, Layout { indented: true, ..layout })?)?,
            Format::Jsonl => {
                for row in rows(&document) {
                    write(&json(row, Layout { indented: false, ..layout })?)?;
                }
            }
            Format::Csv => {
                let table = csv::write(rows(&document), self.fields.as_ref(), self.kind)?;
                write(&if layout.terminal { visible::text(&table).into_bytes() } else { table })?;
            }
        }
        Ok(true)
    }
}

/// The records of a document: the items of an array, or the document itself.
pub(super) fn rows(document: &Value) -> &[Value] {
    match document {
        Value::Array(rows) => rows,
        one => std::slice::from_ref(one),
    }
}

/// JSON with a line break. It is coloured only if the layout says so.
fn json(document: &Value, layout: Layout) -> Result<Vec<u8>> {
    let plain = if layout.indented { serde_json::to_vec_pretty(document) } else { serde_json::to_vec(document) };
    let mut bytes = plain.map_err(|why| unwritable("JSON", &why))?;
    if layout.terminal || layout.coloured {
        bytes = layout.document(&bytes, 0).unwrap_or(bytes);
    }
    bytes.push(b'\n');
    Ok(bytes)
}
