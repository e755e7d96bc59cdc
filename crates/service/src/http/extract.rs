//! Extractors for the parts of a request.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use ordersync_api::ErrorCode;

use super::Problem;
use super::body::{BODY_LIMIT, json_fields, read_body};
use super::fields::{Fields, Params};
use super::problem::Answered;
use crate::app::App;

/// The one variable segment of the path.
pub(crate) struct Segment(pub(crate) String);

impl FromRequestParts<Arc<App>> for Segment {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Answered<Self> {
        let Path(segment) = Path::<String>::from_request_parts(parts, app)
            .await
            .map_err(|_| Problem::new(ErrorCode::NotFound, "The path holds an identifier that is not text."))?;
        Ok(Self(segment))
    }
}

impl FromRequestParts<Arc<App>> for Params {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Answered<Self> {
        Ok(Self::of(&parts.uri))
    }
}

/// A request's JSON object, outside the interface that accepts an `Idempotency-Key`.
impl FromRequest<Arc<App>> for Fields {
    type Rejection = Problem;

    async fn from_request(request: Request, _app: &Arc<App>) -> Answered<Self> {
        let (parts, body) = request.into_parts();
        let body = read_body(body, BODY_LIMIT).await?;
        json_fields(&parts, &body)
    }
}
