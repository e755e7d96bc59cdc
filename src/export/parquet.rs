//! The export as Parquet: decimals, points in time, dictionary-encoded texts; nothing is rounded, ever.
//!
//! Columns have the names of JSON. Rows are gathered into groups of a bounded length, so that memory stays flat.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::Type;
use bytes::Bytes;
use ordersync_api::Timestamp;

use super::Sink;
use super::columns::{is_decimal, is_integer, is_time};
use super::csv::cell;
use super::row::{Column, Row};
use crate::errors::{Error, Hint, Result, codes};

/// Rows of a group.
const GROUP: usize = 32_768;
/// Digits of a decimal, and how many of them are behind the point.
const PRECISION: i32 = 38;
const SCALE: usize = 10;

pub(crate) struct ParquetSink<W: Write + Send> {
    writer: Option<SerializedFileWriter<W>>,
    fail: fn(&io::Error) -> Error,
    columns: Vec<(Column, Cells)>,
    rows: usize,
}

/// The cells of a column in the group, and for each row whether there is one.
#[derive(Default)]
struct Cells {
    present: Vec<i16>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    numbers: Vec<i64>,
}

impl<W: Write + Send> ParquetSink<W> {
    /// Writes to `writer`; `fail` turns its errors into ours.
    pub(crate) fn new(writer: W, fail: fn(&io::Error) -> Error, columns: Vec<Column>) -> Result<Self> {
        let failed = |why| told(fail, why);
        let fields = columns.iter().map(|column| field(*column)).collect::<Result<_, _>>().map_err(failed)?;
        let schema = Type::group_type_builder("line_item").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("ordersync ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(writer, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        let columns = columns.into_iter().map(|column| (column, Cells::default())).collect();
        Ok(Self { writer: Some(writer), fail, columns, rows: 0 })
    }

    fn write_group(&mut self) -> Result<()> {
        let Some(writer) = self.writer.as_mut().filter(|_| self.rows > 0) else { return Ok(()) };
        self.rows = 0;
        write_group(writer, &mut self.columns).map_err(|why| told(self.fail, why))
    }
}

impl<W: Write + Send> Sink for ParquetSink<W> {
    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        for row in rows {
            for (column, cells) in &mut self.columns {
                cells.push(row, *column)?;
            }
            self.rows += 1;
            if self.rows == GROUP {
                self.write_group()?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.write_group()?;
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let mut inner = writer.into_inner().map_err(|why| told(self.fail, why))?;
        inner.flush().map_err(|why| (self.fail)(&why))
    }
}

impl Cells {
    fn push(&mut self, row: &Row<'_>, column: Column) -> Result<()> {
        let text = cell(row, column)?;
        // An empty number or date is none; an empty text is one.
        let is_text = !is_decimal(column) && !is_time(column) && !is_integer(column);
        if row.text(column).is_none() || (text.is_empty() && !is_text) {
            self.present.push(0);
            return Ok(());
        }
        self.present.push(1);
        if is_text {
            self.bytes.extend_from_slice(text.as_bytes());
            self.ends.push(self.bytes.len());
            return Ok(());
        }
        let unfit = || {
            let id = row.text(Column::Id).unwrap_or("without an id");
            Error::of(
                &codes::network::UNEXPECTED_ANSWER,
                format!("Parquet cannot hold {} of item {id} exactly: {text}.", column.name()),
            )
            .hint(Hint::run("Export it as text", "ordersync orders export --format csv"))
        };
        if is_decimal(column) {
            self.bytes.extend_from_slice(&unscaled(&text).ok_or_else(unfit)?.to_be_bytes());
            self.ends.push(self.bytes.len());
        } else if is_time(column) {
            self.numbers.push(micros(&text).ok_or_else(unfit)?);
        } else {
            self.numbers.push(text.parse().map_err(|_| unfit())?);
        }
        Ok(())
    }

    /// The cells one by one, without copying them; the column is empty then.
    fn take(&mut self) -> Vec<ByteArray> {
        let bytes = Bytes::from(std::mem::take(&mut self.bytes));
        let mut start = 0;
        self.ends.drain(..).map(|end| bytes.slice(std::mem::replace(&mut start, end)..end).into()).collect()
    }
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    columns: &mut [(Column, Cells)],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (column, cells) in columns {
        let Some(mut writer) = group.next_column()? else { break };
        let present = std::mem::take(&mut cells.present);
        if is_decimal(*column) {
            let values: Vec<FixedLenByteArray> = cells.take().into_iter().map(Into::into).collect();
            writer.typed::<FixedLenByteArrayType>().write_batch(&values, Some(&present), None)?;
        } else if is_time(*column) || is_integer(*column) {
            writer.typed::<Int64Type>().write_batch(&cells.numbers, Some(&present), None)?;
            cells.numbers.clear();
        } else {
            writer.typed::<ByteArrayType>().write_batch(&cells.take(), Some(&present), None)?;
        }
        writer.close()?;
    }
    group.close().map(|_| ())
}

fn field(column: Column) -> Result<Arc<Type>, ParquetError> {
    let of = |physical| Type::primitive_type_builder(column.name(), physical).with_repetition(Repetition::OPTIONAL);
    let field = if is_decimal(column) {
        of(Physical::FIXED_LEN_BYTE_ARRAY)
            .with_length(16)
            .with_logical_type(Some(LogicalType::decimal(SCALE as i32, PRECISION)))
            .with_precision(PRECISION)
            .with_scale(SCALE as i32)
    } else if is_time(column) {
        of(Physical::INT64).with_logical_type(Some(LogicalType::timestamp(true, TimeUnit::MICROS)))
    } else if is_integer(column) {
        of(Physical::INT64)
    } else {
        of(Physical::BYTE_ARRAY).with_logical_type(Some(LogicalType::String))
    };
    field.build().map(Arc::new)
}

/// A decimal in units of the last place, if that loses no digit.
fn unscaled(text: &str) -> Option<i128> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > SCALE || whole.trim_start_matches('0').len() > PRECISION as usize - SCALE {
        return None;
    }
    format!("{whole}{fraction:0<SCALE$}").parse::<i128>().ok().map(|number| sign * number)
}

/// A point in time in microseconds, where it is one and no more exact than that.
fn micros(text: &str) -> Option<i64> {
    let at = text.parse::<Timestamp>().ok()?.0;
    (at.timestamp_subsec_nanos() % 1000 == 0).then(|| at.timestamp_micros())
}

fn told(fail: fn(&io::Error) -> Error, why: ParquetError) -> Error {
    match why {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(why) => fail(&why),
            Err(other) => fail(&io::Error::other(other)),
        },
        other => fail(&io::Error::other(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_and_times_are_exact_or_refused() {
        assert_eq!(unscaled("1430.71"), Some(14_307_100_000_000));
        assert_eq!(unscaled("-0.5"), Some(-5_000_000_000));
        assert_eq!(unscaled("1.00000000000"), Some(10_000_000_000));
        assert_eq!(unscaled("0.12345678901"), None);
        assert_eq!(unscaled("79228162514264337593543950335"), None);
        assert_eq!(micros("1970-01-01T00:00:00.000001Z"), Some(1));
        assert_eq!(micros("1970-01-01T00:00:00.000000001Z"), None);
        assert_eq!(micros("yesterday"), None);
    }
}
