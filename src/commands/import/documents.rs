//! The documents beside the orders of an import: sent after the orders.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordersync_api::document::MOST_DOCUMENTS;
use ordersync_api::{DocumentsRequest, DocumentsResult, ImportResult, NewDocument};
use ordersync_import::{Checked, Document};

use super::{Ahead, OfRetailer, named, pass_on};
use crate::client::Client;
use crate::context::Context;
use crate::errors::{Error, Result, codes};
use crate::output::Mark;
use crate::output::human::{counted, there_already};

/// Bytes of the documents of a request, unless one alone has more.
const MOST_BYTES: usize = 1 << 20;

/// Documents of one retailer that are sent together.
#[derive(Default)]
struct Batch {
    retailer_name: String,
    documents: Vec<NewDocument>,
    bytes: usize,
}

impl Batch {
    fn has_room_for(&self, next: &Document) -> bool {
        self.documents.is_empty()
            || self.retailer_name == next.retailer_name
                && self.documents.len() < MOST_DOCUMENTS
                && self.bytes + next.content.len() <= MOST_BYTES
    }

    fn add(&mut self, document: Document) {
        let Document { retailer_name, order_id, name, media_type, content } = document;
        self.retailer_name = retailer_name;
        self.bytes += content.len();
        let (media_type, content) = (media_type.to_owned(), STANDARD.encode(content));
        self.documents.push(NewDocument { order_id, name, media_type, content });
    }
}

/// Sends the documents, and adds the outcome to the results of each retailer.
/// Fails if fewer or more are sent than the check has counted.
pub(super) async fn send(context: &Context, checked: &Arc<Checked>, results: &mut [OfRetailer]) -> Result<()> {
    let client = context.client().await?;
    let mut read = Ahead::new(checked, |checked, ready| pass_on(checked.documents(), &ready));
    let mut progress = context.output.progress();
    let (mut sent, all) = (0, checked.report().documents);
    let mut batch = Batch::default();
    while let Some(next) = read.items.recv().await {
        let next = next.map_err(|why| Error::of(&codes::command::ORDERS_NOT_STORED, why.message))?;
        if !batch.has_room_for(&next) {
            sent += keep(client, std::mem::take(&mut batch), results).await?;
            progress.count("Documents", &format!("{sent} of {all}"));
        }
        batch.add(next);
    }
    if !batch.documents.is_empty() {
        sent += keep(client, batch, results).await?;
    }
    drop(progress);
    read.end().await?;
    if sent != all {
        let message = format!("The files have {}, but {sent} were sent.", counted(all, "document"));
        return Err(Error::of(&codes::command::FAULT, message));
    }
    Ok(())
}

/// Sends a batch, and returns how many documents it has.
async fn keep(client: &Client, batch: Batch, results: &mut [OfRetailer]) -> Result<u64> {
    let of_batch = |one: &&mut OfRetailer| one.retailer_name.as_ref() == Some(&batch.retailer_name);
    let Some(OfRetailer { result: ImportResult { connection_id: Some(id), .. }, documents, .. }) =
        results.iter_mut().find(of_batch)
    else {
        let message = format!("No connection has the orders of {}.", batch.retailer_name);
        return Err(Error::of(&codes::command::FAULT, message));
    };
    let request = DocumentsRequest { connection_id: id.to_string(), documents: batch.documents };
    let kept = client.keep_documents(&request).await?;
    let sum = documents.get_or_insert_default();
    sum.documents_new += kept.documents_new;
    sum.documents_unchanged += kept.documents_unchanged;
    sum.orders_unknown.extend(kept.orders_unknown);
    Ok(request.documents.len() as u64)
}

/// Says which documents were kept.
pub(super) fn tell(context: &Context, results: &[OfRetailer]) {
    let all: Vec<&DocumentsResult> = results.iter().filter_map(|one| one.documents.as_ref()).collect();
    if all.is_empty() {
        return;
    }
    let new = counted(all.iter().map(|one| one.documents_new).sum(), "document");
    let there = there_already(all.iter().map(|one| one.documents_unchanged).sum());
    context.output.marked_note(Mark::Good, format!("{new} kept with their orders{there}"));
    let unknown: Vec<String> = all.iter().flat_map(|one| one.orders_unknown.iter().cloned()).collect();
    if !unknown.is_empty() {
        let message = format!("Documents of orders that are not stored were not kept: {}.", named(&unknown));
        context.output.marked_note(Mark::Attention, message);
    }
    context.output.note(format!("To see them: {}", context.command("orders documents")));
}
