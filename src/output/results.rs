//! Results: output for standard output, in the requested format.

use std::io::{self, Write};

use serde::Serialize;

use super::sanitize::clean;
use super::shape::colour::Layout;
use super::table::{Column, Table};
use super::unwritable::unwritable;
use super::wrap::hanging;
use super::{Mark, Output, pager, shape, stdout_width, terms, visible, wrap, write_error};
use crate::errors::{Advice, Hint, Result};
use crate::flags::Format;

/// The indent of advice below the line that it is about.
const BELOW: &str = "    ";
/// The width of a label, without the space after it.
const LABEL: usize = 12;

impl Output {
    /// Lists the available fields if `--fields` was given without a value. Returns whether it did.
    pub(crate) fn fields_listed(&self) -> Result<bool> {
        let Some(kind) = self.shape.lists_fields() else { return Ok(false) };
        self.raw(format!("{}\n", kind.fields.join("\n")).as_bytes())?;
        Ok(true)
    }

    /// Prints a result in a format for programs, or as a table of chosen fields, if one of these was requested. Returns
    /// whether it did; if not, the caller must still show the result to people.
    pub(crate) fn shown<T: Serialize + ?Sized>(&self, result: &T) -> Result<bool> {
        let fields = self.shape.table_fields();
        if self.is_table() && fields.is_none() {
            return Ok(false);
        }
        let document = serde_json::to_value(result).map_err(|why| unwritable("JSON", &why))?;
        if let Some(fields) = fields {
            self.table(&Table::of_fields(shape::rows(&fields.select(document)), fields.names()))?;
            return Ok(true);
        }
        self.shape.document(document, self.layout(), self.deadline, &mut |bytes| self.raw(bytes), &|text| {
            text.lines().for_each(|line| self.verbatim(line));
        })
    }

    /// Prints a list in the requested format; `table` builds the one for people.
    pub(crate) fn list<T: Serialize>(&self, rows: &[T], table: impl FnOnce(&[T]) -> Table) -> Result<()> {
        if self.shown(rows)? { Ok(()) } else { self.table(&table(rows)) }
    }

    /// Prints a record in the requested format. `fields` gives its names and values for people; empty values are left
    /// out.
    pub(crate) fn record<T: Serialize, const N: usize>(
        &self,
        record: &T,
        fields: impl FnOnce(&T) -> [(&'static str, String); N],
    ) -> Result<()> {
        if self.shown(record)? {
            return Ok(());
        }
        let mut table = Table::new(&[Column::whole("FIELD"), Column::copied("VALUE")]);
        for (field, value) in fields(record) {
            if !value.is_empty() {
                table.row([field.to_owned(), value]);
            }
        }
        self.table(&table)
    }

    /// Whether a document from elsewhere is filtered or split into lines. Otherwise it is printed as received.
    pub(crate) fn reshapes(&self) -> bool {
        self.shape.has_jq() || self.shape.format() == Format::Jsonl
    }

    /// Prints a result as a line of text.
    pub(crate) fn line(&self, text: &str) -> Result<()> {
        self.raw(format!("{}\n", clean(text)).as_bytes())
    }

    /// Prints a result as a line of text with a sign before it.
    pub(crate) fn marked(&self, mark: Mark, said: impl Into<Hint>) -> Result<()> {
        let sign = self.sign(mark, self.colour_out);
        let text = hanging(&sign, &said.into(), self.stdout_terminal.then(stdout_width));
        self.raw(format!("{text}\n").as_bytes())
    }

    /// Prints a result as a table. An empty table prints nothing, since a note explains that better than a heading.
    pub(crate) fn table(&self, table: &Table) -> Result<()> {
        if table.is_empty() {
            return Ok(());
        }
        let size = self.stdout_terminal.then(|| console::Term::stdout().size());
        let text = table.render(size.map(|(_, width)| width), self.colour_out);
        let is_long = size.is_some_and(|(height, _)| text.lines().count() >= height.into());
        match &self.pager {
            Some(pager) if is_long && pager::show(pager, self.less_is_told, text.as_bytes()) => {}
            _ => self.raw(text.as_bytes())?,
        }
        for title in size.iter().flat_map(|(_, width)| table.left_out(*width)) {
            self.note(format!("The terminal is too narrow for the column {title}. To see it: -o csv"));
        }
        Ok(())
    }

    /// The width for a drawing beside a result. `None` if nothing should be drawn, because the output goes to a program
    /// or a screen reader.
    pub(crate) fn picture_width(&self) -> Option<u16> {
        (self.stdout_terminal && !self.accessible).then(|| console::Term::stdout().size().1)
    }

    /// The layout of JSON on standard output.
    pub(crate) const fn layout(&self) -> Layout {
        Layout { indented: self.stdout_terminal, coloured: self.colour_out, terminal: self.stdout_terminal }
    }

    /// Prints bytes from elsewhere: exact in a pipe, with control characters made visible on a terminal.
    pub(crate) fn foreign(&self, bytes: &[u8]) -> Result<()> {
        if self.stdout_terminal { self.raw(visible::text(bytes).as_bytes()) } else { self.raw(bytes) }
    }

    /// Standard output for text that is written unchanged, except that a terminal gets control characters made visible.
    pub(crate) fn stream(&self) -> Result<Box<dyn Write + Send>> {
        let stdout = io::BufWriter::new(self.streams.result()?);
        Ok(if self.stdout_terminal { Box::new(visible::Visible::new(stdout)) } else { Box::new(stdout) })
    }

    /// Prints a result that was made here.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Result<()> {
        let mut stdout = self.streams.result()?;
        stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|why| write_error(&why))
    }

    /// Prints words and their meanings, one per line. If a terminal leaves too little room beside the words, the
    /// meanings are below them.
    pub(crate) fn terms<T: AsRef<str>>(&self, rows: &[(String, T)]) -> Result<()> {
        self.raw(terms::for_stdout(rows).as_bytes())
    }

    /// Prints a labelled line. On a narrow terminal, its continuation lines are aligned with the text.
    pub(crate) fn labelled(&self, label: &str, text: &str) -> Result<()> {
        let text = hanging(&format!("{label:LABEL$}"), &Hint::say(text), self.stdout_terminal.then(stdout_width));
        self.raw(format!("{text}\n").as_bytes())
    }

    /// Prints prose as one line, wrapped on a terminal.
    pub(crate) fn prose(&self, said: impl Into<Hint>) -> Result<()> {
        let width = if self.stdout_terminal { stdout_width() } else { usize::MAX };
        self.raw(format!("{}\n", wrap::lines(&said.into(), width).join("\n")).as_bytes())
    }

    /// Prints what to do about the preceding line of a result.
    pub(crate) fn advice_below(&self, advice: &Advice) -> Result<()> {
        let width = if self.stdout_terminal { stdout_width().saturating_sub(BELOW.len()) } else { usize::MAX };
        let lines = advice.hints().iter().flat_map(|hint| wrap::lines(hint, width));
        let text: String = lines.map(|line| format!("{BELOW}{line}\n")).collect();
        self.raw(text.as_bytes())
    }
}
