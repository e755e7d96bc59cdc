//! Order histories that retailers hand out as files, and order mails, as orders of the contract.
//!
//! A file is recognised by its content: the names of its columns or keys. A format is a description (`formats/*.toml`), and a
//! user's own mapping has the same form. [`check`] reads all files, proves what their figures prove, and stores nothing;
//! [`Checked::requests`] reads them again. What a file does not say is unknown, and what cannot be read is reported with its
//! place.

mod build;
mod checks;
mod document;
mod documents;
mod explain;
pub mod fetched;
mod finding;
mod format;
mod index;
mod input;
mod join;
mod layout;
mod mail;
mod mailbox;
mod markup;
mod merge;
mod number;
mod page;
mod reading;
mod repeated;
mod requests;
mod saved;
mod section;
mod table;
mod told;
mod website;
mod woocommerce;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use ordersync_values::currency::Currency;
use ordersync_values::zone::Tz;
use serde::Serialize;

use crate::documents::Loose;
pub use crate::documents::{Document, Documents};
pub use crate::explain::explain;
use crate::finding::Findings;
pub use crate::finding::{Finding, FindingCode, Refused};
use crate::format::Format;
use crate::index::{Group, Index};
use crate::input::Input;
use crate::layout::{Kind, Known, Layout, recognise};
use crate::merge::Merger;
pub use crate::requests::{Request, Requests};
use crate::saved::Periods;

/// The name of the format of order mails.
pub const MAILS: &str = "order-mails";

/// The end of the names of the formats of saved pages.
pub const PAGES: &str = "-pages";

/// The options of an import.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The currency of amounts whose file does not say it (ISO 4217).
    pub currency: Option<String>,
    /// The zone of times whose file does not say it.
    pub time_zone: Option<Tz>,
    /// The retailer, if the rows do not name one.
    pub retailer: Option<String>,
    /// A description of a format, in TOML. It is used for each file that has its columns.
    pub mapping: Option<PathBuf>,
    /// Whether HTML files are read, as pages that were saved from the browser.
    pub pages: bool,
    /// Whether documents that lie beside the orders are wanted.
    pub keep_documents: bool,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileRead {
    /// As given; below a folder or in an archive, with the path there.
    pub name: String,
    /// Such as `amazon-order-history`.
    pub format: String,
    /// Rows below the header, records, mails, or orders of a page.
    pub rows: u64,
}

/// The counts and findings of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Orders with lines.
    pub orders: u64,
    /// Their lines.
    pub lines: u64,
    /// Refunds, with those whose order is in none of the files.
    pub refunds: u64,
    /// Rows without an order, and orders in several currencies, that were left out: each has a finding.
    pub rows_skipped: u64,
    /// Mails that were read.
    pub mails: u64,
    /// Those of them that have no order.
    pub mails_without_orders: u64,
    /// Documents that belong to an order, if they are wanted.
    pub documents: u64,
    /// How many findings there are of each code. At most 1,000 of a code are listed.
    pub counts: BTreeMap<FindingCode, u64>,
    /// In the order of the files and their rows.
    pub findings: Vec<Finding>,
    /// Sentences for people about files whose subject is no fault, such as the shop that the name of a file stands for.
    pub notes: Vec<String>,
}

/// Files that were read and checked.
#[derive(Debug)]
pub struct Checked {
    files: Vec<FileRead>,
    retailers: BTreeSet<String>,
    report: Report,
    read: Read,
}

/// The files and the index, to read the orders again.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) options: Options,
    pub(crate) inputs: Vec<Input>,
    pub(crate) layouts: Vec<Layout>,
    pub(crate) index: Index,
    pub(crate) loose: Loose,
}

/// Reads files, folders and zip archives, and stores nothing.
/// Fails if a file cannot be read as a whole, or if none is in a known format.
pub fn check(paths: &[PathBuf], options: &Options) -> Result<Checked, Refused> {
    let mut findings = Findings::default();
    if let Some(code) = options.currency.as_deref().filter(|code| Currency::from_code(code).is_none()) {
        let message = format!("--currency: \"{code}\" is not a currency. Codes are those of ISO 4217: EUR, USD, JPY.");
        return Err(Finding::new(FindingCode::CurrencyUnknown, "", message).into());
    }
    let mut formats = Format::built_in()?;
    if let Some(path) = &options.mapping {
        formats.insert(0, Format::mapping(path)?);
    }
    formats.retain(|format| options.pages || !format.pages);
    let formats: Vec<Arc<Format>> = formats.into_iter().map(Arc::new).collect();
    let mut inputs = input::collect(paths, options.keep_documents, &mut findings)?;
    // A mapping that lies beside the files is none of them.
    inputs.retain(|input| !options.mapping.as_deref().is_some_and(|path| input.is(path)));
    if options.pages {
        saved::without_parts(&mut inputs);
    }
    let (mut layouts, mut almost, mut report) = (Vec::new(), Vec::new(), Report::default());
    let (mut kept, mut loose, mut periods) = (Vec::new(), Loose::default(), Periods::default());
    for input in inputs {
        if options.keep_documents
            && let Some(kind) = documents::kind(&input.start()?, options.pages)
        {
            loose.add(kept.len(), &input.shown, kind);
            kept.push(input);
            continue;
        }
        match recognise((kept.len(), &input), &formats, &mut periods, &mut findings)? {
            Known::Layout(layout) => layouts.push(layout),
            Known::Almost(refused) => almost.push(refused),
            Known::OtherMail => {
                report.mails += 1;
                report.mails_without_orders += 1;
                continue;
            }
            Known::No => {}
        }
        kept.push(input);
    }
    let inputs = kept;
    if layouts.is_empty() && (report.mails == 0 || !almost.is_empty()) {
        return Err(almost.into_iter().next().unwrap_or_else(|| unknown(paths, &inputs, options, findings)));
    }
    almost.into_iter().flat_map(|refused| refused.findings).for_each(|finding| findings.add(finding));
    periods.tell(&mut findings);
    let index = Index::read(&inputs, &mut layouts, &mut findings)?;
    for layout in &layouts {
        if let Kind::Mails { without_orders, .. } = layout.kind {
            report.mails += layout.rows;
            report.mails_without_orders += without_orders;
        }
    }
    let mut read = Read { options: options.clone(), inputs, layouts, index, loose };
    let retailers = read.settle(&mut report, &mut findings)?;
    let left_out = [
        FindingCode::RowWithoutOrder,
        FindingCode::CurrencyConflict,
        FindingCode::MailQuoted,
        FindingCode::MailUnreadable,
        FindingCode::OrderNumberRounded,
        FindingCode::OrderWithoutItems,
        FindingCode::ParcelWithoutOrder,
        FindingCode::RefundNotFinal,
        FindingCode::SiteUnreadable,
    ];
    report.rows_skipped += left_out.iter().filter_map(|code| findings.counts.get(code)).sum::<u64>();
    let positions: BTreeMap<&str, usize> =
        read.inputs.iter().enumerate().map(|(index, input)| (input.shown.as_str(), index)).collect();
    findings.list.sort_by_key(|finding| (positions.get(finding.file.as_str()).copied(), finding.row));
    (report.counts, report.findings) = (findings.counts, findings.list);
    report.notes = findings.notes.into_iter().collect();
    Ok(Checked { files: read.files(), retailers, report, read })
}

impl Checked {
    /// The files in known formats.
    pub fn files(&self) -> &[FileRead] {
        &self.files
    }

    /// Whose orders they have.
    pub const fn retailers(&self) -> &BTreeSet<String> {
        &self.retailers
    }

    /// Their counts and findings.
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// Documents that belong to orders. The files are read again meanwhile.
    pub fn documents(&self) -> Documents<'_> {
        Documents::new(&self.read)
    }

    /// Requests to send, of one retailer and one format each. The files are read again meanwhile.
    pub fn requests(&self) -> Requests<'_> {
        Requests::new(&self.read)
    }
}

impl Read {
    /// The files. Mails that have one each are named by their folder, or together if there is none.
    fn files(&self) -> Vec<FileRead> {
        let (mut files, mut was_loose): (Vec<FileRead>, bool) = (Vec::new(), false);
        for layout in &self.layouts {
            let shown = &self.inputs[layout.input].shown;
            let folder = shown.rsplit_once('/').map(|(folder, _)| folder);
            let is_one_mail = matches!(layout.kind, Kind::Mails { is_mbox: false, .. });
            let name = folder.filter(|_| is_one_mail).unwrap_or(shown);
            let is_loose = is_one_mail && folder.is_none();
            let is_same = |file: &&mut FileRead| {
                is_one_mail && (file.name == name || is_loose && was_loose) && file.format == layout.format.name
            };
            match files.last_mut().filter(is_same) {
                Some(file) => {
                    file.rows += layout.rows;
                    if is_loose {
                        "*.eml".clone_into(&mut file.name);
                    }
                }
                None => files.push(FileRead {
                    name: name.to_owned(),
                    format: layout.format.name.clone(),
                    rows: layout.rows,
                }),
            }
            was_loose = is_loose;
        }
        files
    }

    /// Builds each order once: for its findings, and to know whose it is. Returns the retailers.
    fn settle(&mut self, report: &mut Report, findings: &mut Findings) -> Result<BTreeSet<String>, Refused> {
        let mut retailers = BTreeSet::new();
        let mut groups = self.index.take_groups();
        let mut kinds: Vec<(Option<String>, String)> = Vec::new();
        let mut loose = std::mem::take(&mut self.loose);
        let mut merger = Merger::new(self);
        for group in &mut groups {
            let orders = merger.orders(group, findings)?;
            for (position, found) in orders.iter().enumerate() {
                let order = &found.order;
                if let Some(retailer) = found.retailer.as_ref().filter(|name| !retailers.contains(*name)) {
                    retailers.insert(retailer.clone());
                }
                let refunds = order.items.iter().flat_map(|item| &item.adjustments).chain(&order.adjustments);
                let is_refund = |kind: &ordersync_api::Open<_>| kind.is(&ordersync_api::AdjustmentType::Refund);
                report.refunds += refunds.filter(|adjustment| is_refund(&adjustment.kind)).count() as u64;
                report.lines += order.items.len() as u64;
                report.documents += found.documents.len() as u64;
                if found.left_out.is_none() {
                    loose.note(found);
                }
                report.orders += u64::from(!order.only_adds && found.left_out.is_none());
                if position == 0 {
                    let kind = (found.retailer.clone(), found.source.clone());
                    let known = kinds.iter().position(|known| *known == kind);
                    let number = known.unwrap_or_else(|| {
                        kinds.push(kind);
                        kinds.len() - 1
                    });
                    group.kind = u32::try_from(number).unwrap_or(u32::MAX);
                }
            }
        }
        loose.settle(&self.inputs, findings);
        report.documents += loose.len() as u64;
        self.loose = loose;
        groups.sort_by_key(|group: &Group| (group.kind, group.first));
        self.index.put_groups(groups);
        Ok(retailers)
    }
}

/// Files or reasons that a refusal names, at most.
const MOST_NAMED: usize = 5;

/// No file is in a known format, or in the one of the mapping.
fn unknown(paths: &[PathBuf], inputs: &[Input], options: &Options, findings: Findings) -> Refused {
    // Of a file that could be read in another form, the finding says which.
    let reasons = || findings.list.iter().filter(|finding| finding.code != FindingCode::FileNotRecognised);
    let is_explained = |input: &Input| reasons().any(|finding| finding.file == input.shown);
    let named = some(inputs.iter().map(|input| input.shown.clone()));
    let said: String =
        reasons().take(MOST_NAMED).map(|finding| format!(" {}: {}", finding.file, finding.message)).collect();
    let message = if inputs.is_empty() {
        let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let has = if paths.len() == 1 { "has" } else { "have" };
        format!("{} {has} no file that can be read.{said}", some(paths.iter().map(name)))
    } else if inputs.iter().all(is_explained) {
        format!("No file can be read.{said}")
    } else if let Some(mapping) = &options.mapping {
        format!(
            "The mapping {} fits none of the files ({named}): they do not have its columns, or its `records` select no \
             order.{said} --explain proposes another.",
            mapping.display()
        )
    } else {
        format!(
            "No file is in a known format: {named}.{said} The known formats are {}. Pages of Amazon that a browser saved are \
             read with --pages. For any other CSV or JSON file, write a mapping: --explain proposes one, and --map uses it.",
            format::names()
        )
    };
    Refused { code: FindingCode::FormatUnknown, message, findings: findings.list }
}

/// The first names, and how many follow.
fn some(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMED);
    let named = names.take(MOST_NAMED).collect::<Vec<_>>().join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}
