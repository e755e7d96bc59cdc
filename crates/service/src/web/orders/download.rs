//! The lines that match, as CSV.
//!
//! They are read in pieces, so that a slow reader holds nothing of the store and memory stays flat. If the orders change
//! meanwhile, the download ends early, which a browser reports: a file never has a line twice, or lacks one.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::stream;
use ordersync_api::order::CSV_COLUMNS;
use serde_json::value::RawValue;

use super::filter::Filter;
use crate::app::App;
use crate::domain::rendered::Renderer;
use crate::store::orders::own::{Cursor, LineFacts, OwnOrders, Shop};

struct Download {
    app: Arc<App>,
    user_id: String,
    filter: Filter,
    cursor: Cursor,
    /// Of the connections, as they were at the beginning.
    versions: Vec<(i64, i64)>,
    renderer: Renderer,
}

/// The file.
pub(super) fn response(app: &Arc<App>, user_id: &str, shops: &[Shop], filter: Filter) -> Response {
    let cursor = filter.cursor(None, false);
    let (app, user_id) = (Arc::clone(app), user_id.to_owned());
    let download = Download { app, user_id, filter, cursor, versions: versions(shops), renderer: Renderer::default() };
    let header = Bytes::from(CSV_COLUMNS.join(",") + "\n");
    let lines = stream::try_unfold(download, |mut download| async move {
        if download.cursor.is_done {
            return Ok(None);
        }
        let lines = download.next().await.inspect_err(|error| tracing::warn!(%error, "a download ended early"))?;
        Ok::<_, io::Error>(Some((Bytes::from(lines), download)))
    });
    let body = Body::from_stream(futures::StreamExt::chain(stream::iter([Ok(header)]), lines));
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8; header=present"),
        (CONTENT_DISPOSITION, "attachment; filename=\"orders.csv\""),
    ];
    (headers, body).into_response()
}

impl Download {
    /// The next lines, some of which may match.
    async fn next(&mut self) -> io::Result<String> {
        let mut own: OwnOrders = self.app.store.orders_of(&self.user_id).await.map_err(io::Error::other)?;
        if versions(&own.shops) != self.versions {
            return Err(io::Error::other("the orders changed while they were downloaded"));
        }
        let text = own.chunk(&self.cursor).await.map_err(io::Error::other)?;
        drop(own);
        let mut csv = String::new();
        for line in self.cursor.read::<&RawValue>(&text).map_err(io::Error::other)? {
            let facts: LineFacts<'_> = serde_json::from_str(line.4.get())?;
            if self.filter.matches(&facts) {
                let item = serde_json::from_str(line.4.get())?;
                csv.push_str(&self.renderer.render(&item).map_err(io::Error::other)?.csv);
            }
        }
        self.renderer = Renderer::default();
        Ok(csv)
    }
}

fn versions(shops: &[Shop]) -> Vec<(i64, i64)> {
    shops.iter().map(|shop| (shop.number, shop.list_version)).collect()
}
