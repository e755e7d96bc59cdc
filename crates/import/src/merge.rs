//! Orders out of the rows that all files have of them: an order that several files have is stored once, and refunds join the
//! order that they are of.

use std::rc::Rc;

use chrono::{DateTime, Datelike as _};
use ordersync_api::document::LONGEST_DOCUMENT;
use ordersync_api::{Adjustment, ImportedItem, ImportedOrder, Open, Timestamp};
use rust_decimal::Decimal;
use serde_json::Value;

use crate::Read;
use crate::build::{Added, Built, key};
use crate::document;
use crate::finding::{Finding, FindingCode, Findings, Refused};
use crate::format::{Field, Format, Repeated};
use crate::index::{Entry, Group};
use crate::join::{self, Version};
use crate::layout::{Kind, Layout, nodes};
use crate::reading::{At, Data, Reading, View};
use crate::table::Table;
use crate::{mail, mailbox, saved, website};

/// Tables that are kept open.
const MAX_OPEN: usize = 16;
/// The rows of one order, in bytes.
const MAX_ORDER: usize = 8 << 20;

/// An order, and whose it is.
#[derive(Debug)]
pub(crate) struct Found {
    /// None for one that only adds to a stored order.
    pub(crate) retailer: Option<String>,
    /// The format.
    pub(crate) source: String,
    /// Of one that was left out, only the number.
    pub(crate) order: ImportedOrder,
    /// Why it was left out.
    pub(crate) left_out: Option<&'static str>,
    /// The mails and pages that tell of it alone, if documents are wanted: the file, and the place there.
    pub(crate) documents: Vec<(usize, At)>,
}

/// A row that was read again, or an order of a document.
struct Record {
    at: At,
    cells: Vec<String>,
    value: Rc<Value>,
}

impl Record {
    /// The record as a row, or as a document.
    fn view<'r>(&'r self, layout: &'r Layout) -> View<'r> {
        let value = &*self.value;
        let data = match &layout.kind {
            Kind::Csv { columns, .. } => Data::Cells(&self.cells, columns),
            Kind::Json | Kind::Mails { .. } | Kind::Page => Data::Json { order: value, group: value, line: value },
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

/// Reads orders.
pub(crate) struct Merger<'a> {
    read: &'a Read,
    open: Vec<(usize, Table)>,
    /// The document that was read last.
    document: Option<Document>,
}

/// The orders of a record of JSON.
struct Document {
    /// Its layout, and its first byte.
    place: (usize, u64),
    /// The hash and the number of each.
    orders: Vec<(u64, String, Rc<Value>)>,
}

impl<'a> Merger<'a> {
    pub(crate) const fn new(read: &'a Read) -> Self {
        Self { read, open: Vec::new(), document: None }
    }

    /// Fails if a table that is open was changed: it is read at places that were found before.
    pub(crate) fn unchanged(&self) -> Result<(), Refused> {
        self.open.iter().try_for_each(|(input, _)| self.read.inputs[*input].unchanged())
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
            let (unread, readable): (Vec<_>, Vec<_>) = same.into_iter().partition(|version| version.left_out.is_some());
            let is_mails = readable.iter().any(|version| version.layout.format.mails);
            let documents = self.documents(&readable, findings);
            let one = if is_mails { self.joined(readable, findings) } else { self.winner(readable, findings) };
            let one = one.map(|one| Found { documents, ..one });
            found.extend(one.or_else(|| unread.into_iter().next().map(Found::of)));
        }
        let left_out: Vec<_> = found.extract_if(.., |one| one.left_out.is_some()).collect();
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
        found.extend(left_out);
        Ok(found)
    }

    /// Adds refunds to the order that they are of.
    fn join(&self, added: Vec<(&Layout, At, Added)>, number: &str, found: &mut Vec<Found>, findings: &mut Findings) {
        let (mut seen, mut counted): (Vec<(&Layout, Added)>, Vec<Added>) = (Vec::new(), Vec::new());
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
            let is_elsewhere = |(other, added): &(&Layout, Added)| {
                !std::ptr::eq(*other, layout) && other.format.name == layout.format.name && added.may_be_at(&one)
            };
            if seen.iter().any(is_elsewhere) {
                let message =
                    "Another export lists this payout with its time written in another way: it was counted once.";
                findings.add(finding(FindingCode::RefundRepeated, message).shown(amount));
                continue;
            }
            seen.push((layout, one.clone()));
            // Exports of two kinds list the same payouts, one of them without a currency, or with another date.
            let listed = seen.iter().filter(|(other, _)| other.format.name == layout.format.name);
            if listed.filter(|(_, other)| other.may_be(&one)).count()
                <= counted.iter().filter(|other| other.may_be(&one)).count()
            {
                let is_dated = |other: &Added| other.may_be(&one) && other.adjustment.date == one.adjustment.date;
                if !counted.iter().any(is_dated) {
                    let message =
                        "Another export lists a payout of this amount with another date: it was counted once.";
                    findings.add(finding(FindingCode::RefundRepeated, message).shown(amount));
                }
                continue;
            }
            counted.push(one.clone());
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
                        let source = layout.format.name.clone();
                        found.push(Found { retailer: None, source, order, left_out: None, documents: Vec::new() });
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

    /// The mails and pages among the versions of an order that are kept with it.
    fn documents(&self, versions: &[Version<'_>], findings: &mut Findings) -> Vec<(usize, At)> {
        if !self.read.options.keep_documents {
            return Vec::new();
        }
        let mut documents = Vec::new();
        for version in versions {
            let (layout, input) = (version.layout, &self.read.inputs[version.layout.input]);
            let length = match layout.kind {
                Kind::Mails { .. } => version.length.unwrap_or_default(),
                Kind::Page if layout.rows == 1 => input.length(),
                _ => continue,
            };
            if length > LONGEST_DOCUMENT as u64 {
                findings.add(Finding::document_too_long(&input.shown).at(version.at.row, version.at.line));
                continue;
            }
            let place = (layout.input, version.at);
            if !documents.contains(&place) {
                documents.push(place);
            }
        }
        documents
    }

    /// The order that several mails are about.
    fn joined(&self, versions: Vec<Version<'_>>, findings: &mut Findings) -> Option<Found> {
        let newest = join::of_mails(versions, |version, code, message| {
            let shown = &self.read.inputs[version.layout.input].shown;
            let finding = Finding::new(code, shown, message).at(version.at.row, version.at.line);
            findings.add(finding.order(&version.built.order.order_id));
        })?;
        Some(Found::of(newest))
    }

    /// The order as the best of several files has it: that of the newer layout, then that with the newer orders, then the page
    /// that was saved later.
    fn winner(&self, mut versions: Vec<Version<'_>>, findings: &mut Findings) -> Option<Found> {
        let rank = |version: &Version<'_>| {
            let layout = version.layout;
            (!version.is_partial, layout.format.rank, layout.dates.newest, version.sent, layout.input, version.at.row)
        };
        versions.sort_by_key(rank);
        let mut winner = versions.pop()?;
        for other in &versions {
            if differ(&winner.built.order, &other.built.order, !other.is_partial) {
                let shown = |version: &Version<'_>| self.read.inputs[version.layout.input].shown.as_str();
                let message = if shown(other) == shown(&winner) {
                    format!("The order is in row {} too, and differs there. What that row has counts.", winner.at.row)
                } else {
                    format!(
                        "The order is in {} too, and differs there. The lines and figures of that file count.",
                        shown(&winner)
                    )
                };
                let finding = Finding::new(FindingCode::OrderDiffers, shown(other), message);
                findings.add(finding.at(other.at.row, other.at.line).order(&winner.built.order.order_id));
            }
        }
        if winner.is_partial {
            self.mark(&mut winner, findings);
        }
        Some(Found::of(winner))
    }

    /// Marks and reports an order whose page or file does not show all of its items.
    fn mark(&self, version: &mut Version<'_>, findings: &mut Findings) {
        let order = &mut version.built.order;
        let lines = order.items.len() as u64;
        let is_page = version.layout.format.pages;
        let of = version.line_count.map_or_else(String::new, |count| format!(" of {count}"));
        let open = "Save the details of the order, or import the files that Amazon hands out.";
        let (code, message) = if lines == 0 {
            let (reason, message) = if is_page {
                let items = version.line_count.map_or_else(|| "the items".to_owned(), |count| format!("{count} items"));
                let message = format!("The page shows none of {items} of the order. It was left out. {open}");
                ("a page shows none of its items", message)
            } else {
                let message = "The file has no items of the order that can be read. The order was left out.";
                ("its file has no items that can be read", message.to_owned())
            };
            version.left_out = Some(reason);
            (FindingCode::OrderWithoutItems, message)
        } else {
            order.mismatch.push(saved::part_of_lines(version.line_count, order.items.len()));
            let message = match is_page {
                true => {
                    format!("The page shows only {lines}{of} items of the order. They were stored with a mark. {open}")
                }
                false => format!("Only {lines}{of} items of the order can be read. They were stored with a mark."),
            };
            (FindingCode::OrderIncomplete, message)
        };
        let finding = Finding::new(code, &self.read.inputs[version.layout.input].shown, message);
        findings.add(finding.at(version.at.row, version.at.line).order(&order.order_id));
    }

    /// The orders that the records of one number are of: one in a table, unless its rows name several retailers.
    fn versions(&self, part: &Part<'a>, findings: &mut Findings) -> Result<Vec<Version<'a>>, Refused> {
        let (layout, format) = (part.layout, &*part.layout.format);
        let input = &self.read.inputs[layout.input];
        let mut versions = Vec::new();
        let mut build = |rows: &[View<'_>],
                         lines: &[View<'_>],
                         is_cut: bool,
                         findings: &mut Findings|
         -> Result<(), Refused> {
            let Some(first) = rows.first() else { return Ok(()) };
            let mut reading = reading(self.read, layout, &part.key, findings);
            let said = match first.data {
                Data::Json { order, .. } => order,
                Data::Cells(..) => &Value::Null,
            };
            let all_lines = format.all_lines.as_ref().map(|all| nodes(all, said).len());
            let is_unread = said["isUnread"] == true;
            let read = if is_unread || is_cut { None } else { reading.order(rows, lines) };
            let left_out = match read {
                Some(_) => None,
                None if is_unread => Some("its mail cannot be read"),
                None if is_cut => Some("the website of one of its rows cannot be read"),
                None => Some("its amounts are in several currencies"),
            };
            let mut built = read.unwrap_or_else(|| Built {
                retailer: reading.retailer(rows),
                order: ImportedOrder { order_id: part.key.clone(), ..ImportedOrder::default() },
            });
            if built.retailer.is_none() && format.retailer_from_file {
                let shop = input.shop();
                findings.notes.insert(format!(
                    "{}: The file does not name its shop, so its orders are stored under \"{shop}\". Name it with --retailer, \
                     such as --retailer \"Corner Shop\", at each import of its files.",
                    input.shown
                ));
                built.retailer = Some(shop);
            }
            if built.retailer.is_none() {
                let such = if format.pages { "amazon.com" } else { "\"Corner Shop\"" };
                let message = format!(
                    "The file does not say which retailer the order is from. Name it with --retailer, such as --retailer {such}."
                );
                let finding = Finding::new(FindingCode::RetailerUnknown, &input.shown, message);
                return Err(finding.at(first.at.row, first.at.line).order(&part.key).into());
            }
            // The readers of mails and pages report missing lines themselves.
            let lacks_lines = left_out.is_none()
                && !format.mails
                && !format.pages
                && (built.order.items.is_empty() || all_lines.is_some_and(|all| all > lines.len()));
            let line_count = all_lines.and_then(|all| u64::try_from(all).ok());
            let sent = said["sent"].as_i64();
            built.order.stated_at = sent.and_then(stated);
            versions.push(Version {
                layout,
                at: first.at,
                built,
                sent,
                is_parcel: said["isParcel"] == true,
                is_partial: said["isPartial"] == true || lacks_lines,
                line_count: said["lineCount"].as_u64().or(line_count),
                length: said["length"].as_u64(),
                left_out,
            });
            Ok(())
        };
        if format.lines.is_none() {
            let mut is_cut = false;
            let mut rows: Vec<View<'_>> = part.records.iter().map(|record| record.view(layout)).collect();
            rows.retain(|row| {
                let cut = cut_website(row, format);
                if let Some((text, column)) = &cut {
                    is_cut = true;
                    let message = format!(
                        "The website \"{text}\" is only the beginning of one: the file may be cut off. The row was left out. \
                         Download the file again."
                    );
                    let finding = Finding::new(FindingCode::SiteUnreadable, &input.shown, message).order(&part.key);
                    findings.add(finding.at(row.at.row, row.at.line).column(column).shown(text));
                }
                cut.is_none()
            });
            of_each_retailer(rows, layout, |rows| build(rows, rows, is_cut, findings))?;
        } else {
            for record in &part.records {
                let order = &*record.value;
                let groups = format.groups.as_ref().map_or_else(|| vec![order], |groups| nodes(groups, order));
                let lines = groups.iter().flat_map(|group| {
                    let lines = format.lines.as_ref().map_or_else(Vec::new, |lines| nodes(lines, group));
                    let lines = lines.into_iter().filter(|line| !line.is_null());
                    lines.map(|line| View { at: record.at, data: Data::Json { order, group, line } })
                });
                build(&[record.view(layout)], &lines.collect::<Vec<_>>(), false, findings)?;
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
        let (mut before, mut size) = (None, 0);
        for entry in entries {
            let place = (entry.layout(), entry.offset());
            // Several orders of one document are read at once.
            if before.replace(place) == Some(place) {
                continue;
            }
            let layout = &self.read.layouts[entry.layout()];
            for (key, record) in self.records(entry, layout)? {
                size += record.cells.iter().map(|cell| cell.len() + size_of::<String>()).sum::<usize>();
                if size > MAX_ORDER {
                    let message = format!(
                        "The order {key} has more rows than an order can have. Is the column of its number right? Write a \
                         mapping (--map), or correct it."
                    );
                    let finding = Finding::new(FindingCode::TooLarge, &self.read.inputs[layout.input].shown, message);
                    return Err(finding.at(record.at.row, record.at.line).into());
                }
                match parts.iter_mut().find(|part| std::ptr::eq(part.layout, layout) && part.key == key) {
                    Some(part) => part.records.push(record),
                    None => parts.push(Part { layout, key, records: vec![record] }),
                }
            }
        }
        Ok(parts)
    }

    /// The row at a place, or the orders of the document there that have this hash.
    fn records(&mut self, entry: &Entry, layout: &Layout) -> Result<Vec<(String, Record)>, Refused> {
        let (input, at) = (&self.read.inputs[layout.input], entry.at());
        let key_of = |record: &Record| key(&record.view(layout), &layout.format, &layout.dates);
        let Kind::Csv { delimiter, charset, .. } = &layout.kind else {
            let documents = || -> Result<Vec<Value>, Refused> {
                let is_mbox = match layout.kind {
                    Kind::Mails { is_mbox, .. } => is_mbox,
                    Kind::Page => return Ok(saved::open(input)?.map_or_else(|_| Vec::new(), |page| page.told.orders)),
                    _ => return Ok(vec![document::again(input.open()?, entry.offset(), &input.shown)?]),
                };
                let bytes = mailbox::again(input.open()?, &input.shown, is_mbox, entry.offset())?;
                Ok(mail::read(&bytes.unwrap_or_default(), &layout.format).orders)
            };
            let place = (entry.layout(), entry.offset());
            if self.document.as_ref().is_none_or(|document| document.place != place) {
                let documents = documents()?;
                let orders = documents.iter().flat_map(|document| layout.format.orders(document));
                let orders = orders.cloned().filter_map(|value| {
                    let record = Record { at, cells: Vec::new(), value: Rc::new(value) };
                    key_of(&record).map(|key| (self.read.index.hash(&layout.format, &key), key, record.value))
                });
                self.document = Some(Document { place, orders: orders.collect() });
            }
            let orders = self.document.iter().flat_map(|document| &document.orders);
            let same = orders.filter(|(hash, ..)| *hash == entry.hash);
            let record = |value: &Rc<Value>| Record { at, cells: Vec::new(), value: Rc::clone(value) };
            return Ok(same.map(|(_, key, value)| (key.clone(), record(value))).collect());
        };
        let position = match self.open.iter().position(|(number, _)| *number == layout.input) {
            Some(position) => position,
            None => {
                if self.open.len() >= MAX_OPEN {
                    self.open.remove(0);
                }
                self.open.push((layout.input, Table::new(input.open()?, &input.shown, *delimiter, *charset)?));
                self.open.len() - 1
            }
        };
        let (_, table) = &mut self.open[position];
        table.go(entry.offset(), at.row, at.line)?;
        let cells = table.next()?.map_or_else(Vec::new, |row| row.cells);
        let record = Record { at, cells, value: Rc::default() };
        Ok(key_of(&record).map(|key| (key, record)).into_iter().collect())
    }
}

impl Found {
    fn of(Version { layout, built, left_out, .. }: Version<'_>) -> Self {
        let order = match left_out {
            None => built.order,
            Some(_) => ImportedOrder { order_id: built.order.order_id, ..ImportedOrder::default() },
        };
        Self { retailer: built.retailer, source: layout.format.name.clone(), order, left_out, documents: Vec::new() }
    }
}

impl Added {
    /// Whether two are parts of one: of the same line, at the same time.
    fn is_beside(&self, other: &Self) -> bool {
        let (one, two) = (&self.adjustment, &other.adjustment);
        self.line_id == other.line_id && (&one.date, &one.kind, &one.currency) == (&two.date, &two.kind, &two.currency)
    }

    /// Whether two exports may write the time of one payout so.
    fn may_be_at(&self, other: &Self) -> bool {
        let dates = [self, other].map(|one| one.adjustment.date.as_ref().and_then(Open::known));
        let is_one = matches!(dates, [Some(one), Some(other)] if one.may_be(*other));
        let date = other.adjustment.date.clone();
        is_one && *other == Self { adjustment: Adjustment { date, ..self.adjustment.clone() }, ..self.clone() }
    }

    /// Whether two lists may tell of one payout.
    fn may_be(&self, other: &Self) -> bool {
        let (one, two) = (&self.adjustment, &other.adjustment);
        let is_of_one_currency = one.currency == two.currency || one.currency.is_none() || two.currency.is_none();
        is_of_one_currency && (&self.line_id, &one.kind, one.amount) == (&other.line_id, &two.kind, two.amount)
    }
}

/// The time of a mail or a page, unless it cannot be one: anyone can write any date into a mail.
fn stated(seconds: i64) -> Option<Timestamp> {
    let at = DateTime::from_timestamp(seconds, 0)?;
    (1990..2100).contains(&at.year()).then_some(Timestamp(at))
}

fn reading<'r>(read: &'r Read, layout: &'r Layout, number: &str, findings: &'r mut Findings) -> Reading<'r> {
    let shown = read.inputs[layout.input].shown.as_str();
    Reading::new((&layout.format, &layout.dates, shown), (&read.options, findings), number.to_owned())
}

/// The text and the column of a website of which a row has only the beginning.
fn cut_website<'f>(row: &View<'_>, format: &'f Format) -> Option<(String, &'f str)> {
    let source = format.source(Field::Retailer).filter(|_| format.names_websites())?;
    let text = row.text(source, format)?;
    (website::known(&text) == website::Known::Beginning).then(|| (text, source.name()))
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

/// Whether two files tell an order differently. What one of them does not say is no difference, and titles are reworded from
/// export to export. `lines`: whether both have all of them.
fn differ(one: &ImportedOrder, other: &ImportedOrder, lines: bool) -> bool {
    let differs =
        |one: Option<Decimal>, other: Option<Decimal>| one.zip(other).is_some_and(|(one, other)| one != other);
    // One that lacks the numbers of the articles is compared by its figures.
    let has_skus = |order: &ImportedOrder| order.items.iter().any(|item| item.retailer_sku.is_some());
    let is_named = has_skus(one) == has_skus(other);
    let sorted = |order: &ImportedOrder| {
        let about = |item: &ImportedItem| {
            let name = item.retailer_sku.clone().or_else(|| item.item_name.clone()).filter(|_| is_named);
            (name, item.quantity, item.line_total)
        };
        let mut lines: Vec<_> = order.items.iter().map(about).collect();
        lines.sort();
        lines
    };
    let (known, others) = (sorted(one), sorted(other));
    let mut pairs = known.iter().zip(&others);
    let lines_differ = lines
        && (known.len() != others.len()
            || pairs.any(|(one, other)| one.0 != other.0 || differs(one.1, other.1) || differs(one.2, other.2)));
    differs(one.order_total, other.order_total) || lines_differ
}
