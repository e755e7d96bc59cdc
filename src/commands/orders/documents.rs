//! `ordersync orders documents`: the invoices, receipts and mails that are kept with orders.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordersync_api::OrderDocument;
use ordersync_api::document::file_name;
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::cli::orders::DocumentsArgs;
use crate::client::Client;
use crate::commands::shared::resolve;
use crate::context::Context;
use crate::errors::{Error, Result, codes};
use crate::files::atomic::{folder, place_new};
use crate::output::Mark;
use crate::output::human::{counted, day, size, there_already};
use crate::output::table::{Column, Table};

/// Files of one name in a folder.
const MOST_ALIKE: usize = 1_000;

/// A document, and its file.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    document: OrderDocument,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
}

/// Lists the documents, and writes them out.
pub(super) async fn run(context: &Context, arguments: &DocumentsArgs) -> Result<()> {
    let client = context.client().await?;
    let retailer_id = match &arguments.retailer {
        Some(wanted) => Some(resolve::retailer_of_orders(client, wanted).await?),
        None => None,
    };
    let documents = client.documents(retailer_id, arguments.order.as_deref()).await?;
    if documents.is_empty() {
        context.output.note(match (&arguments.order, retailer_id) {
            (None, None) => {
                "No documents are kept. ordersync import FILE --keep-documents keeps those beside the orders."
            }
            _ => "No documents match.",
        });
    }
    let shown = match &arguments.out {
        Some(out) => write_all(context, client, documents, out).await?,
        None => documents.into_iter().map(|document| Shown { document, path: None }).collect(),
    };
    let zone = context.time_zone(None)?;
    context.output.list(&shown, |shown| {
        let mut table = Table::new(&[
            Column::text("RETAILER").at_least(12),
            Column::copied("ORDER"),
            Column::text("DOCUMENT").at_least(16),
            Column::number("SIZE"),
            Column::text("ADDED"),
        ]);
        for Shown { document, path } in shown {
            let file = path.as_ref().map_or_else(|| document.name.clone(), |path| path.display().to_string());
            table.row([
                document.retailer_name.clone(),
                document.order_id.to_string(),
                file,
                size(document.size),
                day(Some(&document.added_at), zone),
            ]);
        }
        table
    })
}

/// Writes the documents to `out/RETAILER/ORDER/NAME`. A file that is there stays as it is: a document that is there already
/// is not written again, and another one of the same name gets a number.
async fn write_all(
    context: &Context,
    client: &Client,
    documents: Vec<OrderDocument>,
    out: &Path,
) -> Result<Vec<Shown>> {
    let (mut shown, mut new, all) = (Vec::new(), 0_u64, documents.len());
    let mut progress = context.output.progress();
    let mut taken: HashMap<PathBuf, usize> = HashMap::new();
    // The oldest first, so that each gets the same name again.
    for document in documents.into_iter().rev() {
        let whole = client.document(document.document_id.as_str()).await?;
        let content = whole.content.as_deref().and_then(|content| STANDARD.decode(content).ok());
        let content = content.filter(|content| content.len() as u64 == document.size).ok_or_else(|| {
            let message = format!("The document \"{}\" did not arrive whole.", document.name);
            Error::of(&codes::network::UNEXPECTED_ANSWER, message)
        })?;
        let [retailer, order, name] =
            [&document.retailer_name, document.order_id.as_str(), &document.name].map(file_name);
        let wanted = out.join(retailer).join(order).join(name);
        let first = taken.entry(wanted.clone()).or_insert(1);
        let (path, is_new) = write(&wanted, &content, first).map_err(|why| Error::file("write", &wanted, &why))?;
        new += u64::from(is_new);
        shown.push(Shown { document, path: Some(path) });
        progress.count("Documents", &format!("{} of {all}", shown.len()));
    }
    drop(progress);
    shown.reverse();
    if all > 0 {
        let (documents, there) = (counted(new, "document"), there_already(all as u64 - new));
        context.output.marked_note(Mark::Good, format!("{documents} written to {}{there}", out.display()));
    }
    Ok(shown)
}

/// Writes a file, private to the user, under this name or with a number from `first` on, which becomes the next one. Returns where
/// it is, and whether it was written now.
fn write(wanted: &Path, content: &[u8], first: &mut usize) -> std::io::Result<(PathBuf, bool)> {
    std::fs::create_dir_all(folder(wanted))?;
    loop {
        let path = numbered(wanted, *first);
        *first += 1;
        let mut file = NamedTempFile::new_in(folder(&path))?;
        file.write_all(content)?;
        if place_new(file, &path)? {
            return Ok((path, true));
        }
        if std::fs::read(&path).is_ok_and(|known| known == content) {
            return Ok((path, false));
        }
        if *first > MOST_ALIKE {
            return Err(std::io::Error::other("there are too many files of that name"));
        }
    }
}

/// `receipt.pdf`, `receipt (2).pdf`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number < 2 {
        return path.to_owned();
    }
    let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = (text(path.file_stem()), text(path.extension()));
    let dot = if ending.is_empty() { "" } else { "." };
    path.with_file_name(format!("{stem} ({number}){dot}{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/receipt.pdf");
        assert_eq!(write(&path, b"one", &mut 1).unwrap(), (path.clone(), true));
        assert_eq!(write(&path, b"one", &mut 1).unwrap(), (path.clone(), false));
        let second = folder.path().join("a/receipt (2).pdf");
        assert_eq!(write(&path, b"two", &mut 1).unwrap(), (second.clone(), true));
        assert_eq!(write(&path, b"two", &mut 2).unwrap(), (second, false));
        assert_eq!(std::fs::read(path).unwrap(), b"one");
    }
}
