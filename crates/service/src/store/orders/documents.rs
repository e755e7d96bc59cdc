//! Invoices, receipts and mails that are kept with their orders. Content, name and kind are sealed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordersync_api::{Id, OrderDocument, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::ids::new_id;
use crate::keys::{Keys, Place};
use crate::store::accounts::connections::{Access, Listed, Window, access_to_change};
use crate::store::accounts::idempotency::{Answer, IdempotencyKey};
use crate::store::accounts::users::Caller;
use crate::store::db::row::row;
use crate::store::db::{Tx, query, query_as, query_scalar};
use crate::store::orders::own::{OrderNumber, OwnOrders};
use crate::store::{Store, StoreError, Write, count, micros, stored, time};

/// The places of what is sealed.
pub(crate) const ABOUT: &str = "order_documents.about";
pub(crate) const DOCUMENT_BLOCK: &str = "document_blocks.content";
/// The bytes of a block.
const BLOCK: usize = 64 * 1024;

/// A document to be kept.
pub(crate) struct Document {
    pub order_id: String,
    pub name: String,
    pub media_type: String,
    pub content: Vec<u8>,
}

/// The sealed facts about a document.
#[derive(Serialize, Deserialize)]
struct About {
    name: String,
    media_type: String,
    /// SHA-256 of the content: with it, an order has a document once.
    digest: [u8; 32],
}

/// The outcome of an attempt to keep documents.
pub(crate) enum Kept {
    /// They are kept; this is the answer.
    Done(Answer),
    /// The user does not share the connection with the client.
    NotShared,
    /// The user has no such connection.
    Absent,
    /// An order would have more documents than it may have.
    TooMany(String),
    /// This request was answered meanwhile: ask again what the answer was.
    AnsweredMeanwhile,
}

/// Of the user's own pages, which show orders whichever clients they are shared with.
const NO_CLIENT: &str = "";
/// Documents of an order, at most.
pub(crate) const MOST_OF_ORDER: i64 = 100;

row! {
    struct DocumentRow {
        id: String,
        connection_id: String,
        retailer_id: i64,
        retailer_name: String,
        order_id: String,
        size: i64,
        added_at: i64,
        about: Vec<u8>,
        is_shared: bool,
    }
}

/// A query about documents of the user `$2`, and whether the client `$1` may see them.
macro_rules! documents {
    ($columns:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM order_documents d
             JOIN connections c ON c.user_id = d.user_id AND c.number = d.connection
             JOIN orders o ON o.user_id = d.user_id AND o.connection = d.connection AND o.number = d.order_number
             LEFT JOIN connection_shares s ON s.user_id = c.user_id AND s.connection_id = c.id AND s.client_id = $1
             WHERE d.user_id = $2 AND ",
            $rest
        )
    };
    ($rest:literal) => {
        documents!(
            "d.id, c.id AS connection_id, c.retailer_id, c.display_name AS retailer_name, o.order_id, d.size, d.added_at,
             d.about, s.client_id IS NOT NULL AS is_shared",
            $rest
        )
    };
}

impl Store {
    /// Keeps documents with their orders, in one transaction.
    pub(crate) async fn keep_documents(
        &self,
        keys: &Keys,
        caller: &Caller,
        connection_id: &str,
        documents: &[Document],
        key: Option<&IdempotencyKey>,
    ) -> Result<Kept, StoreError> {
        let Some(mut once) = self.write_once(key, caller.now).await? else {
            return Ok(Kept::AnsweredMeanwhile);
        };
        let tx = &mut once.tx;
        match access_to_change(tx, caller, connection_id).await? {
            Access::Granted(_) => {}
            Access::NotShared => return Ok(Kept::NotShared),
            Access::Absent => return Ok(Kept::Absent),
        }
        let connection: i64 = query_scalar("SELECT number FROM connections WHERE user_id = $1 AND id = $2")
            .bind_all((&caller.user_id, connection_id))
            .fetch_one(&mut *tx)
            .await?;
        let mut result = ordersync_api::DocumentsResult::default();
        for document in documents {
            let order: Option<i64> =
                query_scalar("SELECT number FROM orders WHERE user_id = $1 AND connection = $2 AND order_id = $3")
                    .bind_all((&caller.user_id, connection, &document.order_id))
                    .fetch_optional(&mut *tx)
                    .await?;
            match order {
                None if result.orders_unknown.contains(&document.order_id) => {}
                None => result.orders_unknown.push(document.order_id.clone()),
                Some(number) => match keep(tx, keys, caller, (connection, number), document).await? {
                    Some(true) => result.documents_new += 1,
                    Some(false) => result.documents_unchanged += 1,
                    None => return Ok(Kept::TooMany(document.order_id.clone())),
                },
            }
        }
        let body = serde_json::to_vec(&result).map_err(|_| StoreError::Corrupt("answer"))?;
        let answer = Answer { status: 200, body };
        once.commit(&answer).await?;
        Ok(Kept::Done(answer))
    }

    /// The documents of orders that the client may see, those that were added last first.
    pub(crate) async fn documents(
        &self,
        keys: &Keys,
        caller: &Caller,
        (retailer_id, order_id): (Option<i64>, Option<&str>),
        window: Window,
    ) -> Result<Listed<OrderDocument>, StoreError> {
        let mut tx = self.pool.begin().await?;
        let total: i64 = query_scalar(documents!(
            "COUNT(*)",
            "s.client_id IS NOT NULL AND ($3 IS NULL OR c.retailer_id = $3) AND ($4 IS NULL OR o.order_id = $4)"
        ))
        .bind_all((&caller.client_id, &caller.user_id, retailer_id, order_id))
        .fetch_one(&mut tx)
        .await?;
        let rows: Vec<DocumentRow> = query_as(documents!(
            "s.client_id IS NOT NULL AND ($3 IS NULL OR c.retailer_id = $3) AND ($4 IS NULL OR o.order_id = $4)
             ORDER BY d.added_at DESC, d.connection, d.order_number DESC, d.id LIMIT $5 OFFSET $6"
        ))
        .bind_all((
            &caller.client_id,
            &caller.user_id,
            retailer_id,
            order_id,
            i64::from(window.limit),
            i64::try_from(window.offset).unwrap_or(i64::MAX),
        ))
        .fetch_all(&mut tx)
        .await?;
        let rows = rows.into_iter().map(|row| row.document(keys)).collect::<Result<_, _>>()?;
        Ok(Listed { rows, total: count(total) })
    }

    /// A document with its content.
    pub(crate) async fn document(
        &self,
        keys: &Keys,
        caller: &Caller,
        id: &str,
    ) -> Result<Access<OrderDocument>, StoreError> {
        let mut tx = self.pool.begin().await?;
        let row: Option<DocumentRow> = query_as(documents!("d.id = $3"))
            .bind_all((&caller.client_id, &caller.user_id, id))
            .fetch_optional(&mut tx)
            .await?;
        let Some(row) = row else { return Ok(Access::Absent) };
        if !row.is_shared {
            return Ok(Access::NotShared);
        }
        let (mut document, content) = row.open(keys, &mut tx, &caller.user_id).await?;
        document.content = Some(STANDARD.encode(content));
        Ok(Access::Granted(document))
    }
}

impl OwnOrders {
    /// The documents of an order, in the order in which they were added.
    pub(crate) async fn documents(
        &mut self,
        keys: &Keys,
        order: OrderNumber,
    ) -> Result<Vec<OrderDocument>, StoreError> {
        let rows: Vec<DocumentRow> =
            query_as(documents!("d.connection = $3 AND d.order_number = $4 ORDER BY d.added_at, d.id"))
                .bind_all((NO_CLIENT, &self.user_id, order.connection, order.number))
                .fetch_all(&mut self.tx)
                .await?;
        rows.into_iter().map(|row| row.document(keys)).collect()
    }

    /// A document and its content. `None`: the user has none of this id.
    pub(crate) async fn document(
        &mut self,
        keys: &Keys,
        id: &str,
    ) -> Result<Option<(OrderDocument, Vec<u8>)>, StoreError> {
        let row: Option<DocumentRow> = query_as(documents!("d.id = $3"))
            .bind_all((NO_CLIENT, &self.user_id, id))
            .fetch_optional(&mut self.tx)
            .await?;
        match row {
            Some(row) => Ok(Some(row.open(keys, &mut self.tx, &self.user_id).await?)),
            None => Ok(None),
        }
    }
}

/// Keeps a document with an order. False: the order has it. None: the order has as many as it may have.
async fn keep(
    tx: &mut Write,
    keys: &Keys,
    caller: &Caller,
    (connection, number): (i64, i64),
    document: &Document,
) -> Result<Option<bool>, StoreError> {
    let size = stored(document.content.len());
    let digest: [u8; 32] = Sha256::digest(&document.content).into();
    let known: Vec<(String, i64, Vec<u8>)> = query_as(
        "SELECT id, size, about FROM order_documents WHERE user_id = $1 AND connection = $2 AND order_number = $3",
    )
    .bind_all((&caller.user_id, connection, number))
    .fetch_all(&mut *tx)
    .await?;
    for (id, _, about) in known.iter().filter(|(_, known, _)| *known == size) {
        if About::open(keys, id, about)?.digest == digest {
            return Ok(Some(false));
        }
    }
    if stored(known.len()) >= MOST_OF_ORDER {
        return Ok(None);
    }
    let id = new_id("doc")?;
    let about = About { name: document.name.clone(), media_type: document.media_type.clone(), digest };
    let about = serde_json::to_vec(&about).map_err(|_| StoreError::Corrupt("document"))?;
    query(
        "INSERT INTO order_documents (user_id, id, connection, order_number, size, added_at, about)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind_all((
        &caller.user_id,
        &id,
        connection,
        number,
        size,
        micros(caller.now),
        keys.seal(&Place { column: ABOUT, row: &id }, &about)?,
    ))
    .execute(&mut *tx)
    .await?;
    for (block, content) in document.content.chunks(BLOCK).enumerate() {
        let row = block_row(&id, block);
        query("INSERT INTO document_blocks (user_id, document_id, block, content) VALUES ($1, $2, $3, $4)")
            .bind_all((
                &caller.user_id,
                &id,
                stored(block),
                keys.seal(&Place { column: DOCUMENT_BLOCK, row: &row }, content)?,
            ))
            .execute(&mut *tx)
            .await?;
    }
    Ok(Some(true))
}

/// The row that a block is sealed for.
fn block_row(document_id: &str, block: usize) -> String {
    format!("{document_id}/{block}")
}

impl About {
    fn open(keys: &Keys, id: &str, sealed: &[u8]) -> Result<Self, StoreError> {
        let opened = keys.open(&Place { column: ABOUT, row: id }, sealed)?;
        serde_json::from_slice(&opened).map_err(|_| StoreError::Corrupt("document"))
    }
}

impl DocumentRow {
    /// The document and its content.
    async fn open(self, keys: &Keys, tx: &mut Tx, user_id: &str) -> Result<(OrderDocument, Vec<u8>), StoreError> {
        let blocks: Vec<Vec<u8>> =
            query_scalar("SELECT content FROM document_blocks WHERE user_id = $1 AND document_id = $2 ORDER BY block")
                .bind_all((user_id, &self.id))
                .fetch_all(tx)
                .await?;
        let mut content = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            let row = block_row(&self.id, number);
            content.extend_from_slice(&keys.open(&Place { column: DOCUMENT_BLOCK, row: &row }, block)?);
        }
        if stored(content.len()) != self.size {
            return Err(StoreError::Corrupt("document"));
        }
        Ok((self.document(keys)?, content))
    }

    fn document(self, keys: &Keys) -> Result<OrderDocument, StoreError> {
        let About { name, media_type, .. } = About::open(keys, &self.id, &self.about)?;
        Ok(OrderDocument {
            document_id: self.id.into(),
            connection_id: self.connection_id.into(),
            retailer_id: self.retailer_id,
            retailer_name: self.retailer_name,
            order_id: Id(self.order_id),
            name,
            media_type,
            size: count(self.size),
            added_at: Timestamp(time(self.added_at)?).into(),
            content: None,
        })
    }
}
