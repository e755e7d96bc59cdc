//! Documents that lie beside orders: mails and pages that tell of one order, and PDF and HTML files that are named by its
//! number. What a PDF says is not read.

use std::collections::{HashMap, VecDeque};
use std::io::Read as _;

use mail_parser::MessageParser;
use ordersync_api::document::LONGEST_DOCUMENT;

use crate::Read;
use crate::finding::{Finding, FindingCode, Findings, Refused};
use crate::input::{Input, is_pdf};
use crate::layout::Kind;
use crate::merge::{Found, Merger};
use crate::table::unreadable;
use crate::{mailbox, saved};

const PDF: &str = "application/pdf";
const HTML: &str = "text/html";
const MAIL: &str = "message/rfc822";
/// A page with its pictures, as browsers save it (MHTML).
const ARCHIVE: &str = "multipart/related";

/// A number that is at least so long is no year, page or amount.
const LONG: usize = 8;
/// Words of a file's name in which a number is looked for.
const MOST_WORDS: usize = 16;
/// Characters of a mail's subject in its name.
const SUBJECT: usize = 80;

/// A document that belongs to an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// As in the requests that store orders.
    pub retailer_name: String,
    /// The retailer's own number of the order.
    pub order_id: String,
    /// The name of its file.
    pub name: String,
    /// Such as `application/pdf`.
    pub media_type: &'static str,
    /// The file as it is.
    pub content: Vec<u8>,
}

/// The kind of a file that may be a document, if it is not read as a page.
pub(crate) fn kind(start: &[u8], reads_pages: bool) -> Option<&'static str> {
    match start {
        _ if is_pdf(start) => Some(PDF),
        _ if !reads_pages && saved::is_page(start) => Some(page(start)),
        _ => None,
    }
}

fn page(start: &[u8]) -> &'static str {
    if saved::is_archive(start) { ARCHIVE } else { HTML }
}

/// Files that may be documents, and the orders that their names may mean.
#[derive(Debug, Default)]
pub(crate) struct Loose {
    files: Vec<File>,
    /// Which files are named by a number, in lower case, and where in their paths.
    named: HashMap<String, Vec<(usize, Place)>>,
}

#[derive(Debug)]
struct File {
    input: usize,
    kind: &'static str,
    /// The best orders so far: retailer and number.
    found: Vec<(String, String)>,
    place: Option<Place>,
}

/// Where in a path a number is: the lesser, the better. In the file's own name, or else in the nearest folder; then the longest.
type Place = (usize, std::cmp::Reverse<usize>);

impl Loose {
    pub(crate) fn add(&mut self, input: usize, shown: &str, kind: &'static str) {
        let stem = shown.rsplit_once('.').filter(|(_, end)| !end.contains('/')).map_or(shown, |(stem, _)| stem);
        for (level, name) in stem.rsplit('/').enumerate() {
            for number in numbers(name, level > 0) {
                let place = (level, std::cmp::Reverse(number.len()));
                self.named.entry(number).or_default().push((self.files.len(), place));
            }
        }
        self.files.push(File { input, kind, found: Vec::new(), place: None });
    }

    /// Takes note of an order of the import.
    pub(crate) fn note(&mut self, found: &Found) {
        let Some(retailer) = &found.retailer else { return };
        let number = found.order.order_id.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
        for (file, place) in self.named.get(&number).into_iter().flatten() {
            let Some(file) = self.files.get_mut(*file) else { continue };
            if file.place.is_none_or(|known| *place < known) {
                file.found.clear();
                file.place = Some(*place);
            }
            let order = (retailer.clone(), found.order.order_id.clone());
            if file.place == Some(*place) && !file.found.contains(&order) {
                file.found.push(order);
            }
        }
    }

    /// Leaves the files that belong to one order, and reports the others.
    pub(crate) fn settle(&mut self, inputs: &[Input], findings: &mut Findings) {
        self.named.clear();
        self.files.retain(|file| {
            let Some(input) = inputs.get(file.input) else { return false };
            let finding = match &file.found[..] {
                [_] if input.length() > LONGEST_DOCUMENT as u64 => Finding::document_too_long(&input.shown),
                [_] => return true,
                _ => {
                    let message = "The name of the document does not say which order of the import it belongs to, and it was \
                                   left out. Put the number of its order into its name.";
                    Finding::new(FindingCode::DocumentWithoutOrder, &input.shown, message)
                }
            };
            findings.add(finding);
            false
        });
        self.files.sort_by(|one, other| one.found.cmp(&other.found));
    }

    pub(crate) const fn len(&self) -> usize {
        self.files.len()
    }
}

/// The parts of a name that may be the number of an order: each word, and several words with the signs between them. A short
/// number counts only if the name has no other digits and it is not a year. In the name of a folder, a short number does not count.
fn numbers(name: &str, is_folder: bool) -> Vec<String> {
    let name = name.to_lowercase();
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut is_inside = false;
    for (at, letter) in name.char_indices() {
        let end = at + letter.len_utf8();
        match (letter.is_alphanumeric(), words.last_mut()) {
            (true, Some(word)) if is_inside => word.1 = end,
            (true, _) => words.push((at, end)),
            (false, _) => {}
        }
        is_inside = letter.is_alphanumeric();
    }
    let is_cut = words.len() > MOST_WORDS;
    words.truncate(MOST_WORDS);
    let has_digits = |text: &str| text.contains(|letter: char| letter.is_ascii_digit());
    let mut found = Vec::new();
    for (first, (start, _)) in words.iter().enumerate() {
        for (last, (_, end)) in words.iter().enumerate().skip(first) {
            let Some(number) = name.get(*start..*end).filter(|number| has_digits(number)) else { continue };
            let others = words.iter().take(first).chain(words.iter().skip(last + 1));
            let mut others = others.filter_map(|(start, end)| name.get(*start..*end));
            let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
            let is_alone =
                !is_folder && !is_cut && !is_year && others.all(|other| other == number || !has_digits(other));
            if is_alone || number.chars().count() >= LONG {
                found.push(number.to_owned());
            }
        }
    }
    found
}

/// Documents, one after the other: one is held at a time.
#[allow(missing_debug_implementations, reason = "it holds open files")]
pub struct Documents<'a> {
    read: &'a Read,
    merger: Merger<'a>,
    next: usize,
    waiting: VecDeque<Told>,
    loose: usize,
}

/// A mail or a page that tells of an order.
struct Told {
    retailer_name: String,
    order_id: String,
    layout: usize,
    offset: u64,
}

impl<'a> Documents<'a> {
    pub(crate) fn new(read: &'a Read) -> Self {
        Self { read, merger: Merger::new(read), next: 0, waiting: VecDeque::new(), loose: 0 }
    }

    fn document(&mut self) -> Result<Option<Document>, Refused> {
        self.fill()?;
        if let Some(told) = self.waiting.pop_front() {
            return self.told(told).map(Some);
        }
        let Some(file) = self.read.loose.files.get(self.loose) else { return Ok(None) };
        self.loose += 1;
        let Some((retailer_name, order_id)) = file.found.first().cloned() else { return Ok(None) };
        let input = &self.read.inputs[file.input];
        let content = whole(input)?;
        Ok(Some(Document { retailer_name, order_id, name: own_name(input), media_type: file.kind, content }))
    }

    /// Looks for an order that mails or pages tell of, unless one waits.
    fn fill(&mut self) -> Result<(), Refused> {
        let layout = |number: usize| &self.read.layouts[number];
        while self.waiting.is_empty() {
            let Some(group) = self.read.index.groups().get(self.next) else { break };
            self.next += 1;
            let entries = self.read.index.entries(group);
            let may_be = |kind: &Kind| matches!(kind, Kind::Mails { .. } | Kind::Page);
            if !entries.iter().any(|entry| may_be(&layout(entry.layout()).kind)) {
                continue;
            }
            // What there is to say was said when the files were checked.
            for found in self.merger.orders(group, &mut Findings::default())? {
                let Some(retailer_name) = found.retailer else { continue };
                let mut before = None;
                for entry in entries {
                    // A mail may tell of an order twice.
                    let is_same =
                        before.replace((entry.layout(), entry.offset())) == Some((entry.layout(), entry.offset()));
                    if !is_same && found.documents.contains(&(layout(entry.layout()).input, entry.at())) {
                        self.waiting.push_back(Told {
                            retailer_name: retailer_name.clone(),
                            order_id: found.order.order_id.clone(),
                            layout: entry.layout(),
                            offset: entry.offset(),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn told(&self, Told { retailer_name, order_id, layout, offset }: Told) -> Result<Document, Refused> {
        let layout = &self.read.layouts[layout];
        let input = &self.read.inputs[layout.input];
        let (name, media_type, content) = match layout.kind {
            Kind::Mails { is_mbox, .. } => {
                let mail = mailbox::again(input.open()?, &input.shown, is_mbox, offset)?.unwrap_or_default();
                (mail_name(&mail), MAIL, mail)
            }
            _ => (own_name(input), page(&input.start()?), whole(input)?),
        };
        Ok(Document { retailer_name, order_id, name, media_type, content })
    }
}

impl Iterator for Documents<'_> {
    type Item = Result<Document, Refused>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.document();
        if result.is_err() {
            (self.next, self.loose) = (usize::MAX, usize::MAX);
            self.waiting.clear();
        }
        result.transpose()
    }
}

fn whole(input: &Input) -> Result<Vec<u8>, Refused> {
    let mut content = Vec::new();
    let most = LONGEST_DOCUMENT as u64 + 1;
    input.open()?.take(most).read_to_end(&mut content).map_err(|why| unreadable(&input.shown, &why))?;
    Ok(content)
}

fn own_name(input: &Input) -> String {
    input.shown.rsplit('/').next().unwrap_or_default().to_owned()
}

/// The day of a mail and its subject.
fn mail_name(content: &[u8]) -> String {
    let message = MessageParser::default().parse_headers(content);
    let day = message
        .as_ref()
        .and_then(|message| message.date())
        .map(|date| format!("{:04}-{:02}-{:02} ", date.year, date.month, date.day));
    let subject = message.as_ref().and_then(|message| message.subject()).map(str::trim).filter(|text| !text.is_empty());
    let subject: String = subject.unwrap_or("Mail").chars().take(SUBJECT).collect();
    format!("{}{}.eml", day.unwrap_or_default(), subject.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_number_of_an_order_if_it_can_be_no_other_number() {
        let names = |name: &str| numbers(name, false);
        assert!(names("114-1234567-1234567_2025-03-01").contains(&"114-1234567-1234567".to_owned()));
        assert_eq!(names("Invoice 1001"), ["invoice 1001", "1001"]);
        assert_eq!(names("Invoice #1001 (copy)"), ["invoice #1001", "invoice #1001 (copy", "1001", "1001 (copy"]);
        assert!(!names("invoice-12-2025").contains(&"12".to_owned()), "there are other digits");
        assert!(!names("statement-2025").contains(&"2025".to_owned()), "a year");
        assert!(names("11-1111").iter().all(|number| number == "11-1111"), "either");
        assert!(names("1001 (order 1001)").contains(&"1001".to_owned()), "twice the same");
        assert!(names("no number").is_empty());
        assert!(numbers("12", true).is_empty(), "a folder");
        assert_eq!(numbers("D01-1234567-1234567", true).last().unwrap(), "d01-1234567-1234567".split_at(4).1);
    }
}
