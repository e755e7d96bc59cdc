//! The answer to an attempt to remove a connection.

use axum::http::StatusCode;

use super::Problem;
use super::problem::Answered;
use crate::store::orders::removal::Removal;

pub(crate) fn removed(removal: Removal, id: &str) -> Answered<StatusCode> {
    match removal {
        Removal::Done => Ok(StatusCode::NO_CONTENT),
        Removal::InProgress(batch_id) => Err(Problem::sync_in_progress(&batch_id)),
        Removal::NotShared => Err(Problem::not_shared()),
        Removal::Absent => Err(Problem::not_found("connection", id)),
    }
}
