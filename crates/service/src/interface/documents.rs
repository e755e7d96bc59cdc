//! Documents that are kept with orders.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordersync_api::document::{LONGEST_DOCUMENT, MOST_DOCUMENTS};
use ordersync_api::{DocumentsRequest, NewDocument, OrderDocument};

use super::listing::{total_count, window};
use crate::app::App;
use crate::domain::bounds::without_controls;
use crate::http::extract::Segment;
use crate::http::fields::Params;
use crate::http::linked::Reader;
use crate::http::problem::{Answered, granted};
use crate::http::scoped::{Documents, Mutation, OrdersRead};
use crate::http::{Problem, idempotency};
use crate::store::orders::documents::{Document, Kept, MOST_OF_ORDER};

/// Characters of a document's name, and of its media type, at most.
const LONGEST_NAME: usize = 255;

/// POST /sync/documents
pub(crate) async fn keep(State(app): State<Arc<App>>, mutation: Mutation<Documents>) -> Answered<Response> {
    let (caller, key) = (&mutation.caller, mutation.key.as_ref());
    let request: DocumentsRequest = mutation.json()?;
    if request.documents.len() > MOST_DOCUMENTS {
        let message = format!("documents has more than {MOST_DOCUMENTS} documents.");
        return Err(Problem::invalid("documents", message));
    }
    let documents: Vec<Document> =
        request.documents.into_iter().enumerate().map(|(place, one)| document(place, one)).collect::<Result<_, _>>()?;
    match app.store.keep_documents(&app.keys, caller, &request.connection_id, &documents, key).await? {
        Kept::Done(answer) => Ok(idempotency::json_response(&answer)),
        Kept::NotShared => Err(Problem::not_shared()),
        Kept::Absent => Err(Problem::not_found("connection", &request.connection_id)),
        Kept::TooMany(order_id) => {
            let message = format!("Order {order_id} would have more than {MOST_OF_ORDER} documents.");
            Err(Problem::invalid("documents", message))
        }
        Kept::AnsweredMeanwhile => Ok(idempotency::answered_meanwhile(&app, key, caller).await),
    }
}

/// A document as it may be stored.
fn document(place: usize, given: NewDocument) -> Answered<Document> {
    let wrong = |field: &str, message: &str| {
        let field = format!("documents[{place}].{field}");
        Problem::invalid(&field, format!("{field} {message}"))
    };
    for (field, text) in [("name", &given.name), ("mediaType", &given.media_type)] {
        if text.trim().is_empty() || text.chars().count() > LONGEST_NAME {
            return Err(wrong(field, &format!("has to be 1 to {LONGEST_NAME} characters, and not spaces alone.")));
        }
    }
    let content = STANDARD.decode(&given.content).map_err(|_| wrong("content", "has to be base64 (RFC 4648 §4)."))?;
    if content.is_empty() || content.len() > LONGEST_DOCUMENT {
        return Err(wrong("content", &format!("has to be 1 byte to {} MiB.", LONGEST_DOCUMENT >> 20)));
    }
    let [name, media_type] = [&given.name, &given.media_type].map(|text| without_controls(text));
    Ok(Document { order_id: given.order_id, name, media_type, content })
}

/// GET /sync/documents?retailer_id=&order_id=&limit=&offset=
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<OrdersRead>,
    params: Params,
) -> Answered<Response> {
    let of = (params.retailer("retailer_id")?, params.text("order_id")?);
    let listed = app.store.documents(&app.keys, &caller, of, window(&params)?).await?;
    Ok((total_count(listed.total), Json(listed.rows)).into_response())
}

/// GET /sync/documents/{documentId}
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<OrdersRead>,
    Segment(id): Segment,
) -> Answered<Json<OrderDocument>> {
    granted(app.store.document(&app.keys, &caller, &id).await?, "document", &id).map(Json)
}
