//! The form of an export: format, columns, compression, one file or several; from the flags, else from the name of the file.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Sink;
use super::choices::{Compression, ExportFormat, SplitBy};
use super::columns::{self, Chosen};
use super::compress::Compressed;
use super::csv::{CsvSink, Dialect};
use super::json::JsonSink;
use super::row::Column;
use super::xlsx::XlsxSink;
use crate::errors::{Error, Hint, Result};
use crate::time_zone::TimeZone;

/// What was chosen of the form; all else follows from the name of the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice<'a> {
    /// The file.
    pub out: Option<&'a Path>,
    pub format: Option<ExportFormat>,
    pub compress: Option<Compression>,
    /// The columns, separated by commas.
    pub columns: Option<&'a str>,
    /// CSV that Excel reads as it is meant.
    pub excel_safe: bool,
    /// Between the columns of CSV.
    pub delimiter: Option<char>,
    /// Before the decimals of a number in CSV.
    pub decimal: Option<char>,
    /// Of months, and of times without one.
    pub zone: TimeZone,
    /// What the items of a file have in common.
    pub split_by: Option<SplitBy>,
    /// The name that `--since-last` has.
    pub since_last: Option<&'a str>,
    /// Whether what is written to a pipe counts as exported.
    pub assume_read: bool,
}

/// The form of an export.
#[derive(Debug, Clone)]
pub(crate) struct FileFormat {
    format: ExportFormat,
    compression: Option<Compression>,
    columns: Option<Chosen>,
    csv: Dialect,
    zone: TimeZone,
    split: Option<SplitBy>,
    /// The name that `--since-last` has: items are marked.
    since_last: Option<String>,
    needs_files: bool,
    is_said: bool,
    is_compression_said: bool,
}

impl FileFormat {
    /// What the flags say, then `-o`, then the name of the file; else CSV.
    pub(crate) fn of(arguments: Choice<'_>, output: Option<ExportFormat>) -> Result<Self> {
        let (named, suffix) = arguments.out.map(of_name).unwrap_or_default();
        let format = arguments.format.or(output).or(named).unwrap_or(ExportFormat::Csv);
        let compression = arguments.compress.or(suffix);
        if let (Some(how), Some(named)) = (arguments.compress, suffix)
            && how != named
        {
            let message = format!("--compress says {}, but the name of the file says {}.", word(how), word(named));
            return Err(Error::usage(message)
                .hint(format!("Leave out --compress, or let the name of --out end in .{}.", ending(how))));
        }
        if arguments.excel_safe && format != ExportFormat::Csv {
            let hint = match format {
                ExportFormat::Xlsx => "Workbooks do not need it: remove it.",
                _ => "Give --format csv with it.",
            };
            return Err(Error::usage("--excel-safe is for CSV.").hint(hint));
        }
        let csv = dialect(&arguments, format)?;
        if format == ExportFormat::Parquet && cfg!(not(feature = "parquet")) {
            return Err(Error::usage("This ordersync was built without Parquet: the cargo feature `parquet` is off.")
                .hint(Hint::run("Build it with", "cargo build --release --features parquet")));
        }
        if compression.is_some()
            && let Some((what, ending)) = compressed_within(format)
        {
            return Err(Error::usage(format!("{what} is already compressed."))
                .hint(format!("Leave out --compress, and let the name of --out end in .{ending}.")));
        }
        if compression == Some(Compression::Zstd) && cfg!(not(feature = "zstd")) {
            return Err(Error::usage("This ordersync was built without zstd: the cargo feature `zstd` is off.").hint(
                Hint::run("Compress with --compress gzip, or build it with", "cargo build --release --features zstd"),
            ));
        }
        let columns = arguments.columns.map(columns::parse).transpose()?;
        Ok(Self {
            format,
            compression,
            columns,
            csv,
            zone: arguments.zone,
            split: arguments.split_by,
            since_last: arguments.since_last.map(str::to_owned),
            needs_files: arguments.since_last.is_some() && !arguments.assume_read,
            is_said: arguments.format.or(output).is_some(),
            is_compression_said: arguments.compress.is_some(),
        })
    }

    /// What to say of a file whose name says something else than what it will hold.
    pub(crate) fn misnamed(&self, out: &Path) -> Option<String> {
        let (format, compression) = of_name(out);
        let path = out.display();
        match (format, self.compression) {
            (Some(named), _) if named != self.format => {
                Some(format!("{path} will hold {}, though its name says {}.", word(self.format), word(named)))
            }
            (None, _) if !self.is_said && inner(out, compression).extension().is_some() => {
                let format = word(self.format);
                Some(format!("{path} will hold {format}, since its ending names no format. To choose one: --format"))
            }
            (_, Some(how)) if compression.is_none() => {
                let (how, ending) = (word(how), ending(how));
                Some(format!("{path} will be compressed with {how}; other programs expect {path}.{ending}."))
            }
            _ => None,
        }
    }

    /// Whether people could not read it on their terminal.
    pub(crate) const fn is_binary(&self) -> bool {
        self.compression.is_some() || compressed_within(self.format).is_some()
    }

    /// The format as `--format` has it, if it or `-o` was given.
    pub(crate) fn said(&self) -> Option<String> {
        self.is_said.then(|| word(self.format))
    }

    /// The compression as `--compress` has it, if it was given.
    pub(crate) fn compression_said(&self) -> Option<String> {
        self.compression.filter(|_| self.is_compression_said).map(word)
    }

    /// The columns as `--columns` has them, if they were chosen.
    pub(crate) fn columns(&self) -> Option<String> {
        self.columns.as_ref().map(ToString::to_string)
    }

    /// The delimiter as `--delimiter` has it, if it is not a comma.
    pub(crate) fn delimiter(&self) -> Option<String> {
        match self.csv.delimiter {
            b',' => None,
            b'\t' => Some("tab".to_owned()),
            other => Some(char::from(other).to_string()),
        }
    }

    /// The sign before decimals as `--decimal` has it, if it is not a point.
    pub(crate) fn decimal(&self) -> Option<String> {
        (self.csv.decimal != b'.').then(|| char::from(self.csv.decimal).to_string())
    }

    /// Whether adjustments are among the columns: the service gives them on request alone.
    pub(crate) fn has_adjustments(&self) -> bool {
        let are = |column: &Column| matches!(column, Column::LineAdjustments | Column::OrderAdjustments);
        self.columns.iter().flat_map(|chosen| &chosen.columns).any(are)
    }

    /// Whether a file in it cannot be appended to, so that its items are spooled first.
    pub(crate) const fn is_spooled(&self) -> bool {
        self.is_binary() || self.split.is_some()
    }

    /// What its files have in common within each, where there are several.
    pub(crate) const fn split(&self) -> Option<SplitBy> {
        self.split
    }

    /// Of its months, and of the times that it has without a zone.
    pub(crate) const fn zone(&self) -> TimeZone {
        self.zone
    }

    /// The value of `--split-by`.
    pub(crate) fn split_said(&self) -> Option<String> {
        self.split.map(word)
    }

    /// What `--since-last` has.
    pub(crate) fn since_last(&self) -> Option<&str> {
        self.since_last.as_deref()
    }

    /// Whether a pipe in the place of a file is an error, because its reader may not read everything.
    pub(crate) const fn needs_files(&self) -> bool {
        self.needs_files
    }

    /// The columns of a form that has these where none were chosen; with the mark, where items are marked.
    fn columns_or(&self, usual: Vec<Column>) -> Vec<Column> {
        let usual: Vec<Column> = usual.into_iter().chain(self.since_last.as_ref().map(|_| Column::Change)).collect();
        self.columns.as_ref().map_or_else(|| usual.clone(), |chosen| chosen.among(usual.clone()))
    }

    /// The fields of an item as JSON, if not all.
    fn fields(&self) -> Option<Vec<Column>> {
        self.columns.as_ref().filter(|chosen| !chosen.is_added).map(|chosen| chosen.columns.clone())
    }

    /// What writes it.
    pub(crate) fn sink<W: Write + Send + 'static>(
        &self,
        writer: W,
        fail: fn(&io::Error) -> Error,
    ) -> Result<Box<dyn Sink>> {
        match self.compression {
            Some(how) => Ok(Box::new(Compressed::new(how, writer, fail, |hand| self.plain(hand, fail))?)),
            None => self.plain(writer, fail),
        }
    }

    fn plain<W: Write + Send + 'static>(&self, writer: W, fail: fn(&io::Error) -> Error) -> Result<Box<dyn Sink>> {
        Ok(match self.format {
            ExportFormat::Csv => {
                Box::new(CsvSink::new(writer, fail).columns(self.columns_or(columns::specified())).dialect(self.csv))
            }
            ExportFormat::Json => Box::new(JsonSink::new(writer, fail).columns(self.fields())),
            ExportFormat::Jsonl => Box::new(JsonSink::lines(writer, fail).columns(self.fields())),
            ExportFormat::Xlsx => {
                Box::new(XlsxSink::new(writer, fail, self.columns_or(columns::of_workbook()), self.zone)?)
            }
            #[cfg(feature = "parquet")]
            ExportFormat::Parquet => {
                Box::new(super::parquet::ParquetSink::new(writer, fail, self.columns_or(Column::SERVED.to_vec()))?)
            }
            #[cfg(not(feature = "parquet"))]
            ExportFormat::Parquet => return Err(Error::usage("This ordersync was built without Parquet.")),
        })
    }
}

/// As the flags write it: an export is resumed in the same format only.
impl fmt::Display for FileFormat {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&word(self.format))?;
        if let Some(columns) = self.columns() {
            write!(to, " --columns {columns}")?;
        }
        if self.csv.excel_safe {
            to.write_str(" --excel-safe")?;
        }
        for (flag, value) in [("--delimiter", self.delimiter()), ("--decimal", self.decimal())] {
            if let Some(value) = value {
                write!(to, " {flag} {value}")?;
            }
        }
        let has_times = self.csv.excel_safe || self.format == ExportFormat::Xlsx;
        if (has_times || self.split == Some(SplitBy::Month)) && !self.zone.is_utc() {
            write!(to, " --time-zone {}", self.zone.name())?;
        }
        if let Some(compression) = self.compression {
            write!(to, " --compress {}", word(compression))?;
        }
        if let Some(by) = self.split {
            write!(to, " --split-by {}", word(by))?;
        }
        match &self.since_last {
            Some(name) => write!(to, " --since-last {name}"),
            None => Ok(()),
        }
    }
}

/// How CSV is written. Delimiter and decimal sign have to differ: else programs split every amount in two.
fn dialect(arguments: &Choice<'_>, format: ExportFormat) -> Result<Dialect> {
    if (arguments.delimiter.is_some() || arguments.decimal.is_some()) && format != ExportFormat::Csv {
        let hint = match format {
            ExportFormat::Xlsx => "Workbooks do not need them: numbers are numbers in every language. Remove them.",
            _ => "Give --format csv with them.",
        };
        return Err(Error::usage("--delimiter and --decimal are for CSV.").hint(hint));
    }
    let (delimiter, decimal) = (arguments.delimiter.unwrap_or(','), arguments.decimal.unwrap_or('.'));
    if delimiter == decimal {
        return Err(Error::usage("A comma cannot separate both columns and decimals.")
            .hint("Separate the columns with something else: --delimiter ';' --decimal ,"));
    }
    let byte = |one: char| u8::try_from(one).map_err(|_| Error::usage("A delimiter is one ASCII character."));
    let zone = if arguments.excel_safe { arguments.zone } else { TimeZone::UTC };
    Ok(Dialect { delimiter: byte(delimiter)?, decimal: byte(decimal)?, excel_safe: arguments.excel_safe, zone })
}

/// Forms that are compressed as they are, each with how it is called and what its name ends with.
const fn compressed_within(format: ExportFormat) -> Option<(&'static str, &'static str)> {
    match format {
        ExportFormat::Parquet => Some(("Parquet", "parquet")),
        ExportFormat::Xlsx => Some(("A workbook", "xlsx")),
        ExportFormat::Csv | ExportFormat::Json | ExportFormat::Jsonl => None,
    }
}

fn word(value: impl clap::ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// The ending of a compressed file's name.
const fn ending(how: Compression) -> &'static str {
    match how {
        Compression::Gzip => "gz",
        Compression::Zstd => "zst",
    }
}

/// What the name of a file says: `orders.csv.gz` is CSV, compressed.
fn of_name(path: &Path) -> (Option<ExportFormat>, Option<Compression>) {
    let suffix = |path: &Path| path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
    let compression = match suffix(path).as_deref() {
        Some("gz") => Some(Compression::Gzip),
        Some("zst") => Some(Compression::Zstd),
        _ => None,
    };
    let format = match suffix(&inner(path, compression)).as_deref() {
        Some("csv") => Some(ExportFormat::Csv),
        Some("json") => Some(ExportFormat::Json),
        Some("jsonl" | "ndjson") => Some(ExportFormat::Jsonl),
        Some("xlsx") => Some(ExportFormat::Xlsx),
        Some("parquet") => Some(ExportFormat::Parquet),
        _ => None,
    };
    (format, compression)
}

/// The name without the ending of its compression.
fn inner(path: &Path, compression: Option<Compression>) -> PathBuf {
    if compression.is_some() { path.with_extension("") } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_tells_its_form() {
        let of = |name: &str| of_name(Path::new(name));
        assert_eq!(of("a/orders.csv.gz"), (Some(ExportFormat::Csv), Some(Compression::Gzip)));
        assert_eq!(of("orders.JSONL.zst"), (Some(ExportFormat::Jsonl), Some(Compression::Zstd)));
        assert_eq!(of("orders.parquet"), (Some(ExportFormat::Parquet), None));
        assert_eq!(of("Orders.Xlsx"), (Some(ExportFormat::Xlsx), None));
        assert_eq!(of("orders.2026"), (None, None));
        assert_eq!(of("gz"), (None, None));
    }
}
