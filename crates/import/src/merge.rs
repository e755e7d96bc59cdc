//! Orders out of the rows that all files have of them: an order that several files have is stored once, and refunds join the
//! order that they are of.

use ordersync_api::{ImportedItem, ImportedOrder};
use serde_json::Value;

use crate::Read;
use crate::build::{Added, Built, key};
use crate::document;
use crate::finding::{Finding, FindingCode, Findings, Refused};
use crate::format::{Field, Repeated};
use crate::index::{Entry, Group};
use crate::layout::{Kind, Layout, nodes};
use crate::reading::{At, Data, Reading, View};
use crate::table::Table;

/// Tables that are kept open.
const MAX_OPEN: usize = 16;

/// An order, and whose it is.
#[derive(Debug)]
pub(crate) struct Found {
    /// None for one that only adds to a stored order.
    pub(crate) retailer: Option<String>,
    /// The format.
    pub(crate) source: String,
    pub(crate) order: ImportedOrder,
}

/// A record that was read again.
struct Record {
    at: At,
    cells: Vec<String>,
    value: Value,
}

impl Record {
    /// The record as a row, or as a document.
    fn view<'r>(&'r self, layout: &'r Layout) -> View<'r> {
        let value = &self.value;
        let data = match &layout.kind {
            Kind::Csv { columns, .. } => Data::Cells(&self.cells, columns),
            Kind::Json => Data::Json { order: value, group: value, line: value },
        };
        View { at: self.at, data }
    }
}

/// The records of one order in one file.
struct Part<'a> {
    layout: &'a Layout,
    key: String,
    records: Vec<Record>,
}

/// An order as one file has it.
struct Version<'a> {
    layout: &'a Layout,
    at: At,
    built: Built,
}

/// Reads orders.
pub(crate) struct Merger<'a> {
    read: &'a Read,
    open: Vec<(usize, Table)>,
}

impl<'a> Merger<'a> {
    pub(crate) const fn new(read: &'a Read) -> Self {
        Self { read, open: Vec::new() }
    }

    /// The orders of a group: one, unless several have one number or one hash.
    pub(crate) fn orders(&mut self, group: &Group, findings: &mut Findings) -> Result<Vec<Found>, Refused> {
        let mut parts = self.parts(self.read.index.entries(group))?;
        let mut orders = Vec::new();
        while let Some(first) = parts.first() {
            let (family, number) = (first.layout.format.family().to_owned(), first.key.clone());
            let is_same = |part: &Part<'_>| part.layout.format.family() == family && part.key == number;
            let (same, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_same);
            parts = others;
            orders.extend(self.order(&same, &number, findings)?);
        }
        Ok(orders)
    }

    fn order(&self, parts: &[Part<'_>], number: &str, findings: &mut Findings) -> Result<Vec<Found>, Refused> {
        let (adding, whole): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part.layout.format.adds.is_some());
        let mut versions = Vec::new();
        for part in whole {
            versions.extend(self.versions(part, findings)?);
        }
        let mut found: Vec<Found> = Vec::new();
        while let Some(retailer) = versions.first().map(|version| version.built.retailer.clone()) {
            let (same, others): (Vec<_>, Vec<_>) =
                versions.into_iter().partition(|version| version.built.retailer == retailer);
            versions = others;
            found.extend(self.winner(same, findings));
        }
        let mut added: Vec<(&Layout, At, Added)> = Vec::new();
        for part in &adding {
            let of_part = self.added(part, findings);
            let sums = part.layout.format.adds == Some(Repeated::Sum);
            for (at, one) in of_part {
                let is_same =
                    |other: &&mut (&Layout, At, Added)| std::ptr::eq(other.0, part.layout) && other.2.is_beside(&one);
                match added.iter_mut().find(is_same).filter(|_| sums) {
                    Some(other) => other.2.adjustment.amount += one.adjustment.amount,
                    None => added.push((part.layout, at, one)),
                }
            }
        }
        self.join(added, number, &mut found, findings);
        Ok(found)
    }

    /// Adds refunds to the order that they are of.
    fn join(&self, added: Vec<(&Layout, At, Added)>, number: &str, found: &mut Vec<Found>, findings: &mut Findings) {
        let mut seen: Vec<(&Layout, Added)> = Vec::new();
        let has_order = !found.is_empty();
        for (layout, at, one) in added {
            let shown = &self.read.inputs[layout.input].shown;
            let finding = |code, message: &str| Finding::new(code, shown, message).at(at.row, at.line).order(number);
            let amount = one.adjustment.amount.abs();
            if let Some((other, _)) = seen.iter().find(|(_, other)| *other == one) {
                // Two exports overlap; within one, it is worth a line.
                if std::ptr::eq(*other, layout) {
                    let message = "The same payout is listed again: it was counted once.";
                    findings.add(finding(FindingCode::RefundRepeated, message).shown(amount));
                }
                continue;
            }
            seen.push((layout, one.clone()));
            let Added { line_id, mut adjustment } = one;
            if !has_order {
                let message = "The order of this refund is in none of the files. If it is stored already, the refund joins it; \
                               otherwise the refund is not stored.";
                findings.add(finding(FindingCode::RefundWithoutOrder, message).shown(amount));
                match found.first_mut() {
                    Some(only) => only.order.adjustments.push(adjustment),
                    None => {
                        let order = ImportedOrder {
                            order_id: number.to_owned(),
                            only_adds: true,
                            adjustments: vec![adjustment],
                            ..ImportedOrder::default()
                        };
                        found.push(Found { retailer: None, source: layout.format.name.clone(), order });
                    }
                }
                continue;
            }
            let Some(Found { order, .. }) = found.first_mut() else { continue };
            adjustment.currency = adjustment.currency.or_else(|| order.currency.clone());
            let line = order.items.iter_mut().find(|item| line_id.is_some() && item.line_id == line_id);
            line.map_or(&mut order.adjustments, |item| &mut item.adjustments).push(adjustment);
        }
    }

    /// The order as the best of several files has it: that of the newer layout, then that with the newer orders.
    fn winner(&self, mut versions: Vec<Version<'_>>, findings: &mut Findings) -> Option<Found> {
        let rank = |version: &Version<'_>| {
            let layout = version.layout;
            (layout.format.rank, layout.dates.newest, layout.input, version.at.row)
        };
        versions.sort_by_key(rank);
        let winner = versions.pop()?;
        let lines = |version: &Version<'_>| {
            let mut lines: Vec<_> = version.built.order.items.iter().map(identity).collect();
            lines.sort();
            lines
        };
        for other in &versions {
            if lines(other) != lines(&winner) || other.built.order.order_total != winner.built.order.order_total {
                let shown = |version: &Version<'_>| self.read.inputs[version.layout.input].shown.as_str();
                let message = format!(
                    "The order is in {} too, and differs there. The lines and figures of that file count.",
                    shown(&winner)
                );
                let finding = Finding::new(FindingCode::OrderDiffers, shown(other), message);
                findings.add(finding.at(other.at.row, other.at.line).order(&winner.built.order.order_id));
            }
        }
        let source = winner.layout.format.name.clone();
        Some(Found { retailer: winner.built.retailer, source, order: winner.built.order })
    }

    /// The orders that the records of one number are of: one in a table, unless its rows name several retailers.
    fn versions(&self, part: &Part<'a>, findings: &mut Findings) -> Result<Vec<Version<'a>>, Refused> {
        let (layout, format) = (part.layout, &*part.layout.format);
        let input = &self.read.inputs[layout.input];
        let mut versions = Vec::new();
        let mut build = |rows: &[View<'_>], lines: &[View<'_>], findings: &mut Findings| -> Result<(), Refused> {
            let Some(first) = rows.first() else { return Ok(()) };
            let mut reading = reading(self.read, layout, &part.key, findings);
            let Some(mut built) = reading.order(rows, lines) else { return Ok(()) };
            if built.retailer.is_none() && format.retailer_from_file {
                built.retailer = Some(input.stem.clone());
            }
            if built.retailer.is_none() {
                let message = "The file does not say which retailer the order is from. Name it with --retailer, such as \
                               --retailer \"Corner Shop\".";
                let finding = Finding::new(FindingCode::RetailerUnknown, &input.shown, message);
                return Err(finding.at(first.at.row, first.at.line).order(&part.key).into());
            }
            versions.push(Version { layout, at: first.at, built });
            Ok(())
        };
        if format.lines.is_none() {
            let rows = part.records.iter().map(|record| record.view(layout)).collect();
            of_each_retailer(rows, layout, |rows| build(rows, rows, findings))?;
        } else {
            for record in &part.records {
                for order in format.orders(&record.value) {
                    let view = View { at: record.at, data: Data::Json { order, group: order, line: order } };
                    if key(&view, format, &layout.dates).as_deref() == Some(&part.key) {
                        let groups = format.groups.as_ref().map_or_else(|| vec![order], |groups| nodes(groups, order));
                        let lines = groups.iter().flat_map(|group| {
                            let lines = format.lines.as_ref().map_or_else(Vec::new, |lines| nodes(lines, group));
                            lines
                                .into_iter()
                                .map(|line| View { at: record.at, data: Data::Json { order, group, line } })
                        });
                        build(&[view], &lines.collect::<Vec<_>>(), findings)?;
                    }
                }
            }
        }
        Ok(versions)
    }

    fn added(&self, part: &Part<'_>, findings: &mut Findings) -> Vec<(At, Added)> {
        let mut added = Vec::new();
        for record in &part.records {
            let mut reading = reading(self.read, part.layout, &part.key, findings);
            let of_record = reading.added(&record.view(part.layout)).unwrap_or_default();
            added.extend(of_record.into_iter().map(|one| (record.at, one)));
        }
        added
    }

    /// The records of a group, by file and order.
    fn parts(&mut self, entries: &[Entry]) -> Result<Vec<Part<'a>>, Refused> {
        let mut parts: Vec<Part<'a>> = Vec::new();
        let mut before: Option<Entry> = None;
        for entry in entries {
            // Several orders of one record.
            if before.is_some_and(|before| (before.layout(), before.offset()) == (entry.layout(), entry.offset())) {
                continue;
            }
            before = Some(*entry);
            let layout = &self.read.layouts[entry.layout()];
            let record = self.record(entry, layout)?;
            for key in keys(&record, layout) {
                let record = Record { at: record.at, cells: record.cells.clone(), value: record.value.clone() };
                match parts.iter_mut().find(|part| std::ptr::eq(part.layout, layout) && part.key == key) {
                    Some(part) => part.records.push(record),
                    None => parts.push(Part { layout, key, records: vec![record] }),
                }
            }
        }
        Ok(parts)
    }

    fn record(&mut self, entry: &Entry, layout: &Layout) -> Result<Record, Refused> {
        let (input, at) = (&self.read.inputs[layout.input], entry.at());
        let Kind::Csv { delimiter, charset, .. } = &layout.kind else {
            let value = document::again(input.open()?, entry.offset(), &input.shown)?;
            return Ok(Record { at, cells: Vec::new(), value });
        };
        let known = self.open.iter().position(|(number, _)| *number == layout.input);
        let position = match known {
            Some(position) => position,
            None => {
                if self.open.len() >= MAX_OPEN {
                    self.open.remove(0);
                }
                let table = Table::new(input.open()?, &input.shown, *delimiter, *charset)?;
                self.open.push((layout.input, table));
                self.open.len() - 1
            }
        };
        let (_, table) = &mut self.open[position];
        table.go(entry.offset(), at.row, at.line)?;
        let cells = table.next()?.map_or_else(Vec::new, |row| row.cells);
        Ok(Record { at, cells, value: Value::Null })
    }
}

impl Added {
    /// Whether two are parts of one: of the same line, at the same time.
    fn is_beside(&self, other: &Self) -> bool {
        let about = |added: &Self| {
            let one = &added.adjustment;
            (added.line_id.clone(), one.date.clone(), one.kind.clone(), one.currency.clone())
        };
        about(self) == about(other)
    }
}

fn reading<'r>(read: &'r Read, layout: &'r Layout, number: &str, findings: &'r mut Findings) -> Reading<'r> {
    let shown = read.inputs[layout.input].shown.as_str();
    Reading::new((&layout.format, &layout.dates, shown), (&read.options, findings), number.to_owned())
}

/// The numbers of the orders in a record: one, unless it is a document with several.
fn keys(record: &Record, layout: &Layout) -> Vec<String> {
    let key_of = |view: View<'_>| key(&view, &layout.format, &layout.dates);
    let mut keys: Vec<String> = match &layout.kind {
        Kind::Csv { .. } => key_of(record.view(layout)).into_iter().collect(),
        Kind::Json => {
            let orders = layout.format.orders(&record.value).into_iter();
            let view = |order| View { at: record.at, data: Data::Json { order, group: order, line: order } };
            orders.filter_map(|order| key_of(view(order))).collect()
        }
    };
    keys.sort();
    keys.dedup();
    keys
}

/// Calls `build` with the rows of each retailer that they name.
fn of_each_retailer<'v>(
    mut rows: Vec<View<'v>>,
    layout: &Layout,
    mut build: impl FnMut(&[View<'v>]) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let Some(source) = layout.format.source(Field::Retailer) else { return build(&rows) };
    let named = |row: &View<'_>| row.text(source, &layout.format);
    while let Some(retailer) = rows.first().map(named) {
        let (same, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| named(row) == retailer);
        rows = others;
        build(&same)?;
    }
    Ok(())
}

/// What makes a line the same in two exports. Titles are reworded from export to export.
fn identity(item: &ImportedItem) -> (Option<String>, Option<rust_decimal::Decimal>, Option<rust_decimal::Decimal>) {
    (item.retailer_sku.clone().or_else(|| item.item_name.clone()), item.quantity, item.line_total)
}
