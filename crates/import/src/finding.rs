//! The reports of an import: findings, which name a place in a file, and refusals, after which nothing is stored.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ordersync_api::document::LONGEST_DOCUMENT;
use ordersync_api::text_enum;
use rust_decimal::Decimal;
use serde::Serialize;

/// Findings of one code that are listed; further ones are only counted.
const MOST_LISTED: u64 = 1_000;

text_enum! {
    /// The kind of a finding or a refusal.
    pub enum FindingCode {
        /// An amount cannot be read, or has two readings: it is left out.
        AmountUnreadable = "amount_unreadable",
        /// An archive within an archive, or of another kind than zip: it has to be unpacked.
        ArchiveNotRead = "archive_not_read",
        /// A saved page asks for the characters of a picture in place of orders.
        CaptchaPage = "captcha_page",
        /// A saved page only checks the browser.
        ChallengePage = "challenge_page",
        /// The file ends within a row or a value.
        CutOff = "cut_off",
        /// The amounts of an order name another currency than its row.
        CurrencyConflict = "currency_conflict",
        /// The file does not say which currency its amounts are in.
        CurrencyUnknown = "currency_unknown",
        /// Nothing in the file proves whether its dates begin with the day or the month, or they prove both.
        DateOrderUnknown = "date_order_unknown",
        /// A date cannot be read: it is left out.
        DateUnreadable = "date_unreadable",
        /// A document is too long to be kept.
        DocumentTooLong = "document_too_long",
        /// The name of a document has the number of no order, or of several.
        DocumentWithoutOrder = "document_without_order",
        /// The text of a file is not in one of the encodings that are read.
        EncodingUnknown = "encoding_unknown",
        /// The file is not UTF-8, and was read as Windows-1252.
        EncodingPresumed = "encoding_presumed",
        /// A saved page tells of an error of the website.
        ErrorPage = "error_page",
        /// A file changed while it was read.
        FileChanged = "file_changed",
        /// A file is empty.
        FileEmpty = "file_empty",
        /// A file is in none of the known formats, and was left out.
        FileNotRecognised = "file_not_recognised",
        /// A file cannot be read.
        FileUnreadable = "file_unreadable",
        /// No file is in a known format.
        FormatUnknown = "format_unknown",
        /// JSON that is not well-formed.
        JsonInvalid = "json_invalid",
        /// Two lines of an order have one number, but differ: both were stored.
        LineDiffers = "line_differs",
        /// A spreadsheet rounded the number of a line: it is left out.
        LineNumberRounded = "line_number_rounded",
        /// A line is listed again with the same number.
        LineRepeated = "line_repeated",
        /// The lines of an order and its total differ.
        LinesAndTotalDiffer = "lines_and_total_differ",
        /// A mail quotes an order mail, as replies do: it is left out.
        MailQuoted = "mail_quoted",
        /// A mail looks like an order mail, but cannot be read: it is left out.
        MailUnreadable = "mail_unreadable",
        /// The mapping is not valid.
        MappingInvalid = "mapping_invalid",
        /// A column that the format needs is missing.
        MissingColumn = "missing_column",
        /// The file has totals of orders, and none of their lines.
        NoLinesInFile = "no_lines_in_file",
        /// The same order differs from file to file.
        OrderDiffers = "order_differs",
        /// A spreadsheet rounded the number of an order: the row was left out.
        OrderNumberRounded = "order_number_rounded",
        /// A page or file does not show all items of an order, which is stored with a mark.
        OrderIncomplete = "order_incomplete",
        /// The total of the order repeats on its rows, in a column that has the total of the row elsewhere.
        OrderTotalRepeated = "order_total_repeated",
        /// A page or file shows none of the items of an order: the order is left out.
        OrderWithoutItems = "order_without_items",
        /// A saved page is of no known kind.
        PageUnknown = "page_unknown",
        /// A saved page counts orders, and shows none.
        PageWithoutOrders = "page_without_orders",
        /// The saved pages of a period show fewer orders than they count.
        PagesMissing = "pages_missing",
        /// A mail tells of a parcel of an order that no other mail tells of: it is left out.
        ParcelWithoutOrder = "parcel_without_order",
        /// Nothing proves whether an amount is the price of one piece or of the line.
        PriceMeaningUnknown = "price_meaning_unknown",
        /// Nothing proves how many pieces a line has.
        QuantityUnknown = "quantity_unknown",
        /// A row has money, although its quantity is 0.
        QuantityZeroWithAmount = "quantity_zero_with_amount",
        /// A quote may be open: text follows a closing quote, or a cell looks like several rows.
        QuoteOpen = "quote_open",
        /// It is not known whether a refund was paid: it was left out.
        RefundNotFinal = "refund_not_final",
        /// A payout is listed again, and counted once.
        RefundRepeated = "refund_repeated",
        /// The order of a refund is in none of the files.
        RefundWithoutOrder = "refund_without_order",
        /// The file does not say which retailer its orders are from.
        RetailerUnknown = "retailer_unknown",
        /// The total of a row is not the sum of its parts.
        RowTotal = "row_total",
        /// A row has more or fewer cells than the header.
        RowWidth = "row_width",
        /// A row has no order number, or is a header or a total, and was left out.
        RowWithoutOrder = "row_without_order",
        /// The subtotal of a shipment is not the sum of its rows.
        ShipmentSubtotal = "shipment_subtotal",
        /// A saved page is a sign-in page.
        SignInPage = "sign_in_page",
        /// A website of Amazon's is not known: its orders are stored under its name.
        SiteUnknown = "site_unknown",
        /// A saved page is of a website whose pages are not read.
        SiteUnproven = "site_unproven",
        /// A row has only the beginning of a website, as in a file that is cut off: the row is left out.
        SiteUnreadable = "site_unreadable",
        /// The meaning of a status is not known.
        StatusUnknown = "status_unknown",
        /// Times have no zone, so that only their day is kept.
        TimeZoneUnknown = "time_zone_unknown",
        /// The file is larger than the import reads.
        TooLarge = "too_large",
        /// A price, times its quantity, is not the line's total.
        UnitPrice = "unit_price",
        /// A column that nobody reads.
        UnknownColumn = "unknown_column",
        /// A path that leads out of its folder or archive.
        UnsafePath = "unsafe_path",
        /// A value of the whole order differs from row to row: it is left out, and of dates, the first counts.
        ValuesDiffer = "values_differ",
        /// A zip archive is damaged, encrypted or a bomb.
        ZipInvalid = "zip_invalid",
    }
}

/// Something that the reader of the report should know, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Its kind.
    pub code: FindingCode,
    /// The file, as given: below a folder or in an archive, with the path there.
    pub file: String,
    /// The record; the header is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// The line of the file on which the record begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The retailer's number of the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
    /// The column, or the path in a JSON document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The figure or text that the file shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// The figure that follows from others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed: Option<String>,
    /// A sentence for people.
    pub message: String,
}

impl Finding {
    pub(crate) fn new(code: FindingCode, file: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let (file, none) = (file.to_owned(), None);
        Self { code, file, row: none, line: none, order_id: None, column: None, shown: None, computed: None, message }
    }

    pub(crate) fn document_too_long(file: &str) -> Self {
        let message = format!("The document has more than {} MiB, and was left out.", LONGEST_DOCUMENT >> 20);
        Self::new(FindingCode::DocumentTooLong, file, message)
    }

    /// Row 0 is none: that of a page.
    pub(crate) fn at(mut self, row: u32, line: u32) -> Self {
        (self.row, self.line) = if row == 0 { (None, None) } else { (Some(row.into()), Some(line.into())) };
        self
    }

    pub(crate) fn order(mut self, id: &str) -> Self {
        self.order_id = Some(id.to_owned());
        self
    }

    pub(crate) fn column(mut self, name: &str) -> Self {
        self.column = Some(name.to_owned());
        self
    }

    pub(crate) fn shown(mut self, text: impl ToString) -> Self {
        self.shown = Some(text.to_string());
        self
    }

    pub(crate) fn figures(mut self, shown: Decimal, computed: Decimal) -> Self {
        self.computed = Some(computed.to_string());
        self.shown(shown)
    }
}

/// The import is refused: nothing is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    /// The kind.
    pub code: FindingCode,
    /// The reason, and the remedy.
    pub message: String,
    /// The places.
    pub findings: Vec<Finding>,
}

impl From<Finding> for Refused {
    fn from(finding: Finding) -> Self {
        let place = match (finding.row, finding.line) {
            (Some(row), Some(line)) => format!("{}, row {row} (line {line}): ", finding.file),
            _ if finding.file.is_empty() => String::new(),
            _ => format!("{}: ", finding.file),
        };
        Self { code: finding.code, message: format!("{place}{}", finding.message), findings: vec![finding] }
    }
}

/// Collects findings, within bounds.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) list: Vec<Finding>,
    pub(crate) counts: BTreeMap<FindingCode, u64>,
    /// Sentences about files whose subject is no fault.
    pub(crate) notes: BTreeSet<String>,
    told: HashSet<(FindingCode, String, String)>,
}

impl Findings {
    pub(crate) fn add(&mut self, finding: Finding) {
        let count = self.counts.entry(finding.code).or_default();
        *count += 1;
        if *count <= MOST_LISTED {
            self.list.push(finding);
        }
    }

    /// Adds what holds for a whole file only once: by its file, its column and the text that it shows.
    pub(crate) fn add_once(&mut self, finding: Finding) {
        let about = format!("{:?} {:?}", finding.column, finding.shown);
        if self.counts.get(&finding.code).is_none_or(|count| *count < MOST_LISTED)
            && self.told.insert((finding.code, finding.file.clone(), about))
        {
            self.add(finding);
        }
    }
}
