//! Invoices, receipts and mails that are kept with their orders: `/sync/documents`.

use serde::{Deserialize, Serialize};

use crate::open::{Id, Open};
use crate::strict;
use crate::timestamp::Timestamp;

/// Documents in one request at most.
pub const MOST_DOCUMENTS: usize = 100;
/// The longest document, in bytes.
pub const LONGEST_DOCUMENT: usize = 10 << 20;
/// Bytes of a file's name before its ending, at most.
const LONGEST_NAME: usize = 120;

/// Documents to be kept with orders of a connection. Sending them again changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentsRequest {
    /// The connection that has the orders.
    pub connection_id: String,
    /// At most [`MOST_DOCUMENTS`].
    #[serde(deserialize_with = "strict::objects")]
    pub documents: Vec<NewDocument>,
}

/// A document to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewDocument {
    /// The retailer's own number of the order.
    pub order_id: String,
    /// The name of its file.
    pub name: String,
    /// Such as `application/pdf`.
    pub media_type: String,
    /// In base64, at most [`LONGEST_DOCUMENT`] bytes.
    pub content: String,
}

/// The outcome of a request to keep documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentsResult {
    /// Documents that were added.
    pub documents_new: u64,
    /// Documents that their orders had already.
    pub documents_unchanged: u64,
    /// Orders that the connection does not have: their documents were not kept.
    pub orders_unknown: Vec<String>,
}

/// A document that is kept with an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderDocument {
    /// Identifier.
    pub document_id: Id,
    /// The connection that has the order.
    pub connection_id: Id,
    /// The retailer.
    pub retailer_id: i64,
    /// The name of the retailer.
    pub retailer_name: String,
    /// The retailer's own number of the order.
    pub order_id: Id,
    /// The name of its file.
    pub name: String,
    /// Such as `application/pdf`.
    pub media_type: String,
    /// In bytes.
    pub size: u64,
    /// When it was added.
    pub added_at: Open<Timestamp>,
    /// In base64; a list leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// The text as a file name: it leads to no other folder, and every system accepts it.
#[must_use]
pub fn file_name(text: &str) -> String {
    let is_safe = |letter: char| !letter.is_control() && !r#"/\:*?"<>|"#.contains(letter);
    let is_mark =
        |letter: char| matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let text: String = text
        .chars()
        .filter(|letter| !is_mark(*letter))
        .map(|letter| if is_safe(letter) { letter } else { '_' })
        .collect();
    let text = text.trim_matches([' ', '.']);
    let (stem, ending) = text.rsplit_once('.').filter(|(_, ending)| ending.len() <= 8).unwrap_or((text, ""));
    let mut end = stem.len().min(LONGEST_NAME);
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    let stem = stem.get(..end).unwrap_or_default().trim_end();
    match (stem, ending) {
        ("", "") => "unnamed".to_owned(),
        (stem, "") => stem.to_owned(),
        (stem, ending) => format!("{stem}.{ending}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere_else_and_is_taken_by_every_system() {
        for (given, written) in [
            ("../../etc/passwd", "_.._etc_passwd"),
            ("receipt 1/2.pdf", "receipt 1_2.pdf"),
            ("C:\\a?.pdf", "C__a_.pdf"),
            ("..", "unnamed"),
            ("", "unnamed"),
            ("a\u{202e}fdp.exe", "afdp.exe"),
            ("Rechnung Müßig.pdf", "Rechnung Müßig.pdf"),
            ("a\nb.eml", "a_b.eml"),
        ] {
            assert_eq!(file_name(given), written);
        }
        assert_eq!(file_name(&format!("{}.pdf", "ü".repeat(200))).len(), LONGEST_NAME + 4);
    }
}
